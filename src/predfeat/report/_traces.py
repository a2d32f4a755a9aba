"""Long series made short enough for a page, without hiding an extreme."""

from __future__ import annotations

from typing import Any

import numpy as np

from predfeat._typing import FloatArray
from predfeat.datasets import Recording

__all__ = ["envelope", "frequency_axis", "plain", "time_axis"]

# Seconds that one step of a larger unit has, and from how many of them on it reads better.
_LARGER_UNITS = (("days", 86_400.0, 3.0), ("hours", 3_600.0, 3.0), ("minutes", 60.0, 5.0))


def envelope(series: FloatArray, n_bins: int) -> tuple[FloatArray, FloatArray]:
    """Return the smallest and the largest value of each of some consecutive stretches.

    Parameters
    ----------
    series : ndarray of shape (n_rows,)
    n_bins : int
        Stretches; bin i holds rows i·n_rows // n_bins up to (i + 1)·n_rows // n_bins.

    Returns
    -------
    low, high : ndarray of shape (n_bins,)
        NaN where a stretch is nothing but gaps.

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


def plain(values: Any, digits: int | None = None) -> Any:
    """Return arrays as lists for JSON, NaN as None, rounded to so many significant digits.

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
    """Return how far rows are apart, in a unit that gives short numbers.

    With several sequences, whose clocks may start again, or without a known step, rows are
    counted instead.
    """
    rows = {"unit": "rows", "per_row": 1.0, "origin": None}
    if recording.step is None or recording.groups is not None:
        return rows
    unit, per_row = recording.unit, float(recording.step)
    total = per_row * len(recording.values)
    if unit == "s":
        for larger, seconds, at_least in _LARGER_UNITS:
            if total >= at_least * seconds:
                unit, per_row = larger, per_row / seconds
                break
    return {"unit": unit, "per_row": per_row, "origin": _origin(recording)}


def _origin(recording: Recording) -> str | None:
    """Return the first time stamp, if the file has any: sounds and videos begin at 0."""
    if recording.time_column is None or recording.time is None or not len(recording.time):
        return None
    first = recording.time[0]
    if isinstance(first, np.datetime64):
        return str(np.datetime_as_string(first, unit="auto")).replace("T", " ")
    return f"{first:.4g}" if isinstance(first, np.floating) else str(first)


def frequency_axis(recording: Recording) -> tuple[str, str, float]:
    """Return a unit of time for frequencies, its plural, and how much of it one row takes.

    A unit that is about as long as a row: what happens in a recording of hours may take
    milliseconds.

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.datasets import Recording
    >>> frequency_axis(Recording(np.zeros((9, 1)), ("x",), "hourly", step=3600.0, unit="s"))
    ('hour', 'hours', 1.0)
    """
    axis = time_axis(recording)
    if axis["unit"] == "rows":
        return "row", "rows", 1.0
    if recording.unit != "s":
        plural = str(recording.unit)
        return plural.replace("units", "unit", 1), plural, float(axis["per_row"])
    step = float(recording.step or 1.0)
    for unit, seconds in (("day", 86_400.0), ("hour", 3_600.0), ("minute", 60.0)):
        if step >= seconds / 2:
            return unit, f"{unit}s", step / seconds
    return "second", "seconds", step
