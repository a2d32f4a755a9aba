"""Slow, obvious twins of what selection computes."""

import numpy as np


def predicted_shares(train, test, n_lags, n_neighbors, horizon=1, theiler=0):
    """One state after the other, over two lists of sequences without gaps.

    Where `test` is None each state of `train` is predicted by those outside of its window.
    """

    def states(sequences):
        return [
            (np.concatenate([Y[t - lag] for lag in range(n_lags)]), Y[t + horizon], (number, t))
            for number, Y in enumerate(sequences)
            for t in range(n_lags - 1, len(Y) - horizon)
        ]

    def may_predict(one, other):
        return test is not None or one[0] != other[0] or abs(one[1] - other[1]) > theiler

    library, mean = states(train), np.concatenate(train).mean(axis=0)
    left = whole = 0.0
    for state, successor, time in states(train if test is None else test):
        others = [other for other in library if may_predict(time, other[2])]
        distances = [np.sum((state - other) ** 2) for other, _, _ in others]
        nearest = np.argsort(distances)[:n_neighbors]
        predicted = np.mean([others[i][1] for i in nearest], axis=0)
        left = left + (successor - predicted) ** 2
        whole = whole + (successor - mean) ** 2
    return 1 - left / whole


def simplest(settings, scores):
    """The one-standard-error rule over a list of (p, k, M) and a list of their folds' scores."""
    best = max(range(len(settings)), key=lambda i: np.mean(scores[i]))
    near = []
    for i in range(len(settings)):
        behind = [b - s for b, s in zip(scores[best], scores[i], strict=True)]
        error = np.sqrt(np.sum((behind - np.mean(behind)) ** 2) / (len(behind) - 1) / len(behind))
        if np.mean(behind) <= error:
            near.append(i)
    return min(
        (settings[i][0] * settings[i][2], settings[i][0], -np.mean(scores[i]), settings[i])
        for i in near
    )[-1]
