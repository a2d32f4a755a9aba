"""Some rows of a series as a series: rows are adjacent only if they were adjacent before."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from predfeat._typing import FloatArray, IntArray
from predfeat.series import Sequences, check_sequences

__all__ = ["count_states", "take"]


def take(series: Sequences, rows: Any, *, pieces: IntArray | None = None) -> Sequences:
    """Return some rows of a series as a series of their own.

    A row follows the one before it if it did so in `series`. Where rows were left out between
    them, where a sequence of `series` ends, and where the number in `pieces` changes, a new
    sequence begins. Gaps stay gaps. Messages about the part name the group ids of `series`.

    Parameters
    ----------
    series : Sequences
    rows : ndarray of int, slice or mask
        Which rows to take, in this order.
    pieces : ndarray of int, optional
        A number for each row taken. Rows of different pieces are kept apart even if they followed
        each other; `spread_sequences` needs this for blocks that touch.

    Returns
    -------
    Sequences

    Raises
    ------
    EmptyColumnError
        All rows taken are gaps.

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.series import check_sequences
    >>> from predfeat.splits import take
    >>> series = check_sequences(np.arange(10.0)[:, None], groups=np.repeat([0, 1], 5))
    >>> part = take(series, [0, 1, 3, 4, 5, 6])
    >>> part.sequence_bounds(), part.rows[:, 0]
    ([(0, 2), (2, 4), (4, 6)], array([0., 1., 3., 4., 5., 6.]))
    """
    rows = np.arange(series.n_rows)[rows]  # so that negative row numbers become real ones
    values: FloatArray = series.rows[rows]
    values[~series.valid[rows]] = np.nan
    starts = np.ones(len(rows), dtype=bool)
    starts[1:] = (np.diff(rows) != 1) | (np.diff(series.sequence_first[rows]) != 0)
    if pieces is not None:
        starts[1:] |= pieces[1:] != pieces[:-1]
    taken = check_sequences(values, np.cumsum(starts))
    return replace(taken, group_ids=None if series.group_ids is None else series.group_ids[rows])


def count_states(series: Sequences, rows: IntArray, n_lags: int, horizon: int = 1) -> int:
    """Return how many states with a successor lie wholly in some rows of a series.

    Parameters
    ----------
    series : Sequences
    rows : ndarray of int
        The part, as in `take`.
    n_lags : int
        Samples in a state, p.
    horizon : int
        How many steps ahead the successor is, H.

    Returns
    -------
    int

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.series import check_sequences
    >>> from predfeat.splits import count_states
    >>> series = check_sequences(np.zeros((10, 1)))
    >>> count_states(series, np.array([0, 1, 2, 3, 7, 8, 9]), n_lags=2)
    3
    """
    if not series.valid[rows].any():
        return 0
    # One column is enough to count, and a part can be large.
    part = take(series.with_rows(series.rows[:, :1]), rows)
    return int(part.reach(back=n_lags - 1, ahead=horizon).sum())
