"""Time stamps, from the cells of a time column."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from predfeat._typing import AnyArray, FloatArray, IntArray
from predfeat.datasets._clocks import ENOUGH
from predfeat.datasets._counting import counts_of, in_float
from predfeat.datasets._dates import NOT_MOVED, AmbiguousDatesError, parse_clock, parse_dates
from predfeat.datasets._naming import LONGEST_NAME
from predfeat.exceptions import DataFileError

__all__ = ["Stamps", "are_days_in_digits", "is_time_name", "parse_times", "shown", "unit_in_name"]

# The last is what pandas calls an index without a name when it writes Parquet.
TIME_NAMES = (
    "time", "timestamp", "datetime", "date", "t", "ts", "epoch", "unixtime", "elapsed",
    "elapsedtime", "zeit", "datum", "indexlevel0",
)  # fmt: skip
_IN_BRACKETS = re.compile(r"(.*?)[\s_]*[\[({](.+)[\])}]\s*")
_AFTER_BAR = re.compile(r"(.+)_([a-zA-Zµ]+)")
SECONDS = {
    **dict.fromkeys(("ns", "nanosecond", "nanoseconds"), 1e-9),
    **dict.fromkeys(("us", "µs", "μs", "microsecond", "microseconds"), 1e-6),
    **dict.fromkeys(("ms", "msec", "millisecond", "milliseconds"), 1e-3),
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), 1.0),
    **dict.fromkeys(("min", "mins", "minute", "minutes"), 60.0),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours"), 3600.0),
    **dict.fromkeys(("d", "day", "days"), 86_400.0),
}
_NANOSECOND = Fraction(1, 10**9)  # seconds
_DAY = 86_400 * 10**9  # nanoseconds
# Unix time of this millennium up to 2100: ten digits in seconds, three more for each finer unit.
_EPOCHS = (1_000_000_000, 4_102_444_800)
_EPOCH_UNITS = (
    (1, "seconds", "M8[s]"),
    (10**3, "milliseconds", "M8[ms]"),
    (10**6, "microseconds", "M8[us]"),
    (10**9, "nanoseconds", "M8[ns]"),
)
_YEARS = (1600, 2200)  # of dates written as one number


@dataclass(frozen=True)
class Stamps:
    """A column of time stamps.

    Attributes
    ----------
    time : ndarray
        Numbers or datetime64; dates with a zone are in UTC.
    unit : str or None
        Of `time`; None if unknown.
    notes : tuple of str
    exact : ndarray
        The same with all digits of the cells, for sorting and subtracting: datetime64,
        moved by `moved`; or counts of `tick`.
    tick : Fraction
        In `unit`.
    moved : timedelta64
        See `Dates`.
    """

    time: AnyArray
    unit: str | None
    notes: tuple[str, ...]
    exact: AnyArray
    tick: Fraction = Fraction(1)
    moved: np.timedelta64 = NOT_MOVED

    def times(self, exact: AnyArray, rows: IntArray | None) -> AnyArray:
        """Return the time of rows that are laid out; inserted rows take it from `exact`."""
        if rows is None:
            return self.time
        found: AnyArray
        if exact.dtype.kind == "M":
            found = exact.astype(self.time.dtype) - self.moved
        elif self.time.dtype.kind == "f":
            found = in_float(exact, self.tick)
        else:
            found = exact.astype(self.time.dtype)
        there = rows >= 0
        found[there] = self.time[rows[there]]
        return found


def is_time_name(name: str) -> int | None:
    """Return how well a name fits a time column, 0 the best; None if it does not.

    Examples
    --------
    >>> from predfeat.datasets._timestamps import is_time_name
    >>> is_time_name("Time [ms]"), is_time_name("T (°C)"), is_time_name("price")
    (0, None, None)
    """
    base, unit = _parted(name)
    if unit is not None and unit not in SECONDS:
        return None
    plain = re.sub(r"[\s_./-]+", "", base.lower())
    return TIME_NAMES.index(plain) if plain in TIME_NAMES else None


def unit_in_name(name: str) -> float | None:
    """Return the unit of time in a column's name, in seconds."""
    unit = _parted(name)[1]
    return None if unit is None else SECONDS.get(unit)


def _parted(name: str) -> tuple[str, str | None]:
    """Split a name such as "time (s)" or "time_ms" into itself and its unit."""
    if len(name) > LONGEST_NAME:
        return name, None
    brackets = _IN_BRACKETS.fullmatch(name)
    if brackets is not None:
        unit = brackets[2].strip().lower()
        return (name, None) if unit in ("utc", "gmt", "local") else (brackets[1], unit)
    bar = _AFTER_BAR.fullmatch(name)
    if bar is not None and bar[2].lower() in SECONDS:
        return bar[1], bar[2].lower()
    return name, None


