"""What a whitening is computed from: the samples, at once or in blocks, or their moments."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np
from sklearn.utils.extmath import randomized_svd

from predfeat._typing import BoolArray, FloatArray
from predfeat.series import Blocks, Piece
from predfeat.whitening._moments import Moments

__all__ = ["RANK_TOLERANCE", "OfBlocks", "OfMoments", "OfSamples", "Statistics"]

# Share of the largest variance below which a direction counts as absent. Variances come from an
# eigenproblem in float64, which cannot tell anything below about 1e-15 from zero; three orders
# above that, the direction itself is still accurate.
RANK_TOLERANCE = 1e-12

# The randomized decomposition pays off when it looks for few directions among many.
_RANDOMIZED_MIN_SIZE = 1000
_RANDOMIZED_MAX_SHARE = 0.1


@dataclass(frozen=True)
class OfSamples:
    """Centred samples, and the size of their columns."""

    mean: FloatArray
    peak: FloatArray
    spread: FloatArray
    centred: FloatArray

    # A smaller spread would need a factor larger than float64 can hold: its inverse, times up to
    # 1e6 (one over the square root of the rank tolerance).
    smallest_spread: ClassVar[float] = 1e-300

    @classmethod
    def measured(cls, samples: FloatArray) -> Self:
        """Return the statistics of samples; these are not changed."""
        mean = _exact_mean(samples)
        centred = samples - mean
        peak = np.maximum(samples.max(axis=0), -samples.min(axis=0))
        return cls(mean, peak, _spread(centred), centred)

    def scaled(self, constant: BoolArray, units: FloatArray) -> Self:
        """Divide the columns by units, and clear the constant ones.

        This is done in place, as the samples may fill the memory.
        """
        self.centred[:, constant] = 0.0
        np.divide(self.centred, units, out=self.centred)
        return self

    def principal_axes(self, pca_components: int | float | None) -> tuple[FloatArray, FloatArray]:
        """Return the variances, descending, and the axes (columns) to keep."""
        n_samples, n_columns = self.centred.shape
        smaller = min(n_samples, n_columns)
        if (
            isinstance(pca_components, int | np.integer)
            and smaller >= _RANDOMIZED_MIN_SIZE
            and pca_components <= _RANDOMIZED_MAX_SHARE * smaller
        ):
            # The seed is fixed: the result depends on the data alone.
            _, singular, axes_t = randomized_svd(
                self.centred, int(pca_components), n_oversamples=20, n_iter=5, random_state=0
            )
            variances = singular**2 / n_samples
            n_kept = _count(variances, pca_components)
            return variances[:n_kept], axes_t[:n_kept].T
        # With fewer samples than columns, the Gram matrix is smaller and has the same spectrum.
        economical = n_columns > n_samples
        centred = self.centred
        moments = centred @ centred.T if economical else centred.T @ centred
        variances, vectors = _kept_eigenpairs(moments / n_samples, pca_components)
        if economical:
            return variances, centred.T @ (vectors / np.sqrt(n_samples * variances))
        return variances, vectors

    def covariance(self, directions: FloatArray) -> FloatArray:
        """Return the covariance of the samples' coordinates along directions."""
        white = self.centred @ directions
        covariance: FloatArray = white.T @ white / len(self.centred)
        return covariance


@dataclass(frozen=True)
class OfMoments:
    """A covariance, and the size of its columns."""

    mean: FloatArray
    peak: FloatArray
    spread: FloatArray
    covariances: FloatArray

    # Squares of smaller numbers lose digits: float64 ends at about 1e-308.
    smallest_spread: ClassVar[float] = 1e-145

    @classmethod
    def measured(cls, moments: Moments) -> Self:
        """Return the statistics of moments of at least one row."""
        covariances = moments.scatter / moments.count
        peak = np.maximum(moments.largest, -moments.smallest)
        spread = np.sqrt(np.diagonal(covariances))
        # Where the squares are lost, the range still tells such a column from a constant one.
        width = moments.largest / 2 - moments.smallest / 2
        spread = np.where(spread < cls.smallest_spread, width, spread)
        return cls(moments.mean, peak, np.where(width > 0, spread, 0.0), covariances)

    def scaled(self, constant: BoolArray, units: FloatArray) -> Self:
        """Return the statistics in other units, with zeros for the constant columns."""
        covariances = self.covariances / units / units[:, None]
        covariances[constant] = 0.0
        covariances[:, constant] = 0.0
        return type(self)(self.mean, self.peak, self.spread, covariances)

    def principal_axes(self, pca_components: int | float | None) -> tuple[FloatArray, FloatArray]:
        """Return the variances, descending, and the axes (columns) to keep."""
        return _kept_eigenpairs(self.covariances, pca_components)


