"""The projections of the graph that the embedding needs, without building the graph.

With C the rows of one neighbourhood's m nodes and s their sum, the full graph contributes
m·CᵀC - s·sᵀ to Zᵀ L Z and m·CᵀC to Zᵀ D Z. Summed over neighbourhoods that is
Zᵀ diag(d) Z - SᵀS, with d the degrees and S the matrix of sums. The star graph needs the same
sums. With weights, sums are weighted and m is the nodes' total weight. Both graphs go through the
samples block by block, and cost O(S·k·N + S·N²) operations and O(S·k + N²) memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from predfeat._typing import FloatArray, IntArray
from predfeat.graph._neighborhoods import Neighborhoods, check_rows
from predfeat.graph._sums import add_member_sums

__all__ = ["ProjectedLaplacian", "projected_laplacian"]

# Numbers in one block of samples: they stay in the cache, and the memory for sums does not grow
# with S.
_NUMBERS_AT_ONCE = 1 << 18


@dataclass(frozen=True)
class ProjectedLaplacian:
    """Zᵀ L Z and Zᵀ D Z of a graph on the rows of Z; such projections add up.

    Attributes
    ----------
    laplacian, degree : ndarray of shape (n_columns, n_columns)
    degree_sum : ndarray of shape (n_columns,)
        The sum of the rows, each times its degree: Zᵀ d.
    total_degree : float
        The sum of all degrees.
    """

    laplacian: FloatArray
    degree: FloatArray
    degree_sum: FloatArray
    total_degree: float

    def plus(self, other: ProjectedLaplacian, factor: float = 1.0) -> ProjectedLaplacian:
        """Return the projection of both graphs together, the other one's edges times a factor."""
        return ProjectedLaplacian(
            self.laplacian + factor * other.laplacian,
            self.degree + factor * other.degree,
            self.degree_sum + factor * other.degree_sum,
            self.total_degree + factor * other.total_degree,
        )

    def centred(self) -> ProjectedLaplacian:
        """Return it with the degrees' scatter around the mean of the connected rows."""
        if self.total_degree == 0.0:
            return self
        mean = self.degree_sum / self.total_degree
        around = self.degree - self.total_degree * np.outer(mean, mean)
        return replace(self, degree=around, degree_sum=np.zeros_like(mean))

    def within(self, basis: FloatArray) -> ProjectedLaplacian:
        """Return the projection of the same graph onto some directions of its columns."""
        return ProjectedLaplacian(
            basis.T @ self.laplacian @ basis,
            basis.T @ self.degree @ basis,
            basis.T @ self.degree_sum,
            self.total_degree,
        )


def projected_laplacian(
    neighborhoods: Iterable[Neighborhoods], rows: FloatArray
) -> ProjectedLaplacian:
    """Project the Laplacian and the degrees of a graph onto the columns of its samples.

    Parameters
    ----------
    neighborhoods : iterable of Neighborhoods
        The terms of the graph, of one kind or both; their edges add up.
    rows : ndarray of shape (n_rows, n_columns)
        The samples, Z. Gaps hold zeros.

    Returns
    -------
    ProjectedLaplacian

    Raises
    ------
    GraphError
        The terms belong to a series with another number of rows.

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat import nearest_neighbors
    >>> from predfeat.graph import (
    ...     Future, GraphContext, Past, connect, explicit_graph, projected_laplacian
    ... )
    >>> from predfeat.series import check_sequences
    >>> Z = np.random.default_rng(0).normal(size=(50, 3))
    >>> series, table = check_sequences(Z), nearest_neighbors(Z, n_neighbors=4)
    >>> context = GraphContext(white=series, space=series, neighbors=table, n_lags=1)
    >>> terms = connect([Future("star"), Past("full")], context)
    >>> projected = projected_laplacian(terms, Z)
    >>> L = explicit_graph(terms).laplacian
    >>> np.allclose(projected.laplacian, Z.T @ (L @ Z))
    True
    """
    terms = [_in_order(term) for term in neighborhoods]
    rows = check_rows(terms, rows)
    degrees = _degrees(terms, len(rows))
    full = [term for term in terms if term.graph == "full"]
    star = [term for term in terms if term.graph == "star"]
    n_columns = rows.shape[1]
    degree, one_way = np.zeros((n_columns, n_columns)), np.zeros((n_columns, n_columns))
    connected = np.zeros((n_columns, n_columns))
    height = _rows_at_once(n_columns)
    for start in range(0, len(rows), height):
        stop = min(start + height, len(rows))
        if full:
            connected += _full(full, rows, start, stop)
        if star:
            one_way += _star(star, rows, start, stop)
        # A matrix times its own transpose costs half of a general product.
        scaled = rows[start:stop] * np.sqrt(degrees[start:stop])[:, None]
        degree += scaled.T @ scaled
    connected += one_way + one_way.T
    return ProjectedLaplacian(degree - connected, degree, degrees @ rows, float(degrees.sum()))


