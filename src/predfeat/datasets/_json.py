"""Tables in JSON: records, rows or columns, in one document or with one record per line."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from predfeat.datasets._compressed import STREAM_ERRORS, uncompressed
from predfeat.datasets._dates import are_dates
from predfeat.datasets._decoding import LimitedLines, unreadable
from predfeat.datasets._delimited import read_delimited
from predfeat.datasets._limits import COLUMNS, NESTING
from predfeat.datasets._opening import Progress, check_fits, damage
from predfeat.datasets._recording import Recording
from predfeat.datasets._table_options import TableOptions
from predfeat.datasets._text_lines import as_lines
from predfeat.exceptions import DataFileError

__all__ = ["read_json", "read_json_lines"]

_SHAPES = (
    'A table in JSON is a list of records, [{"x": 1, "y": 2}, …], a list of rows, [[1, 2], …], or '
    'columns, {"x": [1, …], "y": [2, …]}.'
)
_ADVICE = "Save it as .csv or .parquet."
_BYTES_AT_ONCE = 2**24
_IN_MEMORY = 25  # bytes in memory per byte of JSON, at most: "{}," becomes 72
_CHECKED_EVERY = 2**22  # characters


def read_json(
    path: Path,
    options: TableOptions,
    *,
    key: str | None = None,
    progress: Progress | None = None,
) -> Recording:
    """Read a document that is a table or has one under a key."""
    content, n_bytes = [], 0
    with damage(path.name, "JSON"), path.open("rb") as raw:
        binary = uncompressed(raw, path.name)
        while part := binary.read(_BYTES_AT_ONCE):
            content.append(part)
            n_bytes += len(part)
            check_fits(path.name, _IN_MEMORY * n_bytes, _ADVICE)
        document = json.loads(b"".join(content).decode("utf-8-sig"), parse_float=_number)
    rows, has_names = _rows(_member(document, key, path.name), path.name)
    return _recording(path, rows, has_names, progress, options)


def read_json_lines(
    path: Path, options: TableOptions, *, progress: Progress | None = None
) -> Recording:
    """Read one record, or one row, from each line."""
    records: list[Any] = []
    n_bytes = checked = 0
    with path.open("rb") as raw:
        size = path.stat().st_size
        try:
            with io.TextIOWrapper(uncompressed(raw, path.name), encoding="utf-8-sig") as text:
                lines = LimitedLines(text, path.name, _ADVICE)
                for number, line in enumerate(lines):
                    if not line.isspace():
                        records.append(_parsed(line, number + 1, path.name))
                    n_bytes += len(line)
                    if n_bytes >= checked:
                        check_fits(path.name, _IN_MEMORY * n_bytes, _ADVICE)
                        checked = n_bytes + _CHECKED_EVERY
                        lines.taken()
                    if progress is not None and number % 10_000 == 0:
                        progress(0.9 * min(raw.tell() / max(size, 1), 1.0))
        except STREAM_ERRORS as error:
            raise unreadable(path.name, error) from error
    rows, has_names = _rows(records, path.name)
    return _recording(path, rows, has_names, progress, options)


def _recording(
    path: Path,
    rows: Iterable[Iterable[Any]],
    has_names: bool,
    progress: Progress | None,
    options: TableOptions,
) -> Recording:
    recording = read_delimited(path, options, lines=as_lines(rows), delimiter=",", header=has_names)
    if progress is not None:
        progress(1.0)
    return recording


class _AsWritten(float):
    """A number that keeps the digits of the file where Python would write others."""

    __slots__ = ("text",)
    text: str

    def __repr__(self) -> str:
        return self.text


def _number(text: str) -> float:
    number = float(text)
    if repr(number) == text:
        return number
    written = _AsWritten(number)
    written.text = text
    return written


def _parsed(line: str, number: int, source: str) -> Any:
    try:
        return json.loads(line, parse_float=_number)
    except (ValueError, RecursionError) as error:
        raise DataFileError(f"line {number} of {source} is no JSON: {error}.") from error


def _member(document: Any, key: str | None, source: str) -> Any:
    """Find the table in a document: all of it, the part under `key`, or its only table."""
    if key is not None:
        if not isinstance(document, dict) or key not in document:
            listed = ", ".join(map(repr, [*document][:20])) if isinstance(document, dict) else ""
            raise DataFileError(f"{source} has nothing under {key!r}, only {listed or 'a list'}.")
        return document[key]
    if not isinstance(document, dict):
        return document
    if isinstance(document.get("columns"), list) and isinstance(document.get("data"), list):
        # As pandas writes orient="split".
        columns = dict(zip(document["columns"], zip(*document["data"], strict=True), strict=True))
        return _with_index(document.get("index"), {n: list(c) for n, c in columns.items()})
    if _are_columns(document):
        return document
    tables = [name for name, part in document.items() if _is_table(part)]
    if len(tables) == 1:
        return document[tables[0]]
    if tables:
        listed = ", ".join(map(repr, tables[:20]))
        raise DataFileError(
            f"{source} holds {len(tables)} tables: {listed}. Choose one of them with `key`."
        )
    raise DataFileError(f"{source} holds no table. {_SHAPES}")


def _are_columns(part: dict[str, Any]) -> bool:
    values = list(part.values())
    return bool(values) and (
        all(isinstance(v, list) and not any(isinstance(c, list | dict) for c in v) for v in values)
        or all(isinstance(v, dict) and v.keys() == values[0].keys() for v in values)
    )


def _is_table(part: Any) -> bool:
    if isinstance(part, dict):
        return _are_columns(part)
    return isinstance(part, list) and bool(part) and isinstance(part[0], list | dict)


def _rows(table: Any, source: str) -> tuple[Iterator[list[Any]], bool]:
    """Return a table's rows, and whether the first one holds its names."""
    if isinstance(table, dict) and _are_columns(table):
        inner = next(iter(table.values()))
        if isinstance(inner, dict):
            cells = {name: list(column.values()) for name, column in table.items()}
            table = _with_index(list(inner), cells)
        columns = list(table.values())
        lengths = {len(column) for column in columns}
        if len(lengths) > 1:
            raise DataFileError(
                f"the columns of {source} are of different lengths, {min(lengths)} to "
                f"{max(lengths)}."
            )
        return _with_names([*table], zip(*columns, strict=True)), True
    if isinstance(table, list) and table:
        if all(isinstance(record, dict) for record in table):
            flat = [_flat(record, source) for record in table]
            names = list(dict.fromkeys(name for record in flat for name in record))
            COLUMNS.check(len(names), source)
            # Records that share no names take few bytes, but each becomes a row with all names.
            check_fits(source, 8 * len(flat) * len(names), _ADVICE)
            return _with_names(names, ([record.get(n) for n in names] for record in flat)), True
        if all(isinstance(row, list) for row in table):
            named = all(isinstance(cell, str) for cell in table[0])
            return iter(table), named
        if not any(isinstance(cell, list | dict) for cell in table):
            return ([cell] for cell in table), False
    raise DataFileError(f"{source} holds no table. {_SHAPES}")


def _with_index(index: list[Any] | None, columns: dict[str, Any]) -> dict[str, Any]:
    """Put pandas' index before the columns, unless it only counts rows."""
    texts = [str(key) for key in index or []]
    if texts == [str(i) for i in range(len(texts))]:
        return columns
    stamps = are_dates(texts) or all(text.isdigit() and len(text) >= 10 for text in texts)
    name = "time" if stamps else "index"
    return columns if name in columns else {name: index, **columns}


def _with_names(names: list[str], rows: Iterable[Iterable[Any]]) -> Iterator[list[Any]]:
    yield list(names)
    yield from map(list, rows)


def _flat(record: dict[str, Any], source: str, depth: int = 1) -> dict[str, Any]:
    """Name what is inside a part of a record "part.name"; lists stay as they are."""
    NESTING.check(depth, source)
    flat: dict[str, Any] = {}
    for name, cell in record.items():
        if isinstance(cell, dict):
            inside = _flat(cell, source, depth + 1)
            flat.update({f"{name}.{inner}": value for inner, value in inside.items()})
        else:
            flat[name] = cell
    return flat
