"""Time stamps: jumps become gaps or new sequences, and nothing reaches across them."""

import numpy as np
import pytest

from predfeat.datasets import read
from predfeat.exceptions import DataFileError, SkippedColumnsWarning, UnevenSamplingWarning
from predfeat.series import check_sequences


def naive_layout(times, groups):
    """Walk along the rows: the file's row numbers, -1 for missing ones, and the sequences."""
    differences = [
        times[i] - times[i - 1] for i in range(1, len(times)) if groups[i] == groups[i - 1]
    ]
    step = sorted(differences)[(len(differences) - 1) // 2]
    rows, sequences = [0], [0]
    for i in range(1, len(times)):
        steps = (times[i] - times[i - 1]) / step
        new = groups[i] != groups[i - 1]
        if not new and steps > 1.5:
            missing = round(steps) - 1
            if missing > 100:
                new = True
            else:
                rows += [-1] * missing
                sequences += [sequences[-1]] * missing
        rows.append(i)
        sequences.append(sequences[-1] + new)
    return rows, sequences


@pytest.mark.parametrize("seed", range(10))
def test_jumps_as_the_definition_says(table, seed):
    rng = np.random.default_rng(seed)
    steps = rng.choice([1] * 15 + [2, 3, 101, 102, 500], size=60)
    groups = np.repeat(["a", "b", "a"], 20)
    times = np.concatenate([np.cumsum(block) for block in steps.reshape(3, 20)]) * 0.25 + 7
    recording = read(table("x,when,who", range(60), times, groups), time="when", group="who")
    rows, sequences = naive_layout(times, groups)
    found = np.arange(len(rows)) if recording.rows is None else recording.rows
    assert found.tolist() == rows
    starts = np.flatnonzero(recording.groups[1:] != recording.groups[:-1])
    assert starts.tolist() == np.flatnonzero(np.diff(sequences)).tolist()
    inserted = found < 0
    np.testing.assert_array_equal(np.isnan(recording.values[:, 0]), inserted)
    np.testing.assert_array_equal(recording.values[~inserted, 0], np.arange(60))
    np.testing.assert_array_equal(recording.time[~inserted], times)
    inside = recording.groups[1:] == recording.groups[:-1]
    np.testing.assert_allclose(np.diff(recording.time)[inside], 0.25)
    assert recording.step == 0.25
    # The file's own ids are kept, however the rows were cut.
    assert recording.group_column.cells.tolist() == groups.tolist()
    np.testing.assert_array_equal(recording.time_column.cells, times)


def test_nothing_reaches_across_a_jump(table):
    times = [0, 1, 2, 5, 6, 7, 900, 901, 902]
    recording = read(table("time,x", times, range(9)))
    assert len(recording.values) == 11
    with_groups = check_sequences(recording.values, recording.groups)
    assert with_groups.run_bounds() == [(0, 3), (5, 8), (8, 11)]
    assert any("1 jump(s)" in note and "2 missing" in note for note in recording.notes)
    assert any("new sequence" in note for note in recording.notes)


def test_jumps_can_be_ignored(table):
    recording = read(table("time,x", [0, 1, 2, 5, 900], range(5)), jumps="ignore")
    assert recording.values[:, 0].tolist() == [0, 1, 2, 3, 4]
    assert (recording.rows, recording.groups, recording.step) == (None, None, 1.0)


@pytest.mark.parametrize(
    ("cells", "moments"),
    [
        (["2024-01-31", "2024-02-01", "2024-02-02"], ["2024-01-31", "2024-02-01", "2024-02-02"]),
        (["20240131", "20240201", "20240202"], ["2024-01-31", "2024-02-01", "2024-02-02"]),
        (["2024-01-01 00:00", "2024-01-01 12:00"], ["2024-01-01T00", "2024-01-01T12"]),
        (["2024-01-01T01:00:00+02:00", "2024-01-01T00:00:00Z"], ["2023-12-31T23", "2024-01-01"]),
        (
            ["2024-01-01T00:00:00.000000001", "2024-01-01T00:00:00.000000002"],
            ["2024-01-01T00:00:00.000000001", "2024-01-01T00:00:00.000000002"],
        ),
    ],
)
def test_dates(table, cells, moments):
    recording = read(table("Date,x", cells, range(len(cells))))
    expected = np.array(moments, dtype="datetime64[ns]")
    np.testing.assert_array_equal(recording.time.astype("datetime64[ns]"), expected)
    assert recording.unit == "s"
    assert recording.step == pytest.approx(
        (expected[1] - expected[0]) / np.timedelta64(1, "s"), rel=1e-12
    )
    assert recording.time_column.texts() == cells
    assert recording.names == ("x",)


def test_a_missing_day_is_filled_with_its_date(table):
    days = ["2024-02-27", "2024-02-28", "2024-03-01", "2024-03-02"]
    recording = read(table("date,x", days, range(4)))
    assert recording.time.astype("M8[D]").astype(str).tolist() == [
        *days[:2],
        "2024-02-29",
        *days[2:],
    ]


@pytest.mark.parametrize("name", ["time", "Timestamp", "DATE", "datetime", "t", "T"])
def test_a_time_column_is_found_by_its_name_and_said(table, name):
    recording = read(table(f"x,{name}", [5, 6, 7], [0, 1, 2]))
    assert recording.names == ("x",)
    assert recording.notes == (f"Column {name!r} was taken as time stamps.",)
    assert recording.unit == f"units of {name!r}"


def test_what_only_sounds_like_time(table):
    # t may be a temperature: a channel, in its place. Time that does not increase is no channel.
    recording = read(table("a,t,b", [1, 2, 3], ["20.5", "19.5", ""], [4, 5, 6]))
    assert recording.names == ("a", "t", "b")
    np.testing.assert_array_equal(recording.values[:, 1], [20.5, 19.5, np.nan])
    with pytest.warns(SkippedColumnsWarning, match="do not increase from row 2 to row 3"):
        recording = read(table("time,b", [0, 1, 0], [4, 5, 6]))
    assert (recording.names, recording.skipped, recording.time) == (("b",), ("time",), None)
    asked = read(table("time,b", [0, 1, 2], [4, 5, 6]), columns=["b", "time"])
    assert (asked.names, asked.time) == (("b", "time"), None)


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ([0, 0, 0], "occur more than once: 0 stands in row 1 and in row 2"),
        ([0, "", 2], "is empty in row 2"),
        ([0, "nan", 2], "is nan in row 2"),
        (["soon", "later", "never"], "'soon' in row 1, which is neither a number nor a date"),
        (["31.12.2024", "1.1.2025", "2025"], "'2025' in row 3"),
        (["31.12.2024", "1.13.2025", "2.1.2025"], "'1.13.2025' in row 2, which is not a date"),
        (["2024-01-01", "2024-01-02T00:00Z", "2024-01-03"], "time zone in some rows"),
    ],
)
def test_a_named_time_column_must_be_one(table, cells, message):
    with pytest.raises(DataFileError, match=message):
        read(table("when,x", cells, range(3)), time="when")


