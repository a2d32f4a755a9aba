"""What every measure accepts: a matrix of features, or one series."""

from __future__ import annotations

from typing import Any

import numpy as np

from predfeat._typing import ArrayLike, FloatArray, IntArray
from predfeat.exceptions import GroupsError, ScaleError
from predfeat.series import Sequences, check_sequences

__all__ = [
    "as_features",
    "as_sequences",
    "column_exponents",
    "in_given_units",
    "moderate",
    "scaled_columns",
]

# Columns between 2⁻²⁰⁰ and 2²⁰⁰ (1e±60) are used as they are: even squared powers, which are
# fourth powers of the numbers, neither overflow nor vanish.
_LARGEST_EXPONENT = 200


def as_features(Y: Any, groups: ArrayLike | None, name: str = "Y") -> Sequences:
    """Return the features as `as_sequences` does, and check that there is a sample."""
    features = as_sequences(Y, groups, name)
    features.times()
    return features


def as_sequences(Y: Any, groups: ArrayLike | None, name: str = "Y") -> Sequences:
    """Return the features as sequences; a 1-D array is one feature, `Sequences` are unchanged."""
    if isinstance(Y, Sequences):
        if groups is not None:
            raise GroupsError(f"{name} is already cut into sequences: leave out groups.")
        return Y
    if _is_one_series(Y):
        Y = np.asarray(Y).reshape(-1, 1)
    return check_sequences(Y, groups, name=name)


def _is_one_series(Y: Any) -> bool:
    if hasattr(Y, "columns"):
        return False
    try:
        return np.ndim(Y) == 1
    except ValueError:  # rows of different lengths: the check of the matrix says so
        return False


def moderate(features: Sequences) -> tuple[Sequences, IntArray]:
    """Return features whose squares float64 can hold, and the power of two that divided each.

    Columns of ordinary size are unchanged. Powers of two preserve all digits: results that do not
    depend on units stay the same, and `in_given_units` converts squares back.
    """
    exponents = column_exponents(features)
    return scaled_columns(features, exponents), exponents


def column_exponents(features: Sequences) -> IntArray:
    """Return the power of two by which to divide huge and tiny columns, 0 for others."""
    samples = features.samples
    largest = np.maximum(samples.max(axis=0), -samples.min(axis=0))
    exponents: IntArray = np.frexp(largest)[1].astype(np.intp)
    return np.where(np.abs(exponents) > _LARGEST_EXPONENT, exponents, 0)


def scaled_columns(features: Sequences, exponents: IntArray) -> Sequences:
    """Return features with each column divided by its power of two."""
    if not exponents.any():
        return features
    return features.with_rows(np.ldexp(features.rows, -exponents))


def in_given_units(squares: FloatArray, exponents: IntArray, what: str) -> FloatArray:
    """Convert squares of scaled columns, such as variances, to the units of the original columns.

    The last axis is that of the features.
    """
    with np.errstate(over="ignore", under="ignore"):
        given: FloatArray = np.ldexp(squares, 2 * exponents)
    if np.all(np.isfinite(given)):
        return given
    first = int(np.nonzero(~np.isfinite(given))[-1].min())
    raise ScaleError(
        f"the {what} of feature {first} is a square of numbers of about "
        f"{float(np.ldexp(1.0, int(exponents[first]))):.0e}, and larger than the largest number of "
        "float64, 1.8e308. Divide the feature by a large number first."
    )
