"""The graph as the embedding sees it, without the graph.

With C the rows of one neighbourhood's m nodes and s their sum, the full graph contributes
m·CᵀC - s·sᵀ to Zᵀ L Z and m·CᵀC to Zᵀ D Z. Summed over neighbourhoods that is
Zᵀ diag(d) Z - SᵀS, with d the degrees and S the matrix of sums. The star graph needs the same
sums. Both cost O(S·k·N + S·N²) operations and O(S·(N + k)) memory.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from predfeat._typing import FloatArray
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
    n_columns = rows.shape[1]
    laplacian, degree = np.zeros((n_columns, n_columns)), np.zeros((n_columns, n_columns))
    for term in neighborhoods:
        degrees, pairs = (_full if graph == "full" else _star)(term, rows)
        weighted = (rows * degrees[:, None]).T @ rows
        degree += weighted
        laplacian += weighted - pairs
    # Rounding differs above and below the diagonal; solvers read one half only.
    return ProjectedLaplacian((laplacian + laplacian.T) / 2, (degree + degree.T) / 2)


def _full(term: Neighborhoods, rows: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the degrees and Zᵀ W Z of one term of the full graph."""
    sizes = np.diff(term.members.indptr) + 1.0
    degrees = np.asarray(term.members.T @ sizes)
    degrees[term.centers] += sizes
    sums = term.members @ rows
    sums += rows[term.centers]
    return degrees, sums.T @ sums


def _star(term: Neighborhoods, rows: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the degrees and Zᵀ W Z of one term of the star graph."""
    others = np.diff(term.members.indptr).astype(np.float64)
    degrees = np.asarray(term.members.T @ np.ones(len(others)))
    degrees[term.centers] += others
    one_way = rows[term.centers].T @ (term.members @ rows)
    return degrees, one_way + one_way.T
