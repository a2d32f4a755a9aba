"""What similar states leave open: every number against its twin, and how the numbers relate."""

import pickle

import numpy as np
import pytest

import naive_measures as twins
from predfeat.exceptions import GroupsError, ScaleError, ShortSequencesError, TooFewStatesError
from predfeat.measures import (
    _left_open,
    autoregression_error,
    available_neighbors,
    fit_autoregression,
    forecastability,
    left_open,
    periods,
    predictability,
    predictive_information,
    slowness,
)
from predfeat.series import check_sequences

# The twins sum in another order.
CLOSE = {"rtol": 1e-9, "atol": 1e-12}


@pytest.fixture
def Y():
    random = np.random.default_rng(0)
    walk = random.normal(size=(90, 3)).cumsum(axis=0) * [1.0, 0.1, 5.0]
    walk[[20, 71], [0, 2]] = np.nan
    return walk


GROUPS = np.repeat([0, 1, 2], [40, 35, 15])


@pytest.mark.parametrize("groups", [None, GROUPS], ids=["one", "three"])
@pytest.mark.parametrize(
    ("p", "q", "theiler", "horizon"), [(1, 10, 0, 1), (2, 3, 0, 1), (3, 5, 2, 1), (1, 4, 1, 3)]
)
def test_every_number_as_the_twin(Y, groups, p, q, theiler, horizon):
    found = left_open(Y, p, q, groups=groups, theiler=theiler, horizon=horizon)
    whole = twins.samples(Y).var(axis=0)
    for ddof in (0, 1):
        expected = twins.predictability(Y, p, q, groups, ddof, theiler, horizon)
        np.testing.assert_allclose(found.variances(ddof), expected, **CLOSE)
        np.testing.assert_allclose(found.total(ddof), expected.sum(), **CLOSE)
        np.testing.assert_allclose(found.shares(ddof), expected / whole, **CLOSE)
        np.testing.assert_allclose(found.share(ddof), expected.sum() / whole.sum(), **CLOSE)
    by_state = twins.variance_by_state(Y, p, q, groups, horizon, theiler)
    np.testing.assert_allclose(found.by_state, by_state, **CLOSE)
    np.testing.assert_allclose(found.typical, np.mean(np.sqrt(by_state)) ** 2, **CLOSE)


def test_the_neighbors_as_the_twin(Y):
    table = left_open(Y, 2, 4, groups=GROUPS).neighbors
    times = twins.windows(Y, 1, 1, GROUPS)
    expected = twins.nearest(Y, times, 2, 4, 0, GROUPS)
    assert table.times.tolist() == times
    assert table.indices.tolist() == [expected[t] for t in times]


def test_how_the_numbers_relate(Y):
    found = left_open(Y, 2, 6)
    assert found.total() == found.variances().sum()
    assert found.by_state.mean() == pytest.approx(found.total(), rel=1e-12)
    # Seven points, divided by seven or by six.
    np.testing.assert_allclose(found.variances(ddof=1), found.variances() * 7 / 6, rtol=1e-14)
    # Variances have ddof=0 unless asked, as eq. (2) has, and shares have ddof=1.
    np.testing.assert_array_equal(found.variances(), found.variances(ddof=0))
    np.testing.assert_array_equal(found.shares(), found.shares(ddof=1))
    assert (found.total(), found.share()) == (found.total(ddof=0), found.share(ddof=1))
    # The share of the sum is the mean of the shares, weighted by the variances.
    whole = twins.samples(Y).var(axis=0)
    assert found.share() == pytest.approx(np.average(found.shares(), weights=whole), rel=1e-12)


