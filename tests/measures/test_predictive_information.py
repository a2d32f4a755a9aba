"""Predictive information: known values, and what the three estimates share."""

import numpy as np
import pytest

from predfeat.exceptions import ShortSequencesError, TooFewStatesError
from predfeat.measures import predictive_information

ESTIMATES = ["shared", "local", "linear"]


def autoregressive(coefficient, n, seed, burn_in=100):
    noise = np.random.default_rng(seed).normal(size=n + burn_in)
    y = np.zeros(n + burn_in)
    for t in range(1, n + burn_in):
        y[t] = coefficient * y[t - 1] + noise[t]
    return y[burn_in:]


@pytest.mark.parametrize("estimate", ESTIMATES)
def test_noise_has_none(estimate):
    noise = np.random.default_rng(0).normal(size=(5000, 2))
    # The standard error of half a mean log-determinant of overlapping neighbourhoods of 21
    # points, of which there are 5000 / 21 independent ones, is below 0.02.
    assert predictive_information(noise, n_neighbors=20, estimate=estimate) == pytest.approx(
        0.0, abs=0.05
    )


@pytest.mark.parametrize("estimate", ESTIMATES)
@pytest.mark.parametrize("coefficient", [0.5, 0.8, 0.9])
def test_a_first_order_process(estimate, coefficient):
    # I(y_{t+1}; y_t) = -log(1 - a²) / 2. Neighbours spread along the state, which adds
    # a² · spread² to the conditional variance: at a = 0.9 and 10 of 8000 neighbours that is well
    # below 1 %. The sampling error of the variances (1 % and more for strong memory) dominates.
    y = autoregressive(coefficient, 8000, seed=1)
    expected = -0.5 * np.log(1 - coefficient**2)
    value = predictive_information(y, n_neighbors=10, estimate=estimate)
    assert value == pytest.approx(expected, abs=0.05)


@pytest.mark.parametrize("estimate", ESTIMATES)
def test_more_lags_find_more(estimate):
    # y_t = 0.9 y_{t-2} + noise: nothing is known from one step, much from two.
    noise = np.random.default_rng(2).normal(size=5100)
    y = np.zeros(5100)
    for t in range(2, 5100):
        y[t] = 0.9 * y[t - 2] + noise[t]
    y = y[100:]
    assert predictive_information(y, 1, estimate=estimate) == pytest.approx(0.0, abs=0.06)
    expected = -0.5 * np.log(1 - 0.9**2)
    # In two dimensions the neighbours lie farther apart: a larger conditional variance.
    assert predictive_information(y, 2, estimate=estimate) == pytest.approx(expected, abs=0.1)


def test_only_neighbours_see_a_nonlinear_law():
    y = np.empty(3000)
    y[0] = 0.3
    for t in range(2999):
        y[t + 1] = 4 * y[t] * (1 - y[t])
    assert predictive_information(y, estimate="linear") == pytest.approx(0.0, abs=0.01)
    assert predictive_information(y, estimate="shared") > 2.0
    assert predictive_information(y, estimate="local") > 2.0


def test_local_sees_that_noise_depends_on_the_state():
    # Where the noise's variance changes with the state, one covariance for all is too large:
    # by Jensen's inequality the mean of the logarithms is smaller.
    noise = np.random.default_rng(3).normal(size=6000)
    y = np.zeros(6000)
    for t in range(1, 6000):
        y[t] = (0.1 if y[t - 1] > 0 else 1.0) * noise[t]
    local, shared = (predictive_information(y, estimate=name) for name in ("local", "shared"))
    assert local > shared + 0.1


@pytest.mark.parametrize("estimate", ["shared", "linear"])
def test_units_and_mixing_do_not_matter(estimate):
    # One state of all features whatever their mixing, for these two: "linear" by its
    # invariance; "shared" with so many neighbours that all states are neighbours.
    random = np.random.default_rng(4)
    Y = random.normal(size=(40, 2)).cumsum(axis=0)
    mixing = np.array([[2.0, 0.3], [-1.0, 0.5]])
    options = {"estimate": estimate, "n_neighbors": 38}
    value = predictive_information(Y, **options)
    assert predictive_information(Y @ mixing + 7.0, **options) == pytest.approx(value, abs=1e-9)


