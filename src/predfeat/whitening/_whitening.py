"""The map into white space and back."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from predfeat._typing import BoolArray, FloatArray
from predfeat._warnings import warn
from predfeat.exceptions import (
    ConstantColumnsWarning,
    ManyColumnsWarning,
    RankError,
    ScaleError,
)
from predfeat.series import Blocks, Sequences
from predfeat.whitening._moments import Moments
from predfeat.whitening._statistics import OfBlocks, OfMoments, OfSamples, Statistics

__all__ = [
    "Whitening",
    "fit_whitening",
    "warn_of_constant_columns",
    "whitening_from_moments",
]

_FLOAT64 = float(np.finfo(np.float64).eps)

# A column counts as constant if its spread is below this many roundings of its largest value.
_CONSTANT_ROUNDINGS = 8

# While the smallest variance is above this share of the largest, float64 gives it to 12 digits.
_WELL_CONDITIONED_SHARE = 1e-4


@dataclass(frozen=True)
class Whitening:
    """The linear map into white space and back.

    Attributes
    ----------
    mean : ndarray of shape (n_columns,)
    directions : ndarray of shape (n_columns, rank)
        z = (x - mean) @ directions is white on the training samples.
    patterns : ndarray of shape (rank, n_columns)
        x ≈ mean + z @ patterns, exact up to the directions that were cut.
    explained_variance : ndarray of shape (rank,)
        Variance of the data along each white axis, descending: the axes are the principal ones.
    """

    mean: FloatArray
    directions: FloatArray
    patterns: FloatArray
    explained_variance: FloatArray

    @property
    def rank(self) -> int:
        """Number of white axes."""
        return int(self.directions.shape[1])

    def apply(self, series: Sequences) -> Sequences:
        """Return the series in white space; gaps stay gaps."""
        white = (series.rows - self.mean) @ self.directions
        white[~series.valid] = 0.0
        return series.with_rows(white)

    def require(self, n_components: int) -> None:
        """Raise if more features are asked for than there are white axes."""
        if n_components > self.rank:
            n_columns = len(self.mean)
            raise RankError(
                f"n_components={n_components} is more than the rank {self.rank} of the data "
                f"(n_features={n_columns}, after leaving out constant and redundant directions"
                f" and those cut by pca_components). Use n_components between 1 and {self.rank}."
                if self.rank
                else f"n_components={n_components} is not possible: all {n_columns} column(s) are "
                f"constant, so the rank of the data is 0 (n_features={n_columns})."
            )


def fit_whitening(
    series: Sequences | Blocks,
    pca_components: int | float | None = None,
    *,
    names: list[str] | None = None,
    warn: bool = True,
    resolution: float = _FLOAT64,
) -> Whitening:
    """Learn the map into white space from the samples of a series.

    Parameters
    ----------
    series : Sequences or Blocks
        The training data; gaps are ignored. Blocks are read once, and once more if the data is
        ill-conditioned.
    pca_components : int, float or None
        Keep at most this many principal components (int), or enough to hold this share of the
        variance (float between 0 and 1), as scikit-learn's PCA does. None keeps the whole rank.
    names : list of str, optional
        Column names for the warning about constant columns.
    warn : bool
        Whether to warn about constant columns, and of as many directions as the rows can have.
    resolution : float
        Relative rounding error of the input; directions that vary less are cut.

    Returns
    -------
    Whitening

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.series import check_sequences
    >>> from predfeat.whitening import fit_whitening
    >>> rng = np.random.default_rng(0)
    >>> series = check_sequences(rng.normal(size=(500, 3)) @ rng.normal(size=(3, 4)))
    >>> whitening = fit_whitening(series)  # the fourth column is a mixture of the others
    >>> whitening.rank
    3
    >>> z = whitening.apply(series).rows
    >>> np.allclose(z.T @ z / 500, np.eye(3))
    True
    """
    _check_count(pca_components, series.n_columns)
    statistics: Statistics
    if isinstance(series, Blocks):
        series.check_times(0, 0)  # at least one sample
        statistics = OfBlocks.measured(series)
    else:
        series.times()
        statistics = OfSamples.measured(series.samples)
    constant = _constant(statistics)
    if warn:
        _warn_constant(constant, names)
    whitening = _white_map(statistics, constant, pca_components, names, resolution)
    if warn and isinstance(series, Sequences):
        _warn_equidistant(whitening.rank, len(series.times()))
    return whitening


def whitening_from_moments(
    moments: Moments,
    pca_components: int | float | None = None,
    *,
    names: list[str] | None = None,
    resolution: float = _FLOAT64,
) -> Whitening:
    """Learn the map into white space from the moments of samples that are no longer at hand.

    The rules are those of `fit_whitening`, and the map is the same up to rounding. Rounding is
    larger here for directions in which the data hardly varies: `fit_whitening` looks at the
    samples a second time, and a scatter cannot be improved afterwards. With all columns scaled to
    unit variance, a direction that has a share v of the largest variance is known to about
    1e-15 / v of itself, which is 1e-3 at the least share that still counts as variance.

    Parameters
    ----------
    moments : Moments
        Of the training samples, at least one.
    pca_components : int, float or None
        As in `fit_whitening`.
    names : list of str, optional
        Column names for messages.
    resolution : float
        Relative rounding error of the input; directions that vary less are cut.

    Returns
    -------
    Whitening
        Constant columns are left out without a warning; `warn_of_constant_columns` gives it.

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.series import check_sequences
    >>> from predfeat.whitening import Moments, fit_whitening, whitening_from_moments
    >>> rows = np.random.default_rng(0).normal(size=(500, 3))
    >>> moments = Moments.of(rows[:200]).combined(Moments.of(rows[200:]))
    >>> whitening = whitening_from_moments(moments)
    >>> np.allclose(whitening.directions, fit_whitening(check_sequences(rows)).directions)
    True
    """
    _check_count(pca_components, moments.n_columns)
    statistics = OfMoments.measured(moments)
    return _white_map(statistics, _constant(statistics), pca_components, names, resolution)


def warn_of_constant_columns(moments: Moments, names: list[str] | None = None) -> None:
    """Warn of the columns that a whitening leaves out because they do not vary.

    Parameters
    ----------
    moments : Moments
        Of the training samples, at least one.
    names : list of str, optional
        Column names for the message.

    Examples
    --------
    >>> import warnings
    >>> import numpy as np
    >>> from predfeat.whitening import Moments, warn_of_constant_columns
    >>> with warnings.catch_warnings(record=True) as given:
    ...     warnings.simplefilter("always")
    ...     warn_of_constant_columns(Moments.of(np.array([[1.0, 2.0], [1.0, 3.0]])), ["a", "b"])
    >>> print(given[0].message)
    1 of 2 column(s) are constant and were left out: 'a'
    """
    _warn_constant(_constant(OfMoments.measured(moments)), names)


def _constant(statistics: Statistics) -> BoolArray:
    """Return which columns do not vary by more than rounding."""
    rounding = _CONSTANT_ROUNDINGS * np.finfo(np.float64).eps * statistics.peak
    return np.asarray(statistics.spread <= rounding)


def _white_map(
    statistics: Statistics,
    constant: BoolArray,
    pca_components: int | float | None,
    names: list[str] | None,
    resolution: float,
) -> Whitening:
    """Return the map that the statistics of some samples give; uses up the statistics."""
    mean, peak, spread = statistics.mean, statistics.peak, statistics.spread
    # Without a PCA cut the units of the columns do not matter: unit variance for each keeps
    # channels in volts and in microvolts equally visible. With a cut they decide what is kept.
    units = np.where(constant, 1.0, spread)
    if pca_components is not None:
        units = np.full_like(units, spread.max(initial=0.0) or 1.0)
    _refuse_tiny(units, statistics.smallest_spread, names)
    statistics = statistics.scaled(constant, units)
    variances, axes = statistics.principal_axes(pca_components)
    rounding = (resolution * np.where(constant, 0.0, peak) / units) ** 2
    above_rounding = variances > (axes**2).T @ rounding
    variances, axes = variances[above_rounding], axes[:, above_rounding]
    axes[constant] = 0.0  # exactly: whatever such a column does later has no effect
    scaling = _unit_covariance(statistics, variances, axes)
    if pca_components is None:
        scaling = _turned_to_principal(scaling, axes * units[:, None])
    directions = (axes @ scaling.forth) / units[:, None]
    patterns = (scaling.back @ axes.T) * units
    # An axis' sign is arbitrary; without a rule, rounding would decide it.
    largest = np.argmax(np.abs(patterns), axis=1)
    signs = np.where(patterns[np.arange(len(patterns)), largest] < 0, -1.0, 1.0)
    directions, patterns = directions * signs, patterns * signs[:, None]
    return Whitening(mean, directions, patterns, _row_squares(patterns))


def _check_count(pca_components: int | float | None, n_columns: int) -> None:
    if isinstance(pca_components, int | np.integer) and pca_components > n_columns:
        raise RankError(
            f"pca_components={pca_components} is more than the {n_columns} columns of the data. "
            f"Use a count up to {n_columns}, a share of variance between 0 and 1, or None for all."
        )


def _refuse_tiny(units: FloatArray, smallest: float, names: list[str] | None) -> None:
    tiny = np.flatnonzero(units < smallest)
    if tiny.size == 0:
        return
    first = tiny[0]
    raise ScaleError(
        f"{tiny.size} of {units.size} column(s) vary by less than {smallest:g}; the first "
        f"is {repr(names[first]) if names else first} with a standard deviation of "
        f"{units[first]:.3g}. float64 cannot hold the factors that would scale them to 1. Multiply "
        "them by a large number, or drop them."
    )


def _warn_constant(constant: BoolArray, names: list[str] | None) -> None:
    if not constant.any():
        return
    where = np.flatnonzero(constant)
    listed = ", ".join(repr(names[i]) if names else str(i) for i in where[:10])
    message = (
        f"{where.size} of {constant.size} column(s) are constant and were left out: {listed}"
        + (", …" if where.size > 10 else "")
    )
    warn(ConstantColumnsWarning(message, tuple(where.tolist())))


def _warn_equidistant(rank: int, n_samples: int) -> None:
    """Warn if white space shows nothing: S points with S - 1 white axes are a regular simplex."""
    if rank == 0 or rank < n_samples - 1:
        return
    warn(
        f"the {n_samples} rows without gaps vary in {rank} independent directions, as many as so "
        "few rows can. Scaled to white space, each is equally far from all others, so that no "
        "state is similar to another, and features can be found that look predictable in any data. "
        "Keep fewer principal components (pca_components), one for ten rows at the most, or give "
        "more rows.",
        ManyColumnsWarning,
    )


@dataclass(frozen=True)
class _Scaling:
    """Small square matrices that map principal coordinates to white ones, and back."""

    forth: FloatArray
    back: FloatArray


def _unit_covariance(statistics: Statistics, variances: FloatArray, axes: FloatArray) -> _Scaling:
    """Scale to unit variance; if that is inaccurate, remove the remaining covariance.

    The small variances of an ill-conditioned covariance are off by the rounding of the large
    ones. Those of the almost white samples are not, so one second pass is enough. Moments are
    rounded once and for all.
    """
    scale = np.sqrt(variances)
    forth, back = np.diag(1.0 / scale), np.diag(scale)
    well_conditioned = len(scale) == 0 or variances[-1] > _WELL_CONDITIONED_SHARE * variances[0]
    if well_conditioned or isinstance(statistics, OfMoments):
        return _Scaling(forth, back)
    values, vectors = np.linalg.eigh(statistics.covariance(axes / scale))
    root = np.sqrt(values)
    return _Scaling(forth @ ((vectors / root) @ vectors.T), ((vectors * root) @ vectors.T) @ back)


def _turned_to_principal(scaling: _Scaling, axes: FloatArray) -> _Scaling:
    """Rotate white space onto the principal axes of the data in its own units."""
    patterns = scaling.back @ axes.T
    patterns /= np.abs(patterns).max(initial=0.0) or 1.0
    rotation = np.linalg.eigh(patterns @ patterns.T)[1][:, ::-1]
    return _Scaling(scaling.forth @ rotation, rotation.T @ scaling.back)


def _row_squares(patterns: FloatArray) -> FloatArray:
    """Return the variance of the data along each white axis, without overflow."""
    scale = np.abs(patterns).max(initial=0.0) or 1.0
    scaled = patterns / scale
    with np.errstate(over="ignore"):
        squares: FloatArray = np.einsum("ij,ij->i", scaled, scaled) * scale**2
    return squares
