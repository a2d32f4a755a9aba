"""Forecastable component analysis."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from scipy import linalg
from sklearn.utils import check_random_state

from predfeat._compat import POSITIVE, Interval, whole_number
from predfeat._threads import one_blas_thread
from predfeat._typing import FloatArray
from predfeat.features._base import LinearFeatures
from predfeat.features._cross_spectra import CrossSpectra
from predfeat.features._sfa import slow_directions
from predfeat.measures import PRIOR_WEIGHT
from predfeat.series import Sequences
from predfeat.whitening import Whitening

__all__ = ["ForeCA", "forecastable_directions"]

_STEPS_PER_HEAT = 4

# The starts race on every _STRIDE-th frequency if at least this many remain: segments are
# zero-padded to four times their length, so neighbouring frequencies are nearly redundant.
_RACE_FREQUENCIES = 250
_STRIDE = 4


class ForeCA(LinearFeatures):
    r"""Forecastable component analysis: the features whose spectrum is least like that of noise.

    Finds the directions with the largest forecastability :math:`\Omega(a^T z)` (see
    `predfeat.measures.forecastability`), one after the other, each uncorrelated with those before.
    Each is found by the EM-like iteration of Goerg (2013): given the spectrum f of the current
    direction, the next one is the smallest eigenvector of the cross-spectra weighted with -log f.
    Every step lowers the spectral entropy; several starts guard against poor local optima.

    Parameters
    ----------
    n_components : int, default=2
        Number of features, M.
    n_starts : int, default=4
        Random starts for each feature, in addition to the slowest and the fastest direction, the
        most forecastable ones between them, and the most forecastable single axis.
    max_iter : int, default=100
        Maximum number of EM steps for each feature.
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
        EM steps of the feature that took the most.
    patterns_ : ndarray of shape (n_components, n_columns)
        How each feature appears in the inputs: the rows of the least-squares inverse.
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
        "n_starts": [whole_number(0)],
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

    def find_directions(self, white: Sequences, whitening: Whitening) -> FloatArray:
        """See `LinearFeatures.find_directions`."""
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
    spectra = CrossSpectra.of(white)
    stride = _race_stride(spectra.n_frequencies())
    slow_to_fast = slow_directions(white, white.n_columns).vectors
    others = random.standard_normal((white.n_columns, n_starts))
    found: list[FloatArray] = []
    omegas, n_iter = [], 0
    complement = np.eye(white.n_columns)
    for _ in range(n_components):
        race = _EntropySearch.within(complement, spectra, stride)
        finalists, n_raced = race.race(race.starts(slow_to_fast, others), 2, max_iter)
        search = race if stride == 1 else _EntropySearch.within(complement, spectra)
        finalists = search.coordinates_of(race.to_white @ finalists)
        winner, n_final = search.race(finalists, 1, max_iter - n_raced)
        n_raced += n_final
        best, entropy, n_steps = search.descend(winner, max_iter - n_raced, tol)
        direction = search.to_white @ best[:, 0]
        found.append(direction / np.linalg.norm(direction))
        omegas.append(1.0 - entropy)
        n_iter = max(n_iter, n_raced + n_steps)
        # Orthogonal directions of white space are uncorrelated.
        complement = linalg.null_space(np.array(found), rcond=1e-10)
    return np.column_stack(found), np.array(omegas), n_iter


def _race_stride(n_frequencies: int) -> int:
    """Return the stride over frequencies for the race; 1 if there are few."""
    return _STRIDE if n_frequencies >= _STRIDE * _RACE_FREQUENCIES else 1


