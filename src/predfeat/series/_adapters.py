"""Convert the usual layouts of trials to (X, groups)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from predfeat._typing import AnyArray, ArrayLike, IntArray
from predfeat._warnings import warn
from predfeat.exceptions import AxisOrderWarning, DimensionError, GroupsError
from predfeat.series._matrix import check_matrix

__all__ = ["from_list", "to_list", "from_trials", "from_frame"]


def from_list(sequences: Sequence[Any]) -> tuple[AnyArray, IntArray]:
    """Join a list of sequences, of any lengths, into (X, groups).

    Parameters
    ----------
    sequences : list of array-like of shape (n_rows_i, n_columns)
        One matrix per sequence, all with the same columns.

    Returns
    -------
    X : ndarray of shape (sum of n_rows_i, n_columns)
    groups : ndarray of int
        The number of the sequence each row comes from.

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.series import from_list
    >>> X, groups = from_list([np.zeros((3, 2)), np.ones((2, 2))])
    >>> X.shape, groups.tolist()
    ((5, 2), [0, 0, 0, 1, 1])
    """
    if len(sequences) == 0:
        raise DimensionError("the list of sequences is empty: give at least one matrix.")
    checked = [check_matrix(s, name=f"sequence {i}", min_rows=0) for i, s in enumerate(sequences)]
    matrices = [matrix.values for matrix in checked]
    if all(matrix.resolution == np.finfo(np.float32).eps for matrix in checked):
        # In float64, the rounding error of these numbers would count as signal.
        matrices = [matrix.astype(np.float32) for matrix in matrices]
    widths = [matrix.shape[1] for matrix in matrices]
    for i, width in enumerate(widths):
        if width != widths[0]:
            raise DimensionError(
                f"all sequences must have the same columns: sequence 0 has {widths[0]}, "
                f"sequence {i} has {width}."
            )
    groups = np.repeat(np.arange(len(matrices)), [len(matrix) for matrix in matrices])
    return np.concatenate(matrices), groups


def to_list(Y: Any, *, groups: ArrayLike) -> list[Any]:
    """Cut rows into the list of sequences that they came from; the way back from `from_list`.

    Parameters
    ----------
    Y : array-like of shape (n_rows, n_columns), or DataFrame
        Such as features.
    groups : array-like of shape (n_rows,)
        One id per row. A new sequence starts where the id changes.

    Returns
    -------
    list
        Parts of Y, of its own type.

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.series import from_list, to_list
    >>> X, groups = from_list([np.zeros((3, 2)), np.ones((2, 2))])
    >>> [part.shape for part in to_list(X, groups=groups)]
    [(3, 2), (2, 2)]
    """
    ids = np.asarray(groups)
    rows = Y if hasattr(Y, "shape") else np.asarray(Y)
    if ids.ndim != 1 or len(ids) != rows.shape[0]:
        raise GroupsError(
            f"groups must have one id per row: Y has {rows.shape[0]} rows, groups has shape "
            f"{ids.shape}."
        )
    if len(ids) == 0:
        return []
    borders = [0, *(np.flatnonzero(ids[1:] != ids[:-1]) + 1).tolist(), len(ids)]
    take = getattr(rows, "iloc", rows)
    return [take[first:stop] for first, stop in pairwise(borders)]


def from_trials(trials: ArrayLike, *, time_axis: int | None = None) -> tuple[AnyArray, IntArray]:
    """Unfold a 3-D array of trials into (X, groups).

    Trials that ended early can be padded with NaN: such rows are gaps.

    Parameters
    ----------
    trials : array-like of shape (n_trials, n_times, n_channels)
        Or (n_trials, n_channels, n_times), with `time_axis=2`.
    time_axis : {1, 2, -1}, optional
        The time axis. The default is 1, with a warning if there are then more channels than
        times: many libraries use trials × channels × time.

    Returns
    -------
    X : ndarray of shape (n_trials * n_times, n_channels)
        A view of `trials` if its memory layout allows it.
    groups : ndarray of int

    Warns
    -----
    AxisOrderWarning
        When the last axis is the longer one and `time_axis` is not given.

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.series import from_trials
    >>> X, groups = from_trials(np.zeros((2, 4, 3)))
    >>> X.shape, groups.tolist()
    ((8, 3), [0, 0, 0, 0, 1, 1, 1, 1])
    >>> X, groups = from_trials(np.zeros((2, 3, 4)), time_axis=-1)
    >>> X.shape
    (8, 3)
    """
    array = np.asarray(trials)
    if array.ndim != 3:
        raise DimensionError(
            "trials must be a 3-D array of trials × time × channels, but it has "
            f"{array.ndim} dimensions, shape {array.shape}."
        )
    if time_axis not in (None, 1, 2, -1, -2):
        raise DimensionError(
            f"time_axis={time_axis!r} is not possible: give 1 for trials × time × channels, or 2 "
            "(or -1) for trials × channels × time."
        )
    if time_axis in (2, -1):
        array = array.transpose(0, 2, 1)
    n_trials, n_times, n_channels = array.shape
    if time_axis is None and n_channels > n_times:
        warn(
            f"trials of shape {array.shape} are taken as {n_trials} trials of {n_times} times and "
            f"{n_channels} channels. If the last axis is time, give time_axis=2; otherwise give "
            "time_axis=1.",
            AxisOrderWarning,
        )
    return array.reshape(n_trials * n_times, n_channels), np.repeat(np.arange(n_trials), n_times)


def from_frame(frame: Any, group: Any) -> tuple[Any, AnyArray]:
    """Split a DataFrame into its channels and its group column.

    Parameters
    ----------
    frame : pandas.DataFrame or polars.DataFrame
        Rows in time order within each group.
    group : label
        The column with the ids of the sequences.

    Returns
    -------
    X : pandas.DataFrame or polars.DataFrame
        All other columns.
    groups : ndarray

    Examples
    --------
    >>> import pandas as pd
    >>> from predfeat.series import from_frame
    >>> frame = pd.DataFrame({"trial": ["a", "a", "b"], "u": [1.0, 2.0, 3.0]})
    >>> X, groups = from_frame(frame, group="trial")
    >>> list(X.columns), groups.tolist()
    (['u'], ['a', 'a', 'b'])
    """
    if group not in frame.columns:
        raise GroupsError(
            f"there is no column {group!r} to group by; the columns are "
            f"{', '.join(repr(column) for column in frame.columns)}."
        )
    is_pandas = hasattr(frame, "iloc")
    rest = frame.drop(columns=[group]) if is_pandas else frame.drop(group)
    return rest, frame[group].to_numpy()
