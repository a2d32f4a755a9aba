"""Which cells say that nothing is known, and which numbers may say so."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from predfeat._typing import AnyArray, FloatArray
from predfeat.datasets._name_lists import separate_names
from predfeat.datasets._naming import in_python, quoted
from predfeat.exceptions import DataFileError

__all__ = ["SPELLINGS", "Missing", "sentinel_notes"]

# In small letters. What spreadsheets, R, pandas, Weka and SAS write for a missing value.
SPELLINGS = frozenset(
    {
        "", "na", "n/a", "<na>", "#n/a", "#n/a n/a", "#na", "nan", "-nan", "nat", "null", "none",
        "-", "?", ".",
    }
)  # fmt: skip


@dataclass(frozen=True)
class Missing:
    """What counts as missing: the usual spellings, and what the user named beside them.

    Attributes
    ----------
    texts : frozenset of str
        In small letters.
    numbers : tuple of float
        Numbers that stand for a missing value, however they are written.
    """

    texts: frozenset[str] = SPELLINGS
    numbers: tuple[float, ...] = ()

    @classmethod
    def given(cls, missing: str | float | Iterable[str | float] | None) -> Missing:
        """Understand the option `missing`: a text or a number, or several of them.

        A text may hold several with commas in between, each in double quotes if need be.

        Examples
        --------
        >>> from predfeat.datasets._missing import Missing
        >>> Missing.given("Error,-999").numbers
        (-999.0,)
        """
        if missing is None:
            return cls()
        several = [missing] if isinstance(missing, str | float | int) else list(missing)
        texts, numbers = set(SPELLINGS), []
        if any(isinstance(i, bool) or not isinstance(i, str | float | int) for i in several):
            raise DataFileError(
                f"missing={missing!r} is not possible: give texts or numbers, such as "
                'missing=["?", "-999"].'
            )
        for text in separate_names([str(one).strip() for one in several], ()):
            texts.add(text.lower())
            for spelling in (text, text.replace(",", ".")):
                try:
                    numbers.append(float(spelling))
                    break
                except ValueError:
                    continue
        return cls(frozenset(texts), tuple(number for number in numbers if number == number))

    def says(self, cell: str) -> bool:
        """Tell whether a cell of text stands for nothing."""
        return cell.strip().lower() in self.texts

    def blank(self, values: AnyArray) -> AnyArray:
        """Return numbers with NaN where they stand for a missing value."""
        if not self.numbers:
            return values
        stands = np.zeros(values.shape, dtype=bool)
        for number in self.numbers:
            stands |= values == number  # of float32, -999.9 is the one nearest to it
        if not stands.any():
            return values
        blanked = values.astype(values.dtype if values.dtype.kind == "f" else np.float64)
        blanked[stands] = np.nan
        return blanked


def sentinel_notes(values: FloatArray, names: Sequence[str]) -> tuple[str, ...]:
    """Name the columns whose extreme, repeated value is all nines and far outside of the rest.

    Far means farther from the nearest other value than all others are from each other.
    """
    found: dict[float, list[tuple[str, int, float, float]]] = {}
    for name, column in zip(names, values.T, strict=True):
        present = column[np.isfinite(column)]
        for end in (np.min, np.max):
            if not present.size:
                continue
            extreme = float(end(present))
            if not _all_nines(extreme):
                continue
            rest = present[present != extreme]
            n = present.size - rest.size
            if n < 2 or not rest.size:
                continue
            low, high = float(rest.min()), float(rest.max())
            if min(abs(extreme - low), abs(extreme - high)) > high - low:
                found.setdefault(extreme, []).append((name, n, low, high))
    notes = []
    for extreme, columns in found.items():
        name, n, low, high = columns[0]
        others = quoted([c[0] for c in columns[1:]])
        more = f"; so do {others}" if len(columns) > 1 else ""
        option = in_python("missing", [f"{extreme:g}"])
        notes.append(
            f"Column {name!r} holds {extreme:g} in {n} rows, far outside of the rest ({low:g} to "
            f"{high:g}){more}. If that stands for a missing value, give {option}."
        )
    return tuple(notes)


def _all_nines(number: float) -> bool:
    """Tell whether a number is written with nines only, at least two of them."""
    if not math.isfinite(number):
        return False
    digits = f"{abs(number):.7g}".replace(".", "")  # float32 has seven digits
    return len(digits) >= 2 and set(digits) == {"9"}
