"""Convert logged episodes of an agent or a robot to (X, groups, actions, rewards)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from predfeat._typing import AnyArray, BoolArray, FloatArray, IntArray
from predfeat.exceptions import DimensionError, EpisodesError, NotNumericError
from predfeat.series._actions import check_actions, join_actions
from predfeat.series._matrix import check_matrix
from predfeat.series._observations import Layout, as_array, columns_of, flatten_rows

__all__ = ["Episodes", "from_episodes"]

_ENDS = ("terminations", "truncations", "terminals", "timeouts")


@dataclass(frozen=True)
class Episodes:
    """Logged episodes, one row per observation.

    Attributes
    ----------
    X : ndarray of shape (n_rows, n_columns)
        The observations. float32 if all of them are, as its rounding would otherwise count as
        signal; float64 otherwise.
    groups : ndarray of int, shape (n_rows,)
        The number of the episode each row comes from.
    actions : ndarray of shape (n_rows,) or (n_rows, n_action_columns)
        The action that leads from each row to the next. Discrete actions (whole numbers, bools,
        text) have one dimension: numbers are floats and NaN where there is no action, all else
        is kept in an array of objects, with None where there is none. Continuous actions have two
        dimensions, and rows of NaN. The last row of an episode has no action.
    rewards : ndarray of shape (n_rows,), or None
        The reward for the step from each row to the next, NaN in the last row of an episode. None
        if the log has no rewards.
    names : tuple of str
        Of the columns.
    """

    X: AnyArray
    groups: IntArray
    actions: AnyArray
    rewards: FloatArray | None
    names: tuple[str, ...]


@dataclass(frozen=True)
class _Episode:
    """n + 1 rows, and the n actions and rewards between them."""

    rows: FloatArray
    is_single: bool  # its numbers are float32
    layout: Layout
    actions: AnyArray
    rewards: FloatArray | None


def from_episodes(episodes: Iterable[Any] | Mapping[str, Any]) -> Episodes:
    """Convert logged episodes to X, groups, actions and rewards.

    Parameters
    ----------
    episodes : iterable of episodes, or dict
        Either one entry per episode, as in a dataset of Minari: an object or a dict with
        `observations` (n + 1 of them, from the first to that after the last action), `actions`
        (n) and, if there are any, `rewards` (n). It is read once, so it may be a generator.

        Or one dict with all steps one after the other, as in D4RL: `observations`, `actions` and
        `terminals`, and, if there are any, `rewards`, `timeouts` and `next_observations`, all of
        the same length. An episode ends where a terminal or a timeout is true. With
        `next_observations` it also ends where the next observation is not that of the next step,
        and its last observation is added; without them its last action leads nowhere and is left
        out.

        Pictures are flattened row by row. Observations that are dicts (of dicts) are flattened
        in the alphabetical order of their keys, tuples in their own order. Actions of one dimension
        are continuous if they are floats, and discrete otherwise. Those of several columns, and
        dicts and tuples of actions, are continuous.

    Returns
    -------
    Episodes

    Raises
    ------
    EpisodesError
        An entry is missing, there are no episodes, lengths do not fit, episodes differ in their
        columns or their actions, or go on after an end.
    DimensionError
        Observations are no rows of numbers, or rows differ in length.

    Examples
    --------
    >>> from predfeat.series import from_episodes
    >>> first = {"observations": [[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]], "actions": [7, 8]}
    >>> second = {"observations": [[0.0, 0.0], [1.0, 1.0]], "actions": [8]}
    >>> log = from_episodes([first, second])
    >>> log.X.shape, log.groups.tolist(), log.actions.tolist()
    ((5, 2), [0, 0, 0, 1, 1], [7.0, 8.0, nan, 8.0, nan])

    The same log as one table of steps, where the last observations are in a column of their own:

    >>> steps = {
    ...     "observations": [[0.0, 1.0], [2.0, 3.0], [0.0, 0.0]],
    ...     "next_observations": [[2.0, 3.0], [4.0, 5.0], [1.0, 1.0]],
    ...     "actions": [7, 8, 8],
    ...     "terminals": [False, True, True],
    ... }
    >>> from_episodes(steps).actions.tolist()
    [7.0, 8.0, nan, 8.0, nan]
    """
    if isinstance(episodes, Mapping):
        parts = list(_episodes_of_steps(episodes))
    elif isinstance(episodes, Iterable) and not isinstance(episodes, str | bytes):
        parts = [_episode(entry, f"episode {i}") for i, entry in enumerate(episodes)]
    else:
        raise EpisodesError(
            "episodes must be an iterable of episodes, or a dict of steps, but they are of type "
            f"{type(episodes).__name__}. A single episode is given as [episode]."
        )
    if not parts:
        raise EpisodesError("there are no episodes: give at least one.")
    _refuse_other_columns(parts)
    X = np.concatenate([part.rows for part in parts])
    if all(part.is_single for part in parts):
        X = X.astype(np.float32)
    lengths = [len(part.rows) for part in parts]
    return Episodes(
        X=X,
        groups=np.repeat(np.arange(len(parts)), lengths),
        actions=join_actions([part.actions for part in parts]),
        rewards=_join_rewards([part.rewards for part in parts], lengths),
        names=columns_of(parts[0].layout),
    )


def _episode(entry: Any, name: str) -> _Episode:
    values, is_single, layout = _rows(_needed(entry, "observations", name), name)
    actions = check_actions(_needed(entry, "actions", name), name)
    n_rows, n_steps = len(values), len(actions)
    if n_rows == 0:
        raise EpisodesError(f"{name} has no observations. Leave empty episodes out.")
    if n_rows != n_steps + 1:
        raise EpisodesError(
            f"{name} has {n_rows} observations and {n_steps} actions, but n actions lead through "
            "n + 1 observations, the one after the last action included. If that one was not "
            "logged, drop the last action and its reward."
        )
    rewards = _rewards(_entry(entry, "rewards"), n_steps, name)
    for key in _ENDS:
        before_last = np.flatnonzero(_flags(entry, key, n_steps, name)[:-1])
        if before_last.size:
            raise EpisodesError(
                f"{name} goes on after {key}[{before_last[0]}], which is true, although only the "
                f"last of its {n_steps} steps may end it: nothing may cross a reset. Give what "
                "comes after it as another episode."
            )
    return _Episode(values, is_single, layout, actions, rewards)


def _episodes_of_steps(steps: Mapping[str, Any]) -> Iterator[_Episode]:
    """Cut a dict of all steps, as D4RL's, into its episodes."""
    name = "the dict of steps"
    values, is_single, layout = _rows(_needed(steps, "observations", name), name)
    n_steps = len(values)
    actions = check_actions(_needed(steps, "actions", name), name)
    if len(actions) != n_steps:
        raise EpisodesError(
            f"{name} has {n_steps} observations and {len(actions)} actions, but a step has one of "
            "each. A single episode, with one observation more, is given as [episode]."
        )
    rewards = _rewards(_entry(steps, "rewards"), n_steps, name)
    _needed(steps, "terminals", name)
    ends = _flags(steps, "terminals", n_steps, name) | _flags(steps, "timeouts", n_steps, name)
    following = _following(steps, values, layout, name)
    if following is not None:
        # D4RL's own tables for Q-learning have no time-outs: there the observations jump.
        same = (following[:-1] == values[1:]) | (np.isnan(following[:-1]) & np.isnan(values[1:]))
        ends[:-1] |= ~same.all(axis=1)
    ends[-1:] = True
    first = 0
    for last in map(int, np.flatnonzero(ends)):
        rows, stop = values[first : last + 1], last
        if following is not None:
            rows, stop = np.concatenate([rows, following[last : last + 1]]), last + 1
        own = None if rewards is None else rewards[first:stop]
        yield _Episode(rows, is_single, layout, actions[first:stop], own)
        first = last + 1


