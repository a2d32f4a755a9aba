"""Columns that say something about each row: labels, actions, rewards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from predfeat._typing import AnyArray, FloatArray
from predfeat.datasets._cells import number
from predfeat.datasets._missing import Missing
from predfeat.exceptions import DataFileError

__all__ = ["annotation", "of_rows"]


def annotation(
    columns: Sequence[Sequence[Any]], missing: Missing, *, comma: bool, name: str
) -> AnyArray:
    """Return the cells of one or several columns as numbers, or those of one as text.

    Parameters
    ----------
    columns : sequence of sequences
        Cells of each column: text, or what a typed file has.
    missing : Missing
    comma : bool
        Whether numbers may have a decimal comma.
    name : str
        In messages.

    Returns
    -------
    ndarray of shape (n_rows,) or (n_rows, n_columns)
        float64 with NaN for missing cells if all others are numbers. Otherwise text, with None for
        missing cells; several columns must hold numbers.

    Examples
    --------
    >>> from predfeat.datasets._annotations import annotation
    >>> from predfeat.datasets._missing import Missing
    >>> annotation([["1", "", "2.5"]], Missing(), comma=False, name="reward")
    array([1. , nan, 2.5])
    >>> annotation([["up", "NA", "1"]], Missing(), comma=False, name="label").tolist()
    ['up', None, '1']
    """
    found = [_numbers(cells, missing, comma=comma) for cells in columns]
    numeric = [cells for cells in found if cells is not None]
    if len(numeric) == len(columns):
        return numeric[0] if len(numeric) == 1 else np.column_stack(numeric)
    if len(columns) > 1:
        raise DataFileError(
            f"the {name} has {len(columns)} columns, and not all of them hold numbers. Name one "
            "column, or several of numbers."
        )
    texts = np.empty(len(columns[0]), dtype=object)
    texts[:] = [None if _is_missing(cell, missing) else str(cell).strip() for cell in columns[0]]
    return texts


def of_rows(cells: AnyArray, rows: AnyArray | None) -> AnyArray:
    """Return what the rows of a recording have; nothing where a row stands for a gap.

    `rows` says which row of the file each is, and is -1 for a gap, as in `Recording`.
    """
    if rows is None:
        return cells
    taken = cells[rows]
    taken[rows < 0] = None if cells.dtype.kind == "O" else np.nan
    return taken


def _numbers(cells: Sequence[Any], missing: Missing, *, comma: bool) -> FloatArray | None:
    """Return cells as numbers; None if some are neither numbers nor missing."""
    read: dict[Any, float | None] = {}  # most columns have few different cells
    for cell in cells:
        if cell not in read:
            read[cell] = _number(cell, missing, comma=comma)
            if read[cell] is None:
                return None
    numbers = np.fromiter((read[cell] for cell in cells), np.float64, len(cells))
    return np.asarray(missing.blank(numbers), dtype=np.float64)


def _number(cell: Any, missing: Missing, *, comma: bool) -> float | None:
    if _is_missing(cell, missing):
        return np.nan
    if isinstance(cell, str):
        return number(cell, missing, comma=comma)
    try:
        return float(cell)
    except (TypeError, ValueError, OverflowError):
        return None


def _is_missing(cell: Any, missing: Missing) -> bool:
    return cell is None or cell != cell or (isinstance(cell, str) and missing.says(cell))
