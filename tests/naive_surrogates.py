"""Slow, obvious twins of the surrogates and of the test against them: loops, NumPy only.

Nothing here is shared with the package, so that a mistake there is not repeated here.
"""

import numpy as np


def amplitudes(x):
    """The size of every Fourier coefficient of one series, by the definition."""
    n = len(x)
    t = np.arange(n)
    return np.array([abs(np.sum(x * np.exp(-2j * np.pi * f * t / n))) for f in range(n)])


def cross_spectrum(x, y):
    n = len(x)
    t = np.arange(n)
    waves = [np.exp(-2j * np.pi * f * t / n) for f in range(n)]
    return np.array([np.sum(x * w) * np.conj(np.sum(y * w)) for w in waves])


def p_values(statistics, surrogate_statistics):
    found = []
    for value in statistics:
        as_good = 0
        for row in surrogate_statistics:
            if any(other <= value for other in row):
                as_good += 1
        found.append((1 + as_good) / (1 + len(surrogate_statistics)))
    return np.array(found)


def n_significant(p_values, alpha):
    n = 0
    for p in p_values:
        if p > alpha + 1e-12:
            break
        n += 1
    return n


def bridge(A, Q, first, last, n):
    """Mean and covariance of n rows between two of a process x' = A x + noise of covariance Q.

    From the quadratic form of all steps' noise, written out for the unknown rows one below the
    other.
    """
    N = len(A)
    weight = np.linalg.inv(Q)
    H, g = np.zeros((n * N, n * N)), np.zeros(n * N)
    for step in range(n + 1):  # from row `step` to row `step` + 1; 0 and n + 1 are given
        before, after = np.zeros((N, n * N)), np.zeros((N, n * N))
        known = np.zeros(N)
        if step == 0:
            known -= A @ first
        else:
            before[:, (step - 1) * N : step * N] = np.eye(N)
        if step == n:
            known += last
        else:
            after[:, step * N : (step + 1) * N] = np.eye(N)
        noise = after - A @ before  # noise of the step = this @ rows + known
        H += noise.T @ weight @ noise
        g += noise.T @ weight @ known
    return -np.linalg.solve(H, g).reshape(n, N), np.linalg.inv(H)
