"""Computes all missing points in several processes, and commits them fit by fit."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from predfeat._processes import finished_work
from predfeat.exceptions import WorkerError
from predfeat.experiments.reproduction._ledger import Ledger
from predfeat.experiments.reproduction._measuring import measure_fit
from predfeat.experiments.reproduction._sources import Source
from predfeat.experiments.reproduction._specification import DataPoint, Fit

__all__ = ["compute"]


@dataclass(frozen=True)
class _Task:
    fit: Fit
    points: tuple[DataPoint, ...]


def compute(
    points: Iterable[DataPoint],
    source: Source,
    ledger: Ledger,
    *,
    n_jobs: int = 1,
    on_progress: Callable[[int, int], None] | None = None,
) -> None:
    """Compute the points that the ledger does not hold, and commit each fit's at once.

    The results do not depend on `n_jobs`: every fit runs in one process with one thread.

    Parameters
    ----------
    points : iterable of DataPoint
        All of one source.
    source : Source
    ledger : Ledger
    n_jobs : int, default=1
        Processes; -1 for as many as there are processors.
    on_progress : callable, optional
        Called with the number of points done and the total, at the start and after every fit;
        those finished by an earlier run count as done.

    Raises
    ------
    LedgerError
        A result could not be written.
    WorkerError
        A process was ended from outside, mostly for lack of memory.
    """
    wanted = list(dict.fromkeys(points))
    found = ledger.find(wanted)
    tasks = _tasks([point for point in wanted if point not in found])
    n_done = len(found)
    tell = on_progress or (lambda done, total: None)
    tell(n_done, len(wanted))
    pieces = [(source, task.fit, task.points) for task in tasks]
    try:
        with finished_work(measure_fit, pieces, n_jobs, in_order=False) as finished:
            for results in finished:
                ledger.record(results)
                n_done += len(results)
                tell(n_done, len(wanted))
    except WorkerError as error:
        raise WorkerError(
            f"{error} Results that were finished before are kept; run the same command again."
        ) from error


def _tasks(points: Sequence[DataPoint]) -> list[_Task]:
    """Put the points of one fit together, in the order of the repetitions.

    So a run that is stopped early has whole repetitions, and the next task mostly needs the white
    rows that its process still holds.
    """
    of_fit: dict[Fit, list[DataPoint]] = defaultdict(list)
    for point in points:
        of_fit[point.fit].append(point)
    tasks = [_Task(fit, tuple(of_fit[fit])) for fit in of_fit]
    return sorted(
        tasks, key=lambda task: (task.fit.repetition, task.fit.n_columns, task.fit.n_train)
    )
