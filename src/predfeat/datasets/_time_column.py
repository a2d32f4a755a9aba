"""Which column of a table holds the time stamps, by its name and by what is in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from predfeat._typing import AnyArray
from predfeat.datasets._dates import are_dates, parse_clock
from predfeat.datasets._timestamps import are_days_in_digits, is_time_name

__all__ = ["Sample", "TimeColumn", "find_time", "with_clock"]

# From the position of a column to the first of its cells: text, or an array of numbers or dates.
Sample = Callable[[int], Sequence[Any] | AnyArray]


@dataclass(frozen=True)
class TimeColumn:
    """Where the time stamps are.

    Attributes
    ----------
    position : int
    clock : int or None
        A second column with the times of day, where the first has the dates alone.
    by_name : bool
        Whether it was found by its name, not by the dates in it.
    """

    position: int
    clock: int | None = None
    by_name: bool = True


def find_time(
    names: Sequence[str], candidates: Iterable[int], sample: Sample | None
) -> TimeColumn | None:
    """Find the time column: by name, else the first one of advancing dates.

    Among columns named like one, the first that holds time stamps is taken; a column called t
    comes after those of dates, as it may be a temperature. Dates that mostly repeat the previous
    row are time stamps only together with a column of times of day.

    Parameters
    ----------
    names : sequence of str
        Of all columns.
    candidates : iterable of int
        Positions that may be it.
    sample : callable, optional
        Gives the first cells of a column. Without it only names count.
    """
    positions = list(candidates)
    ranks = {i: is_time_name(names[i]) for i in positions}
    named = sorted((rank, i) for i, rank in ranks.items() if rank is not None)
    if sample is None:
        return TimeColumn(named[0][1]) if named else None
    kinds = {i: _kind(sample(i)) for i in positions}
    by_name = [i for _, i in named]
    letter = [i for i in by_name if names[i].strip().lower() == "t"]
    sure = [i for i in by_name if i not in letter]
    for position in (
        *(i for i in sure if kinds[i] in ("dates", "numbers")),
        *(i for i in positions if kinds[i] == "dates"),
        *(i for i in letter if kinds[i] == "numbers"),
        *(i for i in sure if kinds[i] == "clock"),
    ):
        clock = with_clock(position, positions, sample)
        found = position in by_name
        if found or clock is not None or _goes_on(sample(position)):
            return TimeColumn(position, clock, found)
    return TimeColumn(by_name[0]) if by_name else None


def with_clock(position: int, candidates: Iterable[int], sample: Sample) -> int | None:
    """Return the column with the times of day for dates that repeat from row to row."""
    if _kind(sample(position)) != "dates" or _goes_on(sample(position)):
        return None
    others = (i for i in candidates if i != position and _kind(sample(i)) == "clock")
    return next(others, None)


def _kind(cells: Sequence[Any] | AnyArray) -> str:
    if isinstance(cells, np.ndarray) and cells.dtype.kind in "Miuf":
        return "dates" if cells.dtype.kind == "M" else "numbers"
    texts = [str(cell).strip() for cell in cells]
    if not texts or not all(texts):
        return "other"
    try:
        for text in texts:
            float(text)
        return "dates" if are_days_in_digits(texts) else "numbers"
    except ValueError:
        pass
    if parse_clock(texts) is not None:
        return "clock"
    return "dates" if are_dates(texts) else "other"


def _goes_on(cells: Sequence[Any] | AnyArray) -> bool:
    """Tell whether most rows have a different stamp from the previous row."""
    if len(cells) < 2:
        return True
    same = sum(bool(one == other) for one, other in zip(cells[1:], cells[:-1], strict=True))
    return 2 * same <= len(cells) - 1
