"""Sheets of a spreadsheet: .xlsx."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

from predfeat.datasets._compressed import open_archive
from predfeat.datasets._delimited import read_delimited
from predfeat.datasets._limits import SHEET_ROWS
from predfeat.datasets._opening import Progress, check_fits, damage, library
from predfeat.datasets._recording import Recording
from predfeat.datasets._table_options import TableOptions
from predfeat.datasets._text_lines import as_lines
from predfeat.exceptions import DataFileError

__all__ = ["read_sheet"]

_KIND = "an .xlsx workbook"
_IN_MEMORY = 4  # bytes for each byte of XML: shared texts are held all, rows one by one
_ROWS_AT_ONCE = 100
_ADVICE = "Save the sheet as .csv."


def read_sheet(
    path: Path,
    options: TableOptions,
    *,
    sheet: str | None = None,
    header: bool | None = None,
    progress: Progress | None = None,
) -> Recording:
    """Read one sheet of a workbook, its first by default; formulas count by their last value."""
    openpyxl = library("openpyxl", extra="sheets", what="reading .xlsx")
    with damage(path.name, _KIND), open_archive(path) as archive:
        unpacked = sum(info.file_size for info in archive.infolist())
    check_fits(path.name, _IN_MEMORY * unpacked, _ADVICE)
    # Opened here: openpyxl leaves the file open where it refuses what is in it.
    with path.open("rb") as stream:
        with damage(path.name, _KIND):
            book = openpyxl.load_workbook(stream, read_only=True, data_only=True, keep_links=False)
        titles = [page.title for page in book.worksheets]
        page = book[_chosen(sheet, titles, path.name)]
        with damage(path.name, _KIND):
            page.reset_dimensions()  # what a sheet says about its size is often wrong
        rows = _table(path.name, page, unpacked, progress)
        recording = read_delimited(
            path, options, lines=as_lines(rows), delimiter=",", header=header
        )
    if progress is not None:
        progress(1.0)
    if sheet is None and len(titles) > 1:
        others = ", ".join(map(repr, titles[1:6])) + (", …" if len(titles) > 6 else "")
        note = f"The sheet {titles[0]!r} was read; `sheet` chooses another: {others}."
        recording = replace(recording, notes=(note, *recording.notes))
    return recording


def _chosen(sheet: str | None, titles: list[str], source: str) -> str:
    if not titles:
        raise DataFileError(f"{source} holds no worksheet.")
    if sheet is None:
        return titles[0]
    if sheet not in titles:
        listed = ", ".join(map(repr, titles[:20]))
        raise DataFileError(f"{source} has no sheet {sheet!r}, only {listed}.")
    return sheet


def _one_by_one(rows: Iterator[tuple[Any, ...]], source: str) -> Iterator[tuple[Any, ...]]:
    while True:
        with damage(source, _KIND):
            some = list(islice(rows, _ROWS_AT_ONCE))
        if not some:
            return
        yield from some


def _table(source: str, page: Any, size: int, progress: Progress | None) -> Iterator[list[Any]]:
    """Yield the rows from the first that holds anything, without empty cells to their right."""
    # Rows that a sheet leaves out are filled in, as many as its next row's number says.
    rows = page.iter_rows(values_only=True, max_row=SHEET_ROWS.at_most + 1)
    width = n_cells = n_rows = 0
    for row in _one_by_one(rows, source):
        n_rows += 1
        SHEET_ROWS.check(n_rows, source)
        filled = max((i + 1 for i, cell in enumerate(row) if cell is not None), default=0)
        if width == 0:
            width = filled
        if filled == 0:
            continue
        n_cells += width
        if progress is not None and n_cells % 1000 < width:
            # Some thirty bytes of XML are spent on a cell: the share is a guess, but goes up.
            progress(min(30 * n_cells / max(size, 1), 0.99))
        yield [*row[: max(width, filled)], *[None] * (width - len(row))]
