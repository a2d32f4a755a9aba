"""Slow, obvious twins of neighbours that depend on more than the distance of states.

Each is brute force over all pairs: a distance, and who may be whose neighbour. Only NumPy is
imported, and twins that import nothing else.
"""

import numpy as np

import naive

# --- distances of two rows, written out ----------------------------------------------------


def cityblock(a, b):
    return float(sum(abs(x - y) for x, y in zip(a, b, strict=True)))


def euclidean(a, b):
    return float(np.sqrt(sum((x - y) ** 2 for x, y in zip(a, b, strict=True))))


def chebyshev(a, b):
    return float(max(abs(x - y) for x, y in zip(a, b, strict=True)))


def canberra(a, b):
    shares = [abs(x - y) / (abs(x) + abs(y)) for x, y in zip(a, b, strict=True) if (x, y) != (0, 0)]
    return float(sum(shares))


def cosine(a, b):
    return float(1.0 - np.dot(a, b) / (np.linalg.norm(a) * np.linalg.norm(b)))


def hamming(a, b):
    return float(np.mean([x != y for x, y in zip(a, b, strict=True)]))


METRICS = {
    "cityblock": cityblock,
    "manhattan": cityblock,
    "euclidean": euclidean,
    "chebyshev": chebyshev,
    "canberra": canberra,
    "cosine": cosine,
    "hamming": hamming,
}


def by_metric(X, p, metric):
    """Return the distance of two states: squares of a metric between samples, summed over lags."""

    def measure(t, i):
        return float(np.sqrt(sum(metric(X[t - lag], X[i - lag]) ** 2 for lag in range(p))))

    return measure


def by_samples(X, p):
    """Return the Euclidean distance of two states."""
    return lambda t, i: naive.distance(naive.state(X, t, p), naive.state(X, i, p))


def beside(X, p, values):
    """Return the Euclidean distance of two states with the numbers {row: numbers} appended."""

    def measure(t, i):
        one, other = (np.append(naive.state(X, row, p), values[row]) for row in (t, i))
        return naive.distance(one, other)

    return measure


# --- brute force ---------------------------------------------------------------------------


def candidates(X, groups, times, theiler=0, labels=None):
    """Return {state: those that may be its neighbours}, with equal {row: label} if given."""
    sequence = naive.sequence_of_rows(X, groups)
    return {
        t: [
            i
            for i in times
            if naive.allowed(sequence, t, i, theiler) and (labels is None or labels[t] == labels[i])
        ]
        for t in times
    }


def nearest(allowed, measure, k):
    """Return rows and distances of the k nearest of {state: candidates}."""
    found = {
        t: sorted((measure(t, i), i) for i in others)[:k] for t, others in sorted(allowed.items())
    }
    rows = [[i for _, i in ranked] for ranked in found.values()]
    return rows, [[distance for distance, _ in ranked] for ranked in found.values()]


def mistakes(times, indices, distances, allowed, measure, k, tolerance):
    """Tell what is wrong with a table of neighbours; tied ones may be any of those tied.

    Sorted distances equal those of brute force only when no nearer state was missed.
    """
    wrong = []
    if list(times) != sorted(allowed):
        wrong.append(f"states {list(times)} instead of {sorted(allowed)}")
        return wrong
    _, expected = nearest(allowed, measure, k)
    for t, rows, measured, best in zip(times, indices, distances, expected, strict=True):
        rows = [int(row) for row in rows]
        if len(set(rows)) != k or not set(rows) <= set(allowed[t]):
            wrong.append(f"row {t} has neighbours {rows}, but may have {allowed[t]}")
            continue
        true = [measure(t, i) for i in rows]
        if not np.allclose(measured, true, rtol=tolerance, atol=tolerance):
            wrong.append(f"row {t} has {rows} at {true}, not {measured}")
        if not np.allclose(measured, best, rtol=tolerance, atol=tolerance):
            wrong.append(f"row {t} has neighbours at {measured}, but there are some at {best}")
    return wrong
