"""Environments are played and logged, and show an agent the features."""

import pickle
import sys
import warnings
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError

from commands import run_python
from predfeat import GPFA, PFA, SFA
from predfeat.datasets import FeatureObservation, record_episodes
from predfeat.exceptions import DimensionError, MissingLibraryError
from predfeat.series import flatten_observation, from_episodes


class Counter:
    """Counts in one array that it changes in place; an episode ends after so many steps."""

    def __init__(self, lengths=(3, 5, 4), ending="terminated"):
        self.lengths, self.ending = iter(lengths), ending
        self.seeds, self.place = [], np.zeros(2)
        self.action_space = SimpleNamespace(seed=self.seeds.append, sample=lambda: 7)

    def reset(self, seed=None):
        self.seeds.append(seed)
        self.left = next(self.lengths)
        self.place[:] = 0
        return self.place, {}

    def step(self, action):
        self.left -= 1
        self.place += [1, action]
        is_last = self.left == 0
        ends = (is_last, False) if self.ending == "terminated" else (False, is_last)
        return self.place, 10 * self.place[0], *ends, {}


# --- recording -----------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ["terminated", "truncated"])
def test_episodes_are_logged_as_they_are_played(ending):
    env = Counter(ending=ending)
    episodes = record_episodes(env, 10, random_state=3)
    assert [len(e.actions) for e in episodes] == [3, 5, 2]
    assert env.seeds == [3, 3, None, None]  # of the actions, of the first episode, none after it
    for e in episodes:
        n = len(e.actions)
        np.testing.assert_array_equal(np.array(e.observations)[:, 0], np.arange(n + 1))
        assert e.actions == [7] * n
        assert e.rewards.tolist() == [10.0 * (i + 1) for i in range(n)]
    flags = [e.terminations if ending == "terminated" else e.truncations for e in episodes]
    assert [f.tolist() for f in flags] == [[0, 0, 1], [0, 0, 0, 0, 1], [0, 0]]
    others = [e.truncations if ending == "terminated" else e.terminations for e in episodes]
    assert not np.concatenate(others).any()


def test_no_episode_is_begun_after_the_last_step():
    assert [len(e.actions) for e in record_episodes(Counter(lengths=(3, 5)), 8)] == [3, 5]


def test_a_policy_sees_the_observation_and_chooses_the_action():
    (played,) = record_episodes(Counter(lengths=(9,)), 4, policy=lambda seen: int(seen[0]) % 2)
    assert played.actions == [0, 1, 0, 1]
    assert np.array(played.observations)[:, 1].tolist() == [0, 0, 1, 1, 2]


def test_what_is_logged_becomes_rows():
    log = from_episodes(record_episodes(Counter(), 10))
    assert log.groups.tolist() == [0] * 4 + [1] * 6 + [2] * 3
    assert log.X[:, 0].tolist() == [0, 1, 2, 3, 0, 1, 2, 3, 4, 5, 0, 1, 2]
    assert np.isnan(log.actions).tolist() == [False] * 3 + [True] + [False] * 5 + [True] + [
        False, False, True,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"n_steps": 0}, "'n_steps' parameter of record_episodes"),
        ({"n_steps": 2.5}, "'n_steps' parameter of record_episodes"),
        ({"n_steps": 2, "random_state": -1}, "'random_state' parameter of record_episodes"),
        ({"n_steps": 2, "policy": 3}, "'policy' parameter of record_episodes"),
    ],
)
def test_impossible_plays_are_refused(given, message):
    with pytest.raises(ValueError, match=message):
        record_episodes(Counter(), **given)


def test_a_real_environment_is_the_same_twice():
    gymnasium = pytest.importorskip("gymnasium")
    one, two = (
        from_episodes(record_episodes(gymnasium.make("CartPole-v1"), 200, random_state=4))
        for _ in range(2)
    )
    np.testing.assert_array_equal(one.X, two.X)
    np.testing.assert_array_equal(one.actions, two.actions)
    # Of its law, the action decides the sign of the cart's next change of speed.
    pushes = one.actions[:-1]
    change = np.diff(one.X[:, 1])
    moved = ~np.isnan(pushes)
    assert np.array_equal(change[moved] > 0, pushes[moved] == 1)
    assert one.X.dtype == np.float32


# --- features for an agent -----------------------------------------------------------------------


def log_of(env, n_steps=400):
    return from_episodes(record_episodes(env, n_steps, random_state=0))


@pytest.fixture
def acrobot():
    gymnasium = pytest.importorskip("gymnasium")
    env = gymnasium.make("Acrobot-v1")
    yield env
    env.close()


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("method", [GPFA(2, max_iter=3), SFA(3), PFA(2)], ids=repr)
def test_the_agent_sees_what_transform_returns(acrobot, method, dtype):
    log = log_of(acrobot)
    model = method.fit(log.X, groups=log.groups)
    wrapped = FeatureObservation(acrobot, model, dtype=dtype)
    assert wrapped.observation_space.shape == (method.n_components,)
    seen = from_episodes(record_episodes(wrapped, 400, random_state=0))
    assert seen.X.dtype == dtype
    # One row at a time, sums round differently; float32 rounds each result.
    np.testing.assert_allclose(
        seen.X, model.transform(log.X), rtol=1e-6 if dtype == np.float32 else 1e-10, atol=1e-6
    )
    np.testing.assert_array_equal(seen.actions, log.actions)


