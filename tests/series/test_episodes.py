"""Episodes as agents and robots log them, as (X, groups, actions, rewards)."""

from collections import OrderedDict
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from predfeat import GPFA
from predfeat.exceptions import DimensionError, EpisodesError, InfiniteValueError, NotNumericError
from predfeat.series import check_sequences, flatten_observation, from_episodes, from_list

NAN = float("nan")


@dataclass(frozen=True)
class EpisodeData:
    """An episode with the names of Minari's."""

    id: int
    observations: Any
    actions: Any
    rewards: np.ndarray
    terminations: np.ndarray
    truncations: np.ndarray
    infos: dict


def episode(n_steps, seed=0, actions=None, **other):
    random = np.random.default_rng(seed)
    ended = np.arange(n_steps) == n_steps - 1
    made = {
        "id": seed,
        "observations": random.normal(size=(n_steps + 1, 3)),
        "actions": random.integers(4, size=n_steps) if actions is None else actions,
        "rewards": random.normal(size=n_steps),
        "terminations": ended,
        "truncations": np.zeros(n_steps, dtype=bool),
        "infos": {},
    }
    return EpisodeData(**{**made, **other})


def steps_of(episodes, with_next=True):
    """The same episodes as one table of steps, as D4RL has them."""

    def joined(parts):
        return np.concatenate(list(parts))

    steps = {
        "observations": joined(e.observations[:-1] for e in episodes),
        "actions": joined(e.actions for e in episodes),
        "rewards": joined(e.rewards for e in episodes),
        "terminals": joined(e.terminations for e in episodes),
        "timeouts": joined(e.truncations for e in episodes),
    }
    if with_next:
        steps["next_observations"] = joined(e.observations[1:] for e in episodes)
    return steps


def with_missing_ends(parts):
    return np.concatenate([[*part, NAN] for part in parts])


def assert_same(one, two):
    np.testing.assert_array_equal(one.X, two.X)
    np.testing.assert_array_equal(one.groups, two.groups)
    np.testing.assert_array_equal(one.actions, two.actions)
    np.testing.assert_array_equal(one.rewards, two.rewards)
    assert one.names == two.names


# --- one entry per episode -----------------------------------------------------------------------


def test_episodes_become_rows_with_the_action_that_leaves_them(seed):
    logged = [episode(n, seed + n) for n in (5, 1, 7)]
    log = from_episodes(logged)
    X, groups = from_list([e.observations for e in logged])
    np.testing.assert_array_equal(log.X, X)
    np.testing.assert_array_equal(log.groups, groups)
    np.testing.assert_array_equal(log.actions, with_missing_ends(e.actions for e in logged))
    np.testing.assert_array_equal(log.rewards, with_missing_ends(e.rewards for e in logged))
    assert log.names == ("x0", "x1", "x2")
    assert log.X.dtype == log.actions.dtype == log.rewards.dtype == np.float64


def test_actions_are_missing_exactly_where_an_episode_ends():
    log = from_episodes([episode(n) for n in (3, 4)])
    has_next = check_sequences(log.X, log.groups).reach(ahead=1)
    np.testing.assert_array_equal(np.isnan(log.actions), ~has_next)
    np.testing.assert_array_equal(np.isnan(log.rewards), ~has_next)


def test_objects_dicts_and_generators_are_the_same():
    logged = [episode(4, 1), episode(6, 2)]
    expected = from_episodes(logged)
    assert_same(from_episodes(vars(e) for e in logged), expected)
    assert_same(from_episodes(iter(logged)), expected)
    keys = ("observations", "actions", "rewards")
    as_lists = [{key: getattr(e, key).tolist() for key in keys} for e in logged]
    assert_same(from_episodes(as_lists), expected)


def test_an_episode_of_one_observation_is_one_row_without_an_action():
    log = from_episodes([episode(0), episode(2), episode(0)])
    assert log.groups.tolist() == [0, 1, 1, 1, 2]
    assert np.isnan(log.actions).tolist() == [True, False, False, True, True]
    assert np.isnan(from_episodes([episode(0)]).actions).all()


def test_a_log_without_rewards_has_none():
    assert from_episodes([{"observations": np.zeros((3, 1)), "actions": [0, 1]}]).rewards is None


