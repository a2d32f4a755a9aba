"""
A robot's compass
=================

A robot drives through a hall and is told to go on, to turn left or to turn right, at random. Its
eight sensors mix the direction it looks in with six drifts. Where it looks next is known only to
those who know the command: without it, the drifts are all there is to predict.
"""

# %%
# Twenty episodes, each with one observation more than commands. `~predfeat.series.from_episodes`
# joins them so that nothing reaches from one episode into the next.
import matplotlib.pyplot as plt
import numpy as np

from predfeat import GPFA
from predfeat.series import from_episodes

TURNS = np.deg2rad([0, 120, -120])  # on, left, right
N_SENSORS, N_STEPS = 8, 100


def drive(mixing, random):
    """Return an episode, and the direction that the robot looks in at each of its times."""
    commands = random.integers(3, size=N_STEPS)
    slips = 0.05 * random.normal(size=N_STEPS)
    start = random.uniform(0, 2 * np.pi)
    angle = start + np.append(0, np.cumsum(TURNS[commands] + slips))
    direction = np.column_stack([np.cos(angle), np.sin(angle)])
    drifts = random.normal(size=(N_STEPS + 1, N_SENSORS - 2))
    for t in range(N_STEPS):
        drifts[t + 1] += 0.9 * drifts[t]
    observations = np.hstack([direction, drifts]) @ mixing
    return {"observations": observations, "actions": commands}, direction


def share_explained(direction, features):
    """Return the share of the direction's variance that is a linear function of the features."""
    design = np.column_stack([features, np.ones(len(features))])
    left = direction - design @ np.linalg.lstsq(design, direction, rcond=None)[0]
    return 1 - np.square(left).sum() / np.square(direction - direction.mean(axis=0)).sum()


random = np.random.default_rng(0)
mixing = random.normal(size=(N_SENSORS, N_SENSORS))
driven = [drive(mixing, random) for _ in range(20)]
log = from_episodes(episode for episode, _ in driven)
direction = np.concatenate([seen for _, seen in driven])
print(f"{len(log.X)} rows of {N_SENSORS} sensors in {log.groups[-1] + 1} episodes")

# %%
# With ``actions``, only states with the same command are compared.
figure, panels = plt.subplots(1, 2, figsize=(8, 3.8), layout="constrained")
angle = np.arctan2(direction[:, 1], direction[:, 0])
for axes, (name, actions) in zip(
    panels, (("without actions", None), ("with actions", log.actions)), strict=True
):
    model = GPFA(n_components=2).fit(log.X, groups=log.groups, actions=actions)
    features = model.transform(log.X)
    share = share_explained(direction, features)
    print(f"GPFA {name}: {share:.1%} of the compass in its two features")
    dots = axes.scatter(*features.T, c=angle, s=4, cmap="twilight")
    axes.set(title=f"{name}: {share:.0%} of the compass", xlabel="feature 1", ylabel="feature 2")
    axes.set_aspect("equal")
figure.colorbar(dots, ax=panels, label="direction that the robot looks in")

# %%
# **What one learns:** for an agent, "what comes next" is a question about what it does. Tell the
# method the actions, and it finds what they move.
