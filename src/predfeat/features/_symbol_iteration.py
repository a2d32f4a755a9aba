"""The iteration of `SymbolFeatures`: equal contexts first, then those similar in the features."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from predfeat._progress import step
from predfeat._typing import FloatArray, IntArray
from predfeat.features._contexts import equal_contexts, shared_contexts, similar_contexts
from predfeat.features._run import Iteration, next_iteration
from predfeat.features._stopping import Settled, StopPolicy
from predfeat.solvers import correspondence_analysis, fix_signs

__all__ = ["SymbolRun", "iterate_symbols"]


@dataclass(frozen=True)
class SymbolRun:
    """A run of iterations over symbols.

    Attributes
    ----------
    iterations : tuple of Iteration
        Their directions are those of the last vectors, each symbol weighted by the root of its
        count: angles between feature spaces are angles over the training data.
    vectors : ndarray of shape (n_symbols, n_components)
        The features of the last iteration, with mean 0 and variance 1 over the training data.
    blocks : ndarray of int, shape (n_symbols,)
        The group that each symbol belongs to; groups share no context.
    """

    iterations: tuple[Iteration, ...]
    vectors: FloatArray
    blocks: IntArray

    @property
    def eigenvalues(self) -> FloatArray:
        """The eigenvalues of the last iteration."""
        return self.iterations[-1].eigenvalues

    def history(self) -> dict[str, FloatArray]:
        """Return the eigenvalues, angles and seconds as arrays with one row per iteration."""
        return {
            "eigenvalues": np.array([each.eigenvalues for each in self.iterations]),
            "angle": np.array([each.angle for each in self.iterations]),
            "seconds": np.array([each.seconds for each in self.iterations]),
        }


def iterate_symbols(
    numbers: IntArray,
    times: IntArray,
    n_components: int,
    *,
    n_lags: int = 1,
    n_neighbors: int | None = None,
    max_iter: int = 50,
    stop: StopPolicy | None = None,
    observer: Callable[[Iteration], None] | None = None,
    engine: str = "auto",
    n_jobs: int | None = None,
) -> SymbolRun:
    """Find the features of symbols, and repeat with contexts that are similar in the features.

    Parameters
    ----------
    numbers : ndarray of int, shape (n_rows,)
        The symbols, as numbers. Those that occur at `times` are 0, 1, … without a gap; others
        have larger numbers.
    times : ndarray of int
        The rows of symbols that have n_lags symbols before them.
    n_components : int
        Number of features, M.
    n_lags : int, default=1
        Symbols in a context, p.
    n_neighbors : int, optional
        Other contexts in each neighbourhood, k; without it there is one iteration.
    max_iter : int, default=50
        Maximum number of iterations, R. The first has equal contexts.
    stop : StopPolicy, optional
        Decides whether to stop earlier; by default `Settled()`.
    observer : callable, optional
        Called after every iteration.
    engine, n_jobs
        As in `predfeat.nearest_neighbors`.

    Returns
    -------
    SymbolRun

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.features import iterate_symbols, never
    >>> numbers = np.random.default_rng(0).integers(0, 6, size=200)
    >>> run = iterate_symbols(numbers, np.arange(1, 200), 2, n_neighbors=2, max_iter=3, stop=never)
    >>> len(run.iterations), run.vectors.shape
    (3, (6, 2))
    """
    stop = Settled() if stop is None else stop
    counts = np.bincount(numbers[times])
    n_iterations = 1 if n_neighbors is None else max_iter
    contexts = equal_contexts(numbers, times, n_lags, len(counts)) if n_iterations > 1 else None
    table = shared_contexts(numbers, times, n_lags, len(counts))
    iterations: list[Iteration] = []
    started = perf_counter()
    for number in range(1, n_iterations + 1):
        with step(number, n_iterations):
            found = correspondence_analysis(table, n_components)
            vectors = _standardised(found.vectors, counts)
        directions = vectors * np.sqrt(counts)[:, None]
        now = perf_counter()
        iterations.append(next_iteration(iterations, directions, found.values, now - started))
        if observer is not None:
            observer(iterations[-1])
        if contexts is None or n_neighbors is None or number == max_iter or stop(iterations):
            break
        started = now
        table = similar_contexts(contexts, vectors, n_neighbors, engine=engine, n_jobs=n_jobs)
    return SymbolRun(tuple(iterations), vectors, found.blocks)


def _standardised(vectors: FloatArray, counts: IntArray) -> FloatArray:
    """Give each column mean 0 and variance 1 over the training data, and the library's sign.

    The column sums of a table of neighbourhoods are not the counts of the symbols.
    """
    weights = counts / counts.sum()
    centred = vectors - weights @ vectors
    scaled = centred / np.sqrt(weights @ np.square(centred))
    return np.asarray(scaled * fix_signs(scaled.T))
