"""Which states are equal: of many equal ones, only the first few can be anyone's neighbours."""

from __future__ import annotations

import numpy as np

from predfeat._typing import AnyArray, IntArray
from predfeat.series import States

__all__ = ["count_equal_before"]


def count_equal_before(states: States) -> IntArray:
    """Return for every state how many of the states before it are equal to it.

    Equal samples get equal numbers; windows of two numbers are numbered in turn, windows of four
    from these, and so on up to the largest power of two within p lags. Two such windows, which may
    overlap, make a state. So nothing is embedded, and long states cost little more than short
    ones.
    """
    rows = np.ascontiguousarray(states.series.rows + 0.0)  # -0 + 0 is 0, of which it is an equal
    numbers = _numbered(rows.view(np.dtype((np.void, rows.shape[1] * rows.itemsize)))[:, 0])
    length = 1
    while 2 * length <= states.n_lags:
        numbers = _paired(numbers, length)
        length *= 2
    if length < states.n_lags:
        numbers = _paired(numbers, states.n_lags - length)
    classes = numbers[states.times]
    order = np.argsort(classes, kind="stable")
    in_order = classes[order]
    before = np.empty(len(states), dtype=np.intp)
    before[order] = np.arange(len(states)) - np.searchsorted(in_order, in_order, side="left")
    return before


def _paired(numbers: IntArray, distance: int) -> IntArray:
    """Number the pairs of every row and the one `distance` before, if there is one."""
    earlier = numbers[np.maximum(np.arange(len(numbers)) - distance, 0)]
    return _numbered(numbers * len(numbers) + earlier)


def _numbered(values: AnyArray) -> IntArray:
    numbers: IntArray = np.unique(values, return_inverse=True)[1]
    return numbers.astype(np.int64)
