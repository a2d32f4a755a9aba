"""The exact engine for low-dimensional states: SciPy's KD-tree."""

from __future__ import annotations

from time import perf_counter

import numpy as np
from scipy.spatial import KDTree

from predfeat._progress import ticker
from predfeat._threads import map_blocks
from predfeat._typing import BoolArray, FloatArray, IntArray
from predfeat.neighbors._blockwise import search_blockwise
from predfeat.neighbors._crowds import steps_ahead
from predfeat.neighbors._exclusion import Exclusion
from predfeat.neighbors._ranking import sum_of_squares
from predfeat.series import States

__all__ = ["search_tree"]

# Asked for beyond k + 1, so that ties at the border are usually seen whole: at first, and where
# that was not enough.
_SPARE, _MORE_SPARE = 4, 32
_WINDOW_AT_MOST = 32  # a wider Theiler window is asked for row by row
_PAIRS_AT_ONCE = 1 << 17  # by all threads together
# What a query costs differs a thousandfold between data: the first rows tell. Blocks of about so
# many seconds are long beside what a block costs, and short for who interrupts them.
_FIRST_ROWS, _BLOCK_SECONDS = 64, 0.1
_TIE = 1e-9  # the tree sums in another order; closer than this counts as a tie to look into


def search_tree(
    states: States, n_neighbors: int, exclusion: Exclusion, n_jobs: int, places: IntArray
) -> tuple[IntArray, FloatArray]:
    """Return positions and squared distances of the nearest states of each state.

    The tree neither knows the excluded window nor the order of ties. So it is asked for a few
    more; where the answer might have missed a neighbour (a tie at its border, a crowded window),
    for some more again, and at last that state is searched blockwise.
    """
    n_states = len(states)
    samples = states.series.rows.reshape(-1)
    oldest = (states.times - states.n_lags + 1) * states.series.n_columns
    embedded = samples[oldest[:, None] + np.arange(states.dimension)]
    widest = int((exclusion.stop - exclusion.first).max())
    positions = np.empty((n_states, n_neighbors), dtype=np.intp)
    squared = np.empty((n_states, n_neighbors))

    tree = KDTree(embedded, balanced_tree=False, compact_nodes=False)

    def ask_tree(queries: IntArray, spare: int) -> IntArray:
        """Fill in what the tree knows; return the queries it cannot decide."""
        n_asked = min(n_neighbors + min(widest, _WINDOW_AT_MOST) + spare, n_states)

        def ask(some: IntArray) -> IntArray:
            # SciPy's own threads (`workers`) would outlive an interrupt, and crash the process.
            distances, found = tree.query(embedded[some], k=n_asked)
            first, stop = exclusion.first[some, None], exclusion.stop[some, None]
            allowed = (found < first) | (found >= stop)
            sure = _is_complete(distances, allowed, n_neighbors, n_asked == n_states)
            if sure.any():
                positions[some[sure]], squared[some[sure]] = _nearest_of_rows(
                    embedded, some[sure], found[sure], allowed[sure], n_neighbors, places
                )
            return some[~sure]

        def work(some: IntArray) -> IntArray:
            undecided = ask(some)
            tick()
            return undecided

        started = perf_counter()
        undecided = ask(queries[:_FIRST_ROWS])
        affordable = _FIRST_ROWS * _BLOCK_SECONDS / max(perf_counter() - started, 1e-9)
        n_rows = max(1, min(int(affordable), _PAIRS_AT_ONCE // (n_asked * n_jobs)))
        rest = queries[_FIRST_ROWS:]
        blocks = [rest[start : start + n_rows] for start in range(0, len(rest), n_rows)]
        tick = ticker(len(blocks))
        return np.concatenate([undecided, *map_blocks(work, blocks, n_jobs)])

    left = ask_tree(np.arange(n_states), _SPARE)
    if len(left):
        left = ask_tree(left, _MORE_SPARE)
    if len(left):
        positions[left], squared[left] = search_blockwise(
            states, n_neighbors, exclusion, n_jobs, places, queries=left
        )
    return positions, squared


def _nearest_of_rows(
    embedded: FloatArray,
    queries: IntArray,
    found: IntArray,
    allowed: BoolArray,
    n_neighbors: int,
    places: IntArray,
) -> tuple[IntArray, FloatArray]:
    """Return the nearest allowed ones of each row of candidates, ties in the order of places."""
    n_queries, n_asked = found.shape
    pairs = embedded[found.reshape(-1)].reshape(n_queries, n_asked, -1)
    pairs -= embedded[queries, None]
    squared = sum_of_squares(pairs.reshape(n_queries * n_asked, -1)).reshape(found.shape)
    squared[~allowed] = np.inf
    # The tree's order is nearly right: what is to be left out comes first, and ties are rare.
    first = np.argmax(allowed, axis=1)[:, None] + np.arange(n_neighbors)
    first = np.minimum(first, n_asked - 1)
    best, nearest = np.take_along_axis(found, first, 1), np.take_along_axis(squared, first, 1)
    in_order = np.all(nearest[:, 1:] > nearest[:, :-1], axis=1) & np.isfinite(nearest[:, -1])
    later = np.arange(n_asked) > first[:, -1:]
    in_order &= np.all(~later | (squared > nearest[:, -1:]), axis=1)
    unordered = np.flatnonzero(~in_order)
    if len(unordered):
        others = found[unordered]
        steps = steps_ahead(places, queries[unordered, None], others)
        ranked = np.lexsort((others, steps, squared[unordered]), axis=1)[:, :n_neighbors]
        best[unordered] = np.take_along_axis(others, ranked, axis=1)
        nearest[unordered] = np.take_along_axis(squared[unordered], ranked, axis=1)
    return best, nearest


def _is_complete(
    distances: FloatArray, allowed: BoolArray, n_neighbors: int, everything: bool
) -> BoolArray:
    """Tell for which rows no state outside the answer can belong to the k nearest."""
    counts = allowed.sum(axis=1)
    if everything:
        return np.asarray(counts >= n_neighbors)
    kth = np.argmax(np.cumsum(allowed, axis=1) >= n_neighbors, axis=1)
    kth_distance = distances[np.arange(len(distances)), kth]
    return np.asarray((counts >= n_neighbors) & (distances[:, -1] > kth_distance * (1.0 + _TIE)))
