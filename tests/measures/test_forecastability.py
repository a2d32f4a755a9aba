"""Ω: bounds, sequences, gaps, and what has no spectrum."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_measures as twins
from predfeat.exceptions import NoSpectrumError
from predfeat.measures import forecastability
from predfeat.measures._spectra import power_spectra, segment_transforms
from predfeat.series import check_sequences


@given(st.integers(8, 200), st.integers(0, 2**32 - 1), st.floats(0.0, 1.0))
@settings(max_examples=40, deadline=None)
def test_it_lies_between_zero_and_one(n, seed, memory):
    random = np.random.default_rng(seed)
    y = random.normal(size=n)
    for t in range(1, n):
        y[t] += memory * y[t - 1]
    omega = forecastability(y)
    assert omega.shape == (1,)
    assert -1e-12 <= omega[0] <= 1.0  # Gibbs' inequality holds up to rounding


def test_waves_are_forecastable_and_noise_is_not():
    random = np.random.default_rng(0)
    noise = random.normal(size=4000)
    wave = np.sin(0.7 * np.arange(4000))
    omega = forecastability(np.column_stack([noise, wave + noise, wave]))
    assert omega[0] < 0.03 < omega[1] < 0.6 < omega[2]


def test_an_impulse_in_the_middle_has_a_flat_spectrum():
    # Its segments hold one sample or none: the spectrum is flat but for the mean taken off.
    y = np.zeros(400)
    y[200] = 1.0
    assert forecastability(y)[0] < 1e-3


def test_units_do_not_matter():
    Y = np.random.default_rng(1).normal(size=(100, 1)).cumsum(axis=0)
    np.testing.assert_allclose(forecastability(1e-6 * Y), forecastability(Y), rtol=1e-9)
    np.testing.assert_allclose(forecastability(-1e9 * Y), forecastability(Y), rtol=1e-9)


def test_time_may_run_backwards():
    # 128 rows have 7 segments of 32 rows every 16: the same ones from both ends.
    Y = np.random.default_rng(2).normal(size=(128, 2)).cumsum(axis=0)
    np.testing.assert_allclose(forecastability(Y[::-1]), forecastability(Y), rtol=1e-9)


def test_equal_trials_have_the_average_spectrum():
    # Trials of one length: the spectrum of all is the mean of the trials' spectra, the mean of
    # all samples being taken off.
    random = np.random.default_rng(3)
    trials = random.normal(size=(5, 64, 2)).cumsum(axis=1)
    trials -= trials.mean(axis=(0, 1))
    joined = power_spectra(
        segment_transforms(check_sequences(trials.reshape(-1, 2), np.repeat(np.arange(5), 64)))
    )
    # A mean is taken off each trial when it comes alone; doubling it with the opposite sign
    # leaves a mean of 0, and power does not see signs.
    alone = [
        power_spectra(
            segment_transforms(check_sequences(np.vstack([x, -x]), np.repeat([0, 1], 64)))
        )
        for x in trials
    ]
    np.testing.assert_allclose(joined, np.mean(alone, axis=0), rtol=1e-9)
    omega = forecastability(trials.reshape(-1, 2), groups=np.repeat(np.arange(5), 64))
    expected = [1 - twins.spectral_entropy(np.mean(alone, axis=0)[:, i]) for i in range(2)]
    np.testing.assert_allclose(omega, expected, rtol=1e-9)


def test_the_order_of_the_trials_does_not_matter():
    trials = np.random.default_rng(4).normal(size=(6, 50)).cumsum(axis=1)
    groups = np.repeat(np.arange(6), 50)
    moved = forecastability(trials[[3, 1, 5, 0, 2, 4]].ravel(), groups=groups)
    np.testing.assert_allclose(moved, forecastability(trials.ravel(), groups=groups), rtol=1e-9)


def test_short_sequences_take_no_part():
    # The long sequence has segments of 25 rows; one of 20 rows moves only the overall mean, and
    # here not even that.
    random = np.random.default_rng(5)
    long, short = random.normal(size=100).cumsum(), random.normal(size=20)
    short += long.mean() - short.mean()
    groups = np.repeat([0, 1], [100, 20])
    both = forecastability(np.concatenate([long, short]), groups=groups)
    np.testing.assert_allclose(both, forecastability(long), rtol=1e-9)


def test_a_gap_has_no_weight():
    # The mean of the samples in its place adds nothing to the sums either.
    y = np.random.default_rng(6).normal(size=90).cumsum()
    missing = np.array([3, 40, 41, 88])
    y[missing] = np.nan
    filled = np.where(np.isnan(y), np.nanmean(y), y)
    np.testing.assert_allclose(forecastability(y), forecastability(filled), rtol=1e-9)


@pytest.mark.parametrize("value", [0.0, 0.1, -1e8])
def test_a_constant_has_no_spectrum(value):
    Y = np.random.default_rng(7).normal(size=(50, 3))
    Y[:, 1] = value
    with pytest.raises(NoSpectrumError, match=r"feature\(s\) 1 are constant.*Drop"):
        forecastability(Y)


def test_a_constant_with_gaps_has_no_spectrum():
    y = np.ones(50)
    y[10] = np.nan
    with pytest.raises(NoSpectrumError, match=r"feature\(s\) 0 are constant"):
        forecastability(y)


def test_eight_rows_are_needed():
    y = np.random.default_rng(8).normal(size=8)
    assert np.isfinite(forecastability(y)).all()
    with pytest.raises(NoSpectrumError, match=r"at least 8 .*n_samples=7.* 7 or fewer"):
        forecastability(y[:7])
    with pytest.raises(NoSpectrumError, match=r"at least 8 .* 4 or fewer"):
        forecastability(np.tile(y, 2), groups=np.arange(16) // 4)
