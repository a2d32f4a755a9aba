"""Shares left open in nested spaces: what judges features one by one."""

import numpy as np
import pytest

import naive_measures as naive
from predfeat.datasets import predictable_noise
from predfeat.exceptions import TooFewStatesError
from predfeat.measures import left_open, nested_shares
from predfeat.series import check_sequences


def noise(n_rows=80, n_columns=3, seed=0):
    return np.random.default_rng(seed).normal(size=(n_rows, n_columns))


def toy(n_rows=200, n_columns=4, seed=0):
    return predictable_noise(n_rows, n_columns, random_state=seed)


@pytest.mark.parametrize("steps", ["both", "next"])
@pytest.mark.parametrize(("n_lags", "n_neighbors", "theiler"), [(1, 4, 0), (2, 5, 0), (3, 3, 2)])
@pytest.mark.parametrize("horizon", [1, 3])
def test_as_the_twin(steps, n_lags, n_neighbors, theiler, horizon):
    Y = noise(70).cumsum(axis=0)
    Y[[11, 40], [0, 2]] = np.nan
    groups = np.repeat([0, 1, 2], [30, 25, 15])
    options = {"n_neighbors": n_neighbors, "theiler": theiler, "steps": steps}
    found = nested_shares(Y, n_lags, horizon=horizon, groups=groups, **options)
    expected = naive.nested_shares(Y, n_lags, n_neighbors, steps, theiler, groups, horizon)
    np.testing.assert_allclose(found, expected, rtol=1e-9)


@pytest.mark.parametrize("angle", [0.0, 0.4, np.pi / 4, 1.2, np.pi / 2])
def test_every_direction_of_the_predictable_plane_is_as_good(angle):
    plane = toy(2000)[:, :2]
    turned = plane @ [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
    # Half of the variance is known from both sides together, whatever the basis. Neighbours are
    # not quite alike, which adds a little.
    np.testing.assert_allclose(nested_shares(turned), 0.5, atol=0.04)


def test_noise_after_the_features_does_not_hide_them():
    few = nested_shares(toy(400)[:, :2])
    many = nested_shares(np.column_stack([toy(400)[:, :2], noise(400, 4)]))
    assert (many[:2] <= few).all()
    assert (many[2:] > 0.85).all()


def test_a_constant_and_too_few_states():
    Y = np.column_stack([np.full(40, 0.1), noise(40, 1)])
    assert nested_shares(Y)[0] == pytest.approx(0, abs=1e-12)
    with pytest.raises(TooFewStatesError, match=r"n_neighbors=10 needs at least 11.*there are 8"):
        nested_shares(noise(10))


@pytest.mark.parametrize("horizon", [1, 2])
def test_one_feature_and_the_next_step_is_what_is_left_open(horizon):
    y = toy()[:, 1]
    y[50] = np.nan
    options = {"horizon": horizon, "theiler": 1, "groups": np.arange(200) // 80}
    found = nested_shares(y, 2, 7, steps="next", **options)
    np.testing.assert_array_equal(found, left_open(y, 2, 7, **options).shares())


def test_no_feature_leaves_more_open_than_alone_or_among_all():
    Y = toy()
    found = nested_shares(Y, steps="next")
    alone = np.array([left_open(y).share() for y in Y.T])
    # But for the order of sums, which the layout of columns in memory decides.
    assert (found <= alone * (1 + 1e-12)).all()
    assert (found <= left_open(Y).shares() * (1 + 1e-12)).all()


def test_sequences_that_were_checked():
    Y, groups = toy(), np.arange(200) // 50
    found = nested_shares(check_sequences(Y, groups), 2)
    np.testing.assert_array_equal(found, nested_shares(Y, 2, groups=groups))


@pytest.mark.parametrize("options", [{"engine": "tree"}, {"engine": "blockwise"}, {"n_jobs": 2}])
def test_the_engine_and_the_threads_do_not_matter(options):
    np.testing.assert_array_equal(nested_shares(toy(), 2, **options), nested_shares(toy(), 2))


def test_steps():
    with pytest.raises(ValueError, match=r"'steps' parameter of nested_shares.*Got 'before'"):
        nested_shares(toy(), steps="before")
