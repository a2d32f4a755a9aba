"""Single directions that a few smooth functions of their own past predict.

The objective of the descent has narrow valleys: seen from outside, a chaotic map is noise. A
regression on few smooth functions sees it from far away, and costs next to nothing: no neighbours
are searched.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize

from predfeat._threads import one_blas_thread
from predfeat._typing import FloatArray
from predfeat.series import Sequences

__all__ = ["SmoothRegression", "nonlinear_directions"]


class SmoothRegression:
    r"""Regression of a single feature's next step on smooth functions of its past.

    The functions of each past sample y are y, exp(-y²/2) and y exp(-y²/2): a line, the even and the
    odd bend of a Gaussian, which stay bounded where y is large.

    Parameters
    ----------
    white : Sequences
        The series in white space.
    n_lags, horizon : int
        Samples in the past, and steps to the sample to predict.
    """

    def __init__(self, white: Sequences, n_lags: int, horizon: int = 1):
        self._rows = white.rows
        self._times = white.state_times(n_lags, horizon)
        self._n_lags, self._horizon = n_lags, horizon

    def left_open(self, direction: FloatArray) -> tuple[float, FloatArray]:
        """Return the share of the next step that is left open, and its gradient."""
        return self._value_and_slope(direction, beyond_lines=False)

    def unlike_a_line(self, direction: FloatArray) -> tuple[float, FloatArray]:
        """Return minus the share that only the bent functions predict, and its gradient."""
        return self._value_and_slope(direction, beyond_lines=True)

    def improve(
        self, direction: FloatArray, *, beyond_lines: bool, max_iter: int = 40
    ) -> FloatArray:
        """Return the unit direction to which a descent leads."""
        found = minimize(
            self._value_and_slope,
            direction / np.linalg.norm(direction),
            args=(beyond_lines,),
            jac=True,
            method="L-BFGS-B",
            options={"maxiter": max_iter},
        ).x
        unit: FloatArray = found / np.linalg.norm(found)
        return unit

    def _value_and_slope(
        self, direction: FloatArray, beyond_lines: bool
    ) -> tuple[float, FloatArray]:
        length = np.linalg.norm(direction)
        unit = direction / length
        feature = self._rows @ unit
        following = feature[self._times + self._horizon]
        past = np.stack([feature[self._times - lag] for lag in range(self._n_lags)])
        bell = np.exp(-0.5 * np.square(past))
        lines = np.vstack([np.ones_like(following), past])
        functions = np.vstack([lines, bell, past * bell])
        slopes_of_bends = -past * bell, (1.0 - np.square(past)) * bell

        error, weights = _residual(functions, following)
        value, pull = float(error @ error), error
        n = self._n_lags
        bends = weights[1 + n : 1 + 2 * n, None], weights[1 + 2 * n :, None]
        steepness = weights[1 : 1 + n, None] + sum(
            weight * slope for weight, slope in zip(bends, slopes_of_bends, strict=True)
        )
        pulls_of_past = error * steepness
        if beyond_lines:
            linear_error, linear = _residual(lines, following)
            value -= float(linear_error @ linear_error)
            pull = error - linear_error
            pulls_of_past = pulls_of_past - linear_error * linear[1:, None]

        pulls = np.zeros(len(self._rows))
        pulls[self._times + self._horizon] += pull
        for lag, of_lag in enumerate(pulls_of_past):
            pulls[self._times - lag] -= of_lag
        slope = 2.0 * (pulls @ self._rows) / len(self._times)
        slope -= unit * (unit @ slope)
        return value / len(self._times), slope / length


def nonlinear_directions(
    white: Sequences, starts: FloatArray, n_starts: int, n_lags: int, horizon: int = 1
) -> FloatArray:
    """Return single directions that are predictable, but not by a line.

    From the most promising starts, a direction is first improved in what the bent functions alone
    predict: slow features, which a line predicts, would attract it otherwise. Then it is improved
    in what all functions predict together.

    Parameters
    ----------
    white : Sequences
        The series in white space.
    starts : ndarray of shape (n_columns, any number)
        Directions to start from.
    n_starts : int
        How many of them to use.
    n_lags, horizon : int
        Samples in the past, and steps to the sample to predict.

    Returns
    -------
    ndarray of shape (n_columns, 2 * n_starts at most)
        Unit columns: those after the first improvement, then those after the second.
    """
    regression = SmoothRegression(white, n_lags, horizon)
    with one_blas_thread(white.n_columns):
        promise = [regression.unlike_a_line(start)[0] for start in starts.T]
        chosen = np.argsort(promise, kind="stable")[:n_starts]
        bent = [regression.improve(starts[:, i], beyond_lines=True) for i in chosen]
        both = [regression.improve(direction, beyond_lines=False) for direction in bent]
    return np.column_stack([*bent, *both])


def _residual(functions: FloatArray, following: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Regress on the rows of `functions`; return the error and the weights."""
    moments, target = functions @ functions.T, functions @ following
    # Functions may be dependent: a feature with two values has no bends of its own.
    weights = np.asarray(np.linalg.lstsq(moments, target, rcond=None)[0], dtype=np.float64)
    error: FloatArray = following - weights @ functions
    return error, weights
