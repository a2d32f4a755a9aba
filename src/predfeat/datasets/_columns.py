"""From columns that are arrays already to a recording."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from predfeat._typing import AnyArray
from predfeat.datasets._missing import Missing
from predfeat.datasets._recording import Recording
from predfeat.datasets._roles import assign_roles, distinct_names
from predfeat.datasets._tables import Pieces

__all__ = ["record_columns"]


def record_columns(
    source: str,
    given: Sequence[str],
    arrays: Sequence[AnyArray],
    *,
    units: Sequence[str] = (),
    notes: tuple[str, ...] = (),
    columns: Sequence[str] | None = None,
    time: str | None = None,
    group: str | None = None,
    keep: Sequence[str] | None = None,
    exclude: Sequence[str] | None = None,
    missing: str | float | Sequence[str | float] | None = None,
    jumps: str | None = None,
    day_first: bool | None = None,
) -> Recording:
    """Let columns of numbers or datetime64 go the way of every table.

    Parameters
    ----------
    source : str
    given : sequence of str
        Names of the columns, as the file has them.
    arrays : sequence of ndarray of shape (n_rows,)
    units : sequence of str
        Of all columns; empty where the file says nothing.
    notes : tuple of str
    columns, time, group, keep, exclude, missing, jumps, day_first
        As `predfeat.datasets.read` takes them.
    """
    names, said = distinct_names(given)
    roles = assign_roles(
        names, time=time, group=group, columns=columns, source=source, keep=keep,
        exclude=exclude, sample=lambda i: arrays[i][:1000],
    )  # fmt: skip
    blank = Missing.given(missing)
    pieces = Pieces(source, names, roles, units=tuple(units), missing=blank, notes=(*notes, *said))
    for position in roles.channels:
        if arrays[position].dtype.kind not in "biuf":
            pieces.text[position] = f"column {names[position]!r} holds no numbers."
    numeric = [i for i in roles.channels if i not in pieces.text]
    narrow = bool(numeric) and all(arrays[i].dtype.itemsize <= 4 and arrays[i].dtype.kind == "f"
                                   for i in numeric)  # fmt: skip
    n_rows = len(arrays[0])
    block = np.full((n_rows, len(roles.channels)), np.nan, np.float32 if narrow else np.float64)
    for i, position in enumerate(roles.channels):
        if position not in pieces.text:
            block[:, i] = blank.blank(arrays[position])
    pieces.add(block, None, None if roles.group is None else arrays[roles.group].tolist())
    if roles.time is not None:
        pieces.time_cells = arrays[roles.time]
    return pieces.recording(jumps, day_first)
