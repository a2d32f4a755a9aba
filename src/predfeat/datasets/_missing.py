"""Which cells mean a missing value."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from predfeat._typing import AnyArray
from predfeat.datasets._name_lists import separate_names
from predfeat.exceptions import DataFileError

__all__ = ["SPELLINGS", "Missing"]

# In lower case. What spreadsheets, R, pandas, Weka and SAS write for a missing value.
SPELLINGS = frozenset(
    {
        "", "na", "n/a", "<na>", "#n/a", "#n/a n/a", "#na", "nan", "-nan", "nat", "null", "none",
        "-", "?", ".",
    }
)  # fmt: skip


@dataclass(frozen=True)
class Missing:
    """What counts as missing: the usual spellings, and those that the user named.

    Attributes
    ----------
    texts : frozenset of str
        In lower case.
    numbers : tuple of float
        Numbers that mean a missing value, however they are written.
    named : bool
        Whether the user named any: then nothing else is guessed.
    """

    texts: frozenset[str] = SPELLINGS
    numbers: tuple[float, ...] = ()
    named: bool = False

    @classmethod
    def given(cls, missing: str | float | Iterable[str | float] | None) -> Missing:
        """Understand the option `missing`: a text or a number, or several of them.

        A text may hold several, separated by commas, each in double quotes if needed.

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
        numbers = [number for number in numbers if number == number]
        return cls(frozenset(texts), tuple(numbers), named=True)

    def says(self, cell: str) -> bool:
        """Tell whether a cell of text means a missing value."""
        return cell.strip().lower() in self.texts

    def blank(self, values: AnyArray) -> AnyArray:
        """Return numbers with NaN where they mean a missing value."""
        if not self.numbers:
            return values
        stands = np.zeros(values.shape, dtype=bool)
        for number in self.numbers:
            stands |= values == number  # in float32, -999.9 is the nearest number
        if not stands.any():
            return values
        blanked = values.astype(values.dtype if values.dtype.kind == "f" else np.float64)
        blanked[stands] = np.nan
        return blanked
