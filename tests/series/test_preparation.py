"""Thin, detrend, difference and delay: as their slow twins say, and never across a border."""

import re

import numpy as np
import pandas as pd
import pytest

import naive_preparation as naive
from naive import random_series
from predfeat.exceptions import AliasingWarning, DataError, ShortSequencesError
from predfeat.series import aliased_share, delay, detrend, difference, thin

SERIES = [
    random_series(0, [40]),
    random_series(1, [1, 2, 3, 17, 9], n_columns=3, n_gaps=4),
    random_series(2, [12, 1, 30], n_columns=1, n_gaps=3),
    random_series(3, [25, 25], kind="offset"),
]
on_series = pytest.mark.parametrize(("X", "groups"), SERIES)


@on_series
def test_differences_agree_with_the_twin(X, groups):
    np.testing.assert_array_equal(difference(X, groups=groups), naive.difference(X, groups))


@on_series
@pytest.mark.parametrize("n_delays", [0, 1, 3])
def test_delays_agree_with_the_twin(X, groups, n_delays):
    np.testing.assert_array_equal(
        delay(X, n_delays, groups=groups), naive.delay(X, n_delays, groups)
    )


@on_series
def test_lines_agree_with_the_twin(X, groups):
    # Two ways to least squares, on numbers up to 1e6.
    np.testing.assert_allclose(detrend(X, groups=groups), naive.detrend(X, groups), atol=1e-8)


@on_series
@pytest.mark.parametrize("every", [1, 2, 5])
@pytest.mark.filterwarnings("ignore::predfeat.exceptions.AliasingWarning")
def test_thinned_rows_agree_with_the_twin(X, groups, every):
    assert thin(X, every, groups=groups).tolist() == naive.thin(groups, every)


@on_series
@pytest.mark.parametrize("every", [1, 2, 5, 30])
def test_the_share_that_is_too_fast_agrees_with_the_twin(X, groups, every):
    # Sums of squares in another order: nothing but rounding.
    np.testing.assert_allclose(
        aliased_share(X, every, groups=groups), naive.aliased_share(X, every, groups), atol=1e-9
    )


def test_a_line_is_gone_and_a_line_more_changes_nothing():
    X, groups = SERIES[1]
    t = np.arange(len(X))[:, None]
    trial = np.asarray(groups)[:, None]
    moved = X + (trial + 1) * 0.5 * t - 7 * trial
    np.testing.assert_allclose(detrend(moved, groups=groups), detrend(X, groups=groups), atol=1e-9)
    assert np.nanmax(np.abs(detrend(3 * t + 2.0))) < 1e-12


def test_a_drift_is_not_fast_but_noise_is():
    t = np.arange(300.0)
    noise = np.random.default_rng(0).normal(size=300)
    slow, share, fast = aliased_share(np.c_[t, noise, np.cos(np.pi * t)], 30)
    assert slow < 0.001  # of which a Fourier transform would make 11 per cent
    assert 0.9 < share < 1.0  # 29 of 30 frequencies
    assert fast > 0.999


def test_the_warning_tells_which_columns_and_how_much():
    t = np.arange(2000.0)
    mixed = np.sin(t / 100) + 0.5 * np.sin(2 * t)  # variances of 1/2 and 1/8
    frame = pd.DataFrame({"slow": np.sin(t / 100), "mixed": mixed})
    with pytest.warns(
        AliasingWarning, match=r"one row in 10, .*: 20% of the variance of 'mixed'\."
    ):
        assert len(thin(frame, 10)) == 200
    thin(frame[["slow"]], 10)  # warnings are errors in this suite


def test_many_fast_columns_are_counted():
    X = np.random.default_rng(0).normal(size=(200, 5))
    with pytest.warns(AliasingWarning, match="and less of 2 more"):
        thin(X, 4)


@pytest.mark.parametrize("prepared", [difference, detrend, lambda X: delay(X, 2)])
def test_precision_and_the_given_numbers_stay(prepared):
    X = np.random.default_rng(0).normal(size=(20, 2)).astype(np.float32)
    kept = X.copy()
    assert prepared(X).dtype == np.float32
    assert prepared(X.astype(int)).dtype == np.float64
    np.testing.assert_array_equal(X, kept)


def test_a_constant_column_has_nothing_fast():
    assert aliased_share(np.ones((20, 1)), 4).tolist() == [0.0]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda X: thin(X, 0), "every=0 is not possible: give a whole number from 1 on"),
        (lambda X: thin(X, 2.5), "every=2.5 is not possible"),
        (lambda X: delay(X, -1), "n_delays=-1 is not possible: give a whole number from 0 on"),
        (lambda X: aliased_share(X, True), "every=True is not possible"),
    ],
)
def test_numbers_that_make_no_sense(call, message):
    with pytest.raises(DataError, match=re.escape(message)):
        call(np.zeros((9, 1)))


def test_too_short_for_it():
    with pytest.raises(ShortSequencesError, match="differences need 2 rows in a row"):
        difference(np.zeros((2, 1)), groups=[0, 1])
    with pytest.raises(ShortSequencesError, match=r"4 delay\(s\) need 5 rows .*stretch has 3"):
        delay(np.zeros((6, 1)), 4, groups=[0, 0, 0, 1, 1, 1])


def test_no_memory_is_taken_for_delays_that_nothing_reaches():
    with pytest.raises(ShortSequencesError, match="1000000000"):
        delay(np.zeros((6, 1)), 10**9)
