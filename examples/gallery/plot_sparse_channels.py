"""
What may be wrong with a recording
==================================

Eight channels of a slow process as they come from real devices: one is a copy of another, one is
dead, one holds an artefact that is far louder than anything else, and one has rare spikes on zeros.
"""

# %%
# The recording.
import matplotlib.pyplot as plt
import numpy as np
from scipy.signal import lfilter

from predfeat import GPFA, diagnose

random = np.random.default_rng(6)
hidden = lfilter([1.0], [1.0, -0.9], random.normal(size=(1500, 2)), axis=0)
X = hidden @ random.normal(size=(2, 8)) + random.normal(size=(1500, 8))
names = ["good 1", "good 2", "good 3", "good 4", "copy of 1", "dead", "artefact", "sparse"]
X[:, 4] = 2 * X[:, 0]
X[:, 5] = 0.0
X[700:720, 6] += 400 * np.hanning(20)
X[:, 7] = 3.0 * (random.random(1500) < 0.01)

# %%
# `diagnose` examines the fitted model and its data. Each finding says what was found, what it
# means, and what to change.
alive = np.delete(X, 5, axis=1)  # a dead channel is left out with a warning; here by hand
kept = [name for name in names if name != "dead"]
model = GPFA(n_components=2, n_lags=2).fit(alive)
diagnosis = diagnose(model, alive, names=kept)
print(diagnosis)

# %%
# After some of the advice: without the copy, with the artefact as a gap, and without the spikes.
mended = alive[:, [0, 1, 2, 3, 5]].copy()
mended[700:720] = np.nan
better = GPFA(n_components=2, n_lags=2).fit(mended)
print("after mending:", diagnose(better, mended).names or "no findings")


def explained(features):
    """Return how much of the hidden process a linear map of the features tells."""
    known = ~np.isnan(features).any(axis=1)
    design = np.column_stack([features[known], np.ones(known.sum())])
    left = hidden[known] - design @ np.linalg.lstsq(design, hidden[known], rcond=None)[0]
    return 1 - left.var() / hidden[known].var()


figure, (left, right) = plt.subplots(
    1, 2, figsize=(10, 3.8), layout="constrained", width_ratios=(2, 1)
)
for i, (name, channel) in enumerate(zip(names, X.T, strict=True)):
    scale = np.ptp(channel[600:900]) or 1.0
    left.plot(channel[600:900] / scale - 1.2 * i, lw=0.7)
    left.text(-4, channel[600] / scale - 1.2 * i, name, ha="right", va="center", fontsize=9)
left.set(title="300 samples, each channel to its own scale", yticks=[], xticks=[])
left.spines[:].set_visible(False)
told = [explained(model.transform(alive)), explained(better.transform(mended))]
bars = right.bar(["as recorded", "mended"], told, color=["0.7", "tab:blue"], width=0.6)
right.bar_label(bars, fmt="{:.0%}")
right.set(title="of the hidden process told", ylim=(0, 1.1), yticks=[])

# %%
# **What one learns:** read the findings before the features. The copy is called by its name, the
# artefact shows as a drift and as loud moments, and mending them costs a line each.
