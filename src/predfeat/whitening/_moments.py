"""Count, mean and scatter of rows, in a form that adds up."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from predfeat._typing import FloatArray
from predfeat.exceptions import ScaleError

__all__ = ["Moments"]


@dataclass(frozen=True)
class Moments:
    """What is known of rows that have been seen and are no longer kept.

    Attributes
    ----------
    count : int
        Number of rows.
    mean : ndarray of shape (n_columns,)
        The mean, rounded to float64.
    mean_rest : ndarray of shape (n_columns,)
        What that rounding left over: the mean is `mean + mean_rest`. Beside a large offset the
        rounding is not small, and one of every row of a long stream would add up.
    scatter : ndarray of shape (n_columns, n_columns)
        Sum of the outer products of the rows minus their mean.
    smallest, largest : ndarray of shape (n_columns,)
        The extremes of each column; zeros where there is no row.

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.whitening import Moments
    >>> rows = np.random.default_rng(0).normal(size=(100, 3))
    >>> parts = Moments.of(rows[:30]).combined(Moments.of(rows[30:]))
    >>> parts.count
    100
    >>> np.allclose(parts.scatter, Moments.of(rows).scatter)
    True
    """

    count: int
    mean: FloatArray
    mean_rest: FloatArray
    scatter: FloatArray
    smallest: FloatArray
    largest: FloatArray

    @classmethod
    def none(cls, n_columns: int) -> Moments:
        """Return the moments of no rows at all."""
        zeros = np.zeros(n_columns)
        return cls(0, zeros, zeros, np.zeros((n_columns, n_columns)), zeros, zeros)

    @classmethod
    def of(cls, rows: FloatArray) -> Moments:
        """Return the moments of some rows, without a NaN among them.

        Raises
        ------
        ScaleError
            The squares of the numbers are too large for float64.
        """
        if len(rows) == 0:
            return cls.none(rows.shape[1])
        first = rows.mean(axis=0)
        centred = rows - first
        rest = centred.mean(axis=0)
        centred -= rest
        with np.errstate(over="ignore", invalid="ignore"):
            scatter = centred.T @ centred
        mean, mean_rest = _two_sum(first, rest)
        smallest, largest = rows.min(axis=0), rows.max(axis=0)
        return _checked(cls(len(rows), mean, mean_rest, scatter, smallest, largest))

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        return len(self.mean)

    def combined(self, other: Moments) -> Moments:
        """Return the moments of these rows and others together.

        This is the pairwise update of Chan, Golub and LeVeque (Algorithms for computing the
        sample variance, The American Statistician 37, 1983). It never subtracts large sums, so it
        is as accurate as the moments of all rows at once. The order matters to rounding alone.

        Raises
        ------
        ScaleError
            The squares of the numbers are too large for float64.
        """
        if self.count == 0 or other.count == 0:
            return other if self.count == 0 else self
        count = self.count + other.count
        # The means of neighbouring pieces are close, so that their difference is exact.
        step = (other.mean - self.mean) + (other.mean_rest - self.mean_rest)
        with np.errstate(over="ignore", invalid="ignore"):
            between = np.outer(step, step * (self.count * (other.count / count)))
            scatter = self.scatter + other.scatter + between
        mean, mean_rest = _two_sum(self.mean, self.mean_rest + step * (other.count / count))
        smallest = np.minimum(self.smallest, other.smallest)
        largest = np.maximum(self.largest, other.largest)
        return _checked(Moments(count, mean, mean_rest, scatter, smallest, largest))

    def scatter_about(self, point: FloatArray | float) -> FloatArray:
        """Return the sum of the outer products of the rows minus a given point."""
        step = (self.mean - point) + self.mean_rest
        return self.scatter + self.count * np.outer(step, step)


def _two_sum(large: FloatArray, small: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the rounded sum and exactly what the rounding left (Knuth's TwoSum)."""
    total = large + small
    virtual = total - large
    return total, (large - (total - virtual)) + (small - virtual)


def _checked(moments: Moments) -> Moments:
    if np.all(np.isfinite(moments.scatter)):
        return moments
    worst = int(np.argmax(moments.largest - moments.smallest))
    raise ScaleError(
        f"the squares of the numbers are too large for float64: column {worst} reaches from "
        f"{moments.smallest[worst]:.3g} to {moments.largest[worst]:.3g}. Divide the columns by a "
        "large number, so that all are below 1e150, or call fit once with all rows."
    )
