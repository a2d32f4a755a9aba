"""The kernels of soft neighbourhoods in plain NumPy, for machines without numba.

The functions take the same arguments as those in `_soft_kernels` and return the same, up to
rounding.
"""

from __future__ import annotations

import numpy as np

from predfeat._typing import FloatArray, IntArray

__all__ = ["add_pulls", "weigh_members"]


def weigh_members(
    rows: FloatArray,
    times: IntArray,
    members: IntArray,
    bandwidths: FloatArray,
    n_lags: int,
    horizon: int,
    weights: FloatArray,
    scatter: FloatArray,
) -> None:
    """Weigh the members of each neighbourhood, and measure how far their successors lie."""
    squared = np.zeros(members.shape)
    for lag in range(n_lags):
        squared += np.square(_apart(rows, times - lag, members - lag)).sum(axis=2)
    further = squared - squared.min(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore"):
        weights[:] = np.where(further > 0.0, np.exp(-further / bandwidths[:, None]), 1.0)
    weights /= weights.sum(axis=1, keepdims=True)
    apart = _apart(rows, times + horizon, members + horizon)
    if scatter.shape[1] > 1:
        scatter[:] = 0.5 * np.einsum("sj,sjc,sjd->scd", weights, apart, apart, optimize=True)
    else:
        scatter[:, 0, 0] = 0.5 * np.einsum("sj,sjc,sjc->s", weights, apart, apart)


def add_pulls(
    rows: FloatArray,
    times: IntArray,
    members: IntArray,
    bandwidths: FloatArray,
    n_lags: int,
    horizon: int,
    weights: FloatArray,
    metric: FloatArray,
    onto: FloatArray,
) -> None:
    """Add to `onto` the derivative of Σ tr(metric · scatter) by every row."""
    apart = _apart(rows, times + horizon, members + horizon)
    pulls = apart @ metric if metric.shape[1] > 1 else apart * metric
    distances = 0.5 * np.einsum("sjc,sjc->sj", pulls, apart)
    _pull(onto, times + horizon, members + horizon, weights[:, :, None] * pulls)
    mean = np.einsum("sj,sj->s", weights, distances)[:, None]
    widths = np.where(bandwidths > 0.0, bandwidths, np.inf)[:, None]
    signed = 2.0 * weights * (mean - distances) / widths
    for lag in range(n_lags):
        apart = _apart(rows, times - lag, members - lag)
        _pull(onto, times - lag, members - lag, signed[:, :, None] * apart)


def _apart(rows: FloatArray, centres: IntArray, members: IntArray) -> FloatArray:
    difference: FloatArray = rows[centres][:, None, :] - rows[members]
    return difference


def _pull(onto: FloatArray, centres: IntArray, members: IntArray, pulls: FloatArray) -> None:
    np.add.at(onto, centres, pulls.sum(axis=1))
    np.subtract.at(onto, members, pulls)
