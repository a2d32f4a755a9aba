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
from predfeat.graph import is_fixed, projected_once
from predfeat.series import Annotations, Sequences

__all__ = ["Observer", "iterate"]

Observer = Callable[[Iteration, Embedding], None]


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
    stop = Settled() if stop is None else stop
    n_between = n_components if n_intermediate is None else n_intermediate
    never_changes = all(is_fixed(term) for term in settings.terms)
    iterations: list[Iteration] = []
    guess: SimilarStates | None = None
    with one_blas_thread(white.n_columns):
        for number in range(1, max_iter + 1):
            started = perf_counter()
            with step(number, max_iter):
                if never_changes:
                    similar = SimilarStates.nobody(settings.n_neighbors)
                else:
                    similar = find_similar_states(
                        space, settings, annotations=annotations, first=first, guess=guess
                    )
                context = graph_context(white, space, similar, settings, annotations)
                if number == 1:
                    settings = replace(settings, terms=projected_once(settings.terms, context))
                found = embed_graph(context, settings, max(n_between, n_components))
            # The neighbours of one space are a good guess for those of the next, but neighbours
            # from elsewhere may be ones that a search excludes.
            guess, first = similar if first is None else None, None
            seconds = perf_counter() - started
            directions, eigenvalues = found.directions, found.eigenvalues
            iterations.append(
                next_iteration(
                    iterations, directions[:, :n_components], eigenvalues[:n_components], seconds
                )
            )
            if observer is not None:
                observer(iterations[-1], found)
            if never_changes or stop(iterations):
                break
            space = white.with_rows(white.rows @ directions[:, :n_between])
    return Run(tuple(iterations), found.graph, context)
