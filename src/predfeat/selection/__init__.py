"""Which parameters, how many features are real, and why did it go wrong.

============== ==================================================================
choose         p, k and M by purged blocked cross-validation
diagnosis      findings about a fitted model, each with what to change
============== ==================================================================
"""

from predfeat.selection._choose import Choice, choose, choose_method
from predfeat.selection._folds import Fold, purged_folds
from predfeat.selection._held_out import predicted_shares
from predfeat.selection._surface import Setting, Surface
from predfeat.selection.diagnosis import Diagnosis, Finding, diagnose

__all__ = [
    "Choice",
    "Diagnosis",
    "Finding",
    "Fold",
    "Setting",
    "Surface",
    "choose",
    "choose_method",
    "diagnose",
    "predicted_shares",
    "purged_folds",
]
