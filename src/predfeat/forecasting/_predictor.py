"""The forecast of features: the best of three kinds, and its expected error."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from predfeat._typing import FloatArray, IntArray
from predfeat.exceptions import ForecastError
from predfeat.forecasting._analogue import analogue_forecast
from predfeat.forecasting._parts import forecast_times
from predfeat.forecasting._simple import LinearForecast, actual_futures, fit_linear_forecast
from predfeat.series import Sequences, States

__all__ = ["KINDS", "Library", "Predictor", "choose_predictor", "learn"]

# The kinds of forecast, the simplest first: of equally good ones, it is taken.
KINDS = ("mean", "linear", "analogue")

# In units of a column's spread. An error below it is rounding.
_SMALLEST_ERROR = 1e-12
# Of the linear autoregression: 1 GB.
_MOST_COEFFICIENTS = 1 << 27


@dataclass(frozen=True)
class Library:
    """What forecasts are made from: past states with their futures, and a linear autoregression.

    Attributes
    ----------
    states : States
        Of a series whose columns are divided by `unit`, so that all count alike in a distance.
    futures : Sequences
        The series itself.
    linear : LinearForecast
    unit : ndarray of shape (n_columns,)
        Standard deviation of each column.
    """

    states: States
    futures: Sequences
    linear: LinearForecast
    unit: FloatArray

    def scaled(self, series: Sequences, times: IntArray) -> States:
        """Return states of another series, to be searched in the library."""
        return States(series.with_rows(series.rows / self.unit), times, self.states.n_lags)

    def with_series(self, series: Sequences, linear: LinearForecast | None = None) -> Library:
        """Return the library of another series, in the same units."""
        n_steps = len(self.linear.coefficients)
        times = series.state_times(self.states.n_lags, n_steps)
        return Library(self.scaled(series, times), series, linear or self.linear, self.unit)


def learn(series: Sequences, n_lags: int, n_steps: int) -> Library:
    """Make a library of a series, and fit the linear autoregression.

    Parameters
    ----------
    series : Sequences
        Features, or any columns.
    n_lags : int
        Samples in a state, p.
    n_steps : int
        How many steps ahead to forecast, H. States with that many more rows in their run are kept.

    Returns
    -------
    Library

    Raises
    ------
    ForecastError
        No run is long enough, or there are so many columns that the linear autoregression of them
        all would not fit into the memory.
    """
    times = forecast_times(series, n_lags, n_steps, "learning to forecast")
    _refuse_too_wide(series.n_columns, n_lags, n_steps)
    unit = series.samples.std(axis=0)
    unit[unit == 0] = 1.0
    states = States(series.with_rows(series.rows / unit), times, n_lags)
    return Library(states, series, fit_linear_forecast(series, n_lags, n_steps), unit)


def _refuse_too_wide(n_columns: int, n_lags: int, n_steps: int) -> None:
    if n_steps * n_columns**2 * n_lags > _MOST_COEFFICIENTS:
        raise ForecastError(
            f"{n_columns} columns with n_lags={n_lags} and n_steps={n_steps} have too many "
            f"coefficients, {n_steps * n_columns**2 * n_lags:.1e}. Forecast from a few features of "
            "them (features), or use fewer lags (n_lags) or steps (n_steps)."
        )


@dataclass(frozen=True)
class Predictor:
    """How to forecast each step of each feature, and how large an error to expect.

    The expected error is scale · (spread + floor), where spread is the standard deviation of the
    analogues' futures, or 0 for the other kinds, whose errors are about the same everywhere.

    Attributes
    ----------
    library : Library
    n_neighbors : int
        Analogues of each state, k.
    chosen : ndarray of int, shape (n_steps, n_columns)
        Which kind of forecast is taken, as a position in `KINDS`.
    floor, scale : ndarray of shape (n_steps, n_columns)
        The mean spread, and the root mean square of errors divided by spread + floor.
    n_jobs : int or None
        Threads of the neighbour search.
    """

    library: Library
    n_neighbors: int
    chosen: IntArray
    floor: FloatArray
    scale: FloatArray
    n_jobs: int | None = None

    def forecast(self, series: Sequences, times: IntArray) -> tuple[FloatArray, FloatArray]:
        """Forecast from some rows of a series.

        Parameters
        ----------
        series : Sequences
            With the library's columns.
        times : ndarray of int
            Rows that end a state.

        Returns
        -------
        mean, expected_error : ndarray of shape (n_times, n_steps, n_columns)
        """
        found, spread = _all_kinds(self.library, series, times, self.n_neighbors, self.n_jobs)
        is_analogue = self.chosen == KINDS.index("analogue")
        mean = np.choose(self.chosen, [found[kind] for kind in KINDS])
        return mean, self.scale * (np.where(is_analogue, spread, 0.0) + self.floor)

    def share_of(self, kind: str) -> float:
        """Return the share of steps and columns for which one of `KINDS` is taken."""
        return float((self.chosen == KINDS.index(kind)).mean())


def choose_predictor(
    library: Library, series: Sequences, n_neighbors: int = 10, *, n_jobs: int | None = None
) -> Predictor:
    """Choose for each step and column between analogues, linear autoregression and the mean.

    Parameters
    ----------
    library : Library
    series : Sequences
        Rows that had no part in the library. The kind with the smallest mean squared error on
        them is taken; the mean only from some step on, up to the last, so that a forecast fades
        and does not go back and forth.
    n_neighbors : int, default=10
        Analogues of each state, k.
    n_jobs : int, optional
        Threads of the neighbour search.

    Returns
    -------
    Predictor

    Raises
    ------
    ForecastError
        The library, or the rows to choose by, are too few.

    Examples
    --------
    A map that is not linear at all, beside a wave, which is:

    >>> import numpy as np
    >>> from predfeat.forecasting import KINDS, choose_predictor, learn
    >>> from predfeat.series import check_sequences
    >>> chaos = np.full(600, 0.3)
    >>> for t in range(599):
    ...     chaos[t + 1] = 3.9 * chaos[t] * (1 - chaos[t])
    >>> both = np.c_[chaos, np.sin(0.3 * np.arange(600))]
    >>> old, new = check_sequences(both[:450]), check_sequences(both[450:])
    >>> found = choose_predictor(learn(old, 2, n_steps=3), new)
    >>> [KINDS[kind] for kind in found.chosen[0]]
    ['analogue', 'linear']
    """
    n_lags, n_steps = library.states.n_lags, len(library.linear.coefficients)
    if n_neighbors > len(library.states):
        raise ForecastError(
            f"n_neighbors={n_neighbors} is more than the {len(library.states)} states that have "
            f"{n_steps} rows after them to learn from. Use fewer neighbours (n_neighbors), steps "
            "(n_steps) or lags (n_lags), or give more rows."
        )
    times = forecast_times(series, n_lags, n_steps, "choosing between forecasts")
    found, spread = _all_kinds(library, series, times, n_neighbors, n_jobs)
    actual = actual_futures(series, times, n_steps)
    squared = np.array([np.square(actual - found[kind]).mean(axis=0) for kind in KINDS])
    chosen = _best_kinds(squared)
    smallest = _SMALLEST_ERROR * library.unit
    is_analogue = chosen == KINDS.index("analogue")
    floor = np.maximum(spread.mean(axis=0), smallest)
    relative = (actual - found["analogue"]) / (spread + floor)
    scale = np.maximum(np.sqrt(np.square(relative).mean(axis=0)), _SMALLEST_ERROR)
    # What is expected of the others: their root mean square error, everywhere.
    own = np.take_along_axis(squared, chosen[None], axis=0)[0]
    usual = np.maximum(np.sqrt(own), smallest)
    floor, scale = np.where(is_analogue, floor, usual), np.where(is_analogue, scale, 1.0)
    return Predictor(library, n_neighbors, chosen, floor, scale, n_jobs)


def _best_kinds(squared: FloatArray) -> IntArray:
    """Return the best kind of each step and column: the mean from the best step on."""
    best = 1 + np.argmin(squared[1:], axis=0)
    # The sum of errors, if the mean is taken from each step on, or never.
    gained = squared[0] - np.take_along_axis(squared, best[None], axis=0)[0]
    totals = np.concatenate([np.zeros((1, squared.shape[2])), -np.cumsum(gained, axis=0)])
    from_step = np.argmin(totals, axis=0)
    chosen: IntArray = np.where(np.arange(len(best))[:, None] >= from_step, 0, best)
    return chosen


def _all_kinds(
    library: Library, series: Sequences, times: IntArray, n_neighbors: int, n_jobs: int | None
) -> tuple[dict[str, FloatArray], FloatArray]:
    n_steps = len(library.linear.coefficients)
    analogue, spread = analogue_forecast(
        library.scaled(series, times),
        library.states,
        n_steps,
        n_neighbors,
        futures=library.futures,
        n_jobs=n_jobs,
    )
    linear = library.linear.forecast(States(series, times, library.states.n_lags))
    mean = np.broadcast_to(library.linear.center, linear.shape)
    return {"mean": mean, "linear": linear, "analogue": analogue}, spread
