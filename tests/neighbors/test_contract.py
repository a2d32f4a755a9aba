"""One contract for every engine, against brute force in float64."""

import sys
import tracemalloc

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import naive
from engines import ENGINES
from predfeat import nearest_neighbors
from predfeat._threads import map_blocks
from predfeat.exceptions import DataError, ShortSequencesError, TooFewStatesError
from predfeat.neighbors import engines, search
from predfeat.series import check_sequences, find_states

# Distances that agree to this share are a legal tie: either neighbour may be taken.
TIE = 1e-9

# A sum of squares of differences is right to about N·p roundings of 2e-16, with p·N up to 2000.
ROUNDING = 1e-12

KINDS = ["normal", "lattice", "equal", "offset", "scales", "outlier", "float32", "int16"]

every_engine = pytest.mark.parametrize("engine", ENGINES)


def assert_contract(table, X, groups=None, p=1, k=1, theiler=0, queries=None):
    """Assert what every engine promises; `queries` restricts the costly part to some rows."""
    times, indices, distances = naive.nearest(X, groups, p, k, theiler, queries)
    sequence = naive.sequence_of_rows(X, groups)
    valid = set(times)
    assert table.times.tolist() == times
    assert table.indices.shape == table.distances.shape == (len(times), k)
    positions = range(len(times)) if queries is None else [times.index(t) for t in queries]
    for position, expected, expected_rows in zip(positions, distances, indices, strict=True):
        t = times[position]
        found, given_distances = table.indices[position].tolist(), table.distances[position]
        assert len(set(found)) == k
        assert set(found) <= valid
        assert all(naive.allowed(sequence, t, i, theiler) for i in found)
        assert np.all(np.diff(given_distances) >= 0)
        true = [naive.distance(naive.state(X, t, p), naive.state(X, i, p)) for i in found]
        np.testing.assert_allclose(given_distances, true, rtol=ROUNDING)
        # Sorted distances equal those of brute force only when no nearer state was missed.
        np.testing.assert_allclose(given_distances, expected, rtol=TIE, err_msg=f"row {t}")
        if expected[-1] > 0 and np.all(np.diff(expected) > TIE * expected[-1]):
            assert found[:-1] == expected_rows[:-1]  # the last may tie with one outside


@every_engine
@settings(max_examples=50, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    lengths=st.lists(st.integers(1, 14), min_size=1, max_size=4),
    n_columns=st.integers(1, 4),
    n_gaps=st.sampled_from([0, 0, 1, 4]),
    kind=st.sampled_from(KINDS),
    p=st.integers(1, 4),
    k=st.integers(1, 5),
    theiler=st.sampled_from([0, 0, 1, 3]),
)
@example(0, [14, 14], 2, 0, "lattice", 1, 5, 1)
@example(1, [14, 14], 4, 0, "offset", 3, 3, 0)
@example(2, [14, 14, 14], 1, 4, "outlier", 1, 2, 3)
def test_contract(engine, seed, lengths, n_columns, n_gaps, kind, p, k, theiler):
    X, groups = naive.random_series(seed, lengths, n_columns, n_gaps, kind)
    options = {"n_neighbors": k, "n_lags": p, "groups": groups, "theiler": theiler}
    _, indices, _ = naive.nearest(X, groups, p, k, theiler)
    if not indices or min(len(found) for found in indices) < k:
        with pytest.raises(DataError):
            nearest_neighbors(X, engine=engine, **options)
        return
    table = nearest_neighbors(X, engine=engine, **options)
    assert_contract(table, X, groups, p, k, theiler)


@every_engine
@settings(max_examples=30, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    n_columns=st.integers(1, 3),
    p=st.integers(1, 3),
    k=st.integers(1, 6),
    theiler=st.integers(0, 2),
)
def test_exact_ties_are_taken_in_their_order_round_the_circle(
    engine, seed, n_columns, p, k, theiler
):
    # Squares of small whole numbers are exact, so that ties are ties to the last bit.
    X, groups = naive.random_series(seed, [25, 25], n_columns, kind="lattice")
    table = nearest_neighbors(
        X, n_neighbors=k, n_lags=p, groups=groups, theiler=theiler, engine=engine
    )
    _, indices, distances = naive.nearest(X, groups, p, k, theiler)
    assert table.indices.tolist() == indices
    np.testing.assert_array_equal(table.distances, distances)


@every_engine
def test_self_is_never_included_among_duplicates(engine):
    X = np.zeros((1500, 2))
    table = nearest_neighbors(X, n_neighbors=3, engine=engine)
    assert not np.any(table.indices == table.times[:, None])
    np.testing.assert_array_equal(table.distances, 0.0)
    # All are tied, and each is a neighbour as often as any other.
    assert np.all(np.bincount(table.indices.ravel()) == 3)


