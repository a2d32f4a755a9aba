"""Sequences, runs, reach and states against loops over rows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from predfeat.exceptions import (
    DataError,
    ReturningGroupWarning,
    ShortSequencesError,
    TooFewStatesError,
)
from predfeat.series import check_sequences, find_states

NAN = float("nan")

lengths_of_sequences = st.lists(st.integers(1, 12), min_size=1, max_size=5)
several = settings(max_examples=50, deadline=None)


def series_of(seed, lengths, n_columns, gap_share):
    """Return (X, groups) without a column that is NaN throughout."""
    X, groups = naive.random_series(seed, lengths, n_columns, n_gaps=int(gap_share * sum(lengths)))
    for column in range(n_columns):
        if np.isnan(X[:, column]).all():
            X[0] = 0.5
    return X, groups


@several
@given(
    seed=st.integers(0, 10**6),
    lengths=lengths_of_sequences,
    n_columns=st.integers(1, 3),
    gap_share=st.sampled_from([0.0, 0.1, 0.5]),
)
def test_sequences_and_runs_are_those_of_the_loops(seed, lengths, n_columns, gap_share):
    X, groups = series_of(seed, lengths, n_columns, gap_share)
    series = check_sequences(X, groups)
    sequence = naive.sequence_of_rows(X, groups)
    run = naive.run_of_rows(X, groups)

    assert series.n_rows == len(X)
    assert series.n_columns == n_columns
    assert series.valid.tolist() == [number is not None for number in run]
    assert series.run_bounds() == naive.bounds(run)
    for first, stop in naive.bounds(sequence):
        assert set(series.sequence_first[first:stop]) == {first}
        assert set(series.sequence_last[first:stop]) == {stop - 1}
    for first, stop in naive.bounds(run):
        assert set(series.run_first[first:stop]) == {first}
        assert set(series.run_last[first:stop]) == {stop - 1}
    np.testing.assert_array_equal(series.samples, X[~np.isnan(X).any(axis=1)])
    np.testing.assert_array_equal(series.rows[series.valid], series.samples)


@several
@given(
    seed=st.integers(0, 10**6),
    lengths=lengths_of_sequences,
    gap_share=st.sampled_from([0.0, 0.2]),
    back=st.integers(0, 4),
    ahead=st.integers(0, 3),
)
def test_reach_stays_in_its_run(seed, lengths, gap_share, back, ahead):
    X, groups = series_of(seed, lengths, 2, gap_share)
    series = check_sequences(X, groups)
    run = naive.run_of_rows(X, groups)
    expected = [t for t in range(len(X)) if naive.reaches(run, t, back, ahead)]

    assert np.flatnonzero(series.reach(back, ahead)).tolist() == expected
    if expected:
        assert series.times(back, ahead).tolist() == expected
    else:
        with pytest.raises(ShortSequencesError, match=f"{back + 1 + ahead} rows in a row"):
            series.times(back, ahead)


@several
@given(
    seed=st.integers(0, 10**6),
    lengths=lengths_of_sequences,
    gap_share=st.sampled_from([0.0, 0.2]),
    n_lags=st.integers(1, 4),
    n_neighbors=st.integers(1, 5),
    horizon=st.integers(0, 3),
)
def test_states_are_those_of_the_loops(seed, lengths, gap_share, n_lags, n_neighbors, horizon):
    X, groups = series_of(seed, lengths, 2, gap_share)
    series = check_sequences(X, groups)
    expected = naive.state_times(X, groups, n_lags, ahead=horizon)
    options = {"n_neighbors": n_neighbors, "horizon": horizon}
    if len(expected) < n_neighbors + 1:
        with pytest.raises(DataError, match=r"needs at least|too short"):
            find_states(series, n_lags, **options)
        return
    states = find_states(series, n_lags, **options)

    assert states.times.tolist() == expected
    assert len(states) == len(expected)
    assert states.dimension == 2 * n_lags
    embedded = np.array([naive.state(X, t, n_lags) for t in expected])
    np.testing.assert_array_equal(states.embed(), embedded)
    np.testing.assert_array_equal(states.embed(1, 3), embedded[1:3])
    np.testing.assert_array_equal(states.embed(start=2), embedded[2:])


def test_no_groups_are_one_group():
    X, _ = naive.random_series(0, [30], 2, n_gaps=4)
    alone, grouped = check_sequences(X), check_sequences(X, groups=np.full(30, "only"))
    assert alone.run_bounds() == grouped.run_bounds()
    np.testing.assert_array_equal(alone.sequence_first, grouped.sequence_first)
    np.testing.assert_array_equal(alone.sequence_last, grouped.sequence_last)
    assert alone.group_ids is None


@pytest.mark.parametrize(
    "ids",
    [
        [3, 3, 1, 1, 2],
        ["b", "b", "a", "a", "c"],
        [2.5, 2.5, -1.0, -1.0, 0.0],
        [True, True, False, False, "x"],
        np.array(["2020-02", "2020-02", "2020-01", "2020-01", "2021-01"], dtype="datetime64[M]"),
        np.array([("a", 1), ("a", 1), ("a", 2), ("a", 2), ("b", 1), None], dtype=object)[:5],
    ],
    ids=["int", "str", "float", "mixed", "date", "tuples"],
)
def test_ids_of_any_type_and_order(ids):
    series = check_sequences(np.arange(10.0).reshape(5, 2), groups=ids)
    assert series.run_bounds() == [(0, 2), (2, 4), (4, 5)]


def test_a_gap_at_the_border_of_a_sequence():
    X = [[1.0], [NAN], [2.0], [3.0], [NAN], [4.0]]
    series = check_sequences(X, groups=[0, 0, 1, 1, 2, 2])
    assert series.run_bounds() == [(0, 1), (2, 4), (5, 6)]
    assert series.reach(ahead=1).tolist() == [False, False, True, False, False, False]
    assert series.reach(back=1).tolist() == [False, False, False, True, False, False]


def test_gap_rows_are_numbers_so_that_no_nan_spreads():
    series = check_sequences([[1.0, 2.0], [NAN, 5.0], [3.0, 4.0]])
    assert series.rows[1].tolist() == [0.0, 0.0]


def test_samples_are_the_array_itself_without_gaps():
    X = np.arange(6.0).reshape(3, 2)
    assert np.shares_memory(check_sequences(X).samples, X)


def test_with_rows_keeps_sequences_and_gaps():
    X, groups = naive.random_series(1, [5, 6], 2, n_gaps=2)
    series = check_sequences(X, groups)
    other = series.with_rows(np.zeros((11, 4)))
    assert other.n_columns == 4
    assert other.run_bounds() == series.run_bounds()
    assert series.n_columns == 2


def test_a_returning_id_warns_and_starts_a_new_sequence():
    X = np.arange(6.0).reshape(6, 1)
    with pytest.warns(ReturningGroupWarning, match=r"'a'.* reappears at row 4"):
        series = check_sequences(X, groups=["a", "a", "b", "b", "a", "a"])
    assert series.run_bounds() == [(0, 2), (2, 4), (4, 6)]
    assert series.sequence_first.tolist() == [0, 0, 2, 2, 4, 4]


def test_too_short_names_the_longest_stretch():
    X = np.arange(9.0).reshape(9, 1)
    series = check_sequences(X, groups=[0, 0, "long", "long", "long", "long", 2, 2, 2])
    message = (
        r"5 rows in a row are needed, but the longest stretch has 4 \(rows 2 to 5, group .*long"
    )
    with pytest.raises(ShortSequencesError, match=message):
        series.times(back=4)


@pytest.mark.parametrize(("ids", "told"), [([7, 7, 8], "7"), (["a", "a", "b"], "'a'")])
def test_ids_are_told_as_they_were_given(ids, told):
    series = check_sequences(np.zeros((3, 1)), groups=np.array(ids))
    with pytest.raises(ShortSequencesError, match=rf"\(rows 0 to 1, group {told}; "):
        series.times(back=4)
    back_again = np.array([*ids, ids[0]])
    with pytest.warns(ReturningGroupWarning, match=rf"group id {told} reappears at row 3"):
        check_sequences(np.zeros((4, 1)), groups=back_again)


def test_too_short_counts_gaps():
    X = [[1.0], [2.0], [NAN], [3.0]]
    with pytest.raises(ShortSequencesError, match=r"has 2 \(rows 0 to 1.*1 of 4 rows are gaps"):
        check_sequences(X).times(ahead=2)


def test_too_short_tells_of_unsorted_rows():
    X = np.arange(6.0).reshape(6, 1)
    with pytest.warns(ReturningGroupWarning):
        series = check_sequences(X, groups=[0, 1, 0, 1, 0, 1])
    with pytest.raises(ShortSequencesError, match="sort the rows by group and time"):
        series.times(ahead=1)


def test_only_gaps_without_an_empty_column():
    series = check_sequences([[NAN, 1.0], [2.0, NAN]])
    with pytest.raises(ShortSequencesError, match="every row is a gap"):
        series.times()


def test_too_few_states_says_how_many_neighbors_there_can_be():
    series = check_sequences(np.arange(6.0).reshape(6, 1))
    message = r"n_neighbors=4 needs at least 5 states.* n_lags=3 there are 4.*at most n_neighbors=3"
    with pytest.raises(TooFewStatesError, match=message):
        find_states(series, 3, n_neighbors=4)
    assert len(find_states(series, 3, n_neighbors=3)) == 4


def test_too_few_states_with_a_successor():
    series = check_sequences(np.arange(6.0).reshape(6, 1))
    with pytest.raises(TooFewStatesError, match="5 states with a successor, but"):
        find_states(series, 3, n_neighbors=4, horizon=1)
    assert find_states(series, 3, n_neighbors=2, horizon=1).times.tolist() == [2, 3, 4]
    with pytest.raises(TooFewStatesError, match="5 states with a sample 2 rows ahead, but"):
        find_states(series, 3, n_neighbors=4, horizon=2)


def test_a_horizon_beyond_every_sequence_is_named():
    series = check_sequences(np.arange(6.0).reshape(6, 1), groups=[0, 0, 0, 0, 1, 1])
    assert series.state_times(2, horizon=2).tolist() == [1]
    message = r"5 rows in a row are needed.*longest stretch has 4.*a nearer horizon \(horizon=3\)"
    with pytest.raises(ShortSequencesError, match=message):
        series.state_times(2, horizon=3)


@several
@given(
    seed=st.integers(0, 10**6),
    lengths=lengths_of_sequences,
    gap_share=st.sampled_from([0.0, 0.3]),
    n_before=st.integers(0, 5),
    with_groups=st.booleans(),
)
def test_rows_put_in_front_belong_to_the_first_sequence(
    seed, lengths, gap_share, n_before, with_groups
):
    X, groups = series_of(seed, lengths, 2, gap_share)
    before = np.random.default_rng(seed).normal(size=(n_before, 2))
    found = check_sequences(X, groups if with_groups else None).preceded_by(before)
    joined = np.r_[np.repeat(groups[:1], n_before), groups] if with_groups else None
    expected = check_sequences(np.vstack([before, X]), joined)
    for name in ("rows", "valid", "sequence_first", "sequence_last", "run_first", "run_last"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))
    if with_groups:
        np.testing.assert_array_equal(found.group_ids, joined)


def test_a_part_may_have_empty_columns():
    X = np.array([[NAN, 1.0], [NAN, 2.0]])
    assert not check_sequences(X, is_part=True).valid.any()
    with pytest.raises(DataError, match="NaN throughout"):
        check_sequences(X)
