"""GPFA's iteration: search neighbours, embed their graph, search again in the feature space.

A pure stage over white space. The caller decides when it ends (`StopPolicy`) and can follow it
(`observer`). `averaged` then averages the last iterations of the run.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from time import perf_counter

from predfeat._progress import step
from predfeat._threads import one_blas_thread
from predfeat._typing import FloatArray
from predfeat.features._embedding import (
    Embedding,
    GraphSettings,
    SimilarStates,
    embed_graph,
    graph_context,
)
from predfeat.features._run import Iteration, Run, next_iteration
from predfeat.features._similar_states import FirstNeighbors, find_similar_states
from predfeat.features._stopping import Settled, StopPolicy
from predfeat.graph import GraphContext, is_fixed, projected_once
from predfeat.series import Annotations, Sequences

__all__ = ["Embed", "Observer", "iterate", "repeated"]

Observer = Callable[[Iteration, Embedding], None]
Embed = Callable[[FloatArray | None, int], Embedding]


def iterate(
    white: Sequences,
    space: Sequences,
    settings: GraphSettings,
    n_components: int,
    *,
    n_intermediate: int | None = None,
    max_iter: int = 50,
    stop: StopPolicy | None = None,
    observer: Observer | None = None,
    annotations: Annotations | None = None,
    first: FirstNeighbors | None = None,
) -> Run:
    """Embed the graph of similar states, and repeat with neighbours found in the feature space.

    Parameters
    ----------
    white : Sequences
        The series in white space.
    space : Sequences
        The same series in the space where the first neighbours are searched.
    settings : GraphSettings
    n_components : int
        Number of features, M.
    n_intermediate : int, optional
        Number of features to search neighbours in between iterations; by default `n_components`.
    max_iter : int, default=50
        Maximum number of iterations, R.
    stop : StopPolicy, optional
        Decides whether to stop earlier; by default `Settled()`.
    observer : callable, optional
        Called after every iteration with the `Iteration` and its `Embedding`.
    annotations : Annotations, optional
        Labels, actions and rewards of the rows. Actions divide the neighbours; the others are for
        terms that use them.
    first : FirstNeighbors, optional
        Where the first neighbours come from, if not from a search in `space`.

    Returns
    -------
    Run

    Examples
    --------
    >>> from predfeat.datasets import predictable_noise
    >>> from predfeat.features import GraphSettings, iterate, never
    >>> from predfeat.series import check_sequences
    >>> from predfeat.whitening import fit_whitening
    >>> series = check_sequences(predictable_noise(700, 4, random_state=0))
    >>> white = fit_whitening(series).apply(series)
    >>> run = iterate(white, white, GraphSettings(), n_components=2, max_iter=3, stop=never)
    >>> len(run.iterations), run.directions.shape
    (3, (4, 2))
    """
    graphs = _Graphs(white, space, settings, annotations, first)
    with one_blas_thread(white.n_columns):
        run = repeated(
            graphs.embedded,
            n_components,
            n_intermediate=n_intermediate,
            max_iter=max_iter,
            stop=stop,
            observer=observer,
            once=graphs.never_change,
        )
    return replace(run, context=graphs.context)


def repeated(
    embed: Embed,
    n_components: int,
    *,
    n_intermediate: int | None = None,
    max_iter: int = 50,
    stop: StopPolicy | None = None,
    observer: Observer | None = None,
    once: bool = False,
) -> Run:
    """Embed again and again, each time in the space that the last embedding has found.

    Parameters
    ----------
    embed : callable
        embed(directions, n_directions) finds that many directions, with neighbours searched along
        the given ones of white space; None stands for the start.
    n_components, n_intermediate, max_iter, stop, observer
        As in `iterate`.
    once : bool
        Whether every embedding would be the same.

    Returns
    -------
    Run
    """
    stop = Settled() if stop is None else stop
    n_between = n_components if n_intermediate is None else n_intermediate
    iterations: list[Iteration] = []
    searched: FloatArray | None = None
    for number in range(1, max_iter + 1):
        started = perf_counter()
        with step(number, max_iter):
            found = embed(searched, max(n_between, n_components))
        seconds = perf_counter() - started
        directions, eigenvalues = found.directions, found.eigenvalues
        iterations.append(
            next_iteration(
                iterations, directions[:, :n_components], eigenvalues[:n_components], seconds
            )
        )
        if observer is not None:
            observer(iterations[-1], found)
        if once or stop(iterations):
            break
        searched = directions[:, :n_between]
    return Run(tuple(iterations), found.graph)


class _Graphs:
    """The graphs of one iteration after the other, on a series in memory."""

    def __init__(
        self,
        white: Sequences,
        start: Sequences,
        settings: GraphSettings,
        annotations: Annotations | None,
        first: FirstNeighbors | None,
    ) -> None:
        self.white, self.start, self.settings = white, start, settings
        self.annotations, self.first = annotations, first
        self.guess: SimilarStates | None = None
        self.context: GraphContext | None = None
        self.never_change = all(is_fixed(term) for term in settings.terms)

    def embedded(self, searched: FloatArray | None, n_directions: int) -> Embedding:
        """Search neighbours along some directions, and embed their graph."""
        white, settings = self.white, self.settings
        is_first = searched is None
        space = self.start if searched is None else white.with_rows(white.rows @ searched)
        if self.never_change:
            similar = SimilarStates.nobody(settings.n_neighbors)
        else:
            similar = find_similar_states(
                space,
                settings,
                annotations=self.annotations,
                first=self.first,
                guess=self.guess,
            )
        context = self.context = graph_context(white, space, similar, settings, self.annotations)
        if is_first:
            terms = projected_once(settings.terms, context)
            settings = self.settings = replace(settings, terms=terms)
        found = embed_graph(context, settings, n_directions)
        # The neighbours of one space are a good guess for those of the next, but neighbours
        # from elsewhere may be ones that a search excludes.
        self.guess, self.first = similar if self.first is None else None, None
        return found
