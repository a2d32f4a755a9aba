"""Parquet tables, row group by row group."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from predfeat._typing import FloatArray
from predfeat.datasets._cells import numbers
from predfeat.datasets._missing import Missing
from predfeat.datasets._opening import Progress, check_fits, damage, library
from predfeat.datasets._recording import Recording
from predfeat.datasets._roles import Roles, assign_roles, distinct_names
from predfeat.datasets._tables import Pieces
from predfeat.datasets._units import units_of
from predfeat.exceptions import DataFileError

__all__ = ["read_parquet"]

_ROWS_AT_ONCE = 65_536
_ADVICE = "Choose fewer of its columns with `columns`."


def read_parquet(
    path: Path,
    *,
    columns: Sequence[str] | None = None,
    time: str | None = None,
    group: str | None = None,
    keep: Sequence[str] | None = None,
    exclude: Sequence[str] | None = None,
    missing: str | float | Sequence[str | float] | None = None,
    jumps: str = "gaps",
    progress: Progress | None = None,
) -> Recording:
    """Read a Parquet file in pieces."""
    arrow = library("pyarrow", extra="tables", what="reading .parquet")
    parquet = library("pyarrow.parquet", extra="tables", what="reading .parquet")
    source = path.name
    with damage(source, "a Parquet file"):
        file = parquet.ParquetFile(path, memory_map=False, page_checksum_verification=True)
        schema = file.schema_arrow
        n_rows = file.metadata.num_rows
        types = list(schema.types)
        given = list(schema.names)
    with file:
        names, notes = distinct_names(given)
        roles = assign_roles(
            names, time=time, group=group, columns=columns, source=source, keep=keep,
            exclude=exclude,
        )  # fmt: skip
        pieces = Pieces(
            source, names, roles, units=units_of(given, None), missing=Missing.given(missing),
            notes=notes,
        )  # fmt: skip
        for position in roles.channels:
            kind = types[position]
            if not _is_number(arrow, kind) and not _is_text(arrow, kind):
                pieces.text[position] = f"column {names[position]!r} is of type {types[position]}."
        _refuse_nested(arrow, roles, names, types, source)
        numeric = [i for i in roles.channels if i not in pieces.text]
        check_fits(source, n_rows * len(roles.channels) * 8, _ADVICE)
        # Rounding of float32 must not become signal, so it stays float32 where all columns are.
        kinds = [types[i] for i in numeric if _is_number(arrow, types[i])]
        narrow = bool(kinds) and all(k in (arrow.float16(), arrow.float32()) for k in kinds)
        for columns_read in _batches(file, given, numeric, roles, source):
            with damage(source, "a Parquet file"):
                block = _channels(columns_read, pieces, np.float32 if narrow else np.float64)
                stamps = None if roles.time is None else _cells(columns_read[roles.time])
                ids = None if roles.group is None else columns_read[roles.group].to_pylist()
            pieces.add(block, stamps, ids)
            if progress is not None and n_rows > 0:
                progress(min(pieces.n_rows / n_rows, 1.0))
    recording = pieces.recording(jumps)
    if progress is not None:
        progress(1.0)
    return recording


def _batches(
    file: Any, given: list[str], numeric: list[int], roles: Roles, source: str
) -> Iterator[dict[int, Any]]:
    """Yield pieces of the table as {position: Arrow array} of the columns needed."""
    wanted = {*numeric, *(i for i in (roles.time, roles.group) if i is not None)}
    if not wanted:
        return
    # Arrow reads by name, and all columns of that name: then positions can only be told in full.
    by_name = len(set(given)) == len(given)
    with damage(source, "a Parquet file"):
        batches = file.iter_batches(
            batch_size=_ROWS_AT_ONCE,
            columns=[given[i] for i in sorted(wanted)] if by_name else None,
        )
    while True:
        with damage(source, "a Parquet file"):
            batch = next(batches, None)
            if batch is None:
                return
            if by_name:
                read = {i: batch.column(batch.schema.get_field_index(given[i])) for i in wanted}
            else:
                read = {i: batch.column(i) for i in wanted}
        yield read


def _channels(read: dict[int, Any], pieces: Pieces, dtype: Any) -> FloatArray:
    n_rows = len(next(iter(read.values())))
    channels = pieces.roles.channels
    block = np.full((n_rows, len(channels)), np.nan, dtype=dtype)
    for i, position in enumerate(channels):
        if position in read:
            block[:, i] = _numbers(read[position], pieces, position)
    return block


def _numbers(column: Any, pieces: Pieces, position: int) -> Any:
    if str(column.type).startswith("decimal"):
        column = column.cast("float64")
    array = column.to_numpy(zero_copy_only=False)  # what is null becomes NaN
    if "string" in str(column.type):
        cells = ["" if cell is None else cell for cell in column.to_pylist()]
        tally = pieces.tally(position)
        return numbers(cells, pieces.missing, comma=False, tally=tally, row=pieces.n_rows)
    return pieces.missing.blank(array) if array.dtype.kind in "iuf" else array


def _cells(column: Any) -> Any:
    """Return time stamps as NumPy scalars, or as text where they are text."""
    array = column.to_numpy(zero_copy_only=False)
    if array.dtype.kind in "iufM":
        return list(array)
    return ["" if cell is None else str(cell) for cell in column.to_pylist()]


def _is_number(arrow: Any, kind: Any) -> bool:
    types = arrow.types
    return any(
        test(kind)
        for test in (types.is_integer, types.is_floating, types.is_boolean, types.is_decimal)
    )


def _is_text(arrow: Any, kind: Any) -> bool:
    types = arrow.types
    if types.is_dictionary(kind):
        kind = kind.value_type
    return bool(types.is_string(kind) or types.is_large_string(kind))


def _refuse_nested(
    arrow: Any, roles: Roles, names: Sequence[str], types: list[Any], source: str
) -> None:
    for role, position in (("time", roles.time), ("group", roles.group)):
        if position is not None and arrow.types.is_nested(types[position]):
            raise DataFileError(
                f"column {names[position]!r} of {source} is of type {types[position]}: it cannot "
                f"be the {role} column."
            )
