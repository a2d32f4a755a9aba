"""Stage 3, who is similar: the k nearest states of every state.

One contract (`nearest_neighbors` and its `NeighborTable`), several engines behind it. All are
exact: they return the neighbours that float64 brute force returns. Of tied states those are taken
that come next on a circle (`_crowds`), so that no row is everyone's neighbour.
"""

from predfeat.neighbors._engines import METHODS, choose_method, search
from predfeat.neighbors._public import nearest_neighbors
from predfeat.neighbors._table import NeighborTable

__all__ = ["METHODS", "NeighborTable", "choose_method", "nearest_neighbors", "search"]
