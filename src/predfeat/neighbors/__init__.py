"""Similarity: the k nearest states of every state.

There is one contract (`nearest_neighbors` and its `NeighborTable`), several engines behind it, and
a registry to which others can be added (`Engine`, `register_engine`). All of predfeat's own engines
are exact, but for `InvertedLists`: they return the neighbours that float64 brute force returns.
Among tied states, the ones that come next on a circle are taken (`_crowds`), so that no row is
everyone's neighbour.
"""

from predfeat.neighbors._centers import (
    CENTER_CONSTRAINTS,
    choose_centers,
    count_centers,
    draw_positions,
)
from predfeat.neighbors._conditioned import search_beside_values, search_within_classes
from predfeat.neighbors._engine import Engine
from predfeat.neighbors._exclusion import Exclusion, fewest_candidates
from predfeat.neighbors._given import check_neighbors, is_neighbors
from predfeat.neighbors._inverted_lists import InvertedLists
from predfeat.neighbors._metric import Metric, search_by_metric
from predfeat.neighbors._nearest_neighbors import SEARCH_CONSTRAINTS, nearest_neighbors
from predfeat.neighbors._parts import Asked, Nearest, nearest_in_part
from predfeat.neighbors._question import Question
from predfeat.neighbors._ranking import rank_candidates
from predfeat.neighbors._recall import recall
from predfeat.neighbors._registry import (
    ENGINES,
    choose_engine,
    engines,
    is_exact,
    register_engine,
    unregister_engine,
)
from predfeat.neighbors._search import search
from predfeat.neighbors._table import NeighborTable

__all__ = [
    "CENTER_CONSTRAINTS",
    "ENGINES",
    "SEARCH_CONSTRAINTS",
    "Asked",
    "Engine",
    "Exclusion",
    "InvertedLists",
    "Metric",
    "Nearest",
    "NeighborTable",
    "Question",
    "check_neighbors",
    "choose_centers",
    "choose_engine",
    "count_centers",
    "draw_positions",
    "engines",
    "fewest_candidates",
    "is_exact",
    "is_neighbors",
    "nearest_in_part",
    "nearest_neighbors",
    "rank_candidates",
    "recall",
    "register_engine",
    "search",
    "search_beside_values",
    "search_by_metric",
    "search_within_classes",
    "unregister_engine",
]