def parse_times(
    cells: Sequence[Any] | AnyArray,
    *,
    name: str,
    source: str,
    day_first: bool | None = None,
    unit: str = "",
) -> Stamps:
    """Read time stamps: numbers, dates, or times of day.

    Whole numbers such as 20240131 are days (also with hours, minutes and seconds
    appended, or months without a day), and Unix times of the years 2001 to 2100 are moments.

    Parameters
    ----------
    cells : list of str, or array of numbers or datetime64
    name, source : str
        The column and the file, for messages.
    day_first : bool, optional
        Whether 1/2/2012 is the first of February; by default the column decides.
    unit : str
        Of numbers, from a row of units; else the name may hold it.

    Returns
    -------
    Stamps

    Raises
    ------
    DataFileError
        When some cells are not time stamps.
    AmbiguousDatesError
        When day and month cannot be told apart.
    """
    try:
        found = _parsed(cells, name, day_first, unit)
    except AmbiguousDatesError as error:
        raise AmbiguousDatesError(f"the time column {name!r} of {source} {error}") from None
    if isinstance(found, str):
        raise DataFileError(f"the time column {name!r} of {source} {found}.")
    return found


def _parsed(
    cells: Sequence[Any] | AnyArray, name: str, day_first: bool | None, unit: str
) -> Stamps | str:
    if isinstance(cells, np.ndarray) and cells.dtype.kind == "M":
        bad = np.flatnonzero(np.isnat(cells))
        return f"is empty in row {bad[0] + 1}" if bad.size else Stamps(cells, "s", (), cells)
    if isinstance(cells, np.ndarray) and cells.dtype.kind == "m":
        return _durations(cells)
    if isinstance(cells, np.ndarray) and cells.dtype.kind in "iuf":
        return _numbers(cells, None, name, unit)
    texts = [str(cell).strip() for cell in cells]
    if "" in texts:
        return f"is empty in row {texts.index('') + 1}"
    try:
        numbers = np.fromiter(map(float, texts), np.float64, len(texts))
    except ValueError:
        return _dates(texts, day_first)
    return _numbers(numbers, texts, name, unit)


def _dates(texts: list[str], day_first: bool | None) -> Stamps | str:
    clock = parse_clock(texts)
    if clock is not None:
        return _past_midnight(clock)
    dates = parse_dates(texts, day_first)
    if isinstance(dates, str):
        return dates
    return Stamps(dates.time, "s", dates.notes, dates.exact, moved=dates.moved)


def _past_midnight(clock: IntArray) -> Stamps:
    """Continue times of day after midnight, where the clock falls by nearly a day."""
    falls = np.diff(clock) < -_DAY // 2
    if not falls.any() or clock.max() >= _DAY:
        return _counted(clock, _NANOSECOND)
    days = np.append(0, np.cumsum(falls))
    times = "once" if days[-1] == 1 else f"{days[-1]} times"
    note = f"The times of day pass midnight {times}: each time a new day begins."
    return _counted(clock + _DAY * days, _NANOSECOND, (note,))


def _durations(cells: AnyArray) -> Stamps | str:
    bad = np.flatnonzero(np.isnat(cells))
    if bad.size:
        return f"is empty in row {bad[0] + 1}"
    return _counted(cells.view(np.int64), _fraction(SECONDS[np.datetime_data(cells.dtype)[0]]))


def _counted(counts: AnyArray, tick: Fraction, notes: tuple[str, ...] = ()) -> Stamps:
    """Return time stamps that are counts of a part of a second."""
    return Stamps(in_float(counts, tick), "s", notes, counts, tick)


def _fraction(number: float) -> Fraction:
    """Return 1/10 for 0.1."""
    return Fraction(repr(number))


def _numbers(numbers: AnyArray, texts: list[str] | None, name: str, unit: str) -> Stamps | str:
    as_floats = numbers.astype(np.float64)
    bad = np.flatnonzero(~np.isfinite(as_floats))
    if bad.size:
        return f"is {as_floats[bad[0]]} in row {bad[0] + 1}"
    counts, tick = counts_of(numbers if numbers.dtype.kind in "iu" else as_floats, texts)
    whole = tick == 1 and counts.dtype.kind in "iu"
    if whole:
        days = _written_as_one_number(counts)
        if days is not None:
            return Stamps(days, "s", (), days)
    seconds = SECONDS.get(unit.lower(), unit_in_name(name))
    if seconds is None or seconds <= 1:
        moments, note = _unix(counts, tick, name)
        if moments is not None:
            return Stamps(moments, "s", (note,), moments)
    if seconds is not None:
        return Stamps(as_floats * seconds, "s", (), counts, tick * _fraction(seconds))
    return Stamps(counts if whole else as_floats, None, (), counts, tick)


