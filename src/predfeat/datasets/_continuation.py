"""Time stamps after the last one of a recording."""

from __future__ import annotations

import numpy as np

from predfeat._typing import AnyArray
from predfeat.datasets._calendar_steps import calendar_steps
from predfeat.datasets._file_column import FileColumn
from predfeat.datasets._recording import Recording

__all__ = ["continued_time"]

_CALENDAR = ("months", "years", "working days", "recorded days")


def continued_time(recording: Recording, n_steps: int) -> FileColumn | None:
    """Return the time stamps that the next rows of a recording would have.

    Dates go on as the recording's do: monthly ones by calendar months, those of working days over
    the weekends. Holidays are not known.

    Parameters
    ----------
    recording : Recording
    n_steps : int
        How many rows come next.

    Returns
    -------
    FileColumn or None
        None where the recording has no time stamps, or no step between them.

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.datasets import Recording, continued_time
    >>> ends = np.array(["2024-01-31", "2024-02-29", "2024-03-31"], dtype="M8[s]")
    >>> recording = Recording(
    ...     np.zeros((3, 1)), ("x",), "sales.csv", time=ends, step=1.0, unit="months"
    ... )
    >>> continued_time(recording, 2).texts()
    ['2024-04-30', '2024-05-31']
    """
    time, step = recording.time, recording.step
    if time is None or step is None or len(time) == 0:
        return None
    name = "time" if recording.time_column is None else recording.time_column.name
    ahead = np.arange(1, n_steps + 1)
    if time.dtype.kind != "M":
        return FileColumn(name, np.asarray(time[-1] + ahead * step))
    if recording.unit not in _CALENDAR:
        # Whole counts: a step of a third of a second must not add up rounding errors.
        moved = np.rint(ahead * step * 1e6).astype(np.int64).astype("m8[us]")
        return FileColumn(name, _shortest(time[-1].astype("M8[us]") + moved))
    calendar = calendar_steps(time, _inside(recording))
    if calendar is None:
        return None
    last = np.repeat(time[-1:], n_steps)
    return FileColumn(name, _shortest(calendar.later(last, ahead * round(step))))


def _inside(recording: Recording) -> AnyArray:
    groups = recording.groups
    if groups is None:
        return np.ones(len(recording.values) - 1, dtype=bool)
    return np.asarray(groups[1:] == groups[:-1])


def _shortest(moments: AnyArray) -> AnyArray:
    """Return dates in the coarsest unit that holds them and files know: text shows fewer zeros."""
    for unit in ("D", "s", "ms"):
        shorter = moments.astype(f"M8[{unit}]")
        if (shorter == moments).all():
            return shorter
    return moments
