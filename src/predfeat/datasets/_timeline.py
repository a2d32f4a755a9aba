"""Rows laid out evenly in time: how jumps between time stamps become gaps."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from predfeat._typing import AnyArray, BoolArray, FloatArray, IntArray
from predfeat._warnings import warn
from predfeat.datasets._calendar_steps import CalendarSteps, calendar_steps
from predfeat.datasets._clocks import ENOUGH
from predfeat.datasets._counting import differences
from predfeat.datasets._opening import check_fits
from predfeat.datasets._ordering import JITTER, Arrangement, run_starts
from predfeat.exceptions import UnevenSamplingWarning

__all__ = ["Timeline", "lay_out"]

LONGEST_GAP = 100  # missing rows; a longer jump begins a new sequence
_JUMP = 1.5  # steps
_JITTER_SHARE = 0.01  # of the rows


@dataclass(frozen=True)
class Timeline:
    """Rows of a file laid out evenly in time.

    Attributes
    ----------
    rows : ndarray of int, or None
        The file's row for each row of the series, -1 if missing. None: the same rows.
    time : ndarray
        Time stamps of all rows, including the missing ones.
    groups : ndarray or None
        Ids of the sequences.
    step : float or None
        The median time from row to row, in `unit`.
    unit : str or None
        "s" for dates, or months, years, working days; None for numbers.
    notes : tuple of str
    coarse : bool
        Whether the clock was coarser than the sampling, so that equal stamps mean nothing.
    """

    rows: IntArray | None
    time: AnyArray
    groups: AnyArray | None
    step: float | None
    unit: str | None
    notes: tuple[str, ...]
    coarse: bool = False


def lay_out(
    time: AnyArray,
    groups: AnyArray | None,
    *,
    source: str,
    name: str,
    jumps: str | None = None,
    n_columns: int = 1,
    tick: Fraction = Fraction(1),
    arrangement: Arrangement | None = None,
) -> Timeline:
    """Put rows on an even time axis: short jumps become missing rows, long ones new sequences.

    The step is the median difference inside the sequences. A jump of more than 1.5 steps, rounded
    to m steps, stands for m - 1 missing rows; if these are more than 100, a new sequence begins
    instead. If at least one row in a hundred, and at least ten, repeat the stamp of the row before
    them in the file, the clock is coarser than the sampling: the step is then the mean, and a jump
    counts from the clock's next tick. Monthly or yearly dates are counted in months or years. If
    dates keep to some days of the week, only those days count, and up to a week of them may be
    missing without a gap, unless `jumps` says otherwise.

    Parameters
    ----------
    time : ndarray of shape (n_rows,)
        Numbers or datetime64.
    groups : ndarray of shape (n_rows,) or None
    source, name : str
        The file and the time column, for messages.
    jumps : {"gaps", "ignore"}, optional
        "gaps" also turns weekends into gaps; "ignore" keeps the rows as they are.
    n_columns : int
        Columns of the series, to estimate the memory that missing rows would take.
    tick : Fraction
        What one count of `time` stands for, if it holds numbers; the step is scaled by it.
    arrangement : Arrangement, optional
        The order of the rows, and where sequences begin. By default rows stay as they are, with
        time increasing inside each group.

    Returns
    -------
    Timeline
    """
    if arrangement is None:
        arrangement = Arrangement(None, run_starts(groups, len(time)))
    time, order, new = arrangement.of(time), arrangement.order, arrangement.starts
    groups = _ids(groups, arrangement)
    inside = ~new[1:]
    notes = arrangement.notes
    dates = time.dtype.kind == "M"
    calendar = calendar_steps(time, inside, working_days=jumps != "gaps") if dates else None
    unit = calendar.unit if calendar is not None else "s" if dates else None
    difference = differences(time, tick)
    if calendar is not None:
        difference = np.diff(calendar.places).astype(np.float64)
    forward = difference[inside & (difference > 0)]
    if forward.size == 0:
        return Timeline(order, time, groups, None, unit, notes)
    # The lower of two medians: their mean could be a step that never occurs.
    # Twelve digits, as the difference of two decimals is wrong in its last ones.
    step = float(f"{np.quantile(forward, 0.5, method='lower'):.12g}")
    n_repeated = int(np.count_nonzero(difference[inside] == 0))
    # Sorted rows also repeat stamps if two recordings of the same time were joined.
    coarse = order is None and n_repeated >= max(ENOUGH, _JITTER_SHARE * inside.sum())
    if coarse:
        ticking, step = step, float(f"{difference[inside].mean():.3g}")
        notes = (*notes, _about_ticks(difference[inside], step, unit, name))
    if jumps == "ignore":
        return Timeline(order, time, groups, step, unit, notes, coarse)
    with np.errstate(over="ignore"):
        # Even if a stamp repeats or the clock was set back, rows are one step apart.
        steps = np.where(inside & (difference > 0), difference / step, 1.0)
    if coarse:
        # A clock that stands still between ticks is late by less than one tick.
        sure = (difference - ticking) / step
        steps = np.where(inside & (sure > _JUMP), np.rint(np.minimum(sure, 1e9)), 1.0)
    # Beyond 1e9 the exact number does not matter: it is a new sequence anyway.
    whole = np.maximum(np.rint(np.minimum(steps, 1e9)), 1).astype(np.int64)
    _warn_uneven(steps[inside], whole[inside], source, name)
    missing = np.where(steps > _JUMP, whole - 1, 0)
    if calendar is not None and calendar.weekdays:
        missing, said = _without_holidays(missing, calendar, name)
        notes = (*notes, said)
    cut = missing > LONGEST_GAP
    missing[cut] = 0
    notes = (*notes, *_notes(missing, cut, name))
    if cut.any():
        groups = np.cumsum(new | np.append(False, cut)) - 1
    if not missing.any():
        return Timeline(order, time, groups, step, unit, notes, coarse)
    n_rows = len(time) + int(missing.sum())
    check_fits(source, n_rows * n_columns * 8, 'jumps="ignore" reads it without missing rows.')
    even = Timeline(order, time, groups, step, unit, notes, coarse)
    return _with_missing(even, missing, calendar)


def _ids(groups: AnyArray | None, arrangement: Arrangement) -> AnyArray | None:
    """Return ids of the sequences: those of the groups, or numbers if there are more sequences."""
    ids = None if groups is None else arrangement.of(groups)
    if (run_starts(ids, len(arrangement.starts)) == arrangement.starts).all():
        return ids
    return np.cumsum(arrangement.starts) - 1


def _without_holidays(
    missing: IntArray, calendar: CalendarSteps, name: str
) -> tuple[IntArray, str]:
    """Count a jump of up to a week as one step, like a weekend."""
    a_week = len(calendar.weekdays)
    short = (missing > 0) & (missing <= a_week)
    days = (
        f"from {calendar.weekdays[0]} to {calendar.weekdays[-1]}"
        if a_week == 5 and calendar.unit == "working days" and calendar.weekdays[0] == "Monday"
        else "on " + ", ".join(calendar.weekdays)
    )
    also = (
        f", and {int(missing[short].sum())} more missing day(s), such as holidays,"
        if short.any()
        else ""
    )
    said = (
        f"The dates ({name!r}) are {calendar.unit}, {days}: the days between them{also} were not "
        'taken as gaps. jumps="gaps" turns them into gaps.'
    )
    return np.where(short, 0, missing), said


def _with_missing(
    timeline: Timeline, missing: IntArray, calendar: CalendarSteps | None
) -> Timeline:
    """Make room for `missing[i]` rows after row i."""
    time, groups = timeline.time, timeline.groups
    repeats = np.append(missing, 0) + 1
    origin = np.repeat(np.arange(len(time)), repeats)
    first = np.append(True, origin[1:] != origin[:-1])
    own = origin if timeline.rows is None else timeline.rows[origin]
    rows = np.where(first, own, -1)
    # Missing rows are spaced evenly between the two rows around them.
    place = np.arange(len(origin)) - np.flatnonzero(first)[origin]
    ahead = np.minimum(origin + 1, len(time) - 1)
    if calendar is not None:
        assert timeline.step is not None
        filled = calendar.later(time[origin], place * int(timeline.step))
    else:
        filled = _between(time[origin], time[ahead], place, repeats[origin])
    return Timeline(
        rows,
        np.where(first, time[origin], filled),
        None if groups is None else groups[origin],
        timeline.step,
        timeline.unit,
        timeline.notes,
        timeline.coarse,
    )


def _between(one: AnyArray, other: AnyArray, place: IntArray, parts: IntArray) -> AnyArray:
    """Return the moment after `place` of the `parts` equal steps between two; whole for counts."""
    if one.dtype.kind == "f":
        between: AnyArray = one + (other - one) * (place / parts)
        return between
    # Unsigned, so that a span may be wider than half the range of 64 bits.
    start, stop = one.view(np.uint64), other.view(np.uint64)
    moved = _whole_share(stop - start, place.astype(np.uint64), parts.astype(np.uint64))
    return (start + moved).view(one.dtype)


def _whole_share(span: AnyArray, place: AnyArray, parts: AnyArray) -> AnyArray:
    # Divide before multiplying, so that no product overflows 64 bits.
    quotient, rest = np.divmod(span, parts)
    share: IntArray = quotient * place + (rest * place + parts // 2) // parts
    return share


def _warn_uneven(steps: FloatArray, whole: IntArray, source: str, name: str) -> None:
    off = np.abs(steps - whole) > JITTER
    if off.mean() > _JITTER_SHARE and steps.size > 1:
        warn(
            f"the time stamps of {source} (column {name!r}) are not evenly spaced: "
            f"{off.mean():.0%} of the steps differ by more than {JITTER:.0%} from whole "
            "multiples of the median step. The methods assume even sampling: resample the series "
            "first.",
            UnevenSamplingWarning,
        )


def _about_ticks(difference: FloatArray, step: float, unit: str | None, name: str) -> str:
    return (
        f"{np.mean(difference == 0):.0%} of the time stamps ({name!r}) repeat the previous one: "
        "the clock is coarser than the sampling. The rows were taken as evenly spaced, "
        f"{step:g}{f' {unit}' if unit else ''} apart."
    )


def _notes(missing: IntArray, cut: BoolArray, name: str) -> tuple[str, ...]:
    notes = []
    if missing.any():
        notes.append(
            f"{np.count_nonzero(missing)} jump(s) of the time stamps ({name!r}): "
            f"{int(missing.sum())} missing row(s) were inserted as gaps. "
            'jumps="ignore" leaves them out.'
        )
    if cut.any():
        notes.append(
            f"{np.count_nonzero(cut)} jump(s) of more than {LONGEST_GAP} steps ({name!r}): a new "
            "sequence begins after each."
        )
    return tuple(notes)
