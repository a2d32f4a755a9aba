"""Synthetic sounds that stand in for recordings."""

from __future__ import annotations

from numbers import Real

import numpy as np
from scipy.signal import butter, fftconvolve, sosfilt

from predfeat._compat import Interval, StrOptions, validate_parameter_constraints
from predfeat._typing import FloatArray

__all__ = ["SOUNDSCAPES", "synthetic_soundscape"]

SOUNDSCAPES = ("piano", "bar", "forest")

# Minor scale, in half tones: the melody walks over it.
_SCALE = np.array([0, 2, 3, 5, 7, 8, 10])


def synthetic_soundscape(
    kind: str,
    seconds: float,
    *,
    rate: float = 22_050.0,
    random_state: int = 0,
) -> FloatArray:
    """Synthesise a sound like a piano, a bar or a forest.

    A stand-in for recordings, so that experiments on sound can be tried without any: tones that
    decay ("piano"), a murmur of voices with clinking glasses ("bar"), wind and birds ("forest").
    Results on them say nothing about real sounds.

    Parameters
    ----------
    kind : {"piano", "bar", "forest"}
    seconds : float
        Length.
    rate : float, default=22050
        Samples per second.
    random_state : int, default=0
        The seed.

    Returns
    -------
    ndarray of shape (seconds · rate,)
        Between -1 and 1.

    Examples
    --------
    >>> from predfeat.datasets import synthetic_soundscape
    >>> sound = synthetic_soundscape("forest", 0.5)
    >>> sound.shape, float(abs(sound).max())
    ((11025,), 0.9)
    """
    validate_parameter_constraints(
        {
            "kind": [StrOptions(set(SOUNDSCAPES))],
            "seconds": [Interval(Real, 0, None, closed="neither")],
            "rate": [Interval(Real, 16_000, None, closed="left")],
        },
        {"kind": kind, "seconds": seconds, "rate": rate},
        caller_name="synthetic_soundscape",
    )
    random = np.random.default_rng((random_state, SOUNDSCAPES.index(kind)))
    n_samples = max(1, round(seconds * rate))
    make = {"piano": _piano, "bar": _bar, "forest": _forest}[kind]
    sound = make(n_samples, rate, random)
    # A room's hiss: without it silent frames would all be the same.
    sound = sound / np.abs(sound).max() + 1e-3 * random.standard_normal(n_samples)
    scaled: FloatArray = 0.9 * sound / np.abs(sound).max()
    return scaled


def _piano(n_samples: int, rate: float, random: np.random.Generator) -> FloatArray:
    """Return a melody over broken chords: partials that die away, the higher the sooner."""
    sound = np.zeros(n_samples)
    beat = 0.22
    step = 0
    tones: dict[float, FloatArray] = {}
    for number in range(int(n_samples / rate / beat) + 1):
        step = int(np.clip(step + random.integers(-2, 3), -5, 12))
        notes = [(step, 0.6)]
        if number % 4 == 0:
            notes += [(-7, 0.5), (-7 + int(random.choice([2, 3, 4])), 0.35)]
        start = int((number * beat + 0.01 * random.random()) * rate)
        for degree, loudness in notes:
            octave, position = divmod(degree, len(_SCALE))
            pitch = 220.0 * 2.0 ** (octave + _SCALE[position] / 12)
            if pitch not in tones:
                tones[pitch] = _note(pitch, rate)
            _add(sound, start, loudness * random.uniform(0.5, 1.0) * tones[pitch])
    return sound


def _note(pitch: float, rate: float) -> FloatArray:
    time = np.arange(int(1.5 * rate)) / rate
    tone = np.zeros(len(time))
    for partial in range(1, 9):
        frequency = partial * pitch * (1 + 2e-4 * partial**2)
        if frequency < 0.45 * rate:
            decay = np.exp(-time * (1.5 + 0.8 * partial))
            tone += np.sin(2 * np.pi * frequency * time) * decay / partial**1.3
    attack = np.minimum(time / 0.005, 1.0)
    faded: FloatArray = tone * attack * np.minimum((time[-1] - time) / 0.1, 1.0)
    return faded


def _bar(n_samples: int, rate: float, random: np.random.Generator) -> FloatArray:
    """Return voices, each a buzz through two formants that comes and goes with the syllables."""
    sound = np.zeros(n_samples)
    time = np.arange(n_samples) / rate
    for _ in range(8):
        pitch = random.uniform(90, 230) * (1 + 0.08 * _drift(n_samples, rate, 3.0, random))
        phase = 2 * np.pi * np.cumsum(pitch) / rate
        buzz = np.sum([np.sin(h * phase) / h for h in range(1, 13)], axis=0)
        voice = np.zeros(n_samples)
        for low, high in ((300, 800), (900, 2300)):
            centre = random.uniform(low, high)
            band = butter(2, [0.85 * centre, 1.15 * centre], "bandpass", fs=rate, output="sos")
            voice += sosfilt(band, buzz)
        syllables = np.clip(_drift(n_samples, rate, 4.0, random), 0, None)
        speaking = _drift(n_samples, rate, 0.15, random) > 0
        sound += voice * syllables * np.where(speaking, 1.0, 0.1)
    for start in random.uniform(0, time[-1], size=max(1, int(0.5 * time[-1]))):
        ring = np.arange(int(0.25 * rate)) / rate
        clink = np.sin(2 * np.pi * random.uniform(2500, 6000) * ring) * np.exp(-25 * ring)
        _add(sound, int(start * rate), random.uniform(0.2, 1.0) * clink)
    return sound


def _forest(n_samples: int, rate: float, random: np.random.Generator) -> FloatArray:
    """Return gusts of wind, and birds that repeat their calls."""
    low = butter(2, 500, "lowpass", fs=rate, output="sos")
    gusts = 1.0 + 0.6 * _drift(n_samples, rate, 0.2, random)
    wind: FloatArray = sosfilt(low, random.standard_normal(n_samples))
    sound = 2.0 * wind * np.clip(gusts, 0.1, None)
    for _ in range(4):
        pitch, sweep = random.uniform(2000, 5000), random.uniform(-1500, 1500)
        length, pause = random.uniform(0.08, 0.2), random.uniform(0.15, 0.4)
        time = np.arange(int(length * rate)) / rate
        phase = 2 * np.pi * (pitch * time + 0.5 * sweep / length * time**2)
        call = np.sin(phase) * np.sin(np.pi * time / length) ** 2
        at = random.uniform(0, 2)
        while at * rate < n_samples:
            for _ in range(int(random.integers(2, 7))):
                _add(sound, int(at * rate), random.uniform(0.3, 0.8) * call)
                at += length + pause * random.uniform(0.9, 1.1)
            at += random.uniform(1, 5)
    return sound


def _drift(
    n_samples: int, rate: float, per_second: float, random: np.random.Generator
) -> FloatArray:
    """Return a smooth random curve of unit variance with about `per_second` turns per second."""
    knots = random.standard_normal(int(n_samples / rate * per_second) + 8)
    window = np.hanning(7)[1:-1]
    smooth = fftconvolve(knots, window / np.linalg.norm(window), mode="valid")
    at = np.linspace(0, len(smooth) - 1, n_samples)
    curve: FloatArray = np.interp(at, np.arange(len(smooth)), smooth)
    return curve


def _add(sound: FloatArray, start: int, piece: FloatArray) -> None:
    stop = min(start + len(piece), len(sound))
    if stop > start:
        sound[start:stop] += piece[: stop - start]
