"""Which parameters, how many features are real, and why did it go wrong.

============== ==================================================================
auto           the method itself, judged on the training data
choose         p, k and M by purged blocked cross-validation
significance   how many features are real, by surrogates
diagnosis      findings about a fitted model, each with what to change
============== ==================================================================
"""

from predfeat.selection._auto import AutoFeatures
from predfeat.selection._choice import Choice
from predfeat.selection._choose import choose, choose_method
from predfeat.selection._folds import Fold, purged_folds
from predfeat.selection._held_out import predicted_shares
from predfeat.selection._significance import significance
from predfeat.selection._significance_result import Significance
from predfeat.selection._statistic import VarianceLeft
from predfeat.selection._surface import Setting, Surface
from predfeat.selection._surrogates import KINDS, SurrogateKind, surrogates
from predfeat.selection._variance_left import variance_left
from predfeat.selection.diagnosis import Diagnosis, Finding, diagnose

__all__ = [
    "KINDS",
    "AutoFeatures",
    "Choice",
    "Diagnosis",
    "Finding",
    "Fold",
    "Setting",
    "Significance",
    "Surface",
    "SurrogateKind",
    "VarianceLeft",
    "choose",
    "choose_method",
    "diagnose",
    "predicted_shares",
    "purged_folds",
    "significance",
    "surrogates",
    "variance_left",
]
