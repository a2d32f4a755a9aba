"""Generators: what they promise about the answer they hide."""

import numpy as np
import pytest

from predfeat.datasets import (
    hidden_amplitude,
    hidden_cascade,
    hidden_lorenz,
    hidden_product,
    predictable_noise,
)


def test_predictable_noise_is_a_shift_and_nothing_else():
    X = predictable_noise(20_000, 4, random_state=0)
    assert X.shape == (20_000, 4)
    np.testing.assert_array_equal(X[1:, 1], X[:-1, 0])
    now_and_next = np.corrcoef(np.hstack([X[:-1], X[1:]]), rowvar=False)
    now_and_next[0, 5] = now_and_next[5, 0] = 0.0  # the shift itself
    # Correlations of independent noise have a standard error of 1/√20000 = 0.007.
    assert np.abs(now_and_next - np.eye(8)).max() < 0.035


def test_hidden_lorenz_mixes_the_hidden_coordinates_losslessly():
    X, hidden = hidden_lorenz(500, n_noise=4, random_state=0)
    assert X.shape == (500, 7)
    np.testing.assert_allclose(hidden.mean(axis=0), 0.0, atol=1e-12)
    np.testing.assert_allclose(hidden.std(axis=0), 1.0)
    residual = hidden - X @ np.linalg.lstsq(X, hidden, rcond=None)[0]
    assert np.abs(residual).max() < 1e-10


def test_hidden_lorenz_visits_both_wings_and_solves_its_equations():
    _, hidden = hidden_lorenz(3000, n_noise=0, random_state=1)
    assert hidden[:, 0].min() < -1
    assert hidden[:, 0].max() > 1
    # dx/dt = 10 (y - x): in standardised coordinates still linear in x and y alone.
    velocity = np.gradient(hidden[:, 0], 0.03)
    coordinates = np.column_stack([hidden, np.ones(len(hidden))])
    fit = np.linalg.lstsq(coordinates, velocity, rcond=None)
    assert np.abs(fit[0][2]) < 0.05 * np.abs(fit[0][:2]).min()


@pytest.mark.parametrize("make", [predictable_noise, lambda n, **k: hidden_lorenz(n, **k)[0]])
def test_a_seed_decides_the_data(make):
    np.testing.assert_array_equal(make(50, random_state=5), make(50, random_state=5))
    assert not np.array_equal(make(50, random_state=5), make(50, random_state=6))


def test_bad_sizes_are_named():
    with pytest.raises(ValueError, match="n_samples"):
        predictable_noise(0)
    with pytest.raises(ValueError, match="n_features"):
        predictable_noise(10, 1)
    with pytest.raises(ValueError, match="n_noise"):
        hidden_lorenz(10, n_noise=-1)


@pytest.mark.parametrize("make", [hidden_amplitude, hidden_product, hidden_cascade])
def test_hidden_nonlinear_series(make):
    X, hidden = make(800, 3, random_state=0)
    assert X.shape == (800, 5)
    assert hidden.shape == (800,)
    again, same = make(800, 3, random_state=0)
    np.testing.assert_array_equal(again, X)
    np.testing.assert_array_equal(same, hidden)
    # The hidden quantity is slow, and no channel is correlated with it.
    assert np.mean(np.diff(hidden) ** 2) < 0.1 * hidden.var()
    assert np.abs(np.corrcoef(X.T, hidden)[-1, :-1]).max() < 0.2
    with pytest.raises(ValueError, match="'n_noise' parameter"):
        make(10, -1)


def test_a_product_hides_its_signal():
    X, hidden = hidden_product(500, 0, random_state=1)
    # Turned back, one column times the other is the signal: a quadratic form of X.
    forms = np.column_stack([X[:, 0] ** 2, X[:, 0] * X[:, 1], X[:, 1] ** 2])
    rest = hidden - forms @ np.linalg.lstsq(forms, hidden, rcond=None)[0]
    assert np.abs(rest).max() < 1e-9
