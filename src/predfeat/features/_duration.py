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

__all__ = ["ExpectedTime", "expected_time", "extrapolated"]

# Rows of the first trial, at least, and the part of all rows that it has; the second one has twice
# as many. In what grows with the square that is a hundredth of the work; with fewer rows, the noise
# of a few milliseconds would become minutes.
_FEW_ROWS, _PART = 4000, 32
# The first iteration searches another space than the others, and is another time for itself.
_TRIED_ITERATIONS = 2


@dataclass(frozen=True)
class ExpectedTime:
    """How long a fit will take.

    Attributes
    ----------
    seconds : float
        In all; of a method that iterates, if it goes on to the last iteration.
    per_iteration : float or None
        Of an iteration after the first, where there are several.
    """

    seconds: float
    per_iteration: float | None = None


def expected_time(model: Any, X: Any, *, groups: ArrayLike | None = None) -> ExpectedTime | None:
    """Estimate how long fitting a model to many rows will take, within a factor of two or so.

    It is fitted to few rows from the middle of the data, and to twice as many; GPFA for two
    iterations.

    Parameters
    ----------
    model : estimator
        It is cloned, and stays as it is.
    X : array-like of shape (n_rows, n_columns)
    groups : array-like of shape (n_rows,), optional

    Returns
    -------
    ExpectedTime or None
        None where the data has too few rows for it to matter, or too few of the few can be fitted.

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat import GPFA
    >>> from predfeat.features import expected_time
    >>> expected_time(GPFA(), np.zeros((1000, 3))) is None  # that is a matter of a second
    True
    """
    values = np.asarray(X)
    if len(values) <= 4 * _FEW_ROWS:
        return None
    n_rows = max(_FEW_ROWS, len(values) // _PART)
    trial = clone(model)
    iterates = isinstance(model, GPFA)
    if iterates:
        trial.set_params(max_iter=min(_TRIED_ITERATIONS, model.max_iter), tol=0, verbose=0)
    ids = None if groups is None else np.asarray(groups)
    times = []
    try:
        # The first one finds nothing in memory, and is not what a longer one costs.
        for n_tried in (_FEW_ROWS, n_rows, 2 * n_rows):
            times.append(_timed(trial, values, ids, n_tried))
    except ValueError:  # few rows may have gaps only, or sequences that are too short
        return None
    expected = extrapolated(times[1], times[2], n_rows, len(values))
    if not iterates:
        return ExpectedTime(float(expected.sum()))
    first, later = float(expected[0]), float(expected[-1])
    n_later = model.max_iter - 1
    return ExpectedTime(first + n_later * later, later if n_later else None)


def extrapolated(short: FloatArray, long: FloatArray, n_rows: int, n_all: int) -> FloatArray:
    """Return the times for n_all rows, from those for n_rows and for twice as many.

    A time is a·n + b·n², with neither below zero: all that a fit does is either.
    """
    short, long = np.asarray(short, dtype=float), np.asarray(long, dtype=float)
    square = np.clip((long - 2 * short) / (2 * n_rows**2), 0.0, long / (4 * n_rows**2))
    linear = long / (2 * n_rows) - 2 * n_rows * square
    times: FloatArray = linear * n_all + square * float(n_all) ** 2
    return times


def _timed(trial: Any, values: Any, ids: Any, n_rows: int) -> FloatArray:
    """Return the seconds of each iteration, or of a fit in one piece."""
    start = (len(values) - n_rows) // 2
    part = slice(start, start + n_rows)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the fit itself will say it, of all rows
        started = perf_counter()
        trial.fit(values[part], groups=None if ids is None else ids[part])
        seconds = perf_counter() - started
    if not hasattr(trial, "history_"):
        return np.array([seconds])
    if hasattr(trial, "start_scores_"):  # of several runs only one is remembered
        n_done = trial.max_iter
        return np.full(n_done, seconds / n_done)
    iterations: FloatArray = trial.history_["seconds"]
    # What comes before the first, such as whitening, is counted with it.
    return np.append(seconds - iterations[1:].sum(), iterations[1:])
