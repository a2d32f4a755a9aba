"""Text tables: .csv and .tsv, plain, compressed or from standard input."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import sys
import zlib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from datetime import datetime
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np

from predfeat.datasets._cells import number, numbers
from predfeat.datasets._comments import read_lines
from predfeat.datasets._missing import Missing
from predfeat.datasets._opening import Progress
from predfeat.datasets._recording import Recording
from predfeat.datasets._roles import assign_roles, distinct_names
from predfeat.datasets._tables import Pieces
from predfeat.datasets._units import is_units_row, units_of
from predfeat.exceptions import DataFileError

__all__ = ["read_delimited"]

_CELLS_AT_ONCE = 100_000
_LONGEST_LINE = 2**25  # characters; what has no line ends is no table, and must not fill memory
_SAMPLE_LINES = 50
_DELIMITERS = ("\t", ";", ",")  # in this order: with ';' a comma may be the decimal point


def read_delimited(
    path: Path | None,
    *,
    columns: Sequence[str] | None = None,
    time: str | None = None,
    group: str | None = None,
    keep: Sequence[str] | None = None,
    exclude: Sequence[str] | None = None,
    missing: str | float | Sequence[str | float] | None = None,
    jumps: str = "gaps",
    header: bool | None = None,
    delimiter: str | None = None,
    progress: Progress | None = None,
) -> Recording:
    """Read a text table in pieces; `path` None means standard input."""
    source = "standard input" if path is None else path.name
    raw: Any = sys.stdin.buffer if path is None else path.open("rb")
    size = path.stat().st_size if path is not None and path.is_file() else 0
    with ExitStack() as closing:
        if path is not None:
            closing.enter_context(raw)
        blank = Missing.given(missing)
        looks_like_names = partial(_is_header, missing=blank)
        text = read_lines(
            _lines(_as_text(raw, source), source), delimiter, _find_delimiter, looks_like_names,
            header=header,
        )  # fmt: skip
        delimiter = text.delimiter
        rows = csv.reader(text.lines, delimiter=delimiter, strict=True, skipinitialspace=True)
        blocks = _blocks(rows, source)
        first = next(blocks, None)
        if first is None:
            raise DataFileError(f"{source} holds nothing but blank lines.")
        if text.header is not None:
            given, blocks = text.header, chain([first], blocks)
        elif looks_like_names(first[0], delimiter) if header is None else header:
            given = first[0]
        else:
            given, blocks = [""] * len(first[0]), chain([first], blocks)
        names, notes = distinct_names(given)
        roles = assign_roles(
            names, time=time, group=group, columns=columns, source=source, keep=keep,
            exclude=exclude,
        )  # fmt: skip
        pieces = Pieces(source, names, roles, missing=blank, notes=notes)
        units: list[str] | None = None
        if given is first[0]:
            units, blocks = _units_row(blocks, blank, delimiter)
        pieces.units = units_of(given, units)
        for block in blocks:
            _add(pieces, block, delimiter)
            if progress is not None and size:
                progress(min(raw.tell() / size, 1.0))
    pieces.notes += text.note()
    if units is not None:
        pieces.notes += ("The row below the names was taken as units.",)
    recording = pieces.recording(jumps)
    if progress is not None:
        progress(1.0)
    return recording


class _Borrowed(io.RawIOBase):
    """A stream to read from that stays open when its readers are closed: standard input's."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        return int(self._stream.readinto(buffer))


def _as_text(raw: Any, source: str) -> io.TextIOWrapper:
    """Uncompress and decode a stream of bytes as it is read."""
    binary: Any = io.BufferedReader(_Borrowed(raw))
    try:
        if binary.peek(2)[:2] == b"\x1f\x8b" or source.lower().endswith(".gz"):
            binary = io.BufferedReader(gzip.GzipFile(fileobj=binary))
        start = binary.peek(2)[:2]
    except _STREAM_ERRORS as error:
        raise _unreadable(source, error) from error
    if start in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        return io.TextIOWrapper(binary, encoding="utf-16", newline="")
    # What is not UTF-8 is taken byte by byte as Latin-1, so that a name is read in the same way
    # wherever in the file it stands.
    codecs.register_error("predfeat-latin-1", _as_latin_1)
    return io.TextIOWrapper(binary, encoding="utf-8-sig", errors="predfeat-latin-1", newline="")


