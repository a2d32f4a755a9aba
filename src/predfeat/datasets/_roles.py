"""Which column of a table is what: time stamps, group ids, channels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from predfeat.datasets._name_lists import separate_names
from predfeat.datasets._naming import quoted
from predfeat.datasets._table_options import TableOptions
from predfeat.datasets._time_column import Sample, TimeColumn, find_time, with_clock
from predfeat.exceptions import DataFileError, MissingColumnsError

__all__ = ["Roles", "assign_roles", "distinct_names", "select_columns"]


@dataclass(frozen=True)
class Roles:
    """Positions of a table's columns by what they are for.

    Attributes
    ----------
    channels : list of int
        To be read as numbers.
    time, group : int or None
    guessed : bool
        Whether the time column was guessed, not named by the user.
    asked : bool
        Whether the user named the channels.
    wanted : list of int
        Channels that the user named, in `columns` or `keep`: they are read whatever they hold.
    clock : int or None
        The times of day, where the time column holds dates alone.
    by_name : bool
        Whether a guessed time column was found by its name, not by the dates in it.
    annotations : dict of str to list of int
        Columns that say something about each row, by what they are called.
    """

    channels: list[int]
    time: int | None
    group: int | None
    guessed: bool
    asked: bool
    wanted: list[int] = field(default_factory=list)
    clock: int | None = None
    by_name: bool = True
    annotations: dict[str, list[int]] = field(default_factory=dict)


def assign_roles(
    names: Sequence[str], options: TableOptions, *, source: str, sample: Sample | None = None
) -> Roles:
    """Find the columns the user named; guess the time column if none was.

    `sample` gives the first cells of a column, so that dates are found under any name.
    """
    time, group, columns = options.time, options.group, options.columns
    keep, exclude = options.keep, options.exclude
    kept = [] if keep is None else select_columns(names, keep, source, "keep")
    left_out = [] if exclude is None else select_columns(names, exclude, source, "exclude")
    group_at = None if group is None else _position(names, group, source, "group")
    time_at = None if time is None else _position(names, time, source, "time")
    if time_at is not None and time_at == group_at:
        raise DataFileError(f"column {time!r} of {source} cannot be both time and group.")
    annotated = _annotated(names, options.annotations or {}, source)
    chosen: list[int] | None = None
    if columns is not None:
        only_annotations = len(columns) == 0 and bool(annotated)
        chosen = [] if only_annotations else select_columns(names, columns, source)
    asides = [("time", time_at), ("group", group_at)]
    asides += [(role, position) for role, found in annotated.items() for position in found]
    for role, position in asides:
        if chosen is not None and position in chosen:
            raise DataFileError(
                f"column {names[position]!r} of {source} cannot be both {role} and a channel: "
                f"leave it out of `columns` or do not name it as `{role}`."
            )
    _refuse_both(names, kept, "kept", left_out, "excluded", source)
    for role, position in asides:
        if role not in ("time", "group"):
            others = [i for i in (time_at, group_at) if i is not None]
            _refuse_both(names, [position], f"the {role} column", others, "time or group", source)
        _refuse_both(names, [position], f"the {role} column", kept, "kept as a channel", source)
        _refuse_both(names, [position], f"the {role} column", left_out, "excluded", source)
    if chosen is not None:
        _refuse_both(names, chosen, "named in `columns`", left_out, "excluded", source)
        chosen += [i for i in kept if i not in chosen]
    aside = [position for found in annotated.values() for position in found]
    taken = (group_at, *aside, *kept, *left_out, *(chosen or ()))
    free = [i for i in range(len(names)) if i not in taken]
    if time_at is None:
        found = find_time(names, free, sample)
    else:
        found = TimeColumn(time_at, with_clock(time_at, free, sample) if sample else None)
    guessed = found is not None and time_at is None
    found = found or TimeColumn(-1)
    time_at = None if found.position < 0 else found.position
    if chosen is None:
        used = (time_at, group_at, found.clock, *aside, *left_out)
        chosen = [i for i in range(len(names)) if i not in used]
        if not chosen:
            raise DataFileError(f"no column of {source} is left to read: exclude fewer.")
    wanted = kept if columns is None else list(chosen)
    return Roles(
        chosen, time_at, group_at, guessed, columns is not None, wanted, found.clock,
        found.by_name, annotated,
    )  # fmt: skip


def _annotated(
    names: Sequence[str], annotations: Mapping[str, str | Sequence[str]], source: str
) -> dict[str, list[int]]:
    """Return the positions of the columns of each annotation."""
    if not isinstance(annotations, Mapping):
        raise DataFileError(
            f"annotations={annotations!r} is no dict: give names with the columns that they stand "
            'for, such as {"label": "mode"}.'
        )
    found = {}
    for role, columns in annotations.items():
        if not isinstance(columns, str | list | tuple):
            raise DataFileError(
                f"`{role}` names {columns!r}, which is no column: give its name as text, or a list "
                "of names."
            )
        found[role] = select_columns(names, columns, source, role)
        if not found[role]:
            raise DataFileError(f"`{role}` names no column: give one, or leave it out.")
    return found


def _refuse_both(
    names: Sequence[str],
    some: Sequence[int | None],
    role: str,
    others: Sequence[int],
    other_role: str,
    source: str,
) -> None:
    for position in some:
        if position is not None and position in others:
            raise DataFileError(
                f"column {names[position]!r} of {source} cannot be both {role} and {other_role}."
            )


def select_columns(
    names: Sequence[str], columns: str | Sequence[str], source: str, option: str = "columns"
) -> list[int]:
    """Return the positions of the named columns, in the order asked for."""
    columns = separate_names(columns, names)
    if len(columns) == 0 and option == "columns":
        raise DataFileError(
            "`columns` is empty: name at least one column, or leave it out for all."
        )
    unknown = [column for column in columns if column not in names]
    if unknown:
        raise _no_column(names, unknown, source, option)
    positions = [list(names).index(column) for column in columns]
    if len(set(positions)) < len(positions) and option == "columns":
        raise DataFileError("`columns` names a column twice: each can be a channel only once.")
    return list(dict.fromkeys(positions))


def distinct_names(names: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Name unnamed columns and number duplicate names; also return the notes on this.

    Examples
    --------
    >>> from predfeat.datasets._roles import distinct_names
    >>> distinct_names(["x", "x", ""])[0]
    ('x', 'x (2)', 'column 3')
    """
    stripped = [name.strip() for name in names]
    taken = set(stripped)
    result: list[str] = []
    shared: list[str] = []
    seen: set[str] = set()
    for i, name in enumerate(stripped):
        new = name or f"column {i + 1}"
        number = 1
        while new in seen or (number > 1 and new in taken) or (not name and new in taken):
            number += 1
            new = f"{name or f'column {i + 1}'} ({number})"
        if name and new != name and name not in shared:
            shared.append(name)
        seen.add(new)
        result.append(new)
    notes = (
        (
            f"Several columns are called {', '.join(map(repr, shared[:5]))}"
            f"{', …' if len(shared) > 5 else ''}: the later ones were numbered.",
        )
        if shared
        else ()
    )
    return tuple(result), notes


def _position(names: Sequence[str], name: str, source: str, option: str) -> int:
    if name in names:
        return list(names).index(name)
    raise _no_column(names, [name], source, option)


def _no_column(
    names: Sequence[str], unknown: Sequence[str], source: str, option: str
) -> MissingColumnsError:
    message = (
        f"{source} has no column {quoted(unknown[:1])} (`{option}`). Its columns are "
        f"{quoted(names, most=20)}."
    )
    return MissingColumnsError(message, source, tuple(unknown))
