"""
Noise that can be predicted
===========================

The paper's toy: ten columns of white noise. Two of them are not independent of each other, as one
is what the other was a step before, so that half of their variance follows from the past. No column
is slow, and none is larger than the others.
"""

# %%
# Which methods see it? Each is fitted to one part of the series and judged on another, by the share
# of the variance that similar states leave open. 50 % is the truth, 100 % is chance.
import matplotlib.pyplot as plt

from predfeat import DCA, GPFA, PFA, SFA, ForeCA, RandomFeatures
from predfeat.datasets import predictable_noise
from predfeat.measures import predictability

X = predictable_noise(3000, 10, random_state=0)
train, test = X[:1500], X[1500:]
methods = {
    "random": RandomFeatures(2),
    "SFA": SFA(2),
    "PFA": PFA(2),
    "DCA": DCA(2, n_window=1),
    "ForeCA": ForeCA(2),
    "GPFA (1)": GPFA(2, graph="full"),
    "GPFA (2)": GPFA(2),
}
shares = {
    name: predictability(method.fit(train).transform(test), relative=True, ddof=1)
    for name, method in methods.items()
}

# %%
# How the seven compare:
figure, axes = plt.subplots(figsize=(7, 3.2), layout="constrained")
bars = axes.barh(list(shares), list(shares.values()), color="tab:blue")
axes.bar_label(bars, fmt="{:.0%}", padding=3)
axes.axvline(0.5, color="0.3", lw=1, ls=":")
axes.text(0.5, 6.55, "the truth", ha="center", va="bottom", color="0.3")
axes.set(xlabel="share of variance left to chance, on new data", xlim=(0, 1.1))
axes.spines[["top", "right"]].set_visible(False)

# %%
# **What one learns:** methods see what they look for. Nothing here is slow, and SFA and PFA are
# hardly better than chance; the four others find all that there is.
