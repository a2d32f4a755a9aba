"""Text tables: .csv and .tsv, plain, compressed or from standard input."""

from __future__ import annotations

import codecs
import csv
import io
import sys
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np

from predfeat.datasets._cells import number, numbers
from predfeat.datasets._comments import read_lines
from predfeat.datasets._compressed import STREAM_ERRORS, only_member, uncompressed
from predfeat.datasets._dates import are_dates
from predfeat.datasets._missing import Missing
from predfeat.datasets._opening import Progress
from predfeat.datasets._recording import Recording
from predfeat.datasets._roles import assign_roles, distinct_names
from predfeat.datasets._tables import Pieces
from predfeat.datasets._units import is_units_row, units_of
from predfeat.exceptions import DataFileError

__all__ = ["TEXT_SUFFIXES", "read_delimited"]

TEXT_SUFFIXES = (".csv", ".tsv", ".txt", ".dat", ".tab")

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
        size = 0
        if lines is None:
            raw, size = _opened(path, closing)
            lines = _lines(_as_text(raw, source), source)
        blank = Missing.given(missing)
        looks_like_names = partial(_is_header, missing=blank)
        delimiter, lines = _without_blanks(delimiter, lines)
        text = read_lines(lines, delimiter, _find_delimiter, looks_like_names, header=header)
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
        return sys.stdin.buffer, 0
    if path.suffix.lower() == ".zip":
        member = only_member(path, TEXT_SUFFIXES)
        archive = closing.enter_context(zipfile.ZipFile(path))
        try:
            return closing.enter_context(archive.open(member)), archive.getinfo(member).file_size
        except STREAM_ERRORS as error:
            raise _unreadable(path.name, error) from error
    return closing.enter_context(path.open("rb")), path.stat().st_size if path.is_file() else 0


def _with_tabs(line: str) -> str:
    """Put tabs in the place of blanks, and leave blank lines blank."""
    return "\t".join(line.split()) + "\n"


def _without_blanks(
    delimiter: str | None, lines: Iterator[str]
) -> tuple[str | None, Iterator[str]]:
    """Put tabs in the place of blanks where these are between the cells."""
    if delimiter is None:
        sample = list(islice(lines, _SAMPLE_LINES))
        lines = chain(sample, lines)
        rows = [line for line in sample if not line.lstrip().startswith(("#", "%", "//"))]
        if len(sample) == _SAMPLE_LINES:
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
    try:
        binary: Any = uncompressed(io.BufferedReader(_Borrowed(raw)), source)
        start = binary.peek(2)[:2]
    except STREAM_ERRORS as error:
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


def _unreadable(source: str, error: Exception) -> DataFileError:
    return DataFileError(
        f"{source} cannot be read to its end: it is damaged, cut short or of another kind "
        f"({error})."
    )


def _lines(text: io.TextIOWrapper, source: str) -> Iterator[str]:
    while True:
        try:
            line = text.readline(_LONGEST_LINE)
        except STREAM_ERRORS as error:
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
    if time is not None and roles.clock is not None:
        time = tuple(map("{} {}".format, time, cells[roles.clock]))
    pieces.add(block, time, None if roles.group is None else cells[roles.group])


def _is_header(row: list[str], delimiter: str, missing: Missing) -> bool:
    """Tell whether a first row holds anything but numbers, missing values and dates."""
    for cell in row:
        if number(cell, missing, comma=delimiter == ";") is None and not are_dates([cell]):
            return True
    return False