@pytest.mark.parametrize("ddof", [0, 1])
@pytest.mark.parametrize("horizon", [1, 2])
@pytest.mark.parametrize("groups", [None, GROUPS], ids=["one", "three"])
def test_predictability_is_one_of_its_numbers(Y, ddof, horizon, groups):
    options = {"horizon": horizon, "groups": groups, "theiler": 1}
    found = left_open(Y, 2, 5, **options)
    measured = {
        (relative, each): predictability(
            Y, 2, 5, ddof=ddof, relative=relative, per_component=each, **options
        )
        for relative in (False, True)
        for each in (False, True)
    }
    assert measured[False, False] == found.total(ddof)
    assert measured[True, False] == found.share(ddof)
    np.testing.assert_array_equal(measured[False, True], found.variances(ddof))
    np.testing.assert_array_equal(measured[True, True], found.shares(ddof))


@pytest.mark.parametrize("q", [1, 3, 10])
def test_noise_has_a_share_of_one_however_few_neighbors(q):
    noise = np.random.default_rng(1).normal(size=(4000, 2)) * [1.0, 3.0]
    found = left_open(noise, 1, q)
    np.testing.assert_allclose(found.shares(), 1.0, atol=0.08)
    assert found.share() == pytest.approx(1.0, abs=0.08)
    assert found.share(ddof=0) == pytest.approx(q / (q + 1), abs=0.08)


def test_one_search_for_all_numbers(Y, monkeypatch):
    searches, search = [], _left_open.search
    monkeypatch.setattr(
        _left_open, "search", lambda *given, **o: searches.append(1) or search(*given, **o)
    )
    found = left_open(Y)
    assert min(found.total(), found.share(), found.typical, *found.by_state) > 0
    assert len(found.variances(ddof=1)) == len(found.shares()) == 3
    assert len(searches) == 1


def test_a_constant_has_no_share():
    Y = np.column_stack([np.full(60, 0.1), np.random.default_rng(1).normal(size=60)])
    found = left_open(Y)
    assert found.shares()[0] == pytest.approx(0.0, abs=1e-12)
    assert found.share() == pytest.approx(found.shares()[1], rel=1e-12)
    assert left_open(Y[:, :1]).share() == pytest.approx(0.0, abs=1e-12)


def test_units_do_not_change_shares_and_square_variances():
    Y = np.random.default_rng(2).normal(size=(80, 2))
    found, huge = left_open(Y), left_open(2.0**300 * Y)
    np.testing.assert_array_equal(huge.shares(), found.shares())
    assert huge.share() == found.share()
    assert left_open(2.0**700 * Y).share() == found.share()  # no float64 holds its variances
    np.testing.assert_array_equal(huge.variances(), np.ldexp(found.variances(), 600))
    np.testing.assert_array_equal(huge.by_state, np.ldexp(found.by_state, 600))
    assert huge.typical == pytest.approx(np.ldexp(found.typical, 600), rel=1e-14)
    for ask in ("variances", "total"):
        with pytest.raises(
            ScaleError, match=r"variance left open of feature 1 is a square.*e\+180"
        ):
            getattr(left_open(Y * [1.0, 1e180]), ask)()
    with pytest.raises(ScaleError, match="variance left open of feature 1 is a square"):
        _ = left_open(Y * [1.0, 1e180]).by_state


@pytest.mark.parametrize("ddof", [-1, 2, 0.5, None])
def test_ddof_is_zero_or_one(Y, ddof):
    for ask in ("variances", "total", "shares", "share"):
        with pytest.raises(ValueError, match=rf"ddof={ddof} must be 0.* or 1"):
            getattr(left_open(Y), ask)(ddof)


def test_it_can_be_kept(Y):
    found = left_open(Y, 2)
    again = pickle.loads(pickle.dumps(found))
    assert (again.total(), again.share(), again.typical) == (
        found.total(),
        found.share(),
        found.typical,
    )
    with pytest.raises(AttributeError):
        found.horizon = 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_lags": 0}, r"'n_lags' parameter of left_open.*Got 0 "),
        ({"n_neighbors": 0}, r"'n_neighbors' parameter of left_open.*or None.*Got 0 "),
        ({"horizon": 0}, r"'horizon' parameter of left_open.*Got 0 "),
        ({"theiler": -1}, r"'theiler' parameter of left_open.*Got -1 "),
        ({"engine": "magic"}, r"'engine' parameter of left_open.*Got 'magic' "),
        ({"n_jobs": "all"}, r"'n_jobs' parameter of left_open.*Got 'all' "),
    ],
)
def test_parameters(options, message):
    with pytest.raises(ValueError, match=message):
        left_open(np.arange(50.0), **options)


