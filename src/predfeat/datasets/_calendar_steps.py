"""Steps that the calendar makes uneven: months, years, working days."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from predfeat._typing import AnyArray, BoolArray, IntArray

__all__ = ["CalendarSteps", "calendar_steps"]

_DAY = np.timedelta64(1, "D")
_MONTH = np.timedelta64(1, "M")
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


@dataclass(frozen=True)
class CalendarSteps:
    """Dates as places on a calendar whose steps all count as one.

    Attributes
    ----------
    places : ndarray of int
        The place of each row, in whole numbers of `unit`.
    unit : str
        "months", "years", "working days" or "recorded days".
    weekdays : tuple of str
        The days of the week that occur, for working and recorded days.
    day : int or None
        The day of the month that all rows share, or the last day of a shorter month.
    """

    places: IntArray
    unit: str
    weekdays: tuple[str, ...] = ()
    day: int | None = None

    def later(self, time: AnyArray, places: IntArray) -> AnyArray:
        """Return the moments that many places after `time`."""
        if self.weekdays:
            mask = [day in self.weekdays for day in _WEEKDAYS]
            days = time.astype("M8[D]")
            moved = np.busday_offset(days, places, weekmask=mask)
            found: AnyArray = (time - days) + moved
            return found
        months = time.astype("M8[M]")
        target = months + (places * (12 if self.unit == "years" else 1)).astype("m8[M]")
        into = (time.astype("M8[D]") - months.astype("M8[D]")).astype(np.int64)
        if self.day is not None:
            into = np.full_like(into, self.day - 1)
        day = target.astype("M8[D]") + np.minimum(into, _last_day(target) - 1).astype("m8[D]")
        at: AnyArray = day + (time - time.astype("M8[D]"))
        return at


def calendar_steps(
    time: AnyArray, inside: BoolArray, *, working_days: bool = True
) -> CalendarSteps | None:
    """Find months, years or days of the week that make dates even; None if nothing does.

    Months: the median distance between rows is at least 28 days, and all are at the same time of
    day. They fall on the same day of every month (or the last day of a shorter month), or all
    within its first or its last three days, as first and last working days do.

    Working days: rows are at the same time of day, on only two to six days of the week. Most
    steps lead to the next of these days, and at least two of them skip other days.

    Parameters
    ----------
    time : ndarray of datetime64
    inside : ndarray of bool of shape (n_rows - 1,)
        Which pairs of neighbouring rows belong to one sequence.
    working_days : bool
        Whether to look for them.

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.datasets._calendar_steps import calendar_steps
    >>> ends = np.array(["2024-01-31", "2024-02-29", "2024-03-31"], dtype="M8[s]")
    >>> calendar_steps(ends, np.array([True, True])).unit
    'months'
    """
    days, of_day = _days(time)
    if not inside.any() or (of_day != of_day[0]).any():
        return None
    apart = (np.diff(days) / _DAY)[inside]
    if np.quantile(apart, 0.5, method="lower") >= 28:
        return _months(days, inside)
    return _working_days(days, inside, apart) if working_days else None


def _days(time: AnyArray) -> tuple[AnyArray, IntArray]:
    """Return the day of each moment, and its time of day in the moments' own unit.

    In whole numbers: NumPy cannot convert the days at the ends of its nanosecond range.
    """
    unit, _ = np.datetime_data(time.dtype)
    per_day = int(_DAY // np.array(1, f"m8[{unit}]")) if unit not in ("Y", "M", "W") else 0
    if per_day <= 1:
        return time.astype("M8[D]"), np.zeros(len(time), dtype=np.int64)
    counts = time.astype(np.int64)
    return (counts // per_day).astype("M8[D]"), counts % per_day


def _last_day(months: AnyArray) -> IntArray:
    following = (months + _MONTH).astype("M8[D]")
    length: IntArray = (following - months.astype("M8[D]")).astype(np.int64)
    return length


def _months(days: AnyArray, inside: BoolArray) -> CalendarSteps | None:
    months = days.astype("M8[M]")
    day = (days - months.astype("M8[D]")).astype(np.int64) + 1
    last = _last_day(months)
    same = (day == np.minimum(day.max(), last)).all()
    if not (same or (day <= 3).all() or (day > last - 3).all()):
        return None
    places = months.astype(np.int64)
    steps = np.diff(places)[inside]
    common = int(day.max()) if same else None
    if steps.size and (steps % 12 == 0).all():
        return CalendarSteps(places // 12, "years", day=common)
    return CalendarSteps(places, "months", day=common)


def _working_days(days: AnyArray, inside: BoolArray, apart: AnyArray) -> CalendarSteps | None:
    weekday = (days.astype(np.int64) + 3) % 7  # 1970 began on a Thursday
    used = np.bincount(weekday, minlength=7) > 0
    if not 2 <= used.sum() <= 6:
        return None
    # A list: NumPy 1.26 warns about an array of its own bools, which it reads one by one.
    places = np.busday_count(np.full_like(days, days[0]), days, weekmask=used.tolist())
    steps = np.diff(places)[inside]
    over = (steps == 1) & (apart > 1)
    if 2 * (steps == 1).sum() <= steps.size or over.sum() < 2:
        return None
    unit = "working days" if used.sum() >= 5 else "recorded days"
    names = tuple(name for name, there in zip(_WEEKDAYS, used, strict=True) if there)
    return CalendarSteps(places, unit, names)
