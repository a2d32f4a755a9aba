"""Forecasts of hidden chaos, and how far they may be trusted: `python examples/forecast_lorenz.py`.

Draws the picture of docs/forecasts.md: a forecast with its interval beside what came, skill by
steps ahead, and intervals that adapt when the noise grows.
"""

import argparse

import matplotlib.pyplot as plt
import numpy as np
from scipy.signal import lfilter

from predfeat import GPFA, Forecaster
from predfeat.datasets import hidden_lorenz

BLUE, RED, GREY = "#2b6ca3", "#c8452f", "0.6"
N_STEPS, N_TRAIN = 40, 6000


def draw_fan(axes, model, X, now):
    ahead = model.predict(X[: now + 1])
    truth = model.model_.features.transform(X)[:, 0]
    before, after = np.arange(-60, 1), np.arange(1, N_STEPS + 1)
    axes.plot(before, truth[now - 60 : now + 1], color=GREY)
    axes.fill_between(
        after, ahead.lower[:, 0], ahead.upper[:, 0], color=BLUE, alpha=0.2, lw=0, label="90 %"
    )
    axes.plot(after, ahead.mean[:, 0], color=BLUE, label="forecast")
    came = truth[now + 1 : now + 1 + N_STEPS]
    axes.plot(after, came, color="k", ls=":", label="what came")
    axes.set_xlabel("steps ahead")
    axes.set_title("A feature found among noise")
    axes.legend(frameon=False, fontsize=8, loc="lower left")


def draw_skill(axes, found):
    steps = np.arange(1, N_STEPS + 1)
    linear = 1 - found.linear.sum(axis=1) / found.climatology.sum(axis=1)
    newest = 1 - found.persistence.sum(axis=1) / found.climatology.sum(axis=1)
    axes.axhline(0, color="0.8", lw=1)
    axes.plot(steps, found.skill(), color=BLUE, label="forecast")
    axes.plot(steps, linear, color=RED, label="linear autoregression")
    axes.plot(steps, newest, color=GREY, label="newest value")
    axes.set_ylim(-0.3, 1.05)
    axes.set_xlabel("steps ahead")
    axes.set_title("Skill on 2000 new rows")
    axes.legend(frameon=False, fontsize=8, loc="upper right", bbox_to_anchor=(1.0, 0.82))


def draw_drift(axes):
    random = np.random.default_rng(0)
    n_before, n_after = 1000, 1000
    size = np.r_[np.ones(n_before), np.linspace(1, 3, n_after)]
    X = lfilter([1.0], [1.0, -0.7], size * random.normal(size=len(size)))[:, None]
    for adapts, color in ((False, RED), (True, BLUE)):
        model = Forecaster(n_steps=1, adaptation_rate=0.02).fit(X[:n_before])
        inside = []
        for t in range(n_before, len(X)):
            ahead = model.predict(X[t - 1 : t])
            inside.append(ahead.lower[0, 0] <= X[t, 0] <= ahead.upper[0, 0])
            if adapts:
                model.update(X[t : t + 1])
        smooth = np.convolve(inside, np.ones(150) / 150, mode="valid")
        axes.plot(
            np.arange(len(smooth)) + 150, smooth, color=color,
            label="with update" if adapts else "without",
        )  # fmt: skip
    axes.axhline(0.9, color="k", lw=1, ls=":")
    axes.set_ylim(0.3, 1.02)
    axes.set_xlabel("rows since the fit; the noise grows threefold")
    axes.set_title("Share inside the interval, last 150 rows")
    axes.legend(frameon=False, fontsize=8, loc="lower left")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", nargs="?", default="forecasts.png", help="the picture to write")
    arguments = parser.parse_args()
    X, _ = hidden_lorenz(8000, random_state=0)
    model = Forecaster(GPFA(n_components=3, n_lags=2), n_steps=N_STEPS).fit(X[:N_TRAIN])
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(11, 3.4), layout="constrained")
    draw_fan(left, model, X, now=6840)
    draw_skill(middle, model.evaluate(X[N_TRAIN:]))
    draw_drift(right)
    for axes in (left, middle, right):
        axes.spines[["top", "right"]].set_visible(False)
        axes.title.set_fontsize(10)
        axes.xaxis.label.set_fontsize(9)
    figure.savefig(arguments.out, dpi=150)
    print(f"{arguments.out} written")


if __name__ == "__main__":
    main()
