"""Work spread over processes: the same bits for any number of them; none outlives its parent."""

from __future__ import annotations

import os
import signal
import sys
import warnings
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import resource_tracker
from threading import Thread
from time import process_time, sleep
from typing import Any, TypeVar

from joblib import Parallel, delayed, effective_n_jobs, parallel_config

from predfeat._compat import LokyBackend
from predfeat._threads import as_in_a_worker
from predfeat.exceptions import WorkerError

__all__ = ["finished_work", "shared_work"]

Result = TypeVar("Result")

# Processor seconds that a worker needs before its first result, to start Python and to import what
# a fit needs, measured with all of it in the system's cache.
_START_UP_SECONDS = 1.8
# A worker is started if its work takes at least this many start-ups. With one, two workers would
# only be as quick as this process alone; with two, they save a quarter of the time.
_MIN_WORK_PER_START_UP = 2.0

# Seconds between two checks of the parent: a check costs microseconds, and nothing waits for it.
_PARENT_CHECK_SECONDS = 0.5


@contextmanager
def finished_work(
    work: Callable[..., Result],
    pieces: Sequence[tuple[Any, ...]],
    n_jobs: int | None,
    *,
    in_order: bool = True,
) -> Iterator[Iterator[Result]]:
    """Yield an iterator over the results of `work(*piece)`, each as soon as it is ready.

    If results come in the order of the pieces, an interrupted run equals a shorter one. When the
    block is left, processes that are still working are ended; if this process is killed, they end
    by themselves.

    Parameters
    ----------
    work : callable
        Must be picklable, such as a module's function.
    pieces : sequence of tuples
        The arguments of each call.
    n_jobs : int or None
        Processes, as joblib understands it. One is this process itself, with as many BLAS threads
        as a worker has, so the results do not depend on it.
    in_order : bool, default=True
        Whether results come in the order of the pieces, or in the order in which they finish.

    Raises
    ------
    WorkerError
        A process was terminated from outside.

    Examples
    --------
    >>> from predfeat._processes import finished_work
    >>> with finished_work(pow, [(2, 3), (3, 2)], n_jobs=1) as results:
    ...     list(results)
    [8, 9]
    """
    results = _finished(work, pieces, n_jobs, in_order)
    try:
        yield results
    finally:
        with warnings.catch_warnings():  # joblib advises against ending them
            warnings.filterwarnings("ignore", category=UserWarning, module="joblib")
            results.close()


@contextmanager
def shared_work(
    work: Callable[..., Result],
    pieces: Sequence[tuple[Any, ...]],
    sizes: Sequence[float],
    n_jobs: int | None,
    *,
    here: Callable[..., Result] | None = None,
) -> Iterator[Iterator[Result]]:
    """Yield an iterator over the results, as `finished_work` does; use workers only if that pays.

    The first piece is done and timed in this process. If the rest is enough work for two workers or
    more (see `_MIN_WORK_PER_START_UP`), they do it; otherwise one more piece is done here, and so
    on. So little work does not wait for processes to start. The results do not depend on it.

    Parameters
    ----------
    work : callable
        Must be picklable.
    pieces : sequence of tuples
        The arguments of each call. They are taken one by one, as workers become free.
    sizes : sequence of float
        How much work each piece is, in any unit.
    n_jobs : int or None
        Processes at most, as joblib understands it.
    here : callable, optional
        What to call in this process instead of `work`; it may also report progress.

    Examples
    --------
    >>> from predfeat._processes import shared_work
    >>> with shared_work(pow, [(2, 3), (3, 2)], [1, 1], n_jobs=-1) as results:
    ...     list(results)
    [8, 9]
    """
    results = _shared(work, here or work, pieces, sizes, n_jobs)
    try:
        yield results
    finally:
        results.close()


