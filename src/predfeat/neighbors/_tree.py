"""The exact engine for low-dimensional states: SciPy's KD-tree."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from scipy.spatial import KDTree

from predfeat._progress import ticker
from predfeat._threads import map_blocks
from predfeat._typing import BoolArray, FloatArray, IntArray
from predfeat.neighbors._blockwise import search_blockwise
from predfeat.neighbors._crowds import steps_ahead
from predfeat.neighbors._dimension import intrinsic_dimension
from predfeat.neighbors._engine import Engine
from predfeat.neighbors._question import Question
from predfeat.neighbors._ranking import embed_oldest_first, sum_of_squares
from predfeat.series import States

__all__ = ["TREE", "search_tree"]

# States asked for beyond k + 1, so that ties at the border are usually seen completely: at first,
# and if that was not enough.
_SPARE, _MORE_SPARE = 4, 32
_MAX_WINDOW = 32  # a wider Theiler window is queried row by row
_PAIRS_AT_ONCE = 1 << 17  # by all threads together
# The cost of a query varies a thousandfold between datasets, so it is measured on the first rows.
# Blocks of about this many seconds are long compared with their overhead, and short enough to
# interrupt.
_FIRST_ROWS, _BLOCK_SECONDS = 64, 0.1
_TIE_TOLERANCE = 1e-9  # the tree sums in another order; closer than this may be a tie


class _Tree(Engine):
    """`search_tree`, quick where states fill few dimensions."""

    name = "tree"
    is_exact = True
    takes_library = True

    def expected_seconds(self, queries: States, library: States, at_most: float = np.inf) -> float:
        """Return (2 + 1.5 N p) 2^(0.9 (d - 4)) microseconds for each query.

        d, at most N p, is the dimension that the states fill (`intrinsic_dimension`), and the
        power lies between 1 and S / 1000. d is only estimated if it decides. Building the tree
        takes a tenth of that for each state.
        """
        n_asked = max(len(queries), len(library) / 10)
        if n_asked * _seconds_each(library, 0.0) > at_most:  # not even on a line
            return np.inf
        surely = n_asked * _seconds_each(library, library.dimension)
        if surely <= at_most < np.inf:
            return surely
        return n_asked * _seconds_each(library, intrinsic_dimension(library))

    def search(self, question: Question, n_threads: int) -> tuple[IntArray, FloatArray]:
        return search_tree(question, n_threads)


TREE = _Tree()


def _seconds_each(library: States, dimension: float) -> float:
    leaves = min(2.0 ** (0.9 * (dimension - 4.0)), len(library) / 1000)
    return 1e-6 * float((2.0 + 1.5 * library.dimension) * max(1.0, leaves))


def search_tree(question: Question, n_threads: int) -> tuple[IntArray, FloatArray]:
    """Return positions and squared distances of the nearest states of each query.

    The tree knows neither the excluded window nor the order of ties. So it is asked for a few more
    states. If the answer may have missed a neighbour (a tie at its border, a crowded window), it is
    asked for still more, and finally that query is searched blockwise.
    """
    n_queries, n_neighbors = len(question.queries), question.n_neighbors
    embedded = embed_oldest_first(question.library, np.arange(len(question.library)))
    asking = (
        embedded
        if question.is_within
        else embed_oldest_first(question.queries, np.arange(n_queries))
    )
    tree = KDTree(embedded, balanced_tree=False, compact_nodes=False)
    positions = np.empty((n_queries, n_neighbors), dtype=np.intp)
    squared = np.empty((n_queries, n_neighbors))
    asked = _Asked(question, tree, embedded, asking, positions, squared)
    left = asked.all(np.arange(n_queries), _SPARE, n_threads)
    if len(left):
        left = asked.all(left, _MORE_SPARE, n_threads)
    if len(left):
        positions[left], squared[left] = search_blockwise(question.only(left), n_threads)
    return positions, squared


@dataclass(frozen=True)
class _Asked:
    """A tree, and the results found so far; `positions` and `squared` are filled in."""

    question: Question
    tree: Any
    embedded: FloatArray  # the library, and
    asking: FloatArray  # the queries, each oldest sample first
    positions: IntArray
    squared: FloatArray

    def all(self, queries: IntArray, spare: int, n_threads: int) -> IntArray:
        """Fill in the tree's answers to these queries; return the queries it cannot decide."""
        window = min(self.question.excluded.widest, _MAX_WINDOW)
        n_asked = min(self.question.n_neighbors + window + spare, len(self.embedded))

        def work(some: IntArray) -> IntArray:
            undecided = self.some(some, n_asked)
            tick()
            return undecided

        started = perf_counter()
        undecided = self.some(queries[:_FIRST_ROWS], n_asked)
        affordable = _FIRST_ROWS * _BLOCK_SECONDS / max(perf_counter() - started, 1e-9)
        n_rows = max(1, min(int(affordable), _PAIRS_AT_ONCE // (n_asked * n_threads)))
        rest = queries[_FIRST_ROWS:]
        blocks = [rest[start : start + n_rows] for start in range(0, len(rest), n_rows)]
        tick = ticker(len(blocks))
        return np.concatenate([undecided, *map_blocks(work, blocks, n_threads)])

    def some(self, queries: IntArray, n_asked: int) -> IntArray:
        """Do the same for a block of queries."""
        excluded, n_neighbors = self.question.excluded, self.question.n_neighbors
        # SciPy's own threads (`workers`) would outlive an interrupt, and crash the process.
        answer = self.tree.query(self.asking[queries], k=n_asked)
        distances, found = (each.reshape(len(queries), n_asked) for each in answer)
        first, stop = excluded.first[queries, None], excluded.stop[queries, None]
        allowed = (found < first) | (found >= stop)
        sure = _is_complete(distances, allowed, n_neighbors, n_asked == len(self.embedded))
        decided = queries[sure]
        if len(decided):
            differences = self.embedded[found[sure]]
            differences -= self.asking[decided, None]
            self.positions[decided], self.squared[decided] = _nearest_of_rows(
                self.question.only(decided), differences, found[sure], allowed[sure]
            )
        return queries[~sure]


def _nearest_of_rows(
    question: Question, differences: FloatArray, found: IntArray, allowed: BoolArray
) -> tuple[IntArray, FloatArray]:
    """Return the nearest allowed candidates of each row, ties in the order of places."""
    n_queries, n_asked = found.shape
    n_neighbors = question.n_neighbors
    squared = sum_of_squares(differences.reshape(n_queries * n_asked, -1)).reshape(found.shape)
    squared[~allowed] = np.inf
    # The tree's order is nearly right: excluded states come first, and ties are rare.
    first = np.argmax(allowed, axis=1)[:, None] + np.arange(n_neighbors)
    first = np.minimum(first, n_asked - 1)
    best, nearest = np.take_along_axis(found, first, 1), np.take_along_axis(squared, first, 1)
    in_order = np.all(nearest[:, 1:] > nearest[:, :-1], axis=1) & np.isfinite(nearest[:, -1])
    later = np.arange(n_asked) > first[:, -1:]
    in_order &= np.all(~later | (squared > nearest[:, -1:]), axis=1)
    unordered = np.flatnonzero(~in_order)
    if len(unordered):
        others = found[unordered]
        steps = steps_ahead(question.query_places[unordered, None], question.library_places[others])
        ranked = np.lexsort((others, steps, squared[unordered]), axis=1)[:, :n_neighbors]
        best[unordered] = np.take_along_axis(others, ranked, axis=1)
        nearest[unordered] = np.take_along_axis(squared[unordered], ranked, axis=1)
    return best, nearest


def _is_complete(
    distances: FloatArray, allowed: BoolArray, n_neighbors: int, everything: bool
) -> BoolArray:
    """Return for each row whether no state outside the answer can be among the k nearest."""
    counts = allowed.sum(axis=1)
    if everything:
        return np.asarray(counts >= n_neighbors)
    kth = np.argmax(np.cumsum(allowed, axis=1) >= n_neighbors, axis=1)
    kth_distance = distances[np.arange(len(distances)), kth]
    return np.asarray(
        (counts >= n_neighbors) & (distances[:, -1] > kth_distance * (1.0 + _TIE_TOLERANCE))
    )
