"""
The year in daily weather
=========================

Six years of daily temperatures, air pressures and rainfall at four stations, made up so that
the truth is known: the season is in the temperatures, fronts cross all stations, and the rest is
noise. Two weeks of one station are missing.
"""

# %%
# The data: 12 columns, a row for each day. Rows that hold a NaN are gaps; nothing has to be filled.
import matplotlib.pyplot as plt
import numpy as np
from scipy.signal import lfilter

from predfeat import GPFA
from predfeat.measures import left_open, periods

random = np.random.default_rng(4)
day = np.arange(6 * 365)
season = np.sin(2 * np.pi * (day - 110) / 365.25)
front = lfilter([1.0], [1.0, -0.75], random.normal(size=len(day)))
columns = []
for _ in range(4):
    columns.append(10 + 8 * season - 1.5 * front + 3 * random.normal(size=len(day)))
    columns.append(1013 - 5 * front + 3 * random.normal(size=len(day)))
    columns.append(np.maximum(0, 2 * front + 3 * random.normal(size=len(day)) - 2))
X = np.column_stack(columns)
X[800:814, 3] = np.nan

# %%
# Three features, and how much of each its past leaves open. `periods` looks for cycles.
model = GPFA(n_components=3, n_lags=2).fit(X)
features = model.transform(X)
shares, cycles = left_open(features, n_lags=2).shares(), periods(features).period
for i in range(3):
    cycle = "no cycle" if np.isnan(cycles[i]) else f"a cycle of {cycles[i]:.0f} days"
    print(f"feature {i + 1}: {shares[i]:.0%} left open, {cycle}")

# %%
figure, panels = plt.subplots(3, 1, figsize=(9, 4.6), sharex=True, layout="constrained")
for i, axes in enumerate(panels):
    axes.plot(day / 365, features[:, i], lw=0.6, color=f"C{i}")
    axes.set_ylabel(f"feature {i + 1}")
    axes.spines[["top", "right"]].set_visible(False)
panels[0].set_title("The season, the fronts, and what is left")
panels[-1].set_xlabel("years")

# %%
# **What one learns:** features come in order of what can be said about tomorrow: the season first,
# fronts next, and then noise. A gap costs its own rows and nothing else.
