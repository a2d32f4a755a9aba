"""Play a simulator and log its episodes."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import numpy as np

from predfeat._compat import POSITIVE, SEED, validate_parameter_constraints
from predfeat._typing import BoolArray, FloatArray

__all__ = ["Episode", "record_episodes"]


@dataclass(frozen=True)
class Episode:
    """One episode of n steps, with the names of Minari's.

    Attributes
    ----------
    observations : list of length n + 1
        From the first to the one after the last action, as the environment returned them.
    actions : list of length n
    rewards : ndarray of shape (n,)
    terminations, truncations : ndarray of bool, shape (n,)
        Only the last entry of one of them can be true. Neither is where the recording stopped
        before the episode did.
    """

    observations: list[Any]
    actions: list[Any]
    rewards: FloatArray
    terminations: BoolArray
    truncations: BoolArray


def record_episodes(
    env: Any,
    n_steps: int,
    *,
    policy: Callable[[Any], Any] | None = None,
    random_state: int = 0,
) -> list[Episode]:
    """Play an environment and log its episodes, for `predfeat.series.from_episodes`.

    Parameters
    ----------
    env : gymnasium.Env
        It is reset at the beginning and after each episode, and is left open.
    n_steps : int
        Steps in all. The last episode may be cut short.
    policy : callable, optional
        Called with an observation, returns an action. By default actions are drawn at random.
    random_state : int, default=0
        Seed of the environment and of its random actions.

    Returns
    -------
    list of Episode

    Examples
    --------
    Any object that is used like an environment of gymnasium can be played:

    >>> from predfeat.datasets import record_episodes
    >>> from predfeat.series import from_episodes
    >>> class Corridor:
    ...     def reset(self, seed=None):
    ...         self.place = 0
    ...         return [self.place], {}
    ...     def step(self, action):
    ...         self.place += action
    ...         return [self.place], 1.0, self.place == 2, False, {}
    >>> log = from_episodes(record_episodes(Corridor(), 3, policy=lambda observation: 1))
    >>> log.X.ravel().tolist(), log.groups.tolist()
    ([0.0, 1.0, 2.0, 0.0, 1.0], [0, 0, 0, 1, 1])
    """
    validate_parameter_constraints(
        {"n_steps": [POSITIVE], "random_state": [SEED], "policy": [callable, None]},
        {"n_steps": n_steps, "random_state": random_state, "policy": policy},
        caller_name="record_episodes",
    )
    if policy is None:
        env.action_space.seed(random_state)
    episodes: list[Episode] = []
    n_left = n_steps
    while n_left:
        seed = None if episodes else random_state
        episodes.append(_play(env, policy, seed, n_left))
        n_left -= len(episodes[-1].actions)
    return episodes


def _play(
    env: Any, policy: Callable[[Any], Any] | None, seed: int | None, most_steps: int
) -> Episode:
    observation, _ = env.reset(seed=seed)
    # Some environments change their arrays in place.
    observations = [deepcopy(observation)]
    actions: list[Any] = []
    outcomes: list[tuple[float, bool, bool]] = []
    while len(actions) < most_steps:
        action = env.action_space.sample() if policy is None else policy(observation)
        observation, reward, terminated, truncated, _ = env.step(action)
        observations.append(deepcopy(observation))
        actions.append(deepcopy(action))
        outcomes.append((float(reward), bool(terminated), bool(truncated)))
        if terminated or truncated:
            break
    rewards, terminations, truncations = zip(*outcomes, strict=True)
    return Episode(
        observations, actions, np.array(rewards), np.array(terminations), np.array(truncations)
    )
