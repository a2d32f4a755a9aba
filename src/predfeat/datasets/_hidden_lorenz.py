"""A chaotic system hidden in a mixture with noise."""

from __future__ import annotations

import numpy as np
from scipy.signal import lfilter
from sklearn.utils import check_random_state

from predfeat._compat import validate_parameter_constraints, whole_number
from predfeat._typing import FloatArray

__all__ = ["hidden_lorenz"]

_STEP = 0.03
_SETTLING = 500  # steps until the trajectory has forgotten where it started


def hidden_lorenz(
    n_samples: int,
    n_noise: int = 7,
    *,
    random_state: int | np.random.RandomState | None = None,
) -> tuple[FloatArray, FloatArray]:
    """Mix the three coordinates of a Lorenz system with autocorrelated noise.

    The motion is deterministic but not linear, and the noise has more variance than the system:
    the first principal components show mostly noise.

    Parameters
    ----------
    n_samples : int
        Rows.
    n_noise : int, default=7
        Noise dimensions, first-order autoregressions with coefficients up to 0.8.
    random_state : int, RandomState or None, default=None
        Seed for the start, the noise and the mixing.

    Returns
    -------
    X : ndarray of shape (n_samples, 3 + n_noise)
        The mixed channels.
    hidden : ndarray of shape (n_samples, 3)
        The Lorenz coordinates, each with zero mean and unit variance.

    Examples
    --------
    >>> from predfeat import GPFA
    >>> from predfeat.datasets import hidden_lorenz
    >>> from predfeat.measures import predictability
    >>> X, hidden = hidden_lorenz(2000, random_state=0)
    >>> Y = GPFA(n_components=3, n_lags=2).fit_transform(X)
    >>> predictability(Y, n_lags=2) < 1.5 * predictability(hidden, n_lags=2)
    True
    """
    validate_parameter_constraints(
        {
            "n_samples": [whole_number(2)],
            "n_noise": [whole_number(0)],
        },
        {"n_samples": n_samples, "n_noise": n_noise},
        caller_name="hidden_lorenz",
    )
    random = check_random_state(random_state)
    start = np.array([0.0, 1.0, 25.0]) + random.uniform(-1, 1, size=3)
    hidden = _lorenz(n_samples, start)
    hidden = (hidden - hidden.mean(axis=0)) / hidden.std(axis=0)
    coefficients = random.uniform(0.0, 0.8, size=n_noise)
    shocks = random.standard_normal((n_samples + _SETTLING, n_noise))
    noise = [
        2.0 * np.sqrt(1 - a**2) * lfilter([1.0], [1.0, -a], shock)[_SETTLING:]
        for a, shock in zip(coefficients, shocks.T, strict=True)
    ]
    sources = np.column_stack([hidden, *noise])
    mixing, _ = np.linalg.qr(random.standard_normal((sources.shape[1], sources.shape[1])))
    return sources @ mixing, hidden


def _lorenz(n_samples: int, state: FloatArray) -> FloatArray:
    """Integrate the Lorenz equations (σ=10, ρ=28, β=8/3) with the classical Runge-Kutta method."""

    def velocity(s: FloatArray) -> FloatArray:
        x, y, z = s
        return np.array([10.0 * (y - x), x * (28.0 - z) - y, x * y - 8.0 / 3.0 * z])

    path = np.empty((n_samples, 3))
    for i in range(-_SETTLING, n_samples):
        k1 = velocity(state)
        k2 = velocity(state + _STEP / 2 * k1)
        k3 = velocity(state + _STEP / 2 * k2)
        k4 = velocity(state + _STEP * k3)
        state = state + _STEP / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        if i >= 0:
            path[i] = state
    return path
