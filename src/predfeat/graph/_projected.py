"""The graph as the embedding sees it, without the graph.

With C the rows of one neighbourhood's m nodes and s their sum, the full graph contributes
m·CᵀC - s·sᵀ to Zᵀ L Z and m·CᵀC to Zᵀ D Z. Summed over neighbourhoods that is
Zᵀ diag(d) Z - SᵀS, with d the degrees and S the matrix of sums. The star graph needs the same
sums. Both go through the samples block by block, and cost O(S·k·N + S·N²) operations and
O(S·k + N²) memory.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from predfeat._typing import FloatArray, IntArray
from predfeat.graph._neighborhoods import Neighborhoods
from predfeat.graph._sums import add_member_sums

__all__ = ["GRAPHS", "ProjectedLaplacian", "projected_laplacian"]

GRAPHS = ("full", "star")

# So many numbers of the samples at once: they stay in the cache, and the memory for sums does not
# grow with S. Fewer rows would make the matrix products slow.
_BLOCK, _LEAST_ROWS = 1 << 18, 512


@dataclass(frozen=True)
class ProjectedLaplacian:
    """Zᵀ L Z and Zᵀ D Z of a graph on the rows of Z.

    Attributes
    ----------
    laplacian, degree : ndarray of shape (n_columns, n_columns)
    """

    laplacian: FloatArray
    degree: FloatArray


def projected_laplacian(
    neighborhoods: Iterable[Neighborhoods], rows: FloatArray, graph: str
) -> ProjectedLaplacian:
    """Project the Laplacian and the degrees of a graph onto the columns of its samples.

    Parameters
    ----------
    neighborhoods : iterable of Neighborhoods
        The terms of the graph; their edges add up.
    rows : ndarray of shape (n_rows, n_columns)
        The samples, Z.
    graph : {"full", "star"}
        "full" (GPFA 1) connects all ordered pairs of a neighbourhood's nodes, each node with
        itself too; "star" (GPFA 2) connects the centre with every other node, both ways.

    Returns
    -------
    ProjectedLaplacian

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat import nearest_neighbors
    >>> from predfeat.graph import explicit_graph, find_neighborhoods, projected_laplacian
    >>> from predfeat.series import check_sequences
    >>> Z = np.random.default_rng(0).normal(size=(50, 3))
    >>> table = nearest_neighbors(Z, n_neighbors=4)
    >>> terms = find_neighborhoods(table, check_sequences(Z), n_lags=1)
    >>> projected = projected_laplacian(terms, Z, "star")
    >>> L = explicit_graph(terms, "star").laplacian
    >>> np.allclose(projected.laplacian, Z.T @ (L @ Z))
    True
    """
    terms = [_in_order(term) for term in neighborhoods]
    rows = np.ascontiguousarray(rows)  # once, for all blocks
    degrees = (_full_degrees if graph == "full" else _star_degrees)(terms, len(rows))
    connect = _full if graph == "full" else _star
    n_columns = rows.shape[1]
    degree, connected = np.zeros((n_columns, n_columns)), np.zeros((n_columns, n_columns))
    height = max(_BLOCK // max(n_columns, 1), _LEAST_ROWS)
    for start in range(0, len(rows), height):
        stop = min(start + height, len(rows))
        connected += connect(terms, rows, start, stop)
        # A product of a matrix with itself costs half of one with another.
        scaled = rows[start:stop] * np.sqrt(degrees[start:stop])[:, None]
        degree += scaled.T @ scaled
    return ProjectedLaplacian(degree - connected, degree)


def _in_order(term: Neighborhoods) -> Neighborhoods:
    """Return the neighbourhoods in the order of their centres."""
    if np.all(np.diff(term.centers) > 0):
        return term
    order = np.argsort(term.centers, kind="stable")
    weights = None if term.weights is None else term.weights[order]
    return Neighborhoods(term.centers[order], term.members[order], weights)


def _full_degrees(terms: list[Neighborhoods], n_rows: int) -> FloatArray:
    degrees = np.zeros(n_rows)
    for term in terms:
        sizes = np.diff(term.members.indptr) + 1.0
        if term.weights is not None:
            sizes *= term.weights
        degrees += term.members.T @ sizes
        degrees[term.centers] += sizes
    return degrees


def _star_degrees(terms: list[Neighborhoods], n_rows: int) -> FloatArray:
    degrees = np.zeros(n_rows)
    for term in terms:
        sizes = np.diff(term.members.indptr)
        if term.weights is None:
            degrees += np.bincount(term.members.indices, minlength=n_rows)
            degrees[term.centers] += sizes
        else:
            degrees += term.members.T @ term.weights
            degrees[term.centers] += sizes * term.weights
    return degrees


def _full(terms: list[Neighborhoods], rows: FloatArray, start: int, stop: int) -> FloatArray:
    """Return what the neighbourhoods around rows start … stop - 1 add to Zᵀ W Z, full graph."""
    parts = [np.searchsorted(term.centers, (start, stop)) for term in terms]
    sums = np.empty((sum(last - first for first, last in parts), rows.shape[1]))
    at = 0
    for term, (first, last) in zip(terms, parts, strict=True):
        of_term = sums[at : at + last - first]
        of_term[:] = _taken(rows, term.centers[first:last])
        add_member_sums(term.members, first, last, rows, of_term)
        if term.weights is not None:
            of_term *= np.sqrt(term.weights[first:last])[:, None]
        at += last - first
    connected: FloatArray = sums.T @ sums
    return connected


def _star(terms: list[Neighborhoods], rows: FloatArray, start: int, stop: int) -> FloatArray:
    """Return what the neighbourhoods around rows start … stop - 1 add to Zᵀ W Z, star graph."""
    sums = np.zeros((stop - start, rows.shape[1]))
    for term in terms:
        first, last = np.searchsorted(term.centers, (start, stop))
        centers = term.centers[first:last] - start
        if term.weights is None and _follow_each_other(centers):
            add_member_sums(term.members, first, last, rows, _taken(sums, centers))
        else:
            of_centers = np.zeros((len(centers), rows.shape[1]))
            add_member_sums(term.members, first, last, rows, of_centers)
            if term.weights is not None:
                of_centers *= term.weights[first:last, None]
            sums[centers] += of_centers
    one_way = rows[start:stop].T @ sums
    both_ways: FloatArray = one_way + one_way.T
    return both_ways


def _taken(rows: FloatArray, chosen: IntArray) -> FloatArray:
    """Return chosen rows, as a view where they follow each other."""
    if _follow_each_other(chosen):
        return rows[chosen[0] : chosen[0] + len(chosen)]
    return rows[chosen]


def _follow_each_other(chosen: IntArray) -> bool:
    """Tell whether ascending rows leave none out."""
    return len(chosen) > 0 and bool(chosen[-1] - chosen[0] == len(chosen) - 1)