def test_time_may_start_again_with_every_group(table):
    path = table("trial,time,x", "aabb", [0, 1, 0, 1], range(4))
    recording = read(path, group="trial")
    assert recording.groups.tolist() == ["a", "a", "b", "b"]
    assert recording.rows is None


def test_ids_are_numbers_only_where_that_loses_nothing(table):
    for cells, kept in (
        (["1", "2"], [1, 2]),
        (["01", "2"], ["01", "2"]),
        (["1.0", "2"], ["1.0", "2"]),
    ):
        recording = read(table("g,x", cells, range(2)), group="g")
        assert recording.groups.tolist() == kept
    with pytest.raises(DataFileError, match=r"row 2 of table\.csv has no group id"):
        read(table("g,x", ["a", ""], range(2)), group="g")


def test_jitter_is_warned_about_and_rounding_is_not(table):
    rng = np.random.default_rng(0)
    even = np.round(np.arange(300) / 30, 3)  # milliseconds of a 30 Hz clock
    assert read(table("time,x", even, range(300))).rows is None
    months = [f"20{10 + i // 12}-{i % 12 + 1:02}-01" for i in range(48)]
    assert read(table("date,x", months, range(48))).rows is None
    with pytest.warns(UnevenSamplingWarning, match="assume even sampling"):
        read(table("time,x", np.cumsum(rng.exponential(size=300)), range(300)))


def test_times_of_day_go_on_after_midnight(table):
    minutes = [(1410 + 15 * i) % 1440 for i in range(200)]
    cells = [f"{m // 60:02d}:{m % 60:02d}" for m in minutes]
    recording = read(table("time,x", cells, np.arange(200) % 7))
    assert recording.rows is None
    assert recording.groups is None
    assert recording.step == 900
    assert "pass midnight 3 times" in recording.notes[1]


def test_days_in_digits_need_no_name(table):
    days = np.arange("2024-01-20", "2024-03-20", dtype="M8[D]")
    cells = [str(day).replace("-", "") for day in days]
    recording = read(table("MESS_DATUM,x", cells, np.arange(60) % 7))
    assert recording.names == ("x",)
    assert recording.step == 86_400
    serial = 20240131 + 7 * np.arange(60)
    noise = np.random.default_rng(0).normal(size=60)
    assert read(table("serial,x", serial, noise)).time is None
