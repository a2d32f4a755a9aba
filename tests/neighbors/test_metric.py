"""Neighbours by any metric between samples, against brute force."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
import naive_neighbors as twin
from predfeat.exceptions import MetricError, TooFewStatesError
from predfeat.neighbors import _metric as implementation
from predfeat.neighbors import search, search_by_metric
from predfeat.series import check_sequences, find_states

# scikit-learn takes Euclidean distances from products: a squared distance has an error of some
# roundings of 2e-16, and the distance the square root of that. The others have all digits; the
# cosine's are those of 1, and its squares are summed over lags.
TOLERANCE = {"euclidean": 1e-6}
ROUNDING = 1e-10


def states_of(X, groups=None, p=1):
    return find_states(check_sequences(X, groups), p, n_neighbors=0)


def assert_equal_tables(one, other):
    np.testing.assert_array_equal(one.times, other.times)
    np.testing.assert_array_equal(one.indices, other.indices)
    np.testing.assert_array_equal(one.distances, other.distances)


def table_mistakes(table, X, groups, p, k, theiler, metric, tolerance=ROUNDING):
    allowed = twin.candidates(X, groups, naive.state_times(X, groups, p), theiler)
    measure = twin.by_metric(X, p, metric)
    return twin.mistakes(
        table.times.tolist(), table.indices, table.distances, allowed, measure, k, tolerance
    )


@pytest.mark.parametrize("name", list(twin.METRICS))
@settings(max_examples=15, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    lengths=st.lists(st.integers(2, 14), min_size=1, max_size=3),
    n_columns=st.integers(1, 3),
    n_gaps=st.sampled_from([0, 1, 4]),
    kind=st.sampled_from(["normal", "lattice"]),
    p=st.integers(1, 3),
    k=st.integers(1, 4),
    theiler=st.sampled_from([0, 1, 3]),
)
def test_metrics_of_scikit_learn(name, seed, lengths, n_columns, n_gaps, kind, p, k, theiler):
    X, groups = naive.random_series(seed, lengths, n_columns, n_gaps, kind)
    X = X + 0.5 if name == "cosine" else X  # a row of zeros has no direction
    times = naive.state_times(X, groups, p)
    if not times:
        return
    allowed = twin.candidates(X, groups, times, theiler)
    if min(map(len, allowed.values())) < k:
        with pytest.raises(TooFewStatesError, match=f"n_neighbors={k} with theiler={theiler}"):
            search_by_metric(states_of(X, groups, p), k, name, theiler=theiler)
        return
    table = search_by_metric(states_of(X, groups, p), k, name, theiler=theiler)
    tolerance = TOLERANCE.get(name, ROUNDING)
    assert table_mistakes(table, X, groups, p, k, theiler, twin.METRICS[name], tolerance) == []


def lopsided(a, b):
    """A way down counts twice."""
    return float(np.sum(np.maximum(b - a, 0.0) + 2.0 * np.maximum(a - b, 0.0)))


@pytest.mark.parametrize("p", [1, 3])
@pytest.mark.parametrize("metric", [lopsided, twin.chebyshev, partial(twin.cityblock)])
def test_functions_of_two_rows(seed, metric, p):
    X, groups = naive.random_series(seed, [15, 12], 2, n_gaps=3)
    table = search_by_metric(states_of(X, groups, p), 3, metric, theiler=1)
    assert table_mistakes(table, X, groups, p, 3, 1, metric) == []


def test_the_row_that_asks_comes_first():
    # From 0 it is 1 up to 1, and 2 × 1 down to -1; 1 is nearer. From the others, 0 is in between.
    states = states_of([[0.0], [1.0], [-1.0]])
    assert search_by_metric(states, 1, lopsided).indices[0].tolist() == [1]
    assert search_by_metric(states, 1, lambda a, b: lopsided(b, a)).indices[0].tolist() == [2]
    table = search_by_metric(states, 2, lopsided)
    np.testing.assert_array_equal(table.distances, [[1.0, 2.0], [2.0, 4.0], [1.0, 2.0]])


def test_lags_add_up_as_squares():
    X = np.array([[0.0], [0.0], [3.0], [4.0]])
    table = search_by_metric(states_of(X, p=2), 2, "cityblock")
    # States (0, 0), (3, 0) and (4, 3), newest first: 3² + 0², 4² + 3², 1² + 3².
    assert table.times.tolist() == [1, 2, 3]
    assert table.indices.tolist() == [[2, 3], [1, 3], [2, 1]]
    np.testing.assert_allclose(
        table.distances, np.sqrt([[9, 25], [9, 10], [10, 25]]), rtol=ROUNDING
    )


def test_euclidean_is_the_other_search(seed):
    X, groups = naive.random_series(seed, [60, 50], 3, n_gaps=5)
    states = states_of(X, groups, 2)
    by_metric, plain = (
        search_by_metric(states, 4, "euclidean", theiler=2),
        search(states, 4, theiler=2),
    )
    np.testing.assert_array_equal(by_metric.indices, plain.indices)
    np.testing.assert_allclose(by_metric.distances, plain.distances, rtol=TOLERANCE["euclidean"])


def test_ties_are_taken_in_their_order_round_the_circle(seed):
    # Sums of whole numbers are exact; one lag, so that squares and roots are too.
    X, groups = naive.random_series(seed, [40, 30], 1, kind="lattice")
    by_metric, plain = (
        find(states_of(X, groups), 5)
        for find in (partial(search_by_metric, metric="cityblock"), search)
    )
    assert_equal_tables(by_metric, plain)


def test_where_all_are_tied_all_are_neighbours_equally_often():
    # Any two different rows differ in two of 200 places. The five next on the circle are taken:
    # each row has five rows before it.
    table = search_by_metric(states_of(np.eye(200)), 5, "hamming")
    np.testing.assert_array_equal(np.bincount(table.indices.ravel(), minlength=200), 5)
    assert len({tuple(sorted(rows)) for rows in table.indices.tolist()}) == 200


def test_equal_rows_are_neighbours_equally_often():
    # Eight different rows, each about 50 times: all neighbours are equal rows, evenly spread.
    X = np.random.default_rng(0).integers(0, 2, size=(400, 3)).astype(float)
    table = search_by_metric(states_of(X), 5, "hamming")
    np.testing.assert_array_equal(table.distances, 0.0)
    np.testing.assert_array_equal(np.bincount(table.indices.ravel(), minlength=400), 5)


def test_ties_between_different_rows_are_shared_out(seed):
    # Each of 64 rows occurs about 6 times, and has 36 rows at distance 1/6: the 10 neighbours are
    # the equal ones and some of those. By row number, the first of every kind would be taken by all
    # six kinds around it, some 40 times. Independent draws would give 10 with a standard deviation
    # of √10, which five times is out of reach for 400 rows; the circle is more even than that.
    X = np.random.default_rng(seed).integers(0, 2, size=(400, 6)).astype(float)
    table = search_by_metric(states_of(X), 10, "hamming")
    counts = np.bincount(table.indices.ravel(), minlength=400)
    assert counts.max() < 10 + 5 * np.sqrt(10)
    # Nor does it help to come early: means of 200 such counts differ by √10 / 10 or so.
    assert abs(counts[:200].mean() - counts[200:].mean()) < 5 * np.sqrt(10) / 10


@pytest.mark.parametrize("metric", ["cityblock", "hamming", lopsided])
@pytest.mark.parametrize("at_once", [1, 50, 400])
def test_blocks_do_not_change_a_bit(metric, at_once, monkeypatch):
    X, groups = naive.random_series(4, [40, 30], 2, n_gaps=3, kind="lattice")
    X[::3] *= 0.3
    states = states_of(X, groups, 2)
    whole = search_by_metric(states, 4, metric, theiler=1)
    monkeypatch.setattr(implementation, "_NUMBERS_AT_ONCE", at_once)
    assert_equal_tables(search_by_metric(states, 4, metric, theiler=1), whole)


@pytest.mark.parametrize("exponent", [-900, -600, 600, 900])
def test_numbers_of_any_size(exponent):
    # A power of two changes no digit, even where squares would vanish or overflow.
    X, groups = naive.random_series(5, [30, 20], 3, n_gaps=2)
    plain, scaled = (
        search_by_metric(states_of(rows, groups, 2), 3, "cityblock")
        for rows in (X, np.ldexp(X, exponent))
    )
    np.testing.assert_array_equal(scaled.indices, plain.indices)
    np.testing.assert_array_equal(scaled.distances, np.ldexp(plain.distances, exponent))


def test_a_metric_that_is_zero_everywhere_ties_all():
    table = search_by_metric(states_of(np.arange(30.0)[:, None]), 3, lambda a, b: 0.0)
    np.testing.assert_array_equal(table.distances, 0.0)
    np.testing.assert_array_equal(np.bincount(table.indices.ravel(), minlength=30), 3)


def test_a_guess_is_ignored():
    states = states_of(naive.random_series(6, [30], 2)[0])
    plain = search_by_metric(states, 3, "cityblock")
    guess = np.zeros((30, 3), dtype=np.intp)
    assert_equal_tables(search_by_metric(states, 3, "cityblock", guess=guess), plain)


# What is refused


def failing(a, b):
    raise ZeroDivisionError("nothing to divide by.")


class Nameless:
    def __call__(self, a, b):
        return -1.0

    def __repr__(self):
        return "Nameless()"


@pytest.mark.parametrize(
    ("metric", "message"),
    [
        (lambda a, b: np.nan, r"^metric='<lambda>' returned nan for two rows\. Distances must be"),
        (lambda a, b: -0.5, r"returned -0\.5 for two rows\. Distances must be finite numbers that"),
        (lambda a, b: np.inf, r"returned inf for two rows"),
        (Nameless(), r"^metric='Nameless\(\)' returned -1\.0 for two rows"),
        (failing, r"^metric='failing' failed: nothing to divide by\. Give a name that sklearn\.m"),
        (lambda a, b: "far", r"^metric='<lambda>' failed: could not convert .* a function of two"),
        (lambda a: 0.0, r"^metric='<lambda>' failed: .*positional argument.*\. Give a name"),
        ("nope", r"^metric='nope' failed: .*\. Give a name that sklearn\.metrics\.pairwise_dist"),
        ("haversine", r"^metric='haversine' failed: .*2 dimensions\. Give a name"),
        ("seuclidean", r"^metric='seuclidean' failed: .*parameter is required"),
    ],
    ids=[
        "NaN", "negative", "infinite", "no name", "failing", "text", "arguments", "unknown",
        "dimension", "parameter",
    ],
)  # fmt: skip
def test_what_is_no_metric(metric, message):
    states = states_of(naive.random_series(0, [12], 3)[0])
    with pytest.raises(MetricError, match=message):
        search_by_metric(states, 2, metric)


def test_one_bad_distance_is_enough():
    def sometimes(a, b):
        return np.nan if (a[0], b[0]) == (7.0, 3.0) else abs(a[0] - b[0])

    with pytest.raises(MetricError, match="metric='sometimes' returned nan"):
        search_by_metric(states_of(np.arange(9.0)[:, None]), 2, sometimes)
    # Where that row ends no state and is in none, it is not compared.
    X = np.arange(9.0)[:, None]
    X[6:9:2] = np.nan
    table = search_by_metric(states_of(X, p=2), 2, sometimes)
    assert table.times.tolist() == [1, 2, 3, 4, 5]


def test_interrupts_are_not_taken_for_failures():
    def interrupted(a, b):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        search_by_metric(states_of(np.arange(9.0)[:, None]), 2, interrupted)
