"""Series to diagnose, healthy and not, and how a fit to them is diagnosed."""

import warnings

import numpy as np
from scipy.signal import lfilter

from predfeat.datasets import predictable_noise
from predfeat.exceptions import ConstantColumnsWarning
from predfeat.selection import diagnose


def mixed(sources, seed):
    """Hide sources behind a rotation, which no method minds."""
    gauss = np.random.default_rng([seed, 1]).normal(size=(sources.shape[1],) * 2)
    return sources @ np.linalg.qr(gauss)[0]


def noise(seed, *shape):
    return np.random.default_rng(seed).normal(size=shape)


def toy(n_samples=1500, n_columns=5, seed=0):
    return predictable_noise(n_samples, n_columns, random_state=seed)


def oscillator(n_samples=1500, n_columns=5, seed=0, frequency=0.5):
    """Two columns turn, with shocks; the others are noise."""
    shocks = noise(seed, n_samples + 300) + 1j * noise(seed + 1000, n_samples + 300)
    turning = lfilter([np.sqrt(1 - 0.95**2)], [1.0, -0.95 * np.exp(1j * frequency)], shocks)[300:]
    others = noise(seed + 2000, n_samples, n_columns - 2)
    return np.column_stack([turning.real, turning.imag, others])


def bent(n_samples, n_columns, seed):
    """Two columns follow a nonlinear law with noise; the others are noise."""
    shocks = 0.15 * noise(seed, n_samples + 100, 2)
    x = np.full((n_samples + 100, 2), 0.1)
    for t in range(1, len(x)):
        a, b = x[t - 1]
        x[t] = np.cos(2.2 * a + 0.5 * b), np.sin(2.0 * b - 0.7 * a)
        x[t] += shocks[t]
    return np.column_stack([x[100:], noise(seed + 2000, n_samples, n_columns - 2)])


def autoregressions(n_samples, coefficients, seed=0):
    shocks = noise(seed, n_samples + 500, len(coefficients))
    columns = [
        np.sqrt(1 - a**2) * lfilter([1.0], [1.0, -a], shock)[500:]
        for a, shock in zip(coefficients, shocks.T, strict=True)
    ]
    return np.column_stack(columns)


def wandering():
    """A smooth path that rarely crosses itself, with a little noise."""
    t = np.arange(1500)
    waves = [np.sin(2 * np.pi * t / period + period) for period in (211, 337, 523, 293)]
    return np.column_stack(waves) + 0.01 * noise(0, 1500, 4)


def diagnosed(model, X, groups=None, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConstantColumnsWarning)
        model.fit(X, groups=groups)
    return diagnose(model, X, groups=groups, **options)


def two_levels():
    X, groups = toy(), np.repeat([0, 1], 750)
    X[:, 4] += 30.0 * groups
    return X, groups


def walk(n_rows=100, n_columns=3):
    return noise(0, n_rows, n_columns).cumsum(axis=0)


def with_constants(X, n_constant):
    return np.column_stack([np.full((len(X), n_constant), 7.0), X[:, n_constant:]])
