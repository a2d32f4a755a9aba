"""
Which of forty sensors would do
===============================

Features are sums of all channels, but sensors cost money. Here five of forty channels see a
slow process, and the question is which of them are worth their place.
"""

# %%
# The recording: some sensors see the process well, some hardly, and most not at all.
import matplotlib.pyplot as plt
import numpy as np
from scipy.signal import lfilter

from predfeat import GPFA
from predfeat.features import sparsify

random = np.random.default_rng(3)
hidden = lfilter([1.0], [1.0, -0.95], random.normal(size=2000))
hidden /= hidden.std()
X = random.normal(size=(2000, 40))
for channel, strength in {4: 2.0, 11: 1.5, 17: -1.2, 26: 0.9, 33: 0.6}.items():
    X[:, channel] += strength * hidden

# %%
# A feature of all channels first. `~predfeat.features.sparsify` then looks for the few from which
# it can be had. How well that goes is judged on rows that took no part in the choice.
model = GPFA(n_components=1).fit(X)
n_channels = range(1, 9)
sparse = [sparsify(model, X, max_nonzero=n) for n in n_channels]
for few in sparse[:5]:
    print(f"{few.r2_held_out[0]:.2f} of the feature by {', '.join(few.channels[0])}")

# %%
figure, (left, right) = plt.subplots(
    1, 2, figsize=(10, 3.6), layout="constrained", width_ratios=(2, 1)
)
left.bar(np.arange(40), model.components_[0], color="0.75", label="of all channels")
chosen = np.flatnonzero(sparse[4].components[0])
left.plot(chosen, sparse[4].components[0, chosen], "o", ms=5, label="of five channels")
left.axhline(0, color="0.8", lw=0.8)
left.set(title="The feature's weights", xlabel="channel")
left.legend(frameon=False)
kept = [few.r2_held_out[0] for few in sparse]
told = [np.corrcoef(few.transform(X)[:, 0], hidden)[0, 1] ** 2 for few in sparse]
right.plot(n_channels, kept, "o-", ms=4, label="of the feature kept")
right.plot(n_channels, told, "s--", ms=4, label="of the process told")
right.set(title="How well a few channels do", xlabel="channels", ylim=(0.5, 1.02))
right.legend(frameon=False, loc="lower right")
for axes in (left, right):
    axes.spines[["top", "right"]].set_visible(False)

# %%
# **What one learns:** a feature of all channels is no reason to keep all sensors. A few may do
# nearly as well, and where the curve bends is how many are worth their place.
