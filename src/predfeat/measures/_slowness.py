"""SFA's objective."""

from __future__ import annotations

from typing import Any

import numpy as np

from predfeat._typing import ArrayLike, FloatArray
from predfeat.measures._input import as_features, in_given_units, moderate

__all__ = ["slowness"]


def slowness(Y: Any, *, groups: ArrayLike | None = None) -> FloatArray:
    r"""Lower is slower: the mean squared one-step difference of every feature.

    .. math:: \langle (y_{t+1} - y_t)^2 \rangle_t

    White noise of unit variance has 2, the fastest alternation 4, a constant 0.

    Parameters
    ----------
    Y : array-like of shape (n_rows, n_features) or (n_rows,)
        Features in time order; rows with a NaN are gaps. No difference crosses a gap or a sequence
        boundary.
    groups : array-like of shape (n_rows,), optional
        Ids of the sequences.

    Returns
    -------
    ndarray of shape (n_features,)

    Examples
    --------
    >>> from predfeat.measures import slowness
    >>> slowness([0.0, 1.0, 3.0])
    array([2.5])
    """
    features, exponents = moderate(as_features(Y, groups))
    times = features.times(ahead=1)
    difference = features.rows[times + 1] - features.rows[times]
    mean: FloatArray = np.einsum("ij,ij->j", difference, difference) / len(times)
    return in_given_units(mean, exponents, "slowness")
