"""Slow feature analysis."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from predfeat._compat import POSITIVE
from predfeat._typing import FloatArray, IntArray
from predfeat.features._stream import Change
from predfeat.features._streaming import StreamingFeatures
from predfeat.series import Sequences
from predfeat.solvers import Eigenpairs, smallest_eigenpairs
from predfeat.whitening import Whitening

__all__ = ["SFA", "furthest_from_noise", "slow_and_fast_directions", "slow_directions"]


class SFA(StreamingFeatures):
    r"""Slow feature analysis: the features that change least from one step to the next.

    Finds the M orthonormal directions a in white space with the smallest

    .. math:: \langle (a^T z_{t+1} - a^T z_t)^2 \rangle_t .

    Parameters
    ----------
    n_components : int, default=2
        Number of features, M.
    n_steps : int, default=1
        Average the change over 1, 2, …, n_steps steps. More than 1 finds slow features that
        jitter from one step to the next.
    pca_components : int, float or None, default=None
        Principal components to keep before whitening: a count, a share of variance, or all.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_columns)
        The features are (X - mean_) @ components_.T, slowest first.
    mean_ : ndarray of shape (n_columns,)
    eigenvalues_ : ndarray of shape (n_components,)
        The slowness of each feature on the training data, averaged over 1, …, n_steps steps.
    patterns_ : ndarray of shape (n_components, n_columns)
        How each feature appears in the inputs: the rows of the least-squares inverse.
    rank_ : int
        Dimension of white space.
    stream_ : Stream
        Only after `partial_fit`: what was counted so far.

    References
    ----------
    L. Wiskott and T. Sejnowski, Slow feature analysis: unsupervised learning of invariances,
    Neural Computation 14(4), 2002.

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat import SFA
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(1000, 4))
    >>> X[:, 2] += 3 * np.sin(0.02 * np.arange(1000))
    >>> np.argmax(np.abs(SFA(n_components=1).fit(X).components_))
    np.int64(2)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **StreamingFeatures._parameter_constraints,
        "n_steps": [POSITIVE],
    }

    counted_parameters: ClassVar[tuple[str, ...]] = ("n_steps",)

    def __init__(
        self,
        n_components: int = 2,
        *,
        n_steps: int = 1,
        pca_components: int | float | None = None,
    ):
        self.n_components = n_components
        self.n_steps = n_steps
        self.pca_components = pca_components

    def find_directions(self, white: Sequences, whitening: Whitening) -> FloatArray:
        """See `LinearFeatures.find_directions`."""
        pairs = slow_directions(white, self.n_components, self.n_steps)
        self.eigenvalues_ = pairs.values
        return pairs.vectors

    def counted(self) -> tuple[Change, ...]:
        """See `StreamingFeatures.counted`."""
        return tuple(Change(n) for n in range(1, self.n_steps + 1))

    def find_directions_in_moments(self, moments: tuple[FloatArray, ...]) -> FloatArray:
        """See `StreamingFeatures.find_directions_in_moments`."""
        # Not centred: a trend is also change.
        pairs = smallest_eigenpairs(np.mean(moments, axis=0), self.n_components)
        self.eigenvalues_ = pairs.values
        return pairs.vectors


def slow_directions(white: Sequences, n_components: int, n_steps: int = 1) -> Eigenpairs:
    """Return the slowest directions of a white series, with their slowness.

    Slowness is the mean squared change, averaged over 1, …, n_steps steps.
    """
    scatter = np.zeros((white.n_columns, white.n_columns))
    for n in range(1, n_steps + 1):
        times = white.times(ahead=n, shorten="fewer steps (n_steps)")
        difference = white.rows[times + n] - white.rows[times]
        # Not centred: a trend is also change.
        scatter += difference.T @ difference / len(times)
    return smallest_eigenpairs(scatter / n_steps, n_components)


def slow_and_fast_directions(white: Sequences, n_components: int) -> FloatArray:
    """Return the directions whose slowness is furthest from that of white noise, furthest first.

    Both extremes are predictable: what hardly changes, and what flips its sign at every step.
    """
    pairs = slow_directions(white, white.n_columns)
    return pairs.vectors[:, furthest_from_noise(pairs.values)[:n_components]]


def furthest_from_noise(slowness: FloatArray) -> IntArray:
    """Return the positions of slowness values, those furthest from white noise's first."""
    order: IntArray = np.argsort(-np.abs(slowness - 2.0), kind="stable")
    return order
