"""From a robot's log to its compass, with and without its commands: `python examples/robot_log.py`.

A robot drives through a hall and is told to go on, to turn left or to turn right, at random. Its
eight sensors mix the direction it looks in with six drifts. Where it looks next is known only to
those who know the command: without it, the drifts are all there is to predict.
"""

import argparse

import numpy as np

from predfeat import GPFA
from predfeat.series import from_episodes

ON, LEFT, RIGHT = range(3)
TURNS = np.deg2rad([0, 120, -120])
N_SENSORS = 8


def drive(n_steps, mixing, random):
    """Return an episode, and the direction that the robot looks in at each of its times."""
    commands = random.integers(3, size=n_steps)
    slips = 0.05 * random.normal(size=n_steps)
    start = random.uniform(0, 2 * np.pi)
    angle = start + np.append(0, np.cumsum(TURNS[commands] + slips))
    direction = np.column_stack([np.cos(angle), np.sin(angle)])
    drifts = random.normal(size=(n_steps + 1, N_SENSORS - 2))
    for t in range(n_steps):
        drifts[t + 1] += 0.9 * drifts[t]
    observations = np.hstack([direction, drifts]) @ mixing
    return {"observations": observations, "actions": commands}, direction


def share_explained(direction, features):
    """Return the share of the direction's variance that is a linear function of the features."""
    design = np.column_stack([features, np.ones(len(features))])
    left = direction - design @ np.linalg.lstsq(design, direction, rcond=None)[0]
    return 1 - np.square(left).sum() / np.square(direction - direction.mean(axis=0)).sum()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--episodes", type=int, default=20)
    parser.add_argument("--steps", type=int, default=100, help="of each episode")
    parser.add_argument("--random-state", type=int, default=0)
    arguments = parser.parse_args()
    random = np.random.default_rng(arguments.random_state)
    mixing = random.normal(size=(N_SENSORS, N_SENSORS))
    driven = [drive(arguments.steps, mixing, random) for _ in range(arguments.episodes)]
    log = from_episodes(episode for episode, _ in driven)
    direction = np.concatenate([seen for _, seen in driven])
    print(f"{len(log.X)} rows of {N_SENSORS} sensors in {log.groups[-1] + 1} episodes")

    for name, actions in (("without actions", None), ("with actions", log.actions)):
        model = GPFA(n_components=2).fit(log.X, groups=log.groups, actions=actions)
        features = model.transform(log.X)
        share = share_explained(direction, features)
        print(f"GPFA {name}: {share:.1%} of the compass in its two features")


if __name__ == "__main__":
    main()
