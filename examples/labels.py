"""Features from time and a few labels: `python examples/labels.py`.

A machine runs in one of three modes, and its thirty sensors see the mode, three slow drifts and
noise. Only 30 of 3000 samples have a label. Time alone finds the drifts, labels alone find too
little, and both together find the modes. Draws the picture of docs/labels.md.
"""

import argparse

import matplotlib.pyplot as plt
import numpy as np
from sklearn.neighbors import NearestCentroid

from predfeat import GPFA
from predfeat.graph import Future, Past, SameLabel

COLORS = ("#2b6ca3", "#c8452f", "#8a8d3b")
CORNERS = np.array([[0.0, 1.0], [0.87, -0.5], [-0.87, -0.5]])
N_LABELS = 30
WAYS = {
    "time alone": [Future(), Past()],
    "labels alone": [SameLabel()],
    "both": [Future(), Past(), SameLabel(weight=2)],
}


def machine(n_rows, random, mixing):
    """Return what the sensors see, and the mode of each row."""
    mode = np.repeat(random.integers(0, 3, size=n_rows // 40 + 1), 40)[:n_rows]
    seen = 2.0 * CORNERS[mode] + random.normal(size=(n_rows, 2))
    drifts = np.zeros((n_rows, 3))
    for t in range(1, n_rows):
        drifts[t] = 0.99 * drifts[t - 1] + 0.3 * random.normal(size=3)
    noise = random.normal(size=(n_rows, 25))
    return np.column_stack([seen, drifts, noise]) @ mixing, mode


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", nargs="?", default="labels.png", help="the picture to write")
    parser.add_argument("--seed", type=int, default=0, help="of the machine")
    arguments = parser.parse_args()
    random = np.random.default_rng(arguments.seed)
    mixing = random.normal(size=(30, 30))
    X, mode = machine(3000, random, mixing)
    X_new, mode_new = machine(1500, random, mixing)
    known = random.permutation(3000)[:N_LABELS]
    label = np.full(3000, np.nan)
    label[known] = mode[known]
    figure, panels = plt.subplots(1, 3, figsize=(10, 3.6), layout="constrained")
    for axes, (name, terms) in zip(panels, WAYS.items(), strict=True):
        model = GPFA(2, terms=terms).fit(X, label if name != "time alone" else None)
        Y, Y_new = model.transform(X), model.transform(X_new)
        right = NearestCentroid().fit(Y[known], mode[known]).score(Y_new, mode_new)
        print(f"{name}: {right:.0%} of new samples are given the right mode")
        for m, color in enumerate(COLORS):
            axes.plot(*Y_new[mode_new == m].T, ".", ms=3, color=color, label=f"mode {m + 1}")
        axes.set_title(f"{name}: {right:.0%} of new samples right", fontsize=10)
        axes.set_xlabel("feature 1")
        axes.set_ylabel("feature 2")
        axes.set_xticks([])
        axes.set_yticks([])
        axes.spines[["top", "right"]].set_visible(False)
    panels[0].legend(frameon=False, markerscale=3, loc="upper right", fontsize=8)
    figure.savefig(arguments.out, dpi=150)
    print(f"{arguments.out} written")


if __name__ == "__main__":
    main()