def _shared(
    work: Callable[..., Result],
    here: Callable[..., Result],
    pieces: Sequence[tuple[Any, ...]],
    sizes: Sequence[float],
    n_jobs: int | None,
) -> Generator[Result, None, None]:
    n_most = int(effective_n_jobs(n_jobs))
    for n_done in range(len(pieces)):
        started = process_time()  # of all threads: workers have one each
        with as_in_a_worker():
            result = here(*pieces[n_done])
        per_size = (process_time() - started) / sizes[n_done]
        yield result
        left = per_size * sum(sizes[n_done + 1 :])
        n_workers = min(n_most, int(left / (_MIN_WORK_PER_START_UP * _START_UP_SECONDS)))
        if n_workers > 1:
            rest = _Rest(pieces, n_done + 1)
            with finished_work(work, rest, n_workers) as finished:
                yield from finished
            return


class _Rest(Sequence[tuple[Any, ...]]):
    """All pieces except the first ones, each created on access."""

    def __init__(self, pieces: Sequence[tuple[Any, ...]], n_skipped: int):
        self._pieces, self._n_skipped = pieces, n_skipped

    def __len__(self) -> int:
        return len(self._pieces) - self._n_skipped

    def __getitem__(self, number: Any) -> Any:
        if not 0 <= number < len(self):
            raise IndexError(number)
        return self._pieces[self._n_skipped + number]


def _finished(
    work: Callable[..., Result],
    pieces: Sequence[tuple[Any, ...]],
    n_jobs: int | None,
    in_order: bool,
) -> Generator[Result, None, None]:
    n_workers = min(int(effective_n_jobs(n_jobs)), max(len(pieces), 1))
    if n_workers == 1:
        with as_in_a_worker():
            for piece in pieces:
                yield work(*piece)
        return
    with parallel_config(backend=_WatchfulBackend(inner_max_num_threads=1)):
        pool = Parallel(
            n_jobs=n_workers,
            return_as="generator" if in_order else "generator_unordered",
            batch_size=1,
            pre_dispatch="2*n_jobs",
        )
        results = None
        try:
            with _ctrl_c_blocked():  # the processes are started here
                results = pool(delayed(_done_alone)(work, *piece) for piece in pieces)
            yield from results
        except BrokenProcessPool as error:
            raise WorkerError(
                "a worker process was terminated from outside, perhaps because memory ran out. Use "
                "fewer jobs (n_jobs)."
            ) from error
        finally:
            if results is not None:  # interrupted at the end of that block
                results.close()


def _done_alone(work: Callable[..., Result], *piece: Any) -> Result:
    """Do a piece in a worker on one thread, whatever `n_jobs` the piece contains."""
    with parallel_config(backend="sequential"):
        return work(*piece)


class _WatchfulBackend(LokyBackend):  # type: ignore[misc]
    """joblib's processes, which watch their parent from the start."""

    def configure(self, *given: Any, **options: Any) -> Any:
        options.update(initializer=_watch_parent, initargs=(os.getpid(),))
        n_workers = super().configure(*given, **options)
        _block_ctrl_c()  # joblib's tracker, started here, may have unblocked it again
        return n_workers


@contextmanager
def _ctrl_c_blocked() -> Iterator[None]:
    """Start processes and threads that a terminal's Ctrl-C does not reach: their parent ends them.

    A signal held back here is delivered when the block is left. The mask is inherited, so a new
    process is protected from its first moment and never prints a traceback.
    """
    before = _block_ctrl_c()
    try:
        yield
    finally:
        if before is not None:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _block_ctrl_c() -> set[Any] | None:
    """Block Ctrl-C in this thread; return the signals blocked before, None on Windows."""
    if sys.platform == "win32":
        return None
    # Python's own tracker is started with the first process, and unblocks it again.
    resource_tracker.ensure_running()
    return set(signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT}))


def _watch_parent(parent: int) -> None:
    """Make a worker process end when its parent does, even in the middle of its work.

    The kernel's own notice (PR_SET_PDEATHSIG) is tied to the thread that started the process, which
    may end earlier. An occasional check is enough: an orphaned process gets another parent.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform != "win32":  # there, a process keeps the number of its parent
        Thread(target=_exit_with, args=(parent,), daemon=True).start()


def _exit_with(parent: int) -> None:
    while os.getppid() == parent:
        sleep(_PARENT_CHECK_SECONDS)
    os._exit(1)
