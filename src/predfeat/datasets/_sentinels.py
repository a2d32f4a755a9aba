"""Numbers that mean a missing value: -999, 9999, 99.9, and infinite ones."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from predfeat._typing import FloatArray
from predfeat.datasets._clocks import ENOUGH
from predfeat.datasets._naming import in_python, quoted
from predfeat.datasets._recording import Recording

__all__ = [
    "Sentinel",
    "blank_sentinels",
    "find_sentinels",
    "without_infinities",
    "without_sentinels",
]

_LEAST_NINES = 3  # that mean a missing value; two are also the number on a jersey


@dataclass(frozen=True)
class Sentinel:
    """A number that means a missing value in some columns.

    Attributes
    ----------
    number : float
    columns : list of int
    counts : list of int
        How often it occurs in each of them.
    """

    number: float
    columns: list[int]
    counts: list[int]

    def in_words(self, names: Sequence[str]) -> str:
        """Say where it occurs."""
        first, n = names[self.columns[0]], self.counts[0]
        others = quoted([names[i] for i in self.columns[1:]])
        more = f"; so does {others}" if len(self.columns) == 2 else f"; so do {others}"
        return (
            f"Column {first!r} holds {self.number:g} in {n} row{'s' * (n > 1)}, far outside the "
            "rest"
            f"{more if len(self.columns) > 1 else ''}."
        )


def find_sentinels(values: FloatArray) -> list[Sentinel]:
    """Find extreme values that are all nines and far outside the rest.

    Far means farther from the nearest other value than the others are from each other. The others
    must be most of the column and take many values: a price is often 4.99 or 9.99.
    """
    found: dict[float, Sentinel] = {}
    for i in range(values.shape[1]):
        present = values[np.isfinite(values[:, i]), i]
        distinct, counts = np.unique(present, return_counts=True)
        # A column may have two of them at either end.
        tried = {
            float(distinct[at]): int(counts[at])
            for at in {*range(len(distinct))[:2], *range(len(distinct))[-2:]}
            if _count_nines(float(distinct[at]))
        }
        rest = distinct[~np.isin(distinct, list(tried))]
        n_rest = present.size - sum(tried.values())
        if len(rest) < ENOUGH or 2 * n_rest < present.size:
            continue
        low, high = float(rest[0]), float(rest[-1])
        for number, n in tried.items():
            if max(low - number, number - high) > high - low:
                sentinel = found.setdefault(number, Sentinel(number, [], []))
                sentinel.columns.append(i)
                sentinel.counts.append(n)
    return list(found.values())


def without_sentinels(
    values: FloatArray, names: Sequence[str]
) -> tuple[FloatArray, tuple[tuple[str, float], ...], tuple[str, ...]]:
    """Turn numbers that mean missing values into gaps, with notes.

    Three nines or more, such as -999, are taken as missing; two nines may be an ordinary number
    and are only mentioned.

    Returns
    -------
    values : ndarray
        The same array where nothing was found.
    taken : tuple of (str, float)
        Columns, and the number that was taken as missing there.
    notes : tuple of str
    """
    taken: list[tuple[str, float]] = []
    notes: list[str] = []
    for sentinel in find_sentinels(values):
        told = sentinel.in_words(names)
        if _count_nines(sentinel.number) < _LEAST_NINES:
            option = in_python("missing", [f"{sentinel.number:g}"])
            notes.append(f"{told} If that means a missing value, give {option}.")
            continue
        taken += [(names[i], sentinel.number) for i in sentinel.columns]
        notes.append(f'{told} It was taken as missing; missing="none" keeps it as a number.')
    return _blanked(values, names, taken), tuple(taken), tuple(notes)


def without_infinities(values: FloatArray, names: Sequence[str]) -> tuple[str, ...]:
    """Turn infinite numbers into gaps, in place; return the notes."""
    infinite = np.isinf(values)
    if not infinite.any():
        return ()
    rows, columns = np.nonzero(infinite)
    values[infinite] = np.nan
    return (
        f"{len(rows)} infinite number(s), in {quoted([names[i] for i in np.unique(columns)])} "
        f"(first in row {rows[0] + 1}), were taken as missing.",
    )


def blank_sentinels(recording: Recording, sentinels: Sequence[tuple[str, float]]) -> Recording:
    """Turn numbers into gaps that mean missing values in the same columns of other recordings.

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.datasets import Recording, blank_sentinels
    >>> recording = Recording(np.array([[12.0, -999.0]]), ("temp", "wind"), "today.csv")
    >>> blank_sentinels(recording, [("wind", -999.0)]).values
    array([[12., nan]])
    """
    values = _blanked(recording.values, recording.names, sentinels)
    known = tuple(dict.fromkeys([*recording.sentinels, *sentinels]))
    return replace(recording, values=values, sentinels=known)


def _blanked(
    values: FloatArray, names: Sequence[str], sentinels: Sequence[tuple[str, float]]
) -> FloatArray:
    """Return a copy with gaps, or the array itself where there are none."""
    place = {name: i for i, name in enumerate(names)}
    stands = [
        (values[:, place[name]] == number, place[name])
        for name, number in sentinels
        if name in place
    ]
    if not any(rows.any() for rows, _ in stands):
        return values
    values = values.copy()
    for rows, i in stands:
        values[rows, i] = np.nan
    return values


def _count_nines(number: float) -> int:
    """Return how many nines a number is written with; 0 if it has other digits or only one.

    Examples
    --------
    >>> from predfeat.datasets._sentinels import _count_nines
    >>> _count_nines(-999.0), _count_nines(99.9), _count_nines(998.0), _count_nines(9.0)
    (3, 3, 0, 0)
    """
    if not math.isfinite(number):
        return 0
    digits = f"{abs(number):.7g}".replace(".", "")  # float32 has seven digits
    return len(digits) if len(digits) >= 2 and set(digits) == {"9"} else 0
