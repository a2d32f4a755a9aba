"""Numbers of some rows regressed on their channels, to become functions of all rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.multioutput import MultiOutputRegressor
from sklearn.utils import get_tags

from predfeat._typing import FloatArray, IntArray
from predfeat.series import Sequences
from predfeat.whitening import Whitening

__all__ = ["Regression", "least_squares", "regress"]

# Predictions that differ less from a linear map's, as a share of their size, are that map's.
_SAME = 1e-8


@dataclass(frozen=True)
class Regression:
    """Functions of the rows that were fitted to targets.

    Attributes
    ----------
    outputs : ndarray of shape (n_rows, n_targets)
        The functions of the training rows, less `offset`; 0 in gaps.
    offset : ndarray of shape (n_targets,)
        Their mean over the samples.
    weights : ndarray of shape (n_columns, n_targets) or None
        Where they are linear maps of the channels.
    regressor : regressor or None
        None for least squares.
    """

    outputs: FloatArray
    offset: FloatArray
    weights: FloatArray | None
    regressor: Any = None


def least_squares(
    white: Sequences, whitening: Whitening, nodes: IntArray, targets: FloatArray
) -> Regression:
    """Regress targets on white rows, with the smallest weights there.

    Parameters
    ----------
    white : Sequences
        The training rows in white space.
    whitening : Whitening
    nodes : ndarray of int
        The rows that have targets.
    targets : ndarray of shape (n_nodes, n_targets)

    Returns
    -------
    Regression
        Linear in the targets.
    """
    rows = white.rows[nodes]
    if len(nodes) == np.count_nonzero(white.valid):  # all of them are white: ZᵀZ = S I
        directions = rows.T @ targets / len(rows)
    else:
        around = targets - targets.mean(axis=0)
        directions = np.linalg.lstsq(rows - rows.mean(axis=0), around, rcond=None)[0]
    outputs = white.rows @ directions
    return Regression(outputs, np.zeros(targets.shape[1]), whitening.directions @ directions)


def regress(
    regressor: Any, channels: Sequences, nodes: IntArray, targets: FloatArray
) -> Regression:
    """Regress targets by a regressor of scikit-learn's, or one with its interface.

    Parameters
    ----------
    regressor : regressor
        It is cloned. One that knows only single targets is fitted to each alone.
    channels : Sequences
        The training rows.
    nodes : ndarray of int
        The rows that have targets.
    targets : ndarray of shape (n_nodes, n_targets)

    Returns
    -------
    Regression
    """
    fitted, n_targets = clone(regressor), targets.shape[1]
    if n_targets > 1 and not get_tags(fitted).target_tags.multi_output:
        fitted = MultiOutputRegressor(fitted)
    fitted.fit(channels.rows[nodes], targets if n_targets > 1 else targets[:, 0])
    samples = channels.samples
    predicted = np.asarray(fitted.predict(samples), dtype=np.float64).reshape(len(samples), -1)
    offset = predicted.mean(axis=0)
    outputs = np.zeros((channels.n_rows, n_targets))
    outputs[channels.valid] = predicted - offset
    return Regression(outputs, offset, _linear_weights(fitted, channels, outputs), fitted)


def _linear_weights(fitted: Any, channels: Sequences, outputs: FloatArray) -> FloatArray | None:
    """Return the weights of a linear regressor; `coef_` alone does not say that it is one."""
    weights = np.atleast_2d(getattr(fitted, "coef_", np.empty(0))).T
    if weights.shape != (channels.n_columns, outputs.shape[1]):
        return None
    around = (channels.samples - channels.samples.mean(axis=0)) @ weights
    far = np.abs(around - outputs[channels.valid]).max(initial=0.0)
    return weights if far <= _SAME * np.abs(outputs).max(initial=0.0) else None
