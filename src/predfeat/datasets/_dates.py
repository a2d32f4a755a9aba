"""Dates as people write them: from columns of text to moments."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from predfeat._typing import AnyArray, BoolArray, IntArray
from predfeat.exceptions import DataFileError

__all__ = ["NOT_MOVED", "AmbiguousDatesError", "Dates", "are_dates", "parse_clock", "parse_dates"]

_CELLS_AT_ONCE = 50_000
# POSIX: two digits below 69 belong to this century.
_CENTURY_TURN = 69
_NANOSECONDS_REACH = 106_000  # days either side of 1970 that datetime64[ns] can hold
NOT_MOVED = np.timedelta64(0, "D")
_CYCLE = 146_097  # days in 400 years, after which the calendar repeats, weekdays and all

_ZONE = r"(?:\ *(?P<zone>Z|UTC|GMT|[+-]\d\d(?::?\d\d)?))?"
_CLOCK = (
    r"(?P<hour>\d{1,2})(?:[:.](?P<minute>\d\d)(?:[:.](?P<second>\d\d)(?:[.,](?P<part>\d{1,9}))?)?)?"
    r"(?:\ *(?P<half>[ap])\.?m\.?)?" + _ZONE
)
_TIME = rf"(?:(?:T|_|:|,?\ +){_CLOCK})?"
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = rf"(?P<name>{'|'.join(_MONTHS)})[a-z]*"
_WEEKDAY = r"(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\.?,?\ +)?"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>\d{4}|\d\d)"

# Tried in this order on the first cell; the first form that fits it has to fit all cells.
_FORMS = [
    re.compile(rf"^{form}$", re.ASCII | re.IGNORECASE | re.MULTILINE)
    for form in (
        r"(?P<year>\d{4})(?P<between>[-/.])(?P<month>\d{1,2})(?P=between)(?P<day>\d{1,2})" + _TIME,
        r"(?P<year>\d{4})(?P<month>\d\d)(?P<day>\d\d)" + _TIME,
        r"(?P<year>\d{4})(?P<month>\d\d)(?P<day>\d\d)T(?P<hour>\d\d)(?P<minute>\d\d)"
        r"(?:(?P<second>\d\d)(?:[.,](?P<part>\d{1,9}))?)?" + _ZONE,
        r"(?P<year>\d{4})[-/.M](?P<month>\d{1,2})",
        r"(?P<year>\d{4})[-\ ]?Q(?P<quarter>[1-4])",
        r"(?P<year>\d{4})-?W(?P<week>\d\d)(?:-?(?P<weekday>[1-7]))?",
        r"(?P<first>\d{1,2})(?P<between>[-/.])(?P<second_of_two>\d{1,2})(?P=between)"
        + _YEAR
        + _TIME,
        rf"{_WEEKDAY}{_DAY}[-/\ .]*{_MONTH}[-/\ .,]*{_YEAR}{_TIME}",
        rf"{_WEEKDAY}{_MONTH}[-/\ .]*{_DAY}[-/\ .,]+(?P<year>\d{{4}}){_TIME}",
        rf"{_WEEKDAY}{_MONTH}\ +{_DAY}\ +{_CLOCK}\ +(?P<year>\d{{4}})",
        rf"(?P<year>\d{{4}})[-/\ ]{_MONTH}[-/\ ]{_DAY}{_TIME}",
        rf"{_MONTH}[-/\ .,]*{_YEAR}",
    )
]
_CLOCK_ALONE = re.compile(
    r"^(?P<hour>\d{1,2}|\d{3,4}(?=:))[:.](?P<minute>[0-5]\d)(?:[:.](?P<second>[0-5]\d)(?:[.,](?P<part>\d{1,9}))?)?"
    r"(?:\ *(?P<half>[ap])\.?m\.?)?$",
    re.ASCII | re.IGNORECASE | re.MULTILINE,
)


_WITH_DOTS = re.compile(r"\d+\.\d+\.")
_LEAP_SECOND = re.compile(r"\d:\d\d:60(?!\d)")


class AmbiguousDatesError(DataFileError):
    """Dates that can be read day first or month first, with nothing to decide between them."""


@dataclass(frozen=True)
class Dates:
    """A column of dates.

    Attributes
    ----------
    time : ndarray of datetime64
        In UTC if the cells name a zone. To the microsecond outside the range of nanoseconds.
    exact : ndarray of datetime64
        The same with all digits of the cells, which may take a shift by `moved`. To the
        microsecond if nanoseconds cannot span the first to the last, as may happen if these are
        more than 180 years apart.
    moved : timedelta64
        Whole cycles of 400 years, after which the calendar repeats.
    notes : tuple of str
        How an ambiguous order of day and month was decided.
    """

    time: AnyArray
    exact: AnyArray
    moved: np.timedelta64
    notes: tuple[str, ...] = ()


def are_dates(cells: Sequence[str]) -> bool:
    """Tell whether all cells are dates in one form.

    Examples
    --------
    >>> from predfeat.datasets._dates import are_dates
    >>> are_dates(["Jan 1 2000", "Jan 2 2000"]), are_dates(["Jan 1 2000", "soon"])
    (True, False)
    """
    texts = [cell.strip() for cell in cells]
    form = _form(texts)
    return form is not None and all(form.match(text) for text in texts)


def parse_dates(texts: Sequence[str], day_first: bool | None = None) -> Dates | str:
    """Read dates that share a form, whichever it is.

    Parameters
    ----------
    texts : sequence of str
        Without blanks around them.
    day_first : bool, optional
        Whether 1/2/2012 is the first of February. By default the whole column decides: a number
        above 12 is a day; with dots, 1.2.2012, the day comes first; else the reading wins in
        which more of the steps between the sorted dates are alike, else the one in which the rows
        are in order.

    Returns
    -------
    Dates
    or str
        What is wrong, as the end of a sentence that begins with the column.

    Raises
    ------
    AmbiguousDatesError
        When both readings are equally good. Its message also ends such a sentence.

    Examples
    --------
    >>> from predfeat.datasets._dates import parse_dates
    >>> parse_dates(["31/1/2012 1:30 PM", "1/2/2012 1:30 PM"]).time.astype("M8[m]").tolist()
    [datetime.datetime(2012, 1, 31, 13, 30), datetime.datetime(2012, 2, 1, 13, 30)]
    """
    form = _form(texts)
    if form is None:
        return _no_date(texts[0], 0)
    parts = _Parts(form)
    for start in range(0, len(texts), _CELLS_AT_ONCE):
        block = texts[start : start + _CELLS_AT_ONCE]
        found = _found(form, block)
        if len(found) != len(block):
            wrong = next((i for i, text in enumerate(block) if not form.fullmatch(text)), 0)
            return _no_date(block[wrong], start + wrong)
        parts.add(found)
    zoned = parts.zoned
    if zoned is not None and zoned.any() and not zoned.all():
        other = int(np.flatnonzero(zoned != zoned[0])[0])
        return f"has a time zone in some rows and none in others (row {other + 1})"
    seconds, wrong_clock = parts.clock()
    if "first" not in form.groupindex:
        days, right = parts.days()
        bad = np.flatnonzero(~right | wrong_clock)
        if bad.size:
            return _no_date(texts[bad[0]], int(bad[0]))
        return parts.moments(days, seconds)
    return _decided(parts, seconds, wrong_clock, texts, day_first)


def parse_clock(texts: Sequence[str]) -> IntArray | None:
    """Read times of day, or durations such as 100:00:05, in nanoseconds; None if neither."""
    if not _CLOCK_ALONE.match(texts[0]):
        return None
    if ":" not in texts[0] and not isinstance(parse_dates(texts, day_first=True), str):
        return None  # 10.05.12 is taken for a day rather than a time
    parts = _Parts(_CLOCK_ALONE)
    for start in range(0, len(texts), _CELLS_AT_ONCE):
        block = texts[start : start + _CELLS_AT_ONCE]
        found = _found(_CLOCK_ALONE, block)
        if len(found) != len(block):
            return None
        parts.add(found)
    return parts.clock()[0]


def _form(texts: Sequence[str]) -> re.Pattern[str] | None:
    return next((form for form in _FORMS if texts and form.fullmatch(texts[0])), None)


def _found(form: re.Pattern[str], texts: Sequence[str]) -> list[tuple[str, ...]]:
    """Return the parts of all cells, fewer where some have another form."""
    joined = "\n".join(texts)
    # A cell with two lines must not make up for a wrong cell.
    return form.findall(joined) if joined.count("\n") == len(texts) - 1 else []


def _no_date(text: str, row: int) -> str:
    shown = text if len(text) <= 40 else text[:40] + "…"
    if _LEAP_SECOND.search(text):
        return (
            f"holds {shown!r} in row {row + 1}, which is a leap second: these are not "
            "supported. Leave the row out"
        )
    return (
        f"holds {shown!r} in row {row + 1}, which is neither a number nor a date such as "
        "2024-05-01, 2024-05-01T13:45:00, 31/12/2024 or Jan 1 2024"
    )


class _Parts:
    """The numbers that a form finds in its cells, one array for each of its names."""

    def __init__(self, form: re.Pattern[str]) -> None:
        self._at = {name: i - 1 for name, i in form.groupindex.items() if name != "between"}
        self._blocks: dict[str, list[AnyArray]] = {name: [] for name in self._at}
        self._joined: dict[str, AnyArray] = {}
        self.n_rows = 0

    def add(self, found: list[tuple[str, ...]]) -> None:
        self.n_rows += len(found)
        for name, at in self._at.items():
            cells = [row[at] for row in found]
            self._blocks[name].append(_NUMBERS.get(name, _whole)(cells))

    def __getitem__(self, name: str) -> AnyArray:
        if name not in self._joined:
            self._joined[name] = np.concatenate(self._blocks[name])
        return self._joined[name]

    def _or(self, name: str, other: int) -> AnyArray:
        return self[name] if name in self._at else np.full(self.n_rows, other, dtype=np.int64)

    @property
    def zoned(self) -> BoolArray | None:
        if "zone" not in self._at:
            return None
        return np.asarray(self["zone"] != _NO_ZONE)

    def clock(self) -> tuple[IntArray, BoolArray]:
        """Return nanoseconds since midnight, in UTC if there is a zone, and which are no time."""
        hour, minute, second = (self._or(name, 0) for name in ("hour", "minute", "second"))
        wrong = (minute > 59) | (second > 59)
        if "half" in self._at:
            half = self["half"]  # 0: none, 1: a.m., 2: p.m.
            wrong |= (half > 0) & ((hour < 1) | (hour > 12))
            hour = np.where(half > 0, hour % 12 + 12 * (half == 2), hour)
        if "year" in self._at:
            # The end of a day may also be written 24:00.
            wrong |= (hour > 24) | ((hour == 24) & ((minute > 0) | (second > 0)))
        moment = (hour * 60 + minute) * 60 + second
        zoned = self.zoned
        if zoned is not None:
            moment = moment - np.where(zoned, self["zone"], 0)
        return moment * 10**9 + self._or("part", 0), wrong

    def days(self, month: str = "month", day: str = "day") -> tuple[AnyArray, BoolArray]:
        """Return the days, and which of them the calendar has."""
        year = self["year"]
        if "week" in self._at:
            return self._weeks(year)
        months = self[month] if month in self._at else self._month()
        dates = self._or(day, 1)
        first = ((year - 1970) * 12 + np.clip(months, 1, 12) - 1).astype("M8[M]")
        found = first.astype("M8[D]") + (dates - 1).astype("m8[D]")
        right = (months >= 1) & (months <= 12) & (dates >= 1)
        return found, right & (found.astype("M8[M]") == first)

    def _month(self) -> AnyArray:
        return self["name"] if "name" in self._at else self["quarter"] * 3 - 2

    def _weeks(self, year: AnyArray) -> tuple[AnyArray, BoolArray]:
        fourth = (year - 1970).astype("M8[Y]").astype("M8[D]").astype(np.int64) + 3  # is in week 1
        monday = fourth - (fourth + 3) % 7
        week = self["week"]
        found = monday + (week - 1) * 7 + np.maximum(self["weekday"], 1) - 1
        thursday = monday + (week - 1) * 7 + 3
        same_year = thursday.astype("M8[D]").astype("M8[Y]").astype(np.int64) == year - 1970
        return found.astype("M8[D]"), (week >= 1) & same_year

    def moments(self, days: AnyArray, clock: IntArray) -> Dates:
        time: AnyArray = days.astype("M8[us]") + (clock // 1000).astype("m8[us]")
        low, high = int(days.min().astype(np.int64)), int(days.max().astype(np.int64))
        for cycles in (0, -round((low + high) / 2 / _CYCLE)) if (clock % 1000).any() else ():
            n_days = cycles * _CYCLE
            if max(abs(low + n_days), abs(high + n_days)) < _NANOSECONDS_REACH:
                moved = np.timedelta64(n_days, "D")
                exact = (days + moved).astype("M8[ns]") + clock.astype("m8[ns]")
                return Dates(time if cycles else exact, exact, moved)
        return Dates(time, time, NOT_MOVED)


def _whole(cells: list[str]) -> AnyArray:
    return np.array([int(cell) if cell else 0 for cell in cells], dtype=np.int64)


def _years(cells: list[str]) -> AnyArray:
    years = _whole(cells)
    short = np.array([len(cell) == 2 for cell in cells])
    found: AnyArray = years + short * np.where(years < _CENTURY_TURN, 2000, 1900)
    return found


def _nanoseconds(cells: list[str]) -> AnyArray:
    return np.array([int(cell.ljust(9, "0")) if cell else 0 for cell in cells], dtype=np.int64)


def _halves(cells: list[str]) -> AnyArray:
    known = {"": 0, "a": 1, "p": 2}
    return np.array([known[cell.lower()] for cell in cells], dtype=np.int64)


def _month_names(cells: list[str]) -> AnyArray:
    known = {name: i + 1 for i, name in enumerate(_MONTHS)}
    return np.array([known[cell.lower()] for cell in cells], dtype=np.int64)


_NO_ZONE = 10**6  # seconds: no zone is that far away


def _zones(cells: list[str]) -> AnyArray:
    known: dict[str, int] = {"": _NO_ZONE}
    for cell in set(cells) - {""}:
        digits = cell[1:].replace(":", "")
        away = 0
        if cell[0] in "+-":
            away = int(digits[:2]) * 3600 + int(digits[2:] or 0) * 60
        known[cell] = -away if cell[0] == "-" else away
    return np.array([known[cell] for cell in cells], dtype=np.int64)


_NUMBERS = {
    "year": _years,
    "part": _nanoseconds,
    "half": _halves,
    "name": _month_names,
    "zone": _zones,
}


def _decided(
    parts: _Parts,
    clock: IntArray,
    wrong_clock: BoolArray,
    texts: Sequence[str],
    day_first: bool | None,
) -> Dates | str:
    """Choose between day first and month first."""
    readings: dict[bool, Dates] = {}
    wrong: dict[bool, int] = {}
    for order, (day, month) in {
        True: ("first", "second_of_two"),
        False: ("second_of_two", "first"),
    }.items():
        if day_first not in (None, order):
            continue
        days, right = parts.days(month, day)
        bad = np.flatnonzero(~right | wrong_clock)
        if bad.size:
            wrong[order] = int(bad[0])
        else:
            readings[order] = parts.moments(days, clock)
    if not readings:
        row = max(wrong.values())  # how far the better reading got
        asked = {True: ", read day first", False: ", read month first", None: ""}[day_first]
        return f"holds {texts[row]!r} in row {row + 1}, which is not a date{asked}"
    if len(readings) == 1:
        return next(iter(readings.values()))
    times = {order: dates.time for order, dates in readings.items()}
    if (times[True] == times[False]).all():
        return readings[True]
    if all(map(_WITH_DOTS.match, texts)):
        return readings[True]  # the order wherever dates have dots
    differs = int(np.flatnonzero(times[True] != times[False])[0])
    example = texts[differs]
    for judged in (_alike, _in_order):
        good = {order: judged(time) for order, time in times.items()}
        if good[True] != good[False]:
            order = good[True] > good[False]
            said = "day first" if order else "month first"
            other = "month first" if order else "day first"
            note = (
                f"Dates such as {example} were read {said} because the rows are then more evenly "
                f"spaced in time; day_first={not order} reads them {other}."
            )
            return replace(readings[order], notes=(note,))
    raise AmbiguousDatesError(
        f"holds dates such as {example}, which may be {_in_words(times[True][differs])} or "
        f"{_in_words(times[False][differs])}, and nothing in the file tells which. Give "
        "day_first=True or day_first=False."
    )


def _in_words(moment: np.datetime64) -> str:
    day = moment.astype("M8[D]").item()
    return f"{day.day} {day:%B %Y}"


def _alike(time: AnyArray) -> float:
    """Return the largest share of the steps between the sorted dates that are the same."""
    stamps = np.unique(time)
    if len(stamps) < 2:
        return 0.0
    steps: Iterator[AnyArray] = iter((np.diff(stamps).astype(np.int64), _months_between(stamps)))
    return max(
        float(np.unique(step, return_counts=True)[1].max() / (len(stamps) - 1))
        for step in steps
        if step.size
    )


def _months_between(stamps: AnyArray) -> AnyArray:
    months = stamps.astype("M8[M]")
    into = stamps - months
    return np.diff(months.astype(np.int64)) if (into == into[0]).all() else np.empty(0, np.int64)


def _in_order(time: AnyArray) -> float:
    steps = np.diff(time).astype(np.int64)
    return float(max((steps >= 0).mean(), (steps <= 0).mean()))
