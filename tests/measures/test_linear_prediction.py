"""Slowness and the error of linear prediction, where the answer is known."""

import numpy as np
import pytest

from predfeat.exceptions import DimensionError, GroupsError, ShortSequencesError
from predfeat.measures import _autoregression, autoregression_error, slowness
from predfeat.series import check_sequences


def test_slowness_by_hand():
    np.testing.assert_array_equal(slowness([[0.0, 5.0], [1.0, 5.0], [3.0, 5.0]]), [2.5, 0.0])


def test_slowness_is_not_centred():
    # A trend is change: the mean of the differences is not taken off.
    np.testing.assert_array_equal(slowness(3.0 * np.arange(10)), [9.0])


def test_the_fastest_alternation():
    assert slowness((-1.0) ** np.arange(50))[0] == 4.0


def test_slowness_leaves_out_what_crosses_a_border():
    y = [0.0, 1.0, 100.0, 103.0]
    np.testing.assert_array_equal(slowness(y, groups=["a", "a", "b", "b"]), [(1 + 9) / 2])


def test_slowness_of_single_rows():
    with pytest.raises(ShortSequencesError, match=r"2 rows in a row .* longest stretch has 1 "):
        slowness([1.0, 2.0, 3.0], groups=[0, 1, 2])


def test_regression_by_hand():
    # Mean 0, so nothing is taken off: b = Σ y_t y_{t-1} / Σ y_{t-1}² = (-2 + 0 + 0 - 1) / 6.
    y = np.array([1.0, -2.0, 0.0, 1.0, 0.0])
    slope = -2.0 / 6.0
    expected = np.mean((y[1:] - slope * y[:-1]) ** 2)
    assert autoregression_error(y) == pytest.approx(expected, rel=1e-14)


def test_a_recursion_is_predicted_exactly():
    wave = np.sin(0.3 * np.arange(400) + 0.1)
    # A sampled wave obeys y_t = 2 cos(ω) y_{t-1} - y_{t-2}. Its mean is not quite 0, and there is
    # no intercept: what is left is the mean's square times a small factor.
    assert autoregression_error(wave, 2) < 1e-5
    assert autoregression_error(wave, 1) > 1e-2


def test_fitted_on_other_data_the_error_is_larger():
    random = np.random.default_rng(0)
    train, test = random.normal(size=(40, 3)), random.normal(size=(40, 3))
    own = autoregression_error(test, 2, per_component=True)
    carried_over = autoregression_error(test, 2, fit_on=train)
    assert carried_over > own.sum()
    assert own.shape == (3,)


def test_fit_groups_are_the_borders_of_the_fit_data():
    # Two rising ramps of equal steps; across their border the fit would see a fall.
    ramp = np.tile(np.arange(5.0), 2)
    halves = np.repeat([0, 1], 5)
    apart = autoregression_error(ramp, fit_on=ramp, fit_groups=halves, groups=halves)
    joined = autoregression_error(ramp, fit_on=ramp, groups=halves)
    assert apart < joined


@pytest.mark.parametrize("value", [0.0, 0.1, -3e7])
def test_a_constant_is_predicted_exactly(value):
    # With no variance the regression is singular: a ridge, not a division by zero.
    assert autoregression_error(np.full((30, 2), value), 2) == pytest.approx(0.0, abs=1e-12)


def test_redundant_features_do_no_harm():
    y = np.random.default_rng(1).normal(size=(200, 1)).cumsum(axis=0)
    each = autoregression_error(np.hstack([y, y, 2 * y]), 2, per_component=True)
    single = autoregression_error(y, 2)
    # The ridge of the singular regression is 1e-12 of the largest eigenvalue.
    np.testing.assert_allclose(each, single * np.array([1, 1, 4]), rtol=1e-6)


def test_the_regression_is_the_same_by_eigenvalues(monkeypatch):
    random = np.random.default_rng(3)
    Y = random.normal(size=(400, 5)) @ random.normal(size=(5, 5))
    weights = _autoregression.fit_autoregression(check_sequences(Y), 2)
    monkeypatch.setattr(_autoregression, "_REGULAR_RECIPROCAL_CONDITION", np.inf)
    by_eigenvalues = _autoregression.fit_autoregression(check_sequences(Y), 2)
    np.testing.assert_allclose(weights, by_eigenvalues, rtol=1e-9, atol=1e-12)


def test_blocks_do_not_show(monkeypatch):
    # Long histories are summed in blocks; the size of a block must not be seen.
    Y = np.random.default_rng(2).normal(size=(101, 2))
    whole = autoregression_error(Y, 3)
    monkeypatch.setattr("predfeat.measures._autoregression._NUMBERS_AT_ONCE", 42)
    assert autoregression_error(Y, 3) == pytest.approx(whole, rel=1e-12)


def test_too_short_sequences():
    with pytest.raises(ShortSequencesError, match=r"4 rows in a row .* longest stretch has 3 "):
        autoregression_error(np.arange(12.0), n_lags=3, groups=np.arange(12) // 3)


def test_bad_lags():
    with pytest.raises(ValueError, match=r"'n_lags' parameter of autoregression_error.*Got 0 "):
        autoregression_error(np.arange(12.0), n_lags=0)


@pytest.mark.parametrize("n_columns", [1, 2])
def test_fit_on_other_columns(n_columns):
    Y = np.random.default_rng(3).normal(size=(30, 3))
    with pytest.raises(DimensionError, match=rf"fit_on.*{n_columns}.*3|3.*fit_on.*{n_columns}"):
        autoregression_error(Y, fit_on=Y[:, :n_columns])


def test_fit_groups_without_fit_on():
    # Accepted and unused would be worse: the borders meant for the fit would be ignored.
    with pytest.raises(GroupsError, match="fit_groups"):
        autoregression_error(np.arange(12.0), fit_groups=np.arange(12) // 6)


def test_groups_of_the_fit_data_are_checked():
    Y = np.random.default_rng(4).normal(size=(30, 2))
    with pytest.raises(GroupsError, match=r"30 rows, groups has 29"):
        autoregression_error(Y, fit_on=Y, fit_groups=np.zeros(29))
