"""How long a feature's cycle lasts, if one stands out from its spectrum."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from predfeat._compat import Interval, validate_parameter_constraints, whole_number
from predfeat._typing import ArrayLike, FloatArray
from predfeat.measures._input import as_features, moderate
from predfeat.measures._peaks import (
    CYCLES,
    Spectrum,
    comb_share,
    harmonic_number,
    humps_of,
    strongest,
    waves_of,
)
from predfeat.series import Sequences

__all__ = ["Periods", "periods"]

# The fewest rows in which the fastest cycle, of three rows, still has frequencies above it.
_MIN_ROWS = 16


@dataclass(frozen=True)
class Periods:
    """How long the cycles of some features last, in rows.

    Attributes
    ----------
    period : ndarray of shape (n_features,)
        NaN for a feature without a cycle that stands out.
    resolution : ndarray of shape (n_features,)
        How far apart periods near this one must be to be distinguished in a series of this
        length. NaN without a cycle.
    share : ndarray of shape (n_features,)
        The share of the variance around a straight line that the cycle and its harmonics hold. In
        a long series even the smallest ripple stands out. NaN without a cycle.
    slower_than : ndarray of shape (n_features,)
        For features most of whose variance changes so slowly that the series is too short to show
        a cycle: a cycle, if there is one, is longer than this. NaN for all others.
    """

    period: FloatArray
    resolution: FloatArray
    share: FloatArray
    slower_than: FloatArray


def periods(
    Y: Any,
    *,
    groups: ArrayLike | None = None,
    n_directions: int = 1,
    level: float = 0.05,
) -> Periods:
    r"""Find the cycle of every feature, if it has one.

    The spectrum is that of the longest stretches as a whole, each without its linear trend;
    several of one length are averaged. A cycle is a peak in it: a sine wave, or a band of
    frequencies, with more power than the frequencies below *and* above it, by more than chance
    would explain. Noise whose spectrum only falls, or only rises, has no such peak: white noise, a
    first-order autoregression, a random walk. For a flat spectrum, the least favourable of these,
    the ratio of two mean powers has Fisher's F distribution; the level is divided evenly among
    octaves and widths of bands. Among several peaks, the one with the most power together with its
    multiples counts: harmonics of a sharp beat belong to the beat.

    Parameters
    ----------
    Y : array-like of shape (n_rows, n_features) or (n_rows,)
        Features in time order; rows with a NaN are gaps. Gaps no longer than the longest stretch
        between them are bridged by straight lines, because time goes on; longer ones divide the
        series.
    groups : array-like of shape (n_rows,), optional
        Ids of the sequences, whose cycles need not be in step.
    n_directions : int, default=1
        The number of independent directions from which the features were chosen *for their
        spectrum*, as by `ForeCA`: the best of many spectra has peaks by chance.
    level : float, default=0.05
        The highest acceptable rate of finding a cycle in noise.

    Returns
    -------
    Periods
        In rows.

    Examples
    --------
    A yearly cycle in four years of days, and noise:

    >>> import numpy as np
    >>> from predfeat.measures import periods
    >>> Y = np.random.default_rng(0).normal(size=(1461, 2))
    >>> Y[:, 0] += np.sin(2 * np.pi / 365.25 * np.arange(1461))
    >>> found = periods(Y)
    >>> found.period.round(-1), found.resolution.round(-1)
    (array([370.,  nan]), array([50., nan]))
    """
    validate_parameter_constraints(
        {
            "n_directions": [whole_number(1)],
            "level": [Interval(Real, 0, 1, closed="neither")],
        },
        {"n_directions": n_directions, "level": level},
        caller_name="periods",
    )
    features, _ = moderate(as_features(Y, groups))
    found = np.full((4, features.n_columns), np.nan)
    blocks = _blocks(features)
    length = blocks.shape[1]
    if length < _MIN_ROWS:
        return Periods(*found)
    slow = _slow_share(blocks) > 0.5
    for column in range(features.n_columns):
        spectrum = Spectrum.of(blocks[:, :, column], n_directions)
        peaks = [] if spectrum is None else [*waves_of(spectrum, level), *humps_of(spectrum, level)]
        if spectrum is not None and peaks:
            peak = strongest(peaks)
            order = harmonic_number(spectrum, peak, level)
            period = length / peak.place * order
            share = comb_share(spectrum, peak.place / order, peak.width / order)
            found[:3, column] = period, period * peak.width / 2 / peak.place, share
        if slow[column]:
            found[3, column] = length / CYCLES
    return Periods(*found)


def _blocks(series: Sequences) -> FloatArray:
    """Return stretches of one length, gaps bridged, of shape (n_blocks, length, n_columns).

    At least half of all rows lie in stretches of this length or longer; for one sequence it is its
    own length.
    """
    stretches = [
        stretch for bound in series.sequence_bounds() for stretch in _stretches(series, bound)
    ]
    lengths = np.sort([len(stretch) for stretch in stretches])[::-1]
    covered = np.cumsum(lengths)
    length = int(lengths[np.searchsorted(covered, covered[-1] / 2)])
    blocks = []
    for stretch in stretches:
        n_blocks, spare = divmod(len(stretch), length)
        for i in range(n_blocks):
            start = i * length + i * spare // max(n_blocks - 1, 1)
            blocks.append(stretch[start : start + length])
    return np.array(blocks)


def _stretches(series: Sequences, bound: tuple[int, int]) -> Iterator[FloatArray]:
    """Yield the parts of a sequence between gaps that are too long to be bridged."""
    rows = np.arange(*bound)
    there = rows[series.valid[rows]]
    if len(there) == 0:
        return
    longest = int(np.max(series.run_last[there] - series.run_first[there])) + 1
    for part in np.split(there, np.flatnonzero(np.diff(there) - 1 > longest) + 1):
        whole = np.arange(part[0], part[-1] + 1)
        yield np.column_stack([np.interp(whole, part, column) for column in series.rows[part].T])


def _slow_share(blocks: FloatArray) -> FloatArray:
    """Return the share of variance in cosines of fewer than three cycles per block."""
    length = blocks.shape[1]
    centred = blocks - blocks.mean(axis=1, keepdims=True)
    half_cycles = np.arange(1, 2 * CYCLES)
    time = np.arange(length) + 0.5
    cosines = np.sqrt(2.0 / length) * np.cos(np.pi / length * np.outer(time, half_cycles))
    slow = np.einsum("tk,btc->bkc", cosines, centred)
    whole = np.sum(centred**2, axis=(0, 1))
    share: FloatArray = np.divide(
        np.sum(slow**2, axis=(0, 1)), whole, out=np.zeros_like(whole), where=whole > 0
    )
    return share
