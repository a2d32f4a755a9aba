"""What every forecast is compared with: linear autoregression, persistence and climatology."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from predfeat._typing import FloatArray, IntArray
from predfeat.measures import histories, solve_regression
from predfeat.series import Sequences, States

__all__ = ["LinearForecast", "actual_futures", "fit_linear_forecast", "persistence_forecast"]


@dataclass(frozen=True)
class LinearForecast:
    """A linear autoregression, with coefficients of its own for each step ahead.

    Attributes
    ----------
    center : ndarray of shape (n_columns,)
        Subtracted from the samples; the mean of what was learned from.
    offset : ndarray of shape (n_steps, n_columns)
        Added to the forecasts.
    coefficients : ndarray of shape (n_steps, n_columns, n_columns * n_lags)
        For each step, those of the samples of a state, newest first.
    n_lags : int
        Samples in a state, p.
    """

    center: FloatArray
    offset: FloatArray
    coefficients: FloatArray
    n_lags: int

    def forecast(self, states: States) -> FloatArray:
        """Forecast from some states.

        Parameters
        ----------
        states : States
            With `n_lags` samples each.

        Returns
        -------
        ndarray of shape (n_states, n_steps, n_columns)
        """
        n_steps, n_columns, _ = self.coefficients.shape
        centred = states.series.with_rows(states.series.rows - self.center)
        found = np.empty((len(states), n_steps, n_columns))
        done = 0
        for block, history in histories(centred, states.times + 1, self.n_lags):
            part = slice(done, done + len(block))
            found[part] = np.einsum("ti,hci->thc", history, self.coefficients, optimize=True)
            done += len(block)
        return found + self.offset


def fit_linear_forecast(series: Sequences, n_lags: int, n_steps: int) -> LinearForecast:
    r"""Fit a linear autoregression for each step ahead, by least squares.

    .. math:: \hat y_{t+h} = b_h + \sum_{l=0}^{p-1} B_{h,l} \, (y_{t-l} - \bar y)

    Each step has coefficients of its own (a *direct* forecast). Those of a single step, applied
    again and again, would forecast a little better where the series really is a linear recursion
    of p lags, and much worse where it is not; features that were sought for what is not linear in
    them are not. A ridge is added only if the regression is singular.

    Parameters
    ----------
    series : Sequences
        The rows to learn from. States with `n_steps` more rows in their run are used, the same
        ones for all steps.
    n_lags : int
        Samples in a state, p.
    n_steps : int
        How many steps ahead to forecast, H.

    Returns
    -------
    LinearForecast

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.forecasting import fit_linear_forecast
    >>> from predfeat.series import States, check_sequences
    >>> wave = check_sequences(np.sin(0.3 * np.arange(200))[:, None])
    >>> linear = fit_linear_forecast(wave, n_lags=2, n_steps=20)
    >>> ahead = linear.forecast(States(wave, np.array([100]), 2))
    >>> np.abs(ahead[0, :, 0] - np.sin(0.3 * np.arange(101, 121))).max() < 1e-6
    np.True_
    """
    times = series.state_times(n_lags, n_steps)
    center = series.samples.mean(axis=0)
    centred = series.with_rows(series.rows - center)
    n_columns, width = series.n_columns, series.n_columns * n_lags
    moments = np.zeros((width + 1, width + 1))
    cross = np.zeros((width + 1, n_steps, n_columns))
    size = np.sqrt(np.square(centred.samples).mean()) or 1.0
    for block, history in histories(centred, times + 1, n_lags):
        # A constant of the samples' size beside them finds the offset.
        history = np.column_stack([history, np.full(len(block), size)])
        moments += history.T @ history
        for h in range(n_steps):
            cross[:, h] += history.T @ centred.rows[block + h]
    weights = solve_regression(moments, cross.reshape(width + 1, -1))
    by_step = weights.reshape(width + 1, n_steps, n_columns).transpose(1, 2, 0)
    offset = size * by_step[:, :, -1] + center
    return LinearForecast(center, offset, np.ascontiguousarray(by_step[:, :, :-1]), n_lags)


def persistence_forecast(series: Sequences, times: IntArray, n_steps: int) -> FloatArray:
    """Forecast that nothing changes: every step ahead is the newest sample.

    Parameters
    ----------
    series : Sequences
    times : ndarray of int
        Rows to forecast from.
    n_steps : int
        How many steps ahead to forecast, H.

    Returns
    -------
    ndarray of shape (n_times, n_steps, n_columns)

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.forecasting import persistence_forecast
    >>> from predfeat.series import check_sequences
    >>> persistence_forecast(check_sequences([[1.0], [5.0]]), np.array([1]), 3).ravel()
    array([5., 5., 5.])
    """
    return np.repeat(series.rows[times][:, None], n_steps, axis=1)


def actual_futures(series: Sequences, times: IntArray, n_steps: int) -> FloatArray:
    """Return what came after some rows; NaN where their run had ended.

    Parameters
    ----------
    series : Sequences
    times : ndarray of int
        Samples, not gaps.
    n_steps : int
        How many steps ahead to look, H.

    Returns
    -------
    ndarray of shape (n_times, n_steps, n_columns)

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.forecasting import actual_futures
    >>> from predfeat.series import check_sequences
    >>> series = check_sequences([[1.0], [2.0], [3.0], [9.0]], groups=[0, 0, 0, 1])
    >>> actual_futures(series, np.array([0, 2]), 2)[:, :, 0]
    array([[ 2.,  3.],
           [nan, nan]])
    """
    ahead = np.asarray(times)[:, None] + np.arange(1, n_steps + 1)
    inside = ahead <= series.run_last[times][:, None]
    found: FloatArray = series.rows[np.where(inside, ahead, 0)]
    found[~inside] = np.nan
    return found
