"""Slow, obvious twins of the forecasts: loops and definitions, with NumPy alone."""

import numpy as np


def runs(rows, groups=None):
    """Return the stretches of rows without a gap in one group, as lists of row numbers."""
    found, current = [], []
    for row, values in enumerate(rows):
        new = row > 0 and groups is not None and groups[row] != groups[row - 1]
        if current and (new or np.isnan(values).any()):
            found.append(current)
            current = []
        if not np.isnan(values).any():
            current.append(row)
    return [*found, current] if current else found


def origins(rows, groups, n_lags, n_steps):
    """Return the rows with n_lags - 1 rows before and n_steps rows after them in their run."""
    return [
        run[i]
        for run in runs(rows, groups)
        for i in range(len(run))
        if i >= n_lags - 1 and i + n_steps < len(run)
    ]


def state(rows, time, n_lags):
    return np.concatenate([rows[time - lag] for lag in range(n_lags)])


def analogue(old, old_groups, new, times, n_lags, n_steps, n_neighbors):
    """Return means and spreads, with the neighbours found by sorting all distances."""
    unit = np.nanstd(old[~np.isnan(old).any(axis=1)], axis=0)
    unit = np.where(unit == 0, 1.0, unit)
    library = origins(old, old_groups, n_lags, n_steps)
    means, spreads = [], []
    for time in times:
        asked = state(new / unit, time, n_lags)
        distances = [np.sqrt(((state(old / unit, i, n_lags) - asked) ** 2).sum()) for i in library]
        nearest = sorted(range(len(library)), key=lambda i: distances[i])[:n_neighbors]
        smallest = distances[nearest[0]]
        weights = [
            np.exp(-distances[i] / smallest) if smallest > 0 else float(distances[i] == 0)
            for i in nearest
        ]
        total = sum(weights)
        mean = np.zeros((n_steps, old.shape[1]))
        square = np.zeros_like(mean)
        for h in range(1, n_steps + 1):
            for weight, i in zip(weights, nearest, strict=True):
                mean[h - 1] += weight / total * old[library[i] + h]
            for weight, i in zip(weights, nearest, strict=True):
                square[h - 1] += weight / total * (old[library[i] + h] - mean[h - 1]) ** 2
        means.append(mean)
        spreads.append(np.sqrt(square))
    return np.array(means), np.array(spreads)


def linear(old, old_groups, new, times, n_lags, n_steps):
    """Return forecasts of one regression per step, with a constant, by lstsq."""
    library = origins(old, old_groups, n_lags, n_steps)
    inputs = np.array([np.append(state(old, i, n_lags), 1.0) for i in library])
    asked = np.array([np.append(state(new, t, n_lags), 1.0) for t in times])
    forecasts = []
    for h in range(1, n_steps + 1):
        outputs = np.array([old[i + h] for i in library])
        weights = np.linalg.lstsq(inputs, outputs, rcond=None)[0]
        forecasts.append(asked @ weights)
    return np.stack(forecasts, axis=1)


def best_kinds(errors):
    """Return the kind of each step and column: 0 from the best step on, else the better of others.

    errors[kind][step, column] are mean squared errors.
    """
    n_steps, n_columns = errors[0].shape
    chosen = np.empty((n_steps, n_columns), dtype=int)
    for c in range(n_columns):
        others = [1 if errors[1][h, c] <= errors[2][h, c] else 2 for h in range(n_steps)]
        sequences = [others[:start] + [0] * (n_steps - start) for start in range(n_steps + 1)]
        totals = [sum(errors[k][h, c] for h, k in enumerate(kinds)) for kinds in sequences]
        chosen[:, c] = sequences[totals.index(min(totals))]
    return chosen


def quantile(scores, level):
    """Return the smallest score that at least (n + 1) level of the scores do not exceed."""
    needed = level * (len(scores) + 1) - 1e-9
    return min(s for s in scores if sum(other <= s for other in scores) >= needed)


def adapted_rates(scores, threshold_of, level, rate):
    """Return the rate after each row of one-step scores, where the interval is threshold_of(rate).

    scores[t] is of the forecast from row t, so that it is known in row t + 1.
    """
    current = 1 - level
    issued, rates = [], []
    for row in range(len(scores)):
        if row:
            missed = scores[row - 1] > issued[row - 1]
            current += rate * ((1 - level) - missed)
        issued.append(threshold_of(current))
        rates.append(current)
    return rates
