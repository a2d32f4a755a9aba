"""Which engine searches, and the one door through which all of them are called."""

from __future__ import annotations

import numpy as np

from predfeat._typing import IntArray
from predfeat.neighbors._blockwise import search_blockwise
from predfeat.neighbors._exclusion import find_exclusion
from predfeat.neighbors._table import NeighborTable
from predfeat.neighbors._threads import count_threads
from predfeat.neighbors._tree import search_tree
from predfeat.series import States

__all__ = ["METHODS", "choose_method", "search"]

METHODS = ("auto", "tree", "blockwise")

# A KD-tree looks at few states while the dimension is low, and at nearly all of them beyond.
_TREE_DIMENSION = 8

_LARGEST_EXPONENT = 480


def choose_method(states: States) -> str:
    """Return the engine that `method="auto"` takes: the tree up to N·p = 8, blocks beyond."""
    return "tree" if states.dimension <= _TREE_DIMENSION else "blockwise"


def search(
    states: States,
    n_neighbors: int,
    *,
    theiler: int = 0,
    method: str = "auto",
    n_jobs: int | None = None,
) -> NeighborTable:
    """Find the nearest states of every state; see `nearest_neighbors` for the meaning."""
    exclusion = find_exclusion(states, n_neighbors, theiler)
    scaled, exponent = _well_scaled(states)
    engine = choose_method(states) if method == "auto" else method
    searcher = search_tree if engine == "tree" else search_blockwise
    positions, squared = searcher(scaled, n_neighbors, exclusion, count_threads(n_jobs))
    return NeighborTable(
        states.times, _as_rows(states, positions), np.ldexp(np.sqrt(squared), -exponent)
    )


def _as_rows(states: States, positions: IntArray) -> IntArray:
    rows: IntArray = states.times[positions]
    return rows


def _well_scaled(states: States) -> tuple[States, int]:
    """Return the states times 2^exponent, such that squares stay in the range of floats.

    A power of two changes no digit. The largest value becomes about 2^480: its square is far
    from overflow, and values down to 1e-298 of it still have squares that do not vanish.
    """
    series = states.series
    largest = float(np.abs(series.rows).max(initial=0.0))
    exponent = _LARGEST_EXPONENT - int(np.frexp(largest)[1])
    scaled = series.with_rows(np.ldexp(series.rows, exponent))
    return States(scaled, states.times, states.n_lags), exponent
