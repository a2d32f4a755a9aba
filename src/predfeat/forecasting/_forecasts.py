"""What a forecaster returns: means with lower and upper ends of intervals."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from predfeat._typing import FloatArray, IntArray

__all__ = ["Forecast", "Forecasts"]


@dataclass(frozen=True)
class Forecast:
    """The next steps of a series, from its newest row on.

    Attributes
    ----------
    mean, lower, upper : ndarray of shape (n_steps, n_columns)
        Row h - 1 is h steps ahead.
    names : tuple of str
        Of the columns: features, or the input's.
    level : float
        The share of futures that should lie inside the interval.
    joint : {"each", "features", "path"}
        What lies inside with that probability: each number; all of a step; the whole forecast.
    """

    mean: FloatArray
    lower: FloatArray
    upper: FloatArray
    names: tuple[str, ...]
    level: float
    joint: str

    @property
    def n_steps(self) -> int:
        """How many steps ahead it reaches."""
        return len(self.mean)


@dataclass(frozen=True)
class Forecasts:
    """Forecasts from many rows of a series.

    Attributes
    ----------
    times : ndarray of int, shape (n_forecasts,)
        The row that each forecast starts from: its newest sample.
    mean, lower, upper : ndarray of shape (n_forecasts, n_steps, n_columns)
    names : tuple of str
    level : float
    joint : {"each", "features", "path"}
        As in `Forecast`.
    """

    times: IntArray
    mean: FloatArray
    lower: FloatArray
    upper: FloatArray
    names: tuple[str, ...]
    level: float
    joint: str

    def __len__(self) -> int:
        return len(self.times)

    def __getitem__(self, number: int) -> Forecast:
        mean, lower, upper = (each[number] for each in (self.mean, self.lower, self.upper))
        return Forecast(mean, lower, upper, self.names, self.level, self.joint)

    def __iter__(self) -> Iterator[Forecast]:
        return (self[number] for number in range(len(self)))


def with_intervals(
    times: IntArray,
    mean: FloatArray,
    expected: FloatArray,
    multipliers: dict[str, FloatArray],
    names: tuple[str, ...],
    level: float,
    joint: str,
) -> Forecasts:
    """Return forecasts whose intervals reach some times the expected error to both sides."""
    times_expected = np.asarray(multipliers[joint])
    # One number per step holds for all columns, and one for the path for all steps, too.
    widened = times_expected.reshape(times_expected.shape + (1,) * (2 - times_expected.ndim))
    half = expected * widened
    return Forecasts(times, mean, mean - half, mean + half, names, level, joint)