def _following(
    steps: Mapping[str, Any], values: FloatArray, layout: Layout, name: str
) -> FloatArray | None:
    given = _entry(steps, "next_observations")
    if given is None:
        return None
    following, _, same_layout = _rows(given, name, "next_observations")
    if len(following) != len(values) or layout != same_layout:
        raise EpisodesError(
            f"the next_observations of {name} have shape {following.shape}, its observations have "
            f"shape {values.shape}: they must have the same rows and the same columns."
        )
    return following


def _rows(given: Any, name: str, key: str = "observations") -> tuple[FloatArray, bool, Layout]:
    what = f"the {key} of {name}"
    flat, layout = flatten_rows(given, what)
    if flat.shape[1] == 0:
        raise DimensionError(f"{what} have no columns (shape {flat.shape}): give at least one.")
    return check_matrix(flat, name=what, min_rows=0).values, flat.dtype == np.float32, layout


def _entry(entry: Any, key: str) -> Any:
    return entry.get(key) if isinstance(entry, Mapping) else getattr(entry, key, None)


def _needed(entry: Any, key: str, name: str) -> Any:
    value = _entry(entry, key)
    if value is not None:
        return value
    if key == "terminals":
        raise EpisodesError(
            f"{name} has no terminals, which say where episodes end. Add them, one bool per step. "
            "A single episode is given as [episode]."
        )
    kind = f"a dict of {list(entry)}" if isinstance(entry, Mapping) else type(entry).__name__
    raise EpisodesError(
        f"{name}, {kind}, has no {key}. Give objects, such as Minari's episodes, or dicts with "
        "observations, actions and, if there are any, rewards."
    )