@dataclass(frozen=True)
class OfBlocks:
    """A covariance summed over blocks, which can be read again, and the size of its columns.

    The numbers are centred and scaled before they are squared, so it is as accurate as that of
    samples.
    """

    mean: FloatArray
    peak: FloatArray
    spread: FloatArray
    covariances: FloatArray
    blocks: Blocks
    units: FloatArray  # of the covariances
    is_used: BoolArray  # columns

    smallest_spread: ClassVar[float] = OfSamples.smallest_spread

    @classmethod
    def measured(cls, blocks: Blocks) -> Self:
        """Return the statistics of blocks with at least one sample."""
        peak = np.maximum(blocks.largest, -blocks.smallest)
        reach = np.maximum(blocks.largest - blocks.mean, blocks.mean - blocks.smallest)
        scale = np.where(reach > 0, reach, 1.0)
        n_columns = blocks.n_columns
        total, scatter = np.zeros(n_columns), np.zeros((n_columns, n_columns))
        for of_block in blocks.map(_sums, mean=blocks.mean, factors=scale):
            total += of_block[0]
            scatter += of_block[1]
        rest = total / blocks.n_samples
        covariances = scatter / blocks.n_samples - np.outer(rest, rest)
        spread = scale * np.sqrt(np.diagonal(covariances).clip(min=0.0))
        used = np.ones(n_columns, dtype=bool)
        return cls(blocks.mean + scale * rest, peak, spread, covariances, blocks, scale, used)

    def scaled(self, constant: BoolArray, units: FloatArray) -> Self:
        """Return the statistics in other units, with zeros for the constant columns."""
        factors = self.units / units
        covariances = self.covariances * factors * factors[:, None]
        covariances[constant] = 0.0
        covariances[:, constant] = 0.0
        return replace(self, covariances=covariances, units=units, is_used=~constant)

    def principal_axes(self, pca_components: int | float | None) -> tuple[FloatArray, FloatArray]:
        """Return the variances, descending, and the axes (columns) to keep."""
        return _kept_eigenpairs(self.covariances, pca_components)

    def covariance(self, directions: FloatArray) -> FloatArray:
        """Return the covariance of the samples' coordinates along directions."""
        factors = np.where(self.is_used, self.units, np.inf)
        found = self.blocks.map(_sums, mean=self.mean, factors=factors, directions=directions)
        scatter: FloatArray = sum(
            (of_block[1] for of_block in found), np.zeros((directions.shape[1],) * 2)
        )
        return scatter / self.blocks.n_samples


def _sums(
    piece: Piece, mean: FloatArray, factors: FloatArray, directions: FloatArray | None = None
) -> tuple[FloatArray, FloatArray]:
    """Return the sum and the scatter of a block's samples, centred and divided by factors."""
    centred = (piece.series.samples - mean) / factors
    if directions is not None:
        centred = centred @ directions
    return centred.sum(axis=0), centred.T @ centred


Statistics = OfSamples | OfMoments | OfBlocks


def _exact_mean(samples: FloatArray) -> FloatArray:
    """Return the column means, corrected once so that large offsets leave no residue."""
    mean: FloatArray = samples.mean(axis=0)
    mean += (samples - mean).mean(axis=0)
    return mean


def _spread(centred: FloatArray) -> FloatArray:
    """Return the standard deviations, without overflow or underflow of the squares."""
    largest = np.maximum(centred.max(axis=0), -centred.min(axis=0))
    scale = np.where(largest > 0, largest, 1.0)
    scaled = centred / scale
    mean_square = np.einsum("ij,ij->j", scaled, scaled) / len(centred)
    spread: FloatArray = scale * np.sqrt(mean_square)
    return spread


def _kept_eigenpairs(
    covariances: FloatArray, pca_components: int | float | None
) -> tuple[FloatArray, FloatArray]:
    """Return the eigenvalues, descending, and eigenvectors of the axes to keep."""
    variances, vectors = np.linalg.eigh(covariances)
    variances, vectors = variances[::-1], vectors[:, ::-1]
    n_kept = _count(variances, pca_components)
    return variances[:n_kept], vectors[:, :n_kept]


def _count(variances: FloatArray, pca_components: int | float | None) -> int:
    """Return how many axes are present and not cut by `pca_components`."""
    present = variances[variances > RANK_TOLERANCE * variances[0]]
    if pca_components is None:
        return len(present)
    if isinstance(pca_components, int | np.integer):
        return min(int(pca_components), len(present))
    share = np.cumsum(present) / variances.clip(min=0.0).sum()
    return min(int(np.searchsorted(share, pca_components, side="right")) + 1, len(present))
