"""
Stock returns, and nothing found
================================

A method that looks for the most predictable features finds *some* in noise, too: of all directions,
one looks best. Here are returns of prices that walk at random. Are the features real?
"""

# %%
# Twelve stocks share a market, all have heavy tails, and nothing can be predicted.
import matplotlib.pyplot as plt
import numpy as np

from predfeat import GPFA, significance

random = np.random.default_rng(3)
market = random.standard_t(4, size=(500, 1))
returns = 0.01 * (0.7 * market + random.standard_t(4, size=(500, 12)))

# %%
# `significance` repeats the whole fit on returns in random order, and compares each feature with
# the *best* feature of each of these. A second test has the same returns, but with something in
# them: a part of the first three follows the fourth of the day before.
planted = returns.copy()
planted[1:, :3] += 0.6 * returns[:-1, 3:4]
model = GPFA(n_components=3, max_iter=10)
tests = {
    "a random walk": significance(model, returns, n_surrogates=39),
    "something planted": significance(model, planted, n_surrogates=39),
}
for name, result in tests.items():
    print(f"{name}: {result.n_significant} of 3 features are more than chance")

# %%
figure, panels = plt.subplots(1, 3, figsize=(10, 3.3), layout="constrained")
panels[0].plot(100 * np.exp(np.cumsum(returns, axis=0)), lw=0.6)
panels[0].set(title="prices", xlabel="day")
for axes, (name, result) in zip(panels[1:], tests.items(), strict=True):
    best = result.surrogate_statistics.min(axis=1)
    axes.hist(best, bins=12, color="0.75", label="best of each surrogate")
    for i, value in enumerate(result.statistics):
        axes.axvline(value, color=f"C{i}", label=f"feature {i + 1}")
    axes.set(title=f"{name}: {result.n_significant} found", xlabel="share left open", yticks=[])
panels[1].legend(fontsize=8, frameon=False)

# %%
# **What one learns:** "nothing found" is a result. In prices that walk at random the best of three
# features is no better than the best of noise, and something real would have stood out.
