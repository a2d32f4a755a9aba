"""Time stamps: what they say, and how jumps between them become gaps."""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np

from predfeat._typing import AnyArray, BoolArray, FloatArray, IntArray
from predfeat.datasets._opening import check_fits
from predfeat.exceptions import DataFileError, UnevenSamplingWarning

__all__ = ["Timeline", "lay_out", "parse_times"]

LONGEST_GAP = 100  # missing rows; a longer jump begins a new sequence
_JUMP = 1.5  # steps
_JITTER = 0.2  # of a step, from the nearest whole number of steps
_JITTER_SHARE = 0.01  # of the rows
_NANOSECONDS = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d\.\d{7,9}")


@dataclass(frozen=True)
class Timeline:
    """Rows of a file laid out evenly in time.

    Attributes
    ----------
    rows : ndarray of int, or None
        For every row of the series the row of the file, -1 for a missing one. None: one by one.
    time : ndarray
        Time stamps of all rows, the missing ones included.
    groups : ndarray or None
        Ids of the sequences.
    step : float or None
        The median time from row to row; seconds for dates.
    notes : tuple of str
    """

    rows: IntArray | None
    time: AnyArray
    groups: AnyArray | None
    step: float | None
    notes: tuple[str, ...]


def parse_times(cells: Sequence[Any] | AnyArray) -> tuple[AnyArray, AnyArray] | str:
    """Read time stamps: numbers or ISO dates.

    Parameters
    ----------
    cells : list of str, or array of numbers or datetime64

    Returns
    -------
    time : ndarray
        float64 or datetime64; dates with a zone are in UTC.
    cells : ndarray
        What to write back: whole numbers as int, dates as the text that was read.
    or str
        What is wrong, as the end of a sentence that begins with the column.
    """
    if isinstance(cells, np.ndarray) and cells.dtype.kind == "M":
        bad = np.flatnonzero(np.isnat(cells))
        return f"is empty in row {bad[0] + 1}" if bad.size else (cells, cells)
    if isinstance(cells, np.ndarray) and cells.dtype.kind in "iuf":
        return _numbers(cells.astype(np.float64), list(map(str, cells[:0])))
    texts = [str(cell).strip() for cell in cells]
    for row, text in enumerate(texts):
        if not text:
            return f"is empty in row {row + 1}"
    try:
        numbers = np.fromiter(map(float, texts), np.float64, len(texts))
    except ValueError:
        return _dates(texts)
    return _numbers(numbers, texts)


def _numbers(numbers: FloatArray, texts: list[str]) -> tuple[AnyArray, AnyArray] | str:
    bad = np.flatnonzero(~np.isfinite(numbers))
    if bad.size:
        return f"is {numbers[bad[0]]} in row {bad[0] + 1}"
    if texts and all(len(text) == 8 and text.isdigit() for text in texts):
        # 20240131 and 20240201 lie one day apart, not seventy.
        days = _dates(texts)
        if not isinstance(days, str):
            return days
    whole = (np.abs(numbers) < 2.0**53) & (numbers == np.round(numbers))
    negative_zero = np.signbit(numbers) & (numbers == 0)
    if whole.all() and not negative_zero.any():
        return numbers, numbers.astype(np.int64)
    return numbers, numbers


def _dates(texts: list[str]) -> tuple[AnyArray, AnyArray] | str:
    kept = np.array(texts, dtype=object)
    if all(_NANOSECONDS.fullmatch(text) for text in texts):  # finer than Python's own dates
        try:
            return np.array(texts, dtype="datetime64[ns]"), kept
        except ValueError:
            pass
    moments: list[datetime] = []
    for row, text in enumerate(texts):
        try:
            moment = datetime.fromisoformat(text)
            if moment.tzinfo is not None:
                moment = moment.astimezone(UTC)
        except (ValueError, OverflowError):
            shown = text if len(text) <= 40 else text[:40] + "…"
            return (
                f"holds {shown!r} in row {row + 1}, which is neither a number nor an ISO date "
                "such as 2024-05-01 or 2024-05-01T13:45:00"
            )
        if moments and (moment.tzinfo is None) != (moments[0].tzinfo is None):
            return f"has a time zone in some rows and none in others (row {row + 1})"
        moments.append(moment)
    plain = [moment.replace(tzinfo=None) for moment in moments]
    return np.array(plain, dtype="datetime64[us]"), kept


