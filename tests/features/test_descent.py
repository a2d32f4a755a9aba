"""Descent: smooth regressions, growth, the descent itself, and what it finds."""

import numpy as np
import pytest
from scipy.signal import lfilter

import naive_soft as twins
from predfeat import GPFA, DescentFeatures
from predfeat.datasets import hidden_lorenz, predictable_noise
from predfeat.exceptions import TooFewStatesError
from predfeat.features import (
    Objective,
    SmoothRegression,
    best_distinct,
    descend,
    grow,
    nonlinear_directions,
    single_directions,
    slow_directions,
    sorted_by_share,
)
from predfeat.measures import left_open, predictive_information, subspace_angles
from predfeat.series import check_sequences
from predfeat.whitening import fit_whitening


def whitened(X, groups=None):
    series = check_sequences(X, groups)
    return fit_whitening(series).apply(series)


def logistic_map(n_rows, start):
    values = [start]
    for _ in range(n_rows - 1):
        values.append(3.9 * values[-1] * (1 - values[-1]))
    return np.array(values)


def among_autoregressions(hidden, seed, coefficients=(0.9,) * 9):
    """Mix hidden columns with autoregressions; return the mixture and the hidden ones."""
    random = np.random.default_rng(seed)
    shocks = random.normal(size=(len(coefficients), len(hidden)))
    noise = [lfilter([1], [1, -a], s) for a, s in zip(coefficients, shocks, strict=True)]
    sources = np.column_stack([hidden, *noise])
    sources = (sources - sources.mean(axis=0)) / sources.std(axis=0)
    return sources @ random.normal(size=(sources.shape[1],) * 2)


def angle_to(model, X, hidden):
    """The largest angle between the features and the hidden columns, in degrees."""
    return subspace_angles(model.transform(X), hidden - hidden.mean(axis=0))[0]


# --- smooth regression -------------------------------------------------------------------------


@pytest.mark.parametrize(("n_lags", "horizon"), [(1, 1), (3, 2)])
def test_smooth_regression_is_its_twin(n_lags, horizon):
    groups = np.repeat([0, 1], 100)
    white = whitened(np.random.default_rng(0).normal(size=(200, 3)).cumsum(axis=0), groups)
    direction = np.array([1.0, -2.0, 0.5])
    regression = SmoothRegression(white, n_lags, horizon)
    all_open, line_open = twins.smooth_regression(white.rows, direction, n_lags, horizon, groups)
    assert regression.left_open(direction)[0] == pytest.approx(all_open, rel=1e-8)
    assert regression.unlike_a_line(direction)[0] == pytest.approx(all_open - line_open, abs=1e-10)


@pytest.mark.parametrize("which", ["left_open", "unlike_a_line"])
@pytest.mark.parametrize("n_lags", [1, 3])
def test_slope_of_smooth_regression(which, n_lags, seed):
    random = np.random.default_rng(seed)
    value = getattr(SmoothRegression(whitened(random.normal(size=(150, 4))), n_lags), which)
    direction, way = random.normal(size=(2, 4))
    h = 1e-5
    numeric = (value(direction + h * way)[0] - value(direction - h * way)[0]) / (2 * h)
    assert value(direction)[1] @ way == pytest.approx(numeric, rel=1e-5, abs=1e-9)


def test_a_map_that_looks_like_noise_is_seen_from_everywhere(seed):
    X = among_autoregressions(logistic_map(2000, 0.1 + 0.07 * seed), seed)
    white = whitened(X)
    hidden = np.linalg.lstsq(white.rows, logistic_map(2000, 0.1 + 0.07 * seed) - 0.5, rcond=None)[0]
    hidden /= np.linalg.norm(hidden)
    slow = slow_directions(white, 10).vectors
    found = nonlinear_directions(white, slow, 5, n_lags=1)
    assert np.abs(hidden @ found).max() > 0.999


# --- growth ------------------------------------------------------------------------------------


def test_best_distinct_leaves_out_what_is_nearly_the_same():
    x, y, z = np.eye(3)[:, :, None]
    near = (x + 0.1 * y) / np.linalg.norm(x + 0.1 * y)
    best = best_distinct([(3.0, z), (1.0, near), (0.5, x), (2.0, y)], 2)
    assert [value for value, _ in best] == [0.5, 2.0]


def test_growth_adds_what_is_predictable_only_together():
    # The second column is the first, one step later: alone it is noise, together half is known.
    white = whitened(predictable_noise(1500, 6, random_state=0))
    objective = Objective()
    singles = single_directions(white, objective, 4, 4)
    assert min(value for value, _ in singles) > 0.7
    (value, directions), *_ = grow(white, singles, objective, 2, 2)
    assert value / 2 < 0.6
    assert directions.shape == (6, 2)
    np.testing.assert_allclose(directions.T @ directions, np.eye(2), atol=1e-12)


# --- the descent -------------------------------------------------------------------------------


@pytest.mark.parametrize(("power", "form"), [(2, "trace"), (1, "trace"), (0, "determinant")])
def test_values_fall_and_are_those_of_the_directions(power, form):
    white = whitened(hidden_lorenz(600, 3, random_state=0)[0])
    objective = Objective(n_lags=2, power=power, form=form)
    seen = []
    descent = descend(white, np.eye(6)[:, :2], objective, widths=(4, 1), observer=seen.append)
    assert tuple(seen) == descent.steps
    assert len(descent.steps) > 3
    for width in (4, 1):
        values = [step.value for step in descent.steps if step.every == width]
        assert np.all(np.diff(values) < 0)
    features = white.with_rows(white.rows @ descent.directions)
    assert descent.value == pytest.approx(objective.measure(features).value, rel=1e-12)
    np.testing.assert_allclose(descent.directions.T @ descent.directions, np.eye(2), atol=1e-12)
    assert list(descent.history()["value"]) == [step.value for step in descent.steps]


