"""The paper's toy data."""

from __future__ import annotations

import numpy as np
from sklearn.utils import check_random_state

from predfeat._compat import validate_parameter_constraints, whole_number
from predfeat._typing import FloatArray

__all__ = ["predictable_noise"]


def predictable_noise(
    n_samples: int,
    n_features: int = 10,
    *,
    random_state: int | np.random.RandomState | None = None,
) -> FloatArray:
    r"""Make noise with two dimensions that are half predictable from the previous step.

    The first two columns are :math:`(\xi_t, \xi_{t-1})` with Gaussian white noise ξ, the others
    independent Gaussian white noise. Given one step, half of the variance of the next step's
    first two columns is known; nothing else is predictable at all.

    Parameters
    ----------
    n_samples : int
        Rows.
    n_features : int, default=10
        Columns, at least 2.
    random_state : int, RandomState or None, default=None
        The seed.

    Returns
    -------
    ndarray of shape (n_samples, n_features)

    Examples
    --------
    >>> from predfeat.datasets import predictable_noise
    >>> X = predictable_noise(5, random_state=0)
    >>> X.shape
    (5, 10)
    >>> bool((X[1:, 1] == X[:-1, 0]).all())
    True
    """
    validate_parameter_constraints(
        {
            "n_samples": [whole_number(1)],
            "n_features": [whole_number(2)],
        },
        {"n_samples": n_samples, "n_features": n_features},
        caller_name="predictable_noise",
    )
    random = check_random_state(random_state)
    noise = random.standard_normal(n_samples + 1)
    others = random.standard_normal((n_samples, n_features - 2))
    return np.column_stack([noise[1:], noise[:-1], others])
