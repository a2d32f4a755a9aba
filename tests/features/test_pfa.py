"""PFA: its twin with companion matrices, and its definition."""

import numpy as np
import pytest

import naive_measures as twins
from predfeat import PFA
from predfeat.measures import autoregression_error, subspace_angles


def series(seed, n_rows=150):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_rows, 4))
    for t in range(2, n_rows):
        X[t, 0] += 1.5 * X[t - 1, 0] - 0.9 * X[t - 2, 0]
        X[t, 1] -= 0.8 * X[t - 1, 1]
    return X @ random.normal(size=(4, 4)) - 2.0, np.repeat([0, 1, 2], [70, 2, n_rows - 72])


@pytest.mark.parametrize("with_groups", [False, True])
@pytest.mark.parametrize("gaps", [[], [0, 25, 26, 69, 110]])
@pytest.mark.parametrize("n_lags", [1, 2, 3])
@pytest.mark.parametrize("n_repeats", [0, 1, 4])
@pytest.mark.parametrize("horizon", [1, 3])
def test_twin(with_groups, gaps, n_lags, n_repeats, horizon):
    X, groups = series(0)
    X[gaps, 2] = np.nan
    groups = groups if with_groups else None
    model = PFA(3, n_lags=n_lags, horizon=horizon, n_repeats=n_repeats).fit(X, groups=groups)
    directions, values = twins.pfa(X, 3, n_lags, n_repeats, groups, horizon)
    # Normal equations on one side, a least-squares solver on the other.
    np.testing.assert_allclose(model.eigenvalues_, values, rtol=1e-8)
    for n in (1, 2, 3):
        assert subspace_angles(model.components_[:n].T, directions[:, :n], X)[0] < 1e-6


def test_repeats_change_the_answer():
    X, groups = series(1)
    once, often = (PFA(1, n_lags=2, n_repeats=k).fit(X, groups=groups) for k in (0, 4))
    assert subspace_angles(once, often, X)[0] > 0.1


@pytest.mark.parametrize("horizon", [1, 4])
def test_eigenvalues_are_the_errors_of_the_prediction_in_white_space(horizon):
    X, groups = series(2)
    model = PFA(4, n_lags=2, horizon=horizon).fit(X, groups=groups)
    # All four features are white space in another basis, and the prediction is the same.
    Y = model.transform(X)
    errors = autoregression_error(Y, 2, horizon=horizon, groups=groups, per_component=True)
    np.testing.assert_allclose(model.eigenvalues_, errors, rtol=1e-8)
    assert np.all(np.diff(model.eigenvalues_) > 0)


def test_a_recursion_of_order_two_needs_two_lags():
    # A fast wave: not slow, and exactly predictable from two steps.
    random = np.random.default_rng(3)
    X = random.normal(size=(800, 4))
    X[:, 2] = np.sqrt(2) * np.cos(1.6 * np.arange(800))
    mixing = random.normal(size=(4, 4))
    truth = np.linalg.inv(mixing)[:, [2]]
    two = PFA(1, n_lags=2).fit(X @ mixing)
    assert subspace_angles(two, truth, X @ mixing)[0] < 1e-2
    assert two.eigenvalues_[0] == pytest.approx(0.0, abs=1e-5)  # the mean is not quite 0
    assert PFA(1, n_lags=1).fit(X @ mixing).eigenvalues_[0] > 0.5


def test_a_singular_regression():
    # A wave obeys its own recursion, so that histories of four steps lie in a plane: the ridge
    # keeps the prediction exact and the answer finite.
    t = np.arange(300)
    random = np.random.default_rng(4)
    X = np.column_stack([np.cos(0.7 * t), np.sin(0.7 * t), random.normal(size=300)])
    X = X @ random.normal(size=(3, 3))
    model = PFA(2, n_lags=4, n_repeats=2).fit(X)
    # A ridge of 1e-12 of the largest eigenvalue; the means are not quite 0 and have no intercept.
    np.testing.assert_allclose(model.eigenvalues_, 0.0, atol=1e-4)
    features = model.transform(X)
    waves = np.column_stack([np.cos(0.7 * t), np.sin(0.7 * t)])
    assert subspace_angles(features, waves - waves.mean(axis=0))[0] < 1.0


def test_lags_of_another_scale_of_time():
    # More histories than samples: the regression has no unique solution and still no NaN.
    X, _ = series(5, n_rows=80)
    model = PFA(2, n_lags=30).fit(X[:60])
    assert np.isfinite(model.components_).all()
    np.testing.assert_allclose(model.eigenvalues_, 0.0, atol=1e-6)


def test_parameters():
    X, _ = series(6)
    with pytest.raises(ValueError, match=r"'n_lags' parameter of PFA .*\[1, 2147483647\].*Got 0 "):
        PFA(n_lags=0).fit(X)
    with pytest.raises(
        ValueError, match=r"'n_repeats' parameter of PFA .*\[0, 2147483647\].*Got -1 "
    ):
        PFA(n_repeats=-1).fit(X)
