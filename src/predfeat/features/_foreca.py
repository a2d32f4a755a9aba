"""Forecastable component analysis."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from scipy import linalg
from sklearn.utils import check_random_state

from predfeat._compat import Interval
from predfeat._threads import one_blas_thread
from predfeat._typing import FloatArray
from predfeat.features._base import POSITIVE, LinearFeatures
from predfeat.features._sfa import slow_directions
from predfeat.measures._spectra import PRIOR_WEIGHT, segment_transforms
from predfeat.series import Sequences
from predfeat.solvers import smallest_eigenpairs
from predfeat.whitening import Whitening

__all__ = ["ForeCA", "forecastable_directions"]

_STEPS_PER_HEAT = 4


class ForeCA(LinearFeatures):
    r"""Forecastable component analysis: the features whose spectrum is least like noise's.

    One after the other, each uncorrelated with those before, the directions with the largest
    forecastability :math:`\Omega(a^T z)` (see `predfeat.measures.forecastability`). Each is found
    by the EM-like iteration of Goerg (2013): given the spectrum f of the present direction, the
    next one is the smallest eigenvector of the cross-spectra weighted with -log f. Every step
    lowers the spectral entropy; several starts guard against poor local optima.

    Parameters
    ----------
    n_components : int, default=2
        Number of features, M.
    n_starts : int, default=4
        Random starts for each feature, besides the slowest, the fastest and the most forecastable
        single axis.
    max_iter : int, default=100
        EM steps at most, for each feature.
    tol : float, default=1e-6
        Stop when a step lowers the entropy (a share of white noise's) by less.
    pca_components : int, float or None, default=None
        Principal components to keep before whitening: a count, a share of variance, or all.
    random_state : int, RandomState or None, default=0
        The seed of the random starts.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_columns)
        The features are (X - mean_) @ components_.T, most forecastable first.
    mean_ : ndarray of shape (n_columns,)
    omega_ : ndarray of shape (n_components,)
        Forecastability of each feature on the training data, between 0 and 1.
    n_iter_ : int
        EM steps of the feature that took most.
    patterns_ : ndarray of shape (n_components, n_columns)
        How each feature shows in the inputs: the rows of the least-squares way back.
    rank_ : int
        Dimension of white space.

    References
    ----------
    G. Goerg, Forecastable component analysis, ICML 2013.

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat import ForeCA
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(1000, 4))
    >>> X[:, 2] += 3 * np.cos(2.5 * np.arange(1000))
    >>> np.argmax(np.abs(ForeCA(n_components=1).fit(X).components_))
    np.int64(2)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **LinearFeatures._parameter_constraints,
        "n_starts": [Interval(Integral, 0, None, closed="left")],
        "max_iter": [POSITIVE],
        "tol": [Interval(Real, 0, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        n_starts: int = 4,
        max_iter: int = 100,
        tol: float = 1e-6,
        pca_components: int | float | None = None,
        random_state: int | np.random.RandomState | None = 0,
    ):
        self.n_components = n_components
        self.n_starts = n_starts
        self.max_iter = max_iter
        self.tol = tol
        self.pca_components = pca_components
        self.random_state = random_state

    def _find_projection(self, white: Sequences, whitening: Whitening) -> FloatArray:
        directions, self.omega_, self.n_iter_ = forecastable_directions(
            white,
            self.n_components,
            n_starts=self.n_starts,
            max_iter=self.max_iter,
            tol=self.tol,
            random=check_random_state(self.random_state),
        )
        return directions


@one_blas_thread()
def forecastable_directions(
    white: Sequences,
    n_components: int,
    *,
    n_starts: int = 4,
    max_iter: int = 100,
    tol: float = 1e-6,
    random: np.random.RandomState | None = None,
) -> tuple[FloatArray, FloatArray, int]:
    """Return the most forecastable directions, their Ω, and the most steps one of them took."""
    random = np.random.RandomState(0) if random is None else random
    transforms = _stacked_transforms(white)
    starts = np.column_stack(
        [_slowest_and_fastest(white), random.standard_normal((white.n_columns, n_starts))]
    )
    found: list[FloatArray] = []
    omegas, n_iter = [], 0
    complement = np.eye(white.n_columns)
    for _ in range(n_components):
        search = _EntropySearch.within(complement, transforms)
        best, entropy, n_steps = search.run(search.starts(starts), max_iter, tol)
        direction = search.to_white @ best
        found.append(direction / np.linalg.norm(direction))
        omegas.append(1.0 - entropy)
        n_iter = max(n_iter, n_steps)
        # What is orthogonal in white space is uncorrelated.
        complement = linalg.null_space(np.array(found), rcond=1e-10)
    return np.column_stack(found), np.array(omegas), n_iter


def _stacked_transforms(white: Sequences) -> FloatArray:
    """Return real and imaginary parts of all segments, shape (2·segments, frequencies, N).

    For a real direction only the real part of the cross-spectra counts, and that is the sum of
    the outer products of these rows: N² numbers per frequency need not be stored.
    """
    transforms = segment_transforms(white)
    return np.concatenate([transforms.real, transforms.imag])


def _slowest_and_fastest(white: Sequences) -> FloatArray:
    vectors = slow_directions(white, white.n_columns).vectors
    return vectors[:, [0, -1]]


@dataclass(frozen=True)
class _EntropySearch:
    """The search for one direction in a subspace of white space.

    Coordinates are such that a unit vector's spectrum sums to one half over the positive
    frequencies, so that it is half of a distribution.
    """

    to_white: FloatArray  # columns: the coordinates' axes in white space
    rows: FloatArray  # (2·segments · frequencies, dimension): the transforms in coordinates
    n_frequencies: int

    @classmethod
    def within(cls, subspace: FloatArray, transforms: FloatArray) -> _EntropySearch:
        n_frequencies, n_columns = transforms.shape[1:]
        rows = transforms.reshape(-1, n_columns) @ subspace
        power, axes = np.linalg.eigh(2.0 * rows.T @ rows)
        present = power > 1e-12 * power[-1]
        scale = axes[:, present] / np.sqrt(power[present])
        return cls(subspace @ scale, np.ascontiguousarray(rows @ scale), n_frequencies)

    def starts(self, directions: FloatArray) -> FloatArray:
        """Return unit starts: the best single axis, and what is left of the given directions."""
        dimension = self.rows.shape[1]
        given = np.linalg.lstsq(self.to_white, directions, rcond=None)[0]
        axes = np.eye(dimension)
        best_axis = int(np.argmin(self.entropies(self.spectra(axes))))
        starts = np.column_stack([axes[:, best_axis], given])
        lengths = np.linalg.norm(starts, axis=0)
        unit: FloatArray = starts[:, lengths > 1e-12] / lengths[lengths > 1e-12]
        return unit

    def spectra(self, vectors: FloatArray) -> FloatArray:
        """Return the smoothed spectra of unit vectors, shape (frequencies, n_vectors)."""
        projected = self.rows @ vectors
        power = np.square(projected).reshape(-1, self.n_frequencies, vectors.shape[1]).sum(axis=0)
        smoothed: FloatArray = (1.0 - PRIOR_WEIGHT) * power + PRIOR_WEIGHT / (
            2 * self.n_frequencies
        )
        return smoothed

    def entropies(self, spectra: FloatArray) -> FloatArray:
        """Return the entropies of spectra (columns), as shares of white noise's."""
        nats = -2.0 * np.sum(spectra * np.log(spectra), axis=0)
        entropy: FloatArray = nats / np.log(2 * self.n_frequencies)
        return entropy

    def step(self, spectra: FloatArray) -> FloatArray:
        """Return, for each of some vectors' spectra f, the best vector for the weights -log f.

        It is the smallest eigenvector of the weighted cross-spectra. By Gibbs' inequality
        -Σ g log f bounds the entropy of g from above, with equality at g = f: lowering the bound
        lowers the entropy.
        """
        dimension, n_vectors = self.rows.shape[1], spectra.shape[1]
        # Half a distribution is below 1, so that all weights are positive: with their roots the
        # product is one matrix times its own transpose, half the work.
        roots = np.sqrt(-np.log(spectra))
        weighted = np.zeros((n_vectors, dimension, dimension))
        scaled = np.empty((self.n_frequencies, dimension))
        for part in self.rows.reshape(-1, self.n_frequencies, dimension):
            for n in range(n_vectors):  # all of them while the part is in the processor's cache
                np.multiply(part, roots[:, n, None], out=scaled)
                weighted[n] += scaled.T @ scaled
        return np.column_stack([smallest_eigenpairs(w, 1).vectors[:, 0] for w in weighted])

    def run(self, starts: FloatArray, max_iter: int, tol: float) -> tuple[FloatArray, float, int]:
        """Race the starts: every few steps the worse half retires; the last one goes to the end."""
        runners, n_steps = starts, 0
        spectra = self.spectra(runners)
        while runners.shape[1] > 1 and n_steps < max_iter:
            for _ in range(min(_STEPS_PER_HEAT, max_iter - n_steps)):
                runners = self.step(spectra)
                spectra = self.spectra(runners)
                n_steps += 1
            order = np.argsort(self.entropies(spectra), kind="stable")
            remaining = order[: (len(order) + 1) // 2]
            runners, spectra = runners[:, remaining], spectra[:, remaining]
        best, spectra = runners[:, :1], spectra[:, :1]
        entropy = float(self.entropies(spectra)[0])
        while n_steps < max_iter:
            n_steps += 1
            best = self.step(spectra)
            spectra = self.spectra(best)
            before, entropy = entropy, float(self.entropies(spectra)[0])
            if before - entropy < tol:
                break
        return best[:, 0], entropy, n_steps
