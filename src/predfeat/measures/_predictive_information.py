"""Predictive information: what the past says about the next step, in nats."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import digamma

from predfeat._compat import WINDOW, StrOptions, validate_parameter_constraints, whole_number
from predfeat._typing import ArrayLike, FloatArray
from predfeat.exceptions import TooFewStatesError
from predfeat.measures._autoregression import fit_autoregression, histories
from predfeat.measures._input import as_features
from predfeat.measures._left_open import count_pairs, neighbors_with_successor, summed_scatter
from predfeat.neighbors import NeighborTable
from predfeat.series import Sequences
from predfeat.whitening import fit_whitening

__all__ = ["predictive_information"]

_ESTIMATES = ("shared", "local", "linear")
_NUMBERS_AT_ONCE = 1 << 20


def predictive_information(
    Y: Any,
    n_lags: int = 1,
    n_neighbors: int = 10,
    *,
    horizon: int = 1,
    groups: ArrayLike | None = None,
    estimate: str = "shared",
    theiler: int = 0,
    n_jobs: int | None = None,
) -> float:
    r"""Higher is better: the mutual information of the next step and the state, in nats.

    Under Gaussian assumptions

    .. math:: I(Y_{t+H}; Y_t^{(p)})
        = \tfrac12 \log |\mathrm{cov}(Y_{t+H})|
        - \tfrac12 \langle \log |\mathrm{cov}(Y_{t+H} | Y_t^{(p)})| \rangle_t .

    (The paper prints the entropies without the factor 1/2 of the log-determinant.)

    Parameters
    ----------
    Y : array-like of shape (n_rows, n_features) or (n_rows,)
        Features in time order; rows with a NaN are gaps.
    n_lags : int, default=1
        Samples in a state, p.
    n_neighbors : int, default=10
        Neighbours of each state (not used by the linear estimate).
    horizon : int, default=1
        How many steps ahead, H.
    groups : array-like of shape (n_rows,), optional
        Ids of the sequences.
    estimate : {"shared", "local", "linear"}, default="shared"
        The conditional covariance: "shared", one for all states, the average over all
        neighbourhoods; "local", each neighbourhood's own, with averaged log-determinants (the bias
        of a Gaussian sample's log-determinant is subtracted); "linear", that of the linear
        prediction error, exact for a Gaussian process.
    theiler : int, default=0
        Leave out neighbours of the same sequence at most that many rows away.
    n_jobs : int, optional
        Threads for the neighbour search.

    Returns
    -------
    float
        Infinite if the next step is determined exactly.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.signal import lfilter
    >>> from predfeat.measures import predictive_information
    >>> noise = np.random.default_rng(0).normal(size=20_000)
    >>> y = lfilter([1.0], [1.0, -0.8], noise)  # in theory -log(1 - 0.8²) / 2 = 0.511
    >>> 0.50 < predictive_information(y, estimate="linear") < 0.53
    True
    """
    validate_parameter_constraints(
        {
            "n_lags": [whole_number(1)],
            "n_neighbors": [whole_number(1)],
            "horizon": [whole_number(1)],
            "theiler": [WINDOW],
            "estimate": [StrOptions(set(_ESTIMATES))],
        },
        {
            "n_lags": n_lags,
            "n_neighbors": n_neighbors,
            "horizon": horizon,
            "theiler": theiler,
            "estimate": estimate,
        },
        caller_name="predictive_information",
    )
    features = as_features(Y, groups)
    # Information does not depend on coordinates. White ones leave out constants and mixtures of
    # other features, which would make determinants vanish.
    whitening = fit_whitening(features, warn=False)
    white, rank = whitening.apply(features), whitening.rank
    if rank == 0:
        features.state_times(n_lags, horizon)
        return 0.0
    if estimate == "linear":
        left_open = _linear(white, n_lags, horizon)
        following = white.state_times(n_lags, horizon) + horizon
    else:
        if n_neighbors < rank:
            raise TooFewStatesError(
                f"n_neighbors={n_neighbors} gives no covariance of {rank} features: "
                f"use at least n_neighbors={rank}."
            )
        table = neighbors_with_successor(
            features, n_lags, n_neighbors, theiler, n_jobs=n_jobs, horizon=horizon
        )
        following = table.times + horizon
        if estimate == "local":
            left_open = _local(white, table, horizon)
        else:
            left_open = _shared(white, table, horizon)
    next_step = np.atleast_2d(np.cov(white.rows[following], rowvar=False, ddof=0))
    return 0.5 * (_log_determinant(next_step) - left_open)


def _log_determinant(covariance: FloatArray) -> float:
    sign, log_determinant = np.linalg.slogdet(covariance)
    return float(log_determinant) if sign > 0 else -np.inf


def _linear(features: Sequences, n_lags: int, horizon: int) -> float:
    centred = features.with_rows(features.rows - features.samples.mean(axis=0))
    coefficients = fit_autoregression(centred, n_lags, horizon=horizon)
    times = centred.state_times(n_lags, horizon) + horizon
    scatter = np.zeros((centred.n_columns, centred.n_columns))
    for block, history in histories(centred, times, n_lags, delay=horizon - 1):
        error = centred.rows[block] - history @ coefficients.T
        scatter += error.T @ error
    return _log_determinant(scatter / len(times))


def _shared(features: Sequences, table: NeighborTable, horizon: int) -> float:
    scatter = summed_scatter(features, table, [horizon])
    return _log_determinant(scatter / count_pairs(table, ddof=1))


def _local(features: Sequences, table: NeighborTable, horizon: int) -> float:
    n_points, n_features = table.indices.shape[1] + 1, features.n_columns
    total = 0.0
    step = max(1, _NUMBERS_AT_ONCE // (n_points * n_features))
    for start in range(0, len(table.times), step):
        block = slice(start, start + step)
        states = np.column_stack([table.times[block], table.indices[block]])
        points = features.rows[states + horizon]
        points -= points.mean(axis=1, keepdims=True)
        covariances = points.transpose(0, 2, 1) @ points / (n_points - 1)
        signs, log_determinants = np.linalg.slogdet(covariances)
        total += float(np.where(signs > 0, log_determinants, -np.inf).sum())
    return total / len(table.times) - _log_determinant_bias(n_points - 1, n_features)


def _log_determinant_bias(freedom: int, n_features: int) -> float:
    """Return the mean of log|S| - log|Σ| for a Wishart sample covariance S."""
    halves = (freedom - np.arange(n_features)) / 2.0
    return float(digamma(halves).sum() - n_features * np.log(freedom / 2.0))
