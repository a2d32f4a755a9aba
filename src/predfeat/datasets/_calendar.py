"""Columns that follow from the time stamps: year, month, hour, weekday and the like."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from predfeat._typing import AnyArray, FloatArray, IntArray
from predfeat.datasets._clocks import ENOUGH, quantum

__all__ = ["Calendar"]

_FIRST_ROWS = 256  # on which nearly all other columns fail at once
_YEAR = 365.2425  # days
# Conventions of decimal years (365 or 366 days, days from 0 or 1) differ by a day or two.
_DECIMAL_YEARS = 2 / _YEAR


@dataclass
class Calendar:
    """The calendar fields of every row.

    Attributes
    ----------
    dates : ndarray of datetime64
        Of every row, without NaT.
    order : ndarray of int
        The rows in the order of time.
    """

    dates: AnyArray
    order: IntArray
    _fields: dict[str, IntArray] = field(default_factory=dict)

    def what(self, column: FloatArray) -> str | None:
        """Return which part of the date a column holds ("month"), None if it holds none."""
        known = ~np.isnan(column)
        if not known.all():
            if np.count_nonzero(known) < 2:
                return None
            kept = known[self.order]
            order = (np.cumsum(known) - 1)[self.order[kept]]
            return Calendar(self.dates[known], order).what(column[known])
        if column.size < 2 or not (column != column[0]).any():
            return None
        for name in _NUMBERED:
            if self._is_shifted(column, name):
                return name
        for name in _FRACTIONS:
            if self._is_close(column, name):
                return name
        for name in _RECURRING:
            if self._follows(column, name):
                return name
        return None

    def local(self, column: FloatArray) -> Calendar | None:
        """Return the calendar of another time zone, if a column holds its hours.

        Time stamps may be in universal time where the hours are local: the two then differ by a
        constant that changes at most twice a year, with summer time.
        """
        if np.isnan(column).any() or column.min() < 0 or column.max() > 24:
            return None
        if (column != np.rint(column)).any() or len(np.unique(column)) < 24:
            return None
        shift = (column - self._field("hour")).astype(np.int64) % 24
        changes = np.count_nonzero(np.diff(shift[self.order]))
        years = self._field("year")
        if not shift.any() or changes > 2 * int(years.max() - years.min() + 1):
            return None
        shift = np.where(shift > 14, shift - 24, shift)  # zones reach from -12 to +14 hours
        return Calendar(self.dates + shift.astype("timedelta64[h]"), self.order)

    @cached_property
    def _seconds(self) -> AnyArray:
        return self.dates.astype("datetime64[s]")

    def _field(self, name: str) -> IntArray:
        if name not in self._fields:
            self._fields[name] = _FIELDS[name](self._seconds)
        return self._fields[name]

    def _is_shifted(self, column: FloatArray, name: str) -> bool:
        """Tell whether a column is a field of the date, counted from wherever."""
        head = column[:_FIRST_ROWS] - _FIELDS[name](self._seconds[:_FIRST_ROWS])
        if (head != head[0]).any():
            return False
        return bool((column - self._field(name) == head[0]).all())

    def _is_close(self, column: FloatArray, name: str) -> bool:
        values, tolerance = _FRACTIONS[name](self._seconds[:_FIRST_ROWS])
        if column.size < ENOUGH or np.abs(column[:_FIRST_ROWS] - values).max() > tolerance + 0.1:
            return False
        values, _ = _FRACTIONS[name](self._seconds)
        spacing = quantum(column) or 0.0
        off = tolerance + spacing * (1 + 1e-6) + 1e-9
        # Each row is right to so small a part of the range.
        confirmed = column.size * np.log2(np.ptp(column) / (2 * off))
        return bool(confirmed >= ENOUGH and (np.abs(column - values) <= off).all())

    def _follows(self, column: FloatArray, name: str) -> bool:
        """Tell whether a column has one value for each of a field's, and came back to it often."""
        if len(column) > 2 * _FIRST_ROWS:
            head = self.order[:_FIRST_ROWS]
            if not _is_function(self._field(name)[head], column[head]):
                return False
        values, x = self._field(name)[self.order], column[self.order]
        if not _is_function(values, x):
            return False
        _, first = np.unique(values, return_index=True)
        returning = np.ones(len(x), dtype=bool)
        returning[first] = False
        changed = np.append(False, x[1:] != x[:-1])
        return int(np.count_nonzero(returning & changed)) >= ENOUGH


