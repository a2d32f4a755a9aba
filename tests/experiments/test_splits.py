"""Training and test parts: never in touch, sequences whole, the same for the same seed."""

import numpy as np
import pytest

from predfeat.exceptions import SplitError
from predfeat.experiments import blocked_splits, shortest_piece, spread_rows, spread_sequences
from predfeat.series import check_sequences


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


@pytest.mark.parametrize(
    ("lengths", "n_sequences", "shortest"),
    [([1500] * 40, 10, 90), ([50] * 40, 20, 50), ([800, 900], 2, 400), ([5000, 30, 30], 3, 10)],
)
def test_spread_sequences_are_of_many(lengths, n_sequences, shortest):
    series, groups = several(lengths)
    rows, hang_together = spread_sequences(series, 1000, shortest=10)
    assert np.all(np.diff(rows) > 0)
    assert 900 <= len(rows) <= 1000
    numbers, counts = np.unique(groups[rows], return_counts=True)
    assert len(numbers) == n_sequences
    assert counts.min() >= shortest
    # What hangs together is a stretch of one sequence, and spread over all of the recording.
    for first in np.unique(hang_together):
        block = rows[hang_together == first]
        assert block[0] == first
        assert np.all(np.diff(block) == 1)
        assert len(set(groups[block])) == 1
    assert len(np.unique(hang_together)) >= min(10, n_sequences)
    assert rows[0] == 0
    assert rows[-1] == len(groups) - 1


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
            for s in blocked_splits(one_sequence(200), 15, seed=seed)
        ]

    assert len(set(keys(0))) == 15
    assert keys(0) == keys(0)
    assert keys(0) != keys(1)


def test_what_cannot_be_split_is_said():
    with pytest.raises(SplitError, match=r"3 rows, 0 of them gaps.*cannot be split"):
        blocked_splits(one_sequence(3), 2)
    with pytest.raises(SplitError, match="fewer lags"):
        blocked_splits(one_sequence(100), 2, usable=lambda split: False)


@pytest.mark.parametrize("n_rows", [101, 150, 1013])
@pytest.mark.parametrize(("gap", "n_blocks"), [(1, 10), (3, 4), (6, 2), (11, 1)])
def test_spread_blocks_keep_their_distance(n_rows, gap, n_blocks):
    rows, first = spread_rows(n_rows, 100, gap=gap)
    assert rows[0] == 0
    assert rows[-1] == n_rows - 1 or n_blocks == 1
    assert 80 <= len(rows) <= 100
    begins = np.flatnonzero(np.diff(first))
    assert len(begins) == n_blocks - 1
    assert np.all(rows[begins + 1] - rows[begins] > gap)


@pytest.mark.parametrize(("n_rows", "at_most"), [(10, 20), (100, 30), (10_007, 500)])
def test_spread_rows_are_blocks_over_the_whole(n_rows, at_most):
    rows, first = spread_rows(n_rows, at_most)
    assert len(rows) == len(first) == min(n_rows, at_most)
    assert rows[0] == 0
    assert rows[-1] == n_rows - 1
    assert np.all(np.diff(rows) > 0)
    for start in np.unique(first):
        block = rows[first == start]
        assert block[0] == start
        assert np.all(np.diff(block) == 1)


def test_one_long_sequence_among_short_ones_is_used():
    lengths = [20] * 18 + [20_000] + [20] * 22
    series = check_sequences(np.zeros((sum(lengths), 1)), np.repeat(np.arange(41), lengths))
    rows, _ = spread_sequences(series, 5000, shortest=10)
    assert 4900 <= len(rows) <= 5000
    splits = blocked_splits(series, 10, max_train=5000, max_test=2000, seed=0)
    for split in splits:
        long = [360 <= part[len(part) // 2] < 20_360 for part in (split.train, split.test)]
        assert sum(long) == 1
        assert len(split.train if long[0] else split.test) == (5000 if long[0] else 2000)


def test_trials_shorter_than_is_worth_taking_fill_a_part():
    series = check_sequences(np.zeros((36_000, 1)), np.repeat(np.arange(60), 600))
    for n_lags in (50, 100, 200):
        (split,) = blocked_splits(series, 1, n_lags=n_lags, max_train=10_000, max_test=5000)
        assert len(split.test) > 4700
