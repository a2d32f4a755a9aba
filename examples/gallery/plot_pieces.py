"""
A recording in pieces
=====================

A sensor sends its samples in packets, day after day. SFA and PFA need not wait for the end, nor
hold the whole recording: they keep sums and the last few rows.
"""

# %%
# Packets of any size. After each one the features are those of one fit to all rows so far.
import matplotlib.pyplot as plt
import numpy as np

from predfeat import PFA, SFA
from predfeat.datasets import hidden_lorenz
from predfeat.measures import subspace_angles

X, _ = hidden_lorenz(20_000, random_state=0)
ends = np.unique(np.geomspace(60, len(X), 25).astype(int))
angles = {}
for method in (SFA, PFA):
    whole, growing = method(3).fit(X), method(3)
    angles[method.__name__] = []
    for start, end in zip([0, *ends[:-1]], ends, strict=True):
        growing.partial_fit(X[start:end])
        angles[method.__name__].append(subspace_angles(growing, whole, X)[0])
    print(f"{method.__name__}: {angles[method.__name__][-1]:.1e} degrees apart after all pieces")

# %%
figure, axes = plt.subplots(figsize=(7, 3.4), layout="constrained")
for name, values in angles.items():
    axes.loglog(ends[:-1], values[:-1], "o-", ms=3, label=name)
axes.set(xlabel="samples that have come", ylabel="degrees from the final features")
axes.legend(frameon=False)
axes.spines[["top", "right"]].set_visible(False)

# %%
# **What one learns:** more data does not need more memory. A few thousand samples are within a
# degree or so of what twenty thousand say, and in the end nothing is lost by having come in pieces.