def test_gymnasium_accepts_the_wrapped_environment(acrobot):
    from gymnasium.utils.env_checker import check_env

    log = log_of(acrobot)
    wrapped = FeatureObservation(acrobot, SFA(2).fit(log.X, groups=log.groups))
    with warnings.catch_warnings():
        # Features have no bounds, and wrappers are not what it was written for; it says so.
        warnings.filterwarnings("ignore", message=".*infinity")
        warnings.filterwarnings("ignore", message=".*is different from the unwrapped version")
        warnings.filterwarnings("ignore", message=".*not set a render mode|.*render_mode")
        check_env(wrapped, skip_render_check=True)


def test_the_wrapped_environment_can_be_made_and_pickled_again(acrobot):
    import gymnasium

    log = log_of(acrobot)
    wrapped = FeatureObservation(acrobot, SFA(2).fit(log.X, groups=log.groups), dtype=np.float32)
    first, _ = wrapped.reset(seed=1)
    for again in (gymnasium.make(wrapped.spec), pickle.loads(pickle.dumps(wrapped))):
        assert isinstance(again, FeatureObservation)
        assert again.observation_space == wrapped.observation_space
        np.testing.assert_array_equal(again.reset(seed=1)[0], first)


def test_names_of_columns_do_not_matter_to_the_agent(acrobot):
    log = log_of(acrobot)
    frame = pd.DataFrame(log.X, columns=list("abcdef"))
    wrapped = FeatureObservation(acrobot, SFA(2).fit(frame, groups=log.groups))
    assert wrapped.reset(seed=0)[0].shape == (2,)  # without a warning


def environment_of(space, seed=0):
    """An environment that shows random observations of a space."""
    import gymnasium

    class Shown(gymnasium.Env):
        observation_space, action_space = space, gymnasium.spaces.Discrete(2)

        def reset(self, *, seed=None, options=None):
            super().reset(seed=seed)
            self.observation_space.seed(seed)
            return self.observation_space.sample(), {}

        def step(self, action):
            return self.observation_space.sample(), 0.0, False, False, {}

    return Shown()


def test_pictures_and_parts_are_flattened():
    gymnasium = pytest.importorskip("gymnasium")
    spaces = gymnasium.spaces
    picture = spaces.Box(0, 255, (3, 2, 3), np.uint8)
    nested = spaces.Dict(
        {"wheels": spaces.Box(-1, 1, (2,)), "eye": spaces.Tuple([picture, spaces.Discrete(4)])}
    )
    for space in (picture, nested):
        env = environment_of(space)
        log = log_of(env, 100)
        model = SFA(2).fit(log.X, groups=log.groups)
        seen = from_episodes(record_episodes(FeatureObservation(env, model), 100, random_state=0))
        # float32 among the parts: its rounding, times weights of up to about one.
        np.testing.assert_allclose(seen.X, model.transform(log.X), atol=1e-6)


def test_wrapping_draws_nothing_from_the_environments_own_spaces():
    gymnasium = pytest.importorskip("gymnasium")
    env = environment_of(gymnasium.spaces.Box(-1, 1, (2,)))
    model = SFA(1).fit(np.random.default_rng(0).normal(size=(50, 2)))
    env.observation_space.seed(5)
    expected = env.observation_space.sample()
    env.observation_space.seed(5)
    FeatureObservation(env, model)
    np.testing.assert_array_equal(env.observation_space.sample(), expected)


def test_models_that_do_not_fit_are_refused(acrobot):
    X = np.random.default_rng(0).normal(size=(50, 6))
    with pytest.raises(NotFittedError, match="SFA"):
        FeatureObservation(acrobot, SFA(2))
    with pytest.raises(TypeError, match=r"a fitted method of predfeat.* but it is of type PCA"):
        FeatureObservation(acrobot, PCA(2).fit(X))
    with pytest.raises(DimensionError, match=r"6 numbers, but SFA was fitted to 4 columns. Fit"):
        FeatureObservation(acrobot, SFA(2).fit(X[:, :4]))
    with pytest.raises(TypeError, match="float64 or float32, but it is int64"):
        FeatureObservation(acrobot, SFA(2).fit(X), dtype=np.int64)


# --- gymnasium is optional -----------------------------------------------------------------------


def test_a_missing_gymnasium_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "gymnasium", None)
    model = SFA(1).fit(np.random.default_rng(0).normal(size=(50, 2)))
    with pytest.raises(MissingLibraryError, match=r"pip install \"predfeat\[games\]\""):
        FeatureObservation(Counter(), model)


def test_without_gymnasium_everything_can_be_imported():
    code = (
        "import sys; sys.modules['gymnasium'] = None; from predfeat.datasets import *; "
        "print(FeatureObservation.__name__, FeatureObservation.__bases__[0].__name__)"
    )
    assert run_python(code) == "FeatureObservation object"


def test_gymnasium_is_imported_for_the_wrapper_only():
    pytest.importorskip("gymnasium")
    code = (
        "import sys; import predfeat, predfeat.datasets, predfeat.cli; "
        "before = 'gymnasium' in sys.modules; predfeat.datasets.FeatureObservation; "
        "print(before, 'gymnasium' in sys.modules)"
    )
    assert run_python(code) == "False True"


def test_one_observation_has_the_columns_of_the_log(acrobot):
    log = log_of(acrobot, 10)
    first, _ = acrobot.reset(seed=0)
    np.testing.assert_array_equal(flatten_observation(first), log.X[0])
