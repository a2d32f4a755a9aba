"""What a nonlinear feature responds to, as its weights no longer say it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from predfeat._compat import validate_parameter_constraints, whole_number
from predfeat._typing import FloatArray, IntArray
from predfeat.exceptions import DataError
from predfeat.features._base import LinearFeatures
from predfeat.features._expanded import Expanded
from predfeat.features._layers import Layer
from predfeat.series import check_matrix, check_sequences

__all__ = ["Sensitivity", "sensitivity"]

# White axes have unit variance. The error of a central difference is the square of this step, times
# the third derivative; polynomials of degree two have none.
_STEP = 1e-4


@dataclass(frozen=True, eq=False)
class Sensitivity:
    """What features respond to.

    Attributes
    ----------
    responses : ndarray of shape (n_features, n_columns)
        How much each feature changes with each column: the mean size of its gradient over typical
        rows, for a change of one standard deviation of the column.
    lowest, highest : ndarray of int, shape (n_features, n_extremes)
        The rows in which each feature is lowest and highest, the most extreme first.
    """

    responses: FloatArray
    lowest: IntArray
    highest: IntArray


def sensitivity(model: Any, X: Any, *, n_rows: int = 200, n_extremes: int = 3) -> Sensitivity:
    """Return what a model's features respond to.

    Parameters
    ----------
    model : Expanded or LinearFeatures
        It is fitted.
    X : array-like of shape (n_rows, n_columns)
        The training data, or other rows of its kind. Rows with a NaN are left out.
    n_rows : int, default=200
        At how many rows to take the gradient: typical ones, spread evenly over X.
    n_extremes : int, default=3
        How many of the lowest and the highest rows to name.

    Returns
    -------
    Sensitivity

    Examples
    --------
    A feature that is the square of the second column:

    >>> import numpy as np
    >>> from predfeat import SFA, Expanded
    >>> from predfeat.features import sensitivity
    >>> X = np.random.default_rng(0).normal(size=(1000, 3))
    >>> X[:, 1] *= 2 + np.sin(0.05 * np.arange(1000))
    >>> found = sensitivity(Expanded(SFA(1)).fit(X), X)
    >>> int(found.responses[0].argmax())
    1
    """
    if not isinstance(model, Expanded | LinearFeatures):
        raise DataError(
            f"sensitivity takes an Expanded or one of predfeat's linear methods, not {model!r}. Of "
            "a pipeline, give its last step and what the others make of X."
        )
    validate_parameter_constraints(
        {"n_rows": [whole_number(1)], "n_extremes": [whole_number(1)]},
        {"n_rows": n_rows, "n_extremes": n_extremes},
        caller_name="sensitivity",
    )
    check_is_fitted(model)
    series = check_sequences(check_matrix(X, estimator=model, reset=False))
    times = series.times()
    typical = times[np.linspace(0, len(times) - 1, min(n_rows, len(times))).astype(np.intp)]
    gradients = _gradients(model, series.rows[typical])
    responses = np.abs(gradients).mean(axis=0) * series.samples.std(axis=0)
    order = np.argsort(model.transform_series(series).rows[times], axis=0, kind="stable").T
    n_extremes = min(n_extremes, len(times))
    return Sensitivity(
        responses, times[order[:, :n_extremes]], times[order[:, ::-1][:, :n_extremes]]
    )


def _gradients(model: Any, rows: FloatArray) -> FloatArray:
    """Return the gradient of every feature by every column, in every row."""
    layers: tuple[Layer, ...] = getattr(model, "layers_", ())
    method = getattr(model, "estimator_", model)
    if not layers:
        shape = (len(rows), *method.components_.shape)
        return np.broadcast_to(method.components_, shape)
    white, directions = layers[0].white(rows), layers[0].directions
    components: FloatArray = method.components_

    def features(moved: FloatArray) -> FloatArray:
        expanded = layers[0].expansion.expand(moved)
        for layer in layers[1:]:
            expanded = layer.expand(expanded)
        found: FloatArray = (expanded - method.mean_) @ components.T
        return found

    # By the white axes, which are fewer than the columns, and from there by the chain rule.
    by_axes = np.empty((len(rows), len(components), white.shape[1]))
    for axis in range(white.shape[1]):
        step = np.zeros(white.shape[1])
        step[axis] = _STEP
        by_axes[:, :, axis] = (features(white + step) - features(white - step)) / (2 * _STEP)
    gradients: FloatArray = by_axes @ directions.T
    return gradients