def test_float32_stays_float32_where_all_are():
    # In float64 its rounding would count as signal.
    single = episode(3, observations=np.zeros((4, 3), dtype=np.float32))
    assert from_episodes([single, single]).X.dtype == np.float32
    assert from_episodes([single, episode(3)]).X.dtype == np.float64
    whole = episode(3, observations=np.zeros((4, 3), dtype=np.uint8))
    assert from_episodes([whole]).X.dtype == np.float64


def test_a_nan_or_a_mask_is_a_gap():
    observations = np.ma.masked_equal([[1.0], [2.0], [9.0], [4.0]], 9.0)
    log = from_episodes([{"observations": observations, "actions": [0, 0, 0]}])
    assert check_sequences(log.X, log.groups).run_bounds() == [(0, 2), (3, 4)]


# --- actions -------------------------------------------------------------------------------------


def actions_of(*given):
    logged = [{"observations": np.zeros((len(a) + 1, 1)), "actions": a} for a in given]
    return from_episodes(logged).actions


@pytest.mark.parametrize(
    "actions",
    [[3, 1], [True, False], np.array([3, 1], dtype=np.uint8), np.array([[3], [1]])],
)
def test_numbers_of_actions_are_floats(actions):
    joined = actions_of(actions, actions)
    assert joined.dtype == np.float64
    own = np.ravel(actions).tolist()
    assert joined[[0, 1, 3, 4]].tolist() == own + own
    assert np.isnan(joined[[2, 5]]).all()


def test_names_of_actions_are_objects():
    joined = actions_of(["left", "go"], np.array(["right"]))
    assert joined.dtype == object
    assert joined.tolist() == ["left", "go", None, "right", None]
    assert type(joined[3]) is str


def test_numbers_that_floats_cannot_tell_apart_are_objects():
    large = 2**53
    assert actions_of([large + 1, large]).tolist() == [large + 1, large, None]
    assert actions_of([-large - 1], [1]).tolist() == [-large - 1, None, 1, None]
    assert actions_of([large]).dtype == np.float64


def test_continuous_actions_have_rows_of_nan():
    joined = actions_of([[0.5, 1.0], [2.0, 3.0]], np.ones((1, 2), dtype=np.float32))
    np.testing.assert_array_equal(joined, [[0.5, 1], [2, 3], [NAN, NAN], [1, 1], [NAN, NAN]])
    assert joined.dtype == np.float64


def test_the_dimension_tells_continuous_actions_from_discrete_ones():
    assert actions_of([0.5, 1.0]).shape == (3, 1)
    assert actions_of([0, 1]).shape == (3,)
    assert actions_of([[0, 1], [1, 1]]).shape == (3, 2)  # one number for each of several motors
    assert actions_of(np.zeros((2, 2, 3))).shape == (3, 6)


def test_actions_with_parts_are_flattened():
    joined = actions_of([{"turn": [1.0, 2.0], "go": 1}, {"turn": [3.0, 4.0], "go": 0}])
    np.testing.assert_array_equal(joined[:2], [[1, 1, 2], [0, 3, 4]])
    parts = {"turn": np.array([[1.0, 2.0], [3.0, 4.0]]), "go": np.array([1, 0])}
    logged = [{"observations": np.zeros((3, 1)), "actions": parts}]
    np.testing.assert_array_equal(from_episodes(logged).actions, joined)


def test_actions_of_every_kind_can_be_fitted():
    random = np.random.default_rng(0)
    logged = [episode(40, s) for s in range(3)]
    names = np.array(["on", "left", "right", "back"])
    as_numbers = from_episodes(logged)
    as_names = from_episodes([replace(e, actions=names[e.actions]) for e in logged])
    one, two = (
        GPFA(2, n_neighbors=3, max_iter=2).fit(log.X, groups=log.groups, actions=log.actions)
        for log in (as_numbers, as_names)
    )
    np.testing.assert_array_equal(one.components_, two.components_)
    forces = from_episodes([replace(e, actions=random.normal(size=(40, 2))) for e in logged])
    other = GPFA(2, n_neighbors=3, max_iter=2).fit(
        forces.X, groups=forces.groups, actions=forces.actions
    )
    assert not np.allclose(one.components_, other.components_)


