"""Dynamical components analysis."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state

from predfeat._compat import POSITIVE, Interval, whole_number
from predfeat._threads import one_blas_thread
from predfeat._typing import FloatArray
from predfeat.features._base import LinearFeatures
from predfeat.features._sfa import slow_directions
from predfeat.features._window_information import WindowInformation
from predfeat.series import Sequences
from predfeat.solvers import minimize_over_spaces
from predfeat.whitening import Whitening

__all__ = ["DCA", "dynamical_directions", "most_informative_directions"]

# A gradient below this is rounding: information is known to some ten digits.
_NO_GRADIENT = 1e-9


class DCA(LinearFeatures):
    r"""Dynamical components analysis: the features whose past tells most about their future.

    Finds the M directions with the largest predictive information: the mutual information of T
    successive rows of the features and the T rows that follow, if the features were a stationary
    Gaussian process. With :math:`K_n`, the covariance of n successive rows, it is

    .. math:: I = \log |K_T| - \tfrac12 \log |K_{2T}| .

    :math:`K_n` consists of the lagged covariances :math:`V^T C(\tau) V`, where each C(τ) is the
    mean over all pairs of rows that lie τ apart, in one sequence and with no gap between. It is
    maximised by L-BFGS from several starts, and the best optimum is kept.

    I depends only on the space of the features. Within it they are turned as SFA would turn them,
    to be uncorrelated with the mean of each other's steps before and after, and the feature with
    the largest information of its own comes first.

    Parameters
    ----------
    n_components : int, default=2
        Number of features, M.
    n_window : int, default=5
        Rows of the past, and rows of the future, T. Sequences need 2 T rows without a gap.
    n_starts : int, default=20
        Random starts, in addition to two made of slow features. There are many local optima.
    max_iter : int, default=500
        Maximum number of L-BFGS iterations from each start.
    tol : float, default=1e-9
        Stop when an iteration adds less than this many nats (or less than this share, if there is
        more than one nat).
    pca_components : int, float or None, default=None
        Principal components to keep before whitening: a count, a share of variance, or all.
    random_state : int, RandomState or None, default=0
        The seed of the random starts.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_columns)
        The features are (X - mean_) @ components_.T, most informative first.
    mean_ : ndarray of shape (n_columns,)
    predictive_information_ : ndarray of shape (n_components,)
        Predictive information on the training data of the first 1, 2, …, M features together, in
        nats. The last one is the maximum that was found.
    n_iter_ : int
        Iterations from the best start.
    patterns_ : ndarray of shape (n_components, n_columns)
        How each feature appears in the inputs: the rows of the least-squares inverse.
    rank_ : int
        Dimension of white space.

    Notes
    -----
    From few rows (fewer than 2 T times the number of columns, say) or of nearly noiseless signals,
    lagged covariances can be estimated that no process has: some combination of rows would have a
    negative variance, and the information would be infinite. The least variance that lifts all
    combinations to 1e-6 is then added to all white directions, as if sensors had noise. The
    original program adds it in the units of the inputs, and only if a variance is not positive. It
    also averages C(τ) over windows of 2 T rows, so that rows near the ends of a sequence count
    less, and divides by one less than their number.

    To see whether it is needed, a square matrix with 2 T rows for each column of white space is
    factorised; with many columns, `pca_components` saves that memory.

    References
    ----------
    D. Clark, J. Livezey and K. Bouchard, Unsupervised discovery of temporal structure in noisy data
    with dynamical components analysis, NeurIPS 2019.

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat import DCA
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(1000, 4))
    >>> X[:, 2] += 3 * np.cos(0.7 * np.arange(1000))
    >>> np.argmax(np.abs(DCA(n_components=1).fit(X).components_))
    np.int64(2)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **LinearFeatures._parameter_constraints,
        "n_window": [POSITIVE],
        "n_starts": [whole_number(0)],
        "max_iter": [POSITIVE],
        "tol": [Interval(Real, 0, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        n_window: int = 5,
        n_starts: int = 20,
        max_iter: int = 500,
        tol: float = 1e-9,
        pca_components: int | float | None = None,
        random_state: int | np.random.RandomState | None = 0,
    ):
        self.n_components = n_components
        self.n_window = n_window
        self.n_starts = n_starts
        self.max_iter = max_iter
        self.tol = tol
        self.pca_components = pca_components
        self.random_state = random_state

    def find_directions(self, white: Sequences, whitening: Whitening) -> FloatArray:
        """See `LinearFeatures.find_directions`."""
        directions, self.predictive_information_, self.n_iter_ = dynamical_directions(
            white,
            self.n_components,
            self.n_window,
            n_starts=self.n_starts,
            max_iter=self.max_iter,
            tol=self.tol,
            random=check_random_state(self.random_state),
        )
        return directions


@one_blas_thread()
def dynamical_directions(
    white: Sequences,
    n_components: int,
    n_window: int = 5,
    *,
    n_starts: int = 20,
    max_iter: int = 500,
    tol: float = 1e-9,
    random: np.random.RandomState | None = None,
) -> tuple[FloatArray, FloatArray, int]:
    """Return the directions of a white series whose past tells most about their future.

    Also the predictive information of the first 1, 2, … of them together, in nats, and the number
    of iterations from the best start. The parameters are those of `DCA`.
    """
    random = np.random.RandomState(0) if random is None else random
    information = WindowInformation.of(white, n_window)
    starts = _starts(white, information, n_components, n_starts, random)
    return most_informative_directions(information, starts, max_iter=max_iter, tol=tol)


def most_informative_directions(
    information: WindowInformation,
    starts: list[FloatArray],
    *,
    max_iter: int = 500,
    tol: float = 1e-9,
) -> tuple[FloatArray, FloatArray, int]:
    """Return what `dynamical_directions` does, for given covariances and given starts.

    A start has one direction per feature, as columns.
    """
    best, n_iter = starts[0], 0
    most = -np.inf
    for start in starts:
        found, nats, n_steps = _ascend(information, start, max_iter, tol)
        # Other starts reach the same optimum up to rounding: the first of them is kept.
        if nats > most + 1e-12 * abs(nats):
            best, most, n_iter = found, nats, n_steps
    directions = _ordered(information, best)
    together = [information.along(directions[:, : m + 1]) for m in range(directions.shape[1])]
    return directions, np.array(together), max(1, n_iter)


def _starts(
    white: Sequences,
    information: WindowInformation,
    n_components: int,
    n_random: int,
    random: np.random.RandomState,
) -> list[FloatArray]:
    """Return SFA's slowest directions, its most informative ones, and random ones.

    Random ones are drawn in the coordinates of SFA, with signs that make the third moments
    positive: these do not change if the inputs are mixed, and so neither do the features.
    """
    slow_to_fast = slow_directions(white, white.n_columns).vectors
    order = np.argsort(-information.alone(slow_to_fast), kind="stable")
    skewness = np.sum((white.samples @ slow_to_fast) ** 3, axis=0)
    axes = slow_to_fast * np.where(skewness < 0, -1.0, 1.0)
    gauss = random.standard_normal((n_random, white.n_columns, n_components))
    return [
        slow_to_fast[:, :n_components],
        slow_to_fast[:, order[:n_components]],
        *(axes @ one for one in gauss),
    ]


def _ascend(
    information: WindowInformation, start: FloatArray, max_iter: int, tol: float
) -> tuple[FloatArray, float, int]:
    """Return an orthonormal basis of the optimum near a start, its nats, and the iterations."""

    def loss(basis: FloatArray) -> tuple[float, FloatArray]:
        nats, gradient = information.with_gradient(basis)
        return -nats, -gradient

    found = minimize_over_spaces(
        loss, start, max_iter=max_iter, maxfun=20 * max_iter, ftol=tol, gtol=_NO_GRADIENT
    )
    return found.directions, -found.value, found.n_iter


def _ordered(information: WindowInformation, basis: FloatArray) -> FloatArray:
    """Return the basis of the same space that diagonalises the next step's covariance, by nats."""
    next_step = basis.T @ information.covariances[1] @ basis
    _, axes = np.linalg.eigh(next_step + next_step.T)
    directions = basis @ axes
    order = np.argsort(-information.alone(directions), kind="stable")
    ordered: FloatArray = directions[:, order]
    return ordered
