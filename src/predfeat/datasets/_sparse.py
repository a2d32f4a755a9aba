"""Columns with many empty cells: what each costs in rows, and which cost more than they add."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from predfeat._typing import BoolArray, FloatArray

__all__ = ["cost_in_rows", "worth_their_rows"]


def worth_their_rows(
    missing: BoolArray, fixed: Sequence[int] = (), idle: Collection[int] = ()
) -> list[int]:
    """Choose the columns that leave the most cells in complete rows.

    As a row with a missing cell is a gap, a column costs the rows where only its own cell is
    missing, in all columns. The columns are taken from the fullest to the emptiest, as many as
    maximise complete rows × columns; then the others that do not lower this product are added.
    Among equal products, the one with more columns wins.

    Parameters
    ----------
    missing : ndarray of bool of shape (n_rows, n_columns)
    fixed : sequence of int
        Columns that always stay.
    idle : sequence of int
        Columns that add nothing because they are constant: they stay if they cost nothing.

    Returns
    -------
    list of int
        In the order of the table.

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.datasets._sparse import worth_their_rows
    >>> missing = np.zeros((10, 3), dtype=bool)
    >>> missing[2:, 1] = True  # 2 rows of 3 cells with it, 10 rows of 2 without
    >>> worth_their_rows(missing)
    [0, 2]
    """
    n_missing = missing.sum(axis=0)
    first = sorted(set(fixed))
    others = set(range(missing.shape[1])) - set(first)
    order = first + sorted(others - set(idle), key=lambda i: (n_missing[i], i))
    gap: BoolArray = np.zeros(len(missing), dtype=bool)
    best, most = len(first), -1
    for i, column in enumerate(order):
        gap = gap | missing[:, column]
        cells = (i + 1) * int(np.count_nonzero(~gap))
        if i + 1 >= len(first) and cells >= most:
            best, most = i + 1, cells
    kept = order[:best]
    gap = np.asarray(missing[:, kept].any(axis=1))
    idle = frozenset(idle)
    for column in (*order[best:], *sorted(others & idle)):
        with_it = gap | missing[:, column]
        brings = len(kept) if column in idle else len(kept) + 1
        if brings * int(np.count_nonzero(~with_it)) >= len(kept) * int(np.count_nonzero(~gap)):
            kept.append(column)
            gap = with_it
    return sorted(kept)


def cost_in_rows(values: FloatArray) -> tuple[int, dict[int, int]]:
    """Return how many rows miss a cell, and for each column how many miss that cell only."""
    n_missing = np.zeros(len(values), dtype=np.intp)
    for column in values.T:
        n_missing += np.isnan(column)
    single = n_missing == 1
    alone = {i: int(np.count_nonzero(single & np.isnan(c))) for i, c in enumerate(values.T)}
    return int(np.count_nonzero(n_missing)), {i: n for i, n in alone.items() if n}