def test_only_the_space_of_the_start_counts():
    white = whitened(hidden_lorenz(500, 3, random_state=1)[0])
    start = np.eye(6)[:, :2]
    turned = start @ np.array([[0.6, -0.8], [0.8, 0.6]])
    ends = [descend(white, each, max_iter=1, widths=(1,)).directions for each in (start, turned)]
    # Two routes of rounding through eight quasi-Newton steps.
    assert np.linalg.svd(ends[0].T @ ends[1])[1].min() > 1 - 1e-6


def test_widths_that_leave_too_few_states_are_left_out():
    white = whitened(np.random.default_rng(0).normal(size=(60, 3)))
    descent = descend(white, np.eye(3)[:, :1], Objective(n_neighbors=10), widths=(16, 4, 1, 2))
    assert {step.every for step in descent.steps} == {1, 2}  # 2 * 10 * 4 > 60


def test_axes_are_sorted_by_what_is_left_open():
    X, _ = hidden_lorenz(800, 2, random_state=0)
    white = whitened(X)
    basis = np.linalg.qr(np.random.default_rng(0).normal(size=(5, 3)))[0]
    directions, shares = sorted_by_share(white, basis, Objective())
    assert np.all(np.diff(shares) >= 0)
    assert subspace_angles(white.rows @ basis, white.rows @ directions).max() < 1e-5
    np.testing.assert_allclose(directions.T @ directions, np.eye(3), atol=1e-12)


# --- what it finds -----------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_finds_a_map_that_gpfa_misses(seed):
    hidden = logistic_map(2000, 0.15 + 0.2 * seed)
    X = among_autoregressions(hidden, seed)
    assert angle_to(DescentFeatures(1).fit(X), X, hidden[:, None]) < 1
    assert angle_to(GPFA(1).fit(X), X, hidden[:, None]) > 60


def test_finds_a_lorenz_system():
    X, hidden = hidden_lorenz(1500, 7, random_state=0)
    model = DescentFeatures(3, n_lags=2).fit(X)
    assert angle_to(model, X, hidden) < 5
    assert np.all(np.diff(model.shares_) >= 0)


def test_information_finds_a_map_that_is_precise_half_of_the_time():
    """By variance a slow channel is better; by information, the map that is sometimes exact."""
    random = np.random.default_rng(0)
    hidden = [0.3]
    for _ in range(2999):
        x = hidden[-1]
        exact = 3.9 * x * (1 - x) + 1e-3 * random.normal()
        hidden.append(np.clip(exact, 0.001, 0.999) if x < 0.5 else random.uniform())
    X = among_autoregressions(hidden, 1, np.linspace(0, 0.95, 9))
    by_variance = DescentFeatures(1).fit(X)
    by_information = DescentFeatures(1, power=0).fit(X)
    assert angle_to(by_information, X, np.array(hidden)[:, None]) < 5
    assert angle_to(by_variance, X, np.array(hidden)[:, None]) > 60
    variance, information = (
        predictive_information(model.transform(X), 1, estimate="local")
        for model in (by_variance, by_information)
    )
    assert information > variance + 0.3


def test_groups_and_gaps_are_not_crossed():
    """Trials in any order have the same space: nothing reaches from one into the next."""
    X = among_autoregressions(logistic_map(1200, 0.2), 0, (0.8,) * 4)
    groups = np.repeat(np.arange(4), 300)
    shuffled = np.concatenate([np.flatnonzero(groups == g) for g in (2, 0, 3, 1)])
    one = DescentFeatures(1).fit(X, groups=groups)
    two = DescentFeatures(1).fit(X[shuffled], groups=groups[shuffled])
    assert subspace_angles(one.transform(X), two.transform(X))[0] < 0.1


def test_jobs_do_not_matter():
    X, _ = hidden_lorenz(2100, 3, random_state=2)
    one, two = (DescentFeatures(2, n_lags=2, n_sets=1, n_jobs=n).fit(X).components_ for n in (1, 2))
    assert np.array_equal(one, two)


def test_few_rows_and_all_directions():
    X = np.random.default_rng(0).normal(size=(40, 3))
    assert DescentFeatures(3, n_neighbors=3).fit(X).components_.shape == (3, 3)
    assert DescentFeatures(1, n_lags=3).fit(X[:25]).components_.shape == (1, 3)
    with pytest.raises(TooFewStatesError, match=r"n_neighbors=50 .* n_features=3"):
        DescentFeatures(1, n_neighbors=50).fit(X)


def test_refined_gpfa_leaves_less_open():
    X = among_autoregressions(logistic_map(1500, 0.2), 0, (0.0, 0.2, 0.4))
    init = np.linalg.pinv(np.cov(X.T)) @ np.random.default_rng(0).normal(size=(4, 1))
    plain = GPFA(1, init=init, max_iter=2, tol=0).fit(X)
    refined = GPFA(1, init=init, max_iter=2, tol=0, refine=True).fit(X)
    left = [left_open(model.transform(X)).share() for model in (plain, refined)]
    assert left[1] < left[0]
    assert refined.history_["eigenvalues"].tolist() == plain.history_["eigenvalues"].tolist()