def are_days_in_digits(texts: Sequence[str]) -> bool:
    """Tell whether whole numbers are days such as 20240131, or hours such as 2024013123, going up.

    Examples
    --------
    >>> from predfeat.datasets._timestamps import are_days_in_digits
    >>> are_days_in_digits([str(20240122 + i) for i in range(10)])
    True
    >>> are_days_in_digits([str(20240123 + i) for i in range(10)])  # no 32nd of January
    False
    """
    if len(texts) < ENOUGH or not all(text.isascii() and text.isdigit() for text in texts):
        return False
    if not {len(text) for text in texts} <= {8, 10, 12, 14} or len({len(t) for t in texts}) > 1:
        return False
    numbers = np.array([int(text) for text in texts])
    return bool((np.diff(numbers) > 0).all()) and _written_as_one_number(numbers) is not None


def _written_as_one_number(numbers: AnyArray) -> AnyArray | None:
    """Read 20240131 as a day: 20240131 and 20240201 lie one day apart, not seventy."""
    digits = len(str(int(numbers[0])))
    if digits not in (6, 8, 10, 12, 14):
        return None
    scale = 10 ** (digits - 4)
    if numbers.min() < _YEARS[0] * scale or numbers.max() >= (_YEARS[1] + 1) * scale:
        return None
    rest = numbers.astype(np.int64)
    parts: list[AnyArray] = []
    for _ in range((digits - 4) // 2):
        rest, part = np.divmod(rest, 100)
        parts.insert(0, part)
    month = parts[0]
    first = ((rest - 1970) * 12 + month - 1).astype("M8[M]")
    right = (month >= 1) & (month <= 12)
    found = first.astype("M8[s]")
    if len(parts) > 1:
        day = first.astype("M8[D]") + (parts[1] - 1).astype("m8[D]")
        right &= (parts[1] >= 1) & (day.astype("M8[M]") == first)
        found = day.astype("M8[s]")
    for part, (limit, seconds) in zip(parts[2:], ((24, 3600), (60, 60), (60, 1)), strict=False):
        right &= part < limit
        found = found + (part * seconds).astype("m8[s]")
    return found.astype("M8[us]") if right.all() else None


def _unix(counts: AnyArray, tick: Fraction, name: str) -> tuple[AnyArray | None, str]:
    """Read plausible Unix times as moments, with a note."""
    low, high = counts.min().item() * tick, counts.max().item() * tick
    for per_second, unit, _ in _EPOCH_UNITS:
        if _EPOCHS[0] * per_second <= low and high <= _EPOCHS[1] * per_second:
            if counts.dtype.kind == "f":  # whose last digits mean nothing
                fraction: FloatArray = counts * (1e6 / per_second)
                moments = np.rint(fraction).astype(np.int64).astype("M8[us]")
            else:
                moments = _moments(counts, tick / per_second)
            note = (
                f"The numbers of {name!r} were taken as {unit} since 1970 (Unix time): "
                f"{shown(moments.min())} to {shown(moments.max())}."
            )
            return moments, note
    return None, ""


def _moments(counts: AnyArray, seconds: Fraction) -> AnyArray:
    """Return moments from counts, in units of `seconds`, since 1970; truncated to 1 ns."""
    units = [(seconds * per_second, kind) for per_second, _, kind in _EPOCH_UNITS]
    factor, kind = next((u for u in units if u[0].denominator == 1), units[-1])
    whole = counts.astype(np.int64) // factor.denominator * factor.numerator
    moments: AnyArray = whole.astype(kind)
    return moments


def shown(stamp: Any) -> str:
    """Return a time stamp as a person would write it.

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.datasets._timestamps import shown
    >>> shown(np.datetime64("2024-03-01T02:00:00.000000")), shown(3.0)
    ('2024-03-01 02:00', '3')
    """
    if isinstance(stamp, np.integer):
        return str(stamp)
    if not isinstance(stamp, np.datetime64):
        return f"{float(stamp):.12g}"
    text = str(stamp).replace("T", " ")
    text = re.sub(r"\.0+$|(\.\d*?[1-9])0+$", r"\1", text)
    return re.sub(r"( \d\d:\d\d):00$", r"\1", text).removesuffix(" 00:00")
