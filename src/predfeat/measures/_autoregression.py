"""Linear prediction: PFA's objective, and the regression that PFA starts from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, overload

import numpy as np
from scipy.linalg.lapack import dpocon, dpotrf, dpotrs

from predfeat._compat import validate_parameter_constraints, whole_number
from predfeat._typing import ArrayLike, FloatArray, IntArray
from predfeat.exceptions import DimensionError, GroupsError
from predfeat.measures._input import (
    as_features,
    column_exponents,
    in_given_units,
    scaled_columns,
)
from predfeat.series import Sequences, States

__all__ = ["autoregression_error", "fit_autoregression", "histories", "solve_regression"]

_NUMBERS_AT_ONCE = 1 << 21
# Share of the largest eigenvalue below which the regression counts as singular.
_SINGULAR_SHARE = 1e-12
# The reciprocal condition number in the 1-norm never exceeds the smallest eigenvalue's share, so a
# larger one proves that the regression is regular. The factor 2 allows for errors of its estimate.
_REGULAR_RECIPROCAL_CONDITION = 2 * _SINGULAR_SHARE


@overload
def autoregression_error(
    Y: Any,
    n_lags: int = ...,
    *,
    horizon: int = ...,
    groups: ArrayLike | None = ...,
    fit_on: Any = ...,
    fit_groups: ArrayLike | None = ...,
    per_component: Literal[False] = ...,
) -> float: ...
@overload
def autoregression_error(
    Y: Any,
    n_lags: int = ...,
    *,
    horizon: int = ...,
    groups: ArrayLike | None = ...,
    fit_on: Any = ...,
    fit_groups: ArrayLike | None = ...,
    per_component: Literal[True],
) -> FloatArray: ...
def autoregression_error(
    Y: Any,
    n_lags: int = 1,
    *,
    horizon: int = 1,
    groups: ArrayLike | None = None,
    fit_on: Any = None,
    fit_groups: ArrayLike | None = None,
    per_component: bool = False,
) -> float | FloatArray:
    r"""Lower is better: the mean squared error of linear prediction from the last p samples.

    .. math:: \langle \| y_{t+H} - \sum_{l=0}^{p-1} B_l \, y_{t-l} \|^2 \rangle_t

    with the coefficients that fit `fit_on` best (no intercept; its mean is subtracted).

    Parameters
    ----------
    Y : array-like of shape (n_rows, n_features) or (n_rows,)
        Features in time order; rows with a NaN are gaps.
    n_lags : int, default=1
        Samples to predict from, p.
    horizon : int, default=1
        How many steps ahead of the newest sample to predict, H; directly, not step by step.
    groups : array-like of shape (n_rows,), optional
        Ids of the sequences of Y.
    fit_on : array-like of shape (n_other_rows, n_features), optional
        Features to fit the coefficients on, usually those of the training data. By default Y.
    fit_groups : array-like of shape (n_other_rows,), optional
        Ids of the sequences of `fit_on`.
    per_component : bool, default=False
        Return one value per feature; they add up to the total.

    Returns
    -------
    float, or ndarray of shape (n_features,)

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.measures import autoregression_error
    >>> wave = np.sin(0.3 * np.arange(200))
    >>> autoregression_error(wave, n_lags=2) < 1e-4  # a wave is a linear recursion of order 2
    True
    """
    validate_parameter_constraints(
        {
            "n_lags": [whole_number(1)],
            "horizon": [whole_number(1)],
        },
        {"n_lags": n_lags, "horizon": horizon},
        caller_name="autoregression_error",
    )
    features = as_features(Y, groups)
    if fit_on is None and fit_groups is not None:
        raise GroupsError("fit_groups are the groups of fit_on, which is not given.")
    fitted = features if fit_on is None else as_features(fit_on, fit_groups, "fit_on")
    if fitted.n_columns != features.n_columns:
        raise DimensionError(
            f"fit_on has {fitted.n_columns} columns, Y has {features.n_columns}: they must be "
            "the same features."
        )
    # Coefficients depend on units, so both are scaled alike.
    exponents = np.maximum(column_exponents(features), column_exponents(fitted))
    features, fitted = (scaled_columns(each, exponents) for each in (features, fitted))
    mean = fitted.samples.mean(axis=0)
    coefficients = fit_autoregression(fitted.with_rows(fitted.rows - mean), n_lags, horizon=horizon)
    centred = features.with_rows(features.rows - mean)
    times = centred.state_times(n_lags, horizon) + horizon
    squared = np.zeros(centred.n_columns)
    for block, history in histories(centred, times, n_lags, delay=horizon - 1):
        error = centred.rows[block] - history @ coefficients.T
        squared += np.einsum("ij,ij->j", error, error)
    squared = in_given_units(squared / len(times), exponents, "error")
    return squared if per_component else float(squared.sum())


def fit_autoregression(
    Y: Any, n_lags: int = 1, *, horizon: int = 1, groups: ArrayLike | None = None
) -> FloatArray:
    """Fit the linear prediction from the last samples by least squares.

    There is no intercept: subtract the mean first. A ridge is added only if the regression is
    singular.

    Parameters
    ----------
    Y : array-like of shape (n_rows, n_features) or (n_rows,), or Sequences
        Features in time order; rows with a NaN are gaps.
    n_lags : int, default=1
        Samples to predict from, p.
    horizon : int, default=1
        How many steps ahead of the newest sample to predict, H.
    groups : array-like of shape (n_rows,), optional
        Ids of the sequences.

    Returns
    -------
    ndarray of shape (n_features, n_features * n_lags)
        W, for which W ζ predicts the row at t from ζ, the p rows up to t - H, newest first.
        `histories` yields them.

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.measures import fit_autoregression
    >>> wave = np.sin(0.3 * np.arange(200))
    >>> fit_autoregression(wave, n_lags=2).round(3)  # 2 cos(0.3) and -1
    array([[ 1.911, -1.   ]])
    """
    series = as_features(Y, groups)
    times = series.state_times(n_lags, horizon) + horizon
    n_columns = series.n_columns
    moments = np.zeros((n_columns * n_lags, n_columns * n_lags))
    cross = np.zeros((n_columns * n_lags, n_columns))
    for block, history in histories(series, times, n_lags, delay=horizon - 1):
        moments += history.T @ history
        cross += history.T @ series.rows[block]
    return solve_regression(moments, cross).T


def solve_regression(moments: FloatArray, cross: FloatArray) -> FloatArray:
    """Return the weights of a least-squares regression, given its second moments.

    These are M⁻¹ C, or (M + ridge)⁻¹ C if M is singular.

    Parameters
    ----------
    moments : ndarray of shape (n_inputs, n_inputs)
        M, the sum or mean of the outer products of the inputs.
    cross : ndarray of shape (n_inputs, n_outputs)
        C, the same for inputs with outputs.

    Returns
    -------
    ndarray of shape (n_inputs, n_outputs)

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.measures import solve_regression
    >>> inputs = np.random.default_rng(0).normal(size=(50, 2))
    >>> outputs = inputs @ [[2.0], [-1.0]]
    >>> solve_regression(inputs.T @ inputs, inputs.T @ outputs).round(6)
    array([[ 2.],
           [-1.]])
    """
    # Most are clearly regular, and their Cholesky factor shows it at a tenth of the cost of the
    # eigenvalues, which decide the doubtful cases.
    factor, failed = dpotrf(moments, lower=True)
    if not failed:
        reciprocal_condition, _ = dpocon(factor, np.linalg.norm(moments, 1), uplo="L")
        if reciprocal_condition > _REGULAR_RECIPROCAL_CONDITION:
            solution: FloatArray = dpotrs(factor, cross, lower=True)[0]
            return solution
    values, vectors = np.linalg.eigh(moments)
    floor = _SINGULAR_SHARE * max(values[-1], 0.0)
    if values[0] <= floor:
        values = values + (floor if floor > 0 else 1.0)
    weights: FloatArray = (vectors / values) @ (vectors.T @ cross)
    return weights


def histories(
    series: Sequences, times: IntArray, n_lags: int, delay: int = 0
) -> Iterator[tuple[IntArray, FloatArray]]:
    """Yield blocks of rows, each row with the samples before it, never all at once.

    Parameters
    ----------
    series : Sequences
    times : ndarray of int
        Rows t that have at least `n_lags + delay` rows before them in their run.
    n_lags : int
        Samples in a history, p.
    delay : int, default=0
        How many rows directly before t to leave out.

    Yields
    ------
    times : ndarray of int, shape (n_block,)
    history : ndarray of shape (n_block, n_columns * n_lags)
        The rows t - 1 - delay, …, t - p - delay, newest first.

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.measures import histories
    >>> from predfeat.series import check_sequences
    >>> series = check_sequences([[1.0], [2.0], [3.0], [4.0]])
    >>> for times, history in histories(series, np.array([2, 3]), n_lags=2):
    ...     print(times, history.tolist())
    [2 3] [[2.0, 1.0], [3.0, 2.0]]
    """
    step = max(1, _NUMBERS_AT_ONCE // (series.n_columns * n_lags))
    for start in range(0, len(times), step):
        block = times[start : start + step]
        yield block, States(series, block - 1 - delay, n_lags).embed()
