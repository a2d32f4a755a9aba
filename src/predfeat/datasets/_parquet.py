"""Parquet and Feather: Arrow tables, batch by batch."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from predfeat._typing import AnyArray, FloatArray
from predfeat.datasets._cells import numbers
from predfeat.datasets._file_column import FileColumn
from predfeat.datasets._limits import COLUMNS
from predfeat.datasets._missing import Missing
from predfeat.datasets._opening import Progress, check_fits, damage, library
from predfeat.datasets._recording import Recording
from predfeat.datasets._roles import Roles, assign_roles, distinct_names
from predfeat.datasets._table_options import TableOptions
from predfeat.datasets._tables import Pieces
from predfeat.datasets._time_column import Sample
from predfeat.datasets._units import units_of
from predfeat.exceptions import DataFileError

__all__ = ["read_feather", "read_parquet"]

_ROWS_AT_ONCE = 65_536
_ADVICE = "Choose fewer of its columns with `columns`."

# Takes column names, or None for all, and yields batches of these columns.
_Batches = Callable[[list[str] | None], Iterator[Any]]


@dataclass(frozen=True)
class _Table:
    """An open Arrow file.

    Attributes
    ----------
    source, kind : str
        The file's name and what it is, for messages.
    schema : pyarrow.Schema
    n_rows : int
    batches : callable
    """

    source: str
    kind: str
    schema: Any
    n_rows: int
    batches: _Batches


def read_parquet(
    path: Path, options: TableOptions, *, progress: Progress | None = None
) -> Recording:
    """Read a Parquet file in pieces."""
    library("pyarrow", extra="tables", what="reading .parquet")
    parquet = library("pyarrow.parquet", extra="tables", what="reading .parquet")
    kind = "a Parquet file"
    with damage(path.name, kind):
        schema = parquet.read_schema(path)
        # One text of megabytes may stand in millions of rows: read it once, as a dictionary.
        texts = [field.name for field in schema if "string" in str(field.type)]
        file = parquet.ParquetFile(
            path, memory_map=False, page_checksum_verification=True, read_dictionary=texts
        )
        n_rows = file.metadata.num_rows

    def batches(names: list[str] | None) -> Iterator[Any]:
        return iter(file.iter_batches(batch_size=_ROWS_AT_ONCE, columns=names))

    with file:
        return _read(_Table(path.name, kind, schema, n_rows, batches), options, progress)


def read_feather(
    path: Path, options: TableOptions, *, progress: Progress | None = None
) -> Recording:
    """Read a Feather file, which Arrow also calls an IPC file."""
    library("pyarrow", extra="tables", what="reading .feather")
    feather = library("pyarrow.feather", extra="tables", what="reading .feather")
    kind = "a Feather file"
    check_fits(path.name, path.stat().st_size, _ADVICE)
    with damage(path.name, kind):
        table = feather.read_table(path, memory_map=False)
        table.validate(full=True)

    def batches(names: list[str] | None) -> Iterator[Any]:
        chosen = table if names is None else table.select(names)
        return iter(chosen.to_batches(max_chunksize=_ROWS_AT_ONCE))

    found = _Table(path.name, kind, table.schema, table.num_rows, batches)
    return _read(found, options, progress)


def _read(table: _Table, options: TableOptions, progress: Progress | None) -> Recording:
    source, kind = table.source, table.kind
    arrow = library("pyarrow", extra="tables", what=f"reading {kind}")
    with damage(source, kind):
        types = list(table.schema.types)
        given = list(table.schema.names)
    COLUMNS.check(len(given), source)
    names, notes = distinct_names(given)
    sample = _sample(arrow, given, types, table.batches, source, kind)
    roles = assign_roles(names, options, source=source, sample=sample)
    missing = Missing.given(options.missing)
    units = units_of(given, None)
    pieces = Pieces(source, names, roles, units=units, missing=missing, notes=notes)
    for position in roles.channels:
        if not _is_number(arrow, types[position]) and not _is_text(arrow, types[position]):
            pieces.text[position] = f"column {names[position]!r} is of type {types[position]}."
    _refuse_nested(arrow, roles, names, types, source)
    numeric = [i for i in roles.channels if i not in pieces.text]
    check_fits(source, table.n_rows * len(roles.channels) * 8, _ADVICE)
    # The rounding of float32 must not become signal: it stays float32 if no column is wider.
    kinds = [types[i] for i in numeric if _is_number(arrow, types[i])]
    narrow = bool(kinds) and all(k in (arrow.float16(), arrow.float32()) for k in kinds)
    annotated = [i for found in roles.annotations.values() for i in found]
    wanted = {*numeric, *annotated}
    wanted |= {i for i in (roles.time, roles.clock, roles.group) if i is not None}
    for stored in _chosen(table.batches, given, wanted, source, kind):
        with damage(source, kind):
            read = {i: _written_out(column, source) for i, column in stored.items()}
            block = _channels(read, pieces, np.float32 if narrow else np.float64)
            stamps = None if roles.time is None else _cells(read[roles.time])
            if stamps is not None and roles.clock is not None:
                stamps = list(map("{} {}".format, stamps, _cells(read[roles.clock])))
            ids = None if roles.group is None else _ids(read[roles.group])
            about = {i: _ids(read[i]) for i in annotated}
            _keep_cells(arrow, pieces, stored, read, types)
        pieces.add(block, stamps, ids, about)
        if progress is not None and table.n_rows > 0:
            progress(min(pieces.n_rows / table.n_rows, 1.0))
    recording = pieces.recording(options.jumps, options.day_first)
    if progress is not None:
        progress(1.0)
    return recording


def _keep_cells(
    arrow: Any, pieces: Pieces, stored: dict[int, Any], read: dict[int, Any], types: list[Any]
) -> None:
    """Keep a batch of the time and group columns as they are in the file."""
    roles = pieces.roles
    for position in (roles.group, roles.time if roles.clock is None else None):
        if position is None:
            continue
        coded = arrow.types.is_dictionary(types[position])
        cells = stored[position] if coded else read[position].cast(types[position])
        # A copy, as an Arrow column may be part of a block of the whole table.
        own = arrow.concat_arrays([cells])
        pieces.arrow_cells.setdefault(position, []).append(own)


def _sample(
    arrow: Any, given: list[str], types: list[Any], batches: _Batches, source: str, kind: str
) -> Sample:
    """Return a function for the first cells of a column that may hold dates."""
    dated = {
        i
        for i, type_ in enumerate(types)
        if not (_is_number(arrow, type_) or arrow.types.is_nested(type_))
    }
    first = next(_chosen(batches, given, dated, source, kind), {})

    def sample(position: int) -> Sequence[Any] | AnyArray:
        if _is_number(arrow, types[position]):
            return np.empty(0)  # all we need to know is that it holds numbers
        if position not in first:
            return []
        with damage(source, kind):
            cells: Sequence[Any] | AnyArray = _cells(_written_out(first[position], source))
            return cells

    return sample


def _chosen(
    batches: _Batches, given: list[str], wanted: set[int], source: str, kind: str
) -> Iterator[dict[int, Any]]:
    """Yield pieces of the table, with the columns needed, as {position: Arrow array}."""
    if not wanted:
        return
    # Arrow reads all columns of a name: if names repeat, only the full table shows positions.
    by_name = len(set(given)) == len(given)
    with damage(source, kind):
        found = batches([given[i] for i in sorted(wanted)] if by_name else None)
    while True:
        with damage(source, kind):
            batch = next(found, None)
            if batch is None:
                return
            if by_name:
                stored = {i: batch.column(batch.schema.get_field_index(given[i])) for i in wanted}
            else:
                stored = {i: batch.column(i) for i in wanted}
        yield stored


def _written_out(column: Any, source: str) -> Any:
    """Return a column of text with the text in each row if it is stored as a dictionary."""
    if not hasattr(column, "dictionary") or "string" not in str(column.type):
        return column
    longest = max((len(text) for text in column.dictionary.to_pylist() if text), default=0)
    check_fits(source, longest * len(column), _ADVICE)
    return column.dictionary_decode()


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
    array = column.to_numpy(zero_copy_only=False)  # null becomes NaN
    if "string" in str(column.type):
        cells = ["" if cell is None else cell for cell in column.to_pylist()]
        tally = pieces.tally(position)
        return numbers(cells, pieces.missing, comma=False, tally=tally, row=pieces.n_rows)
    return pieces.missing.blank(array) if array.dtype.kind in "iuf" else array


def _cells(column: Any) -> Any:
    """Return time stamps as an array of numbers, dates or durations, or as text."""
    if str(column.type).startswith("time") and not str(column.type).startswith("timestamp"):
        column = column.cast("string")  # Python's times of day have no nanoseconds
    array = column.to_numpy(zero_copy_only=False)
    if array.dtype.kind in "iufMm":
        return array
    return ["" if cell is None else str(cell) for cell in column.to_pylist()]


def _ids(column: Any) -> list[Any]:
    """Return group ids; moments, times and durations as text: Python's have no nanoseconds."""
    if not str(column.type).startswith(("time", "duration")):
        return list(column.to_pylist())
    empty = column.is_null().to_pylist()
    texts = FileColumn("", column).texts()
    return [None if none else text for none, text in zip(empty, texts, strict=True)]


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
    asides = [("time", roles.time), ("group", roles.group)]
    asides += [(role, i) for role, found in roles.annotations.items() for i in found]
    for role, position in asides:
        if position is not None and arrow.types.is_nested(types[position]):
            raise DataFileError(
                f"column {names[position]!r} of {source} is of type {types[position]}: it cannot "
                f"be the {role} column."
            )
