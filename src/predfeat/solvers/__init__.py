"""The eigenproblem (dense, or of a sparse table or graph), one sign rule, descent over spaces."""

from predfeat.solvers._correspondence import Correspondence, correspondence_analysis
from predfeat.solvers._eigen import Eigenpairs, smallest_eigenpairs
from predfeat.solvers._nodes import NodeEmbedding, count_solutions, embed_nodes
from predfeat.solvers._signs import fix_signs
from predfeat.solvers._spaces import SpaceMinimum, minimize_over_spaces

__all__ = [
    "Correspondence",
    "Eigenpairs",
    "NodeEmbedding",
    "SpaceMinimum",
    "correspondence_analysis",
    "count_solutions",
    "embed_nodes",
    "fix_signs",
    "minimize_over_spaces",
    "smallest_eigenpairs",
]
