"""Small recordings of every layout, with names that a page must not take for its own."""

import numpy as np

from predfeat.datasets import Image, Recording, Spectrum, hidden_lorenz

NASTY = ("<script>alert(1)</script>", "</script><b>", "\"'><img src=x onerror=alert(1)>", "a&b")


def table():
    values = hidden_lorenz(500, 4, random_state=0)[0]
    return Recording(values, tuple(f"c{i}" for i in range(7)), "table.csv", step=0.5, unit="s")


def trials():
    values = np.c_[hidden_lorenz(600, 1, random_state=1)[0], np.ones(600)]
    values[100:140] = np.nan
    values[320, 2] = np.nan
    names = (*NASTY, "constant")
    groups = np.repeat(np.arange(8), 75)
    source = "</title><script>alert(2)</script>.csv"
    return Recording(values, names, source, groups=groups, skipped=("<i>comment</i>",))


def sound():
    rng = np.random.default_rng(0)
    loud = np.sin(0.2 * np.arange(500))[:, None] * np.exp(-0.1 * (np.arange(32) - 9) ** 2)
    values = np.hstack([loud, loud]) + 0.3 * rng.normal(size=(500, 64))
    frequencies = np.tile(np.arange(32) * 100.0, 2)
    parts = ("real",) * 32 + ("imaginary",) * 32
    names = tuple(f"{p} {f}" for p, f in zip(parts, frequencies, strict=True))
    return Recording(values, names, "sound.wav", layout=Spectrum(frequencies, parts), step=0.01,
                     unit="s")  # fmt: skip


def video():
    rng = np.random.default_rng(0)
    y, x = np.mgrid[:6, :8]
    centre = 4 + 3 * np.cos(0.1 * np.arange(400))
    frames = np.exp(-((x - centre[:, None, None]) ** 2 + (y - 3) ** 2) / 3)
    values = frames.reshape(400, -1) + 0.1 * rng.normal(size=(400, 48))
    return Recording(values, tuple(f"p{i}" for i in range(48)), "video.mp4", layout=Image(6, 8))


def noise():
    values = np.random.default_rng(0).normal(size=(600, 5))
    return Recording(values, tuple("abcde"), "noise.npy")


RECORDINGS = {f.__name__: f for f in (table, trials, sound, video, noise)}
