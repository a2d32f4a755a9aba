"""Columns that follow from the row alone: counters, cycles, ids of stretches.

Each test asks whether a rule that needs no measurement gives *every* cell, and whether it was
confirmed often enough not to be a coincidence.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from predfeat._typing import AnyArray, BoolArray, FloatArray, IntArray

__all__ = ["ENOUGH", "is_linear", "labels_stretches", "quantum", "turns"]

# Confirmations, each at least as unlikely as a coin toss: together, one chance in a thousand. Also
# the fewest rows in which anything is predicted, as there are ten neighbours.
ENOUGH = 10
_MONTHS = (28, 31)  # days: how unequal the parts of a year may be
_QUARTERS = (90, 92)
_ROWS_PER_MISSING = 100  # the share of rows that may be off before time stamps count as uneven
_MOST_DECIMALS = 9
_MOST_ROUNDING = 1e-3  # of a unit in the last digit: above it, any number looks like a multiple
_FIRST_ROWS = 256  # nearly all columns that are not linear fail on these


def is_linear(column: FloatArray, place: FloatArray, new: BoolArray) -> bool:
    """Tell whether a column grows by a constant step from row to row, or with time.

    Parameters
    ----------
    column : ndarray of shape (n_rows,)
        NaN where a value is missing.
    place : ndarray of shape (n_rows,)
        The number of each row, or its time.
    new : ndarray of bool of shape (n_rows,)
        True where a sequence begins; the column may restart there, with the same step.
    """
    if len(column) > 2 * _FIRST_ROWS and not _is_linear(
        column[:_FIRST_ROWS], place[:_FIRST_ROWS], new[:_FIRST_ROWS]
    ):
        # All rows have the step of the first ones, unless these are too few to tell.
        n_known = np.count_nonzero(~np.isnan(column[:_FIRST_ROWS])) - np.count_nonzero(
            new[:_FIRST_ROWS]
        )
        if n_known > ENOUGH:
            return False
    with np.errstate(over="ignore", invalid="ignore"):  # a number that large is no clock
        return _is_linear(column, place, new)


def _is_linear(column: FloatArray, place: FloatArray, new: BoolArray) -> bool:
    sequence = np.cumsum(new)
    known = ~np.isnan(column)
    x, t, sequence = column[known], place[known], sequence[known]
    if x.size < 2 or not np.isfinite(x).all():
        return False
    first = np.append(True, sequence[1:] != sequence[:-1])
    inside = ~first[1:]
    confirmed = np.count_nonzero(inside) - 1
    if confirmed < ENOUGH:
        return False
    at = np.flatnonzero(first)[np.cumsum(first) - 1]
    x_from, t_from = x.astype(np.float64) - x[at], t - t[at]
    last = np.append(first[1:], True)
    passed = float(t_from[last].sum())
    step = float(x_from[last].sum()) / passed if passed else 0.0
    if step == 0.0:
        return False
    rounding = 8 * np.finfo(x.dtype).eps * float(np.abs(x).max())
    dt = np.diff(t)[inside]
    if bool((np.abs(np.diff(x.astype(np.float64))[inside] - step * dt) <= rounding).all()):
        return True
    # A 30 Hz timer printed with three digits, or kept in single precision, is right to the last
    # digit. The more digits a step has, the more each row confirms.
    unit = quantum(x) or float(np.finfo(np.float32).eps * np.abs(x).max())
    typical = abs(step) * float(np.median(dt))
    if typical <= 2 * unit:
        return False
    off = x_from - step * t_from
    enough = confirmed * np.log2(typical / (2 * unit)) >= ENOUGH
    return bool(enough and np.ptp(off) <= 2 * unit * (1 + 1e-6) + rounding)


def quantum(column: AnyArray) -> float | None:
    """Return the power of ten of which all numbers are multiples; None if there is none.

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.datasets._clocks import quantum
    >>> quantum(np.array([0.25, 3.5])), quantum(np.array([7.0, 12.0]))
    (0.01, 1.0)
    """
    x = np.asarray(column, dtype=np.float64)
    x = x[np.isfinite(x)]
    largest = float(np.abs(x).max(initial=0.0))
    for decimals in range(_MOST_DECIMALS + 1):
        scaled = x * 10.0**decimals
        rounding = 4 * np.finfo(np.float64).eps * largest * 10.0**decimals
        if rounding > _MOST_ROUNDING:
            break
        if bool((np.abs(scaled - np.rint(scaled)) <= rounding).all()):
            return 10.0**-decimals
    return None


@dataclass(frozen=True)
class _Runs:
    """A column as stretches of equal values.

    Attributes
    ----------
    values, lengths, sequence : ndarray of shape (n_runs,)
    """

    values: FloatArray
    lengths: IntArray
    sequence: IntArray

    @classmethod
    def of(cls, column: FloatArray, new: BoolArray) -> _Runs:
        known = ~np.isnan(column)
        x = column[known].astype(np.float64)
        sequence = np.cumsum(new, dtype=np.int64)[known]
        begins = np.append(True, (x[1:] != x[:-1]) | (sequence[1:] != sequence[:-1]))[: x.size]
        at = np.flatnonzero(begins)
        return cls(x[at], np.diff(np.append(at, x.size)), sequence[at])


def labels_stretches(column: FloatArray, new: BoolArray) -> bool:
    """Tell whether a column holds ids of stretches of rows.

    The ids are whole numbers, each occurs in only one stretch of rows (of each sequence), and the
    stretches are long. Such a column only says which stretch a row is in: as no value ever recurs,
    there is nothing to learn from it.
    """
    if not _is_whole(column[:_FIRST_ROWS]) or not _is_whole(column):
        return False
    runs = _Runs.of(column, new)
    n_runs, n_rows = len(runs.values), int(runs.lengths.sum())
    if n_runs * ENOUGH > n_rows or n_runs == len(np.unique(runs.sequence)):
        return False
    seen = np.unique(np.stack([runs.sequence, runs.values]), axis=1)
    return bool(seen.shape[1] == n_runs)


def turns(column: FloatArray, new: BoolArray) -> bool:
    """Tell whether a column of whole numbers turns like the wheel of a clock.

    It holds each value for the same number of rows, then goes up (or down) by a constant step, and
    from its last value back to its first. It has at least three values: two have no order, and a
    switch that goes on and off is no calendar. What the calendar itself makes unequal is allowed:
    12 (4) values may be held as unequally as months (quarters) are long, and a wheel may have 28
    to 31 values, as months have days. Up to one row in a hundred may be missing from the table. A
    wheel that moves with every row may also be turned back before its end, as when rows are
    counted in every trial; then no row may be missing.
    """
    if not _is_whole(column[:_FIRST_ROWS]) or not _is_whole(column):
        return False
    runs = _Runs.of(column, new)
    inside = runs.sequence[1:] == runs.sequence[:-1]
    steps = np.diff(runs.values)
    held = runs.lengths[1:-1][inside[1:] & inside[:-1]]
    if held.size < 2 or len(np.unique(runs.values)) < 3:
        return False
    step = _most_common(steps[inside])
    start = runs.values.min() if step > 0 else runs.values.max()
    back = inside & (steps != step) & (runs.values[1:] == start)
    levels = (runs.values[:-1][back] - start) / step + 1
    n_odd = int(np.count_nonzero(inside & (steps != step) & ~back))
    shortest, longest = _expected_holds(held, levels)
    # Each further hold is one of about `longest` possible ones, each further step at best one of
    # two.
    per_hold = max(np.log2(shortest / (longest - shortest + 1)), 0.0)
    if (held.size - 1) * per_hold + np.count_nonzero(inside) - 1 < ENOUGH:
        return False
    too_short = np.maximum(np.ceil(shortest) - held, 0).sum()
    too_long = np.maximum(runs.lengths - longest, 0).sum()
    if longest == 1 and levels.size and levels.mean() >= ENOUGH and not n_odd + too_long:
        return True
    if levels.size and not (_MONTHS[0] <= levels.min() and levels.max() <= _MONTHS[1]):
        usual = _most_common(levels)
        beyond = (runs.values - start) / step >= usual
        n_odd += int(np.count_nonzero(levels != usual) + np.count_nonzero(beyond))
    n_missing = n_odd * longest + too_short + too_long
    return bool(n_missing <= runs.lengths.sum() // _ROWS_PER_MISSING)


def _expected_holds(held: IntArray, levels: FloatArray) -> tuple[float, float]:
    """Return the fewest and the most rows for which a wheel should be held."""
    usual = _most_common(levels) if levels.size else 0
    longest = float(held.max())
    for n_levels, (least, most) in ((12, _MONTHS), (4, _QUARTERS)):
        if usual == n_levels and np.median(held) * most >= longest * least:
            return longest * least / most, longest
    return _most_common(held), _most_common(held)


def _most_common(numbers: AnyArray) -> float:
    """Return the most frequent number; among ties, the largest."""
    found, counts = np.unique(numbers, return_counts=True)
    return float(found[len(found) - 1 - int(np.argmax(counts[::-1]))])


def _is_whole(column: FloatArray) -> bool:
    known = column[~np.isnan(column)]
    return bool(known.size and (np.abs(known) < 2.0**53).all() and (known == np.rint(known)).all())
