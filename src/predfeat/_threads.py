"""Blocks of work on several threads, without letting BLAS start threads of its own."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import lru_cache
from threading import Lock, Thread, local
from typing import Any, TypeVar

from joblib import effective_n_jobs
from threadpoolctl import ThreadpoolController

__all__ = [
    "as_in_a_worker",
    "count_threads",
    "map_blocks",
    "one_blas_thread",
]

_MAX_SMALL_COLUMNS = 256

Block = TypeVar("Block")
Result = TypeVar("Result")


def _controller() -> Any:
    return _controller_of(len(sys.modules))


@lru_cache(maxsize=1)
def _controller_of(n_modules: int) -> Any:
    # Inspecting the loaded libraries takes milliseconds, and an iterated fit asks often. A module
    # that was imported since, such as faiss, may have brought a BLAS of its own.
    return ThreadpoolController()


class _Limit:
    """BLAS at one thread while any fit is inside, whatever the order in which they leave.

    Most libraries have one count for the whole process. If every fit saved and restored it, then of
    two fits that overlap in two Python threads, the later one would save, and finally restore, the
    limit of the earlier. So the fits inside are counted, and the last one to leave restores.
    Libraries with a count for each thread (MKL) are restored by the thread that leaves.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._n_inside = 0
        self._before: dict[str, int] = {}
        self._is_shared: dict[str, bool] = {}
        self._own = local()

    def enter(self) -> None:
        with self._lock:
            if not hasattr(self._own, "before"):
                self._own.before, self._own.n_inside = {}, 0
            self._n_inside += 1
            self._own.n_inside += 1
            for library in _blas_libraries():
                # If it is more than one although others are inside, somebody has set it since
                # then, and gets it back afterwards.
                n_threads = library.num_threads
                if n_threads is not None and n_threads > 1:
                    _set_threads(library, 1)
                    if library.filepath not in self._is_shared:
                        self._is_shared[library.filepath] = _is_shared(library)
                    shared = self._is_shared[library.filepath]
                    (self._before if shared else self._own.before)[library.filepath] = n_threads

    def leave(self) -> None:
        with self._lock:
            self._n_inside -= 1
            self._own.n_inside -= 1
            if self._n_inside == 0:
                _restore(self._before)
            if self._own.n_inside == 0:
                _restore(self._own.before)


def _blas_libraries() -> list[Any]:
    return [library for library in _controller().lib_controllers if library.user_api == "blas"]


def _set_threads(library: Any, n_threads: int) -> None:
    # Newer releases of threadpoolctl let only the first thread that asks change OpenBLAS's count.
    forget_who_asked = getattr(library, "clear_controlling_thread", None)
    if forget_who_asked is not None:
        forget_who_asked(force=True)
    library.set_num_threads(n_threads)
    if forget_who_asked is not None:
        forget_who_asked(force=True)


def _is_shared(library: Any) -> bool:
    """Tell whether another thread sees the count of one that this thread has set."""
    seen: list[int] = []
    other = Thread(target=lambda: seen.append(library.num_threads))
    other.start()
    other.join()
    return seen == [1]


def _restore(before: dict[str, int]) -> None:
    """Restore the counts, except where somebody has changed them since they were limited."""
    for library in _blas_libraries():
        n_threads = before.pop(library.filepath, None)
        if n_threads is not None and library.num_threads == 1:
            _set_threads(library, n_threads)


_limit = _Limit()


@contextmanager
def one_blas_thread(n_columns: int = 0) -> Iterator[None]:
    """Limit BLAS to one thread, and restore its count when nobody needs the limit any more.

    This is for loops over small matrices: several threads would wait for each other longer than
    they work, and for a while after each product BLAS's idle threads hold the cores that ours would
    use. Matrices of more than `_MAX_SMALL_COLUMNS` columns are worth all threads, and nothing is
    changed: then the last bits can depend on the number of BLAS threads.
    """
    if n_columns > _MAX_SMALL_COLUMNS:
        yield
        return
    _limit.enter()
    try:
        yield
    finally:
        _limit.leave()


@contextmanager
def as_in_a_worker() -> Iterator[None]:
    """Limit BLAS and OpenMP to one thread, as in a worker process: the last bits are the same.

    OpenMP has a count for each thread, so it can be saved and restored.
    """
    with one_blas_thread(), ThreadpoolController().select(user_api="openmp").limit(limits=1):
        yield


def count_threads(n_jobs: int | None) -> int:
    """Return the number of threads that `n_jobs` means here, as joblib understands it."""
    return int(effective_n_jobs(n_jobs))


def map_blocks(
    work: Callable[[Block], Result],
    blocks: Sequence[Block],
    n_jobs: int,
    on_failure: Callable[[], None] | None = None,
) -> list[Result]:
    """Apply `work` to every block, in order, on `n_jobs` threads with one BLAS thread each.

    The BLAS thread count is restored afterwards, even if the work fails or is interrupted. In that
    case `on_failure` is called before waiting for threads that are still working.
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
