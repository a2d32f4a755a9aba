"""Rows of a text table as they come, such as those of a sensor: each is handed on at once."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np

from predfeat._typing import FloatArray
from predfeat.datasets._cells import number
from predfeat.datasets._compressed import STREAM_ERRORS
from predfeat.datasets._decoding import decoded, unreadable
from predfeat.datasets._delimited import looks_like_header
from predfeat.datasets._limits import COLUMNS, LINE_CHARACTERS
from predfeat.datasets._missing import Missing
from predfeat.datasets._roles import Roles, assign_roles, distinct_names
from predfeat.datasets._table_options import TableOptions
from predfeat.exceptions import DataFileError

__all__ = ["RowStream", "StreamedRow"]

_DELIMITERS = ("\t", ";", ",")  # in this order: with ';' a comma may be the decimal point
_BLANKS = " "
_ABOVE = ("#", "%", "//")  # comments above the first row; further down only the first of them


@dataclass(frozen=True)
class StreamedRow:
    """One row of a stream.

    Attributes
    ----------
    line : int
        Where it ends in the stream, from 1.
    values : ndarray of shape (n_channels,)
        NaN where a cell is empty or stands for a missing value.
    group : str or None
        Its id, if the stream has a column of ids.
    aside : tuple of str
        The cells of the time and the group column, as they are.
    """

    line: int
    values: FloatArray
    group: str | None
    aside: tuple[str, ...]


class RowStream:
    r"""A text table that may have no end: its rows come one by one.

    What `read` finds out from many rows is found from the first one: the delimiter (a tab, a
    semicolon, a comma, or blanks) and whether it holds names. A row that does not fit is an error.
    Time stamps are handed on as they are; nothing is inserted where they jump.

    Parameters
    ----------
    raw : binary stream
        Such as `sys.stdin.buffer`. Only what is there is read.
    columns : sequence of str, optional
        The channels, in this order. Rows without names may hold exactly these.
    time, group : str, optional
        Columns that are handed on. A column called "time" or the like is taken without being named,
        and rows without names that hold exactly `columns` need none.
    missing : str, number or sequence of them, optional
        Cells that stand for a missing value.
    header : bool, optional
        Whether the first row holds names; None: see whether it does.
    delimiter : str, optional
        Character between cells.
    source : str, default="standard input"
        For messages.

    Attributes
    ----------
    names : tuple of str
        Of the channels.
    aside : tuple of str
        Names of the time and the group column, if there are any.
    has_names : bool
        Whether the stream has a row of names.

    Examples
    --------
    >>> import io
    >>> from predfeat.datasets import RowStream
    >>> rows = RowStream(io.BytesIO(b"time,a,b\n9:00,1,2\n9:01,,4\n"))
    >>> rows.names, rows.aside
    (('a', 'b'), ('time',))
    >>> [(row.line, row.aside, row.values.tolist()) for row in rows]
    [(2, ('9:00',), [1.0, 2.0]), (3, ('9:01',), [nan, 4.0])]
    """

    def __init__(
        self,
        raw: Any,
        *,
        columns: Sequence[str] | None = None,
        time: str | None = None,
        group: str | None = None,
        missing: str | float | Sequence[str | float] | None = None,
        header: bool | None = None,
        delimiter: str | None = None,
        source: str = "standard input",
    ) -> None:
        self._source = source
        self._missing = Missing.given(missing)
        self._line = 0
        lines = self._lines(raw)
        first = next((line for line in lines if line.strip() and not _is_comment(line)), None)
        if first is None:
            raise DataFileError(f"{source} holds nothing but blank lines.")
        self._delimiter = _delimiter_of(first) if delimiter is None else delimiter
        if self._delimiter == _BLANKS:
            lines, cells_between = map(_with_tabs, chain([first], lines)), "\t"
        else:
            lines, cells_between = chain([first], lines), self._delimiter
        self._rows = csv.reader(lines, delimiter=cells_between, strict=True, skipinitialspace=True)
        row = next(self._cut())
        self._width = len(row)
        self.has_names = (
            looks_like_header(row, cells_between, self._missing) if header is None else header
        )
        self._pending = [] if self.has_names else [row]
        names = self._names_of(row, columns, group)
        if not self.has_names and columns is not None and names == tuple(columns):
            time = None
        options = TableOptions(columns=columns, time=time, group=group)
        self._roles = assign_roles(names, options, source=source, sample=self._sample)
        self._all_names = names
        self.names = tuple(names[i] for i in self._roles.channels)
        self._aside = _aside(self._roles)
        self.aside = tuple(names[i] for i in self._aside)

    def __iter__(self) -> Iterator[StreamedRow]:
        blank = 0
        for row in chain(self._pending, self._cut()):
            if not row:
                # In a single column a blank line is an empty cell, but not at the end.
                blank += self._width == 1
                continue
            for _ in range(blank):
                yield self._read([""])
            blank = 0
            yield self._read(row)

    def _read(self, row: list[str]) -> StreamedRow:
        if len(row) != self._width:
            raise DataFileError(
                f"line {self._line} of {self._source} has {len(row)} cell(s), but the first row "
                f"has {self._width}. Every row needs one cell per column, empty where the value is "
                "missing."
            )
        values = np.array([self._number(row[i], i) for i in self._roles.channels], dtype=float)
        values = self._missing.blank(values)
        values[~np.isfinite(values)] = np.nan  # as `read` takes infinities
        group = None if self._roles.group is None else row[self._roles.group]
        return StreamedRow(self._line, values, group, tuple(row[i] for i in self._aside))

    def _number(self, cell: str, position: int) -> float:
        read = number(cell, self._missing, comma=self._delimiter == ";")
        if read is None:
            raise DataFileError(
                f"line {self._line} of {self._source} holds {cell[:40]!r} in column "
                f"{self._all_names[position]!r}, which is not a number. Leave the cell empty where "
                "the value is missing, or name with `missing` what stands for it."
            )
        return read

    def _names_of(
        self,
        row: list[str],
        columns: Sequence[str] | None,
        group: str | None,
    ) -> tuple[str, ...]:
        if self.has_names:
            return distinct_names(row)[0]
        if columns is not None and len(columns) == len(row) and group is None:
            return tuple(columns)
        return distinct_names([""] * len(row))[0]

    def _sample(self, position: int) -> list[str]:
        """Return the first cells of a column; there are none below a row of names yet."""
        return [row[position] for row in self._pending]

    def _cut(self) -> Iterator[list[str]]:
        try:
            yield from self._rows
        except csv.Error as error:
            raise DataFileError(
                f"line {self._line} of {self._source} cannot be split into cells: {error}."
            ) from error

    def _lines(self, raw: Any) -> Iterator[str]:
        """Yield lines as they come, comments blanked."""
        text = decoded(_AsItComes(raw), self._source)
        while True:
            try:
                line = text.readline(LINE_CHARACTERS.at_most + 1)
            except STREAM_ERRORS as error:
                raise unreadable(self._source, error) from error
            if not line:
                return
            self._line += 1
            if len(line) > LINE_CHARACTERS.at_most:
                raise LINE_CHARACTERS.error(self._source, f"more than {LINE_CHARACTERS.at_most}")
            if len(line) > COLUMNS.at_most:
                COLUMNS.check(max(map(line.count, (*_DELIMITERS, _BLANKS))) + 1, self._source)
            if not line.startswith("#"):
                yield line


class _AsItComes:
    """A stream whose `readinto` returns what is there, and does not wait for more."""

    def __init__(self, stream: Any) -> None:
        self._read = getattr(stream, "readinto1", stream.readinto)

    def readinto(self, buffer: Any) -> int:
        return int(self._read(buffer))


def _aside(roles: Roles) -> list[int]:
    """Return the positions of the columns that are handed on."""
    return [i for i in (roles.time, roles.clock, roles.group) if i is not None]


def _is_comment(line: str) -> bool:
    return line.lstrip().startswith(_ABOVE)


def _delimiter_of(line: str) -> str:
    for delimiter in _DELIMITERS:
        if delimiter in line:
            return delimiter
    return _BLANKS if len(line.split()) > 1 else ","


def _with_tabs(line: str) -> str:
    """Replace blanks by tabs; blank lines stay blank."""
    return "\t".join(line.split()) + "\n"