# --- as many neighbours as there are, at most ten ------------------------------------------------


@pytest.mark.parametrize("n_rows", [3, 4, 8, 11, 12, 13, 40])
def test_ten_neighbors_or_what_there_are(n_rows):
    y = np.random.default_rng(n_rows).normal(size=n_rows)
    expected = min(10, n_rows - 2)  # of the states with a successor all others
    assert available_neighbors(y) == expected
    found = left_open(y, n_neighbors=None)
    assert found.neighbors.indices.shape == (n_rows - 1, expected)
    assert found.total() == left_open(y, 1, expected).total()


@pytest.mark.parametrize("groups", [None, GROUPS], ids=["one", "three"])
@pytest.mark.parametrize("theiler", [0, 3, 30, 100])
@pytest.mark.parametrize("horizon", [0, 1, 3])
def test_available_neighbors_by_counting(Y, groups, theiler, horizon):
    times = twins.windows(Y, 1, horizon, groups)
    number = {t: i for i, rows in enumerate(twins.sequences(Y, groups)) for t in rows}
    allowed = [
        sum(i != t and (number[i] != number[t] or abs(i - t) > theiler) for i in times)
        for t in times
    ]
    options = {"horizon": horizon, "groups": groups, "theiler": theiler}
    assert available_neighbors(Y, 2, at_most=None, **options) == min(allowed)
    assert available_neighbors(Y, 2, **options) == min(10, *allowed)
    assert available_neighbors(Y, 2, at_most=4, **options) == min(4, *allowed)


def test_that_many_and_not_one_more(Y):
    options = {"groups": GROUPS, "theiler": 25}
    most = available_neighbors(Y, 2, at_most=None, **options)
    assert left_open(Y, 2, most, **options).total() > 0
    with pytest.raises(TooFewStatesError, match=rf"at most {most}"):
        left_open(Y, 2, most + 1, **options)


def test_no_state_has_no_neighbors():
    assert available_neighbors([1.0, 2.0], n_lags=3, horizon=0) == 0
    assert available_neighbors([1.0, 2.0], n_lags=2) == 0
    gaps = check_sequences([[1.0, np.nan], [np.nan, 2.0]])
    assert available_neighbors(gaps) == 0
    with pytest.raises(ShortSequencesError, match="every row is a gap"):
        left_open(gaps, n_neighbors=None)
    with pytest.raises(ShortSequencesError, match="3 rows in a row are needed"):
        left_open([1.0, 2.0], 2, None)
    with pytest.raises(TooFewStatesError, match="n_neighbors=1 needs at least 2 states"):
        left_open([1.0, 2.0], 1, None)


# --- sequences that were checked ------------------------------------------------------------------


@pytest.mark.parametrize(
    "measure",
    [
        lambda Y, **groups: left_open(Y, 2, **groups).variances(),
        lambda Y, **groups: predictability(Y, 2, **groups),
        lambda Y, **groups: predictive_information(Y, 2, **groups),
        lambda Y, **groups: autoregression_error(Y, 2, **groups),
        lambda Y, **groups: fit_autoregression(Y, 2, **groups),
        lambda Y, **groups: periods(Y, **groups).slower_than,
        forecastability,
        slowness,
        available_neighbors,
    ],
)
def test_every_measure_takes_checked_sequences(measure, Y):
    checked = check_sequences(Y, GROUPS)
    np.testing.assert_array_equal(measure(checked), measure(Y, groups=GROUPS))
    with pytest.raises(GroupsError, match="Y is already cut into sequences: leave out groups"):
        measure(checked, groups=GROUPS)
