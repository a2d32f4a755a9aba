"""
What comes next, and how sure that is
=====================================

Three chaotic dimensions, hidden in ten noisy channels, are found, and forecast for 30 steps with
intervals. The rows after the fit then tell how good the forecasts were, and how honest.
"""

# %%
# `Forecaster` finds the features, learns what follows their states, and calibrates the intervals
# on rows that it did not learn from.
import matplotlib.pyplot as plt
import numpy as np

from predfeat import GPFA, Forecaster
from predfeat.datasets import hidden_lorenz

X, _ = hidden_lorenz(4000, random_state=0)
past, now, n_steps = X[:3000], 3850, 30
model = Forecaster(GPFA(n_components=3, n_lags=2), n_steps=n_steps, level=0.9).fit(past)
ahead = model.predict(X[: now + 1])

# %%
# How good: the share of the mean's squared error that is avoided, on 1000 rows that came later.
# How honest: how often what came was inside the interval.
found = model.evaluate(X[3000:])
for h in (1, 10, 30):
    skill, inside = found.skill()[h - 1], found.coverage[h - 1].mean()
    print(f"{h:2d} steps ahead: skill {skill:.3f}, {inside:.0%} inside the interval")
print(f"all steps and features: {found.coverage.mean():.0%}, where {found.level:.0%} was announced")

# %%
figure, (fan, skills, coverage) = plt.subplots(1, 3, figsize=(11, 3.4), layout="constrained")
steps = np.arange(1, n_steps + 1)
truth = model.model_.features.transform(X)[:, 0]
fan.plot(np.arange(-60, 1), truth[now - 60 : now + 1], color="0.6")
fan.fill_between(steps, ahead.lower[:, 0], ahead.upper[:, 0], alpha=0.25, lw=0, label="90 %")
fan.plot(steps, ahead.mean[:, 0], label="forecast")
fan.plot(steps, truth[now + 1 : now + 1 + n_steps], "k:", label="what came")
fan.set(title="A feature and its next 30 steps", xlabel="steps from now", yticks=[])
fan.legend(frameon=False, fontsize=8, loc="lower left")

climatology = found.climatology.sum(axis=1)
skills.plot(steps, found.skill(), label="forecast")
skills.plot(steps, 1 - found.linear.sum(axis=1) / climatology, label="linear autoregression")
skills.plot(steps, 1 - found.persistence.sum(axis=1) / climatology, c="0.6", label="newest value")
skills.axhline(0, color="0.8", lw=1)
skills.set(title="Skill", xlabel="steps ahead", ylim=(-0.3, 1.05))
skills.legend(frameon=False, fontsize=8, loc="center right")

coverage.plot(steps, found.coverage, lw=0.8, label=[f"feature {i + 1}" for i in range(3)])
coverage.axhline(found.level, color="k", ls=":", lw=1)
coverage.set(title="Share inside the interval", xlabel="steps ahead", ylim=(0.5, 1.02))
coverage.legend(frameon=False, fontsize=8, loc="lower left")
for axes in (fan, skills, coverage):
    axes.spines[["top", "right"]].set_visible(False)

# %%
# **What one learns:** features that follow a law can be forecast far beyond where a linear model
# ends. Check the attained coverage: rows of one series are no independent trials, so that it comes
# near what was announced, but not exactly.
