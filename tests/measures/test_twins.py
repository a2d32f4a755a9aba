"""Every measure equals its slow twin, over lags, neighbours, sequences, gaps and ties."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import naive_measures as twins
from predfeat.measures import (
    autoregression_error,
    forecastability,
    left_open,
    predictability,
    predictive_information,
    slowness,
)

FEW = settings(max_examples=30, deadline=None)
HORIZONS = st.integers(1, 4)

# The twins sum in another order than the package: values of order one agree to 1e-9 and a wrong
# neighbour, row or divisor changes them by more than 1e-4.
CLOSE = {"rtol": 1e-9, "atol": 1e-9}


@st.composite
def series(draw, *, n_features=(1, 3), whole_numbers=True):
    """Features of several sequences with gaps, and their ids (None for a single sequence).

    Whole numbers make exact ties by the dozen, and exact arithmetic on both sides.
    """
    lengths = draw(st.lists(st.integers(1, 40), min_size=1, max_size=4))
    n_rows, n_columns = sum(lengths), draw(st.integers(*n_features))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    if whole_numbers and draw(st.booleans()):
        Y = random.integers(-3, 4, size=(n_rows, n_columns)).astype(float)
    else:
        Y = random.normal(size=(n_rows, n_columns)) + random.normal(size=n_columns)
        Y[1:] += 0.6 * Y[:-1]
    gap_share = draw(st.sampled_from([0.0, 0.0, 0.1]))
    Y[random.random(n_rows) < gap_share, random.integers(n_columns)] = np.nan
    assume(not np.isnan(Y).all(axis=0).any())
    groups = None if len(lengths) == 1 else np.repeat(np.arange(len(lengths)), lengths)
    return Y, groups


@given(
    series(), st.integers(1, 3), st.integers(1, 6), st.integers(0, 1), st.integers(0, 2), HORIZONS
)
@FEW
def test_predictability(given_series, p, q, ddof, theiler, horizon):
    Y, groups = given_series
    # So many states that the Theiler window cannot leave too few.
    assume(len(twins.windows(Y, p - 1, horizon, groups)) > q + 2 * theiler)
    expected = twins.predictability(Y, p, q, groups, ddof, theiler, horizon)
    options = {"groups": groups, "ddof": ddof, "theiler": theiler, "horizon": horizon}
    each = predictability(Y, p, q, per_component=True, **options)
    np.testing.assert_allclose(each, expected, **CLOSE)
    np.testing.assert_allclose(predictability(Y, p, q, **options), expected.sum(), **CLOSE)


@given(series(), st.integers(1, 3), st.sampled_from([1, 7, 4096]), HORIZONS)
@FEW
def test_what_is_left_open_around_each_state(given_series, p, block, horizon):
    Y, groups = given_series
    assume(len(twins.windows(Y, p - 1, horizon, groups)) > 10)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("predfeat.measures._left_open._STATES_AT_ONCE", block)
        found = left_open(Y, p, groups=groups, horizon=horizon)
        by_state = found.by_state
    options = {"groups": groups, "horizon": horizon}
    expected = twins.variance_by_state(Y, p, 10, **options)
    np.testing.assert_allclose(by_state, expected, **CLOSE)
    np.testing.assert_allclose(by_state.mean(), found.total(), **CLOSE)
    np.testing.assert_allclose(found.typical, twins.typical_variance(Y, p, **options), **CLOSE)
    assert found.typical <= found.total() * (1 + 1e-9)


def test_one_loud_moment_decides_the_mean_and_not_what_is_typical():
    random = np.random.default_rng(0)
    wave = np.sin(0.1 * np.arange(1000))
    wave[500:600] += 20 * random.normal(size=100)
    noise = random.normal(size=1001)
    sums = noise[1:] + noise[:-1]
    loud, even = ((Y - Y.mean()) / Y.std() for Y in (wave, sums))
    loud, even = (left_open(Y) for Y in (loud, even))
    assert loud.total() > even.total()
    assert loud.typical < even.typical / 2


@given(series(), st.integers(1, 3), st.integers(1, 6))
@FEW
def test_relative_predictability(given_series, p, q):
    Y, groups = given_series
    assume(len(twins.windows(Y, p - 1, 1, groups)) > q)
    variances = twins.samples(Y).var(axis=0)
    assume((variances > 0).all())
    expected = twins.predictability(Y, p, q, groups)
    options = {"groups": groups, "relative": True}
    each = predictability(Y, p, q, per_component=True, **options)
    np.testing.assert_allclose(each, expected / variances, **CLOSE)
    whole = predictability(Y, p, q, **options)
    np.testing.assert_allclose(whole, expected.sum() / variances.sum(), **CLOSE)


@given(series())
@FEW
def test_slowness(given_series):
    Y, groups = given_series
    assume(twins.windows(Y, 0, 1, groups))
    np.testing.assert_allclose(slowness(Y, groups=groups), twins.slowness(Y, groups), **CLOSE)


@given(series(), st.integers(1, 3), HORIZONS)
@FEW
def test_autoregression_error(given_series, p, horizon):
    Y, groups = given_series
    # With fewer equations than unknowns the fit is exact and the error rounding alone.
    assume(len(twins.windows(Y, p - 1, horizon, groups)) > p * Y.shape[1] + 3)
    expected = twins.autoregression_error(Y, p, groups, horizon=horizon)
    each = autoregression_error(Y, p, horizon=horizon, groups=groups, per_component=True)
    # Normal equations lose twice the digits that the twin's least-squares solver loses.
    np.testing.assert_allclose(each, expected, rtol=1e-7, atol=1e-9)
    whole = autoregression_error(Y, p, horizon=horizon, groups=groups)
    np.testing.assert_allclose(whole, each.sum(), **CLOSE)


@given(series(n_features=(2, 2)), series(n_features=(2, 2)), st.integers(1, 2))
@FEW
def test_autoregression_error_fitted_on_other_data(given_series, training, p):
    (Y, groups), (fit_on, fit_groups) = given_series, training
    assume(twins.windows(Y, p, 0, groups))
    assume(len(twins.windows(fit_on, p, 0, fit_groups)) > 4 * p + 3)
    expected = twins.autoregression_error(Y, p, groups, fit_on, fit_groups)
    value = autoregression_error(
        Y, p, groups=groups, fit_on=fit_on, fit_groups=fit_groups, per_component=True
    )
    np.testing.assert_allclose(value, expected, rtol=1e-7, atol=1e-9)


@given(series())
@FEW
def test_forecastability(given_series):
    Y, groups = given_series
    lengths = [len(rows) for rows in twins.sequences(Y, groups)]
    assume(twins.reference_length(lengths) >= 8)
    assume((twins.samples(Y).var(axis=0) > 0).all())
    expected = twins.forecastability(Y, groups)
    np.testing.assert_allclose(forecastability(Y, groups=groups), expected, **CLOSE)


@pytest.mark.parametrize("estimate", ["shared", "local", "linear"])
@given(
    series(n_features=(1, 2), whole_numbers=False), st.integers(1, 2), st.integers(2, 8), HORIZONS
)
@FEW
def test_predictive_information(estimate, given_series, p, q, horizon):
    Y, groups = given_series
    n_states = len(twins.windows(Y, p - 1, horizon, groups))
    assume(n_states > max(q, p * Y.shape[1] + 3))
    expected = twins.predictive_information(Y, p, q, estimate, groups, horizon)
    value = predictive_information(Y, p, q, horizon=horizon, groups=groups, estimate=estimate)
    # Two neighbours make covariances of two features of rank 2 by a hair: the logarithm of a
    # determinant near zero loses digits.
    np.testing.assert_allclose(value, expected, rtol=1e-6, atol=1e-6)


MEASURES = {
    "predictability": lambda Y, groups: predictability(Y, 2, 3, groups=groups, per_component=True),
    "slowness": lambda Y, groups: slowness(Y, groups=groups),
    "autoregression_error": lambda Y, groups: autoregression_error(
        Y, 2, groups=groups, per_component=True
    ),
    "forecastability": lambda Y, groups: forecastability(Y, groups=groups),
    "predictive_information": lambda Y, groups: predictive_information(Y, 2, 3, groups=groups),
}
# A spectrum's segments may hold gaps: see test_forecastability.
CUT_BY_GAPS = sorted(MEASURES.keys() - {"forecastability"})


@pytest.fixture
def walk():
    return np.random.default_rng(5).normal(size=(120, 1)).cumsum(axis=0)


@pytest.mark.parametrize("name", MEASURES)
def test_one_series_is_one_feature(name, walk):
    measure = MEASURES[name]
    np.testing.assert_array_equal(measure(walk[:, 0], None), measure(walk, None))
    np.testing.assert_array_equal(measure(walk[:, 0].tolist(), None), measure(walk, None))


@pytest.mark.parametrize("name", MEASURES)
def test_one_group_is_no_group(name, walk):
    measure = MEASURES[name]
    np.testing.assert_array_equal(measure(walk, np.full(120, "a")), measure(walk, None))


@pytest.mark.parametrize("name", MEASURES)
def test_a_border_between_sequences_counts(name, walk):
    # A walk that jumps by 100: whatever crossed the border would see the jump.
    walk[60:] += 100.0
    apart, joined = (MEASURES[name](walk, groups) for groups in (np.arange(120) // 60, None))
    assert abs(np.sum(apart) - np.sum(joined)) > 1e-3


@pytest.mark.parametrize("name", CUT_BY_GAPS)
def test_a_gap_is_a_border(name, walk):
    # A row of NaN between two sequences changes nothing, with the change of id or instead of it.
    measure, groups = MEASURES[name], np.arange(120) // 60
    longer = np.insert(walk, 60, np.nan, axis=0)
    expected = measure(walk, groups)
    np.testing.assert_allclose(measure(longer, None), expected, rtol=1e-12)
    np.testing.assert_allclose(measure(longer, np.insert(groups, 60, 1)), expected, rtol=1e-12)


@pytest.mark.parametrize("name", MEASURES)
def test_input_stays_as_it_was(name, walk):
    walk[7] = np.nan
    before = walk.copy()
    walk.flags.writeable = False
    MEASURES[name](walk, None)
    np.testing.assert_array_equal(walk, before)


@pytest.mark.parametrize("name", MEASURES)
@pytest.mark.parametrize("offset", [64.0, -(2.0**20)])
def test_an_offset_changes_nothing(name, walk, offset):
    # Rounded to 2⁻²⁰, so that adding the offset loses no digit and no tie can appear.
    exact = np.round(walk * 2**20) / 2**20
    moved, expected = MEASURES[name](exact + offset, None), MEASURES[name](exact, None)
    # The mean of numbers near 10⁶ is known to about 1e-10, a share of 1e-10 of the spread.
    np.testing.assert_allclose(moved, expected, rtol=1e-7)
