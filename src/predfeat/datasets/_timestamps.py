"""Time stamps: what the cells of a time column say."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from predfeat._typing import AnyArray, FloatArray
from predfeat.datasets._clocks import ENOUGH
from predfeat.datasets._dates import AmbiguousDatesError, parse_clock, parse_dates
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
_DAY = 86_400.0  # seconds
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
        float64 or datetime64; dates with a zone are in UTC.
    cells : ndarray
        What to write back: whole numbers as int, dates as the text that was read.
    unit : str or None
        Of `time`; None where nobody says.
    notes : tuple of str
    """

    time: AnyArray
    cells: AnyArray
    unit: str | None
    notes: tuple[str, ...] = ()


def is_time_name(name: str) -> int | None:
    """Return how good a name for a time column this is, 0 the best; None if it is none.

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
    """Return the seconds in the unit of time that a column's name tells."""
    unit = _parted(name)[1]
    return None if unit is None else SECONDS.get(unit)


def _parted(name: str) -> tuple[str, str | None]:
    """Part a name such as "time (s)" or "time_ms" into itself and its unit."""
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

    Whole numbers such as 20240131 are days (also with hours, minutes and seconds behind, or a
    month alone), and those that are Unix times of the years 2001 to 2100 are moments.

    Parameters
    ----------
    cells : list of str, or array of numbers or datetime64
    name, source : str
        The column and the file, for messages.
    day_first : bool, optional
        Whether 1/2/2012 is the first of February; by default the column decides.
    unit : str
        Of numbers, where a row of units tells it; else the name may.

    Returns
    -------
    Stamps

    Raises
    ------
    DataFileError
        When some cells are no time stamps.
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
        return f"is empty in row {bad[0] + 1}" if bad.size else Stamps(cells, cells, "s")
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
    kept = np.array(texts, dtype=object)
    seconds = parse_clock(texts)
    if seconds is not None:
        return _past_midnight(seconds, kept)
    dates = parse_dates(texts, day_first)
    return dates if isinstance(dates, str) else Stamps(dates.time, kept, "s", dates.notes)


def _past_midnight(seconds: FloatArray, cells: AnyArray) -> Stamps:
    """Let times of day go on after midnight, where the clock falls by nearly a day."""
    falls = np.diff(seconds) < -_DAY / 2
    if not falls.any() or seconds.max() >= _DAY:
        return Stamps(seconds, cells, "s")
    days = np.append(0, np.cumsum(falls))
    times = "once" if days[-1] == 1 else f"{days[-1]} times"
    note = f"The times of day pass midnight {times}: a new day was counted each time."
    return Stamps(seconds + _DAY * days, cells, "s", (note,))


def _numbers(numbers: AnyArray, texts: list[str] | None, name: str, unit: str) -> Stamps | str:
    as_floats = numbers.astype(np.float64)
    bad = np.flatnonzero(~np.isfinite(as_floats))
    if bad.size:
        return f"is {as_floats[bad[0]]} in row {bad[0] + 1}"
    kept: AnyArray = as_floats
    whole = bool(((np.abs(as_floats) < 2.0**53) & (as_floats == np.round(as_floats))).all())
    if numbers.dtype.kind in "iu":
        kept = numbers
    elif whole and not (np.signbit(as_floats) & (as_floats == 0)).any():
        kept = as_floats.astype(np.int64)
    if kept.dtype.kind in "iu":
        days = _written_as_one_number(kept)
        if days is not None:
            written = kept if texts is None else np.array(texts, dtype=object)
            return Stamps(days, written, "s")
    seconds = SECONDS.get(unit.lower(), unit_in_name(name))
    if seconds is None or seconds <= 1:
        moments, note = _unix(kept, name)
        if moments is not None:
            return Stamps(moments, kept, "s", (note,))
    if seconds is not None:
        return Stamps(as_floats * seconds, kept, "s")
    return Stamps(as_floats, kept, None)


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


def _unix(numbers: AnyArray, name: str) -> tuple[AnyArray | None, str]:
    """Read plausible Unix times as moments, and say so."""
    low, high = float(numbers.min()), float(numbers.max())
    for per_second, unit, kind in _EPOCH_UNITS:
        if _EPOCHS[0] * per_second <= low and high <= _EPOCHS[1] * per_second:
            if numbers.dtype.kind == "f":
                fraction: FloatArray = numbers * (1e6 / per_second)
                moments = np.rint(fraction).astype(np.int64).astype("M8[us]")
            else:
                moments = numbers.astype(np.int64).astype(kind)
            note = (
                f"The numbers of {name!r} were taken as {unit} since 1970 (Unix time): "
                f"{shown(moments.min())} to {shown(moments.max())}."
            )
            return moments, note
    return None, ""


def shown(stamp: Any) -> str:
    """Return a time stamp as a person would write it.

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.datasets._timestamps import shown
    >>> shown(np.datetime64("2024-03-01T02:00:00.000000")), shown(3.0)
    ('2024-03-01 02:00', '3')
    """
    if not isinstance(stamp, np.datetime64):
        return f"{float(stamp):.12g}"
    text = str(stamp).replace("T", " ")
    text = re.sub(r"\.0+$|(\.\d*?[1-9])0+$", r"\1", text)
    return re.sub(r"( \d\d:\d\d):00$", r"\1", text).removesuffix(" 00:00")
