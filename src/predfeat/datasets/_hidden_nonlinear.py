"""Predictable quantities that no linear map of the channels shows."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.signal import lfilter
from scipy.special import ndtr
from sklearn.utils import check_random_state

from predfeat._compat import validate_parameter_constraints, whole_number
from predfeat._typing import FloatArray

__all__ = ["hidden_amplitude", "hidden_cascade", "hidden_product"]

_SETTLING = 500
# What is predictable moves as slowly as this: neighbours leave about 2 % of it open.
_MEMORY = 0.995
# How often a cascade's inner sign changes: it is predictable a little.
_SIGN_CHANGES = 0.15


def hidden_amplitude(
    n_samples: int,
    n_noise: int = 8,
    *,
    random_state: int | np.random.RandomState | None = None,
) -> tuple[FloatArray, FloatArray]:
    """Mix two channels with a slow common amplitude and a random phase with white noise.

    The channels are r cos φ and r sin φ with a phase that is drawn anew for every row, so that no
    linear map of them is predictable; r² is.

    Parameters
    ----------
    n_samples : int
        Rows.
    n_noise : int, default=8
        Channels of white noise.
    random_state : int, RandomState or None, default=None
        Seed for everything.

    Returns
    -------
    X : ndarray of shape (n_samples, 2 + n_noise)
        The mixed channels.
    hidden : ndarray of shape (n_samples,)
        r², between 0.2 and 2.

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.datasets import hidden_amplitude
    >>> from predfeat.measures import left_open
    >>> X, hidden = hidden_amplitude(1000, 0, random_state=0)
    >>> bool(np.allclose(np.square(X).sum(axis=1), hidden))  # mixing keeps lengths
    True
    >>> left_open(X).share() > 0.9 > 0.1 > left_open(hidden[:, None]).share()
    True
    """
    random = _checked("hidden_amplitude", n_samples, n_noise, random_state)
    hidden = _slow(n_samples, random, 0.2, 2.0)
    phase = random.uniform(0.0, 2.0 * np.pi, size=n_samples)
    both = np.sqrt(hidden)[:, None] * np.column_stack([np.cos(phase), np.sin(phase)])
    return _mixed(both, n_noise, random), hidden


def hidden_product(
    n_samples: int,
    n_noise: int = 8,
    *,
    random_state: int | np.random.RandomState | None = None,
) -> tuple[FloatArray, FloatArray]:
    """Mix a slow signal on a carrier of random signs, and the carrier, with white noise.

    The signal is the product of the two. Neither is predictable alone.

    Parameters
    ----------
    n_samples : int
        Rows.
    n_noise : int, default=8
        Channels of white noise.
    random_state : int, RandomState or None, default=None
        Seed for everything.

    Returns
    -------
    X : ndarray of shape (n_samples, 2 + n_noise)
        The mixed channels.
    hidden : ndarray of shape (n_samples,)
        The signal, between -√3 and √3.

    Examples
    --------
    >>> from predfeat.datasets import hidden_product
    >>> from predfeat.measures import left_open
    >>> X, hidden = hidden_product(1000, 0, random_state=0)
    >>> left_open(X).share() > 0.9 > 0.1 > left_open(hidden[:, None]).share()
    True
    """
    random = _checked("hidden_product", n_samples, n_noise, random_state)
    hidden = _slow(n_samples, random, -np.sqrt(3.0), np.sqrt(3.0))
    carrier = random.choice([-1.0, 1.0], size=n_samples)
    # A carrier that is exactly ±1 would be a constant when squared.
    carrier *= random.uniform(0.99, 1.01, size=n_samples)
    return _mixed(np.column_stack([hidden / carrier, carrier]), n_noise, random), hidden


def hidden_cascade(
    n_samples: int,
    n_noise: int = 4,
    *,
    random_state: int | np.random.RandomState | None = None,
) -> tuple[FloatArray, FloatArray]:
    """Hide a slow quantity in an amplitude of an amplitude, in white noise.

    Two channels are r cos φ and r sin φ with a random phase, and r² = 1 + w. The sign of w changes
    in one of seven rows, so that r² is predictable a little; w² is slow. A function of degree four
    shows it, or two quadratic ones, one after the other.

    Parameters
    ----------
    n_samples : int
        Rows.
    n_noise : int, default=4
        Channels of white noise.
    random_state : int, RandomState or None, default=None
        Seed for everything.

    Returns
    -------
    X : ndarray of shape (n_samples, 2 + n_noise)
        The mixed channels.
    hidden : ndarray of shape (n_samples,)
        w², between 0.02 and 0.9.

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.datasets import hidden_cascade
    >>> X, hidden = hidden_cascade(1000, 0, random_state=0)
    >>> bool(np.allclose((np.square(X).sum(axis=1) - 1) ** 2, hidden))
    True
    """
    random = _checked("hidden_cascade", n_samples, n_noise, random_state)
    hidden = _slow(n_samples, random, 0.02, 0.9)
    changes = random.uniform(size=n_samples) < _SIGN_CHANGES
    sign = 1.0 - 2.0 * (np.cumsum(changes) % 2)
    radius = np.sqrt(1.0 + sign * np.sqrt(hidden))
    phase = random.uniform(0.0, 2.0 * np.pi, size=n_samples)
    both = radius[:, None] * np.column_stack([np.cos(phase), np.sin(phase)])
    return _mixed(both, n_noise, random), hidden


def _checked(caller: str, n_samples: int, n_noise: int, random_state: object) -> Any:
    validate_parameter_constraints(
        {"n_samples": [whole_number(2)], "n_noise": [whole_number(0)]},
        {"n_samples": n_samples, "n_noise": n_noise},
        caller_name=caller,
    )
    return check_random_state(random_state)


def _slow(n_samples: int, random: Any, low: float, high: float) -> FloatArray:
    """Return a slow series, uniform between two numbers."""
    shocks = random.standard_normal(n_samples + _SETTLING)
    slow = np.sqrt(1 - _MEMORY**2) * lfilter([1.0], [1.0, -_MEMORY], shocks)[_SETTLING:]
    uniform: FloatArray = low + (high - low) * ndtr(slow)
    return uniform


def _mixed(sources: FloatArray, n_noise: int, random: Any) -> FloatArray:
    """Add channels of white noise, and turn all of them at random."""
    noise = random.standard_normal((len(sources), n_noise))
    everything = np.column_stack([sources, noise])
    n_columns = everything.shape[1]
    rotation, _ = np.linalg.qr(random.standard_normal((n_columns, n_columns)))
    mixed: FloatArray = everything @ rotation
    return mixed