def _rows_at_once(n_columns: int) -> int:
    """Return how many samples one block has.

    At least as many as columns: a block then takes no more memory than the matrices that its
    products are added to, and adding takes little time against the products.
    """
    return max(_NUMBERS_AT_ONCE // max(n_columns, 1), n_columns, 1)


def _in_order(term: Neighborhoods) -> Neighborhoods:
    """Return the neighbourhoods in the order of their centres."""
    if np.all(np.diff(term.centers) >= 0):
        return term
    order = np.argsort(term.centers, kind="stable")
    weights = None if term.weights is None else term.weights[order]
    return replace(term, centers=term.centers[order], members=term.members[order], weights=weights)


def _degrees(terms: Sequence[Neighborhoods], n_rows: int) -> FloatArray:
    degrees = np.zeros(n_rows)
    for term in terms:
        # A node's own weight is multiplied by this: by the weight of the members or, in a full
        # graph, of all nodes.
        of_centers = term.member_totals
        if term.graph == "full":
            of_centers += 1.0
        if term.weights is not None:
            of_centers *= term.weights
        if term.graph == "full":
            degrees += term.members.T @ of_centers
        elif term.weights is not None:
            degrees += term.members.T @ term.weights
        else:
            edge_weights = None if term.has_unit_members else term.members.data
            degrees += np.bincount(term.members.indices, edge_weights, minlength=n_rows)
        degrees += np.bincount(term.centers, of_centers, minlength=n_rows)
    return degrees


def _rounds(
    terms: Sequence[Neighborhoods], start: int, stop: int
) -> Iterator[list[tuple[int, int]]]:
    """Yield for each term the neighbourhoods around rows start … stop - 1 to take at once.

    There are at most as many as rows, so memory is bounded; only repeated centres need more than
    one round.
    """
    parts = [np.searchsorted(term.centers, (start, stop)).tolist() for term in terms]
    most = max(last - first for first, last in parts)
    for done in range(0, most, stop - start):
        yield [
            (min(first + done, last), min(first + done + stop - start, last))
            for first, last in parts
        ]


def _full(terms: Sequence[Neighborhoods], rows: FloatArray, start: int, stop: int) -> FloatArray:
    """Return what full neighbourhoods around rows start … stop - 1 add to Zᵀ W Z."""
    connected: FloatArray = np.zeros((rows.shape[1], rows.shape[1]))
    for parts in _rounds(terms, start, stop):
        sums = np.empty((sum(last - first for first, last in parts), rows.shape[1]))
        at = 0
        for term, (first, last) in zip(terms, parts, strict=True):
            of_term = sums[at : at + last - first]
            of_term[:] = _taken(rows, term.centers[first:last])
            add_member_sums(term, first, last, rows, of_term)
            if term.weights is not None:
                of_term *= np.sqrt(term.weights[first:last])[:, None]
            at += last - first
        connected += sums.T @ sums
    return connected


def _star(terms: Sequence[Neighborhoods], rows: FloatArray, start: int, stop: int) -> FloatArray:
    """Return what the edges from centres start … stop - 1 of stars add to Zᵀ W Z, one way."""
    sums = np.zeros((stop - start, rows.shape[1]))
    for parts in _rounds(terms, start, stop):
        for term, (first, last) in zip(terms, parts, strict=True):
            _add_star_sums(term, first, last, rows, sums, start)
    one_way: FloatArray = rows[start:stop].T @ sums
    return one_way


def _add_star_sums(
    term: Neighborhoods, first: int, last: int, rows: FloatArray, sums: FloatArray, start: int
) -> None:
    """Add the members' sums of some neighbourhoods to those of their centres, from row `start`."""
    centers = term.centers[first:last] - start
    if term.weights is None and _follow_each_other(centers):
        add_member_sums(term, first, last, rows, _taken(sums, centers))
        return
    of_centers = np.zeros((len(centers), rows.shape[1]))
    add_member_sums(term, first, last, rows, of_centers)
    if term.weights is not None:
        of_centers *= term.weights[first:last, None]
    if np.all(np.diff(centers) > 0):
        sums[centers] += of_centers
    else:
        np.add.at(sums, centers, of_centers)  # slower, but counts every repeated centre


def _taken(rows: FloatArray, chosen: IntArray) -> FloatArray:
    """Return the chosen rows, as a view if they are consecutive."""
    if _follow_each_other(chosen):
        return rows[chosen[0] : chosen[0] + len(chosen)]
    return rows[chosen]


def _follow_each_other(chosen: IntArray) -> bool:
    """Tell whether rows are consecutive: none left out, none repeated."""
    return len(chosen) > 0 and bool(np.all(np.diff(chosen) == 1))
