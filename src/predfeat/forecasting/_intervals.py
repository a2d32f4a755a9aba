"""Conformal intervals: how large errors were, in units of what was expected of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil
from typing import Any

import numpy as np

from predfeat._typing import AnyArray, BoolArray, FloatArray, IntArray
from predfeat.exceptions import ForecastError

__all__ = [
    "JOINT",
    "Intervals",
    "conformal_quantile",
    "fit_intervals",
    "multipliers_at",
    "scores_of_kinds",
]

# What an interval holds for: each number by itself, all features of a step, or all of a forecast.
JOINT = ("each", "features", "path")


def conformal_quantile(scores: FloatArray, level: float) -> FloatArray:
    r"""Return the score that a further one stays within, with probability `level` or more.

    This is the :math:`\lceil (n + 1) \, \mathrm{level} \rceil`-th smallest of n scores. If they and
    the further one are exchangeable (in no order that means anything), the probability is at least
    `level`, and at most 1 / (n + 1) more if no two are equal, whatever their distribution.

    Parameters
    ----------
    scores : ndarray of shape (n_scores, ...)
        Along the first axis.
    level : float
        Between 0 and 1.

    Returns
    -------
    ndarray of shape (...)

    Raises
    ------
    ForecastError
        There are too few scores for this level.

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.forecasting import conformal_quantile
    >>> float(conformal_quantile(np.arange(1.0, 100.0), level=0.9))
    90.0
    """
    n_scores = len(scores)
    _refuse_too_few(n_scores, level)
    rank = _rank(n_scores, level)
    found: FloatArray = np.partition(scores, rank - 1, axis=0)[rank - 1]
    return found


def scores_of_kinds(scores: FloatArray) -> dict[str, FloatArray]:
    """Return the scores of each number, of each step, and of each whole forecast.

    Those of a step and of a forecast are the largest in them. NaN, where a future is not known,
    stays NaN.

    Parameters
    ----------
    scores : ndarray of shape (n_forecasts, n_steps, n_columns)

    Returns
    -------
    dict
        By the names in `JOINT`.

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.forecasting import scores_of_kinds
    >>> found = scores_of_kinds(np.array([[[1.0, 2.0], [3.0, 0.0]]]))
    >>> found["features"], found["path"]
    (array([[2., 3.]]), array([3.]))
    """
    return {"each": scores, "features": scores.max(axis=2), "path": scores.max(axis=(1, 2))}


@dataclass(frozen=True)
class Intervals:
    """The calibration of intervals, and how it was adapted since.

    A forecast's interval reaches `multipliers` times its expected error to both sides.

    Attributes
    ----------
    scores : ndarray of shape (n_forecasts, n_steps, n_columns)
        Errors of the calibration, each divided by the error that was expected; the oldest first.
    level : float
        The share of futures that should lie inside.
    rates : dict of str to ndarray
        For each of `JOINT`, the share of futures outside at which intervals aim now:
        1 - level, until it was adapted. Of shape (n_steps, n_columns), (n_steps,) and ().
    """

    scores: FloatArray
    level: float
    rates: dict[str, FloatArray]

    def multipliers(self) -> dict[str, FloatArray]:
        """Return how many expected errors an interval reaches to both sides, for each of `JOINT`.

        Where a rate has fallen so low that no score is large enough, the interval would have to be
        infinite; it gets the largest score there is.
        """
        return multipliers_at(self.ordered(), self.rates)

    def ordered(self) -> dict[str, FloatArray]:
        """Return the scores of each kind in ascending order."""
        kinds = scores_of_kinds(self.scores)
        return {kind: np.sort(each, axis=0) for kind, each in kinds.items()}

    def renewed(self, more: FloatArray, rates: dict[str, FloatArray]) -> Intervals:
        """Return the intervals with new scores in the place of the oldest, and with other rates."""
        n_scores = len(self.scores)
        scores = np.concatenate([self.scores, more])[-n_scores:] if len(more) else self.scores
        return replace(self, scores=scores, rates=rates)


def fit_intervals(scores: FloatArray, level: float) -> Intervals:
    """Calibrate intervals.

    Parameters
    ----------
    scores : ndarray of shape (n_forecasts, n_steps, n_columns)
        Absolute errors of forecasts of rows that had no part in the fit, each divided by the error
        that was expected.
    level : float
        The share of futures that should lie inside.

    Returns
    -------
    Intervals

    Raises
    ------
    ForecastError
        There are too few scores for this level.

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.forecasting import fit_intervals
    >>> scores = np.abs(np.random.default_rng(0).normal(size=(5000, 3, 2)))
    >>> found = fit_intervals(scores, level=0.9).multipliers()
    >>> found["each"].shape, found["features"].shape, found["path"].shape
    ((3, 2), (3,), ())
    >>> bool(np.abs(found["each"] - 1.645).max() < 0.1)  # the normal distribution's
    True
    """
    _refuse_too_few(len(scores), level)
    outside = 1.0 - level
    rates = {
        "each": np.full(scores.shape[1:], outside),
        "features": np.full(scores.shape[1], outside),
        "path": np.array(outside),
    }
    return Intervals(scores, level, rates)


def multipliers_at(
    ordered: dict[str, FloatArray], rates: dict[str, FloatArray]
) -> dict[str, FloatArray]:
    """Return the multipliers at some rates, given `Intervals.ordered`."""
    return {kind: _quantiles(ordered[kind], rates[kind]) for kind in JOINT}


def _rank(n_scores: int, level: Any) -> Any:
    # Rounded up, but not for the last bit: (99 + 1) * 0.9 may come out as 90.00000000000001.
    return np.ceil((n_scores + 1) * np.asarray(level) - 1e-9).astype(np.intp)


def _quantiles(ordered: FloatArray, rates: FloatArray) -> FloatArray:
    """Return for each column of ordered scores the one at its rate; 0 for rates of one or more."""
    n_scores = len(ordered)
    ranks: IntArray = np.clip(_rank(n_scores, 1.0 - rates), 0, n_scores)
    place: AnyArray = np.maximum(ranks, 1) - 1
    found = np.take_along_axis(ordered, place[None], axis=0)[0]
    is_empty: BoolArray = ranks == 0
    quantiles: FloatArray = np.where(is_empty, 0.0, found)
    return quantiles


def _refuse_too_few(n_scores: int, level: float) -> None:
    if _rank(n_scores, level) > n_scores:
        fewest = ceil(level / (1.0 - level) - 1e-9)
        raise ForecastError(
            f"level={level} needs at least {fewest} forecasts to calibrate with, but there are "
            f"{n_scores}. Give more rows or longer sequences, or use fewer steps (n_steps) or lags "
            "(n_lags), a larger calibration_share or a lower level."
        )
