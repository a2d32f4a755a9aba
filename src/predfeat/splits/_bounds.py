"""Stretches of rows, as (first row, one past the last row), and how to deal them to parts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

import numpy as np

from predfeat._typing import IntArray
from predfeat.series import Sequences

__all__ = ["Bounds", "deal", "long_enough", "rows_within"]

Bounds: TypeAlias = tuple[int, int]


def long_enough(series: Sequences, back: int = 0, ahead: int = 0) -> list[Bounds]:
    """Return the bounds of the sequences with a row t that has rows t-back … t+ahead in its run.

    Examples
    --------
    >>> from predfeat.series import check_sequences
    >>> from predfeat.splits._bounds import long_enough
    >>> long_enough(check_sequences([[0.0]] * 6, groups=[0, 0, 0, 0, 1, 1]), ahead=2)
    [(0, 4)]
    """
    reached = np.concatenate([[0], np.cumsum(series.reach(back=back, ahead=ahead))])
    return [
        (start, stop) for start, stop in series.sequence_bounds() if reached[stop] > reached[start]
    ]


def rows_within(bounds: Iterable[Bounds]) -> IntArray:
    """Return the rows of all stretches, in their order.

    Examples
    --------
    >>> from predfeat.splits._bounds import rows_within
    >>> rows_within([(2, 4), (7, 10)])
    array([2, 3, 7, 8, 9])
    """
    return np.concatenate(
        [np.empty(0, dtype=np.intp), *(np.arange(start, stop) for start, stop in bounds)]
    )


def deal(sizes: Sequence[int], n_parts: int, order: Iterable[int]) -> list[list[int]]:
    """Deal items in the given order, each to the part that is smallest so far.

    Parameters
    ----------
    sizes : sequence of int
        Size of each item.
    n_parts : int
        Number of parts; among equally small parts, the first one gets the item.
    order : iterable of int
        Numbers of the items.

    Returns
    -------
    list of list of int
        The numbers of the items in each part, ascending.

    Examples
    --------
    >>> from predfeat.splits._bounds import deal
    >>> deal([5, 3, 2, 4], 2, order=[0, 3, 1, 2])
    [[0, 2], [1, 3]]
    """
    parts: list[list[int]] = [[] for _ in range(n_parts)]
    totals = [0] * n_parts
    for number in order:
        lightest = totals.index(min(totals))
        parts[lightest].append(number)
        totals[lightest] += sizes[number]
    return [sorted(part) for part in parts]
