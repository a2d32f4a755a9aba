"""Optional preparation of a series before a method sees it: thin, detrend, difference, delay.

Nothing reaches from one sequence into another, and nothing that combines rows crosses a gap.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.fft import dct

from predfeat._typing import ArrayLike, FloatArray, IntArray
from predfeat._warnings import warn
from predfeat.exceptions import AliasingWarning, DataError, ShortSequencesError
from predfeat.series._matrix import Matrix, check_matrix
from predfeat.series._sequences import Sequences, check_sequences

__all__ = ["aliased_share", "delay", "detrend", "difference", "thin"]

# The warning gives shares of variance in per cent; smaller ones would round to none.
_SMALLEST_REPORTED_SHARE = 0.01
_MAX_COLUMNS_LISTED = 3


def difference(X: Any, *, groups: ArrayLike | None = None) -> FloatArray:
    """Return the change from each row to the next, x_t - x_{t-1}, in row t.

    Parameters
    ----------
    X : array-like of shape (n_rows, n_columns)
        Rows in time order. A row that holds a NaN is a gap.
    groups : array-like of shape (n_rows,), optional
        Ids of the sequences.

    Returns
    -------
    ndarray of shape (n_rows, n_columns)
        NaN in the first row of each sequence, in gaps and right after them.

    Raises
    ------
    ShortSequencesError
        When no two samples follow each other.

    Examples
    --------
    >>> from predfeat.series import difference
    >>> difference([[1.0], [4.0], [6.0], [0.0]], groups=["a", "a", "a", "b"]).ravel()
    array([nan,  3.,  2., nan])
    """
    matrix, series = _checked(X, groups)
    changed = _empty(matrix, series.n_columns)
    times = _reaching_back(series, 1, "differences")
    changed[times] = series.rows[times] - series.rows[times - 1]
    return changed


def detrend(X: Any, *, groups: ArrayLike | None = None) -> FloatArray:
    """Remove the linear trend from each column of each sequence.

    The line is fitted by least squares to all samples of the sequence, on both sides of its gaps;
    the mean is removed with it. A sequence of one or two samples lies on its line and becomes
    zero.

    Parameters
    ----------
    X : array-like of shape (n_rows, n_columns)
        Rows in time order. A row that holds a NaN is a gap.
    groups : array-like of shape (n_rows,), optional
        Ids of the sequences.

    Returns
    -------
    ndarray of shape (n_rows, n_columns)
        NaN in gaps.

    Examples
    --------
    >>> from predfeat.series import detrend
    >>> detrend([[1.0], [2.0], [6.0], [7.0]]).round(9).ravel()
    array([ 0.3, -0.9,  0.9, -0.3])
    """
    matrix, series = _checked(X, groups)
    level = _empty(matrix, series.n_columns)
    for start, stop in series.sequence_bounds():
        times = start + np.flatnonzero(series.valid[start:stop])
        if times.size == 0:
            continue
        clock = times - times.mean()
        values = series.rows[times] - series.rows[times].mean(axis=0)
        slope = clock @ values / (clock @ clock or 1.0)  # one sample has no slope
        level[times] = values - clock[:, None] * slope
    return level


def delay(X: Any, n_delays: int, *, groups: ArrayLike | None = None) -> FloatArray:
    """Append to each row the rows before it: x_t, x_{t-1}, …, x_{t-n_delays}.

    Parameters
    ----------
    X : array-like of shape (n_rows, n_columns)
        Rows in time order. A row that holds a NaN is a gap.
    n_delays : int
        How many delayed copies of every column to append.
    groups : array-like of shape (n_rows,), optional
        Ids of the sequences.

    Returns
    -------
    ndarray of shape (n_rows, (n_delays + 1) * n_columns)
        All columns of row t, then all of the row before, and so on. NaN in gaps, and in rows with
        fewer than `n_delays` samples before them.

    Raises
    ------
    ShortSequencesError
        When no stretch is longer than the delays.

    Examples
    --------
    >>> from predfeat.series import delay
    >>> delay([[1.0], [2.0], [3.0]], n_delays=1)
    array([[nan, nan],
           [ 2.,  1.],
           [ 3.,  2.]])
    """
    _require_whole("n_delays", n_delays, 0)
    matrix, series = _checked(X, groups)
    width = series.n_columns
    times = _reaching_back(series, n_delays, f"{n_delays} delay(s)")
    delayed = _empty(matrix, (n_delays + 1) * width)
    for back in range(n_delays + 1):
        delayed[times, back * width : (back + 1) * width] = series.rows[times - back]
    return delayed


def thin(X: Any, every: int, *, groups: ArrayLike | None = None) -> IntArray:
    """Return the rows to keep so that every N-th row of each sequence remains.

    Nothing is averaged: the rows kept are measured samples. Changes too fast for the kept rows
    are folded into slower ones (aliasing); a warning says how much variance is affected.

    Parameters
    ----------
    X : array-like of shape (n_rows, n_columns)
        Rows in time order. A row that holds a NaN is a gap; gaps are counted as rows.
    every : int
        N: the first row of each sequence, the N-th after it, and so on are kept.
    groups : array-like of shape (n_rows,), optional
        Ids of the sequences.

    Returns
    -------
    ndarray of int
        The rows: X[rows], and groups[rows].

    Warns
    -----
    AliasingWarning
        When a per cent or more of some column's variance is too fast (see `aliased_share`).

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.series import thin
    >>> X = np.cos(np.arange(8) / 10).reshape(-1, 1)
    >>> thin(X, 2, groups=[0, 0, 0, 0, 0, 1, 1, 1])
    array([0, 2, 4, 5, 7])
    """
    _require_whole("every", every, 1)
    matrix, series = _checked(X, groups)
    _warn_of_aliasing(_share_above(series, every), matrix.names, every)
    since_first = np.arange(series.n_rows) - series.sequence_first
    return np.flatnonzero(since_first % every == 0)


def aliased_share(X: Any, every: int, *, groups: ArrayLike | None = None) -> FloatArray:
    """Return how much of each column's variance is too fast for every N-th row to show.

    This is the share at frequencies above 1 / (2 N) cycles per row. Each stretch without a gap
    is decomposed into cosines (DCT-II), whose squares add up to the variance. Unlike a Fourier
    transform, this adds no jump when a stretch ends at another value than it began with, so a
    slow drift has no fast part.

    Parameters
    ----------
    X : array-like of shape (n_rows, n_columns)
        Rows in time order. A row that holds a NaN is a gap.
    every : int
        N, the number of rows from one kept row to the next.
    groups : array-like of shape (n_rows,), optional
        Ids of the sequences.

    Returns
    -------
    ndarray of shape (n_columns,)
        From 0 to 1; 0 for a column that does not change.

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.series import aliased_share
    >>> t = np.arange(1000)
    >>> aliased_share(np.c_[np.sin(t / 50), np.sin(t)], every=10).round(2)
    array([0., 1.])
    """
    _require_whole("every", every, 1)
    return _share_above(_checked(X, groups)[1], every)


def _share_above(series: Sequences, every: int) -> FloatArray:
    fast = np.zeros(series.n_columns)
    if not series.valid.any():
        return fast
    centre = series.samples.mean(axis=0)
    total = np.zeros(series.n_columns)
    for start, stop in series.run_bounds():
        # Cosine number i of n has i / 2n cycles per row.
        power = dct(series.rows[start:stop] - centre, axis=0, norm="ortho") ** 2
        total += power.sum(axis=0)
        fast += power[(stop - start) // every + 1 :].sum(axis=0)
    return np.divide(fast, total, out=np.zeros_like(fast), where=total > 0)


def _warn_of_aliasing(shares: FloatArray, names: list[str], every: int) -> None:
    worst = [i for i in np.argsort(-shares, kind="stable") if shares[i] >= _SMALLEST_REPORTED_SHARE]
    if not worst:
        return
    shown = [f"{shares[i]:.0%} of {names[i]!r}" for i in worst[:_MAX_COLUMNS_LISTED]]
    listed = ", ".join([shown[0].replace(" of ", " of the variance of ", 1), *shown[1:]])
    more = (
        f" and less of {len(worst) - _MAX_COLUMNS_LISTED} more"
        if len(worst) > _MAX_COLUMNS_LISTED
        else ""
    )
    warn(
        f"changes within {2 * every} rows are too fast for one row in {every}, and are folded "
        f"into slower changes (aliasing): {listed}{more}. A moving mean over {every} rows before "
        "thinning removes most of them.",
        AliasingWarning,
    )


def _checked(X: Any, groups: ArrayLike | None) -> tuple[Matrix, Sequences]:
    matrix = X if isinstance(X, Matrix) else check_matrix(X)
    return matrix, check_sequences(matrix, groups)


def _empty(matrix: Matrix, n_columns: int) -> FloatArray:
    """Return a matrix of NaN in the precision of the data, so that rounding is not signal."""
    narrow = matrix.resolution == np.finfo(np.float32).eps
    kind = np.float32 if narrow else np.float64
    return np.full((len(matrix.values), n_columns), np.nan, dtype=kind)


def _reaching_back(series: Sequences, back: int, what: str) -> IntArray:
    times = np.flatnonzero(series.reach(back=back))
    if times.size == 0:
        longest = max((stop - start for start, stop in series.run_bounds()), default=0)
        raise ShortSequencesError(
            f"{what} need {back + 1} rows in a row without a gap, but the longest stretch has "
            f"{longest}."
        )
    return times


def _require_whole(name: str, given: Any, least: int) -> None:
    whole = isinstance(given, int | np.integer) and not isinstance(given, bool)
    if not whole or given < least:
        raise DataError(f"{name}={given!r} is not possible: give a whole number from {least} on.")
