"""Rows of a text table that come in one by one."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence

from predfeat.exceptions import DataFileError

__all__ = ["rows_of"]


def rows_of(lines: Iterable[str], columns: Sequence[str]) -> Iterator[list[float]]:
    """Yield the numbers of each line, as soon as it has come.

    If the first line names all columns, it is a header: cells are taken by name, and other columns
    are ignored. Otherwise every line holds one cell for each column, in their order. An empty cell
    is NaN, and empty lines are left out.

    Parameters
    ----------
    lines : iterable of str
        With commas between cells.
    columns : sequence of str

    Yields
    ------
    list of float

    Raises
    ------
    DataFileError
        A line has too few cells, or one that is no number.

    Examples
    --------
    >>> from predfeat.cli._row_stream import rows_of
    >>> list(rows_of(["b,time,a", "1,9:00,2", ",9:01,3"], ["a", "b"]))
    [[2.0, 1.0], [3.0, nan]]
    """
    places: list[int] | None = None
    n_read = 0
    for line in lines:
        n_read += 1
        cells = [cell.strip() for cell in next(csv.reader([line]), [])]
        if not any(cells) and len(columns) > 1 and len(cells) < len(columns):
            continue
        if places is None:
            is_header = set(columns) <= set(cells)
            places = [cells.index(name) for name in columns] if is_header else []
            if is_header:
                continue
        if not places and len(cells) != len(columns):
            raise DataFileError(
                f"line {n_read} of standard input has {len(cells)} cell(s), but there are "
                f"{len(columns)} columns: {', '.join(columns[:10])}. Give them in this order, or "
                "begin with a line of their names."
            )
        if places and len(cells) <= max(places):
            raise DataFileError(
                f"line {n_read} of standard input ends before the last column that is needed: it "
                f"has {len(cells)} cell(s)."
            )
        chosen = [cells[place] for place in places] if places else cells
        yield [_number(cell, n_read) for cell in chosen]


def _number(cell: str, line: int) -> float:
    if not cell:
        return float("nan")
    try:
        return float(cell)
    except ValueError:
        raise DataFileError(
            f"line {line} of standard input holds {cell!r}, which is not a number. Leave the cell "
            "empty if the value is missing."
        ) from None
