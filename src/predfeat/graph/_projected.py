"""The graph as the embedding sees it, without the graph.

With C the rows of one neighbourhood's m nodes and s their sum, the full graph contributes
m·CᵀC - s·sᵀ to Zᵀ L Z and m·CᵀC to Zᵀ D Z. Summed over neighbourhoods that is
Zᵀ diag(d) Z - SᵀS, with d the degrees and S the matrix of sums. The star graph needs the same
sums. Both cost O(S·k·N + S·N²) operations and O(S·(N + k)) memory.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from predfeat._typing import FloatArray, IntArray
from predfeat.graph._neighborhoods import Neighborhoods

__all__ = ["GRAPHS", "ProjectedLaplacian", "projected_laplacian"]

GRAPHS = ("full", "star")


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
    degrees, pairs = (_full if graph == "full" else _star)(list(neighborhoods), rows)
    # A product of a matrix with itself costs half of one with another.
    scaled = rows * np.sqrt(degrees)[:, None]
    degree = scaled.T @ scaled
    return ProjectedLaplacian(degree - pairs, degree)


def _full(terms: list[Neighborhoods], rows: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the degrees and Zᵀ W Z of the full graph."""
    degrees, pairs = np.zeros(len(rows)), np.zeros((rows.shape[1], rows.shape[1]))
    for term in terms:
        sizes = np.diff(term.members.indptr) + 1.0
        degrees += term.members.T @ sizes
        degrees[term.centers] += sizes
        sums = term.members @ rows
        sums += _taken(rows, term.centers)
        pairs += sums.T @ sums
    return degrees, pairs


def _star(terms: list[Neighborhoods], rows: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the degrees and Zᵀ W Z of the star graph."""
    degrees, sums = np.zeros(len(rows)), np.zeros_like(rows)
    for term in terms:
        others = np.diff(term.members.indptr)
        degrees += np.bincount(term.members.indices, minlength=len(rows))
        degrees[term.centers] += others
        sums += _by_row(term) @ rows
    one_way = rows.T @ sums
    return degrees, one_way + one_way.T


def _taken(rows: FloatArray, chosen: IntArray) -> FloatArray:
    """Return chosen rows, without a copy where they follow each other."""
    if len(chosen) and chosen[-1] - chosen[0] == len(chosen) - 1 and np.all(np.diff(chosen) == 1):
        return rows[chosen[0] : chosen[-1] + 1]
    return rows[chosen]


def _by_row(term: Neighborhoods) -> Any:
    """Return the members with one row for every sample, empty where it is no centre."""
    n_rows = term.members.shape[1]
    order = np.argsort(term.centers, kind="stable")
    members = term.members if np.all(np.diff(order) == 1) else term.members[order]
    counts = np.zeros(n_rows, dtype=members.indptr.dtype)
    counts[term.centers[order]] = np.diff(members.indptr)
    first = np.zeros(n_rows + 1, dtype=members.indptr.dtype)
    np.cumsum(counts, out=first[1:])
    return sparse.csr_array((members.data, members.indices, first), (n_rows, n_rows))