# --- one table of steps --------------------------------------------------------------------------


def test_steps_with_next_observations_are_the_same_as_episodes(seed):
    logged = [episode(n, seed + n) for n in (5, 1, 7)]
    assert_same(from_episodes(steps_of(logged)), from_episodes(logged))


def test_steps_without_next_observations_lose_the_last_action():
    logged = [episode(n, n) for n in (5, 1, 7)]
    log = from_episodes(steps_of(logged, with_next=False))
    np.testing.assert_array_equal(log.X, np.concatenate([e.observations[:-1] for e in logged]))
    assert log.groups.tolist() == [0] * 5 + [1] + [2] * 7
    np.testing.assert_array_equal(log.actions, with_missing_ends(e.actions[:-1] for e in logged))
    np.testing.assert_array_equal(log.rewards, with_missing_ends(e.rewards[:-1] for e in logged))


def test_a_timeout_ends_an_episode_as_a_terminal_does():
    no, yes = np.zeros(4, dtype=bool), np.arange(4) == 3
    by_terminal = [episode(4, 1), episode(4, 2)]
    by_timeout = [episode(4, s, terminations=no, truncations=yes) for s in (1, 2)]
    for with_next in (True, False):
        one, two = (from_episodes(steps_of(e, with_next)) for e in (by_terminal, by_timeout))
        assert_same(one, two)


def test_steps_that_jump_are_a_reset_that_nobody_logged():
    # D4RL's qlearning_dataset leaves out the steps of time-outs, and the time-outs themselves.
    logged = [episode(4, s, terminations=np.zeros(4, dtype=bool)) for s in (1, 2)]
    logged[0].observations[2, 1] = NAN  # a gap is no jump
    steps = steps_of(logged)
    del steps["timeouts"]
    assert_same(from_episodes(steps), from_episodes(logged))


def test_the_last_steps_need_no_end():
    steps = steps_of([episode(4, terminations=np.zeros(4, dtype=bool))])
    log = from_episodes(steps)
    assert log.groups.tolist() == [0] * 5
    assert np.isnan(log.actions).tolist() == [False] * 4 + [True]


def test_flags_may_be_numbers_and_columns():
    steps = steps_of([episode(3, 1), episode(2, 2)])
    columns = {key: steps[key].astype(float)[:, None] for key in ("terminals", "rewards")}
    assert_same(from_episodes({**steps, **columns}), from_episodes(steps))


# --- observations with parts ---------------------------------------------------------------------

ARM = np.arange(6.0).reshape(3, 2)
CAMERA = np.arange(12.0).reshape(3, 2, 2) + 100
LIGHT = np.array([7.0, 8.0, 9.0])


def test_parts_are_flattened_in_the_order_of_their_names():
    nested = {"sensors": {"light": LIGHT, "camera": CAMERA}, "arm": ARM}
    log = from_episodes([{"observations": nested, "actions": [0, 1]}])
    expected = np.column_stack([ARM, CAMERA.reshape(3, 4), LIGHT])
    np.testing.assert_array_equal(log.X, expected)
    assert log.names == (
        "arm[0]", "arm[1]", "sensors.camera[0, 0]", "sensors.camera[0, 1]",
        "sensors.camera[1, 0]", "sensors.camera[1, 1]", "sensors.light",
    )  # fmt: skip
    turned = OrderedDict(arm=ARM, sensors={"camera": CAMERA, "light": LIGHT})
    again = from_episodes([{"observations": turned, "actions": [0, 1]}])
    np.testing.assert_array_equal(again.X, log.X)
    assert again.names == log.names


def test_tuples_keep_their_order():
    log = from_episodes([{"observations": (LIGHT, {"arm": ARM}), "actions": [0, 1]}])
    np.testing.assert_array_equal(log.X, np.column_stack([LIGHT, ARM]))
    assert log.names == ("0", "1.arm[0]", "1.arm[1]")


def test_lists_of_observations_with_parts():
    parts = {"arm": ARM, "more": (CAMERA, LIGHT)}
    rows = [{"arm": ARM[t], "more": (CAMERA[t], LIGHT[t])} for t in range(3)]
    one, two = (
        from_episodes([{"observations": given, "actions": [0, 1], "rewards": [0, 0]}])
        for given in (parts, rows)
    )
    assert_same(one, two)


