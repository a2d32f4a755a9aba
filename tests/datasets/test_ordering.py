"""Rows out of order, stamps that occur twice, clocks set back, and where features then go."""

import io
from datetime import datetime, timedelta

import numpy as np
import pytest

from predfeat.datasets import read, write_features
from predfeat.exceptions import DataFileError, SkippedColumnsWarning

START = datetime(2012, 10, 27)
rng = np.random.default_rng(0)


def days(numbers):
    return [f"{START + timedelta(days=int(i)):%Y-%m-%d}" for i in numbers]


def first_features(recording):
    """Write the series itself as features, and return the column as the file has it."""
    file = io.BytesIO()
    write_features(file, recording.values[:, :1], ["f"], recording=recording)
    lines = file.getvalue().decode().splitlines()[1:]
    return [float(line.rsplit(",", 1)[1]) for line in lines]


def test_the_newest_first(table):
    recording = read(table("date,x", days(range(20, 0, -1)), range(20)))
    assert recording.values[:, 0].tolist() == list(range(19, -1, -1))
    assert recording.rows.tolist() == list(range(19, -1, -1))
    assert (np.diff(recording.time) > np.timedelta64(0, "s")).all()
    assert "newest rows come first" in recording.notes[1]
    assert first_features(recording) == list(range(20))


def test_the_newest_first_with_gaps_and_groups(table):
    at = [9, 8, 5, 4, 9, 7, 6]
    recording = read(table("date,g,x", days(at), "aaaabbb", range(7)), group="g")
    assert recording.rows.tolist() == [3, 2, -1, -1, 1, 0, 6, 5, -1, 4]
    assert recording.groups.tolist() == list("aaaaaabbbb")
    assert first_features(recording) == list(range(7))


def test_shuffled_rows_as_sorting_by_hand_says(table, seed):
    rng = np.random.default_rng(seed)
    place = rng.permutation(60)
    groups = np.where(rng.random(60) < 0.5, "b", "a")
    recording = read(table("date,g,x", days(place), groups, range(60)), group="g", jumps="ignore")
    first = groups[0]
    by_hand = sorted(range(60), key=lambda i: (groups[i] != first, place[i]))
    assert recording.rows.tolist() == by_hand
    assert recording.groups.tolist() == groups[by_hand].tolist()
    assert any("sorted within each group" in n or "interleaved" in n for n in recording.notes)
    assert first_features(recording) == list(range(60))


def test_shuffled_without_groups(table):
    place = np.random.default_rng(1).permutation(40)
    recording = read(table("date,x", days(place), place))
    assert recording.values[:, 0].tolist() == list(range(40))
    assert "not in chronological order" in recording.notes[1]
    assert first_features(recording) == place.tolist()


def test_numbers_are_sorted_only_where_they_are_a_clock(table):
    place = np.random.default_rng(1).permutation(40)
    recording = read(table("time,x", place * 0.5, place))
    assert recording.values[:, 0].tolist() == list(range(40))
    # A lap's time is no time stamp.
    laps = np.random.default_rng(1).normal(60, 3, size=40)
    with pytest.warns(SkippedColumnsWarning, match="they are not evenly spaced when sorted"):
        recording = read(table("time,x", laps, range(40)))
    assert recording.values[:, 0].tolist() == list(range(40))
    with pytest.warns(UserWarning, match="not evenly spaced"):
        recording = read(table("time,x", laps, range(40)), time="time", jumps="gaps")
    own = recording.rows[recording.rows >= 0]
    assert own.tolist() == np.argsort(laps).tolist()


def test_groups_that_stand_mixed_are_brought_together(table):
    cells = days(np.repeat(range(10), 3))
    recording = read(table("date,g,x", cells, "abc" * 10, range(30)), group="g")
    assert recording.groups.tolist() == sorted("abc" * 10)
    assert recording.values[:, 0].tolist() == [*range(0, 30, 3), *range(1, 30, 3), *range(2, 30, 3)]
    assert "3 groups are interleaved" in recording.notes[1]
    assert first_features(recording) == list(range(30))
    bare = read(table("g,x", "abc" * 10, range(30)), group="g")
    assert bare.values.tolist() == recording.values.tolist()
    assert first_features(bare) == list(range(30))


def test_without_their_group_such_rows_are_no_time(table):
    cells = days(np.repeat(range(10), 3))
    with pytest.warns(SkippedColumnsWarning, match=r"occur more than once.*row 1 and in row 2"):
        recording = read(table("date,x", cells, range(30)))
    assert recording.time is None
    with pytest.raises(DataFileError, match="as `group`"):
        read(table("when,x", cells, range(30)), time="when")


