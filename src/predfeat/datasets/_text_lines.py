"""Write other kinds of table as lines of a text table, so that one stage reads them all."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from datetime import date, datetime, time, timedelta
from typing import Any

__all__ = ["as_lines"]


def as_lines(rows: Iterable[Iterable[Any]]) -> Iterator[str]:
    r"""Yield each row as a line of CSV; numbers keep all their digits.

    Examples
    --------
    >>> from predfeat.datasets._text_lines import as_lines
    >>> list(as_lines([["when", "x"], [None, 0.1], [True, "a,b"]]))
    ['when,x\n', ',0.1\n', '1,"a,b"\n']
    """
    line = io.StringIO()
    writer = csv.writer(line, lineterminator="\n")
    for row in rows:
        writer.writerow([_as_text(cell) for cell in row])
        yield line.getvalue()
        line.seek(0)
        line.truncate()


def _as_text(cell: Any) -> str:
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return str(int(cell))
    if isinstance(cell, float):
        return repr(cell)
    if isinstance(cell, datetime):
        return cell.isoformat(" ")
    if isinstance(cell, date | time):
        return cell.isoformat()
    if isinstance(cell, timedelta):
        return repr(cell.total_seconds())
    return str(cell)