def test_pictures_are_flattened_row_by_row():
    log = from_episodes([{"observations": CAMERA, "actions": [0, 1]}])
    np.testing.assert_array_equal(log.X, CAMERA.reshape(3, 4))
    assert log.names == ("x[0, 0]", "x[0, 1]", "x[1, 0]", "x[1, 1]")
    colours = np.arange(24).reshape(2, 2, 2, 3)
    log = from_episodes([{"observations": colours, "actions": [0]}])
    np.testing.assert_array_equal(log.X, colours.reshape(2, 12))
    assert log.names[4] == "x[0, 1, 1]"


def test_frames_keep_the_names_of_their_columns():
    frame = pd.DataFrame({"speed": [1.0, 2.0], "heading": [3.0, 4.0]})
    log = from_episodes([{"observations": frame, "actions": [0]}])
    assert log.names == ("speed", "heading")
    np.testing.assert_array_equal(log.X, [[1, 3], [2, 4]])


def test_parts_whose_paths_look_alike_are_all_kept():
    nested = {"a.b": LIGHT, "a": {"b": 2 * LIGHT}}
    log = from_episodes([{"observations": nested, "actions": [0, 1]}])
    np.testing.assert_array_equal(log.X, np.column_stack([2 * LIGHT, LIGHT]))


def test_one_observation_is_flattened_as_rows_are():
    nested = {"sensors": {"light": LIGHT, "camera": CAMERA}, "arm": (ARM, LIGHT)}
    log = from_episodes([{"observations": nested, "actions": [0, 1]}])
    for t in range(3):
        now = {"arm": (ARM[t], LIGHT[t]), "sensors": {"light": LIGHT[t], "camera": CAMERA[t]}}
        np.testing.assert_array_equal(flatten_observation(now), log.X[t])
    np.testing.assert_array_equal(flatten_observation(CAMERA[1]), CAMERA[1].ravel())
    np.testing.assert_array_equal(flatten_observation((1, 2.5)), [1, 2.5])


# --- errors --------------------------------------------------------------------------------------


def changed(**other):
    return [episode(3), episode(3, **other)]


def as_dict(**other):
    return {**steps_of([episode(3)]), **other}


class NoActions:
    observations = np.zeros((3, 1))