def test_a_stamp_that_occurs_twice_is_named_and_kept(table):
    at = [0, 1, 2, 2, 3, 4, 5]
    recording = read(table("date,x", days(at), range(7)))
    assert recording.values[:, 0].tolist() == list(range(7))
    assert recording.rows is None
    assert recording.step == 86_400
    assert "Row 4 has the same time stamp as row 3 (2012-10-29): " in recording.notes[1]


def test_copies_are_left_out_and_get_the_features_of_their_row(table):
    # Two downloads that overlap, and one row that was corrected in the second.
    at = [*range(10), *range(6, 16)]
    values = [*range(9), 99, *range(6, 16)]
    recording = read(table("date,x", days(at), values))
    assert recording.values[:, 0].tolist() == [*range(9), 99, *range(9, 16)]
    assert recording.copies.tolist() == [[10, 6], [11, 7], [12, 8]]
    assert "3 rows are exact copies of another" in recording.notes[2]
    assert "Row 14 has the same time stamp as row 10" in recording.notes[3]
    assert first_features(recording) == values


def test_three_copies_of_a_row(table):
    recording = read(table("date,x,y", days([0, 1, 1, 1, 2, 3, 4]), [0, 1, 1, 1, 2, 3, 4],
                           ["1", "", "", "", "1", "2", "1"]))  # fmt: skip
    assert recording.copies.tolist() == [[2, 1], [3, 1]]
    assert len(recording.values) == 5


def test_a_clock_that_is_coarser_than_the_sampling(table):
    # 100 rows a second, stamped by a clock that ticks 64 times a second; ten rows are missing.
    true = np.arange(400) / 100
    true[300:] += 0.1
    cells = [
        f"{START + timedelta(seconds=t):%Y-%m-%dT%H:%M:%S.%f}" for t in np.floor(true * 64) / 64
    ]
    values = [0.0] * 8 + list(range(392))  # equal rows with equal stamps are no copies
    recording = read(table("time,x", cells, values))
    assert recording.copies is None
    assert recording.unit == "s"
    assert recording.step == pytest.approx(0.0102, abs=2e-4)
    own = recording.rows[recording.rows >= 0]
    assert own.tolist() == list(range(400))
    gaps = np.flatnonzero(recording.rows < 0)
    assert 8 <= len(gaps) <= 11
    assert gaps[0] == 300
    assert "coarser than the sampling" in recording.notes[1]
    assert "0.0102 s apart" in recording.notes[1]


def test_a_clock_set_back_keeps_the_order(table):
    minutes = [10 * i if i < 18 else 10 * i - 60 for i in range(60)]
    cells = [f"{START + timedelta(minutes=m):%Y-%m-%d %H:%M}" for m in minutes]
    recording = read(table("date,x", cells, range(60)))
    assert recording.values[:, 0].tolist() == list(range(60))
    assert (recording.step, recording.rows, recording.groups) == (600.0, None, None)
    assert "set back by an hour once (2012-10-27 02:50 in row 18" in recording.notes[1]


def test_time_that_starts_again_begins_a_sequence(table):
    times = [*np.arange(20) * 0.01, *np.arange(30) * 0.01, *(np.arange(10) * 0.01 + 0.002)]
    recording = read(table("time,x", times, range(60)))
    assert recording.values[:, 0].tolist() == list(range(60))
    assert np.flatnonzero(np.diff(recording.groups)).tolist() == [19, 49]
    assert "starts again twice, first in row 21" in recording.notes[1]
    # Parts that follow each other in time are one series, whichever comes first in the file.
    swapped = read(table("time,x", [*range(30, 60), *range(30)], range(60)))
    assert swapped.groups is None
    assert swapped.time.tolist() == list(range(60))


def test_many_rows_do_not_take_long_ways(table):
    place = np.random.default_rng(0).permutation(5000)
    stamps = [f"{START + timedelta(minutes=int(i)):%d.%m.%Y %H:%M}" for i in place]
    recording = read(table("at,x", stamps, place))
    assert recording.values[:, 0].tolist() == list(range(5000))


def test_newest_first_across_the_end_of_summer_time(tmp_path):
    minutes = [*range(0, 180, 15), *range(120, 300, 15)]  # two o'clock comes twice
    stamps = [f"2024-10-27 {m // 60:02d}:{m % 60:02d}" for m in minutes][::-1]
    x = np.random.default_rng(0).normal(size=len(stamps)).round(3)
    path = tmp_path / "a.csv"
    rows = "\n".join(f"{stamp},{value}" for stamp, value in zip(stamps, x.tolist(), strict=True))
    path.write_text("time,x\n" + rows + "\n", encoding="utf-8")
    recording = read(path)
    assert recording.values[:, 0].tolist() == x[::-1].tolist()
    assert any("order was reversed" in note for note in recording.notes)
    assert any("set back by an hour once (2024-10-27 02:45 in row 13" in n for n in recording.notes)
