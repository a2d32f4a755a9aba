"""Information between the past and the future of a Gaussian process, from lagged covariances."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy import linalg
from scipy.linalg.lapack import dpotrf, dpotri

from predfeat._typing import FloatArray
from predfeat.series import Sequences

__all__ = ["WindowInformation", "block_toeplitz"]

_NUMBERS_AT_ONCE = 1 << 21
# The smallest variance that any combination of the rows in a window may have, as a share of that
# of a white direction: information stays finite, and is known to some ten digits.
_FLOOR = 1e-6


@dataclass(frozen=True)
class WindowInformation:
    r"""The Gaussian information between T rows and the T rows after them, for any directions.

    For directions V (columns) let :math:`K_n` be the covariance of n successive rows of the
    projected series, the symmetric matrix with the blocks :math:`V^T C(j - i) V` for j ≥ i. Then

    .. math:: I(V) = \log |K_T| - \tfrac12 \log |K_{2T}| .

    It depends only on the space that V spans.

    Attributes
    ----------
    covariances : ndarray of shape (2 T, n_columns, n_columns)
        C(τ), the covariance of the rows at t and at t + τ; the first one is positive definite.
    """

    covariances: FloatArray

    @classmethod
    def of(cls, white: Sequences, n_window: int) -> Self:
        """Return the information of a white series.

        Each C(τ) is the mean over all pairs of rows that lie τ apart in one run. So short sequences
        and gaps do not lower it, but together the C(τ) need not be the covariances of any process:
        a combination of rows can get a negative variance. In that case the same variance is added
        to all directions at τ = 0, as noise of the sensors would: the least for which no
        combination has a variance below 1e-6.
        """
        white.times(ahead=2 * n_window - 1, shorten="a shorter window (n_window)")
        covariances = np.stack([_covariance(white, lag) for lag in range(2 * n_window)])
        return cls(_made_possible(covariances))

    @property
    def n_window(self) -> int:
        """Rows in a window, T."""
        return len(self.covariances) // 2

    @property
    def n_columns(self) -> int:
        """Number of columns, N."""
        return int(self.covariances.shape[1])

    def along(self, directions: FloatArray) -> float:
        """Return the information of the features along some directions (columns), in nats."""
        return self.with_gradient(directions)[0]

    def alone(self, directions: FloatArray) -> FloatArray:
        """Return the information of each direction by itself, in nats."""
        lagged = np.matmul(self.covariances, directions)
        autocovariances = np.einsum("tnm,nm->mt", lagged, directions)
        time = np.arange(2 * self.n_window)
        windows = autocovariances[:, np.abs(time[:, None] - time)]
        past = windows[:, : self.n_window, : self.n_window]
        nats: FloatArray = np.linalg.slogdet(past)[1] - 0.5 * np.linalg.slogdet(windows)[1]
        return nats

    def with_gradient(self, directions: FloatArray) -> tuple[float, FloatArray]:
        r"""Return the information along some directions, and its gradient.

        With :math:`G = K_T^{-1} - \tfrac12 K_{2T}^{-1}` (the first one filled up with zeros) and
        :math:`D_\tau`, the sum of the blocks of G that hold C(τ), the gradient is
        :math:`\sum_\tau C(\tau) V D_\tau^T + C(\tau)^T V D_\tau`.
        """
        n_window, n_features = self.n_window, directions.shape[1]
        ahead = np.matmul(self.covariances, directions)
        window = block_toeplitz(np.matmul(directions.T, ahead))
        n_past = n_window * n_features
        log_past, inverse_past = _log_determinant_and_inverse(window[:n_past, :n_past])
        log_both, inverse_both = _log_determinant_and_inverse(window)
        weights = -0.5 * inverse_both
        weights[:n_past, :n_past] += inverse_past
        summed = _summed_blocks(weights, 2 * n_window)
        back = np.matmul(directions.T, self.covariances).transpose(0, 2, 1)
        gradient = np.matmul(ahead, summed.transpose(0, 2, 1)) + np.matmul(back, summed)
        return log_past - 0.5 * log_both, gradient.sum(axis=0)


def block_toeplitz(covariances: FloatArray) -> FloatArray:
    """Return the covariance of as many successive rows as there are lagged covariances.

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.features._window_information import block_toeplitz
    >>> block_toeplitz(np.array([[[1.0]], [[0.5]], [[0.2]]]))
    array([[1. , 0.5, 0.2],
           [0.5, 1. , 0.5],
           [0.2, 0.5, 1. ]])
    """
    n_rows, n_columns, _ = covariances.shape
    both_ways = np.concatenate([covariances[:0:-1].transpose(0, 2, 1), covariances])
    time = np.arange(n_rows)
    blocks = both_ways[time - time[:, None] + n_rows - 1].transpose(0, 2, 1, 3)
    whole: FloatArray = blocks.reshape(n_rows * n_columns, n_rows * n_columns)
    return whole


def _summed_blocks(weights: FloatArray, n_rows: int) -> FloatArray:
    """Return for each lag the sum of the blocks in which its covariance stands, or its transpose.

    The weights are symmetric, so those below the diagonal add the same as those above.
    """
    n_columns = len(weights) // n_rows
    blocks = weights.reshape(n_rows, n_columns, n_rows, n_columns).transpose(0, 2, 1, 3)
    time = np.arange(n_rows)
    summed = [2.0 * blocks[time[: n_rows - lag], time[lag:]].sum(axis=0) for lag in time]
    summed[0] /= 2.0
    return np.stack(summed)


def _log_determinant_and_inverse(matrix: FloatArray) -> tuple[float, FloatArray]:
    factor, _ = dpotrf(matrix, lower=True)
    lower, _ = dpotri(factor, lower=True)
    inverse = np.tril(lower)
    inverse += np.tril(lower, -1).T
    return 2.0 * float(np.log(np.diag(factor)).sum()), inverse


def _covariance(white: Sequences, lag: int) -> FloatArray:
    times = white.times(ahead=lag)
    total = np.zeros((white.n_columns, white.n_columns))
    step = max(1, _NUMBERS_AT_ONCE // white.n_columns)
    for start in range(0, len(times), step):
        block = times[start : start + step]
        total += white.rows[block].T @ white.rows[block + lag]
    return total / len(times)


def _made_possible(covariances: FloatArray) -> FloatArray:
    """Add variance at lag 0 until no combination of rows has less than the floor."""
    window = block_toeplitz(covariances)
    lowered = window.copy().T  # symmetric, and in the order that LAPACK overwrites
    lowered.flat[:: len(window) + 1] -= _FLOOR
    # Most are possible, and their Cholesky factor shows it in a fraction of an eigenvalue's time.
    if dpotrf(lowered, lower=True, overwrite_a=True)[1] == 0:
        return covariances
    smallest = linalg.eigvalsh(window, subset_by_index=[0, 0], overwrite_a=True)[0]
    possible = covariances.copy()
    possible[0] += (_FLOOR - smallest) * np.eye(covariances.shape[1])
    return possible
