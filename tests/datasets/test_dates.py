"""Dates as people write them: each form, which of two readings, and where they are found."""

from datetime import datetime, timedelta

import numpy as np
import pytest

from predfeat.datasets import read
from predfeat.exceptions import DataFileError

HOURS = [datetime(1999, 11, 27, 23) + timedelta(hours=7 * i) for i in range(40)]
DAYS = [datetime(2012, 1, 25) + timedelta(days=i) for i in range(30)]


def same_moments(found, expected):
    np.testing.assert_array_equal(found.astype("M8[us]"), np.array(expected, dtype="M8[us]"))


# Python's own formatting is the twin: what it wrote has to be read as what it wrote.
@pytest.mark.parametrize(
    "form",
    [
        "%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%Y%m%d", "%d.%m.%Y", "%m/%d/%Y", "%d/%m/%Y",
        "%d-%m-%y", "%b %d %Y", "%B %d. %Y", "%d %b %Y", "%d-%b-%y", "%d%b%Y", "%a %d %B %Y",
        "%Y-%b-%d", "%G-W%V-%u",
    ],
)  # fmt: skip
def test_days(table, form):
    cells = [f'"{day.strftime(form)}"' for day in DAYS]
    recording = read(table("date,x", cells, range(30)))
    same_moments(recording.time, DAYS)
    assert (recording.step, recording.unit) == (86_400.0, "s")
    assert recording.time_column.texts() == [cell.strip('"') for cell in cells]


@pytest.mark.parametrize(
    "form",
    [
        "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S.%f", "%Y-%m-%dT%H",
        "%Y%m%dT%H%M%S", "%Y%m%d%H", "%Y%m%d%H%M", "%Y%m%d%H%M%S", "%Y%m%d %H:%M",
        "%m/%d/%Y %I:%M %p", "%d.%m.%Y %H.%M.%S", "%b %d %Y %I:%M:%S %p", "%d %b %Y, %H:%M",
        "%a %b %d %H:%M:%S %Y", "%d/%b/%Y:%H:%M:%S", "%a, %d %b %Y %H:%M:%S +0000",
        "%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%d %H:%M:%S UTC",
    ],
)  # fmt: skip
def test_times_of_day(table, form):
    cells = [f'"{hour.strftime(form)}"' for hour in HOURS]
    recording = read(table("when,x", cells, range(40)), time="when")
    same_moments(recording.time, HOURS)
    assert recording.step == 7 * 3600


@pytest.mark.parametrize(
    ("cells", "moments"),
    [
        (["2012-01", "2012-02", "2012-03"], ["2012-01", "2012-02", "2012-03"]),
        (["2012Q1", "2012Q2", "2012Q3"], ["2012-01", "2012-04", "2012-07"]),
        (["201201", "201202", "201203"], ["2012-01", "2012-02", "2012-03"]),
        (["Nov 1999", "Dec 1999", "Jan 2000"], ["1999-11", "1999-12", "2000-01"]),
        (["2012-01-01 24:00", "2012-01-03"], ["2012-01-02", "2012-01-03"]),
        (["1/1/1968", "1/1/1969", "1/1/1970"], ["1968", "1969", "1970"]),
        (["1/1/68", "1/1/69", "1/1/70"], ["1969", "1970", "2068"]),
        (
            ["2012-01-01 00:30+05:30", "2012-01-01 00:30Z", "2012-01-01 00:30-02"],
            ["2011-12-31T19", "2012-01-01T00:30", "2012-01-01T02:30"],
        ),
        (["2012-01-01 12:01 AM", "2012-01-01 12:01 PM"], ["2012-01-01T00:01", "2012-01-01T12:01"]),
    ],
)  # fmt: skip
def test_odd_ones(table, cells, moments):
    with np.errstate(all="raise"):
        recording = read(table("date,x", cells, range(len(cells))), jumps="ignore")
    same_moments(recording.time, moments)


@pytest.mark.parametrize(
    "cell", ["2012-02-30", "2012-13-01", "2012-01-01 25:00", "2012-01-01 12:60", "30 Feb 2012",
             "2012-01-01 13:00 PM", "2012Q5", "2012-W54"],
)  # fmt: skip
def test_what_the_calendar_has_not_is_refused(table, cell):
    with pytest.raises(DataFileError, match="in row 1, which is"):
        read(table("when,x", [cell, cell], [1, 2]), time="when")


