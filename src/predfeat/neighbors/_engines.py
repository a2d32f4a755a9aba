"""Which engine searches, and the one door through which all of them are called."""

from __future__ import annotations

import numpy as np

from predfeat._jit import is_available
from predfeat._typing import IntArray
from predfeat.neighbors._blockwise import search_blockwise
from predfeat.neighbors._exclusion import find_exclusion
from predfeat.neighbors._table import NeighborTable
from predfeat.neighbors._threads import count_threads
from predfeat.neighbors._tiles import search_tiles
from predfeat.neighbors._tree import search_tree
from predfeat.series import States

__all__ = ["METHODS", "choose_method", "search"]

METHODS = ("auto", "tree", "tiles", "blockwise")

# A KD-tree looks at few states while the dimension is low, and at nearly all of them beyond. Its
# time grows with S, the tiles' with S²: it pays from about 5000 · 2^(N·p / 2) states on.
_TREE_DIMENSION, _TREE_STATES = 8, 5000

# Below, a search takes less time than loading the compiler.
_COMPILED_STATES = 2500

_LARGEST_EXPONENT = 480


def choose_method(states: States) -> str:
    """Return the engine that `method="auto"` takes.

    ==========  ===============================================================================
    tree        N·p up to 8, and at least 5000 · 2^(N·p / 2) states, fewer than 2500, or no numba
    tiles       otherwise, from 2500 states on, where numba is installed
    blockwise   otherwise
    ==========  ===============================================================================

    `benchmarks/engines.py` measures all three over a grid.
    """
    n_states, dimension = len(states), states.dimension
    compiled = n_states >= _COMPILED_STATES and is_available()
    if dimension <= _TREE_DIMENSION and (
        not compiled or n_states >= _TREE_STATES * 2.0 ** (dimension / 2)
    ):
        return "tree"
    return "tiles" if compiled else "blockwise"


def search(
    states: States,
    n_neighbors: int,
    *,
    theiler: int = 0,
    method: str = "auto",
    n_jobs: int | None = None,
    guess: IntArray | None = None,
) -> NeighborTable:
    """Find the nearest states of every state; see `nearest_neighbors` for the meaning.

    `guess`, the indices of a table of the same states with the same `theiler`, such as that of
    the iteration before, may make the search quicker and never changes its result.
    """
    if method == "tiles" and not is_available():
        raise ImportError(
            'method="tiles" needs numba: pip install numba, or take "auto", "tree" or "blockwise", '
            "which find the same neighbours."
        )
    exclusion = find_exclusion(states, n_neighbors, theiler)
    scaled, exponent = _well_scaled(states)
    engine = choose_method(states) if method == "auto" else method
    n_threads = count_threads(n_jobs)
    if engine == "tiles":
        positions, squared = search_tiles(scaled, n_neighbors, exclusion, n_threads, guess)
    else:
        searcher = search_tree if engine == "tree" else search_blockwise
        positions, squared = searcher(scaled, n_neighbors, exclusion, n_threads)
    # In place: for many states these are the largest arrays of a whole fit.
    distances = np.ldexp(np.sqrt(squared, out=squared), -exponent, out=squared)
    return NeighborTable(states.times, states.times[positions], distances)


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
