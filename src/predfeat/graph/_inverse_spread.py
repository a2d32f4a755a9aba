"""Weights that keep a few wide neighbourhoods from dominating the result."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from predfeat._typing import FloatArray
from predfeat.graph._neighborhoods import Neighborhoods, check_rows
from predfeat.graph._sums import add_member_sums

__all__ = ["weigh_by_inverse_spread"]

# The memory for the sums of one block does not grow with S.
_NEIGHBORHOODS_AT_ONCE = 1 << 12

# Smaller squared spreads are raised to this share of the mean one: a neighbourhood whose nodes
# coincide would otherwise have infinite weight.
_SMALLEST_SQUARED_SPREAD = 1e-3


def weigh_by_inverse_spread(
    neighborhoods: Iterable[Neighborhoods], rows: FloatArray
) -> list[Neighborhoods]:
    """Weight every neighbourhood by the inverse of its spread.

    The spread is the root of the mean squared distance along its edges. With such weights, squared
    distances count like the distances themselves: iterated minimisation of their sum minimises the
    mean spread, instead of the mean squared spread, which a few wide neighbourhoods dominate.

    Parameters
    ----------
    neighborhoods : iterable of Neighborhoods
    rows : ndarray of shape (n_rows, n_columns)
        The samples on which the spread is measured.

    Returns
    -------
    list of Neighborhoods
        Their weights are the given ones times a factor. In each term the factors have mean 1; a
        neighbourhood without members has factor 0, because it connects nothing.

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat import nearest_neighbors
    >>> from predfeat.graph import shifted_neighborhoods, weigh_by_inverse_spread
    >>> from predfeat.series import check_sequences
    >>> X = np.array([[0.0], [5.0], [0.5], [9.0], [4.0], [3.0]])
    >>> table = nearest_neighbors(X, n_neighbors=1)
    >>> future = shifted_neighborhoods(table, check_sequences(X), 1)
    >>> successors = future.members.indices  # of each state's neighbour
    >>> np.abs(X[future.centers, 0] - X[successors, 0]).tolist()
    [4.0, 2.5, 4.0, 3.5, 2.5]
    >>> weigh_by_inverse_spread([future], X)[0].weights.round(2).tolist()
    [0.79, 1.26, 0.79, 0.9, 1.26]
    """
    terms = list(neighborhoods)
    rows = check_rows(terms, rows)
    return [replace(term, weights=_weighed(term, _factors(term, rows))) for term in terms]


def _weighed(term: Neighborhoods, factors: FloatArray) -> FloatArray:
    return factors if term.weights is None else term.weights * factors


def _factors(term: Neighborhoods, rows: FloatArray) -> FloatArray:
    squares = _squared_spread(term, rows)
    connects = term.member_totals > 0
    if not squares[connects].any():
        return np.where(connects, 1.0, 0.0)  # all nodes coincide: the factors are equal
    factors: FloatArray = np.zeros(len(squares))
    floor = _SMALLEST_SQUARED_SPREAD * squares[connects].mean()
    factors[connects] = 1.0 / np.sqrt(np.maximum(squares[connects], floor))
    factors /= factors.mean()
    return factors


def _squared_spread(term: Neighborhoods, rows: FloatArray) -> FloatArray:
    """Return the mean squared distance of the nodes, from each other or from their centre.

    Edges are weighted.
    """
    totals = term.member_totals
    totals[totals == 0.0] = 1.0  # no members, no spread: the sums are zero
    lengths = np.einsum("ij,ij->i", rows, rows)
    sums_of_squares = term.members @ lengths
    squares: FloatArray = np.empty(len(totals))
    for start in range(0, len(totals), _NEIGHBORHOODS_AT_ONCE):
        part = slice(start, min(start + _NEIGHBORHOODS_AT_ONCE, len(totals)))
        centers, total = term.centers[part], totals[part]
        sums = np.zeros((len(centers), rows.shape[1]))
        add_member_sums(term, start, part.stop, rows, sums)
        if term.graph == "full":
            sums += rows[centers]
            mean = (sums_of_squares[part] + lengths[centers]) / (total + 1)
            squares[part] = 2 * (mean - np.einsum("ij,ij->i", sums, sums) / (total + 1) ** 2)
        else:
            along = np.einsum("ij,ij->i", sums, rows[centers])
            squares[part] = (sums_of_squares[part] - 2 * along) / total + lengths[centers]
    return np.maximum(squares, 0.0)
