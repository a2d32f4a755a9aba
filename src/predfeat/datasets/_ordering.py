"""Rows in chronological order: reversed, sorted or regrouped; and duplicate rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from predfeat._typing import AnyArray, BoolArray, FloatArray, IntArray
from predfeat.datasets._counting import differences
from predfeat.datasets._timestamps import shown
from predfeat.exceptions import DataFileError

__all__ = ["JITTER", "Arrangement", "arrange", "copies_of", "run_starts"]

JITTER = 0.2  # of a step, from the nearest whole number of steps
_HOUR = 3600.0


@dataclass(frozen=True)
class Arrangement:
    """The order in which to take a file's rows, and where sequences begin in it.

    Attributes
    ----------
    order : ndarray of int, or None
        Row of the file for each place. None: the order of the file.
    starts : ndarray of bool
        Whether a sequence begins, for each place.
    notes : tuple of str
    """

    order: IntArray | None
    starts: BoolArray
    notes: tuple[str, ...] = ()

    def of(self, cells: AnyArray) -> AnyArray:
        """Return values given for each row of the file in this order."""
        return cells if self.order is None else cells[self.order]


def arrange(
    time: AnyArray | None,
    groups: AnyArray | None,
    *,
    source: str,
    name: str,
    guessed: bool,
    told: AnyArray | None = None,
) -> Arrangement:
    """Find the chronological order within each sequence.

    A sequence is a stretch of rows of one group. Rows that already go up in time stay as they
    are; those that always go down are reversed. Others are sorted, with all rows of a group
    collected, except in two cases:

    - a clock set back by an hour, at the end of daylight saving time: the rows stay;
    - time that goes up evenly and starts again, where sorting would mix recordings made at
      different times: a new sequence begins at each start.

    Where more than half of the rows begin a stretch, the groups are interleaved in the file (many
    series in one table, sorted by date): their rows are collected, too.

    Parameters
    ----------
    time : ndarray of shape (n_rows,) or None
        datetime64, or numbers in any unit.
    groups : ndarray of shape (n_rows,) or None
    source, name : str
        The file and the time column, for messages.
    guessed : bool
        Whether the time column was guessed. Numbers that are out of order must then be evenly
        spaced once sorted: a lap time is not a time stamp.
    told : ndarray of shape (n_rows,), optional
        The time stamps for messages, if `time` counts in other units.

    Returns
    -------
    Arrangement

    Raises
    ------
    DataFileError
        Where most rows have the stamp of the row before.
    """
    either = groups if time is None else time
    n_rows = 0 if either is None else len(either)
    starts = run_starts(groups, n_rows)
    mixed = groups is not None and _mixed(groups, starts)
    if time is None:
        return _gathered(groups, np.zeros(n_rows), starts) if mixed else Arrangement(None, starts)
    told = time if told is None else told
    step = differences(time)
    inside = ~starts[1:]
    falls = inside & (step < 0)
    if mixed:
        found = _gathered(groups, time, starts)
    elif not falls.any():
        found = Arrangement(None, starts)
    elif not (inside & (step > 0)).any():
        found = _turned(starts)
    else:
        found = (
            _set_back(Arrangement(None, starts), time, told)
            or _set_back(_turned(starts), time, told)
            or _starting_again(time, groups, step, inside, falls, starts, name)
            or replace(_by_group(groups, time), notes=(_sorted(told, groups, falls),))
        )
    _refuse_repeats(found.of(time), found.of(told), found, source, name)
    if guessed and found.order is not None and not mixed and time.dtype.kind != "M":
        _refuse_uneven(told, found.of(time), found, falls, source, name)
    return found


def run_starts(groups: AnyArray | None, n_rows: int) -> BoolArray:
    """Tell which rows begin a stretch of one group."""
    new = np.zeros(n_rows, dtype=bool)
    new[:1] = True
    if groups is not None:
        new[1:] = groups[1:] != groups[:-1]
    return new


def copies_of(
    rows: IntArray,
    time: AnyArray | None,
    groups: AnyArray | None,
    values: FloatArray,
    told: AnyArray,
) -> tuple[BoolArray, IntArray, tuple[str, ...]]:
    """Find rows that repeat the previous row, stamp and numbers; note all repeated stamps.

    Parameters
    ----------
    rows : ndarray of int of shape (n_rows,)
        Row of the file, -1 for missing ones.
    time, groups, values : ndarray
        Of the rows, in order of time. Without `time`, where equal stamps mean nothing, there are
        no copies.
    told : ndarray
        The time stamps for messages.

    Returns
    -------
    keep : ndarray of bool
        False for the copies.
    copies : ndarray of int of shape (n_copies, 2)
        Rows of the file: the copy, and the row that it repeats.
    notes : tuple of str
        Also about rows that share a stamp but differ, which are kept.
    """
    keep = np.ones(len(rows), dtype=bool)
    if time is None:
        return keep, np.empty((0, 2), dtype=np.intp), ()
    same = ~run_starts(groups, len(rows))
    same[1:] &= (time[1:] == time[:-1]) & (rows[1:] >= 0) & (rows[:-1] >= 0)
    at = np.flatnonzero(same)
    if at.size == 0:
        return keep, np.empty((0, 2), dtype=np.intp), ()
    one, other = values[at], values[at - 1]
    equal = ((one == other) | (np.isnan(one) & np.isnan(other))).all(axis=1)
    keep[at[equal]] = False
    original = np.maximum.accumulate(np.where(keep, np.arange(len(rows)), 0))
    copies = np.stack([rows[at[equal]], rows[original[at[equal]]]], axis=1)
    notes = []
    if len(copies):
        notes.append(
            f"{_many(len(copies), 'row is an exact copy', 'rows are exact copies')} of another, "
            f"time stamp included (row {copies[0, 0] + 1} repeats row {copies[0, 1] + 1}): the "
            "copies were left out."
        )
    kept = at[~equal]
    if kept.size:
        first = int(kept[0])
        more = (
            "" if kept.size == 1 else f"; {_many(kept.size - 1, 'more row does', 'more rows do')}"
        )
        notes.append(
            f"Row {rows[first] + 1} has the same time stamp as row {rows[first - 1] + 1} "
            f"({shown(told[first])}){more}: such rows were kept, as if one step apart."
        )
    return keep, copies, tuple(notes)


def _many(n: int, one: str, more: str) -> str:
    return f"{n} {one if n == 1 else more}"


def _codes(groups: AnyArray | None, n_rows: int) -> IntArray:
    """Number the groups in the order in which they first occur."""
    if groups is None:
        return np.zeros(n_rows, dtype=np.intp)
    known: dict[Any, int] = {}
    return np.array([known.setdefault(i, len(known)) for i in groups.tolist()], dtype=np.intp)


def _mixed(groups: AnyArray, starts: BoolArray) -> bool:
    n_runs = int(starts.sum())
    return 2 * n_runs > len(groups) and len(set(groups.tolist())) < n_runs


def _by_group(groups: AnyArray | None, time: AnyArray) -> Arrangement:
    codes = _codes(groups, len(time))
    order = np.lexsort((time, codes))
    return Arrangement(order, run_starts(codes[order], len(order)))


def _gathered(groups: AnyArray | None, time: AnyArray, starts: BoolArray) -> Arrangement:
    note = (
        f"The rows of the {len(set(groups.tolist())) if groups is not None else 1} groups are "
        "interleaved in the file: the rows of each were collected."
    )
    return replace(_by_group(groups, time), notes=(note,))


def _turned(starts: BoolArray) -> Arrangement:
    run = np.cumsum(starts)
    order = np.lexsort((-np.arange(len(starts)), run))
    note = "The newest rows come first in the file: their order was reversed."
    return Arrangement(order, starts, (note,))


def _sorted(told: AnyArray, groups: AnyArray | None, falls: BoolArray) -> str:
    row = int(np.flatnonzero(falls)[0])
    return (
        f"The rows are not in chronological order ({shown(told[row])} in row {row + 1}, "
        f"{shown(told[row + 1])} in row {row + 2}): they were sorted"
        + ("." if groups is None else " within each group.")
    )


def _usual_step(step: FloatArray, inside: BoolArray) -> float | None:
    """Return the step that more than half of the rows take; None where there is none."""
    forward = step[inside & (step > 0)]
    if forward.size == 0:
        return None
    usual = float(np.quantile(forward, 0.5, method="lower"))
    alike = np.abs(step[inside] - usual) <= JITTER * usual
    return usual if 2 * alike.sum() > alike.size else None


def _set_back(order: Arrangement, time: AnyArray, told: AnyArray) -> Arrangement | None:
    """Return an order in which time falls only by an hour, with a note; None if there is none."""
    step, inside = differences(order.of(time)), ~order.starts[1:]
    falls = inside & (step < 0)
    usual = _usual_step(step, inside)
    if usual is None or told.dtype.kind != "M" or usual >= _HOUR or not falls.any():
        return None
    if (np.abs(step[falls] - (usual - _HOUR)) > JITTER * usual).any():
        return None
    at = int(np.flatnonzero(falls)[0])
    row, after = (int(i) for i in order.of(np.arange(len(time)))[at : at + 2])
    note = (
        f"The clock was set back by an hour {_times(int(falls.sum()))} ({shown(told[row])} in row "
        f"{row + 1}, then {shown(told[after])}), as at the end of daylight saving time: the rows "
        f"keep {'the order of the file' if order.order is None else 'this order'}."
    )
    return replace(order, notes=(*order.notes, note))


def _starting_again(
    time: AnyArray,
    groups: AnyArray | None,
    step: FloatArray,
    inside: BoolArray,
    falls: BoolArray,
    starts: BoolArray,
    name: str,
) -> Arrangement | None:
    usual = _usual_step(step, inside)
    if usual is None:
        return None
    merged = _by_group(groups, time)
    between = differences(merged.of(time))[~merged.starts[1:]]
    # Stretches that lie one after the other keep their step when sorted; stretches side by side
    # do not.
    if between.size and float(np.quantile(between, 0.5, method="lower")) > usual / 2:
        return None
    row = int(np.flatnonzero(falls)[0])
    note = (
        f"Time ({name!r}) starts again {_times(int(falls.sum()))}, first in row {row + 2}: a new "
        "sequence begins there."
    )
    return Arrangement(None, starts | np.append(False, falls), (note,))


def _times(n: int) -> str:
    return {1: "once", 2: "twice"}.get(n, f"{n} times")


def _refuse_repeats(
    time: AnyArray, told: AnyArray, found: Arrangement, source: str, name: str
) -> None:
    inside = ~found.starts[1:]
    same = inside & (time[1:] == time[:-1])
    if 2 * same.sum() > inside.sum():
        at = int(np.flatnonzero(same)[0])
        rows = sorted(int(row) + 1 for row in found.of(np.arange(len(time)))[at : at + 2])
        raise DataFileError(
            f"most time stamps of {source} (column {name!r}) occur more than once: "
            f"{shown(told[at])} stands in row {rows[0]} and in row {rows[1]}. Name the column that "
            "tells the sequences apart as `group`, or another one as `time`."
        )


def _refuse_uneven(
    told: AnyArray,
    again: AnyArray,
    found: Arrangement,
    falls: BoolArray,
    source: str,
    name: str,
) -> None:
    step = differences(again)
    inside = ~found.starts[1:]
    if (step[inside] > 0).all() and _usual_step(step, inside) is not None:
        return
    row = int(np.flatnonzero(falls)[0])
    raise DataFileError(
        f"the numbers of {source} in column {name!r} do not increase from row {row + 1} to row "
        f"{row + 2} ({shown(told[row])}, then {shown(told[row + 1])}), and they are not evenly "
        "spaced when sorted. If they are time stamps, name the column as `time`, or the one that "
        "tells the sequences apart as `group`."
    )
