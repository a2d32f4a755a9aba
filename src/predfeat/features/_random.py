"""The baseline: random features."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state

from predfeat._typing import FloatArray
from predfeat.features._base import LinearFeatures
from predfeat.series import Sequences
from predfeat.whitening import Whitening

__all__ = ["RandomFeatures"]


class RandomFeatures(LinearFeatures):
    """Random features: M random orthonormal directions of white space.

    The baseline that every method should beat.

    Parameters
    ----------
    n_components : int, default=2
        Number of features, M.
    pca_components : int, float or None, default=None
        Principal components to keep before whitening: a count, a share of variance, or all.
    random_state : int, RandomState or None, default=None
        The seed.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_columns)
        The features are (X - mean_) @ components_.T.
    mean_ : ndarray of shape (n_columns,)
    patterns_ : ndarray of shape (n_components, n_columns)
        How each feature appears in the inputs: the rows of the least-squares inverse.
    rank_ : int
        Dimension of white space.

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat import RandomFeatures
    >>> X = np.random.default_rng(0).normal(size=(100, 5))
    >>> Y = RandomFeatures(n_components=2, random_state=0).fit_transform(X)
    >>> np.allclose(np.cov(Y, rowvar=False, ddof=0), np.eye(2))
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **LinearFeatures._parameter_constraints,
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        pca_components: int | float | None = None,
        random_state: int | np.random.RandomState | None = None,
    ):
        self.n_components = n_components
        self.pca_components = pca_components
        self.random_state = random_state

    def find_directions(self, white: Sequences, whitening: Whitening) -> FloatArray:
        """See `LinearFeatures.find_directions`."""
        random = check_random_state(self.random_state)
        gauss = random.standard_normal((white.n_columns, self.n_components))
        frame, triangle = np.linalg.qr(gauss)
        # Fixing the signs by the diagonal makes the frame uniform over all frames.
        uniform: FloatArray = frame * np.where(np.diag(triangle) < 0, -1.0, 1.0)
        return uniform
