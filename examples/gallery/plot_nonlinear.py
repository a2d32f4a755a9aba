"""
Loudness in noise that cannot be predicted
==========================================

Two of ten channels swing with random phase. No sum of channels is predictable, as the phase is
drawn anew each time; how far they swing changes slowly.
"""

# %%
# The best linear feature, and the best of all products of channels.
import matplotlib.pyplot as plt
import numpy as np

from predfeat import GPFA, Expanded
from predfeat.datasets import hidden_amplitude
from predfeat.features import sensitivity
from predfeat.measures import left_open

X, amplitude = hidden_amplitude(4000, random_state=0)
train, test, truth = X[:3000], X[3000:], amplitude[3000:]
models = {
    "linear": GPFA(n_components=1).fit(train),
    "quadratic": Expanded(GPFA(n_components=1), "quadratic").fit(train),
}
features = {}
for name, model in models.items():
    feature = model.transform(test)
    r = np.corrcoef(feature[:, 0], truth)[0, 1]
    features[name] = np.sign(r) * feature[:, 0]
    print(f"{name}: {left_open(feature).share():.0%} left open, {r**2:.0%} of the swing told")

# %%
# Weights of products say little. `~predfeat.features.sensitivity` tells how strongly the feature
# responds to each channel, in the mean over typical rows.
responses = sensitivity(models["quadratic"], train).responses[0]

# %%
figure, (left, right) = plt.subplots(
    1, 2, figsize=(10, 3.8), layout="constrained", width_ratios=(2, 1)
)
truth = (truth - truth.mean()) / truth.std()
for i, (name, feature) in enumerate(features.items()):
    scaled = (feature - feature.mean()) / feature.std()
    left.plot(scaled[:300] - 7 * i, color=f"C{i}", lw=0.9, label=f"{name} feature")
    left.plot(truth[:300] - 7 * i, "k:", lw=1.2, label="the truth" if i else None)
left.set(title="How far the channels swing", xlabel="samples after the fit", yticks=[])
left.legend(frameon=False, fontsize=8, loc="upper right", ncols=3)
left.set_ylim(-10, 6)
left.spines[["left"]].set_visible(False)

right.barh([f"x{i}" for i in range(10)], responses, color="C1")
right.invert_yaxis()
right.set(title="What the quadratic one responds to")
for axes in (left, right):
    axes.spines[["top", "right"]].set_visible(False)

# %%
# **What one learns:** where no sum of channels can be predicted, a function of them may be. Try
# `Expanded` after the linear method, and compare both on rows that neither has seen.
