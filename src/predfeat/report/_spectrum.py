"""How the variance of a series is spread over slow and fast changes."""

from __future__ import annotations

import numpy as np

from predfeat._typing import FloatArray
from predfeat.series import Sequences

__all__ = ["block_length", "block_spectra"]

_LONGEST, _SHORTEST = 512, 16


def block_length(series: Sequences) -> int | None:
    """Return a block length that half of all samples have room for; None where none is useful."""
    lengths = np.sort([stop - start for start, stop in series.run_bounds()])[::-1]
    covered = np.cumsum(lengths)
    typical = int(lengths[np.searchsorted(covered, covered[-1] / 2)])
    # At least some blocks to average over.
    longest = min(_LONGEST, typical, max(_SHORTEST, int(covered[-1]) // 4))
    if longest < _SHORTEST:
        return None
    return 1 << (longest.bit_length() - 1)


def block_spectra(series: Sequences, n_block: int) -> tuple[FloatArray, FloatArray]:
    """Average the spectra of blocks of rows without a gap (Welch's method, Hann taper).

    Parameters
    ----------
    series : Sequences
    n_block : int
        Rows of a block; blocks overlap by half and never leave their run.

    Returns
    -------
    frequencies : ndarray of shape (n_block // 2,)
        In cycles per row, without zero.
    shares : ndarray of shape (n_block // 2, n_columns)
        Each column's power, summing to 1.
    """
    centred = series.rows - series.samples.mean(axis=0)
    taper = np.hanning(n_block + 1)[:-1]
    power = np.zeros((n_block // 2, series.n_columns))
    for start, stop in series.run_bounds():
        for first in range(start, stop - n_block + 1, n_block // 2):
            block = taper[:, None] * centred[first : first + n_block]
            power += np.abs(np.fft.rfft(block, axis=0)[1:]) ** 2
    whole = power.sum(axis=0)
    shares: FloatArray = np.divide(power, whole, out=np.zeros_like(power), where=whole > 0)
    return np.arange(1, n_block // 2 + 1) / n_block, shares
