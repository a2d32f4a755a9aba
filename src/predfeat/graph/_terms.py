"""Edge terms: each says which samples belong together. Their edges add up.

A term is any object with a method `neighborhoods(context)`. GPFA's own are `Future` and `Past`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from numbers import Real
from typing import Any, Protocol, runtime_checkable

import numpy as np
from scipy import sparse

from predfeat._typing import AnyArray, BoolArray, IntArray
from predfeat.exceptions import GraphError
from predfeat.graph._neighborhoods import Neighborhoods, check_graph
from predfeat.neighbors import NeighborTable
from predfeat.series import Annotations, Sequences

__all__ = [
    "EdgeTerm",
    "Future",
    "GraphContext",
    "Past",
    "check_weight",
    "connect",
    "neighborhoods_of",
    "shifted_neighborhoods",
]


@dataclass(frozen=True, eq=False, kw_only=True)
class GraphContext:
    """What an edge term may use when it connects samples.

    Attributes
    ----------
    white : Sequences
        The series to embed: its rows are the nodes of the graph.
    space : Sequences
        The same rows in the space in which neighbours are searched: white space itself, or the
        features of the last iteration.
    neighbors : NeighborTable
        The nearest states of every state in that space.
    n_lags : int
        Samples in a state, p.
    horizon : int
        How many rows ahead of a state its successor lies, H.
    past_neighbors : NeighborTable, optional
        The nearest states of every state for its predecessor, if they are others: with actions,
        states that the same action led to.
    annotations : Annotations, optional
        Labels, actions and rewards of the rows.
    engine, n_jobs
        For searches of a term's own; see `predfeat.nearest_neighbors`.
    """

    white: Sequences
    space: Sequences
    neighbors: NeighborTable
    n_lags: int
    horizon: int = 1
    past_neighbors: NeighborTable | None = None
    annotations: Annotations | None = None
    engine: str = "auto"
    n_jobs: int | None = None


@runtime_checkable
class EdgeTerm(Protocol):
    """One reason to pull samples together.

    A term is asked once per iteration, because neighbours change with the features.

    Examples
    --------
    Any class with this method is a term. Here is one that joins each sample with the next; alone,
    it makes the graph of slow feature analysis:

    >>> from dataclasses import dataclass
    >>> import numpy as np
    >>> from scipy import sparse
    >>> from predfeat import nearest_neighbors
    >>> from predfeat.graph import (
    ...     Future, GraphContext, Neighborhoods, connect, projected_laplacian
    ... )
    >>> from predfeat.series import check_sequences
    >>> @dataclass(frozen=True)
    ... class NextSample:
    ...     def neighborhoods(self, context):
    ...         times = np.flatnonzero(context.white.reach(ahead=1))
    ...         shape = (len(times), context.white.n_rows)
    ...         next_ones = (np.ones(len(times)), (np.arange(len(times)), times + 1))
    ...         return Neighborhoods(times, sparse.csr_array(next_ones, shape=shape))
    >>> Z = np.random.default_rng(0).normal(size=(50, 3))
    >>> series = check_sequences(Z)
    >>> context = GraphContext(
    ...     white=series,
    ...     space=series,
    ...     neighbors=nearest_neighbors(Z, n_neighbors=4),
    ...     n_lags=1,
    ... )
    >>> chain = projected_laplacian(connect([NextSample()], context), Z).laplacian
    >>> np.allclose(chain, np.diff(Z, axis=0).T @ np.diff(Z, axis=0))
    True

    It can be combined with any others:

    >>> both = connect([Future("full"), NextSample()], context)
    >>> projected_laplacian(both, Z).laplacian.shape
    (3, 3)
    """

    def neighborhoods(self, context: GraphContext) -> Neighborhoods:
        """Return which samples to connect."""
        ...


@dataclass(frozen=True)
class Future:
    """Similar states should have similar successors.

    The successors of a state's neighbours are members of a neighbourhood whose centre is the
    state's own successor, the sample `horizon` rows on.

    Parameters
    ----------
    graph : {"star", "full"}, default="star"
        "full" (GPFA 1) connects all pairs of a neighbourhood's nodes, "star" (GPFA 2) its centre
        with every other node.
    weight : float, default=1.0
        The weight of each neighbourhood.

    Examples
    --------
    >>> from predfeat import nearest_neighbors
    >>> from predfeat.graph import Future, GraphContext
    >>> from predfeat.series import check_sequences
    >>> X = [[0.0], [5.0], [0.5], [5.2]]
    >>> series, table = check_sequences(X), nearest_neighbors(X, n_neighbors=1)
    >>> context = GraphContext(white=series, space=series, neighbors=table, n_lags=1)
    >>> Future().neighborhoods(context).centers.tolist()  # successors of the rows 0, 1 and 2
    [1, 2, 3]
    """

    graph: str = "star"
    weight: float = 1.0

    def __post_init__(self) -> None:
        check_graph(self.graph)
        check_weight(self.weight)

    def shift(self, n_lags: int, horizon: int) -> int:
        """Return how many rows after a state the connected sample lies."""
        return horizon

    def neighborhoods(self, context: GraphContext) -> Neighborhoods:
        """Return a neighbourhood for every state that has a successor."""
        return shifted_neighborhoods(
            context.neighbors,
            context.white,
            self.shift(context.n_lags, context.horizon),
            graph=self.graph,
            weight=self.weight,
        )


@dataclass(frozen=True)
class Past:
    """Similar states should have similar predecessors.

    The predecessor lies `horizon` rows before the state's oldest sample, which is n_lags - 1 rows
    back. In reversed time that sample is the newest one, and the predecessor lies as far ahead of
    it as the successor does now.

    Parameters
    ----------
    graph : {"star", "full"}, default="star"
        "full" (GPFA 1) connects all pairs of a neighbourhood's nodes, "star" (GPFA 2) its centre
        with every other node.
    weight : float, default=1.0
        The weight of each neighbourhood.

    Examples
    --------
    >>> from predfeat import nearest_neighbors
    >>> from predfeat.graph import GraphContext, Past
    >>> from predfeat.series import check_sequences
    >>> X = [[0.0], [5.0], [0.5], [5.2]]
    >>> series, table = check_sequences(X), nearest_neighbors(X, n_neighbors=1)
    >>> context = GraphContext(white=series, space=series, neighbors=table, n_lags=1)
    >>> Past().neighborhoods(context).centers.tolist()  # predecessors of the rows 1, 2 and 3
    [0, 1, 2]
    """

    graph: str = "star"
    weight: float = 1.0

    def __post_init__(self) -> None:
        check_graph(self.graph)
        check_weight(self.weight)

    def shift(self, n_lags: int, horizon: int) -> int:
        """Return how many rows after a state the connected sample lies: a negative number."""
        return -(n_lags - 1 + horizon)

    def neighborhoods(self, context: GraphContext) -> Neighborhoods:
        """Return a neighbourhood for every state that has a predecessor."""
        before = context.past_neighbors
        return shifted_neighborhoods(
            context.neighbors if before is None else before,
            context.white,
            self.shift(context.n_lags, context.horizon),
            graph=self.graph,
            weight=self.weight,
        )


def connect(terms: Iterable[EdgeTerm], context: GraphContext) -> list[Neighborhoods]:
    """Ask every term which samples to connect.

    Parameters
    ----------
    terms : iterable of EdgeTerm
    context : GraphContext

    Returns
    -------
    list of Neighborhoods
        One for each term.

    Raises
    ------
    GraphError
        A term did not return neighbourhoods, or returned those of another series.

    Examples
    --------
    >>> from predfeat import nearest_neighbors
    >>> from predfeat.graph import Future, GraphContext, Past, connect
    >>> from predfeat.series import check_sequences
    >>> X = [[0.0], [5.0], [0.5], [5.2]]
    >>> series, table = check_sequences(X), nearest_neighbors(X, n_neighbors=1)
    >>> context = GraphContext(white=series, space=series, neighbors=table, n_lags=1)
    >>> [found.total_weight for found in connect([Future(), Past(weight=0.5)], context)]
    [4.0, 2.0]
    """
    connected = []
    for term in terms:
        found = term.neighborhoods(context)
        if not isinstance(found, Neighborhoods):
            raise GraphError(
                f"{term!r}.neighborhoods() must return Neighborhoods, but it returned a "
                f"{type(found).__name__}."
            )
        if found.n_rows != context.white.n_rows:
            raise GraphError(
                f"{term!r} connects the rows of a series of {found.n_rows}, but the series that "
                f"is embedded has {context.white.n_rows}. Make members with "
                "context.white.n_rows columns."
            )
        connected.append(found)
    return connected


def shifted_neighborhoods(
    neighbors: NeighborTable,
    series: Sequences,
    shift: int,
    *,
    graph: str = "star",
    weight: float = 1.0,
) -> Neighborhoods:
    """Connect the samples that lie some rows after, or before, similar states.

    A state without such a sample in its own run has no neighbourhood and belongs to none: no shift
    crosses the end of a run.

    Parameters
    ----------
    neighbors : NeighborTable
        The nearest states of every state.
    series : Sequences
        The samples the states were made of.
    shift : int
        How many rows after a state's newest sample the connected one lies; before it if negative.
    graph : {"star", "full"}, default="star"
    weight : float, default=1.0
        The weight of each neighbourhood.

    Returns
    -------
    Neighborhoods

    Examples
    --------
    >>> from predfeat import nearest_neighbors
    >>> from predfeat.graph import shifted_neighborhoods
    >>> from predfeat.series import check_sequences
    >>> X = [[0.0], [5.0], [0.5], [5.2]]
    >>> table = nearest_neighbors(X, n_neighbors=1)
    >>> table.indices[:, 0].tolist()
    [2, 3, 0, 1]
    >>> found = shifted_neighborhoods(table, check_sequences(X), 1)
    >>> found.centers.tolist(), found.members.toarray().astype(int).tolist()
    ([1, 2, 3], [[0, 0, 0, 1], [0, 0, 0, 0], [0, 1, 0, 0]])
    """
    has_node = series.reach(back=max(-shift, 0), ahead=max(shift, 0))
    used = has_node[neighbors.times]
    centers = neighbors.times[used] + shift
    indices = neighbors.indices[used]
    present = has_node[indices]
    del used, has_node
    return neighborhoods_of(
        centers, indices, present, series.n_rows, shift=shift, graph=graph, weight=weight
    )


def neighborhoods_of(
    centers: IntArray,
    indices: IntArray,
    present: BoolArray,
    n_rows: int,
    *,
    shift: int = 0,
    graph: str = "star",
    weight: float = 1.0,
) -> Neighborhoods:
    """Connect given samples.

    Parameters
    ----------
    centers : ndarray of int, shape (n_neighborhoods,)
        The row of each neighbourhood's centre.
    indices : ndarray of int, shape (n_neighborhoods, k)
        With `shift` added, the rows of its members.
    present : ndarray of bool, shape (n_neighborhoods, k)
        Which of these rows there are.
    n_rows : int
        Rows of the series.
    shift : int, default=0
    graph : {"star", "full"}, default="star"
    weight : float, default=1.0
        The weight of each neighbourhood.

    Returns
    -------
    Neighborhoods

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.graph import neighborhoods_of
    >>> there = np.array([[True, False]])
    >>> found = neighborhoods_of(np.array([0]), np.array([[1, 2]]), there, n_rows=3)
    >>> found.members.toarray().tolist()
    [[0.0, 1.0, 0.0]]
    """
    index_type = np.int32 if present.size < np.iinfo(np.int32).max else np.int64
    first = np.zeros(len(centers) + 1, dtype=index_type)
    np.cumsum(present.sum(axis=1), out=first[1:])
    nodes: AnyArray = indices[present].astype(index_type)
    nodes += shift
    members = sparse.csr_array((np.ones(len(nodes)), nodes, first), shape=(len(centers), n_rows))
    weights = None if weight == 1.0 else np.full(len(centers), float(weight))
    return Neighborhoods(centers, members, weights, graph=graph)


def check_weight(weight: Any) -> None:
    """Refuse a weight that is no number, negative or infinite."""
    if not (isinstance(weight, Real) and 0.0 <= float(weight) < np.inf):
        raise GraphError(
            f"weight must be a finite number that is not negative, but it is {weight!r}."
        )
