"""Rows taken of a series: what did not follow before does not follow now."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
import naive_splits as twins
from predfeat.exceptions import EmptyColumnError, ShortSequencesError
from predfeat.series import check_sequences
from predfeat.splits import count_states, take

lengths_of_sequences = st.lists(st.integers(1, 12), min_size=1, max_size=5)


def series_of(seed, lengths, n_gaps):
    X, groups = naive.random_series(seed, lengths, n_columns=2, n_gaps=n_gaps)
    return X, groups, check_sequences(X, groups)


def some_rows(seed, n_rows):
    """Return rows to take, sometimes in another order and some of them twice."""
    random = np.random.default_rng(seed)
    rows = np.flatnonzero(random.random(n_rows) < random.choice([0.3, 0.7, 1.0]))
    if random.random() < 0.2:
        rows = random.integers(n_rows, size=n_rows)
    return rows


def stretches(bounds, rows):
    return [rows[start:stop].tolist() for start, stop in bounds]


@given(
    lengths=lengths_of_sequences,
    n_gaps=st.integers(0, 4),
    seed=st.integers(0, 10_000),
    has_pieces=st.booleans(),
)
def test_taking_is_what_the_twin_does(lengths, n_gaps, seed, has_pieces):
    X, groups = naive.random_series(seed, lengths, n_columns=2, n_gaps=n_gaps)
    rows = some_rows(seed, len(X))
    if np.isnan(X).all(axis=0).any() or not np.isfinite(X[rows]).all(axis=1).any():
        return
    pieces = np.random.default_rng(seed).integers(2, size=len(rows)) if has_pieces else None
    part = take(check_sequences(X, groups), rows, pieces=pieces)
    assert stretches(part.sequence_bounds(), rows) == twins.taken_sequences(X, groups, rows, pieces)
    assert stretches(part.run_bounds(), rows) == twins.taken_runs(X, groups, rows, pieces)
    np.testing.assert_array_equal(part.valid, np.isfinite(X[rows]).all(axis=1))
    np.testing.assert_array_equal(part.samples, X[rows][part.valid])
    assert not part.rows[~part.valid].any()
    np.testing.assert_array_equal(part.group_ids, groups[rows])


def test_all_rows_are_the_series():
    _, _, series = series_of(0, [10, 7, 1, 12], n_gaps=4)
    part = take(series, np.arange(series.n_rows))
    for name in ("rows", "valid", "sequence_first", "sequence_last", "run_first", "run_last"):
        np.testing.assert_array_equal(getattr(part, name), getattr(series, name))


def test_rows_are_named_as_arrays_name_them():
    X, _, series = series_of(0, [10, 10], n_gaps=2)
    part = take(series, slice(5, 15))
    assert part.sequence_bounds() == [(0, 5), (5, 10)]
    mask = np.zeros(20, dtype=bool)
    mask[5:15] = True
    from_the_end = np.arange(-15, -5)
    for rows in (mask, from_the_end, list(range(5, 15))):
        again = take(series, rows)
        np.testing.assert_array_equal(again.rows, part.rows)
        np.testing.assert_array_equal(again.run_first, part.run_first)
    # The last row and the first do not follow each other.
    assert take(check_sequences(X), [-1, 0]).sequence_bounds() == [(0, 1), (1, 2)]
    with pytest.raises(IndexError):
        take(series, [20])


def test_nothing_of_the_series_is_changed_by_who_changes_the_part():
    _, _, series = series_of(0, [20], n_gaps=0)
    before = series.rows.copy()
    take(series, slice(0, 20)).rows[:] = 7.0
    np.testing.assert_array_equal(series.rows, before)


def test_messages_name_the_groups_that_were_given():
    ids = np.repeat(["first", "second", "third"], [4, 6, 5])
    part = take(check_sequences(np.zeros((15, 1)), ids), np.arange(4, 15))
    with pytest.raises(ShortSequencesError, match="group 'second'"):
        part.times(back=20)
    alone = take(check_sequences(np.zeros((15, 1))), [0, 1, 2, 8, 9])
    with pytest.raises(ShortSequencesError, match=r"\(rows 0 to 2; n_samples = 5\)"):
        alone.times(back=20)


def test_nothing_but_gaps_is_said():
    X = np.zeros((20, 2))
    X[5:15, 1] = np.nan
    with pytest.raises(EmptyColumnError):
        take(check_sequences(X), slice(5, 15))


@given(
    lengths=lengths_of_sequences,
    n_gaps=st.integers(0, 4),
    seed=st.integers(0, 10_000),
    p=st.integers(1, 4),
    horizon=st.integers(1, 3),
)
def test_states_are_counted_as_the_twin_counts_them(lengths, n_gaps, seed, p, horizon):
    X, groups = naive.random_series(seed, lengths, n_columns=2, n_gaps=n_gaps)
    if np.isnan(X).all(axis=0).any():
        return
    rows = np.unique(some_rows(seed, len(X)))
    if len(rows):
        count = count_states(check_sequences(X, groups), rows, p, horizon)
        assert count == twins.count_states(X, groups, rows.tolist(), p, horizon)


def test_gaps_alone_have_no_state():
    X = np.zeros((20, 1))
    X[5:15] = np.nan
    assert count_states(check_sequences(X), np.arange(5, 15), 1) == 0