def test_day_and_month_are_told_by_the_column(table):
    # One number above 12, far down, decides.
    for form in ("%d/%m/%Y", "%m/%d/%Y"):
        recording = read(table("date,x", [day.strftime(form) for day in DAYS], range(30)))
        same_moments(recording.time, DAYS)
    # Else the even reading does: first days of months here, the first twelve of January there.
    months = [datetime(2000 + i // 12, i % 12 + 1, 1) for i in range(30)]
    for form, said in (("%d/%m/%Y", "day first"), ("%m/%d/%Y", "month first")):
        recording = read(table("date,x", [day.strftime(form) for day in months], range(30)))
        same_moments(recording.time, months)
        assert any(f"were read {said}" in note for note in recording.notes)


def test_what_nothing_tells_is_refused_with_how_to_say_it(table):
    cells = [f"{i:02}/01/2012" for i in range(1, 13)]
    with pytest.raises(DataFileError, match=r"2 January 2012 or 1 February 2012.*day_first=True"):
        read(table("date,x", cells, range(12)))
    days = read(table("date,x", cells, range(12)), day_first=True)
    same_moments(days.time, [datetime(2012, 1, i) for i in range(1, 13)])
    months = read(table("date,x", cells, range(12)), day_first=False)
    same_moments(months.time, [datetime(2012, i, 1) for i in range(1, 13)])
    with pytest.raises(
        DataFileError, match="'13/01/2012' in row 2, which is not a date, read month"
    ):
        read(table("date,x", ["12/01/2012", "13/01/2012"], [1, 2]), day_first=False, time="date")


@pytest.mark.filterwarnings("ignore::predfeat.exceptions.SkippedColumnsWarning")
def test_dates_are_found_under_any_name(table):
    days = [f"{day:%Y-%m-%d}" for day in DAYS]
    born = ["1970-01-01"] * 30
    recording = read(table("born,x,measured_at,sold_at", born, range(30), days, days))
    assert recording.names == ("x",)
    assert recording.time_column.name == "measured_at"
    assert recording.notes[0] == "Column 'measured_at' holds dates and was taken as time stamps."
    # A name for it comes first, but t may be a temperature.
    by_name = read(table("sold_at,x,time", days, range(30), range(30)))
    assert by_name.time_column.name == "time"
    noise = np.random.default_rng(0).normal(size=30)
    warm = read(table("t,x,sold_at", noise, noise[::-1], days))
    assert (warm.time_column.name, warm.names) == ("sold_at", ("t", "x"))
    # Numbers of another name are never guessed to be dates.
    numbers = read(table("seconds_used,x", range(1_600_000_000, 1_600_000_030), noise))
    assert numbers.time is None


def test_dates_and_times_in_two_columns_are_put_together(table):
    path = table(
        "Date;Time;x",
        [f"{hour:%d/%m/%Y}" for hour in HOURS],
        [f"{hour:%H:%M:%S}" for hour in HOURS],
        [f"{i},5" for i in range(40)],
        delimiter=";",
    )
    assert read(path).names == ("x",)
    same_moments(read(path).time, HOURS)
    assert read(path).notes[0] == "Columns 'Date' and 'Time' were joined as time stamps."
    same_moments(read(path, time="Date").time, HOURS)
    dots = table("Date;Time;x", ["13/03/2004"] * 3, ["18.00.00", "19.00.00", "20.00.00"], "123",
                 delimiter=";")  # fmt: skip
    same_moments(read(dots).time, [f"2004-03-13T{hour}" for hour in (18, 19, 20)])
    # Where the dates tell the rows apart, a time of day is something else.
    sunrise = table("date,sunrise,x", [f"{d:%Y-%m-%d}" for d in DAYS], ["6:12"] * 30, range(30))
    with pytest.warns(UserWarning, match="sunrise"):
        same_moments(read(sunrise).time, DAYS)


def test_times_of_day_alone_are_seconds(table):
    recording = read(table("time,x", ["09:59:59.5", "10:00:00.0", "10:00:00.5"], range(3)))
    assert recording.time.tolist() == [35999.5, 36000.0, 36000.5]
    assert (recording.step, recording.unit) == (0.5, "s")


@pytest.mark.parametrize("per_second", [1, 10**3, 10**6, 10**9])
def test_unix_time(table, per_second):
    cells = [(1_600_000_000 + 60 * i) * per_second for i in range(5)]
    recording = read(table("timestamp,x", cells, range(5)))
    expected = np.datetime64("2020-09-13T12:26:40") + 60 * np.arange(5)
    np.testing.assert_array_equal(recording.time.astype("M8[s]"), expected)
    assert (recording.step, recording.unit) == (60.0, "s")
    assert "since 1970 (Unix time): 2020-09-13 12:26:40 to" in recording.notes[1]
    assert recording.time_column.cells.tolist() == cells
    fractions = read(table("epoch,x", [1_600_000_000.25, 1_600_000_000.75], range(2)))
    assert fractions.step == 0.5
    assert fractions.time[1] == np.datetime64("2020-09-13T12:26:40.75")


@pytest.mark.parametrize(
    ("name", "step"), [("Time (s)", 5.0), ("time [ms]", 0.005), ("t_min", 300.0), ("time_h", 18e3)]
)
def test_the_unit_in_a_name(table, name, step):
    recording = read(table(f"{name},x", range(0, 50, 5), range(10)))
    assert (recording.step, recording.unit) == (step, "s")
    np.testing.assert_allclose(recording.time, step * np.arange(10))
    assert recording.time_column.cells.tolist() == list(range(0, 50, 5))
    assert read(table("T (°C),x", range(10), range(10))).names == ("T (°C)", "x")


def test_parquet_dates_of_any_name(tmp_path):
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "table.parquet"
    days = np.array(DAYS, dtype="M8[us]")
    for cells in (days, [f"{day:%d.%m.%Y}" for day in DAYS]):
        parquet.write_table(arrow.table({"x": np.arange(30.0), "measured": cells}), path)
        same_moments(read(path).time, DAYS)
    written = np.array([20120131, 20120201, 20120202])
    parquet.write_table(arrow.table({"x": np.arange(3.0), "date": written}), path)
    same_moments(read(path).time, ["2012-01-31", "2012-02-01", "2012-02-02"])


def test_dates_with_dots_are_day_first(table):
    cells = ["01.03.2024", "02.03.2024", "03.03.2024", "04.03.2024"]
    recording = read(table("date,x", cells, range(4)))
    assert recording.time.astype("M8[D]").astype(str).tolist() == [
        "2024-03-01", "2024-03-02", "2024-03-03", "2024-03-04",
    ]  # fmt: skip
    months = read(table("date,x", ["01.02.2024", "03.04.2024", "05.06.2024"], range(3)))
    assert str(months.time[0].astype("M8[D]")) == "2024-02-01"
    assert not any("day_first" in note for note in months.notes)
