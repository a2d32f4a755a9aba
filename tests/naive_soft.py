"""Slow, obvious twins of soft neighbourhoods and of what descends on them: NumPy only."""

import numpy as np

from naive_measures import nearest, samples, state, windows


def neighborhoods(Y, n_lags, n_neighbors, groups=None, theiler=0, horizon=1):
    """For every state: the 2k nearest others, and the mean squared distance of the first k."""
    times = windows(Y, n_lags - 1, horizon, groups)
    members = nearest(Y, times, n_lags, 2 * n_neighbors, theiler, groups)
    widths = {}
    for t in times:
        squared = [
            np.sum((state(Y, t, n_lags) - state(Y, i, n_lags)) ** 2)
            for i in members[t][:n_neighbors]
        ]
        widths[t] = np.mean(squared)
    return members, widths


def scatter(Y, t, members, width, n_lags, horizon):
    """Half the mean of δδᵀ, with weights that fall with the distance of the states."""
    squared = np.array([np.sum((state(Y, t, n_lags) - state(Y, i, n_lags)) ** 2) for i in members])
    weights = np.exp(-(squared - squared.min()) / width) if width > 0 else 1.0 * (squared == 0)
    weights = weights / weights.sum()
    total = np.zeros((Y.shape[1], Y.shape[1]))
    for weight, i in zip(weights, members, strict=True):
        apart = Y[t + horizon] - Y[i + horizon]
        total += 0.5 * weight * np.outer(apart, apart)
    return total


def soft_left_open(Y, members, widths, n_lags, horizon=1, power=2, form="trace", relative=False):
    own = np.atleast_2d(np.cov(samples(Y), rowvar=False, ddof=0))
    values = []
    for t in members:
        left = scatter(Y, t, members[t], widths[t], n_lags, horizon)
        if power < 2:
            # A floor of a millionth of the features' own variation.
            left = left + 1e-6 * own
        if form == "determinant":
            value = 0.5 * np.log(np.linalg.det(left))
            values.append(value - 0.5 * np.log(np.linalg.det(own)) if relative else value)
            continue
        variance = np.trace(left) / (np.trace(own) if relative else 1.0)
        values.append(0.5 * np.log(variance) if power == 0 else variance ** (power / 2))
    return np.mean(values)


def smooth_regression(z, direction, n_lags, horizon, groups=None):
    """The shares of the next step that all functions leave open, and that lines leave open."""
    y = z @ direction / np.linalg.norm(direction)
    times = windows(z, n_lags - 1, horizon, groups)
    lines = [[1.0] + [y[t - lag] for lag in range(n_lags)] for t in times]
    bends = [
        [f(y[t - lag]) for lag in range(n_lags) for f in (lambda v: np.exp(-v * v / 2),
                                                          lambda v: v * np.exp(-v * v / 2))]
        for t in times
    ]  # fmt: skip
    following = np.array([y[t + horizon] for t in times])
    errors = []
    for functions in (np.hstack([lines, bends]), np.array(lines)):
        weights = np.linalg.pinv(functions) @ following
        errors.append(np.mean((following - functions @ weights) ** 2))
    return errors
