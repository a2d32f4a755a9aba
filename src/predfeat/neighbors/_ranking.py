"""The final ranking of candidates: exact distances, nearest first, ties in the order of places.

Every engine may be quick and approximate in finding candidates, as long as it misses no true
neighbour. The result is decided here, from differences in float64, so that all engines, block
sizes and thread counts return the same bits.
"""

from __future__ import annotations

import numpy as np

from predfeat._typing import FloatArray, IntArray
from predfeat.neighbors._crowds import steps_ahead
from predfeat.neighbors._question import Question
from predfeat.series import States

__all__ = [
    "embed_oldest_first",
    "nearest_of_candidates",
    "rank_candidates",
    "squared_distances",
    "sum_of_squares",
]

_NUMBERS_AT_ONCE = 1 << 19
_LANES = 8


def embed_oldest_first(states: States, positions: IntArray) -> FloatArray:
    """Return some states as rows of N·p numbers, in the order in which `sum_of_squares` adds."""
    samples, n_columns = states.series.rows.reshape(-1), states.series.n_columns
    first = (states.times[positions] - states.n_lags + 1) * n_columns
    embedded: FloatArray = samples[first[:, None] + np.arange(states.dimension)]
    return embedded


def squared_distances(
    queries: States, library: States, asking: IntArray, answering: IntArray
) -> FloatArray:
    """Return the squared distances of the pairs (asking[i], answering[i]) of positions.

    They are summed as in `sum_of_squares`. The compiled engine does the same, so all return the
    same bits.
    """
    squared = np.empty(len(asking))
    step = max(1, _NUMBERS_AT_ONCE // library.dimension)
    for start in range(0, len(asking), step):
        part = slice(start, min(start + step, len(asking)))
        difference = embed_oldest_first(queries, asking[part])
        difference -= embed_oldest_first(library, answering[part])
        squared[part] = sum_of_squares(difference)
    return squared


def sum_of_squares(differences: FloatArray) -> FloatArray:
    """Return the squared length of each row, summed in the one order that all engines use.

    Number n of a row, oldest sample first, is added to lane n mod 8, and the lanes are added up
    in pairs.
    """
    n_rows, length = differences.shape
    n_full = length // _LANES * _LANES
    squares = np.multiply(differences, differences)
    lanes = np.zeros((_LANES, n_rows))
    if n_full:
        lanes += squares[:, :n_full].reshape(n_rows, -1, _LANES).sum(axis=1).T
    lanes[: length - n_full] += squares[:, n_full:].T
    t0, t1, t2, t3, t4, t5, t6, t7 = lanes
    total: FloatArray = ((t0 + t1) + (t2 + t3)) + ((t4 + t5) + (t6 + t7))
    return total


def rank_candidates(
    question: Question, owner: IntArray, candidates: IntArray
) -> tuple[IntArray, FloatArray]:
    """Return the nearest of the candidates that an engine has found for each query.

    An engine need only find candidates, by whatever means. Here excluded ones are left out,
    distances are computed from differences in float64, and ties are broken in the order of the
    circle. If no true neighbour is missing among the candidates, the result is exact.

    Parameters
    ----------
    question : Question
    owner, candidates : ndarray of int, shape (n_pairs,)
        Pair i says that position candidates[i] of the library is a candidate of query owner[i].
        No pair occurs twice.

    Returns
    -------
    positions : ndarray of int, shape (n_queries, n_neighbors)
        Positions in the library, nearest first.
    squared : ndarray of float, shape (n_queries, n_neighbors)
        Squared distances.

    Examples
    --------
    See `Engine`.
    """
    excluded = question.excluded
    allowed = (candidates < excluded.first[owner]) | (candidates >= excluded.stop[owner])
    owner, candidates = owner[allowed], candidates[allowed]
    counts = np.bincount(owner, minlength=len(question.queries))
    if counts.min() < question.n_neighbors:
        few = int(np.argmin(counts))
        raise ValueError(
            f"n_neighbors={question.n_neighbors} are needed, but query {few} has {counts[few]} "
            "candidates that are not excluded. The engine must find more."
        )
    return nearest_of_candidates(question, owner, candidates)


def nearest_of_candidates(
    question: Question, owner: IntArray, candidates: IntArray
) -> tuple[IntArray, FloatArray]:
    """Do what `rank_candidates` does, for candidates known to be allowed and sufficient."""
    squared = squared_distances(question.queries, question.library, owner, candidates)
    order = np.lexsort((squared, owner))
    if _has_ties(squared[order], owner[order]):
        steps = steps_ahead(question.query_places[owner], question.library_places[candidates])
        order = np.lexsort((candidates, steps, squared, owner))
    first = np.searchsorted(owner[order], np.arange(len(question.queries)), side="left")
    best = order[first[:, None] + np.arange(question.n_neighbors)]
    return candidates[best], squared[best]


def _has_ties(squared: FloatArray, owner: IntArray) -> bool:
    return bool(np.any((squared[1:] == squared[:-1]) & (owner[1:] == owner[:-1])))