@every_engine
def test_a_crowd_of_duplicates_beside_others(engine):
    rng = np.random.default_rng(0)
    X = np.where(rng.random((1200, 1)) < 0.5, 7.25, rng.normal(size=(1200, 1)))
    table = nearest_neighbors(X, n_neighbors=4, engine=engine)
    # The naive twin takes a while at this size: a few rows of each sort.
    crowd, others = np.flatnonzero(X[:, 0] == 7.25), np.flatnonzero(X[:, 0] != 7.25)
    queries = sorted([*crowd[:5].tolist(), *crowd[-5:].tolist(), *others[::60].tolist()])
    assert_contract(table, X, k=4, queries=queries)


@every_engine
@pytest.mark.parametrize("theiler", [20, 60])
def test_a_wide_window_full_of_the_nearest(engine, theiler):
    # In a slow walk nearly all of the nearest states lie inside the window.
    X = np.random.default_rng(1).normal(size=(200, 2)).cumsum(axis=0)
    table = nearest_neighbors(X, n_neighbors=3, theiler=theiler, engine=engine)
    assert_contract(table, X, k=3, theiler=theiler, queries=list(range(0, 200, 4)))


@every_engine
def test_window_reaches_across_a_gap_but_not_across_a_sequence(engine):
    X = np.array([[0.0], [np.nan], [0.1], [9.0], [0.2], [5.0]])
    groups = [0, 0, 0, 0, 1, 1]
    table = nearest_neighbors(X, n_neighbors=1, groups=groups, theiler=2, engine=engine)
    # Row 2 is two rows from row 0 in its sequence, row 4 is two rows from row 2 in another.
    assert table.times.tolist() == [0, 2, 3, 4, 5]
    assert table.indices[:2].ravel().tolist() == [4, 4]


@every_engine
def test_lags_count_newest_to_newest(engine):
    # One state's (now, before) equals the other's (before, now): not near each other.
    X = np.array([[0.0], [9.0], [100.0], [9.0], [0.0], [200.0], [0.0], [8.0]])
    table = nearest_neighbors(X, n_neighbors=1, n_lags=2, engine=engine)
    assert table.indices[table.times == 1].item() == 7
    assert table.distances[table.times == 1].item() == 1.0


@every_engine
@pytest.mark.parametrize("magnitude", [1e200, 1e-200, 1e-310])
def test_huge_and_tiny_values(engine, magnitude):
    X, groups = naive.random_series(5, [30, 20], 3)
    X = X * magnitude
    table = nearest_neighbors(X, n_neighbors=3, n_lags=2, groups=groups, engine=engine)
    assert_contract(table, X, groups, p=2, k=3)


@every_engine
def test_values_up_to_the_largest_float(engine):
    X = np.finfo(np.float64).max * np.array([[1.0], [0.5], [0.25], [0.125], [0.0]])
    table = nearest_neighbors(X, n_neighbors=2, engine=engine)
    assert_contract(table, X, k=2)


@every_engine
def test_huge_values_do_not_hide_the_others(engine):
    X = np.array([[1e200], [0.0], [1.0], [3.0], [3.5], [9.0]])
    table = nearest_neighbors(X, n_neighbors=1, engine=engine)
    assert table.indices[1:].ravel().tolist() == [2, 1, 4, 3, 4]
    np.testing.assert_array_equal(table.distances[1:, 0], [1.0, 1.0, 0.5, 0.5, 5.5])
    X = np.array([[1e200, 2e200, 4e200, 8e200, 9e200, 9.5e200, 1.0, 3.0, 3.5, 9.0]]).T
    assert_contract(nearest_neighbors(X, n_neighbors=2, engine=engine), X, k=2)
    X = np.array([[1e100, 0.0, 1e-100, 3e-100, 3.5e-100, 9e-100]]).T
    assert_contract(nearest_neighbors(X, n_neighbors=2, engine=engine), X, k=2)


@every_engine
@pytest.mark.parametrize("p", [1, 6])
def test_offsets_far_larger_than_the_differences(engine, p):
    # |a|² + |b|² - 2 a·b would lose all digits of a distance here.
    X = np.random.default_rng(2).normal(size=(150, 3)) + np.array([1e9, -1e8, 3e7])
    table = nearest_neighbors(X, n_neighbors=4, n_lags=p, engine=engine)
    assert_contract(table, X, p=p, k=4, queries=list(range(p - 1, 150, 5)))


@every_engine
def test_two_clusters_far_from_each_other(engine):
    # No centring helps both: the differences inside each are lost in the products.
    rng = np.random.default_rng(3)
    X = rng.normal(size=(120, 3)) + np.where(rng.random((120, 1)) < 0.5, 1e8, -1e8)
    table = nearest_neighbors(X, n_neighbors=4, engine=engine)
    assert_contract(table, X, k=4, queries=list(range(0, 120, 3)))


def test_long_states_that_are_never_embedded_as_a_whole():
    # 2151 states of 2000 numbers are more than one block of embedded states.
    X = np.random.default_rng(4).normal(size=(2200, 40)) + 100.0
    table = nearest_neighbors(X, n_neighbors=3, n_lags=50, engine="blockwise")
    assert_contract(table, X, p=50, k=3, queries=[49, 1000, 2146, 2147, 2199])


