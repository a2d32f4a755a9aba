"""How good forecasts were, step by step, beside those that anyone can make."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from predfeat._typing import FloatArray

__all__ = ["REFERENCES", "Evaluation", "evaluate", "mean_evaluation", "skill"]

REFERENCES = ("persistence", "climatology", "linear")


def skill(error: FloatArray, reference: FloatArray) -> FloatArray:
    """Return the share of a reference's mean squared error that is avoided: higher is better.

    1 is perfect, 0 as good as the reference, less than 0 worse. Where the reference is perfect,
    the skill is 0 if the forecast is, too, and minus infinity otherwise.

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.forecasting import skill
    >>> skill(np.array([1.0, 4.0]), np.array([2.0, 2.0]))
    array([ 0.5, -1. ])
    """
    error, reference = np.asarray(error), np.asarray(reference)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(error == reference, 1.0, error / reference)
    found: FloatArray = 1.0 - share
    return found


@dataclass(frozen=True)
class Evaluation:
    """Errors and coverage of forecasts.

    Attributes
    ----------
    n_forecasts : int
    error : ndarray of shape (n_steps, n_columns)
        Mean squared error, in units of the column's variance while it was learned from.
    persistence, climatology, linear : ndarray of shape (n_steps, n_columns)
        The same of the newest sample, of the mean, and of linear autoregression.
    coverage : ndarray of shape (n_steps, n_columns)
        Share of futures inside their own interval (`joint="each"`).
    features_coverage : ndarray of shape (n_steps,)
        Share of steps with all columns inside (`joint="features"`).
    path_coverage : float
        Share of forecasts that were inside throughout (`joint="path"`).
    width : ndarray of shape (n_steps, n_columns)
        Mean width of the intervals of single numbers, in units of the column's spread.
    level : float
        The share that should be inside.
    """

    n_forecasts: int
    error: FloatArray
    persistence: FloatArray
    climatology: FloatArray
    linear: FloatArray
    coverage: FloatArray
    features_coverage: FloatArray
    path_coverage: float
    width: FloatArray
    level: float

    def skill(self, against: str = "climatology") -> FloatArray:
        """Return the skill of each step, all columns together.

        Parameters
        ----------
        against : {"climatology", "persistence", "linear"}, default="climatology"

        Returns
        -------
        ndarray of shape (n_steps,)
        """
        return skill(self.error.sum(axis=1), self._reference(against).sum(axis=1))

    def skill_of_columns(self, against: str = "climatology") -> FloatArray:
        """Return the skill of each step and column, of shape (n_steps, n_columns)."""
        return skill(self.error, self._reference(against))

    def _reference(self, name: str) -> FloatArray:
        if name not in REFERENCES:
            raise ValueError(f"against={name!r} is not known. Give one of {', '.join(REFERENCES)}.")
        found: FloatArray = getattr(self, name)
        return found


def evaluate(
    actual: FloatArray,
    mean: FloatArray,
    references: dict[str, FloatArray],
    expected: FloatArray,
    multipliers: dict[str, FloatArray],
    *,
    unit: FloatArray,
    level: float,
) -> Evaluation:
    """Compare forecasts with what came.

    Parameters
    ----------
    actual, mean, expected : ndarray of shape (n_forecasts, n_steps, n_columns)
        What came, the forecasts, and their expected errors.
    references : dict of str to ndarray
        The forecasts of `REFERENCES`, which broadcast to the same shape.
    multipliers : dict of str to ndarray
        How many expected errors intervals reach; see `Intervals.multipliers`.
    unit : ndarray of shape (n_columns,)
        Spread of each column.
    level : float
        The share that should be inside.

    Returns
    -------
    Evaluation
    """
    miss = np.abs(actual - mean)
    inside = miss <= multipliers["each"] * expected
    in_step = (miss <= multipliers["features"][:, None] * expected).all(axis=2)
    in_path = (miss <= multipliers["path"] * expected).all(axis=(1, 2))

    def mean_square(forecast: FloatArray) -> FloatArray:
        found: FloatArray = np.square((actual - forecast) / unit).mean(axis=0)
        return found

    return Evaluation(
        n_forecasts=len(actual),
        error=mean_square(mean),
        **{name: mean_square(references[name]) for name in REFERENCES},
        coverage=inside.mean(axis=0),
        features_coverage=in_step.mean(axis=0),
        path_coverage=float(in_path.mean()),
        width=(2 * multipliers["each"] * expected / unit).mean(axis=0),
        level=level,
    )


def mean_evaluation(parts: Sequence[Evaluation]) -> Evaluation:
    """Return the mean of several evaluations, weighted by their numbers of forecasts."""
    counts = np.array([part.n_forecasts for part in parts], dtype=float)

    def mean(name: str) -> FloatArray:
        values = np.array([getattr(part, name) for part in parts])
        found: FloatArray = np.tensordot(counts / counts.sum(), values, axes=1)
        return found

    names = [each.name for each in fields(Evaluation)]
    means = {name: mean(name) for name in names if name not in ("n_forecasts", "path_coverage")}
    return Evaluation(
        **{
            **means,
            "n_forecasts": int(counts.sum()),
            "path_coverage": float(mean("path_coverage")),
            "level": parts[0].level,
        }  # type: ignore[arg-type]
    )
