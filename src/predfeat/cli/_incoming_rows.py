"""Rows that come one by one on standard input, for the commands that answer each at once."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["OF_ONE_ROW", "incoming_rows", "naming_the_line", "without_sentinels"]

# Options of text tables that say how one row is read; the others need many rows.
OF_ONE_ROW = ("columns", "time", "group", "missing", "header", "delimiter")


def incoming_rows(options: dict[str, Any]) -> Any:
    """Return standard input as a `RowStream`; of the options, those that need many rows are left.

    The first row is awaited.
    """
    from predfeat.datasets import RowStream
    from predfeat.exceptions import DataFileError

    if sys.stdin is None:  # of a process that was started without one
        raise DataFileError("standard input is closed: give it a table, or name a file.")
    of_rows = {name: value for name, value in options.items() if name in OF_ONE_ROW}
    return RowStream(sys.stdin.buffer, **of_rows)


def without_sentinels(rows: Any, sentinels: Iterable[tuple[str, float]]) -> Iterator[Any]:
    """Yield the rows of a `RowStream` with NaN for numbers that meant a missing value before.

    `sentinels` are columns, each with such a number.
    """
    names = rows.names
    blank = [(names.index(name), number) for name, number in sentinels if name in names]
    for row in rows:
        for position, number in blank:
            if row.values[position] == number:
                row.values[position] = float("nan")
        yield row


@contextmanager
def naming_the_line(line: int) -> Iterator[None]:
    """Say of numbers that are too large to compute with where they stand."""
    from predfeat.exceptions import DataFileError, ScaleError

    try:
        yield
    except ScaleError as error:
        raise DataFileError(f"line {line} of standard input: {error}") from error
