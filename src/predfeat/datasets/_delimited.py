"""Text tables: .csv and .tsv, plain, compressed or from standard input."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from predfeat.datasets._cells import number, numbers
from predfeat.datasets._comments import TextLines, read_lines
from predfeat.datasets._compressed import STREAM_ERRORS, only_member, open_archive
from predfeat.datasets._dates import are_dates
from predfeat.datasets._decoding import LimitedLines, decoded, is_cut, sampled, unreadable
from predfeat.datasets._limits import COLUMNS
from predfeat.datasets._missing import Missing
from predfeat.datasets._opening import Progress, check_fits
from predfeat.datasets._recording import Recording
from predfeat.datasets._roles import assign_roles, distinct_names
from predfeat.datasets._table_options import TableOptions
from predfeat.datasets._tables import Pieces
from predfeat.datasets._units import is_units_row, units_of
from predfeat.exceptions import DataFileError

__all__ = ["TEXT_SUFFIXES", "looks_like_header", "read_delimited"]

TEXT_SUFFIXES = (".csv", ".tsv", ".txt", ".dat", ".tab")

_CELLS_AT_ONCE = 100_000
_BYTES_PER_COLUMN = 1000  # a name, a tally of its cells, and what is asked about each
_UNITS_LINES = 50  # lines checked below a row of units
_ADVICE = "Choose fewer of its columns with `columns`, or save fewer."
_DELIMITERS = ("\t", ";", ",")  # in this order: with ';' a comma may be the decimal point


def read_delimited(
    path: Path | None,
    options: TableOptions,
    *,
    header: bool | None = None,
    delimiter: str | None = None,
    progress: Progress | None = None,
    lines: Iterator[str] | None = None,
) -> Recording:
    """Read a text table in pieces; `path` None means standard input.

    A reader of another kind of file passes its rows as `lines`; the file is then not opened.
    """
    source = "standard input" if path is None else path.name
    with ExitStack() as closing:
        raw: Any = None
        limited: LimitedLines | None = None
        size = 0
        if lines is None:
            raw, size = _opened(path, closing)
            limited = LimitedLines(decoded(raw, source), source, _ADVICE)
            lines = iter(limited)
        blank = Missing.given(options.missing)
        table = _cut_into_rows(lines, limited, source, blank, header, delimiter)
        roles = assign_roles(
            table.names,
            options,
            source=source,
            sample=lambda i: [row[i] for row in table.first_rows],
        )
        pieces = Pieces(source, table.names, roles, missing=blank, notes=table.notes)
        pieces.decimal_comma = table.text.delimiter == ";" and roles.clock is None
        pieces.units = table.units
        for block in table.blocks:
            _add(pieces, block, table.text.delimiter)
            if progress is not None and size:
                progress(min(raw.tell() / size, 1.0))
    pieces.notes += table.text.note()
    if table.has_units_row:
        pieces.notes += ("The row below the names was taken as units.",)
    recording = pieces.recording(options.jumps, options.day_first)
    if progress is not None:
        progress(1.0)
    return recording


@dataclass(frozen=True)
class _Table:
    """A text table whose rows are yet to be read.

    Attributes
    ----------
    text : TextLines
    names, units : tuple of str
        Of all columns.
    has_units_row : bool
    notes : tuple of str
        About the names.
    first_rows : list of list of str
        Enough rows to tell dates from other text.
    blocks : iterator of lists of rows
        All rows, `first_rows` included.
    """

    text: TextLines
    names: tuple[str, ...]
    units: tuple[str, ...]
    has_units_row: bool
    notes: tuple[str, ...]
    first_rows: list[list[str]]
    blocks: Iterator[list[list[str]]]


def _cut_into_rows(
    lines: Iterator[str],
    limited: LimitedLines | None,
    source: str,
    missing: Missing,
    header: bool | None,
    delimiter: str | None,
) -> _Table:
    """Find the delimiter, the names and the units of a text table."""
    looks_like_names = partial(looks_like_header, missing=missing)
    delimiter, lines = _without_blanks(delimiter, lines)
    text = read_lines(
        lines, delimiter, _find_delimiter, looks_like_names, source=source, header=header
    )
    rows = csv.reader(text.lines, delimiter=text.delimiter, strict=True, skipinitialspace=True)
    blocks = _blocks(rows, source, limited)
    first = next(blocks, None)
    if first is None:
        raise DataFileError(f"{source} holds nothing but blank lines.")
    COLUMNS.check(len(first[0]), source)
    check_fits(source, _BYTES_PER_COLUMN * len(first[0]), _ADVICE)
    units_row: list[str] | None = None
    if text.header is not None:
        given, blocks = text.header, chain([first], blocks)
    elif looks_like_names(first[0], text.delimiter) if header is None else header:
        given = first[0]
        units_row, blocks = _units_row(blocks, missing, text.delimiter)
    else:
        given, blocks = [""] * len(first[0]), chain([first], blocks)
    names, notes = distinct_names(given)
    units = units_of(given, units_row)
    first_rows, blocks = _first_rows(blocks)
    return _Table(text, names, units, units_row is not None, notes, first_rows, blocks)


def _opened(path: Path | None, closing: ExitStack) -> tuple[Any, int]:
    """Open a file or standard input; also return its size in bytes, 0 if unknown."""
    if path is None:
        if sys.stdin is None:  # of a process that was started without one
            raise DataFileError("standard input is closed: give it a table, or name a file.")
        return sys.stdin.buffer, 0
    if path.suffix.lower() == ".zip":
        member = only_member(path, TEXT_SUFFIXES)
        archive = closing.enter_context(open_archive(path))
        try:
            return closing.enter_context(archive.open(member)), archive.getinfo(member).file_size
        except STREAM_ERRORS as error:
            raise unreadable(path.name, error) from error
    return closing.enter_context(path.open("rb")), path.stat().st_size if path.is_file() else 0


def _with_tabs(line: str) -> str:
    """Replace blanks by tabs; blank lines stay blank."""
    return "\t".join(line.split()) + "\n"


def _without_blanks(
    delimiter: str | None, lines: Iterator[str]
) -> tuple[str | None, Iterator[str]]:
    """Replace blanks by tabs where blanks separate the cells."""
    if delimiter is None:
        sample = sampled(lines)
        lines = chain(sample, lines)
        rows = [line for line in sample if not line.lstrip().startswith(("#", "%", "//"))]
        if is_cut(sample):
            rows = rows[:-1]  # the last may go on beyond the sample
        cells = [row for row in map(str.split, rows) if row]
        even = len(cells) > 1 and {len(row) for row in cells} == {max(len(cells[0]), 2)}
        delimiter = (
            " " if even and not any(mark in row for row in rows for mark in ",;\t") else None
        )
    return ("\t", map(_with_tabs, lines)) if delimiter == " " else (delimiter, lines)


def _first_rows(
    blocks: Iterator[list[list[str]]],
) -> tuple[list[list[str]], Iterator[list[list[str]]]]:
    """Return enough rows to tell dates from other text, and all blocks again."""
    looked: list[list[list[str]]] = []
    for block in blocks:
        looked.append(block)
        if len(looked) > 1:  # the first may be a single row
            break
    return [row for block in looked for row in block], chain(looked, blocks)


def _find_delimiter(sample: list[str]) -> str:
    """Take the first delimiter that cuts all sampled rows into the same number of cells."""
    widths = {}
    for delimiter in _DELIMITERS:
        rows: list[list[str]] = []
        try:
            rows.extend(filter(None, csv.reader(sample, delimiter=delimiter, strict=True)))
        except csv.Error:
            if not is_cut(sample):
                continue
        if is_cut(sample):
            rows = rows[:-1] or rows  # the last may go on beyond the sample
        counts = {len(row) for row in rows}
        if len(counts) == 1 and counts != {1}:
            return delimiter
        widths[delimiter] = len(rows[0]) if rows else 0
    # Rows differ: the error about it should count cells as the first row suggests.
    best = max(widths, key=lambda d: widths[d], default=",")
    return best if widths.get(best, 0) > 1 else ","


def _blocks(reader: Any, source: str, limited: LimitedLines | None) -> Iterator[list[list[str]]]:
    """Yield the first row, then blocks of rows, all of the same length."""
    n_columns = blank = 0
    n_rows = 1
    rows: list[list[str]] = []
    for row in _cut(reader, source):
        if not row:
            # In a single column a blank line is an empty cell, but not at the end of the file.
            blank += n_columns == 1
            continue
        if blank:
            rows += [[""]] * blank
            blank = 0
        if len(row) != n_columns:
            if n_columns:
                raise _ragged(row, reader.line_num, n_columns, source)
            n_columns = len(row)
        rows.append(row)
        if len(rows) >= n_rows:
            yield rows
            rows, n_rows = [], max(1, _CELLS_AT_ONCE // n_columns)
            if limited is not None:
                limited.taken()
    if rows:
        yield rows


def _cut(reader: Any, source: str) -> Iterator[list[str]]:
    try:
        yield from reader
    except csv.Error as error:
        raise DataFileError(
            f"line {reader.line_num} of {source} cannot be split into cells: {error}."
        ) from error


def _ragged(row: list[str], last_line: int, n_columns: int, source: str) -> DataFileError:
    line = last_line - sum(cell.count("\n") for cell in row)  # a quoted cell may hold line ends
    return DataFileError(
        f"line {line} of {source} has {len(row)} cell(s), but the first row has "
        f"{n_columns}. Every row needs one cell per column, empty where the value is missing."
    )


def _units_row(
    blocks: Iterator[list[list[str]]], missing: Missing, delimiter: str
) -> tuple[list[str] | None, Iterator[list[list[str]]]]:
    """Take the row of units off the first block, if there is one."""
    block = next(blocks, None)
    if block is None:
        return None, blocks
    if is_units_row(block[0], block[1:_UNITS_LINES], missing, comma=delimiter == ";"):
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
    if time is not None and roles.clock is not None:
        time = tuple(map("{} {}".format, time, cells[roles.clock]))
    pieces.add(
        block,
        time,
        None if roles.group is None else cells[roles.group],
        {i: cells[i] for found in roles.annotations.values() for i in found},
    )


def looks_like_header(row: list[str], delimiter: str, missing: Missing) -> bool:
    """Tell whether a first row holds anything but numbers, missing values and dates."""
    for cell in row:
        if number(cell, missing, comma=delimiter == ";") is None and not are_dates([cell]):
            return True
    return False