def test_engines_agree_bit_for_bit():
    X, groups = naive.random_series(6, [700, 500], 3, n_gaps=20)
    for p, theiler in [(1, 0), (2, 5), (4, 40), (12, 3)]:
        first, *others = (
            nearest_neighbors(
                X, n_neighbors=6, n_lags=p, groups=groups, theiler=theiler, engine=engine
            )
            for engine in ["auto", *(e.name for e in engines() if e.is_exact and e.is_available())]
        )
        for other in others:
            np.testing.assert_array_equal(first.times, other.times)
            np.testing.assert_array_equal(first.indices, other.indices)
            np.testing.assert_array_equal(first.distances, other.distances)


@every_engine
@pytest.mark.parametrize("kind", ["normal", "lattice"])
def test_threads_do_not_change_a_bit(engine, kind):
    # More than 2048 states are several blocks, so that there is work for two threads.
    X, groups = naive.random_series(7, [1300, 1200], 3, n_gaps=5, kind=kind)
    X = X[:, :2] if kind == "normal" else X + np.arange(2500.0)[:, None] // 50
    one, two = (
        nearest_neighbors(X, n_neighbors=5, n_lags=2, groups=groups, engine=engine, n_jobs=n_jobs)
        for n_jobs in (1, 2)
    )
    np.testing.assert_array_equal(one.indices, two.indices)
    np.testing.assert_array_equal(one.distances, two.distances)


@every_engine
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_thread_counts_of_blas_are_restored(engine, n_jobs, two_blas_threads):
    before = two_blas_threads()
    X = np.random.default_rng(8).normal(size=(100, 3))
    nearest_neighbors(X, n_neighbors=2, n_lags=4, engine=engine, n_jobs=n_jobs)
    assert two_blas_threads() == before


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_thread_counts_of_blas_are_restored_after_a_failure(n_jobs, two_blas_threads):
    before, during = two_blas_threads(), []

    def fail(block):
        during.append(two_blas_threads())
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        map_blocks(fail, [1, 2, 3], n_jobs)
    assert all(set(counts) == {1} for counts in during)
    assert two_blas_threads() == before


@every_engine
def test_window_that_leaves_too_few(engine):
    X = np.arange(20.0).reshape(20, 1)
    message = r"n_neighbors=3 with theiler=9 leaves the state at row 9 only 1 of 20 states"
    with pytest.raises(TooFewStatesError, match=message):
        nearest_neighbors(X, n_neighbors=3, theiler=9, engine=engine)
    table = nearest_neighbors(X, n_neighbors=2, theiler=8, engine=engine)
    assert_contract(table, X, k=2, theiler=8)


@every_engine
@pytest.mark.parametrize("theiler", [1000, sys.maxsize, 10**20])
def test_window_wider_than_the_sequence_leaves_the_other_sequences(engine, theiler):
    X = np.array([[0.0], [1.0], [2.0], [0.4], [1.4], [2.4]])
    groups = [0, 0, 0, 1, 1, 1]
    table = nearest_neighbors(X, n_neighbors=1, groups=groups, theiler=theiler, engine=engine)
    assert table.indices.ravel().tolist() == [3, 4, 5, 0, 1, 2]


@every_engine
def test_as_many_neighbors_as_there_are_others(engine):
    X = np.random.default_rng(9).normal(size=(12, 2))
    table = nearest_neighbors(X, n_neighbors=11, engine=engine)
    assert_contract(table, X, k=11)
    with pytest.raises(TooFewStatesError, match="n_neighbors=12 needs at least 13 states"):
        nearest_neighbors(X, n_neighbors=12, engine=engine)


def test_more_lags_than_rows():
    with pytest.raises(ShortSequencesError, match="9 rows in a row are needed"):
        nearest_neighbors(np.zeros((8, 1)), n_neighbors=1, n_lags=9)


@pytest.mark.parametrize(
    "wrong",
    [
        {"n_neighbors": 0},
        {"n_neighbors": 1.5},
        {"n_lags": 0},
        {"theiler": -1},
        {"engine": "balltree"},
        {"n_jobs": "all"},
    ],
)
def test_parameters_are_checked(wrong):
    (parameter,) = wrong
    with pytest.raises(ValueError, match=f"'{parameter}' parameter of nearest_neighbors"):
        nearest_neighbors(np.zeros((5, 1)), **{"n_neighbors": 1, **wrong})


def test_search_is_the_door_behind_the_public_face():
    X, groups = naive.random_series(10, [20, 20], 2, n_gaps=2)
    table = nearest_neighbors(X, n_neighbors=2, n_lags=2, groups=groups, theiler=1)
    states = find_states(check_sequences(X, groups), 2, n_neighbors=2)
    same = search(states, 2, theiler=1)
    np.testing.assert_array_equal(table.indices, same.indices)
    np.testing.assert_array_equal(table.distances, same.distances)


def test_memory_stays_far_below_all_pairs():
    n_rows = 20_000
    X = np.random.default_rng(11).normal(size=(n_rows, 5))
    tracemalloc.start()
    try:
        nearest_neighbors(X, n_neighbors=3, n_lags=5, engine="blockwise")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    # Even a mask of all pairs, one byte each, would take n_rows² bytes.
    assert peak < n_rows**2 / 2
