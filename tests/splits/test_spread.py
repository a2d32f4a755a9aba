"""Rows of a recording that is too long: blocks over all of it, and which belong together."""

import numpy as np
import pytest

from predfeat.series import check_sequences
from predfeat.splits import spread_rows, spread_sequences, take


def several(lengths):
    groups = np.repeat(np.arange(len(lengths)), lengths)
    return check_sequences(np.zeros((len(groups), 1)), groups), groups


@pytest.mark.parametrize(
    ("lengths", "n_sequences", "shortest"),
    [([1500] * 40, 10, 90), ([50] * 40, 20, 50), ([800, 900], 2, 400), ([5000, 30, 30], 3, 10)],
)
def test_spread_sequences_are_of_many(lengths, n_sequences, shortest):
    series, groups = several(lengths)
    rows, pieces = spread_sequences(series, 1000, shortest=10)
    assert np.all(np.diff(rows) > 0)
    assert 900 <= len(rows) <= 1000
    numbers, counts = np.unique(groups[rows], return_counts=True)
    assert len(numbers) == n_sequences
    assert counts.min() >= shortest
    # A piece is a stretch of one sequence, and spread over all of the recording.
    for first in np.unique(pieces):
        block = rows[pieces == first]
        assert block[0] == first
        assert np.all(np.diff(block) == 1)
        assert len(set(groups[block])) == 1
    assert len(np.unique(pieces)) >= min(10, n_sequences)
    assert rows[0] == 0
    assert rows[-1] == len(groups) - 1


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


@pytest.mark.parametrize("lengths", [[1013], [101], [800, 900], [300] * 12, [70] * 30])
@pytest.mark.parametrize("gap", [0, 3])
def test_taken_rows_are_sequences_by_piece(lengths, gap):
    series, _ = several(lengths)
    rows, pieces = spread_sequences(series, 100, gap, shortest=10)
    part = take(series, rows, pieces=pieces)
    np.testing.assert_array_equal(pieces, rows[part.sequence_first])


def test_a_short_recording_is_taken_whole():
    series, _ = several([30, 20])
    rows, pieces = spread_sequences(series, 50)
    np.testing.assert_array_equal(rows, np.arange(50))
    np.testing.assert_array_equal(pieces, np.repeat([0, 30], [30, 20]))
