"""The futures of similar states: the analogue forecast."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from predfeat._typing import FloatArray, IntArray
from predfeat.neighbors import search
from predfeat.series import Sequences, States

__all__ = ["Analogues", "analogue_forecast", "simplex_weights"]

# Futures that are gathered at once, in numbers.
_NUMBERS_AT_ONCE = 1 << 22


@dataclass(frozen=True)
class Analogues:
    """Which states of a library are similar to each of some others, and how much each counts.

    Attributes
    ----------
    times : ndarray of int, shape (n_states,)
        Row of each state that is forecast from.
    rows : ndarray of int, shape (n_states, n_neighbors)
        Rows of the library, nearest first.
    weights : ndarray of shape (n_states, n_neighbors)
        They add up to one for each state.
    """

    times: IntArray
    rows: IntArray
    weights: FloatArray


def simplex_weights(distances: FloatArray) -> FloatArray:
    r"""Return how much each neighbour counts, :math:`w_i \propto \exp(-d_i / d_\mathrm{min})`.

    Where the nearest neighbours are at distance zero, only these count.

    Parameters
    ----------
    distances : ndarray of shape (n_states, n_neighbors)
        Nearest first.

    Returns
    -------
    ndarray of shape (n_states, n_neighbors)

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.forecasting import simplex_weights
    >>> simplex_weights(np.array([[1.0, 1.0], [1.0, 2.0], [0.0, 3.0]])).round(2)
    array([[0.5 , 0.5 ],
           [0.73, 0.27],
           [1.  , 0.  ]])
    """
    nearest = distances[:, :1]
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        # The constant 1 cancels; with it, the nearest weighs exactly one before the division.
        weights = np.exp(1.0 - distances / nearest)
    weights = np.where(nearest > 0, weights, distances == 0)
    normalized: FloatArray = weights / weights.sum(axis=1, keepdims=True)
    return normalized


def find_analogues(
    states: States, library: States, n_neighbors: int, *, n_jobs: int | None = None
) -> Analogues:
    """Search the states of a library that are most similar to each of some others."""
    table = search(states, n_neighbors, library=library, n_jobs=n_jobs)
    return Analogues(table.times, table.indices, simplex_weights(table.distances))


def analogue_forecast(
    states: States,
    library: States,
    n_steps: int,
    n_neighbors: int = 10,
    *,
    futures: Sequences | None = None,
    n_jobs: int | None = None,
) -> tuple[FloatArray, FloatArray]:
    r"""Forecast from the futures of similar states, directly for each step.

    .. math:: \hat y_{t+h} = \sum_i w_i \, y_{i+h}, \qquad h = 1, \ldots, H

    with the states i of the library that are nearest to the state at t, and the weights of
    `simplex_weights` (Sugihara and May, 1990).

    Parameters
    ----------
    states : States
        The states to forecast from.
    library : States
        States that may be similar. Each must have `n_steps` more rows in its run:
        `series.state_times(n_lags, horizon=n_steps)` finds them.
    n_steps : int
        How many steps ahead to forecast, H.
    n_neighbors : int, default=10
        Similar states, k.
    futures : Sequences, optional
        What is forecast, if it is not the library's own series: other columns of the same rows.
    n_jobs : int, optional
        Threads of the neighbour search. The result does not depend on it.

    Returns
    -------
    mean : ndarray of shape (n_states, n_steps, n_columns)
        The forecasts.
    spread : ndarray of shape (n_states, n_steps, n_columns)
        The weighted standard deviation of the futures around them: how well they agree.

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.forecasting import analogue_forecast
    >>> from predfeat.series import States, check_sequences
    >>> wave = check_sequences(np.tile([0.0, 1.0, 2.0], 20)[:, None])
    >>> library = States(wave, wave.state_times(n_lags=1, horizon=4), 1)
    >>> now = check_sequences([[1.0]])
    >>> mean, spread = analogue_forecast(States(now, np.array([0]), 1), library, 4, 3)
    >>> mean.ravel(), spread.ravel()
    (array([2., 0., 1., 2.]), array([0., 0., 0., 0.]))
    """
    found = find_analogues(states, library, n_neighbors, n_jobs=n_jobs)
    rows = (library.series if futures is None else futures).rows
    shape = (len(found.times), n_steps, rows.shape[1])
    mean, spread = np.empty(shape), np.empty(shape)
    at_once = max(1, _NUMBERS_AT_ONCE // (found.rows.shape[1] * rows.shape[1]))
    for start in range(0, len(found.times), at_once):
        part = slice(start, start + at_once)
        weights = found.weights[part, :, None]
        for h in range(1, n_steps + 1):
            after = rows[found.rows[part] + h]
            center = (weights * after).sum(axis=1)
            mean[part, h - 1] = center
            squared = (weights * np.square(after - center[:, None])).sum(axis=1)
            spread[part, h - 1] = np.sqrt(squared)
    return mean, spread
