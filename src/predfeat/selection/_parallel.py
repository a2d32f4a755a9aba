"""Pieces of work shared by processes, their results in order, the same bits for any number."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Any, TypeVar

from joblib import Parallel, delayed, effective_n_jobs, parallel_config
from threadpoolctl import threadpool_limits

from predfeat.exceptions import WorkerError

__all__ = ["results_in_order"]

Result = TypeVar("Result")


@contextmanager
def results_in_order(
    work: Callable[..., Result], pieces: Sequence[tuple[Any, ...]], n_jobs: int | None
) -> Iterator[Iterator[Result]]:
    """Yield an iterator over the results of `work(*piece)`, as soon as each is there.

    They come in the order of the pieces, so that what is done when a run is interrupted is a
    shorter run. When the block is left, the processes that still work are ended.

    Raises
    ------
    WorkerError
        A process was ended from outside.

    Examples
    --------
    >>> from predfeat.selection._parallel import results_in_order
    >>> with results_in_order(pow, [(2, 3), (3, 2)], n_jobs=1) as results:
    ...     list(results)
    [8, 9]
    """
    results = _finished(work, pieces, n_jobs)
    try:
        yield results
    finally:
        with warnings.catch_warnings():  # without joblib's advice about ending them
            warnings.filterwarnings("ignore", category=UserWarning, module="joblib")
            results.close()


def _finished(
    work: Callable[..., Result], pieces: Sequence[tuple[Any, ...]], n_jobs: int | None
) -> Generator[Result, None, None]:
    n_workers = min(int(effective_n_jobs(n_jobs)), max(len(pieces), 1))
    if n_workers == 1:
        # As many BLAS threads as in a worker process, or the last bits could differ.
        with threadpool_limits(1):
            for piece in pieces:
                yield work(*piece)
        return
    with parallel_config(backend="loky", inner_max_num_threads=1):
        pool = Parallel(
            n_jobs=n_workers, return_as="generator", batch_size=1, pre_dispatch="2*n_jobs"
        )
        try:
            yield from pool(delayed(work)(*piece) for piece in pieces)
        except BrokenProcessPool as error:
            raise WorkerError(
                "a process that fitted models was ended from outside, perhaps because memory ran "
                "out. Use fewer jobs (n_jobs)."
            ) from error