@pytest.mark.parametrize("estimate", ESTIMATES)
def test_independent_features_add_up(estimate):
    a, b = autoregressive(0.8, 6000, seed=5), autoregressive(0.5, 6000, seed=6)
    joint = predictive_information(np.column_stack([a, b]), n_neighbors=20, estimate=estimate)
    expected = -0.5 * np.log(1 - 0.8**2) - 0.5 * np.log(1 - 0.5**2)
    assert joint == pytest.approx(expected, abs=0.08)


@pytest.mark.parametrize("estimate", ESTIMATES)
@pytest.mark.parametrize("value", [0.0, 0.1, -1e8])
def test_a_constant_has_none(estimate, value):
    # Nothing can be told about what is certain already: 0, not the difference of two -inf.
    assert predictive_information(np.full(100, value), estimate=estimate) == pytest.approx(0.0)


@pytest.mark.parametrize("estimate", ESTIMATES)
@pytest.mark.parametrize("kind", ["constant", "copy"])
def test_redundant_features_add_none(estimate, kind):
    y = autoregressive(0.8, 400, seed=7)
    other = np.full(400, 0.1) if kind == "constant" else 2.0 * y + 1.0
    alone = predictive_information(y, estimate=estimate)
    both = predictive_information(np.column_stack([y, other]), estimate=estimate)
    # The same neighbours, the same single direction: equal up to rounding.
    assert both == pytest.approx(alone, abs=1e-6)


def test_blocks_do_not_show(monkeypatch):
    y = autoregressive(0.8, 300, seed=8)
    whole = predictive_information(y, estimate="local")
    monkeypatch.setattr("predfeat.measures._predictive_information._NUMBERS_AT_ONCE", 100)
    assert predictive_information(y, estimate="local") == pytest.approx(whole, rel=1e-12)


def test_threads_do_not_matter():
    y = autoregressive(0.8, 300, seed=9)
    assert predictive_information(y, n_jobs=2) == predictive_information(y)


def test_theiler_leaves_out_the_moments_around():
    # A slow ramp with noise: neighbours in time are the only neighbours in space.
    random = np.random.default_rng(10)
    y = np.linspace(0, 20, 300) + 0.1 * random.normal(size=300)
    assert predictive_information(y, 1, 3, theiler=30) < predictive_information(y, 1, 3) - 1.0


@pytest.mark.parametrize("estimate", ["shared", "local"])
def test_fewer_neighbours_than_features(estimate):
    Y = np.random.default_rng(11).normal(size=(50, 4))
    with pytest.raises(TooFewStatesError, match=r"n_neighbors=3 .*4 features.*n_neighbors=4"):
        predictive_information(Y, n_neighbors=3, estimate=estimate)
    assert np.isfinite(predictive_information(Y, n_neighbors=4, estimate=estimate))


def test_too_short():
    with pytest.raises(ShortSequencesError, match=r"3 rows in a row .* longest stretch has 2 "):
        predictive_information(np.arange(8.0), 2, groups=np.arange(8) // 2, estimate="linear")
    with pytest.raises(TooFewStatesError, match=r"n_neighbors=10 needs at least 11 states"):
        predictive_information(np.arange(8.0))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_lags": 0}, r"'n_lags' parameter of predictive_information.*Got 0 "),
        ({"n_neighbors": 0}, r"'n_neighbors' parameter of predictive_information.*Got 0 "),
        ({"theiler": -1}, r"'theiler' parameter of predictive_information.*Got -1 "),
        ({"estimate": "best"}, r"'estimate' parameter .*'linear'.*Got 'best' "),
    ],
)
def test_parameters(options, message):
    with pytest.raises(ValueError, match=message):
        predictive_information(np.arange(50.0), **options)
