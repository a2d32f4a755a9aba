"""All missing points computed, by several processes, and committed one fit after the other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from time import monotonic

from predfeat._processes import finished_work
from predfeat.exceptions import WorkerError
from predfeat.experiments.reproduction._ledger import Ledger, Result
from predfeat.experiments.reproduction._measuring import measure_fit
from predfeat.experiments.reproduction._sources import Source
from predfeat.experiments.reproduction._specification import DataPoint, Fit

__all__ = ["Progress", "compute"]


@dataclass(frozen=True)
class Progress:
    """How far a run is.

    Attributes
    ----------
    n_done, n_all : int
        Points; those that an earlier run finished count as done.
    seconds_left : float or None
        An estimate; None before the first fit.
    """

    n_done: int
    n_all: int
    seconds_left: float | None


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
    on_progress: Callable[[Progress], None] | None = None,
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
        Called with a `Progress` at the start and after every fit.

    Raises
    ------
    LedgerError
        A result could not be written.
    WorkerError
        A process was ended from outside, mostly for want of memory.
    """
    wanted = list(dict.fromkeys(points))
    found = ledger.find(wanted)
    tasks = _tasks([point for point in wanted if point not in found])
    times = _Times(tasks)
    n_done = len(found)
    tell = on_progress or (lambda progress: None)
    tell(Progress(n_done, len(wanted), None))
    pieces = [(source, task.fit, task.points) for task in tasks]
    try:
        with finished_work(measure_fit, pieces, n_jobs, in_order=False) as finished:
            for results in finished:
                ledger.record(results)
                n_done += len(results)
                times.note(results[0])
                tell(Progress(n_done, len(wanted), times.left()))
    except WorkerError as error:
        raise WorkerError(
            f"{error} Results that were finished before are kept; run the same command again."
        ) from error


def _tasks(points: Sequence[DataPoint]) -> list[_Task]:
    """Put the points of one fit together, in the order of the repetitions.

    So that a run that is stopped early has whole repetitions, and the next task mostly needs the
    white rows that its process still holds.
    """
    of_fit: dict[Fit, list[DataPoint]] = defaultdict(list)
    for point in points:
        of_fit[point.fit].append(point)
    tasks = [_Task(fit, tuple(of_fit[fit])) for fit in of_fit]
    return sorted(
        tasks, key=lambda task: (task.fit.repetition, task.fit.n_columns, task.fit.n_train)
    )


@dataclass
class _Times:
    """How long each method's fits take, and so how long the rest will."""

    tasks: list[_Task]
    started: float = field(default_factory=monotonic)
    taken: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))

    def __post_init__(self) -> None:
        self.n_left: dict[str, int] = defaultdict(int)
        for task in self.tasks:
            self.n_left[task.fit.method] += 1

    def note(self, result: Result) -> None:
        self.n_left[result.point.fit.method] -= 1
        self.taken[result.point.fit.method].append(result.seconds)

    def left(self) -> float:
        """Return the seconds left, were all fits of a method alike."""
        means = {method: sum(times) / len(times) for method, times in self.taken.items()}
        usual = sum(means.values()) / len(means)
        to_fit = sum(n * means.get(method, usual) for method, n in self.n_left.items())
        fitted = sum(sum(times) for times in self.taken.values())
        # The clock also sees the measuring, and that several processes share the work.
        return to_fit * (monotonic() - self.started) / max(fitted, 1e-9)
