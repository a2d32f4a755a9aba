"""What every measure accepts: a matrix of features, or one series."""

from __future__ import annotations

from typing import Any

import numpy as np

from predfeat._typing import ArrayLike
from predfeat.series import Sequences, check_sequences

__all__ = ["given_features"]


def given_features(Y: Any, groups: ArrayLike | None, name: str = "Y") -> Sequences:
    """Return the features as sequences; a 1-D array is one feature."""
    if _is_one_series(Y):
        Y = np.asarray(Y).reshape(-1, 1)
    features = check_sequences(Y, groups, name=name)
    features.times()  # at least one sample
    return features


def _is_one_series(Y: Any) -> bool:
    if hasattr(Y, "columns"):
        return False
    try:
        return np.ndim(Y) == 1
    except ValueError:  # rows of different lengths: the check of the matrix says so
        return False
