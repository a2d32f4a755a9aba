"""Draw what GPFA finds behind ten noisy channels: `python examples/hidden_lorenz.py OUT.png`."""

import sys

import matplotlib.pyplot as plt
import numpy as np

from predfeat import GPFA
from predfeat.datasets import hidden_lorenz

INK, ACCENT, MUTED = "#1f2933", "#c2410c", "#52606d"


def main(path: str) -> None:
    X, hidden = hidden_lorenz(4000, random_state=1)
    model = GPFA(n_components=3, n_lags=2, n_neighbors=10).fit(X)
    features = model.transform(X)
    centred = X - X.mean(axis=0)
    principal = centred @ np.linalg.svd(centred, full_matrices=False)[2][:2].T
    # Features are unique up to a rotation among equally good ones: look from the side from
    # which the hidden system was drawn.
    rotation = np.linalg.lstsq(features, hidden, rcond=None)[0]
    found = features @ rotation

    plt.rcParams.update({"font.size": 10, "text.color": INK, "axes.titlecolor": INK})
    figure, axes = plt.subplots(1, 3, figsize=(11, 3.9), constrained_layout=True)
    for i, channel in enumerate(X[:300].T):
        axes[0].plot(channel - 8 * i, color=MUTED, lw=0.7)
    axes[0].set_title("What was recorded:\n10 channels, 300 of 4000 samples")
    axes[1].plot(*principal.T, color=MUTED, lw=0.25)
    axes[1].set_title("The 2 directions of largest variance\n(PCA): noise")
    axes[2].plot(found[:, 0], found[:, 2], color=ACCENT, lw=0.5)
    axes[2].set_title("The most predictable features\n(GPFA): a Lorenz attractor")
    for axis in axes:
        axis.set(xticks=[], yticks=[])
        axis.spines[:].set_visible(False)
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "hidden_lorenz.png")
