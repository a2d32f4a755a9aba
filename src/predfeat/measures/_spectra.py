"""Spectra by weighted overlapped segment averaging, shared by forecastability and ForeCA.

For one sequence without gaps this is the estimator of the R package ForeCA with its default
settings: segments of a quarter of the length, overlapping by half, Hann taper, zero-padded.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from predfeat._typing import AnyArray, FloatArray
from predfeat.exceptions import NoSpectrumError
from predfeat.series import Sequences

__all__ = [
    "PRIOR_WEIGHT",
    "Segments",
    "power_spectra",
    "segment_transforms",
    "spectral_entropy",
    "tapered_segments",
]

# Weight of the uniform spectrum that is mixed in, so that empty frequencies have a logarithm.
PRIOR_WEIGHT = 1e-3

_MIN_ROWS = 8


@dataclass(frozen=True)
class Segments:
    """Tapered segments of a series; a spectrum is an average over them.

    Attributes
    ----------
    values : ndarray of shape (n_segments, n_block, n_columns)
    length : int
        The length n to which they are zero-padded: frequencies are multiples of 1/n.
    """

    values: FloatArray
    length: int


def tapered_segments(series: Sequences) -> Segments:
    """Cut a series into overlapping segments, each tapered to zero at both ends.

    The spectrum's resolution follows from the typical sequence: half of all rows lie in sequences
    at least as long as the reference length n (for one sequence that is its length). Segments
    have n // 4 rows, are zero-padded to n, and never leave their sequence; sequences shorter than
    a segment are ignored. Inside a segment a gap has weight zero: nothing is filled in, and the
    samples around it keep their true distance in time.
    """
    bounds = series.sequence_bounds()
    length = _typical_length([stop - start for start, stop in bounds])
    n_block = length // 4
    taper = _hann(n_block)
    centred = series.rows - series.samples.mean(axis=0)
    centred[~series.valid] = 0.0
    starts = [s for start, stop in bounds for s in _segment_starts(start, stop, n_block)]
    values = np.empty((len(starts), n_block, series.n_columns))
    for segment, start in zip(values, starts, strict=True):
        np.multiply(taper[:, None], centred[start : start + n_block], out=segment)
    return Segments(values, length)


def segment_transforms(series: Sequences) -> AnyArray:
    """Return the Fourier transforms of all tapered segments.

    Returns
    -------
    ndarray of complex, shape (n_segments, n // 2, n_columns)
        Frequencies 1/n … 1/2; frequency 0 is left out.
    """
    segments = tapered_segments(series)
    n_segments, _, n_columns = segments.values.shape
    n_frequencies = segments.length // 2
    transforms = np.empty((n_segments, n_frequencies, n_columns), dtype=np.complex128)
    for transform, tapered in zip(transforms, segments.values, strict=True):
        transform[:] = np.fft.rfft(tapered, n=segments.length, axis=0)[1 : n_frequencies + 1]
    return transforms


def power_spectra(transforms: AnyArray) -> FloatArray:
    """Return each column's spectrum, shape (n_frequencies, n_columns)."""
    power: FloatArray = np.mean(transforms.real**2 + transforms.imag**2, axis=0)
    return power


def spectral_entropy(power: FloatArray) -> FloatArray:
    """Return the entropy of each column's spectrum, as a share of that of white noise.

    The spectrum over positive and negative frequencies is a distribution over 2F cells; both
    halves are the same, so one is enough. The base of the logarithm is the number of cells.
    """
    n_cells = 2 * len(power)
    share = power / (2.0 * power.sum(axis=0))
    smoothed = (1.0 - PRIOR_WEIGHT) * share + PRIOR_WEIGHT / n_cells
    entropy: FloatArray = -2.0 * np.sum(smoothed * np.log(smoothed), axis=0) / np.log(n_cells)
    return entropy


def _typical_length(lengths: list[int]) -> int:
    longest_first = np.sort(np.array(lengths, dtype=np.intp))[::-1]
    covered = np.cumsum(longest_first)
    length = int(longest_first[np.searchsorted(covered, covered[-1] / 2)])
    if length < _MIN_ROWS:
        raise NoSpectrumError(
            f"a spectrum needs sequences of at least {_MIN_ROWS} rows, but half of the rows "
            f"(n_samples={covered[-1]}) lie in sequences of {length} or fewer. Use longer ones."
        )
    return length


def _hann(n_block: int) -> FloatArray:
    j = np.arange(1, n_block + 1)
    taper = 0.5 * (1.0 - np.cos(2.0 * np.pi * j / (n_block + 1)))
    unit_energy: FloatArray = taper / np.linalg.norm(taper)
    return unit_energy


def _segment_starts(start: int, stop: int, n_block: int) -> list[int]:
    """Return where segments start: they overlap by about half and cover the whole run."""
    spare = stop - start - n_block
    if spare < 0:
        return []
    n_segments = (2 * spare) // n_block + 1
    return [start + (i * spare) // max(n_segments - 1, 1) for i in range(n_segments)]
