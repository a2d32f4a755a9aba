"""Slow, obvious twins of what is done to a series before a method sees it. Only NumPy."""

import numpy as np


def is_gap(X, t):
    """Tell whether row t holds a NaN."""
    return bool(np.isnan(X[t]).any())


def joined(X, groups, t, back):
    """Tell whether rows t-back … t are all samples of one sequence, without a gap."""
    if t - back < 0:
        return False
    return all(groups[i] == groups[t] and not is_gap(X, i) for i in range(t - back, t + 1))


def difference(X, groups):
    """x_t - x_{t-1} where both are there."""
    result = np.full(X.shape, np.nan)
    for t in range(len(X)):
        if joined(X, groups, t, 1):
            result[t] = X[t] - X[t - 1]
    return result


def delay(X, n_delays, groups):
    """x_t, x_{t-1}, … side by side where all are there."""
    result = np.full((len(X), (n_delays + 1) * X.shape[1]), np.nan)
    for t in range(len(X)):
        if joined(X, groups, t, n_delays):
            result[t] = np.concatenate([X[t - back] for back in range(n_delays + 1)])
    return result


def detrend(X, groups):
    """What np.polyfit's line leaves of every column of every sequence."""
    result = np.full(X.shape, np.nan)
    for group in set(groups.tolist()):
        rows = [t for t in range(len(X)) if groups[t] == group and not is_gap(X, t)]
        for column in range(X.shape[1]):
            if len(rows) == 1:
                result[rows, column] = 0.0
            elif rows:
                line = np.polyfit(rows, X[rows, column], 1)
                result[rows, column] = X[rows, column] - np.polyval(line, rows)
    return result


def thin(groups, every):
    """Return the first row of every sequence, and every N-th after it."""
    kept, since = [], 0
    for t, group in enumerate(groups):
        since = 0 if t == 0 or group != groups[t - 1] else since + 1
        if since % every == 0:
            kept.append(t)
    return kept


def aliased_share(X, every, groups):
    """Project every stretch on cosines, one by one, and add up those above 1 / 2N."""
    stretches, current = [], []
    for t in range(len(X)):
        if current and (is_gap(X, t) or groups[t] != groups[current[-1]]):
            stretches.append(current)
            current = []
        if not is_gap(X, t):
            current = [*current, t]
    stretches += [current] if current else []
    centre = np.mean([X[t] for stretch in stretches for t in stretch], axis=0)
    fast, total = np.zeros(X.shape[1]), np.zeros(X.shape[1])
    for stretch in stretches:
        n = len(stretch)
        for i in range(n):
            cosine = np.cos(np.pi * i * (np.arange(n) + 0.5) / n)
            cosine /= np.sqrt((cosine**2).sum())
            power = (cosine @ (X[stretch] - centre)) ** 2
            total += power
            if i / (2 * n) > 1 / (2 * every):
                fast += power
    return fast / total
