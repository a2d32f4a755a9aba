"""Training and test parts: never in touch, sequences whole, the same for the same seed."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
from predfeat.exceptions import SplitError
from predfeat.series import check_sequences
from predfeat.splits import (
    blocked_splits,
    count_states,
    random_windows,
    shortest_piece,
    spread_sequences,
)


def one_sequence(n_rows):
    return check_sequences(np.arange(n_rows, dtype=float).reshape(-1, 1))


def several(lengths):
    groups = np.repeat(np.arange(len(lengths)), lengths)
    return check_sequences(np.zeros((len(groups), 1)), groups), groups


@pytest.mark.parametrize(("n_lags", "horizon"), [(1, 1), (3, 1), (10, 1), (2, 9)])
@pytest.mark.parametrize("n_rows", [60, 500, 40_000])
def test_windows_are_contiguous_and_apart(n_rows, n_lags, horizon):
    splits = blocked_splits(one_sequence(n_rows), 20, n_lags=n_lags, horizon=horizon)
    assert len(splits) > 1
    for split in splits:
        assert split.kind == "windows"
        for rows in (split.train, split.test):
            assert rows[0] >= 0
            assert rows[-1] < n_rows
            assert np.all(np.diff(rows) == 1)
        assert np.abs(split.train[:, None][[0, -1]] - split.test[[0, -1]]).min() > n_lags + horizon
        assert len(split.train) <= 10_000
        assert len(split.test) <= 5_000
        assert split.is_cut == (n_rows == 40_000)


def test_windows_come_in_both_orders():
    splits = blocked_splits(one_sequence(300), 30)
    assert {bool(split.train[0] < split.test[0]) for split in splits} == {True, False}


def test_sequences_are_dealt_whole():
    series, groups = several([30, 50, 20, 40, 25, 35])
    seen = set()
    for split in blocked_splits(series, 10):
        assert split.kind == "sequences"
        train, test = set(groups[split.train]), set(groups[split.test])
        assert train | test == set(groups)
        assert not train & test
        for ids, rows in ((train, split.train), (test, split.test)):
            assert len(rows) == np.isin(groups, list(ids)).sum()
        assert not split.is_cut
        seen.add(frozenset(test))
    assert len(seen) == 10


def test_there_are_no_more_repetitions_than_different_deals():
    series, _ = several([50, 50, 50])
    assert len(blocked_splits(series, 10)) == 3


def test_sequences_without_a_state_are_not_dealt():
    series, groups = several([50, 2, 60, 2, 70])
    for split in blocked_splits(series, 3, n_lags=2):
        assert not {1, 3} & set(groups[np.r_[split.train, split.test]])
    for split in blocked_splits(series, 3, n_lags=1, horizon=2):
        assert not {1, 3} & set(groups[np.r_[split.train, split.test]])


def assert_pieces(rows, groups, n_sequences, shortest):
    """Assert that rows are one stretch of each of so many sequences."""
    numbers, counts = np.unique(groups[rows], return_counts=True)
    assert len(numbers) == n_sequences
    assert counts.min() >= shortest
    for number in numbers:
        assert np.all(np.diff(rows[groups[rows] == number]) == 1)


def test_of_many_long_trials_a_part_has_pieces_of_ten():
    series, groups = several([1500] * 40)
    places = set()
    for split in blocked_splits(series, 5, max_train=5000, max_test=2500):
        assert split.kind == "sequences"
        assert split.is_cut
        assert not set(groups[split.train]) & set(groups[split.test])
        assert_pieces(split.train, groups, 10, 500)
        assert_pieces(split.test, groups, 10, 250)
        assert (len(split.train), len(split.test)) == (5000, 2500)
        places |= set(split.test % 1500)
    assert len(places) > 1200  # at random places of the trials


def test_of_many_short_trials_a_part_has_whole_ones():
    series, groups = several([100] * 90)
    for split in blocked_splits(series, 3, max_train=5000, max_test=2500):
        assert_pieces(split.train, groups, 50, 100)
        assert_pieces(split.test, groups, 25, 100)


def test_pieces_are_long_enough_for_states():
    series, groups = several([1500] * 40)
    shortest = shortest_piece(n_lags=10, horizon=5)
    assert shortest == 140
    for split in blocked_splits(series, 3, n_lags=10, horizon=5, max_train=5000, max_test=300):
        assert_pieces(split.test, groups, 2, shortest)
    for split in blocked_splits(several([3000, 200, 90] * 9)[0], 3, max_train=1000, max_test=500):
        own = several([3000, 200, 90] * 9)[1]
        assert np.unique(own[split.train], return_counts=True)[1].min() >= shortest_piece(1)


def test_a_long_part_is_cut_to_the_limit():
    series, groups = several([400, 300, 30, 500])
    for split in blocked_splits(series, 8, max_train=100, max_test=50):
        assert len(split.train) <= 100
        assert len(split.test) <= 50
        assert not set(groups[split.train]) & set(groups[split.test])


def test_sequences_of_which_no_deal_is_usable_are_cut_into_windows():
    series, _ = several([500, 5])
    splits = blocked_splits(series, 3, usable=lambda s: min(len(s.train), len(s.test)) > 20)
    assert {split.kind for split in splits} == {"windows"}


def test_no_two_splits_are_the_same_and_a_seed_gives_the_same_ones():
    def keys(seed):
        return [
            (s.train.tobytes(), s.test.tobytes())
            for s in blocked_splits(one_sequence(200), 15, random_state=seed)
        ]

    assert len(set(keys(0))) == 15
    assert keys(0) == keys(0)
    assert keys(0) != keys(1)


def test_what_cannot_be_split_is_said():
    with pytest.raises(SplitError, match=r"3 rows, 0 of them gaps.*cannot be split"):
        blocked_splits(one_sequence(3), 2)
    with pytest.raises(SplitError, match="fewer lags"):
        blocked_splits(one_sequence(100), 2, usable=lambda split: False)


def test_one_long_sequence_among_short_ones_is_used():
    lengths = [20] * 18 + [20_000] + [20] * 22
    series = check_sequences(np.zeros((sum(lengths), 1)), np.repeat(np.arange(41), lengths))
    rows, _ = spread_sequences(series, 5000, shortest=10)
    assert 4900 <= len(rows) <= 5000
    splits = blocked_splits(series, 10, max_train=5000, max_test=2000, random_state=0)
    for split in splits:
        long = [360 <= part[len(part) // 2] < 20_360 for part in (split.train, split.test)]
        assert sum(long) == 1
        assert len(split.train if long[0] else split.test) == (5000 if long[0] else 2000)


def test_trials_shorter_than_is_worth_taking_fill_a_part():
    series = check_sequences(np.zeros((36_000, 1)), np.repeat(np.arange(60), 600))
    for n_lags in (50, 100, 200):
        (split,) = blocked_splits(series, 1, n_lags=n_lags, max_train=10_000, max_test=5000)
        assert len(split.test) > 4700


@given(
    n_train=st.integers(1, 20),
    n_test=st.integers(1, 20),
    gap=st.integers(0, 6),
    spare=st.integers(0, 10),
    seed=st.integers(0, 100),
)
def test_random_windows_have_their_sizes_and_distance(n_train, n_test, gap, spare, seed):
    n_rows = n_train + n_test + gap + spare
    split = random_windows(n_rows, n_train, n_test, gap, random_state=seed)
    assert (len(split.train), len(split.test), split.kind) == (n_train, n_test, "windows")
    for rows in (split.train, split.test):
        assert np.all(np.diff(rows) == 1)
        assert rows[0] >= 0
        assert rows[-1] < n_rows
    assert np.abs(np.subtract.outer(split.train, split.test)).min() > gap


def test_windows_that_do_not_fit_are_refused():
    with pytest.raises(SplitError, match="there are 10 rows, but windows of 5 and 4 rows with 2"):
        random_windows(10, 5, 4, gap=2)


@pytest.mark.parametrize("lengths", [[300], [40, 60, 50, 80], [30] * 12, [400, 5]])
@pytest.mark.parametrize(("n_lags", "horizon"), [(1, 1), (3, 2)])
def test_no_state_reaches_from_one_part_into_the_other(lengths, n_lags, horizon):
    X, groups = naive.random_series(0, lengths, n_gaps=6)
    series = check_sequences(X, groups)
    for split in blocked_splits(series, 5, n_lags=n_lags, horizon=horizon, max_train=150):
        both = np.r_[split.train, split.test]
        assert len(np.unique(both)) == len(both)
        apart = sum(
            count_states(series, rows, n_lags, horizon) for rows in (split.train, split.test)
        )
        assert apart == count_states(series, np.sort(both), n_lags, horizon)


def test_a_generator_goes_on():
    random = np.random.default_rng(0)
    first, second = (blocked_splits(one_sequence(200), 1, random_state=random) for _ in range(2))
    (again,) = blocked_splits(one_sequence(200), 1, random_state=0)
    np.testing.assert_array_equal(first[0].train, again.train)
    assert set(first[0].train) != set(second[0].train)
