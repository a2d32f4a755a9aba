"""Columns that are no data are told from slow sensors, and columns of gaps from worthy ones."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import numpy as np
import pytest

from naive_tables import (
    best_choice,
    calendar_columns,
    cells_in_complete_rows,
    nested_choice,
    wheel,
)
from predfeat.datasets import read
from predfeat.datasets._calendar import Calendar
from predfeat.datasets._clocks import is_linear, labels_stretches, quantum, turns
from predfeat.datasets._sparse import cost_in_rows, worth_their_rows
from predfeat.exceptions import DataFileError

nan = np.nan
N = 600
ROW = np.arange(N)


def begins(n_rows, *others):
    new = np.zeros(n_rows, dtype=bool)
    new[[0, *others]] = True
    return new


def follows_from_row(column, new=None):
    new = begins(len(column)) if new is None else new
    place = np.arange(len(column), dtype=float)
    linear = is_linear(column, place, new)
    return linear or labels_stretches(column, new) or turns(column, new)


def autoregression(phi, seed, n_rows=N):
    noise = np.random.default_rng(seed).normal(size=n_rows)
    x = np.zeros(n_rows)
    for i in range(1, n_rows):
        x[i] = phi * x[i - 1] + noise[i]
    return x


LENGTHS = np.random.default_rng(1).integers(20, 60, 40)
DAYS = [datetime(2011, 3, 5) + timedelta(days=i) for i in range(N)]
CLOCKS = {
    "index": ROW * 1.0,
    "row names": ROW + 1.0,
    "counted down": 1000.0 - ROW,
    "timer": ROW * 0.02,
    "timer added up": np.cumsum(np.full(N, 0.1)),
    "timer of 30 Hz": np.round(ROW / 30, 3),
    "timer in single precision": (ROW / 30).astype(np.float32).astype(float),
    "timer as float32": (ROW / 30).astype(np.float32),
    "hour": wheel(N, 24, 1, start=5),
    "weekday of hours": wheel(N, 7, 24, first=1),
    "quarters of an hour": wheel(N, 4, 1, step=15),
    "countdown": wheel(N, 20, 1, first=20, step=-1),
    "trial": wheel(N, N, 50, first=1),
    "short trials": wheel(N, N, 5, first=1),
    "uneven trials": np.repeat(np.arange(40), LENGTHS)[:N] * 1.0,
    "sample in uneven trials": np.concatenate([np.arange(k) for k in LENGTHS])[:N] * 1.0,
    "switched once": (ROW > 300) * 1.0,  # nothing can be learnt about it
    "subjects": np.repeat([104.0, 98.0, 112.0, 7.0], N // 4),
    "day of the month": np.array([float(t.day) for t in DAYS]),
    "month": np.array([float(t.month) for t in DAYS]),
    "quarter": np.array([float((t.month - 1) // 3) for t in DAYS]),
    "year": np.array([float(t.year) for t in DAYS]),
}
RNG = np.random.default_rng(0)
SENSORS = {
    "noise": RNG.normal(size=N),
    "drift with noise": 100 - 0.01 * ROW + 0.05 * RNG.normal(size=N),
    "whole degrees": np.round(
        15 + 8 * np.sin(2 * np.pi * ROW / 200) + 0.3 * autoregression(0.9, 1)
    ),
    "slow whole degrees": np.round(15 + 0.1 * np.cumsum(RNG.normal(size=N))),
    "whole degrees without noise": np.round(10 * np.sin(2 * np.pi * ROW / 300)),
    "a day in whole degrees": np.round(10 * np.sin(2 * np.pi * ROW / 24)),
    "triangle": np.abs(ROW % 40 - 20.0),
    "rare counts": RNG.poisson(0.1, N) * 1.0,
    "counts": RNG.poisson(3, N) * 1.0,
    "counts added up": np.cumsum(RNG.random(N) < 0.3) * 1.0,
    "on and off": np.cumsum(RNG.random(N) < 0.03) % 2 * 1.0,
    "square wave": wheel(N, 2, 25),
    "coin": (RNG.random(N) < 0.5) * 1.0,
    "gear": np.clip(np.cumsum(RNG.integers(-1, 2, N)) // 4, 1, 6) * 1.0,
    "setting": np.repeat([20.0, 22.0, 20.0, 21.0, 22.0, 20.0], N // 6),
    "three states": np.repeat(RNG.integers(0, 3, 30), 20) * 1.0,
    "clipped": np.clip(np.round(autoregression(0.9, 2)), 0, 2),
    "price": np.round(10_000 + 20 * np.cumsum(RNG.normal(size=N))),
    "constant": np.full(N, 7.0),
}


@pytest.mark.parametrize("name", CLOCKS)
def test_clocks_are_found(name):
    assert follows_from_row(CLOCKS[name])


@pytest.mark.parametrize("name", CLOCKS)
def test_a_single_slip_is_no_clock(name):
    """One wrong cell in a few hundred, and the rule no longer says all there is."""
    column = CLOCKS[name].copy()
    at = 301
    column[at] = column[at - 40] + 0.5
    assert not follows_from_row(column)


@pytest.mark.parametrize("name", SENSORS)
def test_slow_sensors_are_no_clocks(name):
    assert not follows_from_row(SENSORS[name])


def test_time_since_an_event_is_data():
    rng = np.random.default_rng(3)
    since, n = [], 0
    for _ in range(2000):
        n = 0 if rng.random() < 0.1 else n + 1
        since.append(float(n))
    assert not follows_from_row(np.array(since))


def test_a_few_rows_confirm_nothing():
    assert not follows_from_row(np.arange(11.0))
    assert follows_from_row(np.arange(12.0))
    assert not follows_from_row(wheel(9, 3, 1))


def test_counters_may_restart_with_each_group_but_step_alike():
    starts = begins(30, 10, 20)
    column = np.concatenate([np.arange(10) * 0.5 + a for a in (0.0, 7.0, -3.0)])
    place = np.arange(30.0)
    assert is_linear(column, place, starts)
    assert not is_linear(column, place, begins(30))
    column[20:] *= 2
    assert not is_linear(column, place, starts)


def test_counters_may_follow_time_across_missing_rows_and_have_empty_cells():
    place = np.cumsum(np.random.default_rng(0).integers(1, 5, 50)).astype(float)
    column = 3 + 0.25 * place
    column[7] = nan
    assert is_linear(column, place, begins(50))
    assert not is_linear(column, np.arange(50.0), begins(50))


def test_wheels_may_miss_one_row_in_a_hundred():
    hour = wheel(5000, 24, 1)
    day = wheel(5000, 31, 24, first=1)
    gone = np.random.default_rng(0).choice(5000, 15, replace=False)
    for column in (hour, day):
        assert turns(np.delete(column, gone), begins(4985))
        many = np.random.default_rng(0).choice(5000, 500, replace=False)
        assert not turns(np.delete(column, many), begins(4500))


def test_quantum():
    assert quantum(np.array([1.25, 3.0, nan])) == 0.01
    assert quantum(np.array([10.0, 20.0])) == 1.0
    assert quantum(np.random.default_rng(0).normal(size=9)) is None


# --- the calendar --------------------------------------------------------------------------


def some_hours(n_rows=12_000):
    """Return hours of a year and a half, a few of them missing."""
    kept = np.random.default_rng(0).random(n_rows) < 0.97
    return [datetime(2011, 3, 5) + timedelta(hours=i) for i in np.flatnonzero(kept).tolist()]


HOURS = some_hours()
LOCAL = [t.replace(tzinfo=UTC).astimezone(ZoneInfo("America/New_York")) for t in HOURS]


def calendar_of(moments):
    dates = np.array(moments, dtype="M8[us]")
    return Calendar(dates, np.arange(len(dates)))


def test_functions_of_the_date_are_found():
    calendar = calendar_of(HOURS)
    for name, column in calendar_columns(HOURS).items():
        if name == "seconds since":
            assert is_linear(column, column, begins(len(column)))
        else:
            assert calendar.what(column) is not None, name
    assert calendar.what(calendar_columns(HOURS)["month from 0"]) == "month"


def test_local_hours_beside_universal_time():
    calendar = calendar_of(HOURS)
    columns = calendar_columns([t.replace(tzinfo=None) for t in LOCAL])
    assert calendar.what(columns["hour"]) is None
    local = calendar.local(columns["hour"])
    for name in ("year", "month", "day", "hour", "weekday", "day of year", "weekend"):
        assert local.what(columns[name]) is not None, name
    assert calendar.local(np.round(12 + autoregression(0.9, 0, len(HOURS))) % 24) is None


def test_what_has_a_daily_cycle_is_no_calendar():
    hour = np.array([t.hour for t in HOURS], float)
    calendar = calendar_of(HOURS)
    cycle = 10 * np.sin(2 * np.pi * hour / 24)
    measured = np.round(cycle + 0.3 * autoregression(0.9, 0, len(hour)))
    assert calendar.what(measured) is None
    dry = np.zeros(len(hour))
    assert calendar.what(dry) is None
    dry[4321] = 1.0
    assert calendar.what(dry) is None
    switched = (np.arange(len(hour)) > 6000) * 1.0
    assert calendar.what(switched) is None


def test_functions_of_the_date_must_come_back_often():
    days = [datetime(2011, 3, 5) + timedelta(days=i) for i in range(70)]
    weekend = calendar_columns(days)["weekend"]
    assert calendar_of(days).what(weekend) == "weekday"
    assert calendar_of(days[:35]).what(weekend[:35]) is None


def test_a_fraction_must_be_finer_than_its_digits():
    moments = [datetime(2012, 1, 5) + timedelta(hours=i) for i in range(200)]
    column = calendar_columns(moments)["decimal year"]
    assert calendar_of(moments).what(column) == "year with a fraction"
    assert calendar_of(moments[10:40]).what(column[10:40]) is None


def test_the_calendar_with_empty_cells_and_in_any_order():
    month = calendar_columns(HOURS)["month"]
    month[100:200] = nan
    shuffled = np.random.default_rng(0).permutation(len(HOURS))
    dates = np.array(HOURS, dtype="M8[us]")[shuffled]
    assert Calendar(dates, np.argsort(dates)).what(month[shuffled]) == "month"


# --- columns and the rows they cost --------------------------------------------------------


@pytest.mark.parametrize("seed", range(30))
def test_columns_worth_their_rows_as_the_rule_says(seed):
    rng = np.random.default_rng(seed)
    values = np.zeros((12, 5))
    values[rng.random((12, 5)) < rng.random(5) * 0.8] = nan
    if seed % 3 == 0:
        values[:, 1][np.isnan(values[:, 0])] = nan  # often missing together
    kept = worth_their_rows(np.isnan(values))
    assert kept == nested_choice(values)
    found = cells_in_complete_rows(values, kept)
    assert found >= cells_in_complete_rows(values, range(5))
    assert best_choice(values) / 2 <= found <= best_choice(values)


def test_columns_that_miss_the_same_rows_go_together():
    values = np.zeros((100, 4))
    values[20:, 1:3] = nan
    assert worth_their_rows(np.isnan(values)) == [0, 3]
    assert worth_their_rows(np.isnan(values), fixed=[2]) == [0, 1, 2, 3]
    assert cost_in_rows(values) == (80, {})


def test_constant_columns_bring_nothing():
    values = np.zeros((100, 3))
    values[:30, 2] = nan
    assert worth_their_rows(np.isnan(values)) == [0, 1, 2]
    assert worth_their_rows(np.isnan(values), idle=[2]) == [0, 1]
    assert worth_their_rows(np.isnan(values), idle=[0]) == [0, 1, 2]


# --- reading -------------------------------------------------------------------------------


def table(tmp_path, **columns):
    path = tmp_path / "table.csv"
    rows = [",".join("" if cell != cell else str(cell) for cell in row)
            for row in zip(*columns.values(), strict=True)]  # fmt: skip
    path.write_text("\n".join([",".join(columns), *rows]) + "\n", encoding="utf-8")
    return path


X = SENSORS["noise"][:60].round(3)
Y = SENSORS["whole degrees"][:60]


def test_keep_columns_and_exclude(tmp_path):
    path = table(tmp_path, index=range(60), x=X, hour=wheel(60, 12, 1), y=Y)
    recording = read(path)
    assert recording.names == ("x", "y")
    assert recording.left_out == ("index", "hour")
    assert 'keep="index,hour"' in recording.notes[0]
    assert read(path, keep="index,hour").names == ("index", "x", "hour", "y")
    assert read(path, keep=("hour",)).names == ("x", "hour", "y")
    assert read(path, columns=["y", "hour"]).names == ("y", "hour")
    assert read(path, columns=["y"], keep=["hour"]).names == ("y", "hour")
    assert read(path, exclude=["y"]).names == ("x",)
    assert read(path, exclude="y,index").left_out == ("hour",)
    for options, message in [
        ({"keep": ["z"]}, r"no column 'z' \(`keep`\)"),
        ({"exclude": ["z"]}, r"no column 'z' \(`exclude`\)"),
        ({"exclude": ["x"], "keep": ["x"]}, "both kept and excluded"),
        ({"exclude": ["x"], "columns": ["x"]}, "both named in `columns` and excluded"),
        ({"exclude": ["index"], "time": "index"}, "both the time column and excluded"),
        ({"exclude": "index,x,hour,y"}, "no column of table.csv is left"),
    ]:
        with pytest.raises(DataFileError, match=message):
            read(path, **options)


def test_a_time_column_that_is_excluded_or_kept_is_none(tmp_path):
    path = table(tmp_path, time=range(60), x=X)
    assert read(path).time is not None
    assert read(path, exclude=["time"]).time is None
    kept = read(path, keep=["time"])
    assert (kept.names, kept.time) == (("time", "x"), None)


def test_a_table_of_clocks_alone(tmp_path):
    only = read(table(tmp_path, index=range(60)))
    assert only.names == ("index",)
    assert "as it is the only one" in only.notes[0]
    beside_constant = read(table(tmp_path, index=range(60), b=[3] * 60))
    assert beside_constant.names == ("index", "b")
    path = table(tmp_path, index=range(60), hour=wheel(60, 12, 1))
    with pytest.raises(DataFileError, match=r'no column of data.*keep="index,hour"'):
        read(path)
    assert read(path, keep=["hour"]).names == ("hour",)


def test_groups_and_what_is_constant_in_them(tmp_path):
    who = np.repeat(["a", "b", "c"], 20)
    age = np.repeat([31.5, 44.5, 29.5], 20)
    path = table(tmp_path, who=who, age=age, sample=np.tile(np.arange(20), 3), x=X)
    recording = read(path, group="who")
    assert recording.names == ("x",)
    assert "'age' (constant in each group), 'sample' (constant steps)" in recording.notes[0]
    assert len(recording.notes) == 1


def test_ids_are_asked_about_unless_groups_are_given(tmp_path):
    path = table(tmp_path, trial=np.repeat([1, 2, 3], 20), x=X)
    recording = read(path)
    assert recording.left_out == ("trial",)
    assert 'give group="trial"' in recording.notes[-1]
    assert not any("group" in note for note in read(path, group="trial").notes)
    kept = read(path, keep="trial")
    assert kept.names == ("trial", "x")
    assert kept.notes == ()


def test_a_sparse_column_does_not_delete_the_file(tmp_path):
    gust = np.where(np.arange(60) % 5 == 0, X, nan)
    z = X[::-1].copy()
    z[7] = nan
    path = table(tmp_path, gust=gust, x=X, y=Y, z=z)
    recording = read(path)
    assert recording.left_out == ("gust",)
    assert "'gust' (empty in 48 of 60 rows). With all columns, 12 rows" in recording.notes[0]
    assert (
        "1 of 60 rows is a gap because a number is missing: 1 only for 'z'." in recording.notes[1]
    )
    kept = read(path, keep="gust")
    assert kept.names == ("gust", "x", "y", "z")
    assert "48 of 60 rows are gaps because a number is missing: 47 only for 'gust'" in kept.notes[0]
    assert "48 only for 'gust'" in read(path, columns=["gust", "x"]).notes[0]


def test_a_handful_of_rows_is_worth_no_column(tmp_path):
    z = X.copy()
    z[:9] = nan
    columns = {f"x{i}": X**i for i in range(1, 10)}
    assert read(table(tmp_path, **columns, z=z)).left_out == ()
    z[:10] = nan
    assert read(table(tmp_path, **columns, z=z)).left_out == ("z",)


def test_left_out_in_pieces_and_in_parquet(tmp_path, monkeypatch):
    from predfeat.datasets import _delimited

    path = table(tmp_path, index=range(60), x=X, y=Y)
    whole = read(path)
    monkeypatch.setattr(_delimited, "_CELLS_AT_ONCE", 21)
    pieces = read(path)
    np.testing.assert_array_equal(pieces.values, whole.values)
    assert pieces.notes == whole.notes
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    file = tmp_path / "table.parquet"
    parquet.write_table(arrow.table({"index": np.arange(60), "x": X, "y": Y}), file)
    other = read(file)
    np.testing.assert_array_equal(other.values, whole.values)
    assert (other.names, other.left_out, other.notes) == (
        whole.names, whole.left_out, whole.notes,
    )  # fmt: skip
