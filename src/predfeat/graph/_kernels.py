"""The compiled kernels of the projected graph: flat arrays, no checks.

Importing this module compiles; `_sums` imports it when compiled code is in memory.
"""

from __future__ import annotations

import numpy as np

from predfeat._jit import compiled_strictly
from predfeat._typing import AnyArray, FloatArray

__all__ = ["add_members", "add_weighted_members"]


@compiled_strictly
def add_members(first: AnyArray, nodes: AnyArray, rows: FloatArray, onto: FloatArray) -> None:
    """Add to every row of `onto` the sum of some rows, nodes[first[i]] … nodes[first[i + 1] - 1].

    They are added one after the other, but four in one pass over the sum, because each pass costs
    a load and a store.
    """
    total = np.empty(onto.shape[1])
    for i in range(len(onto)):
        total[:] = 0.0
        n, stop = first[i], first[i + 1]
        while n + 4 <= stop:
            one, two = rows[nodes[n]], rows[nodes[n + 1]]
            three, four = rows[nodes[n + 2]], rows[nodes[n + 3]]
            for c in range(len(total)):
                total[c] = (((total[c] + one[c]) + two[c]) + three[c]) + four[c]
            n += 4
        while n < stop:
            one = rows[nodes[n]]
            for c in range(len(total)):
                total[c] += one[c]
            n += 1
        result = onto[i]
        for c in range(len(total)):
            result[c] += total[c]


@compiled_strictly
def add_weighted_members(
    first: AnyArray, nodes: AnyArray, weights: FloatArray, rows: FloatArray, onto: FloatArray
) -> None:
    """Add to every row of `onto` the sum of some rows, each times its own weight.

    The rows are those of `add_members`, in the same order; row nodes[n] has weights[n].
    """
    total = np.empty(onto.shape[1])
    for i in range(len(onto)):
        total[:] = 0.0
        for n in range(first[i], first[i + 1]):
            weight, row = weights[n], rows[nodes[n]]
            for c in range(len(total)):
                total[c] += weight * row[c]
        result = onto[i]
        for c in range(len(total)):
            result[c] += total[c]
