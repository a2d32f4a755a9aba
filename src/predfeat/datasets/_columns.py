"""A recording from columns that already are arrays."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from predfeat._typing import AnyArray
from predfeat.datasets._missing import Missing
from predfeat.datasets._recording import Recording
from predfeat.datasets._roles import assign_roles, distinct_names
from predfeat.datasets._table_options import TableOptions
from predfeat.datasets._tables import Pieces

__all__ = ["record_columns"]


def record_columns(
    source: str,
    given: Sequence[str],
    arrays: Sequence[AnyArray],
    options: TableOptions,
    *,
    units: Sequence[str] = (),
    notes: tuple[str, ...] = (),
) -> Recording:
    """Treat columns of numbers or datetime64 like those of any other table.

    Parameters
    ----------
    source : str
    given : sequence of str
        Names of the columns, as the file has them.
    arrays : sequence of ndarray of shape (n_rows,)
    options : TableOptions
    units : sequence of str
        Of all columns; empty where the file says nothing.
    notes : tuple of str
    """
    names, said = distinct_names(given)
    roles = assign_roles(names, options, source=source, sample=lambda i: arrays[i][:1000])
    blank = Missing.given(options.missing)
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
    pieces.add(
        block,
        None,
        None if roles.group is None else arrays[roles.group].tolist(),
        {i: arrays[i].tolist() for found in roles.annotations.values() for i in found},
    )
    if roles.time is not None:
        pieces.time_cells = arrays[roles.time]
    return pieces.recording(options.jumps, options.day_first)
