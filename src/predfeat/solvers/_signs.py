"""One sign rule for all methods."""

from __future__ import annotations

import numpy as np

from predfeat._typing import FloatArray

__all__ = ["fix_signs"]


def fix_signs(components: FloatArray) -> FloatArray:
    """Return the factor (1 or -1) that makes each row's largest loading positive.

    An eigenvector's sign is arbitrary; without a rule, features would flip between machines.

    Parameters
    ----------
    components : ndarray of shape (n_components, n_columns)

    Returns
    -------
    ndarray of shape (n_components,)

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.solvers import fix_signs
    >>> fix_signs(np.array([[1.0, -3.0], [2.0, 0.5]]))
    array([-1.,  1.])
    """
    largest = np.argmax(np.abs(components), axis=1)
    return np.where(components[np.arange(len(components)), largest] < 0, -1.0, 1.0)
