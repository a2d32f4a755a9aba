"""Why features are descended with the full gradient, and from where: `python examples/descent.py`.

Draws the picture of docs/descent.md: a chaotic map hidden among slow channels, the signed graph of
one state, and the objective between a slow channel and the map.
"""

import argparse

import matplotlib.pyplot as plt
import numpy as np

from predfeat import GPFA, DescentFeatures
from predfeat.features import SmoothRegression
from predfeat.measures import left_open, soft_left_open, soft_neighborhoods
from predfeat.series import check_sequences
from predfeat.whitening import fit_whitening

BLUE, RED, GREY = "#2b6ca3", "#c8452f", "0.6"


def hidden_map(n_rows, seed):
    """Mix a logistic map with nine slow channels; return the mixture and the sources."""
    random = np.random.default_rng(seed)
    sources = random.normal(size=(n_rows, 10))
    sources[0, 0] = 0.3
    for t in range(1, n_rows):
        sources[t, 0] = 3.9 * sources[t - 1, 0] * (1 - sources[t - 1, 0])
        sources[t, 1:] += 0.8 * sources[t - 1, 1:]
    sources = (sources - sources.mean(axis=0)) / sources.std(axis=0)
    return sources @ random.normal(size=(10, 10)), sources


def between(sources, degrees):
    """A feature that far from the slow channel, on the way to the map; 90 is the map."""
    angle = np.deg2rad(degrees)
    feature = np.cos(angle) * sources[:, 1] + np.sin(angle) * sources[:, 0]
    return feature / feature.std()


def draw_signed_graph(axes, y):
    around = soft_neighborhoods(y)
    s = int(np.argmin(np.abs(y[around.times] - 0.3)))
    t, members = around.times[s], around.members[s]
    apart = np.square(y[t + 1] - y[members + 1])
    weights = np.exp(-np.square(y[t] - y[members]) / around.bandwidths[s])
    mean = np.average(apart, weights=weights)
    axes.plot(y[:-1], y[1:], ".", color=GREY, ms=4, alpha=0.6)
    for i, squared in zip(members, apart, strict=True):
        color = RED if squared > mean else BLUE
        axes.plot([y[t], y[i]], [y[t + 1], y[i + 1]], color=color, lw=1, alpha=0.8)
        axes.plot(y[i], y[i + 1], "o", color=color, ms=3.5)
    axes.plot(y[t], y[t + 1], "o", color="k", ms=5)
    axes.set_xlabel("feature now")
    axes.set_ylabel("feature one step later")
    axes.set_title("One state: members to pull near (blue)\nand to push away (red)", fontsize=10)


def draw_valleys(axes, sources):
    degrees = np.linspace(0, 180, 181)
    pair = check_sequences(sources[:, [1, 0]])
    regression = SmoothRegression(pair, 1)
    objective, bent = [], []
    for d in degrees:
        y = between(sources, d)
        objective.append(soft_left_open(y, soft_neighborhoods(y), relative=True).value)
        turned = np.array([np.cos(np.deg2rad(d)), np.sin(np.deg2rad(d))])
        bent.append(1 + regression.unlike_a_line(turned)[0])
    axes.plot(degrees, objective, color=BLUE, label="the objective: two valleys")
    axes.plot(degrees, bent, color=RED, label="regression on bends: one")
    axes.set_xticks([0, 45, 90, 135, 180], ["slow\nchannel", "", "map", "", "slow\nchannel"])
    axes.set_ylim(0, 1.3)
    axes.set_ylabel("share left open")
    axes.set_title("From a slow channel to the map:\nwhich way is downhill?", fontsize=10)
    axes.legend(frameon=False, fontsize=8, loc="upper center")


def draw_result(axes, X, sources):
    train, test = X[:2000], X[2000:]
    series = check_sequences(train)
    white = fit_whitening(series).apply(series)
    shares = {}
    for name, method in (("GPFA", GPFA(1)), ("descent", DescentFeatures(1))):
        feature = method.fit(train).transform(test)
        shares[name] = left_open(feature).share()
    shares["the map"] = left_open(sources[2000:, :1]).share()
    axes.bar(list(shares), list(shares.values()), color=[GREY, BLUE, "k"], width=0.6)
    for place, value in enumerate(shares.values()):
        axes.text(place, value, f"{value:.2%}", ha="center", va="bottom", fontsize=9)
    axes.set_ylabel("share left open, new data")
    axes.set_title(f"What is found among {white.n_columns}\nmixed channels", fontsize=10)
    axes.margins(y=0.12)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", nargs="?", default="descent.png", help="the picture to write")
    arguments = parser.parse_args()
    X, sources = hidden_map(3000, 0)
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(11, 3.6), layout="constrained")
    draw_signed_graph(left, between(sources, 70)[:250])  # few enough to see each
    draw_valleys(middle, sources)
    draw_result(right, X, sources)
    for axes in (left, middle, right):
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(arguments.out, dpi=150)
    print(f"{arguments.out} written")


if __name__ == "__main__":
    main()
