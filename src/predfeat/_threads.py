"""Blocks of work on several threads, without letting BLAS start threads of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, TypeVar

from joblib import effective_n_jobs
from threadpoolctl import ThreadpoolController

__all__ = ["map_blocks", "count_threads", "one_blas_thread"]

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


def map_blocks(
    work: Callable[[Block], Result], blocks: Sequence[Block], n_jobs: int
) -> list[Result]:
    """Apply `work` to every block, in order, on `n_jobs` threads with one BLAS thread each.

    The BLAS thread count is restored afterwards, also when the work fails or is interrupted.
    """
    with one_blas_thread():
        if n_jobs == 1 or len(blocks) == 1:
            return [work(block) for block in blocks]
        with ThreadPoolExecutor(n_jobs) as pool:
            try:
                return list(pool.map(work, blocks))
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise
