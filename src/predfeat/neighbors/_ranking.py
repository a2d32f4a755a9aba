"""The last word on candidates: exact distances, nearest first, ties in the order of places.

Every engine may be quick and approximate in finding candidates, as long as no true neighbour is
missing among them. What is returned is decided here, from differences in float64, so that all
engines, block sizes and thread counts return the same bits.
"""

from __future__ import annotations

import numpy as np

from predfeat._typing import FloatArray, IntArray
from predfeat.neighbors._crowds import steps_ahead
from predfeat.series import States

__all__ = ["squared_distances", "sum_of_squares", "nearest_of_candidates"]

_NUMBERS_AT_ONCE = 1 << 19
_LANES = 8


def squared_distances(states: States, left: IntArray, right: IntArray) -> FloatArray:
    """Return the squared distances of the pairs (left[i], right[i]) of state positions.

    The sum is that of `sum_of_squares`, to which the compiled engine keeps, too: all return the
    same bits.
    """
    samples, n_columns = states.series.rows.reshape(-1), states.series.n_columns
    length = states.dimension
    inside = np.arange(length)
    first = (states.times - states.n_lags + 1) * n_columns
    squared = np.empty(len(left))
    step = max(1, _NUMBERS_AT_ONCE // length)
    for start in range(0, len(left), step):
        part = slice(start, min(start + step, len(left)))
        difference = samples[first[left[part], None] + inside]
        difference -= samples[first[right[part], None] + inside]
        squared[part] = sum_of_squares(difference)
    return squared


def sum_of_squares(differences: FloatArray) -> FloatArray:
    """Return the squared length of each row, summed in the one order that all engines keep to.

    Number n of a row, oldest sample first, is added up in lane n mod 8, and the lanes are added
    up in pairs.
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


def nearest_of_candidates(
    states: States,
    queries: IntArray,
    owner: IntArray,
    candidates: IntArray,
    n_neighbors: int,
    places: IntArray,
) -> tuple[IntArray, FloatArray]:
    """Return each query's nearest candidates.

    Parameters
    ----------
    states : States
    queries : ndarray of int, shape (n_queries,)
        Positions of the states asked about.
    owner, candidates : ndarray of int, shape (n_pairs,)
        Pair i says that position candidates[i] is a candidate of queries[owner[i]]. Every query
        has at least n_neighbors candidates.
    n_neighbors : int
    places : ndarray of int, shape (n_states,)
        On the circle, by which ties are broken; see `Crowds`.

    Returns
    -------
    positions : ndarray of int, shape (n_queries, n_neighbors)
    squared : ndarray of float, shape (n_queries, n_neighbors)
    """
    squared = squared_distances(states, queries[owner], candidates)
    order = np.lexsort((squared, owner))
    if _has_ties(squared[order], owner[order]):
        steps = steps_ahead(places, queries[owner], candidates)
        order = np.lexsort((candidates, steps, squared, owner))
    first = np.searchsorted(owner[order], np.arange(len(queries)), side="left")
    best = order[first[:, None] + np.arange(n_neighbors)]
    return candidates[best], squared[best]


def _has_ties(squared: FloatArray, owner: IntArray) -> bool:
    return bool(np.any((squared[1:] == squared[:-1]) & (owner[1:] == owner[:-1])))
