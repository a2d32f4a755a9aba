"""Which engine searches, and the one door through which all of them are called."""

from __future__ import annotations

from functools import partial
from time import perf_counter

import numpy as np

from predfeat._jit import is_available, is_loaded, loading_seconds
from predfeat._threads import count_threads
from predfeat._typing import FloatArray, IntArray
from predfeat.neighbors._blockwise import search_blockwise
from predfeat.neighbors._crowded import search_crowded
from predfeat.neighbors._crowds import find_crowds
from predfeat.neighbors._dimension import intrinsic_dimension
from predfeat.neighbors._exclusion import Exclusion, find_exclusion
from predfeat.neighbors._table import NeighborTable
from predfeat.neighbors._tiles import search_tiles
from predfeat.neighbors._tree import search_tree
from predfeat.series import States

__all__ = ["METHODS", "choose_method", "search"]

METHODS = ("auto", "tree", "tiles", "blockwise")

# Below, a search takes less time than loading the compiled code. Many of them do not: once they
# took as long, it is loaded for the next one.
_COMPILED_STATES = 2500
_seconds_without = 0.0

_LARGEST_EXPONENT = 480


def choose_method(states: States) -> str:
    """Return the engine that `method="auto"` takes.

    The one with the least expected time for each of the S states, in microseconds:

    ==========  =======================================================================
    tiles       (4 + 0.0006 S) (1 + N / 100), where numba is installed and S ≥ 2500 or
                the compiled code is already in memory, or was missed for long enough
    blockwise   15 + 0.007 S
    tree        (2 + 1.5 N p) 2^(0.9 (d - 4)), where d, at most N p, is the dimension
                that the states fill (`intrinsic_dimension`) and the power lies
                between 1 and S / 1000
    ==========  =======================================================================

    The figures were read off `benchmarks/speed/engines.py`, which measures all three over a grid.
    The choice never changes the result.
    """
    n_states, dimension = len(states), states.dimension
    if is_available() and (
        is_loaded() or n_states >= _COMPILED_STATES or _seconds_without > loading_seconds()
    ):
        otherwise = "tiles"
        microseconds = (4.0 + 0.0006 * n_states) * (1.0 + states.series.n_columns / 100)
    else:
        otherwise, microseconds = "blockwise", 15.0 + 0.007 * n_states
    if _tree_microseconds(n_states, dimension, 0.0) > microseconds:  # not even on a line
        return otherwise
    if _tree_microseconds(n_states, dimension, dimension) <= microseconds:
        return "tree"
    filled = intrinsic_dimension(states)
    return "tree" if _tree_microseconds(n_states, dimension, filled) <= microseconds else otherwise


def _tree_microseconds(n_states: int, n_coordinates: int, dimension: float) -> float:
    leaves = min(2.0 ** (0.9 * (dimension - 4.0)), n_states / 1000)
    return float((2.0 + 1.5 * n_coordinates) * max(1.0, leaves))


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
    crowds = find_crowds(scaled)
    n_threads = count_threads(n_jobs)
    if crowds.are_larger_than(n_neighbors):
        engine = partial(_search_with, method, n_threads)
        positions, squared = search_crowded(
            scaled, crowds, n_neighbors, exclusion, n_threads, engine
        )
    else:
        positions, squared = _search_with(
            method, n_threads, scaled, n_neighbors, exclusion, crowds.places, guess
        )
    # In place: for many states these are the largest arrays of a whole fit.
    distances = np.ldexp(np.sqrt(squared, out=squared), -exponent, out=squared)
    return NeighborTable(states.times, states.times[positions], distances)


def _search_with(
    method: str,
    n_threads: int,
    states: States,
    n_neighbors: int,
    exclusion: Exclusion,
    places: IntArray,
    guess: IntArray | None = None,
) -> tuple[IntArray, FloatArray]:
    global _seconds_without
    engine = choose_method(states) if method == "auto" else method
    if engine == "tiles":
        return search_tiles(states, n_neighbors, exclusion, n_threads, places, guess)
    if engine == "tree":
        return search_tree(states, n_neighbors, exclusion, n_threads, places)
    started = perf_counter()
    found = search_blockwise(states, n_neighbors, exclusion, n_threads, places)
    _seconds_without += perf_counter() - started
    return found


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