def lay_out(
    time: AnyArray,
    groups: AnyArray | None,
    *,
    source: str,
    name: str,
    jumps: str = "gaps",
    n_columns: int = 1,
) -> Timeline:
    """Put rows on an even time axis: short jumps become missing rows, long ones new sequences.

    The step is the median difference inside the groups. A jump of more than 1.5 steps, rounded
    to m steps, stands for m - 1 missing rows; where these are more than 100, a new sequence
    begins instead.

    Parameters
    ----------
    time : ndarray of shape (n_rows,)
        Numbers or datetime64.
    groups : ndarray of shape (n_rows,) or None
    source, name : str
        The file and the time column, for messages.
    jumps : {"gaps", "ignore"}
        "ignore" keeps the rows as they are.
    n_columns : int
        Of the series, to judge how much memory the missing rows would take.

    Returns
    -------
    Timeline

    Raises
    ------
    DataFileError
        Where time does not increase inside a group.
    """
    new = _group_starts(groups, len(time))
    difference = _differences(time)
    inside = ~new[1:]
    wrong = np.flatnonzero(inside & ~(difference > 0))
    if wrong.size:
        row = int(wrong[0]) + 1
        raise DataFileError(
            f"the time stamps of {source} (column {name!r}) do not increase from row {row} to "
            f"row {row + 1}: {time[row - 1]}, then {time[row]}. Sort the rows by time, or name "
            "the column that tells the sequences apart as `group`."
        )
    if not inside.any():
        return Timeline(None, time, groups, None, ())
    # The lower of two medians: their mean could be a step that never occurs.
    step = float(np.quantile(difference[inside], 0.5, method="lower"))
    with np.errstate(over="ignore"):
        steps = np.where(inside, difference / step, 1.0)
    # Beyond 1e9 the exact number does not matter: it is a new sequence anyway.
    whole = np.maximum(np.rint(np.minimum(steps, 1e9)), 1).astype(np.int64)
    if jumps == "ignore":
        return Timeline(None, time, groups, step, ())
    _warn_uneven(steps[inside], whole[inside], source, name)
    missing = np.where(steps > _JUMP, whole - 1, 0)
    cut = missing > LONGEST_GAP
    missing[cut] = 0
    notes = _notes(missing, cut, name)
    if cut.any():
        groups = np.cumsum(new | np.append(False, cut)) - 1
    if not missing.any():
        return Timeline(None, time, groups, step, notes)
    n_rows = len(time) + int(missing.sum())
    check_fits(source, n_rows * n_columns * 8, 'jumps="ignore" reads it without missing rows.')
    return _with_missing(time, groups, missing, step, notes)


def _with_missing(
    time: AnyArray, groups: AnyArray | None, missing: IntArray, step: float, notes: tuple[str, ...]
) -> Timeline:
    """Open room for `missing[i]` rows after row i."""
    repeats = np.append(missing, 0) + 1
    origin = np.repeat(np.arange(len(time)), repeats)
    first = np.append(True, origin[1:] != origin[:-1])
    rows = np.where(first, origin, -1)
    # The place of a missing row between the two rows around it, evenly divided.
    place = np.arange(len(origin)) - np.flatnonzero(first)[origin]
    ahead = np.minimum(origin + 1, len(time) - 1)
    span = time[ahead] - time[origin]
    share = place / repeats[origin]
    if time.dtype.kind == "M":
        moved = np.rint(span.astype(np.int64) * share).astype(span.dtype)
    else:
        moved = span * share
    filled = np.where(first, time[origin], time[origin] + moved)
    return Timeline(rows, filled, None if groups is None else groups[origin], step, notes)


def _group_starts(groups: AnyArray | None, n_rows: int) -> BoolArray:
    new = np.zeros(n_rows, dtype=bool)
    new[:1] = True
    if groups is not None:
        new[1:] = groups[1:] != groups[:-1]
    return new


def _differences(time: AnyArray) -> FloatArray:
    """Return the time from row to row; seconds for dates."""
    if time.dtype.kind == "M":
        return np.diff(time) / np.timedelta64(1, "s")
    with np.errstate(over="ignore"):
        return np.diff(time.astype(np.float64))


def _warn_uneven(steps: FloatArray, whole: IntArray, source: str, name: str) -> None:
    off = np.abs(steps - whole) > _JITTER
    if off.mean() > _JITTER_SHARE and steps.size > 1:
        warnings.warn(
            f"the time stamps of {source} (column {name!r}) are not evenly spaced: "
            f"{off.mean():.0%} of the steps differ by more than {_JITTER:.0%} from whole "
            "multiples of the median step. The methods assume even sampling: resample the series "
            "first.",
            UnevenSamplingWarning,
            stacklevel=2,
        )


def _notes(missing: IntArray, cut: BoolArray, name: str) -> tuple[str, ...]:
    notes = []
    if missing.any():
        notes.append(
            f"{np.count_nonzero(missing)} jump(s) of the time stamps ({name!r}): "
            f"{int(missing.sum())} missing row(s) were put in as gaps. "
            'jumps="ignore" reads without them.'
        )
    if cut.any():
        notes.append(
            f"{np.count_nonzero(cut)} jump(s) of more than {LONGEST_GAP} steps ({name!r}): a new "
            "sequence begins after each."
        )
    return tuple(notes)
