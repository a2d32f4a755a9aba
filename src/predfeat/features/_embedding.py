"""One step of GPFA: turn neighbours into a graph, and the graph into an embedding."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from predfeat._typing import FloatArray, IntArray
from predfeat.graph import (
    EdgeTerm,
    Future,
    GraphContext,
    Past,
    ProjectedLaplacian,
    combined,
)
from predfeat.neighbors import NeighborTable, choose_centers, search
from predfeat.series import Annotations, Sequences, find_states
from predfeat.solvers import Eigenpairs, smallest_eigenpairs

__all__ = [
    "Embedding",
    "GraphSettings",
    "SimilarStates",
    "embed",
    "embed_graph",
    "find_neighbors",
    "graph_context",
    "smallest_directions",
]


@dataclass(frozen=True)
class GraphSettings:
    """How to connect samples, and what to minimise over the graph.

    Attributes
    ----------
    n_lags : int
        Samples in a state, p.
    horizon : int
        Steps from a state to its successor, H.
    n_neighbors : int
        Neighbours of each state, k.
    terms : tuple of EdgeTerm
        Which samples to connect, and how; by default the paper's two terms, as stars.
    normalized : bool
        Whether the degrees normalise the eigenproblem.
    weighting : {"equal", "inverse_spread"}
        The weight of each neighbourhood.
    theiler : int
        Exclude neighbours in the same sequence that are at most this many rows away.
    n_centers : int, "auto" or None
        How many states ask for their neighbours; see `predfeat.neighbors.count_centers`.
    random_state : int
        Seed of the sample of states that ask.
    engine : str
        The neighbour-search engine.
    n_jobs : int or None
        Threads for the neighbour search.
    """

    n_lags: int = 1
    horizon: int = 1
    n_neighbors: int = 10
    terms: tuple[EdgeTerm, ...] = (Future(), Past())
    normalized: bool = True
    weighting: str = "equal"
    theiler: int = 0
    n_centers: int | str | None = None
    random_state: int = 0
    engine: str = "auto"
    n_jobs: int | None = None


@dataclass(frozen=True, eq=False)
class SimilarStates:
    """The neighbours of every state.

    Attributes
    ----------
    future : NeighborTable
        Those whose successors should be similar.
    past : NeighborTable or None
        Those whose predecessors should be similar; None if they are the same.
    """

    future: NeighborTable
    past: NeighborTable | None = None

    @classmethod
    def nobody(cls, n_neighbors: int) -> SimilarStates:
        """Return no neighbours, for terms that need none."""
        no_rows = np.empty((0, n_neighbors), dtype=np.intp)
        return cls(NeighborTable(no_rows[:, 0], no_rows, np.empty(no_rows.shape)))


@dataclass(frozen=True)
class Embedding:
    """A graph projected onto white space, and its smallest solutions.

    Attributes
    ----------
    graph : ProjectedLaplacian
    directions : ndarray of shape (n_columns, n_directions)
        Unit columns in white space, smallest solution first.
    eigenvalues : ndarray of shape (n_directions,)
    """

    graph: ProjectedLaplacian
    directions: FloatArray
    eigenvalues: FloatArray


def find_neighbors(
    space: Sequences,
    settings: GraphSettings,
    *,
    n_neighbors: int | None = None,
    guess: IntArray | None = None,
) -> NeighborTable:
    """Find the neighbours of every state in a space, or of a sample of states.

    Parameters
    ----------
    space : Sequences
    settings : GraphSettings
    n_neighbors : int, optional
        Overrides the number in the settings.
    guess : ndarray of int, optional
        Likely neighbours, such as those of the previous step. They speed up the search and never
        change its result.

    Returns
    -------
    NeighborTable
    """
    k = settings.n_neighbors if n_neighbors is None else n_neighbors
    states = find_states(space, settings.n_lags, n_neighbors=k)
    return search(
        choose_centers(states, settings.n_centers, settings.random_state),
        k,
        library=states,
        theiler=settings.theiler,
        engine=settings.engine,
        n_jobs=settings.n_jobs,
        guess=guess,
    )


def embed(
    white: Sequences,
    space: Sequences,
    neighbors: NeighborTable,
    settings: GraphSettings,
    n_directions: int,
) -> Embedding:
    """Connect the samples around similar states and find where they lie closest together.

    Parameters
    ----------
    white : Sequences
        The series to embed, in white space.
    space : Sequences
        The same series in the space where neighbours were searched.
    neighbors : NeighborTable
        The neighbours of every state in that space.
    settings : GraphSettings
    n_directions : int
        Number of solutions to find.

    Returns
    -------
    Embedding

    Examples
    --------
    >>> from predfeat.datasets import predictable_noise
    >>> from predfeat.features import GraphSettings, embed, find_neighbors
    >>> from predfeat.series import check_sequences
    >>> from predfeat.whitening import fit_whitening
    >>> series = check_sequences(predictable_noise(500, 4, random_state=0))
    >>> white = fit_whitening(series).apply(series)
    >>> settings = GraphSettings(n_neighbors=5)
    >>> found = embed(white, white, find_neighbors(white, settings), settings, n_directions=2)
    >>> found.directions.shape, found.eigenvalues.round(1).tolist()
    ((4, 2), [0.6, 0.6])
    """
    context = graph_context(white, space, SimilarStates(neighbors), settings)
    return embed_graph(context, settings, n_directions)


def embed_graph(context: GraphContext, settings: GraphSettings, n_directions: int) -> Embedding:
    """Project the graph of all terms, and find its smallest solutions; see `embed`."""
    graph = combined(settings.terms, context, weighting=settings.weighting)
    pairs = smallest_directions(graph, n_directions, normalized=settings.normalized)
    return Embedding(graph, pairs.vectors, pairs.values)


def graph_context(
    white: Sequences,
    space: Sequences,
    similar: SimilarStates,
    settings: GraphSettings,
    annotations: Annotations | None = None,
) -> GraphContext:
    """Return what edge terms may use, with these settings."""
    return GraphContext(
        white=white,
        space=space,
        neighbors=similar.future,
        n_lags=settings.n_lags,
        horizon=settings.horizon,
        past_neighbors=similar.past,
        annotations=annotations,
        engine=settings.engine,
        n_jobs=settings.n_jobs,
    )


def smallest_directions(
    graph: ProjectedLaplacian, n_directions: int, *, normalized: bool
) -> Eigenpairs:
    """Return the directions along which connected samples lie closest, with or without degrees."""
    degree = graph.degree if normalized else None
    return smallest_eigenpairs(graph.laplacian, n_directions, degree)
