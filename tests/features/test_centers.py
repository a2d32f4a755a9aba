"""Neighbourhoods of a sample of states, in GPFA and in the measures."""

import numpy as np
import pytest

import naive
from predfeat import GPFA
from predfeat.datasets import hidden_lorenz
from predfeat.features import expected_time
from predfeat.graph import Future, Past
from predfeat.measures import left_open, predictability, predicted_shares, subspace_angles
from predfeat.neighbors import _centers, choose_centers, nearest_neighbors
from predfeat.series import check_sequences, find_states


def centers_of(X, groups, p, n_centers, seed=0, horizon=0):
    series = check_sequences(X, groups)
    states = find_states(series, p, n_neighbors=0, horizon=horizon)
    return choose_centers(states, n_centers, seed).times


@pytest.mark.parametrize("graph", ["star", "full"])
@pytest.mark.parametrize(("p", "n_iter"), [(1, 1), (2, 2)])
def test_only_the_centers_have_a_neighborhood(graph, p, n_iter):
    X, groups = naive.random_series(3, [60, 50], 4, n_gaps=4)
    model = GPFA(
        2, n_lags=p, n_neighbors=5, graph=graph, max_iter=n_iter, tol=0, n_centers=30,
        random_state=7,
    ).fit(X, groups=groups)  # fmt: skip
    centers = centers_of(X, groups, p, 30, seed=7).tolist()
    expected = naive.gpfa(X, groups, p, 5, 2, n_iter, graph=graph, centers=centers)
    everybody = naive.gpfa(X, groups, p, 5, 2, n_iter, graph=graph)
    complete = X[~np.isnan(X).any(axis=1)]
    assert subspace_angles(complete @ model.components_.T, complete @ expected)[0] < 1e-6
    assert subspace_angles(complete @ model.components_.T, complete @ everybody)[0] > 1


def test_as_many_as_there_are_states_are_all_of_them():
    X, groups = naive.random_series(4, [80, 70], 3)
    exact, auto, many = (
        GPFA(2, n_neighbors=5, n_centers=n).fit(X, groups=groups) for n in (None, "auto", 150)
    )
    for other in (auto, many):
        np.testing.assert_array_equal(exact.components_, other.components_)
        np.testing.assert_array_equal(exact.eigenvalues_, other.eigenvalues_)


def test_threads_and_engines_do_not_change_a_bit_and_the_seed_does():
    X, _ = hidden_lorenz(600, random_state=0)
    options = {"n_lags": 2, "n_centers": 100, "max_iter": 5, "tol": 0}
    first = GPFA(2, n_jobs=1, engine="blockwise", **options).fit(X)
    second = GPFA(2, n_jobs=2, engine="tree", **options).fit(X)
    np.testing.assert_array_equal(first.components_, second.components_)
    other = GPFA(2, random_state=1, **options).fit(X)
    assert not np.array_equal(first.components_, other.components_)


def test_a_tenth_of_the_states_finds_the_hidden_system():
    X, hidden = hidden_lorenz(3000, random_state=0)
    model = GPFA(3, n_lags=2, n_centers=300).fit(X)
    assert subspace_angles(model.transform(X), hidden - hidden.mean(axis=0))[0] < 1


def test_auto_draws_a_sample_where_there_are_many(monkeypatch):
    monkeypatch.setattr(_centers, "_EXACT_STATES", 200)
    monkeypatch.setattr(_centers, "_FEWEST_CENTERS", 50)
    X, groups = naive.random_series(5, [300, 100], 3)
    auto = GPFA(1, n_neighbors=4, max_iter=2).fit(X, groups=groups)
    same = GPFA(1, n_neighbors=4, max_iter=2, n_centers=100).fit(X, groups=groups)
    np.testing.assert_array_equal(auto.components_, same.components_)
    series = check_sequences(auto.transform(X), groups)
    some = predicted_shares(series, None, 1, n_centers=100).sum()
    assert auto.score(X, groups=groups) == some
    assert left_open(X, groups=groups).total() == left_open(X, groups=groups, n_centers=100).total()