def _rewards(given: Any, n_steps: int, name: str) -> FloatArray | None:
    if given is None:
        return None
    try:
        rewards = as_array(given, f"the rewards of {name}").astype(np.float64)
    except (TypeError, ValueError) as error:
        if isinstance(error, DimensionError):
            raise
        raise NotNumericError(
            f"the rewards of {name} must be numbers ({error}). Put NaN where there is none."
        ) from error
    return _one_per_step(rewards, "rewards", n_steps, name)


def _flags(entry: Any, key: str, n_steps: int, name: str) -> BoolArray:
    given = _entry(entry, key)
    if given is None:
        return np.zeros(n_steps, dtype=bool)
    return _one_per_step(as_array(given, f"{key} of {name}").astype(bool), key, n_steps, name)


def _one_per_step(values: AnyArray, key: str, n_steps: int, name: str) -> AnyArray:
    if values.shape not in ((n_steps,), (n_steps, 1)):
        raise EpisodesError(
            f"{name} has {n_steps} actions and {key} of shape {values.shape}: give one for each "
            "action."
        )
    return values.reshape(n_steps)


def _refuse_other_columns(parts: list[_Episode]) -> None:
    first = parts[0]
    for i, part in enumerate(parts):
        if part.layout == first.layout:
            continue
        widths = first.rows.shape[1], part.rows.shape[1]
        names = (set(columns_of(p.layout)) for p in (first, part))
        other = f": {sorted(set.symmetric_difference(*names))[:5]} are not in both"
        raise EpisodesError(
            f"all episodes must have the same columns, but episode 0 has {widths[0]} and episode "
            f"{i} has {widths[1]}{other}. Give every episode the same observations."
        )


def _join_rewards(rewards: list[FloatArray | None], lengths: list[int]) -> FloatArray | None:
    has = [each is not None for each in rewards]
    if not any(has):
        return None
    if not all(has):
        raise EpisodesError(
            f"episode {has.index(True)} has rewards, but episode {has.index(False)} has none. Give "
            "rewards for all episodes or for none; NaN marks a reward that is not known."
        )
    joined = np.full(sum(lengths), np.nan)
    joined[_steps(lengths)] = np.concatenate([each for each in rewards if each is not None])
    return joined


def _steps(lengths: list[int]) -> BoolArray:
    """Return for each row whether another row of its episode follows."""
    follows = np.ones(sum(lengths), dtype=bool)
    follows[np.cumsum(lengths) - 1] = False
    return follows
