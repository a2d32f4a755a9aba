"""Which column of a table is what: time stamps, group ids, channels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from predfeat.datasets._name_lists import separate_names
from predfeat.exceptions import DataFileError

__all__ = ["Roles", "assign_roles", "distinct_names", "select_columns"]

# The last is what pandas calls an index without a name when it writes Parquet.
_TIME_NAMES = ("time", "timestamp", "datetime", "date", "t", "__index_level_0__")


@dataclass(frozen=True)
class Roles:
    """Positions of a table's columns by what they are for.

    Attributes
    ----------
    channels : list of int
        To be read as numbers.
    time, group : int or None
    guessed : bool
        Whether the time column was found by its name, not named by the user.
    asked : bool
        Whether the user named the channels.
    """

    channels: list[int]
    time: int | None
    group: int | None
    guessed: bool
    asked: bool


def assign_roles(
    names: Sequence[str],
    *,
    time: str | None,
    group: str | None,
    columns: Sequence[str] | None,
    source: str,
) -> Roles:
    """Find the columns the user named; guess the time column by its name if none was."""
    group_at = None if group is None else _position(names, group, source, "group")
    time_at = None if time is None else _position(names, time, source, "time")
    if time_at is not None and time_at == group_at:
        raise DataFileError(f"column {time!r} of {source} cannot be both time and group.")
    chosen = None if columns is None else select_columns(names, columns, source)
    for role, position in (("time", time_at), ("group", group_at)):
        if chosen is not None and position in chosen:
            raise DataFileError(
                f"column {names[position]!r} of {source} cannot be both {role} and a channel: "
                f"leave it out of `columns` or do not name it as `{role}`."
            )
    guessed = False
    if time_at is None:
        lower = [name.lower() for name in names]
        found = [lower.index(name) for name in _TIME_NAMES if name in lower]
        found = [i for i in found if i != group_at and (chosen is None or i not in chosen)]
        if found:
            time_at, guessed = found[0], True
    if chosen is None:
        chosen = [i for i in range(len(names)) if i not in (time_at, group_at)]
    return Roles(chosen, time_at, group_at, guessed, columns is not None)


def select_columns(names: Sequence[str], columns: Sequence[str], source: str) -> list[int]:
    """Return the positions of the named columns, in the order asked for."""
    columns = separate_names(columns, names)
    if len(columns) == 0:
        raise DataFileError(
            "`columns` is empty: name at least one column, or leave it out for all."
        )
    positions = [_position(names, column, source, "columns") for column in columns]
    if len(set(positions)) < len(positions):
        raise DataFileError("`columns` names a column twice: each can be a channel once.")
    return positions


def distinct_names(names: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Name the nameless and number the namesakes; also return the notes that say so.

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
            f"{', …' if len(shared) > 5 else ''}: the later ones got a number.",
        )
        if shared
        else ()
    )
    return tuple(result), notes


def _position(names: Sequence[str], name: str, source: str, option: str) -> int:
    if name in names:
        return list(names).index(name)
    listed = ", ".join(map(repr, names[:20])) + (", …" if len(names) > 20 else "")
    raise DataFileError(f"{source} has no column {name!r} (`{option}`). Its columns are {listed}.")
