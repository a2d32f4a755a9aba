"""Which columns of numbers are not data: counters, calendars, labels, and mostly empty ones.

One stage for every kind of table, after all rows are read and before they are laid out in time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from predfeat._typing import AnyArray, BoolArray, FloatArray, IntArray
from predfeat.datasets._calendar import Calendar
from predfeat.datasets._clocks import ENOUGH, is_linear, labels_stretches, turns
from predfeat.datasets._counting import since
from predfeat.datasets._naming import in_python, quoted
from predfeat.datasets._sparse import cost_in_rows, worth_their_rows
from predfeat.exceptions import DataFileError

__all__ = ["Rows", "Screened", "about_ids", "screen"]


@dataclass(frozen=True)
class Rows:
    """What is known of the rows of a file, in its order.

    Attributes
    ----------
    n_rows : int
    time : ndarray, optional
        datetime64, or numbers in any unit.
    groups : ndarray, optional
        Ids of the sequences.
    """

    n_rows: int
    time: AnyArray | None = None
    groups: AnyArray | None = None

    def orders(self) -> list[tuple[IntArray, BoolArray]]:
        """Return the orders in which a counter may count, each with where its sequences begin.

        The order of the file, and the chronological one if it differs.
        """
        ways = [np.arange(self.n_rows)]
        if self.time is not None:
            _, which = np.unique(
                np.zeros(self.n_rows) if self.groups is None else _as_text(self.groups),
                return_inverse=True,
            )
            in_time = np.lexsort((self.time, which))
            if (in_time != ways[0]).any():
                ways.append(in_time)
        return [(way, self._begins(way)) for way in ways]

    def _begins(self, order: IntArray) -> BoolArray:
        begins = np.zeros(self.n_rows, dtype=bool)
        begins[:1] = True
        if self.groups is not None:
            groups = self.groups[order]
            begins[1:] = groups[1:] != groups[:-1]
        return begins

    def seconds(self) -> FloatArray | None:
        """Return time as numbers, from the first row on."""
        return None if self.time is None else since(self.time)


@dataclass
class Screened:
    """What stays of a table.

    Attributes
    ----------
    kept : list of int
        Columns that are data.
    left_out : list of int
    notes : tuple of str
    """

    kept: list[int]
    left_out: list[int] = field(default_factory=list)
    notes: tuple[str, ...] = ()


def screen(
    values: FloatArray,
    names: Sequence[str],
    rows: Rows,
    *,
    wanted: Sequence[int] = (),
    source: str,
) -> Screened:
    """Find the columns of a table that are data.

    Parameters
    ----------
    values : ndarray of shape (n_rows, n_columns)
        In the order of the file.
    names : sequence of str
    rows : Rows
    wanted : sequence of int
        Columns that the user named: they are always kept.
    source : str
        The file, for messages.

    Returns
    -------
    Screened
    """
    free = [i for i in range(len(names)) if i not in set(wanted)]
    reasons, labels = _no_data(values, rows, free)
    notes: list[str] = []
    data = [i for i in range(len(names)) if i not in reasons]
    if reasons and not any(_varies(values[:, i]) for i in data):
        notes += _nothing_else(reasons, names, source)
        reasons, data = {}, list(range(len(names)))
    if reasons:
        notes.append(_about_clocks(reasons, names))
    if labels and rows.groups is None:
        notes.append(about_ids([names[i] for i in labels]))
    kept, costs = _worth(values, data, wanted, names)
    notes += costs
    left_out = sorted(set(range(len(names))) - set(kept))
    return Screened(kept, left_out, tuple(notes))


def about_ids(names: Sequence[str]) -> str:
    """Return a note that columns may be ids of sequences."""
    one = len(names) == 1
    return (
        f"Column{'' if one else 's'} {quoted(names)} change{'s' if one else ''} rarely and never "
        f"return{'s' if one else ''} to an earlier value. If {'it tells' if one else 'they tell'} "
        f"sequences (trials, stations) apart, give {in_python('group', names[:1])}."
    )


def _no_data(
    values: FloatArray, rows: Rows, free: Sequence[int]
) -> tuple[dict[int, str], list[int]]:
    """Return why columns are not data, in a word, and which may be ids of sequences."""
    reasons: dict[int, str] = {}
    labels: list[int] = []
    orders = rows.orders()
    seconds = rows.seconds()
    calendars = _calendars(values, rows, free)
    for i in free:
        column = values[:, i]
        if not _varies(column):
            continue
        told = next((what for calendar in calendars if (what := calendar.what(column))), None)
        label = not told and any(labels_stretches(column[way], begins) for way, begins in orders)
        if told:
            reasons[i] = told
        elif rows.groups is not None and _is_constant_within(column, orders[0][1]):
            reasons[i] = "constant in each group"
        elif any(_counts(column[way], way, begins, seconds) for way, begins in orders):
            reasons[i] = "constant steps"
        elif label:
            reasons[i] = "each value in one stretch of rows"
        elif any(turns(column[way], begins) for way, begins in orders):
            reasons[i] = "counts like a clock"
        if label:
            labels.append(i)
    return reasons, labels


def _counts(
    column: FloatArray, way: IntArray, begins: BoolArray, seconds: FloatArray | None
) -> bool:
    if is_linear(column, np.arange(len(column), dtype=np.float64), begins):
        return True
    return seconds is not None and is_linear(column, seconds[way], begins)


def _calendars(values: FloatArray, rows: Rows, free: Sequence[int]) -> list[Calendar]:
    """Return the calendar of the time stamps, and that of local hours if a column has them."""
    if rows.time is None or rows.time.dtype.kind != "M":
        return []
    calendar = Calendar(rows.time, np.argsort(rows.time, kind="stable"))
    local = (calendar.local(values[:, i]) for i in free)
    return [calendar, *[other for other in local if other is not None][:1]]


def _is_constant_within(column: FloatArray, begins: BoolArray) -> bool:
    known = ~np.isnan(column)
    x, sequence = column[known], np.cumsum(begins)[known]
    first = np.append(True, sequence[1:] != sequence[:-1])
    if np.count_nonzero(~first) < ENOUGH:
        return False
    return bool((x == x[np.flatnonzero(first)][np.cumsum(first) - 1]).all())


def _varies(column: FloatArray) -> bool:
    known = column[~np.isnan(column)]
    return bool(known.size and (known != known[0]).any())


def _nothing_else(reasons: dict[int, str], names: Sequence[str], source: str) -> list[str]:
    """Return the note on a table without data: one column is read anyway, more are an error."""
    told = [names[i] for i in reasons]
    if len(told) > 1:
        raise DataFileError(
            f"{source} has no column of data, only {_with_reasons(reasons, names)}. To analyse "
            f"them anyway, give {in_python('keep', told)}."
        )
    why = next(iter(reasons.values()))
    return [
        f"Column {told[0]!r} does not look like a measurement ({why}), but was read as it is "
        "the only one."
    ]


def _about_clocks(reasons: dict[int, str], names: Sequence[str]) -> str:
    option = in_python("keep", [names[i] for i in reasons])
    one = len(reasons) == 1
    return (
        f"Left out because {'it follows' if one else 'they follow'} from the row or its time alone"
        f": {_with_reasons(reasons, names)}. A ramp or sawtooth without noise looks the same; "
        f"{option} reads {'it' if one else 'them'} as data."
    )


def _with_reasons(reasons: dict[int, str], names: Sequence[str]) -> str:
    by_reason: dict[str, list[str]] = {}
    for i, reason in reasons.items():
        by_reason.setdefault(reason, []).append(names[i])
    parts = []
    for reason, columns in by_reason.items():
        same = [c for c in columns if c.strip().lower() == reason]
        other = [c for c in columns if c not in same]
        parts += [quoted(same)] if same else []
        parts += [f"{quoted(other)} ({reason})"] if other else []
    return ", ".join(parts)


def _worth(
    values: FloatArray, data: list[int], wanted: Sequence[int], names: Sequence[str]
) -> tuple[list[int], list[str]]:
    """Return the columns that are worth the rows they cost, and notes on the rows lost."""
    missing = np.isnan(values)[:, data]  # not the numbers of these columns: that is a copy
    if not missing.any():
        return data, []
    fixed = [k for k, i in enumerate(data) if i in set(wanted)]
    idle = [k for k, i in enumerate(data) if not _varies(values[:, i])]
    kept = [data[k] for k in worth_their_rows(missing, fixed, idle)]
    n_rows = len(values)
    n_with = int(np.count_nonzero(~missing.any(axis=1)))
    n_without = int(np.count_nonzero(~np.isnan(values[:, kept]).any(axis=1)))
    if n_without - n_with < ENOUGH:  # a handful of rows is not worth a column
        kept = data
    dropped = [i for i in data if i not in kept]
    notes = []
    if dropped:
        told = [names[i] for i in dropped]
        shares = ", ".join(
            f"{names[i]!r} (empty in {np.count_nonzero(np.isnan(values[:, i]))} of {n_rows} rows)"
            for i in dropped[:5]
        )
        notes.append(
            f"Left out because {'it costs' if len(told) == 1 else 'they cost'} more numbers than "
            f"{'it adds' if len(told) == 1 else 'they add'}: {shares}"
            f"{f' and {len(dropped) - 5} more' if len(dropped) > 5 else ''}. With all columns, "
            f"{n_with} rows would be complete; without {'it' if len(told) == 1 else 'them'}, "
            f"{n_without}. {in_python('keep', told)} reads {'it' if len(told) == 1 else 'them'}."
        )
    notes += _about_gaps(values[:, kept], [names[i] for i in kept])
    return kept, notes


def _about_gaps(values: FloatArray, names: Sequence[str]) -> list[str]:
    n_gaps, alone = cost_in_rows(values)
    if not n_gaps:
        return []
    worst = sorted(alone, key=lambda i: (-alone[i], i))
    parts = [f"{alone[i]} only for {names[i]!r}" for i in worst[:5]]
    if len(worst) > 5:
        parts.append(f"{sum(alone[i] for i in worst[5:])} only for one of {len(worst) - 5} others")
    each = f": {', '.join(parts)}" if parts and len(names) > 1 else ""
    are = "is a gap" if n_gaps == 1 else "are gaps"
    return [f"{n_gaps} of {len(values)} rows {are} because a number is missing{each}."]


def _as_text(groups: AnyArray) -> AnyArray:
    return groups if groups.dtype.kind in "iuf" else groups.astype(str)
