"""Cross-spectra of many columns: sums over all frequencies, and the spectra of directions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from scipy import fft

from predfeat._typing import FloatArray, IntArray
from predfeat.measures import tapered_segments
from predfeat.series import Sequences

__all__ = ["CrossSpectra"]

# Numbers in a block of cross-spectra: it stays in the processor's cache while it is packed.
_BLOCK = 1 << 19
# Bytes of cross-spectra that are kept. Larger ones are computed again for every sum, which is
# slower for a single sum and hardly slower for several at once.
_MAX_KEPT_BYTES = 1 << 28


@dataclass(frozen=True)
class CrossSpectra:
    r"""The real parts of the cross-spectra S(f) of a series, averaged over its segments.

    For a real direction a the spectrum is :math:`a^T S(f) a`, in which the imaginary parts cancel.
    Segments have B rows and are zero-padded to n, four times as many. So S(f) is a cosine series
    in f with B terms, and its values at B frequencies determine it everywhere. Only these are
    kept, even for sums over all n / 2 frequencies.

    Attributes
    ----------
    segments : ndarray of shape (n_segments, B, n_columns)
        Tapered.
    length : int
        n: frequencies are 1/n, 2/n … 1/2.
    """

    segments: FloatArray
    length: int

    @classmethod
    def of(cls, series: Sequences) -> Self:
        """Return the cross-spectra of a series."""
        segments = tapered_segments(series)
        return cls(segments.values, segments.length)

    def n_frequencies(self, stride: int = 1) -> int:
        """Return the number of frequencies, or of every `stride`-th one."""
        return self.length // 2 // stride

    @property
    def n_columns(self) -> int:
        """Number of columns, N."""
        return int(self.segments.shape[2])

    def along(self, directions: FloatArray, stride: int = 1) -> FloatArray:
        """Return the spectra of directions (columns), shape (n_frequencies, n_directions).

        Only every `stride`-th frequency is returned, up to the highest.
        """
        n_segments, n_block, n_columns = self.segments.shape
        projected = self.segments.reshape(-1, n_columns) @ directions
        projected = projected.reshape(n_segments, n_block, -1)
        transforms = fft.rfft(projected, self._n_grid, axis=1)
        power = np.square(transforms.real).sum(axis=0) + np.square(transforms.imag).sum(axis=0)
        lags = fft.irfft(power, self._n_grid, axis=0)[: self._n_lags]
        lags[0] /= 2.0
        spectra: FloatArray = 2.0 * fft.rfft(lags, self.length, axis=0).real
        return spectra[stride : self.length // 2 + 1 : stride]

    def summed(self, weights: FloatArray, stride: int = 1) -> FloatArray:
        """Return sums over the frequencies, one for each column of weights.

        Parameters
        ----------
        weights : ndarray of shape (n_frequencies, n_sums)
        stride : int
            As in `along`: the other frequencies have no weight.

        Returns
        -------
        ndarray of shape (n_sums, n_columns, n_columns)
        """
        on_grid = self._weights_on_grid(weights, stride)
        packed = np.zeros((weights.shape[1], len(self._upper[0])))
        for part, cross_spectra in self._blocks():
            packed += on_grid[part].T @ cross_spectra
        sums = np.empty((len(packed), self.n_columns, self.n_columns))
        rows, columns = self._upper
        sums[:, rows, columns] = packed
        sums[:, columns, rows] = packed
        return sums

    def _weights_on_grid(self, weights: FloatArray, stride: int) -> FloatArray:
        """Return weights of the kept frequencies that give the same sum of a cosine series.

        Those of the lags come first: the transpose of what `along` does to spectra.
        """
        everywhere = np.zeros((self.length, weights.shape[1]))
        everywhere[stride : self.length // 2 + 1 : stride] = weights
        lags = fft.rfft(everywhere, axis=0).real[: self._n_lags]
        lags[1:] *= 2.0
        on_grid: FloatArray = fft.rfft(lags, self._n_grid, axis=0).real / self._n_grid
        on_grid[1 : (self._n_grid + 1) // 2] *= 2.0  # they also represent negative frequencies
        return on_grid

    @property
    def _n_lags(self) -> int:
        return int(self.segments.shape[1])

    @cached_property
    def _n_grid(self) -> int:
        # Enough frequencies between -1/2 and 1/2 that none of 2 B - 1 lags are aliased.
        return int(fft.next_fast_len(2 * self._n_lags - 1, real=True))

    @cached_property
    def _upper(self) -> tuple[IntArray, IntArray]:
        rows, columns = np.triu_indices(self.n_columns)
        return rows, columns

    @cached_property
    def _rows(self) -> FloatArray:
        """Real and imaginary parts of the segments' transforms: (grid, 2·segments, columns)."""
        transforms = fft.rfft(self.segments, self._n_grid, axis=1).transpose(1, 0, 2)
        return np.concatenate([transforms.real, transforms.imag], axis=1)

    @cached_property
    def _kept(self) -> FloatArray | None:
        """The upper triangles of all cross-spectra on the grid, where they are not too many."""
        n_grid, n_numbers = len(self._rows), len(self._upper[0])
        if 8 * n_grid * n_numbers > _MAX_KEPT_BYTES:
            return None
        kept = np.empty((n_grid, n_numbers))
        for part in self._parts():
            kept[part] = self._cross_spectra(part)
        return kept

    def _blocks(self) -> Iterator[tuple[slice, FloatArray]]:
        for part in self._parts():
            yield part, self._cross_spectra(part) if self._kept is None else self._kept[part]

    def _parts(self) -> Iterator[slice]:
        size = max(1, _BLOCK // self.n_columns**2)
        for start in range(0, len(self._rows), size):
            yield slice(start, start + size)

    def _cross_spectra(self, part: slice) -> FloatArray:
        rows = self._rows[part]
        products = rows.transpose(0, 2, 1) @ rows
        return products[:, *self._upper]
