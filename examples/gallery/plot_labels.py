"""
Modes of a machine
==================

A machine runs in one of three modes, and its thirty sensors see the mode, three slow drifts and
noise. Only 30 of 3000 samples have a label. Time alone finds the drifts, labels alone find too
little, and both together find the modes.
"""

# %%
# What the sensors see.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.neighbors import NearestCentroid

from predfeat import GPFA
from predfeat.graph import Future, Past, SameLabel

SEED, N_LABELS = 0, 30
CORNERS = np.array([[0.0, 1.0], [0.87, -0.5], [-0.87, -0.5]])


def machine(n_rows, random, mixing):
    """Return what the sensors see, and the mode of each row."""
    mode = np.repeat(random.integers(0, 3, size=n_rows // 40 + 1), 40)[:n_rows]
    seen = 2.0 * CORNERS[mode] + random.normal(size=(n_rows, 2))
    drifts = np.zeros((n_rows, 3))
    for t in range(1, n_rows):
        drifts[t] = 0.99 * drifts[t - 1] + 0.3 * random.normal(size=3)
    noise = random.normal(size=(n_rows, 25))
    return np.column_stack([seen, drifts, noise]) @ mixing, mode


random = np.random.default_rng(SEED)
mixing = random.normal(size=(30, 30))
X, mode = machine(3000, random, mixing)
X_new, mode_new = machine(1500, random, mixing)
known = random.permutation(3000)[:N_LABELS]
label = np.full(3000, np.nan)
label[known] = mode[known]

# %%
# Each reason to belong together is an edge term. A sample of new data is given the mode whose
# labelled samples have the nearest mean.
ways = {
    "time alone": [Future(), Past()],
    "labels alone": [SameLabel()],
    "both": [Future(), Past(), SameLabel(weight=2)],
}
figure, panels = plt.subplots(1, 3, figsize=(10, 3.6), layout="constrained")
for axes, (name, terms) in zip(panels, ways.items(), strict=True):
    model = GPFA(2, terms=terms).fit(X, label if name != "time alone" else None)
    Y, Y_new = model.transform(X), model.transform(X_new)
    right = NearestCentroid().fit(Y[known], mode[known]).score(Y_new, mode_new)
    print(f"{name}: {right:.0%} of new samples are given the right mode")
    for m, color in enumerate(("#2b6ca3", "#c8452f", "#8a8d3b")):
        axes.plot(*Y_new[mode_new == m].T, ".", ms=3, color=color, label=f"mode {m + 1}")
    axes.set_title(f"{name}: {right:.0%} of new samples right", fontsize=10)
    axes.set(xlabel="feature 1", ylabel="feature 2", xticks=[], yticks=[])
    axes.spines[["top", "right"]].set_visible(False)
panels[0].legend(frameon=False, markerscale=3, loc="upper right", fontsize=8)

# %%
# **What one learns:** one label in a hundred samples is enough, if time helps to say what belongs
# together.
