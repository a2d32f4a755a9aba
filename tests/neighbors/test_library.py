"""Queries and library apart: states that ask, and states of another series that answer."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import naive
from engines import LIBRARY_ENGINES
from predfeat import nearest_neighbors
from predfeat.exceptions import (
    DataError,
    DimensionError,
    EmptyColumnError,
    GroupsError,
    ShortSequencesError,
    TooFewStatesError,
)
from predfeat.neighbors import _blockwise, _library_tiles, _narrow, engines, search
from predfeat.series import States, check_sequences, find_states

# Distances that agree to this share are a legal tie: either neighbour may be taken.
TIE = 1e-9

KINDS = ["normal", "lattice", "equal", "offset", "scales", "outlier", "float32", "int16"]

every_engine = pytest.mark.parametrize("engine", LIBRARY_ENGINES)


def assert_library_contract(table, X, groups, library, library_groups, p, k):
    """Assert that brute force finds the same, but for legal ties."""
    times, indices, distances = naive.nearest_in_library(X, groups, library, library_groups, p, k)
    answers = naive.state_times(library, library_groups, p)
    assert table.times.tolist() == times
    assert table.indices.shape == table.distances.shape == (len(times), k)
    assert set(table.indices.ravel().tolist()) <= set(answers)
    # Sorted distances equal those of brute force only when no nearer state was missed.
    np.testing.assert_allclose(table.distances, distances, rtol=TIE)
    for t, found, measured, expected, apart in zip(
        times, table.indices.tolist(), table.distances, indices, np.diff(distances), strict=True
    ):
        assert len(set(found)) == k
        own = naive.state(X, t, p)
        true = [naive.distance(own, naive.state(library, i, p)) for i in found]
        np.testing.assert_allclose(measured, true, rtol=1e-12)  # N·p roundings
        if measured[-1] > 0 and np.all(apart > TIE * measured[-1]):
            assert found[:-1] == expected[:-1]  # the last may tie with one outside


@every_engine
@settings(max_examples=50, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    lengths=st.lists(st.integers(1, 12), min_size=1, max_size=3),
    library_lengths=st.lists(st.integers(1, 14), min_size=1, max_size=4),
    n_columns=st.integers(1, 4),
    n_gaps=st.sampled_from([0, 0, 1, 4]),
    kind=st.sampled_from(KINDS),
    library_kind=st.sampled_from(KINDS),
    p=st.integers(1, 4),
    k=st.integers(1, 5),
)
@example(0, [9], [12, 12], 2, 0, "lattice", "lattice", 1, 5)
@example(1, [9], [1], 2, 0, "normal", "normal", 1, 1)
@example(2, [9], [14, 14], 2, 0, "outlier", "normal", 2, 3)
def test_contract_with_a_library(
    engine, seed, lengths, library_lengths, n_columns, n_gaps, kind, library_kind, p, k
):
    X, groups = naive.random_series(seed, lengths, n_columns, n_gaps, kind)
    library, library_groups = naive.random_series(
        seed + 1, library_lengths, n_columns, n_gaps, library_kind
    )
    options = {"library": library, "library_groups": library_groups, "groups": groups}
    options |= {"n_neighbors": k, "n_lags": p, "engine": engine}
    n_answers = len(naive.state_times(library, library_groups, p))
    if n_answers < k or not naive.state_times(X, groups, p):
        with pytest.raises(DataError):
            nearest_neighbors(X, **options)
        return
    table = nearest_neighbors(X, **options)
    assert_library_contract(table, X, groups, library, library_groups, p, k)


@every_engine
@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    n_columns=st.integers(1, 3),
    share=st.sampled_from([0.0, 0.6, 1.0]),
    p=st.integers(1, 3),
    k=st.integers(1, 6),
)
def test_exact_ties_are_taken_in_their_order_round_the_circle(engine, seed, n_columns, share, p, k):
    # Squares of small whole numbers are exact, so that ties are ties to the last bit; with a
    # share of equal rows, crowds are searched.
    X, groups = naive.random_series(seed, [20, 15], n_columns, kind="lattice")
    library, others = naive.random_series(seed + 1, [25, 20], n_columns, kind="lattice")
    library[np.random.default_rng(seed).random(len(library)) < share] = 1.0
    table = nearest_neighbors(
        X,
        n_neighbors=k,
        n_lags=p,
        groups=groups,
        library=library,
        library_groups=others,
        engine=engine,
    )
    _, indices, distances = naive.nearest_in_library(X, groups, library, others, p, k)
    assert table.indices.tolist() == indices
    np.testing.assert_array_equal(table.distances, distances)


@every_engine
@pytest.mark.parametrize("kind", ["normal", "lattice", "equal"])
def test_in_a_copy_of_itself_a_state_finds_its_copy_and_then_its_neighbors(engine, kind):
    X, groups = naive.random_series(3, [300, 250], 2, n_gaps=6, kind=kind)
    options = {"n_lags": 2, "groups": groups}
    apart = nearest_neighbors(
        X, n_neighbors=6, library=X.copy(), library_groups=groups, engine=engine, **options
    )
    within = nearest_neighbors(X, n_neighbors=5, **options)
    np.testing.assert_array_equal(apart.indices[:, 0], within.times)
    np.testing.assert_array_equal(apart.distances[:, 0], 0.0)
    np.testing.assert_array_equal(apart.indices[:, 1:], within.indices)
    np.testing.assert_array_equal(apart.distances[:, 1:], within.distances)


@every_engine
def test_equal_queries_draw_from_the_whole_library(engine):
    table = nearest_neighbors(
        np.ones((400, 2)), n_neighbors=3, library=np.ones((400, 2)), engine=engine
    )
    assert np.all(np.bincount(table.indices.ravel()) == 3)


@every_engine
@pytest.mark.parametrize("theiler", [0, 4])
def test_a_part_of_the_same_series_never_answers_itself(engine, theiler):
    # Only every third state may answer; those that ask are all.
    X, groups = naive.random_series(4, [80, 60], 1, kind="lattice")
    states = find_states(check_sequences(X, groups), 2, n_neighbors=1)
    some = States(states.series, states.times[::3], 2)
    table = search(states, 3, library=some, theiler=theiler, engine=engine)
    sequence = naive.sequence_of_rows(X, groups)
    for t, found, measured in zip(table.times, table.indices, table.distances, strict=True):
        assert all(naive.allowed(sequence, t, i, theiler) for i in found)
        expected = sorted(
            naive.distance(naive.state(X, t, 2), naive.state(X, i, 2))
            for i in some.times
            if naive.allowed(sequence, t, i, theiler)
        )
        np.testing.assert_array_equal(measured, expected[:3])


@every_engine
@pytest.mark.parametrize(("magnitude", "other"), [(1e200, 1.0), (1e-200, 1.0), (1e300, 1e300)])
def test_sides_of_very_different_size(engine, magnitude, other):
    X, _ = naive.random_series(5, [30], 2)
    library, _ = naive.random_series(6, [40], 2)
    X, library = X * magnitude, library * other
    table = nearest_neighbors(X, n_neighbors=3, n_lags=2, library=library, engine=engine)
    assert_library_contract(table, X, None, library, None, 2, 3)


@every_engine
def test_threads_do_not_change_a_bit(engine):
    rng = np.random.default_rng(7)
    X, library = rng.normal(size=(3000, 3)), rng.normal(size=(2500, 3)).round(1)
    one, two = (
        nearest_neighbors(X, n_neighbors=5, n_lags=2, library=library, engine=engine, n_jobs=n_jobs)
        for n_jobs in (1, 2)
    )
    np.testing.assert_array_equal(one.indices, two.indices)
    np.testing.assert_array_equal(one.distances, two.distances)


def test_engines_agree_bit_for_bit():
    X, groups = naive.random_series(8, [400, 300], 3, n_gaps=20)
    library, others = naive.random_series(9, [700, 500], 3, n_gaps=20)
    options = {"n_neighbors": 6, "groups": groups, "library": library, "library_groups": others}
    for p in (1, 4, 12):
        first, *more = (
            nearest_neighbors(X, n_lags=p, engine=engine.name, **options)
            for engine in engines()
            if engine.is_exact and engine.takes_library and engine.is_available()
        )
        assert more
        for found in more:
            np.testing.assert_array_equal(first.indices, found.indices)
            np.testing.assert_array_equal(first.distances, found.distances)


@every_engine
def test_a_library_larger_than_any_block(engine, monkeypatch):
    """Tiles of a few numbers: every query meets the library in many parts."""
    monkeypatch.setattr(_blockwise, "_TILE_NUMBERS", 256)
    monkeypatch.setattr(_blockwise, "_EMBEDDED_NUMBERS", 512)
    monkeypatch.setattr(_blockwise, "_MANY_QUERIES", 5)
    monkeypatch.setattr(_library_tiles, "_TILE", (4, 36))
    monkeypatch.setattr(_library_tiles, "_QUERIES_AT_ONCE", 9)
    monkeypatch.setattr(_narrow, "_ROWS_AT_ONCE", 7)
    X, groups = naive.random_series(3, [120, 90], 3, n_gaps=6)
    series = check_sequences(X, groups)
    states = find_states(series, 2, n_neighbors=4)
    some = States(series, states.times[::7], 2)
    for theiler in (0, 3):
        table = search(some, 4, library=states, theiler=theiler, engine=engine, n_jobs=2)
        _, indices, distances = naive.nearest(X, groups, 2, 4, theiler)
        np.testing.assert_array_equal(table.indices, np.array(indices)[::7])
        np.testing.assert_allclose(table.distances, np.array(distances)[::7], rtol=1e-12)


@every_engine
def test_a_guess_changes_nothing(engine):
    series = check_sequences(*naive.random_series(4, [300, 200], 3))
    states = find_states(series, 2, n_neighbors=4)
    some = States(series, states.times[::9], 2)
    table = search(some, 4, library=states, engine=engine)
    poor = search(some, 8, library=states, engine=engine).indices[:, 4:]
    for guess in (table.indices, poor):
        again = search(some, 4, library=states, engine=engine, guess=guess)
        np.testing.assert_array_equal(again.indices, table.indices)
        np.testing.assert_array_equal(again.distances, table.distances)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"library": np.zeros((9, 3))}, DimensionError, "have 2 columns, but the library has 3"),
        ({"library": np.zeros((3, 2))}, TooFewStatesError, r"n_neighbors=4 needs.* it has 3 "),
        (
            {"library": np.zeros((5, 2)), "n_lags": 6},
            ShortSequencesError,
            "in the library, every sequence is too short: 6 rows",
        ),
        ({"library": np.full((9, 2), np.nan)}, EmptyColumnError, "library has 2 column"),
        ({"library": np.full((9, 2), np.inf)}, DataError, "library"),
        ({"library": np.zeros((9, 2)), "theiler": 3}, ValueError, r"theiler=3 .* another series"),
        (
            {"library": np.zeros((9, 2)), "library_groups": [0, 1]},
            GroupsError,
            "in the library, groups must have one id per row",
        ),
        ({"library_groups": [0] * 8}, GroupsError, "there is no library"),
    ],
)
def test_libraries_that_cannot_be_searched(options, error, message):
    with pytest.raises(error, match=message):
        nearest_neighbors(np.zeros((8, 2)), n_neighbors=4, **options)


def test_gaps_of_a_library_answer_nothing():
    nan = np.nan
    library = np.array([[0.0], [1.0], [nan], [1.0], [2.0]])
    table = nearest_neighbors([[0.0], [1.0]], n_neighbors=2, n_lags=2, library=library)
    assert table.times.tolist() == [1]
    assert table.indices.tolist() == [[1, 4]]
    every_other = np.where(np.arange(8)[:, None] % 2, nan, 0.0)
    with pytest.raises(ShortSequencesError, match=r"in the library, .* 4 of 8 rows are gaps"):
        nearest_neighbors(np.zeros((8, 1)), n_neighbors=2, n_lags=2, library=every_other)


def test_sides_with_different_lags_are_refused():
    one, two = (find_states(check_sequences(np.zeros((9, 1))), p, n_neighbors=0) for p in (1, 2))
    with pytest.raises(ValueError, match="have n_lags=1, but the library has n_lags=2"):
        search(one, 1, library=two)