@pytest.mark.parametrize("p", [1, 3])
def test_the_measure_is_the_mean_over_the_centers(p):
    X, groups = naive.random_series(6, [70, 60], 2, n_gaps=3)
    found = left_open(X, p, 4, groups=groups, n_centers=25, random_state=2)
    every = left_open(X, p, 4, groups=groups)
    centers = centers_of(X, groups, p, 25, seed=2, horizon=1)
    where = np.searchsorted(every.neighbors.times, centers)
    np.testing.assert_array_equal(found.neighbors.times, centers)
    np.testing.assert_array_equal(found.neighbors.indices, every.neighbors.indices[where])
    spread = [
        np.cov(X[np.append(rows, t) + 1].T, ddof=0).trace()
        for t, rows in zip(centers, found.neighbors.indices, strict=True)
    ]
    assert found.total() == pytest.approx(np.mean(spread), rel=1e-12)
    assert predictability(X, p, 4, groups=groups, n_centers=25) == pytest.approx(
        left_open(X, p, 4, groups=groups, n_centers=25).total(), rel=1e-12
    )
    np.testing.assert_allclose(found.by_state, every.by_state[where], rtol=1e-12)


def test_some_states_of_the_test_part_are_predicted_from_all_of_the_training_part():
    random = np.random.default_rng(0)
    train, test = (check_sequences(random.normal(size=(200, 2))) for _ in range(2))
    some = predicted_shares(train, test, 1, 5, n_centers=40, random_state=3)
    times = centers_of(test.rows, None, 1, 40, seed=3, horizon=1)
    table = nearest_neighbors(test.rows[:-1], n_neighbors=5, library=train.rows[:-1])
    predicted = train.rows[table.indices[times] + 1].mean(axis=1)
    actual = test.rows[times + 1]
    error = np.square(actual - predicted).sum(axis=0)
    whole = np.square(actual - train.rows.mean(axis=0)).sum(axis=0)
    np.testing.assert_allclose(some, 1 - error / whole, rtol=1e-12)


@pytest.mark.parametrize(
    ("options", "given", "what"),
    [
        ({"metric": "manhattan"}, {}, "metric='manhattan'"),
        ({}, {"actions": np.arange(200) % 2}, "actions"),
        ({"init": nearest_neighbors(np.zeros((200, 3)), n_neighbors=9)}, {}, "given neighbours"),
    ],
)
def test_what_does_not_go_together_with_a_sample(options, given, what):
    X, _ = naive.random_series(0, [200], 3)
    with pytest.raises(ValueError, match=f"n_centers=50 draws .* together with {what}"):
        GPFA(1, n_neighbors=5, n_centers=50, **options).fit(X, **given)
    GPFA(1, n_neighbors=5, max_iter=2, **options).fit(X, **given)


@pytest.mark.parametrize("n_centers", [0, -1, 1.5, "all"])
def test_impossible_numbers_are_refused(n_centers):
    X, _ = naive.random_series(0, [50], 2)
    with pytest.raises(ValueError, match="'n_centers' parameter"):
        GPFA(1, n_centers=n_centers).fit(X)
    with pytest.raises(ValueError, match="'n_centers' parameter"):
        left_open(X, n_centers=n_centers)
    with pytest.raises(ValueError, match="'n_centers' parameter"):
        predictability(X, n_centers=n_centers)


def test_terms_keep_their_meaning():
    X, _ = naive.random_series(7, [90], 3)
    options = {"n_neighbors": 5, "n_centers": 20, "max_iter": 2}
    plain = GPFA(1, graph="full", **options).fit(X)
    terms = GPFA(1, terms=[Future("full"), Past("full")], **options).fit(X)
    np.testing.assert_array_equal(plain.components_, terms.components_)


def test_a_sample_is_expected_to_take_less_time(monkeypatch):
    monkeypatch.setattr("predfeat.features._duration._MIN_TRIAL_ROWS", 100)
    # Of made-up trials, all of the work grows with the square of the rows.
    monkeypatch.setattr(
        "predfeat.features._duration._timed", lambda trial, values, ids, n: np.full(2, 1e-6 * n**2)
    )
    X = np.zeros((4000, 2))
    exact, sampled = (expected_time(GPFA(max_iter=2, n_centers=n), X).seconds for n in (None, 400))
    assert exact == pytest.approx(2 * 16.0)
    assert sampled == pytest.approx(exact / 10)
