"""Predictable feature analysis."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np

from predfeat._compat import POSITIVE, whole_number
from predfeat._typing import FloatArray
from predfeat.features._stream import Window
from predfeat.features._streaming import StreamingFeatures
from predfeat.measures import fit_autoregression, histories, solve_regression
from predfeat.series import Sequences, fewer_rows
from predfeat.solvers import Eigenpairs, smallest_eigenpairs
from predfeat.whitening import Whitening

__all__ = ["PFA", "error_scatters", "linearly_predictable_directions"]


class PFA(StreamingFeatures):
    r"""Predictable feature analysis: the features that a linear recursion predicts best.

    W is the best linear prediction of :math:`z_t` from its history
    :math:`\zeta_t = (z_{t-1}, …, z_{t-p})`, and V is the matrix that uses W to advance a history
    by one step. The features are the smallest eigenvectors of

    .. math:: \sum_{i=0}^{K} \langle e_i e_i^T \rangle_t, \qquad
        e_i = z_t - W V^i \zeta_{t-i} ,

    where e_i is the error of predicting i + 1 steps ahead. (The GPFA paper prints ζ_t; the
    original algorithm has ζ_{t-i}.)

    With `horizon` H, the method predicts H steps at once: W is replaced by :math:`W_H`, the best
    linear prediction of :math:`z_t` from :math:`\zeta_{t-H+1}`, and

    .. math:: e_i = z_t - W_H V^i \zeta_{t-H+1-i}

    is the error of predicting H + i steps ahead.

    Parameters
    ----------
    n_components : int, default=2
        Number of features, M.
    n_lags : int, default=1
        Samples to predict from, p.
    horizon : int, default=1
        How many steps ahead to predict, H.
    n_repeats : int, default=0
        How many times to repeat the prediction, K.
    pca_components : int, float or None, default=None
        Principal components to keep before whitening: a count, a share of variance, or all.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_columns)
        The features are (X - mean_) @ components_.T, best first.
    mean_ : ndarray of shape (n_columns,)
    eigenvalues_ : ndarray of shape (n_components,)
        The summed error of each feature on the training data.
    patterns_ : ndarray of shape (n_components, n_columns)
        How each feature appears in the inputs: the rows of the least-squares inverse.
    rank_ : int
        Dimension of white space.
    stream_ : Stream
        Only after `partial_fit`: what was counted so far.

    References
    ----------
    S. Richthofer and L. Wiskott, Predictable feature analysis, arXiv:1311.2503, 2013.

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat import PFA
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(1000, 4))
    >>> X[:, 2] += 3 * np.cos(2.5 * np.arange(1000))  # fast, and linearly predictable
    >>> np.argmax(np.abs(PFA(n_components=1, n_lags=2).fit(X).components_))
    np.int64(2)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **StreamingFeatures._parameter_constraints,
        "n_lags": [POSITIVE],
        "horizon": [POSITIVE],
        "n_repeats": [whole_number(0)],
    }

    counted_parameters: ClassVar[tuple[str, ...]] = ("n_lags", "horizon", "n_repeats")

    def __init__(
        self,
        n_components: int = 2,
        *,
        n_lags: int = 1,
        horizon: int = 1,
        n_repeats: int = 0,
        pca_components: int | float | None = None,
    ):
        self.n_components = n_components
        self.n_lags = n_lags
        self.horizon = horizon
        self.n_repeats = n_repeats
        self.pca_components = pca_components

    def find_directions(self, white: Sequences, whitening: Whitening) -> FloatArray:
        """See `LinearFeatures.find_directions`."""
        pairs = linearly_predictable_directions(
            white, self.n_components, self.n_lags, self.n_repeats, horizon=self.horizon
        )
        self.eigenvalues_ = pairs.values
        return pairs.vectors

    def counted(self) -> tuple[Window, ...]:
        """See `StreamingFeatures.counted`."""
        shortest = self.n_lags + self.horizon
        lengths = {self.n_lags + 1, shortest, shortest + self.n_repeats}
        return tuple(Window(length) for length in sorted(lengths))

    def find_directions_in_moments(self, moments: tuple[FloatArray, ...]) -> FloatArray:
        """See `StreamingFeatures.find_directions_in_moments`."""
        windows = {window.length: m for window, m in zip(self.counted(), moments, strict=True)}
        scatter = _error_scatter(windows, self.n_lags, self.n_repeats, self.horizon)
        pairs = smallest_eigenpairs(scatter, self.n_components)
        self.eigenvalues_ = pairs.values
        return pairs.vectors


def linearly_predictable_directions(
    white: Sequences,
    n_components: int,
    n_lags: int,
    n_repeats: int = 0,
    one_step: FloatArray | None = None,
    *,
    horizon: int = 1,
) -> Eigenpairs:
    """Return the directions of a white series with the smallest linear prediction error.

    `one_step` is the regression on the last samples, if already known.
    """
    scatters = error_scatters(white, n_lags, n_repeats, one_step, horizon=horizon)
    last = deque(scatters, maxlen=1)
    return smallest_eigenpairs(last.pop(), n_components)


def error_scatters(
    white: Sequences,
    n_lags: int,
    n_repeats: int,
    one_step: FloatArray | None = None,
    *,
    horizon: int = 1,
) -> Iterator[FloatArray]:
    """Yield the mean scatter of the errors of the first K + 1 predictions, for K = 0, 1, …

    All use the same set of times, so each is a mean over the same samples.
    """
    n_columns = white.n_columns
    one_step = fit_autoregression(white, n_lags) if one_step is None else one_step
    prediction = one_step if horizon == 1 else fit_autoregression(white, n_lags, horizon=horizon)
    times = white.times(back=n_lags + horizon - 1 + n_repeats, shorten=fewer_rows(horizon))
    scatter = np.zeros((n_columns, n_columns))
    for repeat in range(n_repeats + 1):
        if repeat:
            prediction = _advanced(prediction, one_step)
        for block, history in histories(white, times, n_lags, delay=horizon - 1 + repeat):
            error = white.rows[block] - history @ prediction.T
            scatter += error.T @ error
        yield scatter / len(times)


def _error_scatter(
    windows: dict[int, FloatArray], n_lags: int, n_repeats: int, horizon: int
) -> FloatArray:
    """Return the last of `error_scatters`, from the second moments of windows of each length."""

    def parts(length: int, delay: int) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the moments of the newest row, of the history `delay` rows ago, and of both."""
        window, n = windows[length], len(windows[length]) // length
        history = slice(delay * n, (delay + n_lags) * n)
        return window[:n, :n], window[history, history], window[history, :n]

    def regression(ahead: int) -> FloatArray:
        _, history, cross = parts(n_lags + ahead, ahead)
        return solve_regression(history, cross).T

    one_step = regression(1)
    prediction = one_step if horizon == 1 else regression(horizon)
    scatter = np.zeros((len(one_step), len(one_step)))
    for repeat in range(n_repeats + 1):
        if repeat:
            prediction = _advanced(prediction, one_step)
        newest, history, cross = parts(n_lags + horizon + n_repeats, horizon + repeat)
        predicted = prediction @ cross
        scatter += newest - predicted - predicted.T + prediction @ history @ prediction.T
    return (scatter + scatter.T) / 2


def _advanced(prediction: FloatArray, one_step: FloatArray) -> FloatArray:
    """Return P V for V = [W; I 0], the companion matrix, without building V."""
    n_columns = len(one_step)
    advanced = prediction[:, :n_columns] @ one_step
    advanced[:, :-n_columns] += prediction[:, n_columns:]
    return advanced
