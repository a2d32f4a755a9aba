"""The compiled kernels of soft neighbourhoods: flat arrays, no checks.

Importing this module compiles. `_soft_arrays` has the same functions in plain NumPy.
"""

from __future__ import annotations

import numpy as np

from predfeat._jit import compiled
from predfeat._typing import FloatArray, IntArray

__all__ = ["add_pulls", "weigh_members"]


@compiled
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
    """Weigh the members of each neighbourhood, and measure how far their successors lie.

    Fills `weights` (states × members) and `scatter`: half the weighted mean of δδᵀ, with δ from a
    member's successor to the centre's. If its matrices are 1 × 1, only the trace is computed.
    """
    n_features = rows.shape[1]
    whole = scatter.shape[1] > 1
    for s in range(len(times)):
        t, nearest = times[s], np.inf
        for j in range(members.shape[1]):
            i, squared = members[s, j], 0.0
            for lag in range(n_lags):
                for c in range(n_features):
                    apart = rows[t - lag, c] - rows[i - lag, c]
                    squared += apart * apart
            weights[s, j] = squared
            nearest = min(nearest, squared)
        total = 0.0
        for j in range(members.shape[1]):
            further = weights[s, j] - nearest
            # Where all of the nearest states are equal, the bandwidth is 0, and they share.
            if further > 0.0:
                weights[s, j] = np.exp(-further / bandwidths[s]) if bandwidths[s] > 0.0 else 0.0
            else:
                weights[s, j] = 1.0
            total += weights[s, j]
        scatter[s] = 0.0
        for j in range(members.shape[1]):
            weights[s, j] /= total
            i, half = members[s, j] + horizon, 0.5 * weights[s, j]
            for c in range(n_features):
                apart = rows[t + horizon, c] - rows[i, c]
                if whole:
                    for d in range(c + 1):
                        scatter[s, c, d] += half * apart * (rows[t + horizon, d] - rows[i, d])
                else:
                    scatter[s, 0, 0] += half * apart * apart
        if whole:
            for c in range(n_features):
                for d in range(c):
                    scatter[s, d, c] = scatter[s, c, d]


@compiled
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
    """Add to `onto` the derivative of Σ tr(metric · scatter) by every row.

    Successors are pulled together along the edges {t+H, i+H}, of weight w. The states' samples are
    pulled together, or pushed apart, along the signed edges {t-l, i-l}: a member whose successor
    lies farther from the centre's than those of the others should have less weight.
    """
    n_features, n_members = rows.shape[1], members.shape[1]
    whole = metric.shape[1] > 1
    pulls = np.empty((n_members, n_features))
    distances = np.empty(n_members)
    for s in range(len(times)):
        t, mean = times[s], 0.0
        for j in range(n_members):
            i, distance = members[s, j] + horizon, 0.0
            for c in range(n_features):
                if whole:
                    pull = 0.0
                    for d in range(n_features):
                        pull += metric[s, c, d] * (rows[t + horizon, d] - rows[i, d])
                else:
                    pull = metric[s, 0, 0] * (rows[t + horizon, c] - rows[i, c])
                pulls[j, c] = pull
                distance += 0.5 * pull * (rows[t + horizon, c] - rows[i, c])
            distances[j] = distance
            mean += weights[s, j] * distance
        for j in range(n_members):
            i, weight = members[s, j], weights[s, j]
            for c in range(n_features):
                onto[t + horizon, c] += weight * pulls[j, c]
                onto[i + horizon, c] -= weight * pulls[j, c]
            if bandwidths[s] > 0.0:
                signed = 2.0 * weight * (mean - distances[j]) / bandwidths[s]
                for lag in range(n_lags):
                    for c in range(n_features):
                        pull = signed * (rows[t - lag, c] - rows[i - lag, c])
                        onto[t - lag, c] += pull
                        onto[i - lag, c] -= pull
