"""Peaks of a spectrum: waves and humps that stand out from slower and faster frequencies."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import betainc

from predfeat._typing import FloatArray, IntArray

__all__ = [
    "CYCLES",
    "Peak",
    "Spectrum",
    "comb_share",
    "harmonic_number",
    "humps_of",
    "strongest",
    "waves_of",
]

# The fewest cycles in a stretch: there must be slower frequencies left to compare with.
CYCLES = 3
# A peak is compared with this many octaves below it. Slower frequencies are another background.
_OCTAVES_BELOW = 2
# Waves are searched at this many places within a bin, and this many of the largest are tested.
_PLACES_PER_BIN, _MAX_WAVES = 8, 16
# A higher harmonic hardly stands out alone.
_MAX_HARMONIC = 64
# Harmonics of a beat have at least this share of the power of the one that stands out by luck.
_MIN_POWER_RATIO = 0.25


@dataclass(frozen=True)
class Peak:
    """A peak's place in the spectrum, in cycles per block, its width and its power."""

    place: float
    width: int
    power: float


@dataclass(frozen=True)
class Spectrum:
    """One feature's blocks without their linear trends, and their mean power at 1, 2, … cycles.

    `room` is the share of a flat spectrum's power that remains at each frequency after the trend is
    subtracted. Ratios of powers are per room; otherwise noise of many blocks would seem to lack
    power there.
    """

    blocks: FloatArray
    power: FloatArray
    room: FloatArray
    n_directions: int

    @classmethod
    def of(cls, blocks: FloatArray, n_directions: int) -> Spectrum | None:
        """Return the spectrum; None if the blocks are straight lines."""
        time = np.arange(blocks.shape[1])
        straight, room = _subtracted(blocks, np.stack([np.ones(len(time)), time - time.mean()]))
        # The rounding errors of a straight line are not a spectrum.
        if np.sum(straight**2) <= 1e-20 * np.sum(blocks**2):
            return None
        return cls(straight, _power(straight), room, n_directions)

    @property
    def n_bins(self) -> int:
        """Number of frequencies below the Nyquist frequency."""
        return len(self.power)

    def chance(self, peak: Any, width: int, around: Any, n_around: Any) -> Any:
        """Return the chance that a mean power over `width` bins so far exceeds that of others."""
        n_blocks = len(self.blocks)
        # The best of N directions exceeds their mean by this factor (the Marchenko-Pastur edge).
        luck = (1 + np.sqrt((self.n_directions - 1) / (n_blocks * width))) ** 2
        freedom, other = n_blocks * width, n_blocks * n_around
        x = other * around / (other * around + freedom * peak / luck + np.finfo(float).tiny)
        return betainc(other, freedom, x)

    def weight(self, place: Any, step: Any = 1.0) -> Any:
        """Return the share of the level for a band: the same for each octave and each width."""
        octaves = np.log(self.n_bins / CYCLES) + 1.0
        n_widths = 1 + np.floor(np.log2(np.maximum(place / 2, 1.0)))
        return step / place / octaves / n_widths


