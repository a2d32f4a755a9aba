"""How far apart two sets of features are."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg
from sklearn.utils.validation import check_is_fitted

from predfeat._typing import FloatArray
from predfeat.exceptions import DimensionError
from predfeat.series import check_matrix, check_sequences

__all__ = ["subspace_angles"]


def subspace_angles(A: Any, B: Any, X: Any = None) -> FloatArray:
    """Lower is more similar: the principal angles between two feature spaces, in degrees.

    Parameters
    ----------
    A, B : fitted model, or array-like of shape (n_columns, n_features)
        Models with `components_`, or projections whose columns are the directions.
    X : array-like of shape (n_rows, n_columns), optional
        If given, the angles are those between the *signals* that the two extract from X
        (the metric of its covariance), which do not depend on the units or mixing of the inputs.
        Otherwise they are the angles between the directions in input space.

    Returns
    -------
    ndarray of shape (min(n_features of A, of B),)
        Largest first. 0 means that one space contains the other in that direction.

    Examples
    --------
    >>> from predfeat.measures import subspace_angles
    >>> subspace_angles([[1.0], [0.0]], [[1.0], [1.0]]).round(6)
    array([45.])
    """
    left, right = _directions(A, "A"), _directions(B, "B")
    if len(left) != len(right):
        raise DimensionError(
            f"A has directions in {len(left)} columns, B in {len(right)}: they must be the same."
        )
    if X is not None:
        samples = check_sequences(X).samples
        if samples.shape[1] != len(left):
            raise DimensionError(f"X has {samples.shape[1]} columns, A and B have {len(left)}.")
        centred = samples - samples.mean(axis=0)
        left, right = centred @ left, centred @ right
    angles: FloatArray = np.degrees(linalg.subspace_angles(left, right))
    return angles


def _directions(given: Any, name: str) -> FloatArray:
    if hasattr(given, "fit"):
        check_is_fitted(given)
        components: FloatArray = given.components_
        return components.T
    return check_matrix(given, name=name).values
