"""How long a fit will take: timed on few rows, and scaled to all of them."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.base import clone

from predfeat._typing import ArrayLike, FloatArray
from predfeat.features._gpfa import GPFA
from predfeat.neighbors import count_centers

__all__ = ["ExpectedTime", "expected_time", "extrapolated"]

# The first trial has one row in 32, but at least 4000; the second has twice as many. Where work
# grows quadratically, this is a hundredth of it; with fewer rows, timing noise of a few
# milliseconds would be extrapolated to minutes.
_MIN_TRIAL_ROWS, _ROWS_PER_TRIAL_ROW = 4000, 32
# The first iteration searches a different space, so it is timed separately.
_TRIED_ITERATIONS = 2


@dataclass(frozen=True)
class ExpectedTime:
    """How long a fit will take.

    Attributes
    ----------
    seconds : float
        In total; for a method that iterates, assuming all `max_iter` iterations.
    per_iteration : float or None
        For each iteration after the first, if there are several.
    """

    seconds: float
    per_iteration: float | None = None


def expected_time(model: Any, X: Any, *, groups: ArrayLike | None = None) -> ExpectedTime | None:
    """Estimate how long fitting a model to many rows will take, within a factor of two or so.

    The model is fitted to a few rows from the middle of the data, and to twice as many; GPFA for
    two iterations.

    Parameters
    ----------
    model : estimator
        It is cloned, not changed.
    X : array-like of shape (n_rows, n_columns)
    groups : array-like of shape (n_rows,), optional

    Returns
    -------
    ExpectedTime or None
        None if the data has too few rows for it to matter, or the trial rows cannot be fitted.

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat import GPFA
    >>> from predfeat.features import expected_time
    >>> expected_time(GPFA(), np.zeros((1000, 3))) is None  # takes about a second
    True
    """
    values = np.asarray(X)
    if len(values) <= 4 * _MIN_TRIAL_ROWS:
        return None
    n_rows = max(_MIN_TRIAL_ROWS, len(values) // _ROWS_PER_TRIAL_ROW)
    trial = clone(model)
    if hasattr(trial, "n_centers"):
        trial.set_params(n_centers=None)  # all pairs of few rows tell what a pair costs
    iterates = isinstance(model, GPFA)
    if iterates:
        trial.set_params(max_iter=min(_TRIED_ITERATIONS, model.max_iter), tol=0, verbose=0)
    ids = None if groups is None else np.asarray(groups)
    times = []
    try:
        # The first trial is a warm-up with cold caches, and is not counted.
        for n_tried in (_MIN_TRIAL_ROWS, n_rows, 2 * n_rows):
            times.append(_timed(trial, values, ids, n_tried))
    except ValueError:  # the trial rows may be all gaps, or their sequences too short
        return None
    expected = extrapolated(times[1], times[2], n_rows, len(values), _n_pairs(model, len(values)))
    if not iterates:
        return ExpectedTime(float(expected.sum()))
    first, later = float(expected[0]), float(expected[-1])
    n_later = model.max_iter - 1
    return ExpectedTime(first + n_later * later, later if n_later else None)


def _n_pairs(model: Any, n_rows: int) -> float:
    """Return how many pairs of states are compared: fewer than n² if only a sample asks."""
    n_centers = getattr(model, "n_centers", None)
    return float(n_rows) * count_centers(n_rows, n_centers)


def extrapolated(
    short: FloatArray, long: FloatArray, n_rows: int, n_all: int, n_pairs: float | None = None
) -> FloatArray:
    """Return the times for n_all rows, from those for n_rows and for twice as many.

    A time is a·n + b·n² with a, b ≥ 0: every part of a fit is linear or quadratic. With `n_pairs`,
    that many pairs are compared instead of n_all².
    """
    n_pairs = float(n_all) ** 2 if n_pairs is None else n_pairs
    short, long = np.asarray(short, dtype=float), np.asarray(long, dtype=float)
    square = np.clip((long - 2 * short) / (2 * n_rows**2), 0.0, long / (4 * n_rows**2))
    linear = long / (2 * n_rows) - 2 * n_rows * square
    times: FloatArray = linear * n_all + square * n_pairs
    return times


def _timed(trial: Any, values: Any, ids: Any, n_rows: int) -> FloatArray:
    """Return the seconds of each iteration, or of a fit in one piece."""
    start = (len(values) - n_rows) // 2
    part = slice(start, start + n_rows)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the fit to all rows will give them
        started = perf_counter()
        trial.fit(values[part], groups=None if ids is None else ids[part])
        seconds = perf_counter() - started
    if not isinstance(trial, GPFA):
        return np.array([seconds])
    if hasattr(trial, "start_scores_"):  # the history covers only one of several runs
        n_done = trial.max_iter
        return np.full(n_done, seconds / n_done)
    iterations: FloatArray = trial.history_["seconds"]
    # Work before the first iteration, such as whitening, is counted with it.
    return np.append(seconds - iterations[1:].sum(), iterations[1:])
