"""The mean of several spaces."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from predfeat._typing import FloatArray

__all__ = ["mean_space"]


def mean_space(spaces: Sequence[FloatArray]) -> FloatArray:
    """Return an orthonormal basis of the space nearest to all the given ones.

    The basis is the leading eigenvectors of the mean of their orthogonal projectors. It minimises
    the sum of the squared sines of the angles to the given spaces.

    Parameters
    ----------
    spaces : sequence of ndarray of shape (n, m)
        The columns of each array span a space of m dimensions.

    Returns
    -------
    ndarray of shape (n, m)

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.features import mean_space
    >>> left, right = np.array([[1.0], [0.1]]), np.array([[1.0], [-0.1]])
    >>> np.abs(mean_space([left, right])).round(6).tolist()
    [[1.0], [0.0]]
    """
    bases = [np.linalg.qr(space)[0] for space in spaces]
    # The sum of the projectors is this matrix times its transpose.
    directions = np.linalg.svd(np.hstack(bases), full_matrices=False)[0]
    first: FloatArray = directions[:, : spaces[0].shape[1]]
    return first
