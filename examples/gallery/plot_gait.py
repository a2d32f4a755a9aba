"""
The phase of a step
===================

Eight people walk for a few seconds each, with two watches that measure acceleration and turning in
three directions. Everyone walks at a pace of their own. Which two numbers tell where in a step
somebody is, whoever it is?
"""

# %%
# Each trial is a sequence: ``groups`` says which rows belong together, and no state or step crosses
# from one person into the next. All sensors see the phase, bent by harmonics, and much noise.
import matplotlib.pyplot as plt
import numpy as np

from predfeat import GPFA
from predfeat.measures import predictability
from predfeat.series import from_list

random = np.random.default_rng(2)
mixing = random.normal(size=(4, 12))
trials, phases = [], []
for _ in range(8):
    step = random.uniform(0.22, 0.32)  # of a step, in each sample
    phase = np.cumsum(step + 0.03 * random.normal(size=300))
    waves = np.column_stack(
        [np.cos(phase), np.sin(phase), 0.5 * np.cos(2 * phase), np.sin(3 * phase) / 3]
    )
    trials.append(waves @ mixing + 0.9 * random.normal(size=(300, 12)))
    phases.append(phase)
X, groups = from_list(trials)
phase = np.concatenate(phases)

# %%
# Six people to learn from, two to test on.
is_train = groups < 6
model = GPFA(n_components=2, n_lags=4).fit(X[is_train], groups=groups[is_train])
new = model.transform(X[~is_train])
share = predictability(new, n_lags=4, groups=groups[~is_train], relative=True)
print(f"people that no fit has seen: {share:.0%} left to chance")

# %%
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained")
for i in range(4):
    left.plot(X[groups == 6][:100, i] - 8 * i, color="0.4", lw=0.8)
left.set(title="4 of 12 sensors, 100 samples", xticks=[], yticks=[])
dots = right.scatter(*new.T, c=phase[~is_train] % (2 * np.pi), s=7, cmap="twilight")
right.set(
    title="two features of new people", xlabel="feature 1", ylabel="feature 2", aspect="equal"
)
figure.colorbar(dots, ax=right, label="true phase of the step")

# %%
# **What one learns:** trials of different people become one model without ever being joined end to
# end, and it holds for people it has not seen.
