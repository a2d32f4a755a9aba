"""Intervals that learn from their mistakes: adaptive conformal inference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from predfeat._typing import FloatArray
from predfeat.forecasting._intervals import (
    Intervals,
    multipliers_at,
    scores_of_kinds,
)

__all__ = ["Adapted", "adapt"]


@dataclass(frozen=True)
class Adapted:
    """Intervals after some rows, and what was announced before each of them.

    Attributes
    ----------
    intervals : Intervals
    issued : dict of str to ndarray
        For each kind of interval, the multipliers that a forecast from each row had.
    """

    intervals: Intervals
    issued: dict[str, FloatArray]


def adapt(
    intervals: Intervals,
    scores: FloatArray,
    first: int,
    issued: dict[str, FloatArray],
    *,
    rate: float,
) -> Adapted:
    r"""Adapt intervals row by row, each time by what they missed (Gibbs and Candès, 2021).

    .. math:: \alpha \leftarrow \alpha + \gamma \, (1 - \mathrm{level} - \mathrm{missed})

    where missed is 1 if the row lies outside the interval that was announced for it, and 0
    otherwise; each step and column, each step, and whole forecasts have an :math:`\alpha` of their
    own. Whatever the data does, the share of misses then tends to 1 - level. Afterwards, the new
    scores take the place of the oldest.

    Parameters
    ----------
    intervals : Intervals
    scores : ndarray of shape (n_rows, n_steps, n_columns)
        Of the forecasts from each row: absolute errors divided by expected errors; NaN where
        there is no forecast, or nothing that came true.
    first : int
        The first row that is new. Rows before it only have forecasts of new rows.
    issued : dict of str to ndarray
        Multipliers that were announced with the forecasts from the rows before `first`.
    rate : float
        γ.

    Returns
    -------
    Adapted

    Examples
    --------
    Errors grow to twice their size, and the interval follows:

    >>> import numpy as np
    >>> from predfeat.forecasting import adapt, fit_intervals
    >>> random = np.random.default_rng(0)
    >>> before = fit_intervals(np.abs(random.normal(size=(500, 1, 1))), level=0.9)
    >>> new = np.abs(2 * random.normal(size=(500, 1, 1)))
    >>> none = {kind: values[None][:0] for kind, values in before.multipliers().items()}
    >>> after = adapt(before, new, 0, none, rate=0.05).intervals
    >>> bool(after.multipliers()["each"] > 1.7 * before.multipliers()["each"])
    True
    """
    n_rows, n_steps, _ = scores.shape
    kinds = scores_of_kinds(scores)
    ordered = intervals.ordered()
    rates = {kind: each.copy() for kind, each in intervals.rates.items()}
    known: dict[str, FloatArray] = {}
    for kind, now in multipliers_at(ordered, rates).items():
        known[kind] = np.empty((n_rows, *now.shape))
        known[kind][:first] = issued[kind]
    for row in range(first, n_rows):
        _learn_from(row, kinds, known, rates, rate, 1.0 - intervals.level)
        for kind, now in multipliers_at(ordered, rates).items():
            known[kind][row] = now
    # Those whose last step came true now.
    complete = np.arange(max(first - n_steps, 0), max(n_rows - n_steps, 0))
    complete = complete[~np.isnan(kinds["path"][complete])]
    return Adapted(intervals.renewed(scores[complete], rates), known)


def _learn_from(
    row: int,
    scores: dict[str, FloatArray],
    known: dict[str, FloatArray],
    rates: dict[str, FloatArray],
    rate: float,
    target: float,
) -> None:
    """Move the rates, in place, by what the forecasts of one row missed.

    The step h of the forecast from h rows before came true, and with it the whole forecast whose
    last step it was.
    """
    n_steps = scores["features"].shape[1]
    steps = np.arange(min(n_steps, row))
    origins = row - 1 - steps

    def moves(kind: str, at: Any) -> Any:
        missed = scores[kind][at] > known[kind][at]
        return np.where(np.isnan(scores[kind][at]), 0.0, rate * (target - missed))

    for kind in ("each", "features"):
        rates[kind][steps] += moves(kind, (origins, steps))
    if row >= n_steps:
        rates["path"] = rates["path"] + moves("path", row - n_steps)
