"""Columns of the file that are not channels, kept as they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from operator import eq
from typing import Any

import numpy as np

from predfeat._typing import AnyArray
from predfeat.datasets._opening import library

__all__ = ["FileColumn", "joined", "stored_texts"]


@dataclass(frozen=True)
class FileColumn:
    """A column of the file that is not a channel, kept so that it can be written back.

    Attributes
    ----------
    name : str
    stored : ndarray, or Arrow array, of shape (n_rows_of_the_file,)
        The cells in as little memory as possible: numbers, datetime64 and Arrow's columns in
        their own type; text as text, or as bytes (dtype S) if it is ASCII.

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.datasets import FileColumn
    >>> FileColumn("trial", np.array([b"007", b"+1"])).cells.tolist()
    ['007', '+1']
    """

    name: str
    stored: Any

    @property
    def cells(self) -> AnyArray:
        """The cells as an array: numbers, datetime64 (in UTC), or text as the file has it."""
        stored = self.stored
        if isinstance(stored, np.ndarray):
            return stored.astype(str).astype(object) if stored.dtype.kind == "S" else stored
        return _in_numpy(stored)

    def take(self, rows: AnyArray) -> FileColumn:
        """Return the column with only these rows."""
        if isinstance(self.stored, np.ndarray):
            return FileColumn(self.name, self.stored[rows])
        return FileColumn(self.name, self.stored.take(rows))

    def texts(self, start: int = 0, stop: int | None = None) -> list[str]:
        """Return some cells as text, without loss; moments with a time zone in UTC, with a Z."""
        stored = self.stored[start : len(self.stored) if stop is None else stop]
        if isinstance(stored, np.ndarray):
            return _as_texts(stored)
        kind = str(stored.type)
        if kind.startswith("timestamp"):
            moments = _as_texts(_in_numpy(stored))
            return [f"{moment}Z" for moment in moments] if "tz=" in kind else moments
        if kind.startswith("time"):  # Python's times have no nanoseconds
            return list(stored.cast("string").to_pylist())
        if kind.startswith(("date", "duration")):
            return _as_texts(_in_numpy(stored))
        return [repr(i) if isinstance(i, float) else str(i) for i in stored.to_pylist()]


def _in_numpy(stored: Any) -> AnyArray:
    # An Arrow array that is not chunked copies only if allowed to.
    array: AnyArray = np.asarray(stored)
    return array


def _as_texts(cells: AnyArray) -> list[str]:
    if cells.dtype.kind == "M":
        return list(np.datetime_as_string(cells).tolist())
    if cells.dtype.kind == "m":  # in seconds, with as many decimals as the unit has
        decimals = {"s": 0, "ms": 3, "us": 6, "ns": 9}[np.datetime_data(cells.dtype)[0]]
        return [f"{Decimal(i).scaleb(-decimals):f}" for i in cells.view(np.int64).tolist()]
    if cells.dtype.kind == "S":
        return list(cells.astype(str).tolist())
    return [repr(i) if isinstance(i, float) else str(i) for i in cells.tolist()]


def stored_texts(texts: Sequence[str]) -> AnyArray:
    """Return text in as little memory as possible: as numbers if they print the same.

    Examples
    --------
    >>> from predfeat.datasets._file_column import stored_texts
    >>> stored_texts(["1", "2"]), stored_texts(["0.5", "2.0"]), stored_texts(["0.50", "2"])
    (array([1, 2]), array([0.5, 2. ]), array([b'0.50', b'2'], dtype='|S4'))
    """
    for kind, read in ((np.int64, int), (np.float64, float)):
        try:
            if repr(read(texts[0])) != texts[0]:  # true at once of most text columns
                continue
            numbers = np.fromiter(map(read, texts), kind, len(texts))
        except (ValueError, OverflowError):
            continue
        if all(map(eq, map(repr, numbers.tolist()), texts)):
            return numbers
    longest = max(map(len, texts), default=0)
    whole = "".join(texts)
    # Not if one long cell would make them all wide; and NumPy drops null bytes at the end.
    if whole.isascii() and "\0" not in whole and longest * len(texts) <= 2 * len(whole):
        return np.array(texts, dtype="S")
    cells = np.empty(len(texts), dtype=object)
    cells[:] = texts
    return cells


def joined(columns: Sequence[FileColumn]) -> FileColumn:
    """Return the cells of several files one after the other."""
    stored = [column.stored for column in columns]
    name = columns[0].name
    if all(isinstance(cells, np.ndarray) for cells in stored):
        kinds = {"S" if cells.dtype.kind == "S" else cells.dtype for cells in stored}
        if len(kinds) == 1:
            return FileColumn(name, np.concatenate(stored))
    elif all(hasattr(cells, "chunks") and cells.type == stored[0].type for cells in stored):
        chunks = [chunk for cells in stored for chunk in cells.chunks]
        arrow = library("pyarrow", extra="tables", what="reading .parquet")
        return FileColumn(name, arrow.chunked_array(chunks, type=stored[0].type))
    return FileColumn(name, stored_texts([text for column in columns for text in column.texts()]))