@dataclass(frozen=True)
class _EntropySearch:
    """The search for one direction in a subspace of white space.

    Coordinates are such that a unit vector's spectrum sums to one half over the positive
    frequencies, so that it is half of a distribution.
    """

    to_white: FloatArray  # columns: the coordinates' axes in white space
    cross_spectra: CrossSpectra
    stride: int = 1  # every stride-th frequency is used

    @classmethod
    def within(
        cls, subspace: FloatArray, cross_spectra: CrossSpectra, stride: int = 1
    ) -> _EntropySearch:
        twice = np.full((cross_spectra.n_frequencies(stride), 1), 2.0)  # also negative ones
        total = cross_spectra.summed(twice, stride)[0]
        power, axes = np.linalg.eigh(subspace.T @ total @ subspace)
        present = power > 1e-12 * power[-1]
        to_white = subspace @ (axes[:, present] / np.sqrt(power[present]))
        return cls(to_white, cross_spectra, stride)

    def coordinates_of(self, directions: FloatArray) -> FloatArray:
        """Return directions of white space as unit vectors, without those outside the subspace."""
        given = np.linalg.lstsq(self.to_white, directions, rcond=None)[0]
        lengths = np.linalg.norm(given, axis=0)
        unit: FloatArray = given[:, lengths > 1e-12] / lengths[lengths > 1e-12]
        return unit

    def starts(self, slow_to_fast: FloatArray, others: FloatArray) -> FloatArray:
        """Return unit starts: the best single axis, SFA's most promising directions, the others.

        SFA's directions with a narrow spectrum, slow, fast or other, are mostly a step or two from
        an optimum; a random start takes ten.
        """
        axes = np.eye(self.to_white.shape[1])
        ordered = self.coordinates_of(slow_to_fast)
        ends, between = ordered[:, [0, -1][: ordered.shape[1]]], ordered[:, 1:-1]
        return np.column_stack(
            [self._best(axes, 1), ends, self._best(between, 4), self.coordinates_of(others)]
        )

    def _best(self, vectors: FloatArray, n: int) -> FloatArray:
        if vectors.shape[1] <= n:
            return vectors
        entropies = self.entropies(self.spectra(vectors))
        best: FloatArray = vectors[:, np.argsort(entropies, kind="stable")[:n]]
        return best

    def spectra(self, vectors: FloatArray) -> FloatArray:
        """Return the smoothed spectra of unit vectors, shape (frequencies, n_vectors)."""
        power = self.cross_spectra.along(self.to_white @ vectors, self.stride)
        smoothed: FloatArray = (1.0 - PRIOR_WEIGHT) * power + PRIOR_WEIGHT / (2 * len(power))
        return smoothed

    def entropies(self, spectra: FloatArray) -> FloatArray:
        """Return the entropies of spectra (columns), as shares of white noise's."""
        nats = -2.0 * np.sum(spectra * np.log(spectra), axis=0)
        entropy: FloatArray = nats / np.log(2 * len(spectra))
        return entropy

    def step(self, spectra: FloatArray) -> FloatArray:
        """Return, for the spectrum f of each vector, the best vector for the weights -log f.

        It is the smallest eigenvector of the weighted cross-spectra. By Gibbs' inequality
        -Σ g log f bounds the entropy of g from above, with equality at g = f: lowering the bound
        lowers the entropy.
        """
        weighted = self.cross_spectra.summed(-np.log(spectra), self.stride)
        weighted = self.to_white.T @ weighted @ self.to_white
        return np.column_stack([_smallest_eigenvector(of_one) for of_one in weighted])

    def race(self, starts: FloatArray, n_left: int, max_iter: int) -> tuple[FloatArray, int]:
        """Let the starts descend, dropping the worse half every few steps until `n_left` remain."""
        runners, n_steps = starts, 0
        while runners.shape[1] > n_left:
            for _ in range(min(_STEPS_PER_HEAT, max_iter - n_steps)):
                runners = self.step(self.spectra(runners))
                n_steps += 1
            order = np.argsort(self.entropies(self.spectra(runners)), kind="stable")
            runners = runners[:, order[: (len(order) + 1) // 2]]
        return runners, n_steps

    def descend(self, best: FloatArray, max_iter: int, tol: float) -> tuple[FloatArray, float, int]:
        """Step until the entropy stops falling; return vector, entropy and number of steps."""
        n_steps, spectra = 0, self.spectra(best)
        entropy = float(self.entropies(spectra)[0])
        while n_steps < max_iter:
            n_steps += 1
            best = self.step(spectra)
            spectra = self.spectra(best)
            before, entropy = entropy, float(self.entropies(spectra)[0])
            if before - entropy < tol:
                break
        return best, entropy, n_steps


def _smallest_eigenvector(matrix: FloatArray) -> FloatArray:
    # Computing one of them takes a third of the time; all BLAS libraries run one thread here.
    vector: FloatArray = linalg.eigh(matrix, subset_by_index=[0, 0], check_finite=False)[1][:, 0]
    return vector
