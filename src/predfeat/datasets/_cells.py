"""Cells of text: numbers, missing or neither; and a tally for each column."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby

import numpy as np

from predfeat._typing import FloatArray
from predfeat.datasets._missing import Missing

__all__ = ["CellTally", "number", "numbers"]

# Groups of three digits, all with the same sign between them, and another one before decimals.
_REPORTED = re.compile(
    r"(?P<loss>\()?(?P<sign>[-+\N{MINUS SIGN}]?)\s?"
    r"(?P<digits>[1-9]\d{0,2}(?P<between>[,.' \N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}])\d{3}"
    r"(?:(?P=between)\d{3})*|\d+)"
    r"(?P<decimal>[.,]\d+)?\s?%?(?(loss)\))"
)
_GROUPING = re.compile(r"\D")
# After a comma that groups digits there are three of them.
_DECIMAL_COMMA = re.compile(r"\s*[-+(\N{MINUS SIGN}]?(?:\d+,(?!\d{3}\D*$)\d+|0,\d+)\s?%?\)?\s*")
_EXAMPLES = 3
_SHOWN_CHARACTERS = 40  # of a cell in a message


@dataclass
class CellTally:
    """What the cells of one column are, as it is being read.

    Attributes
    ----------
    n_numbers : int
    n_odd : int
        Cells that are neither numbers nor missing.
    decimal_comma : bool
        Whether some comma can only be a decimal one, so that 1,234 is no thousand.
    examples : dict of str to int
        The first few of these, with the row (from 1) where each comes first.
    ids : set of str or None
        Distinct cells of a column where each stands in one stretch of rows only; None as soon as
        one comes back.
    """

    n_numbers: int = 0
    n_odd: int = 0
    decimal_comma: bool = False
    examples: dict[str, int] = field(default_factory=dict)
    ids: set[str] | None = field(default_factory=set)
    _last: str | None = None

    @property
    def is_text(self) -> bool:
        """Whether most cells are not numbers."""
        return self.n_odd > 0 and self.n_numbers <= self.n_odd

    def in_words(self, n_examples: int = _EXAMPLES) -> str:
        """Return the examples with their rows; at most `n_examples` of them."""
        told = [f"{_short(cell)!r} (row {row})" for cell, row in self.examples.items()]
        return ", ".join(told[:n_examples])

    def follow(self, cells: Sequence[str]) -> None:
        """Note whether ids recur; cells in the order of the file."""
        if self.ids is None:
            return
        for cell, _ in groupby(cells):
            if cell == self._last:
                continue
            if cell in self.ids:
                self.ids = None
                return
            self.ids.add(cell)
            self._last = cell


def _short(cell: str) -> str:
    return cell if len(cell) <= _SHOWN_CHARACTERS else cell[:_SHOWN_CHARACTERS] + "…"


def numbers(
    cells: Sequence[str], missing: Missing, *, comma: bool, tally: CellTally, row: int
) -> FloatArray:
    """Read a column's cells as numbers: NaN where one is missing or odd.

    Parameters
    ----------
    cells : sequence of str
    missing : Missing
    comma : bool
        Whether numbers may have a decimal comma.
    tally : CellTally
        Of the column; it is updated.
    row : int
        Of the first cell, from 0.
    """
    if "_" not in "".join(cells):  # float() would read 1_000 as a number
        try:
            read: FloatArray = np.array(cells, dtype=np.float64)
        except ValueError:
            pass
        else:
            read = missing.blank(read)
            tally.n_numbers += len(cells) - int(np.count_nonzero(np.isnan(read)))
            return read
    counts = Counter(cells)
    tally.decimal_comma = tally.decimal_comma or any(map(_DECIMAL_COMMA.fullmatch, counts))
    comma = comma or tally.decimal_comma
    known = {cell: number(cell, missing, comma=comma) for cell in counts}
    odd = {cell for cell, value in known.items() if value is None}
    read = np.array([np.nan if known[cell] is None else known[cell] for cell in cells], dtype=float)
    read = missing.blank(read)
    n_odd = sum(counts[cell] for cell in odd)
    tally.n_odd += n_odd
    tally.n_numbers += int(np.count_nonzero(~np.isnan(read)))
    for i, cell in enumerate(cells if odd else ()):
        if len(tally.examples) == _EXAMPLES:
            break
        if cell in odd and cell not in tally.examples:
            tally.examples[cell] = row + i + 1
    tally.follow(cells)
    return read


def number(cell: str, missing: Missing, *, comma: bool) -> float | None:
    """Read one cell: NaN if it is missing, None if it is not a number.

    Examples
    --------
    >>> from predfeat.datasets._cells import number
    >>> from predfeat.datasets._missing import Missing
    >>> cells = ["1,234.5", "1.234,5", "12 000", "(0.79)", "\N{MINUS SIGN}3", "50%"]
    >>> [number(cell, Missing(), comma=False) for cell in cells]
    [1234.5, 1234.5, 12000.0, -0.79, -3.0, 50.0]
    """
    stripped = cell.strip()
    if stripped.lower() in missing.texts:
        return float("nan")
    if comma and "," in stripped and "." not in stripped and stripped.count(",") == 1:
        stripped = stripped.replace(",", ".")
    try:
        if "_" not in stripped:
            return float(stripped)
    except ValueError:
        pass
    return _as_in_reports(stripped)


def _as_in_reports(text: str) -> float | None:
    """Read a number as spreadsheets show it: with thousands in groups, a loss in brackets, a %."""
    found = _REPORTED.fullmatch(text)
    if found is None:
        return None
    digits, decimal = found["digits"], found["decimal"]
    if decimal and found["between"] == decimal[0]:
        return None
    value = float(_GROUPING.sub("", digits) + (f".{decimal[1:]}" if decimal else ""))
    return -value if found["sign"] in ("-", "\N{MINUS SIGN}") or found["loss"] else value