def _subtracted(blocks: FloatArray, waves: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Subtract the best combination of some waves from blocks; return the rest and its room."""
    basis = np.linalg.qr(waves.T)[0].T
    left: FloatArray = blocks - (blocks @ basis.T) @ basis
    room: FloatArray = 1.0 - len(basis) / 2 * _power(basis)
    return left, room.clip(min=0.0)


def _power(blocks: FloatArray) -> FloatArray:
    length = blocks.shape[1]
    spectra = np.fft.rfft(blocks, axis=1)[:, 1 : (length + 1) // 2]
    power: FloatArray = np.mean(spectra.real**2 + spectra.imag**2, axis=0) * 2 / length
    return power


def waves_of(spectrum: Spectrum, level: float) -> Iterator[Peak]:
    """Yield the sine waves that stand out.

    A wave is fitted at its own place between the bins and subtracted, so that only background
    remains beside it.
    """
    blocks, n_bins = spectrum.blocks, spectrum.n_bins
    length = blocks.shape[1]
    time = np.arange(length)
    for place in _places(spectrum):
        low = max(1, int(place / 2**_OCTAVES_BELOW)), int(np.ceil(place)) - 1
        # Up to the wave's own second harmonic.
        high = int(place) + 1, min(n_bins, int(np.ceil(2 * place)) - 2)
        if low[0] > low[1] or high[0] > high[1] or place < CYCLES - 0.5:
            continue
        angle = 2 * np.pi * place / length * time
        waves = np.stack([np.ones(length), time - time.mean(), np.cos(angle), np.sin(angle)])
        left, room = _subtracted(blocks, waves)
        power = float(np.sum(blocks**2) - np.sum(left**2)) / len(blocks)
        around = _power(left)
        chances = []
        for first, last in (low, high):
            n_bins_left = float(room[first - 1 : last].sum())
            mean = float(around[first - 1 : last].sum()) / n_bins_left
            chances.append(spectrum.chance(power, 1, mean, n_bins_left))
        if max(chances) <= level * spectrum.weight(place):
            yield Peak(place, 1, power)


def _places(spectrum: Spectrum) -> list[float]:
    """Return where the spectrum has its largest peaks, between the bins."""
    fine = _fine_power(spectrum.blocks)
    top = 1 + np.flatnonzero((fine[1:-1] >= fine[:-2]) & (fine[1:-1] > fine[2:]))
    # Peaks are ranked by how far they rise above slower frequencies, where noise is largest.
    whole = np.cumsum(fine)
    beside = whole[(top * 0.75).astype(int)] / np.maximum(top * 0.75, 1.0)
    order = np.argsort(-fine[top] / np.maximum(beside, np.finfo(float).tiny), kind="stable")
    top = top[order[:_MAX_WAVES]]
    bend = 2 * fine[top] - fine[top - 1] - fine[top + 1]
    aside = (fine[top + 1] - fine[top - 1]) / (2 * np.maximum(bend, np.finfo(float).tiny))
    return [float(place) for place in (top + aside.clip(-0.5, 0.5)) / _PLACES_PER_BIN]


def _fine_power(blocks: FloatArray) -> FloatArray:
    """Return the power at every eighth of a bin, from 0 up to the Nyquist frequency."""
    length = blocks.shape[1]
    padded = np.fft.rfft(blocks, _PLACES_PER_BIN * length, axis=1)[
        :, : _PLACES_PER_BIN * length // 2
    ]
    power: FloatArray = np.mean(padded.real**2 + padded.imag**2, axis=0) * 2 / length
    return power


def humps_of(spectrum: Spectrum, level: float) -> Iterator[Peak]:
    """Yield the bands of two, four, eight … bins that stand out."""
    n_bins = spectrum.n_bins
    power = np.concatenate([[0.0], np.cumsum(spectrum.power)])
    room = np.concatenate([[0.0], np.cumsum(spectrum.room)])

    def inside(sums: FloatArray, first: IntArray, last: IntArray) -> FloatArray:
        return np.asarray(sums[last] - sums[first - 1])

    width = 2
    while 2 * width <= n_bins:
        step = width // 2
        first = np.arange(CYCLES, n_bins - width, step)
        centre = first + (width - 1) / 2
        low = np.maximum(1, (centre / 2**_OCTAVES_BELOW).astype(int)), first - 2
        # Up to the second harmonic, which is twice as wide.
        above = np.ceil(2 * centre).astype(int) - width
        high = first + width + 1, np.minimum(n_bins, above)
        there = (centre >= 2 * width) & (low[0] <= low[1]) & (high[0] <= high[1])
        first, centre = first[there], centre[there]
        end = first + width - 1
        peak = inside(power, first, end) / inside(room, first, end)
        chance = np.zeros(len(first))
        for bins in (low, high):
            start, last = bins[0][there], bins[1][there]
            n_around = inside(room, start, last)
            around = inside(power, start, last) / n_around
            chance = np.maximum(chance, spectrum.chance(peak, width, around, n_around))
        for i in np.flatnonzero(chance <= level * spectrum.weight(centre, step)):
            hump = np.arange(first[i], first[i] + width)
            weights = spectrum.power[hump - 1]
            # Its top counts more than its sides: the upper side is longer in frequency.
            place = float(np.average(hump, weights=weights**2))
            yield Peak(place, width, float(weights.sum()))
        width *= 2


def strongest(peaks: list[Peak]) -> Peak:
    """Return the peak with the most power, including that of its multiples."""

    def is_part(one: Peak, other: Peak) -> bool:
        """Tell whether a peak is a wide view of a wave, or a grain of a hump."""
        if one.width == other.width or abs(one.place - other.place) > (one.width + other.width) / 2:
            return False
        wide = one.width > other.width
        return other.power > one.power / 2 if wide else other.power > 2 * one.power

    def whole(peak: Peak) -> float:
        harmonics: dict[int, float] = {1: peak.power}
        for other in own:
            k = round(other.place / peak.place)
            # If multiples lie so close that any peak would be one, a match says nothing.
            blur = (k * peak.width + other.width) / 2
            off = abs(other.place - k * peak.place)
            if k > 1 and off <= min(blur, peak.place / 8) and blur < peak.place:
                # A small wave does not own a large one that happens to be its multiple, and a peak
                # seen in several widths counts once.
                power = min(other.power, peak.power / _MIN_POWER_RATIO)
                harmonics[k] = max(harmonics.get(k, 0.0), power)
        return sum(harmonics.values())

    # A broad hump may be a part of its grains, and they of it: then all peaks are compared.
    own = [peak for peak in peaks if not any(is_part(peak, other) for other in peaks)] or peaks
    return max(own, key=lambda peak: (whole(peak), -peak.place))


def harmonic_number(spectrum: Spectrum, peak: Peak, level: float) -> int:
    """Return which harmonic of the cycle a wave is: 1 unless the others show as well.

    The harmonics of a short beat are equally strong, and any of them may stand out by luck. A wave
    is the q-th if the multiples of a q-th of its frequency also stand out from the power between
    them, and are on average about as strong as the wave.
    """
    if peak.width > 1:
        return 1
    fine, bins = _fine_power(spectrum.blocks), np.arange(1, spectrum.n_bins + 1)
    n_tried = min(int(peak.place / CYCLES), _MAX_HARMONIC) - 1
    best, order = 0.0, 1
    for q in range(2, n_tried + 2):
        spacing = peak.place / q
        teeth = spacing * np.array([k for k in range(1, 2 * q) if k != q])
        at = np.rint(teeth * _PLACES_PER_BIN).astype(int)
        apart = np.abs(bins - spacing * np.rint(bins / spacing))
        between = spectrum.power[(apart > 1) & (bins < 2 * peak.place)]
        if at[-1] >= len(fine) or len(between) == 0:
            continue
        power, background = fine[at].mean(), between.mean()
        excess = float(power - background)
        # A multiple of the true q has the same power on more teeth, a divisor less on fewer.
        sharpness = excess * np.sqrt(len(at))
        chance = spectrum.chance(power, len(at), background, len(between)) * n_tried
        if sharpness > best and chance <= level and excess > _MIN_POWER_RATIO * peak.power:
            best, order = sharpness, q
    return order


def comb_share(spectrum: Spectrum, place: float, width: float) -> float:
    """Return the share of power at a place and its multiples, above the power between them.

    The multiple k is k times as wide, and at least as wide as a wave between two bins appears. It
    counts as long as there are no fewer bins between the multiples than in them.
    """
    bins = np.arange(1, spectrum.n_bins + 1)
    order = np.maximum(np.rint(bins / place), 1.0)
    off = np.abs(bins - order * place)
    half = np.maximum(order * width / 2, 1.0)
    near, between = off <= half, (off > half) & (off <= place / 2)
    share = 0.0
    for k in range(1, int(bins[-1] / place) + 1):
        own = near & (order == k)
        around = spectrum.power[between & (order == k)]
        if k > 1 and np.count_nonzero(own) > len(around):
            break
        background = float(around.mean()) if len(around) else 0.0
        share += max(0.0, float(np.sum(spectrum.power[own] - background)))
    # A share of the total power, including the Nyquist frequency.
    return share * len(spectrum.blocks) / float(np.sum(spectrum.blocks**2))
