"""Neighbourhoods that count the less the more they spread: loud moments do not decide."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from predfeat._typing import FloatArray
from predfeat.graph._neighborhoods import Neighborhoods
from predfeat.graph._sums import add_member_sums

__all__ = ["calmed"]

# Neighbourhoods at once: the memory for their sums does not grow with S.
_BLOCK = 1 << 12

# The least squared spread that counts, as a share of the mean one: a neighbourhood whose nodes
# coincide would count infinitely.
_LEAST = 1e-3


def calmed(
    neighborhoods: Iterable[Neighborhoods], rows: FloatArray, graph: str
) -> list[Neighborhoods]:
    """Weight every neighbourhood by the inverse of its spread.

    The spread is the root of the mean squared distance along its edges. With such weights the
    sum of squared distances is that of the distances themselves: minimising it again and again
    minimises the mean spread, instead of the mean squared one that a few wide neighbourhoods
    decide.

    Parameters
    ----------
    neighborhoods : iterable of Neighborhoods
    rows : ndarray of shape (n_rows, n_columns)
        Where the spread is measured.
    graph : {"full", "star"}

    Returns
    -------
    list of Neighborhoods
        With weights of mean 1; one without members has weight 0, there is nothing to connect.

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat import nearest_neighbors
    >>> from predfeat.graph import calmed, find_neighborhoods
    >>> from predfeat.series import check_sequences
    >>> X = np.array([[0.0], [5.0], [0.5], [9.0], [4.0], [3.0]])
    >>> table = nearest_neighbors(X, n_neighbors=1)
    >>> future, _ = find_neighborhoods(table, check_sequences(X), n_lags=1)
    >>> successors = future.members.indices  # of each state's neighbour
    >>> np.abs(X[future.centers, 0] - X[successors, 0]).tolist()
    [4.0, 2.5, 4.0, 3.5, 2.5]
    >>> calmed([future], X, "star")[0].weights.round(2).tolist()
    [0.79, 1.26, 0.79, 0.9, 1.26]
    """
    rows = np.ascontiguousarray(rows)
    return [replace(term, weights=_inverse_spread(term, rows, graph)) for term in neighborhoods]


def _inverse_spread(term: Neighborhoods, rows: FloatArray, graph: str) -> FloatArray:
    squares = _squared_spread(term, rows, graph)
    connects = np.diff(term.members.indptr) > 0
    if not squares[connects].any():
        return np.where(connects, 1.0, 0.0)  # all nodes coincide: nothing to tell apart
    weights: FloatArray = np.zeros(len(squares))
    floor = _LEAST * squares[connects].mean()
    weights[connects] = 1.0 / np.sqrt(np.maximum(squares[connects], floor))
    weights /= weights.mean()
    return weights


def _squared_spread(term: Neighborhoods, rows: FloatArray, graph: str) -> FloatArray:
    """Return the mean squared distance of the nodes, from each other or from their centre."""
    n_members = np.diff(term.members.indptr).astype(np.float64)
    lengths = np.einsum("ij,ij->i", rows, rows)
    sums_of_squares = term.members @ lengths
    squares: FloatArray = np.empty(len(n_members))
    for start in range(0, len(n_members), _BLOCK):
        part = slice(start, min(start + _BLOCK, len(n_members)))
        centers, count = term.centers[part], np.maximum(n_members[part], 1.0)
        sums = np.zeros((len(centers), rows.shape[1]))
        add_member_sums(term.members, start, part.stop, rows, sums)
        if graph == "full":
            sums += rows[centers]
            mean = (sums_of_squares[part] + lengths[centers]) / (count + 1)
            squares[part] = 2 * (mean - np.einsum("ij,ij->i", sums, sums) / (count + 1) ** 2)
        else:
            along = np.einsum("ij,ij->i", sums, rows[centers])
            squares[part] = (sums_of_squares[part] - 2 * along) / count + lengths[centers]
    return np.maximum(squares, 0.0)
