"""Which samples to pull together: neighbourhoods become a graph on the samples.

Edge terms (`Future`, `Past`, relative ones such as `SameLabel`, or one of your own) say which
samples belong together; `connect` collects their answers, and `combined` weighs them. The graph
itself (S × S) is never built for a fit. The embedding needs only the projected Laplacian Zᵀ L Z and
the projected degrees Zᵀ D Z, which follow from sums over neighbourhoods and over terms.
"""

from predfeat.graph._combined import combined, is_fixed, projected_once, relative_distances
from predfeat.graph._explicit import ExplicitGraph, explicit_graph
from predfeat.graph._inverse_spread import weigh_by_inverse_spread
from predfeat.graph._neighborhoods import GRAPHS, Neighborhoods
from predfeat.graph._projected import ProjectedLaplacian, projected_laplacian
from predfeat.graph._relative_terms import (
    Adjacent,
    Different,
    Local,
    RelativeTerm,
    SameLabel,
    SimilarValue,
)
from predfeat.graph._terms import (
    EdgeTerm,
    Future,
    GraphContext,
    Past,
    connect,
    neighborhoods_of,
    shifted_neighborhoods,
)

__all__ = [
    "GRAPHS",
    "Adjacent",
    "Different",
    "EdgeTerm",
    "ExplicitGraph",
    "Future",
    "GraphContext",
    "Local",
    "Neighborhoods",
    "Past",
    "ProjectedLaplacian",
    "RelativeTerm",
    "SameLabel",
    "SimilarValue",
    "combined",
    "connect",
    "explicit_graph",
    "is_fixed",
    "neighborhoods_of",
    "projected_laplacian",
    "projected_once",
    "relative_distances",
    "shifted_neighborhoods",
    "weigh_by_inverse_spread",
]