@pytest.mark.parametrize(
    ("episodes", "error", "message"),
    [
        ([], EpisodesError, "there are no episodes: give at least one"),
        (iter([]), EpisodesError, "there are no episodes"),
        (3, EpisodesError, r"of type int. A single episode is given as \[episode\]"),
        ("run.hdf5", EpisodesError, "of type str"),
        (episode(3), EpisodesError, r"type EpisodeData. A single episode is given as \[ep"),
        ([NoActions()], EpisodesError, "episode 0, NoActions, has no actions. Give objects"),
        (
            [{"obs": [[1.0]], "actions": []}],
            EpisodesError,
            r"episode 0, a dict of \['obs', 'actions'\], has no observations",
        ),
        (np.zeros((3, 2)), EpisodesError, "episode 0, ndarray, has no observations"),
        (
            changed(actions=[1, 2, 3, 0]),
            EpisodesError,
            r"episode 1 has 4 observations and 4 actions, but n actions lead through n \+ 1 obs.*"
            "drop the last action",
        ),
        (changed(rewards=[1.0]), EpisodesError, r"episode 1 has 3 actions and rewards of shape"),
        (
            changed(rewards=np.zeros((3, 2))),
            EpisodesError,
            r"episode 1 has 3 actions and rewards of shape \(3, 2\): give one for each action",
        ),
        (changed(rewards=["a", "b", "c"]), NotNumericError, "the rewards of episode 1 must be num"),
        (changed(rewards=[[1], [1, 2], 3]), DimensionError, "the rewards of episode 1 must be an"),
        (changed(rewards=None), EpisodesError, "episode 0 has rewards, but episode 1 has none"),
        (changed(truncations=[True]), EpisodesError, r"episode 1 has 3 actions and truncations of"),
        (
            changed(truncations=[False, True, False]),
            EpisodesError,
            r"episode 1 goes on after truncations\[1\].*last of its 3 steps.*as another episode",
        ),
        (
            changed(observations=np.zeros((4, 2))),
            EpisodesError,
            r"episode 0 has 3 and episode 1 has 2: \['x2'\] are not in both",
        ),
        (
            changed(observations={"a": np.zeros((4, 3))}),
            EpisodesError,
            r"episode 0 has 3 and episode 1 has 3: \['a\[0\]', .* are not in both",
        ),
        (
            changed(observations=np.zeros((0, 3)), actions=[]),
            EpisodesError,
            "episode 1 has no observations. Leave empty episodes out",
        ),
        (
            changed(observations=np.zeros((4, 0))),
            DimensionError,
            r"observations of episode 1 have no columns \(shape \(4, 0\)\)",
        ),
        (
            changed(observations=np.zeros(4)),
            DimensionError,
            r"episode 1 must be a row of numbers for each time.*shape \(4,\).*np.eye",
        ),
        (changed(observations=3.0), DimensionError, r"a row of numbers .* shape \(\)"),
        (
            changed(observations=[[1.0], [1.0, 2.0], [3.0], [4.0]]),
            DimensionError,
            "the observations of episode 1 must be an array, but its rows differ in length",
        ),
        (changed(observations={}), DimensionError, "episode 1 are an empty dict or tuple"),
        (
            changed(observations={"a": np.zeros((4, 1)), "b": np.zeros(3)}),
            EpisodesError,
            "episode 1 have parts of different lengths: 'a' has 4 rows, 'b' has 3",
        ),
        (
            changed(observations=[{"a": 1.0}, {"a": 1.0, "b": 2.0}]),
            EpisodesError,
            r"observation 0 has \['a'\], observation 1 has \['a', 'b'\]",
        ),
        (
            changed(observations=[{"p": ([1], 2)}, {"p": 3}]),
            EpisodesError,
            r"in 'p', observation 0 has \['0', '1'\], observation 1 has \[\]",
        ),
        (changed(observations=np.full((4, 3), "a")), NotNumericError, "observations of episode 1"),
        (
            changed(observations=np.full((4, 3), np.inf)),
            InfiniteValueError,
            "the observations of episode 1 contains infinity",
        ),
        (
            changed(actions=["a", "b", "c"]),
            EpisodesError,
            "episode 0 has whole numbers as actions and episode 1 has names of actions",
        ),
        (
            [episode(1, actions=np.zeros((1, 2))), episode(0), episode(1, actions=[0.5])],
            EpisodesError,
            r"episode 0 has continuous actions of 2 number\(s\) and episode 2 has .* of 1 num",
        ),
        (changed(actions=3), EpisodesError, "the actions of episode 1 are a single value, 3"),
        (
            changed(actions=np.zeros(3, dtype=complex)),
            NotNumericError,
            r"the actions of episode 1 must be numbers, .* they are complex128 of shape \(3,\)",
        ),
        (changed(actions=[[1], [1, 2], [1]]), DimensionError, "actions of episode 1 must be an"),
        # One table of steps.
        (vars(episode(3)), EpisodesError, r"4 observations and 3 actions.*given as \[episode\]"),
        (as_dict(actions=[1, 2]), EpisodesError, "3 observations and 2 actions, but a step has"),
        (as_dict(terminals=None), EpisodesError, r"no terminals, which say where.*\[episode\]"),
        (as_dict(observations=None), EpisodesError, "of steps, a dict of .*no observations"),
        (as_dict(terminals=[True]), EpisodesError, r"has 3 actions and terminals of shape \(1,\)"),
        (as_dict(timeouts=[True]), EpisodesError, r"has 3 actions and timeouts of shape \(1,\)"),
        (
            as_dict(next_observations=np.zeros((3, 2))),
            EpisodesError,
            r"next_observations of the dict of steps have shape \(3, 2\), its observations have s",
        ),
        (
            {"observations": np.zeros((0, 2)), "actions": [], "terminals": []},
            EpisodesError,
            "there are no episodes",
        ),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(episodes, error, message):
    with pytest.raises(error, match=message):
        from_episodes(episodes)
