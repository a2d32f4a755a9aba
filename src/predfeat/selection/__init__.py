"""Which parameters to use, how many features are real, and what went wrong.

============== ==================================================================
choose         p, k and M by purged blocked cross-validation
significance   how many features are real, by surrogates
diagnosis      findings about a fitted model, each with what to change
============== ==================================================================
"""

from predfeat.selection._choice import Choice
from predfeat.selection._choose import choose, choose_method
from predfeat.selection._significance import significance
from predfeat.selection._significance_result import Significance
from predfeat.selection._statistic import NestedShares
from predfeat.selection._surface import Setting, Surface
from predfeat.selection._surrogates import KINDS, SurrogateKind, surrogates
from predfeat.selection.diagnosis import Diagnosis, Finding, diagnose

__all__ = [
    "KINDS",
    "Choice",
    "Diagnosis",
    "Finding",
    "Setting",
    "Significance",
    "Surface",
    "SurrogateKind",
    "NestedShares",
    "choose",
    "choose_method",
    "diagnose",
    "significance",
    "surrogates",
]
