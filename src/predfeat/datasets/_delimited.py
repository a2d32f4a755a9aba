"""Text tables: .csv and .tsv, plain, compressed or from standard input."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from predfeat.datasets._cells import number, numbers
from predfeat.datasets._comments import read_lines
from predfeat.datasets._compressed import STREAM_ERRORS, only_member, open_archive
from predfeat.datasets._dates import are_dates
from predfeat.datasets._decoding import LimitedLines, decoded, is_cut, sampled, unreadable
from predfeat.datasets._limits import COLUMNS
from predfeat.datasets._missing import Missing
from predfeat.datasets._opening import Progress, check_fits
from predfeat.datasets._recording import Recording
from predfeat.datasets._roles import assign_roles, distinct_names
from predfeat.datasets._tables import Pieces
from predfeat.datasets._units import is_units_row, units_of
from predfeat.exceptions import DataFileError

__all__ = ["TEXT_SUFFIXES", "read_delimited"]

TEXT_SUFFIXES = (".csv", ".tsv", ".txt", ".dat", ".tab")

_CELLS_AT_ONCE = 100_000
_BYTES_PER_COLUMN = 1000  # a name, a tally of its cells, and what is asked about each
_UNITS_LINES = 50  # below a row of units that are looked at
_ADVICE = "Choose fewer of its columns with `columns`, or save fewer."
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
    jumps: str | None = None,
    day_first: bool | None = None,
    header: bool | None = None,
    delimiter: str | None = None,
    progress: Progress | None = None,
    lines: Iterator[str] | None = None,
) -> Recording:
    """Read a text table in pieces; `path` None means standard input.

    `lines` stand in for those of the file where another reader has taken them from it.
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
        blank = Missing.given(missing)
        looks_like_names = partial(_is_header, missing=blank)
        delimiter, lines = _without_blanks(delimiter, lines)
        text = read_lines(
            lines, delimiter, _find_delimiter, looks_like_names, source=source, header=header
        )
        delimiter = text.delimiter
        rows = csv.reader(text.lines, delimiter=delimiter, strict=True, skipinitialspace=True)
        blocks = _blocks(rows, source, limited)
        first = next(blocks, None)
        if first is None:
            raise DataFileError(f"{source} holds nothing but blank lines.")
        COLUMNS.check(len(first[0]), source)
        check_fits(source, _BYTES_PER_COLUMN * len(first[0]), _ADVICE)
        if text.header is not None:
            given, blocks = text.header, chain([first], blocks)
        elif looks_like_names(first[0], delimiter) if header is None else header:
            given = first[0]
        else:
            given, blocks = [""] * len(first[0]), chain([first], blocks)
        names, notes = distinct_names(given)
        units: list[str] | None = None
        if given is first[0]:
            units, blocks = _units_row(blocks, blank, delimiter)
        rows_read, blocks = _first_rows(blocks)
        roles = assign_roles(
            names, time=time, group=group, columns=columns, source=source, keep=keep,
            exclude=exclude, sample=lambda i: [row[i] for row in rows_read],
        )  # fmt: skip
        pieces = Pieces(source, names, roles, missing=blank, notes=notes)
        pieces.decimal_comma = delimiter == ";" and roles.clock is None
        pieces.units = units_of(given, units)
        for block in blocks:
            _add(pieces, block, delimiter)
            if progress is not None and size:
                progress(min(raw.tell() / size, 1.0))
    pieces.notes += text.note()
    if units is not None:
        pieces.notes += ("The row below the names was taken as units.",)
    recording = pieces.recording(jumps, day_first)
    if progress is not None:
        progress(1.0)
    return recording


def _opened(path: Path | None, closing: ExitStack) -> tuple[Any, int]:
    """Open a file or standard input; also return how many bytes there are to read, 0: unknown."""
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
    """Put tabs in the place of blanks, and leave blank lines blank."""
    return "\t".join(line.split()) + "\n"


def _without_blanks(
    delimiter: str | None, lines: Iterator[str]
) -> tuple[str | None, Iterator[str]]:
    """Put tabs in the place of blanks where these are between the cells."""
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
    """Look at some rows, enough to tell dates from other text, and give them back."""
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
            f"line {reader.line_num} of {source} cannot be cut into cells: {error}."
        ) from error


def _ragged(row: list[str], last_line: int, n_columns: int, source: str) -> DataFileError:
    line = last_line - sum(cell.count("\n") for cell in row)  # a quoted cell may hold line ends
    return DataFileError(
        f"line {line} of {source} has {len(row)} cell(s), but the first row has "
        f"{n_columns}. Every row needs one cell per column, empty where nothing is known."
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
    pieces.add(block, time, None if roles.group is None else cells[roles.group])


def _is_header(row: list[str], delimiter: str, missing: Missing) -> bool:
    """Tell whether a first row holds anything but numbers, missing values and dates."""
    for cell in row:
        if number(cell, missing, comma=delimiter == ";") is None and not are_dates([cell]):
            return True
    return False
