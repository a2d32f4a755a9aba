"""GPFA's iteration: search neighbours, embed their graph, search again in the feature space.

A pure stage over white space. The caller decides when it ends (`StopPolicy`) and can follow it
(`observer`). `averaged` then averages the last iterations of the run.
"""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

from predfeat._progress import step
from predfeat._threads import one_blas_thread
from predfeat._typing import IntArray
from predfeat.features._embedding import Embedding, GraphSettings, embed, find_neighbors
from predfeat.features._run import Iteration, Run, next_iteration
from predfeat.features._stopping import Settled, StopPolicy
from predfeat.series import Sequences

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
    iterations: list[Iteration] = []
    guess: IntArray | None = None
    with one_blas_thread(white.n_columns):
        for number in range(1, max_iter + 1):
            started = perf_counter()
            with step(number, max_iter):
                neighbors = find_neighbors(space, settings, guess=guess)
                found = embed(white, space, neighbors, settings, max(n_between, n_components))
            # The neighbours of one space are a good guess for those of the next.
            guess = neighbors.indices
            seconds = perf_counter() - started
            directions, eigenvalues = found.directions, found.eigenvalues
            iterations.append(
                next_iteration(
                    iterations, directions[:, :n_components], eigenvalues[:n_components], seconds
                )
            )
            if observer is not None:
                observer(iterations[-1], found)
            if stop(iterations):
                break
            space = white.with_rows(white.rows @ directions[:, :n_between])
    return Run(tuple(iterations), found.graph)
