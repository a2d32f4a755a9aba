"""Stage 4, which samples to pull together: neighbourhoods become a graph on the samples.

The graph itself (S × S) is never built for a fit. What the embedding needs of it, the projected
Laplacian Zᵀ L Z and the projected degrees Zᵀ D Z, follows from sums over neighbourhoods.
"""

from predfeat.graph._calm import calmed
from predfeat.graph._explicit import ExplicitGraph, explicit_graph
from predfeat.graph._neighborhoods import (
    Neighborhoods,
    find_neighborhoods,
    future_neighborhoods,
    past_neighborhoods,
)
from predfeat.graph._projected import GRAPHS, ProjectedLaplacian, projected_laplacian

__all__ = [
    "GRAPHS",
    "ExplicitGraph",
    "Neighborhoods",
    "ProjectedLaplacian",
    "calmed",
    "explicit_graph",
    "find_neighborhoods",
    "future_neighborhoods",
    "past_neighborhoods",
    "projected_laplacian",
]
