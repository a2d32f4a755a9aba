"""Slow, obvious twins of the quantities a diagnosis looks at. Only NumPy is imported."""

import numpy as np

from naive import is_gap, reaches, run_of_rows, sequence_of_rows


def adjacent_share(X, groups, times, indices, within):
    """Return the share of neighbours in the state's sequence, at most `within` rows away."""
    sequence = sequence_of_rows(X, groups)
    near = [
        sequence[i] == sequence[t] and abs(i - t) <= within
        for t, neighbors in zip(times, indices, strict=True)
        for i in neighbors
    ]
    return sum(near) / len(near)


def chance_of_adjacent(X, groups, times, within, theiler):
    """Return the mean over states of (allowed adjacent states) / (allowed states)."""
    sequence = sequence_of_rows(X, groups)
    shares = []
    for t in times:
        allowed = [
            i
            for i in times
            if i != t and not (sequence[i] == sequence[t] and abs(i - t) <= theiler)
        ]
        near = [i for i in allowed if sequence[i] == sequence[t] and abs(i - t) <= within]
        shares.append(len(near) / len(allowed))
    return sum(shares) / len(shares)


def occurrences(times, indices):
    """Return for every state how often it is listed as a neighbour."""
    listed = [i for neighbors in indices for i in neighbors]
    return [listed.count(t) for t in times]


def skewness(counts):
    n = len(counts)
    mean = sum(counts) / n
    second = sum((c - mean) ** 2 for c in counts) / n
    third = sum((c - mean) ** 3 for c in counts) / n
    return third / second**1.5


def pieces(W):
    """Return the sets of rows that hang together in a graph, largest first, by spreading."""
    unseen = {i for i in range(len(W)) if W[i].any()}
    found = []
    while unseen:
        piece, front = set(), {min(unseen)}
        while front:
            piece |= front
            front = {j for i in front for j in np.flatnonzero(W[i]).tolist()} - piece
        found.append(piece)
        unseen -= piece
    return sorted(found, key=len, reverse=True)


def autocorrelation(X, groups):
    """Return the correlation coefficient of all pairs (x_t, x_{t+1}) within a run."""
    run = run_of_rows(X, groups)
    pairs = [(X[t], X[t + 1]) for t in range(len(X)) if reaches(run, t, ahead=1)]
    now, then = np.array([a for a, _ in pairs]), np.array([b for _, b in pairs])
    return [np.corrcoef(now[:, j], then[:, j])[0, 1] for j in range(X.shape[1])]


def left_open(X, groups, times, indices):
    """Return the mean variance (ddof=1) of a neighbourhood's successors over the variance."""
    total = np.zeros(X.shape[1])
    for t, neighbors in zip(times, indices, strict=True):
        total += np.var([X[i + 1] for i in [t, *neighbors]], axis=0, ddof=1)
    samples = np.array([row for row in X if not is_gap(row)])
    return total / len(times) / samples.var(axis=0)


def between_share(rows, pieces):
    """Return 1 - (variance within pieces) / (variance), over the rows that have a piece."""
    within, used = np.zeros(rows.shape[1]), []
    for piece in sorted(set(pieces) - {-1}):
        members = rows[[i for i in range(len(rows)) if pieces[i] == piece]]
        within += ((members - members.mean(axis=0)) ** 2).sum(axis=0)
        used += list(members)
    used = np.array(used)
    return 1.0 - within / ((used - used.mean(axis=0)) ** 2).sum(axis=0)


def evenness(white):
    """Squared mean length by mean square, and the same of a normal number's density, summed up."""
    lengths = [np.sqrt(sum(x**2 for x in row)) for row in white]
    n = white.shape[1]
    r = np.linspace(1e-9, 12, 200_000)
    density = r ** (n - 1) * np.exp(-(r**2) / 2)
    density /= density.sum()
    of_normal = np.sum(r * density) ** 2 / np.sum(r**2 * density)
    return np.mean(lengths) ** 2 / np.mean(np.square(lengths)) / of_normal


def equal_share(X, times, p):
    """Return the share of states of which there is another with the same numbers."""
    states = [tuple(np.concatenate([X[t - lag] for lag in range(p)])) for t in times]
    return sum(states.count(state) > 1 for state in states) / len(states)


def decorrelation_time(X, groups, most):
    """Return the first lag at which every column's autocovariance is below variance / e."""
    run = run_of_rows(X, groups)
    samples = np.array([row for row in X if not is_gap(row)])
    mean, variance = samples.mean(axis=0), samples.var(axis=0)
    for lag in range(1, most):
        products = [
            (X[t] - mean) * (X[t + lag] - mean) for t in range(len(X)) if reaches(run, t, ahead=lag)
        ]
        if (np.mean(products, axis=0) <= variance / np.e).all():
            return lag
    return most


def still_share(X, groups, times, p):
    """Return the share of states that equal the state of the row before, in the same run."""
    run = run_of_rows(X, groups)
    n_still = 0
    for t in times:
        if reaches(run, t, back=p):
            n_still += all(np.array_equal(X[t - lag], X[t - lag - 1]) for lag in range(p))
    return n_still / len(times)


def held_out_autoregressions(X, groups, folds, lags):
    """Return for each lag and column the held-out squared error by the variance, row by row."""
    run = run_of_rows(X, groups)
    samples = np.array([row for row in X if not is_gap(row)])
    shares = []
    for p in lags:
        total, n_rows = np.zeros(X.shape[1]), 0
        for train, test in folds:
            inside = {True: set(train), False: set(test)}
            errors = []
            for j in range(X.shape[1]):
                mean = np.mean([X[t, j] for t in train if not is_gap(X[t])])

                def pairs(part, j=j, mean=mean, inside=inside, p=p):
                    for t in sorted(inside[part]):
                        reached = reaches(run, t, back=p)
                        if reached and all(t - lag in inside[part] for lag in range(1, p + 1)):
                            yield [X[t - lag, j] - mean for lag in range(1, p + 1)], X[t, j] - mean

                past, now = zip(*pairs(True), strict=True)
                weights = np.linalg.lstsq(np.array(past), np.array(now), rcond=None)[0]
                errors.append(np.mean([(y - np.dot(h, weights)) ** 2 for h, y in pairs(False)]))
            total += len(test) * np.array(errors)
            n_rows += len(test)
        shares.append(total / n_rows / samples.var(axis=0))
    return np.array(shares)