def _as_latin_1(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return error.object[error.start : error.end].decode("latin-1"), error.end


_STREAM_ERRORS = (EOFError, OSError, zlib.error, UnicodeError)


def _unreadable(source: str, error: Exception) -> DataFileError:
    return DataFileError(
        f"{source} cannot be read to its end: it is damaged, cut short or of another kind "
        f"({error})."
    )


def _lines(text: io.TextIOWrapper, source: str) -> Iterator[str]:
    while True:
        try:
            line = text.readline(_LONGEST_LINE)
        except _STREAM_ERRORS as error:
            raise _unreadable(source, error) from error
        if len(line) == _LONGEST_LINE:
            raise DataFileError(
                f"{source} has a line of more than {_LONGEST_LINE} characters: it is no text table."
            )
        if not line:
            return
        yield line


def _find_delimiter(sample: list[str]) -> str:
    """Take the first delimiter that cuts all sampled rows into the same number of cells."""
    widths = {}
    for delimiter in _DELIMITERS:
        rows: list[list[str]] = []
        try:
            rows.extend(filter(None, csv.reader(sample, delimiter=delimiter, strict=True)))
        except csv.Error:
            if len(sample) < _SAMPLE_LINES:
                continue
        if len(sample) == _SAMPLE_LINES:
            rows = rows[:-1] or rows  # the last may go on beyond the sample
        counts = {len(row) for row in rows}
        if len(counts) == 1 and counts != {1}:
            return delimiter
        widths[delimiter] = len(rows[0]) if rows else 0
    # Rows differ: the error about it should count cells as the first row suggests.
    best = max(widths, key=lambda d: widths[d], default=",")
    return best if widths.get(best, 0) > 1 else ","


def _blocks(reader: Any, source: str) -> Iterator[list[list[str]]]:
    """Yield the first row, then blocks of rows, all of the same length."""
    n_columns = 0
    blank = 0
    while True:
        first_line = reader.line_num + 1
        n_rows = max(1, _CELLS_AT_ONCE // n_columns) if n_columns else 1
        try:
            rows = list(islice(reader, n_rows))
        except csv.Error as error:
            raise DataFileError(
                f"line {reader.line_num} of {source} cannot be cut into cells: {error}."
            ) from error
        if not rows:
            return
        if n_columns == 1:
            # In a single column a blank line is an empty cell, but not at the end of the file.
            rows, blank = [[]] * blank + rows, 0
            while rows and not rows[-1]:
                rows.pop()
                blank += 1
            kept = [row or [""] for row in rows]
        else:
            kept = [row for row in rows if row]
        if not kept:
            continue
        n_columns = n_columns or len(kept[0])
        if any(len(row) != n_columns for row in kept):
            _raise_ragged(rows, first_line, n_columns, source)
        yield kept


def _raise_ragged(rows: list[list[str]], line: int, n_columns: int, source: str) -> None:
    for row in rows:
        if row and len(row) != n_columns:
            raise DataFileError(
                f"line {line} of {source} has {len(row)} cell(s), but the first row has "
                f"{n_columns}. Every row needs one cell per column, empty where nothing is known."
            )
        line += 1 + sum(cell.count("\n") for cell in row)  # a quoted cell may hold line ends


def _units_row(
    blocks: Iterator[list[list[str]]], missing: Missing, delimiter: str
) -> tuple[list[str] | None, Iterator[list[list[str]]]]:
    """Take the row of units off the first block, if there is one."""
    block = next(blocks, None)
    if block is None:
        return None, blocks
    if is_units_row(block[0], block[1:_SAMPLE_LINES], missing, comma=delimiter == ";"):
        return block[0], chain([block[1:]], blocks)
    return None, chain([block], blocks)


def _add(pieces: Pieces, rows: list[list[str]], delimiter: str) -> None:
    """Turn the cells of the columns that matter into numbers, and keep the others' text."""
    cells = list(zip(*rows, strict=True))
    roles = pieces.roles
    block = np.empty((len(rows), len(roles.channels)))
    for i, position in enumerate(roles.channels):
        block[:, i] = numbers(
            cells[position], pieces.missing, comma=delimiter == ";",
            tally=pieces.tally(position), row=pieces.n_rows,
        )  # fmt: skip
    time = None if roles.time is None else cells[roles.time]
    if time is not None and delimiter == ";":
        time = tuple(cell.replace(",", ".") for cell in time)
    pieces.add(block, time, None if roles.group is None else cells[roles.group])


def _is_header(row: list[str], delimiter: str, missing: Missing) -> bool:
    """Tell whether a first row holds anything but numbers, missing values and dates."""
    for cell in row:
        if number(cell, missing, comma=delimiter == ";") is None:
            try:
                datetime.fromisoformat(cell.strip())
            except ValueError:
                return True
    return False
