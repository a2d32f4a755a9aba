"""Work shared by processes: the same bits for any number of them, and none outlives its parent."""

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

# Seconds of a processor that a worker needs before its first result, to start Python and to import
# what a fit needs: measured with all of it in the system's cache.
_START_UP = 1.8
# A worker is started where it has at least so many times as much to do. With once, two workers
# would only just be as quick as this process alone; with twice, they save a quarter of the time.
_WORTH_A_START = 2.0

# Seconds between two looks at the parent: it costs microseconds, and nobody waits for it.
_BETWEEN_LOOKS = 0.5


@contextmanager
def finished_work(
    work: Callable[..., Result],
    pieces: Sequence[tuple[Any, ...]],
    n_jobs: int | None,
    *,
    in_order: bool = True,
) -> Iterator[Iterator[Result]]:
    """Yield an iterator over the results of `work(*piece)`, as soon as each is there.

    In the order of the pieces, what is done when a run is interrupted is a shorter run. When the
    block is left, the processes that still work are ended; if this process is killed, they end by
    themselves.

    Parameters
    ----------
    work : callable
        What can be pickled, as a function of a module can.
    pieces : sequence of tuples
        The arguments of each call.
    n_jobs : int or None
        Processes, as joblib understands it. One is this process itself, with as many BLAS threads
        as a worker has: the results do not depend on it.
    in_order : bool, default=True
        The results come in the order of the pieces; otherwise in the order in which they are done.

    Raises
    ------
    WorkerError
        A process was ended from outside.

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
        with warnings.catch_warnings():  # without joblib's advice about ending them
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
    """Yield an iterator over the results, as `finished_work` does, by workers only if that pays.

    The first piece is done in this process, and timed. If what is left is enough work for two
    workers or more (see `_WORTH_A_START`), it is done by them, and otherwise one more piece here,
    and so on: who has little to do does not wait for processes to start. The results do not
    depend on it.

    Parameters
    ----------
    work : callable
        What can be pickled.
    pieces : sequence of tuples
        The arguments of each call. They are asked for one by one, as workers become free.
    sizes : sequence of float
        How much work each piece is, in any unit.
    n_jobs : int or None
        Processes at most, as joblib understands it.
    here : callable, optional
        What to call in this process instead of `work`; it may also tell how far it is.

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
        n_workers = min(n_most, int(left / (_WORTH_A_START * _START_UP)))
        if n_workers > 1:
            rest = _Rest(pieces, n_done + 1)
            with finished_work(work, rest, n_workers) as finished:
                yield from finished
            return


class _Rest(Sequence[tuple[Any, ...]]):
    """All but the first pieces, each made when it is asked for."""

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
            with _deaf_to_ctrl_c():  # the processes are started here
                results = pool(delayed(_done_alone)(work, *piece) for piece in pieces)
            yield from results
        except BrokenProcessPool as error:
            raise WorkerError(
                "a process that computed results was ended from outside, perhaps because memory "
                "ran out. Use fewer jobs (n_jobs)."
            ) from error
        finally:
            if results is not None:  # interrupted at the end of that block
                results.close()


def _done_alone(work: Callable[..., Result], *piece: Any) -> Result:
    """Do a piece in a worker on one thread, whatever `n_jobs` there is in it."""
    with parallel_config(backend="sequential"):
        return work(*piece)


class _WatchfulBackend(LokyBackend):  # type: ignore[misc]
    """joblib's processes, which look after their parent from their first moment."""

    def configure(self, *given: Any, **options: Any) -> Any:
        options.update(initializer=_watch_parent, initargs=(os.getpid(),))
        n_workers = super().configure(*given, **options)
        _hold_back_ctrl_c()  # joblib's tracker, started here, may have let it through again
        return n_workers


@contextmanager
def _deaf_to_ctrl_c() -> Iterator[None]:
    """Start processes and threads that a terminal's Ctrl-C does not reach: their parent ends them.

    What is held back here comes when the block is left. A mask is inherited, so that there is no
    moment at which a new process could still be hit, and complain.
    """
    before = _hold_back_ctrl_c()
    try:
        yield
    finally:
        if before is not None:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _hold_back_ctrl_c() -> set[Any] | None:
    """Hold it back from this thread; return what was held back before, None on Windows."""
    if sys.platform == "win32":
        return None
    # Python's own tracker is started with the first process, and lets it through again.
    resource_tracker.ensure_running()
    return set(signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT}))


def _watch_parent(parent: int) -> None:
    """Let a worker process end when its parent does, also in the middle of its work.

    The kernel's own notice (PR_SET_PDEATHSIG) is about the thread that started the process, which
    may end earlier. A look now and then is enough: a process without a parent gets another one.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform != "win32":  # there, a process keeps the number of its parent
        Thread(target=_leave_with, args=(parent,), daemon=True).start()


def _leave_with(parent: int) -> None:
    while os.getppid() == parent:
        sleep(_BETWEEN_LOOKS)
    os._exit(1)
