"""The graph itself, as sparse matrices, for inspection and for tests."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from predfeat.exceptions import GraphError
from predfeat.graph._neighborhoods import Neighborhoods

__all__ = ["ExplicitGraph", "explicit_graph"]


@dataclass(frozen=True)
class ExplicitGraph:
    """A graph on the rows of a series.

    Attributes
    ----------
    weights, degree, laplacian : sparse arrays of shape (n_rows, n_rows)
        W, D (diagonal) and L = D - W.
    """

    weights: Any
    degree: Any
    laplacian: Any


def explicit_graph(neighborhoods: Iterable[Neighborhoods]) -> ExplicitGraph:
    """Build the graph whose projection `projected_laplacian` computes.

    The full graph has up to S·k² edges. This is for inspection; no fit needs it.

    Parameters
    ----------
    neighborhoods : iterable of Neighborhoods
        The terms of the graph, of one kind or both; their edges add up.

    Returns
    -------
    ExplicitGraph

    Raises
    ------
    GraphError
        There are no terms, or they belong to different series.

    Examples
    --------
    >>> from predfeat import nearest_neighbors
    >>> from predfeat.graph import explicit_graph, shifted_neighborhoods
    >>> from predfeat.series import check_sequences
    >>> X = [[0.0], [5.0], [0.5], [5.2]]
    >>> table = nearest_neighbors(X, n_neighbors=1)
    >>> successors = shifted_neighborhoods(table, check_sequences(X), 1)
    >>> explicit_graph([successors]).weights.toarray().astype(int)
    array([[0, 0, 0, 0],
           [0, 0, 0, 2],
           [0, 0, 0, 0],
           [0, 2, 0, 0]])
    """
    terms = list(neighborhoods)
    numbers = sorted({term.n_rows for term in terms})
    if len(numbers) != 1:
        raise GraphError(
            f"The terms of a graph must belong to one series, but theirs have {numbers} rows."
            if numbers
            else "A graph needs at least one term: without one, its number of rows is unknown."
        )
    weights: Any = 0
    for term in terms:
        weights = weights + (_full(term) if term.graph == "full" else _star(term))
    weights = sparse.csr_array(weights)
    degree = sparse.dia_array(
        (np.asarray(weights.sum(axis=1)).reshape(1, -1), [0]), shape=weights.shape
    )
    return ExplicitGraph(weights, degree, sparse.csr_array(degree - weights))


def _centers(term: Neighborhoods) -> Any:
    n_terms = len(term.centers)
    return sparse.csr_array(
        (np.ones(n_terms), (np.arange(n_terms), term.centers)), shape=term.members.shape
    )


def _full(term: Neighborhoods) -> Any:
    nodes = term.members + _centers(term)
    return nodes.T @ _weights(term) @ nodes


def _star(term: Neighborhoods) -> Any:
    one_way = _centers(term).T @ _weights(term) @ term.members
    return one_way + one_way.T


def _weights(term: Neighborhoods) -> Any:
    weights = np.ones(len(term.centers)) if term.weights is None else term.weights
    return sparse.diags_array(weights)