def _is_function(values: IntArray, x: FloatArray) -> bool:
    _, first, which = np.unique(values, return_index=True, return_inverse=True)
    return bool((np.abs(x - x[first][which]) <= 1e-9 * max(float(np.ptp(x)), 1e-300)).all())


def _year(t: AnyArray) -> IntArray:
    return t.astype("datetime64[Y]").astype(np.int64) + 1970


def _months(t: AnyArray) -> IntArray:
    return t.astype("datetime64[M]").astype(np.int64)


def _days(t: AnyArray) -> IntArray:
    return t.astype("datetime64[D]").astype(np.int64)


def _day(t: AnyArray) -> IntArray:
    return _days(t) - t.astype("datetime64[M]").astype("datetime64[D]").astype(np.int64) + 1


def _day_of_year(t: AnyArray) -> IntArray:
    return _days(t) - t.astype("datetime64[Y]").astype("datetime64[D]").astype(np.int64) + 1


def _second_of_day(t: AnyArray) -> IntArray:
    since_midnight: AnyArray = t - t.astype("datetime64[D]")
    return since_midnight.astype("timedelta64[s]").astype(np.int64)


def _iso_week(t: AnyArray) -> IntArray:
    # The week belongs to the year of its Thursday.
    thursday = _days(t) - (_days(t) + 3) % 7 + 3
    week: IntArray = (_day_of_year(thursday.astype("datetime64[D]")) - 1) // 7 + 1
    return week


_FIELDS: dict[str, Callable[[AnyArray], IntArray]] = {
    "year": _year,
    "quarter": lambda t: _months(t) % 12 // 3 + 1,
    "month": lambda t: _months(t) % 12 + 1,
    "week": _iso_week,
    "week of the year": lambda t: (_day_of_year(t) - 1) // 7 + 1,
    "day": _day,
    "day of the year": _day_of_year,
    "weekday": lambda t: (_days(t) + 3) % 7,  # from Monday
    "weekday from Sunday": lambda t: (_days(t) + 4) % 7,
    "hour": lambda t: _second_of_day(t) // 3600,
    "minute": lambda t: _second_of_day(t) // 60 % 60,
    "second": lambda t: _second_of_day(t) % 60,
    "minute of the day": lambda t: _second_of_day(t) // 60,
    "time of day": _second_of_day,
    "hour and minute": lambda t: _second_of_day(t) // 3600 * 100 + _second_of_day(t) // 60 % 60,
    "number of the day": _days,
    "number of the week": lambda t: (_days(t) + 3) // 7,
    "number of the month": _months,
    "year and month": lambda t: _year(t) * 100 + _months(t) % 12 + 1,
    "year, month and day": lambda t: (_year(t) * 100 + _months(t) % 12 + 1) * 100 + _day(t),
}
_NUMBERED = tuple(_FIELDS)
_RECURRING = (
    "time of day", "hour", "minute", "second", "weekday", "day", "month", "day of the year",
)  # fmt: skip


def _decimal_year(t: AnyArray) -> tuple[FloatArray, float]:
    return _year(t) + (_day_of_year(t) - 1 + _second_of_day(t) / 86_400) / _YEAR, _DECIMAL_YEARS


def _months_as_fractions(t: AnyArray) -> tuple[FloatArray, float]:
    return _year(t) + (_months(t) % 12 + 0.5) / 12, 0.5 / 12


_FRACTIONS: dict[str, Callable[[AnyArray], tuple[FloatArray, float]]] = {
    "year with a fraction": _decimal_year,
    "year with months as a fraction": _months_as_fractions,
    "hour with a fraction": lambda t: (_second_of_day(t) / 3600, 0.0),
    "fraction of the day": lambda t: (_second_of_day(t) / 86_400, 0.0),
}
