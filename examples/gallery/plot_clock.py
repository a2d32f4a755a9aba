"""
A clock in a noisy room
=======================

Twelve seconds of sound: a clock ticks, a fan hums, and somebody rustles louder than both. Which
part of the sound is predictable, and how often does the clock tick?
"""

# %%
# The sound, and its spectrum in each of many short frames: 33 columns, in decibels.
import matplotlib.pyplot as plt
import numpy as np

from predfeat import GPFA
from predfeat.datasets import short_time_spectra
from predfeat.measures import periods

RATE = 4000
random = np.random.default_rng(0)
seconds = np.arange(12 * RATE) / RATE
sound = 0.02 * np.sin(2 * np.pi * 120 * seconds) + 0.02 * random.normal(size=len(seconds))
ring = np.exp(-np.arange(600) / 120) * np.sin(2 * np.pi * 1100 * np.arange(600) / RATE)
for beat in range(48):  # four ticks a second, with a small error
    start = int((0.25 * beat + 0.05 + 0.002 * random.normal()) * RATE)
    sound[start : start + 600] += 0.08 * ring[: len(sound) - start]
rustle = np.repeat(random.random(240) < 0.2, len(sound) // 240)
sound += 0.15 * rustle * np.diff(random.normal(size=len(sound) + 1))
recording = short_time_spectra(sound, RATE, frame=64, hop=64, spectrum="log-magnitude")
X, times = recording.values, recording.time

# %%
# A state is a third of a second, so that it knows when the clock last ticked.
model = GPFA(n_components=2, n_lags=20, init="sfa").fit(X)
features = model.transform(X)
found = periods(features).period * recording.step
for i, period in enumerate(found):
    said = "no cycle" if np.isnan(period) else f"a cycle of {period:.3f} s"
    print(f"feature {i + 1}: {said}")

# %%
figure, panels = plt.subplots(3, 1, figsize=(9, 5), sharex=True, layout="constrained")
panels[0].imshow(
    X.T, origin="lower", aspect="auto", cmap="magma",
    extent=(times[0], times[-1], 0, RATE / 2),
)  # fmt: skip
panels[0].set(ylabel="Hz", title="What the microphone hears, and the two most predictable features")
for i, axes in enumerate(panels[1:]):
    axes.plot(times, features[:, i], lw=0.8, color=f"C{i}")
    axes.set(ylabel=f"feature {i + 1}", xlim=(2, 6))
    axes.spines[["top", "right"]].set_visible(False)
panels[-1].set_xlabel("seconds")

# %%
# **What one learns:** the most predictable feature hears the clock, although the rustling is much
# louder. The rustling comes second: it lasts for a few frames, but has no rhythm, and
# `~predfeat.measures.periods` tells the two apart.
