"""Blocks of work on several threads, without letting BLAS start threads of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from itertools import count
from typing import Any, TypeVar

from joblib import effective_n_jobs
from threadpoolctl import ThreadpoolController

__all__ = ["count_threads", "map_blocks", "one_blas_thread", "ticker", "watching"]

_LARGE = 256

Block = TypeVar("Block")
Result = TypeVar("Result")


@lru_cache(maxsize=1)
def _controller() -> Any:
    # Looking through the loaded libraries takes milliseconds, and an iterated fit asks often.
    return ThreadpoolController()


@contextmanager
def one_blas_thread(n_columns: int = 0) -> Iterator[None]:
    """Let BLAS work on one thread, and restore its count afterwards.

    For loops over small matrices: there several threads wait for each other longer than they
    work, and for a while after each product BLAS's idle threads keep the cores that ours would
    use. Matrices of more than `_LARGE` columns are worth all threads, and nothing is changed.
    """
    if n_columns > _LARGE:
        yield
        return
    with _controller().limit(limits=1, user_api="blas"):
        yield


def count_threads(n_jobs: int | None) -> int:
    """Return the number of threads that `n_jobs` means here, as joblib understands it."""
    return int(effective_n_jobs(n_jobs))


# Who wants to know how far long loops are; None where nobody does.
_observer: ContextVar[Callable[[int, int], None] | None] = ContextVar("observer", default=None)


@contextmanager
def watching(observer: Callable[[int, int], None] | None) -> Iterator[None]:
    """Let an observer be told, with the steps done and those of all, how far long loops are.

    It may be called from any thread, and loops may follow each other.

    Examples
    --------
    >>> from predfeat._threads import ticker, watching
    >>> with watching(lambda done, total: print(done, "of", total)):
    ...     tick = ticker(2)
    ...     tick()
    ...     tick()
    1 of 2
    2 of 2
    """
    token = _observer.set(observer)
    try:
        yield
    finally:
        _observer.reset(token)


def ticker(total: int) -> Callable[[], None]:
    """Return what a loop of so many steps is to call after each; it may be called by threads."""
    observer, steps = _observer.get(), count(1)
    if observer is None:
        return lambda: None
    return lambda: observer(next(steps), total)


def map_blocks(
    work: Callable[[Block], Result],
    blocks: Sequence[Block],
    n_jobs: int,
    on_failure: Callable[[], None] | None = None,
) -> list[Result]:
    """Apply `work` to every block, in order, on `n_jobs` threads with one BLAS thread each.

    The BLAS thread count is restored afterwards, also when the work fails or is interrupted. Then
    `on_failure` is called before threads that still work are waited for.
    """
    with one_blas_thread():
        if n_jobs == 1 or len(blocks) == 1:
            return [work(block) for block in blocks]
        with ThreadPoolExecutor(n_jobs) as pool:
            try:
                return list(pool.map(work, blocks))
            except BaseException:
                if on_failure is not None:
                    on_failure()
                pool.shutdown(cancel_futures=True)
                raise
