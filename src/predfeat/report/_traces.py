"""Shorten long series to fit a page without hiding extremes."""

from __future__ import annotations

from typing import Any

import numpy as np

from predfeat._typing import FloatArray
from predfeat.datasets import Recording

__all__ = ["envelope", "frequency_axis", "plain", "time_axis", "trace_of"]

# Larger units: the name, its length in seconds, and how many of it a series needs to use it.
_LARGER_UNITS = (("days", 86_400.0, 3.0), ("hours", 3_600.0, 3.0), ("minutes", 60.0, 5.0))


# How many evenly spaced rows are stored with dates; dates in between are interpolated.
_DATE_KNOTS = 200


def envelope(series: FloatArray, n_bins: int) -> tuple[FloatArray, FloatArray]:
    """Return the smallest and the largest value in each of `n_bins` consecutive stretches.

    Parameters
    ----------
    series : ndarray of shape (n_rows,)
    n_bins : int
        Number of stretches; bin i holds rows i·n_rows // n_bins up to (i + 1)·n_rows // n_bins.

    Returns
    -------
    low, high : ndarray of shape (n_bins,)
        NaN where a stretch consists only of gaps.

    Examples
    --------
    >>> import numpy as np
    >>> envelope(np.array([0.0, 5.0, np.nan, 1.0]), 2)
    (array([0., 1.]), array([5., 1.]))
    """
    starts = np.arange(n_bins) * len(series) // n_bins
    missing = np.isnan(series)
    low = np.minimum.reduceat(np.where(missing, np.inf, series), starts)
    high = np.maximum.reduceat(np.where(missing, -np.inf, series), starts)
    empty = low > high
    low[empty] = high[empty] = np.nan
    return low, high


def trace_of(values: FloatArray, n_bins: int, digits: int = 4) -> dict[str, Any]:
    """Return a series as its envelope, for JSON; if each bin is one row, `high` is None."""
    low, high = envelope(values, n_bins)
    return {
        "low": plain(low, digits),
        "high": None if n_bins == len(values) else plain(high, digits),
    }


def plain(values: Any, digits: int | None = None) -> Any:
    """Return arrays as lists for JSON, NaN as None, rounded to `digits` significant digits.

    Examples
    --------
    >>> import numpy as np
    >>> plain(np.array([[0.123456, np.nan]]), digits=2)
    [[0.12, None]]
    """
    if isinstance(values, np.ndarray | list | tuple):
        return [plain(value, digits) for value in values]
    number = float(values)
    if not np.isfinite(number):
        return None
    return number if digits is None else float(f"{number:.{digits}g}")


def time_axis(recording: Recording) -> dict[str, Any]:
    """Return the time between rows, in a unit that gives short numbers, and their dates.

    Rows are counted instead if the step is unknown or there are several sequences, whose clocks
    may restart. Dates are included if they always increase.
    """
    rows = {
        "unit": "rows", "per_row": 1.0, "origin": None, "start": 0.0, "dates": _dates(recording)
    }  # fmt: skip
    if recording.step is None or recording.groups is not None:
        return rows
    unit, per_row = recording.unit, float(recording.step)
    total = per_row * len(recording.values)
    larger = 1.0
    if unit == "s":
        for name, seconds, at_least in _LARGER_UNITS:
            if total >= at_least * seconds:
                unit, larger = name, seconds
                break
    return {
        **rows,
        "unit": unit,
        "per_row": per_row / larger,
        "origin": _origin(recording),
        "start": _start(recording, larger),
    }


def _origin(recording: Recording) -> str | None:
    """Return the first time stamp if the file has any; sounds and videos begin at 0."""
    if recording.time_column is None or recording.time is None or not len(recording.time):
        return None
    first = recording.time[0]
    if isinstance(first, np.datetime64):
        return str(np.datetime_as_string(first, unit="auto")).replace("T", " ")
    return f"{first:.4g}" if isinstance(first, np.floating) else str(first)


def _start(recording: Recording, unit: float) -> float:
    """Return the first time stamp if the file's time stamps are numbers, otherwise 0."""
    if _origin(recording) is None or recording.time is None or recording.time.dtype.kind == "M":
        return 0.0
    first = float(recording.time[0]) / unit
    return first if np.isfinite(first) else 0.0


def _dates(recording: Recording) -> dict[str, Any] | None:
    """Return some rows with their dates, to interpolate between; None without dates.

    Dates are in seconds since 1970, in the recording's own time zone. Steps may differ, as months
    do, and time may jump between sequences: both stay visible.
    """
    time = recording.time
    if time is None or time.dtype.kind != "M" or len(time) < 2:
        return None
    seconds = (time - np.datetime64(0, "s")) / np.timedelta64(1, "s")
    if not np.all(np.diff(seconds) > 0):
        return None
    knots = np.linspace(0, len(time) - 1, min(len(time), _DATE_KNOTS)).round().astype(np.intp)
    if recording.groups is not None:
        new = np.flatnonzero(recording.groups[1:] != recording.groups[:-1])
        if len(new) <= _DATE_KNOTS:
            knots = np.union1d(knots, np.concatenate([new, new + 1]))
    return {"rows": knots.tolist(), "seconds": seconds[knots].tolist()}


def frequency_axis(recording: Recording) -> tuple[str, str, float]:
    """Return a unit of time for frequencies, its plural, and the length of one row in it.

    The unit is about as long as a row: events in a recording of hours may take milliseconds.

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.datasets import Recording
    >>> frequency_axis(Recording(np.zeros((9, 1)), ("x",), "hourly", step=3600.0, unit="s"))
    ('hour', 'hours', 1.0)
    """
    if recording.step is None:
        return "row", "rows", 1.0
    if recording.unit != "s":
        plural = str(recording.unit)
        return plural.replace("units", "unit", 1), plural, float(recording.step)
    step = float(recording.step or 1.0)
    for unit, seconds in (("day", 86_400.0), ("hour", 3_600.0), ("minute", 60.0)):
        if step >= seconds / 2:
            return unit, f"{unit}s", step / seconds
    return "second", "seconds", step
