"""Several names in one text, as people type them: a,b."""

from __future__ import annotations

import csv
from collections.abc import Sequence

__all__ = ["separate_names"]


def separate_names(given: str | Sequence[str], names: Sequence[str]) -> list[str]:
    """Return the names given, splitting lists at their commas.

    A text that is a column's name is that column, commas or not. In a list, a name with a comma
    is put in quotes, as in a text table.

    Examples
    --------
    >>> from predfeat.datasets._name_lists import separate_names
    >>> separate_names(["a,b", 'wind, east', '"wind, east", a'], ["a", "b", "wind, east"])
    ['a', 'b', 'wind, east', 'wind, east', 'a']
    """
    texts = [given] if isinstance(given, str) else given
    separate: list[str] = []
    for text in texts:
        if text in names or "," not in str(text):
            separate.append(text)
        else:
            (parts,) = csv.reader([str(text).replace("\n", " ")], skipinitialspace=True)
            separate += [part.strip() for part in parts if part.strip()]
    return separate
