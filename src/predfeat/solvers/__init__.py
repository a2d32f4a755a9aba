"""The eigenproblem (dense, or of a sparse table), one sign rule, and descent over spaces."""

from predfeat.solvers._correspondence import Correspondence, correspondence_analysis
from predfeat.solvers._eigen import Eigenpairs, smallest_eigenpairs
from predfeat.solvers._signs import fix_signs
from predfeat.solvers._spaces import SpaceMinimum, minimize_over_spaces

__all__ = [
    "Correspondence",
    "Eigenpairs",
    "SpaceMinimum",
    "correspondence_analysis",
    "fix_signs",
    "minimize_over_spaces",
    "smallest_eigenpairs",
]
