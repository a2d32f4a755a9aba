"""Halves of a series: no row and no state in both, about as many samples in each."""

import numpy as np
import pytest

import naive
from predfeat.exceptions import ShortSequencesError
from predfeat.series import check_sequences
from predfeat.splits import block_halves


@pytest.mark.parametrize("lengths", [[400], [150, 250], [20] * 20, [5, 300, 40, 10]])
@pytest.mark.parametrize(("p", "horizon"), [(1, 1), (4, 1), (2, 5)])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_halves_share_no_row_and_no_state(lengths, p, horizon, seed):
    X, groups = naive.random_series(seed, lengths, n_gaps=10)
    series = check_sequences(X, groups)
    halves = block_halves(series, p, horizon=horizon, random_state=seed)
    assert not set(halves.train) & set(halves.test)
    parts = halves.parts(series)
    sizes = [int(part.valid.sum()) for part in parts]
    assert max(sizes) - min(sizes) <= 0.2 * len(X)
    run = naive.run_of_rows(X, groups)
    used = []
    for part, own in zip(parts, (halves.train, halves.test), strict=True):
        rows = set()
        for t in np.flatnonzero(part.reach(back=p - 1, ahead=horizon)):
            of = own[t - p + 1 : t + horizon + 1]
            # What follows in the half followed before, in one run.
            assert np.all(np.diff(of) == 1)
            assert len({run[row] for row in of}) == 1
            rows |= set(of.tolist())
        used.append(rows)
    assert not used[0] & used[1]
    # No state of one half has its successor in the other.
    if halves.kind == "blocks":
        apart = np.abs(np.subtract.outer(sorted(used[0]), sorted(used[1]))).min()
        assert apart > p + horizon


def test_many_sequences_are_dealt_whole():
    X, groups = naive.random_series(0, [20] * 9)
    halves = block_halves(check_sequences(X, groups), 3)
    assert halves.kind == "sequences"
    assert not set(groups[halves.train]) & set(groups[halves.test])
    assert sorted([*halves.train, *halves.test]) == list(range(180))


def test_few_sequences_are_cut_into_ten_blocks_that_do_not_touch():
    halves = block_halves(check_sequences(np.zeros((200, 1))), 2, horizon=3)
    assert halves.kind == "blocks"
    rows = np.sort(np.r_[halves.train, halves.test])
    left_out = np.setdiff1d(np.arange(200), rows)
    np.testing.assert_array_equal(left_out, np.add.outer(np.arange(20, 200, 20), range(5)).ravel())


def test_a_seed_gives_the_same_halves_and_a_generator_goes_on():
    series = check_sequences(np.zeros((300, 1)))
    random = np.random.default_rng(3)
    first, second = (block_halves(series, 1, random_state=random) for _ in range(2))
    again = block_halves(series, 1, random_state=3)
    np.testing.assert_array_equal(first.train, again.train)
    assert set(first.train) != set(second.train)


def test_too_few_rows_say_so():
    with pytest.raises(ShortSequencesError, match=r"20 rows leave none.*5 rows .*fewer lags"):
        block_halves(check_sequences(np.zeros((20, 1))), 4)
