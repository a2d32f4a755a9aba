"""
A system hidden in ten noisy channels
=====================================

Ten channels are recorded. Three numbers that follow a law, the Lorenz system, are in each of them,
and so is noise that has more variance than they have. Where are they?
"""

# %%
# The data, and two ways to reduce it: to the directions of largest variance, and to the most
# predictable ones. GPFA looks at states of two samples and compares each with its ten nearest.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.decomposition import PCA

from predfeat import GPFA
from predfeat.datasets import hidden_lorenz
from predfeat.measures import predictability

X, hidden = hidden_lorenz(4000, random_state=1)
train, test = X[:3000], X[3000:]
pca = PCA(n_components=3).fit(train)
gpfa = GPFA(n_components=3, n_lags=2, n_neighbors=10).fit(train)

# %%
# How much of the features' variance do similar states leave open, on rows that no fit has seen?
for name, model in (("PCA", pca), ("GPFA", gpfa)):
    share = predictability(model.transform(test), n_lags=2, relative=True)
    print(f"{name}: {share:.0%} left to chance")

# %%
# Features are unique up to a rotation among equally good ones. To look at them from the side from
# which the Lorenz system is usually drawn, a linear map turns them there.
found = gpfa.transform(X)
turned = found @ np.linalg.lstsq(found, hidden, rcond=None)[0]
figure, panels = plt.subplots(1, 3, figsize=(10, 3.6), layout="constrained")
for i, channel in enumerate(X[:300].T):
    panels[0].plot(channel - 8 * i, color="0.4", lw=0.7)
panels[1].plot(*pca.transform(X)[:, :2].T, color="0.4", lw=0.25)
panels[2].plot(turned[:, 0], turned[:, 2], color="tab:orange", lw=0.5)
titles = (
    "300 samples of the 10 channels",
    "PCA: the largest variance",
    "GPFA: the most predictable",
)
for axes, title in zip(panels, titles, strict=True):
    axes.set(title=title, xticks=[], yticks=[])
    axes.spines[:].set_visible(False)

# %%
# **What one learns:** what varies most need not be what follows a law. PCA's features are noise;
# the most predictable ones are the system.
