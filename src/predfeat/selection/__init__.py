"""Which parameters, which start, and is it real: choosing and testing.

============== ==================================================================
folds          purged blocked cross-validation
held out       how much of new data the past of old data predicts
surface        scores over p, k and M, and the simplest setting as good as any
============== ==================================================================
"""

from predfeat.selection._choose import Choice, choose, choose_method
from predfeat.selection._folds import Fold, purged_folds
from predfeat.selection._held_out import predicted_shares
from predfeat.selection._surface import Setting, Surface

__all__ = [
    "Choice",
    "Fold",
    "Setting",
    "Surface",
    "choose",
    "choose_method",
    "predicted_shares",
    "purged_folds",
]
