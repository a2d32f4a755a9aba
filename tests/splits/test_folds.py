"""Purged folds: every row tested once, nothing near it learned from."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
import naive_splits as twins
from predfeat.exceptions import SplitError
from predfeat.series import check_sequences
from predfeat.splits import purged_folds


@given(
    lengths=st.lists(st.integers(1, 40), min_size=1, max_size=8),
    n_gaps=st.integers(0, 8),
    n_folds=st.integers(2, 5),
    gap=st.integers(1, 4),
    seed=st.integers(0, 1000),
)
def test_folds_are_those_of_the_twin(lengths, n_gaps, n_folds, gap, seed):
    X, groups = naive.random_series(seed, lengths, n_columns=2, n_gaps=n_gaps)
    if np.isnan(X).all(axis=0).any():
        return
    expected = twins.purged_folds(X, groups, n_folds, gap)
    series = check_sequences(X, groups)
    if expected is None:
        with pytest.raises(SplitError, match="Give more rows"):
            purged_folds(series, n_folds, gap)
        return
    found = purged_folds(series, n_folds, gap)
    assert [(fold.train.tolist(), fold.test.tolist()) for fold in found] == expected


@given(n_rows=st.integers(40, 200), n_folds=st.integers(2, 6), gap=st.integers(1, 5))
def test_blocks_test_every_row_once_and_keep_away_from_it(n_rows, n_folds, gap):
    folds = purged_folds(check_sequences(np.zeros((n_rows, 1))), n_folds, gap)
    assert len(folds) == n_folds
    assert sorted(np.concatenate([fold.test for fold in folds])) == list(range(n_rows))
    for fold in folds:
        away = np.abs(fold.train[:, None] - fold.test[None, :]).min(axis=1)
        assert away.min() == gap + 1
        others = np.setdiff1d(np.arange(n_rows), np.concatenate([fold.train, fold.test]))
        assert len(others) <= 2 * gap
        assert fold.kind == "blocks"


@given(lengths=st.lists(st.integers(5, 40), min_size=3, max_size=12), n_folds=st.integers(2, 6))
def test_sequences_are_left_out_whole(lengths, n_folds):
    ids = np.repeat(np.arange(len(lengths)), lengths)
    folds = purged_folds(check_sequences(np.zeros((len(ids), 1)), ids), n_folds, gap=2)
    assert len(folds) == min(n_folds, len(lengths))
    assert sorted(np.concatenate([fold.test for fold in folds])) == list(range(len(ids)))
    for fold in folds:
        assert set(ids[fold.train]) | set(ids[fold.test]) == set(ids)
        assert not set(ids[fold.train]) & set(ids[fold.test])
        assert fold.kind == "sequences"
    sizes = [len(fold.test) for fold in folds]
    assert max(sizes) - min(sizes) <= max(lengths)


def test_sequences_too_short_to_test_take_no_part():
    ids = np.repeat([0, 1, 2, 3], [20, 2, 20, 20])
    folds = purged_folds(check_sequences(np.zeros((62, 1)), ids), 3, gap=2)
    assert 1 not in ids[np.concatenate([fold.test for fold in folds])]


def test_nor_do_sequences_with_a_gap_in_every_other_row():
    X, ids = np.zeros((80, 1)), np.repeat([0, 1, 2, 3], 20)
    X[20:40:2] = np.nan
    folds = purged_folds(check_sequences(X, ids), 3, gap=2)
    assert 1 not in ids[np.concatenate([fold.test for fold in folds])]


def test_parts_keep_gaps_and_do_not_join_what_was_apart():
    X = np.arange(30.0)[:, None]
    X[4] = np.nan
    series = check_sequences(X, np.repeat([0, 1], 15))
    fold = purged_folds(series, 3, gap=1)[1]  # rows 10 to 19 are tested
    train, test = fold.parts(series)
    assert train.run_bounds() == [(0, 4), (5, 9), (9, 18)]
    assert test.run_bounds() == [(0, 5), (5, 10)]
    np.testing.assert_array_equal(test.rows[:, 0], np.arange(10.0, 20.0))


def test_what_lies_around_a_test_block_does_not_become_neighbours_in_time():
    series = check_sequences(np.arange(30.0)[:, None])
    train, _ = purged_folds(series, 3, gap=1)[1].parts(series)
    assert train.run_bounds() == [(0, 9), (9, 18)]


def test_a_long_gap_makes_no_block_of_its_own():
    X = np.random.default_rng(0).normal(size=(90, 2))
    X[25:65] = np.nan
    folds = purged_folds(check_sequences(X), 3, gap=2)
    assert sorted(row for fold in folds for row in fold.test) == list(range(90))
    assert [np.isfinite(X[fold.test, 0]).sum() for fold in folds] == [16, 17, 17]
    # A sequence of gaps is none that could be left out.
    folds = purged_folds(check_sequences(X, np.repeat([0, 1, 2, 3], [25, 40, 10, 15])), 5, gap=2)
    assert {fold.kind for fold in folds} == {"sequences"}
    assert sorted(len(fold.test) for fold in folds) == [10, 15, 25]


@pytest.mark.parametrize("n_folds", [1, 0, -1])
def test_one_fold_is_none(n_folds):
    for ids in (None, np.arange(60) // 20):
        with pytest.raises(SplitError, match=f"n_folds={n_folds} holds nothing out"):
            purged_folds(check_sequences(np.zeros((60, 1)), ids), n_folds, gap=2)


def test_too_few_rows_say_so():
    with pytest.raises(SplitError, match=r"12 rows in 4 folds make blocks of 3, but more than 3"):
        purged_folds(check_sequences(np.zeros((12, 1))), 4, gap=3)
