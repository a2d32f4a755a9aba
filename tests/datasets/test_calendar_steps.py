"""Months, years and working days are even steps."""

from datetime import date, timedelta

import numpy as np
import pytest

from predfeat.datasets import read

MONDAY = date(2012, 1, 2)


@pytest.fixture
def table(tmp_path):
    def make(dates):
        path = tmp_path / "table.csv"
        lines = [f"{day},{i}" for i, day in enumerate(dates)]
        path.write_text("date,x\n" + "\n".join(lines) + "\n", encoding="utf-8")
        return path

    return make


def working_days(n, without=()):
    found = [MONDAY + timedelta(days=i) for i in range(n)]
    return [day for day in found if day.weekday() < 5 and day not in without]


def month_ends(n):
    return [date(2000 + (i + 1) // 12, (i + 1) % 12 + 1, 1) - timedelta(days=1) for i in range(n)]


def last_working_days(n):
    return [day - timedelta(days=max(0, day.weekday() - 4)) for day in month_ends(n)]


@pytest.mark.parametrize(
    ("dates", "step", "unit"),
    [
        ([date(2000 + i // 12, i % 12 + 1, 15) for i in range(40)], 1.0, "months"),
        (month_ends(40), 1.0, "months"),
        (last_working_days(40), 1.0, "months"),
        (month_ends(40)[2::3], 3.0, "months"),
        ([date(1900 + i, 7, 1) for i in range(40)], 1.0, "years"),
        ([date(1900 + 5 * i, 2, 28) for i in range(20)], 5.0, "years"),
        ([MONDAY + timedelta(days=7 * i) for i in range(40)], 7 * 86_400.0, "s"),
        ([MONDAY + timedelta(days=30 * i) for i in range(40)], 30 * 86_400.0, "s"),
    ],
)
def test_even_by_the_calendar(table, dates, step, unit):
    recording = read(table(dates))
    assert (recording.step, recording.unit) == (step, unit)
    assert recording.rows is None
    some = [*range(9), *range(11, len(dates))]
    holes = read(table([dates[i] for i in some]))
    assert holes.rows.tolist() == [*range(9), -1, -1, *range(9, len(some))]
    missing = holes.time[[9, 10]].astype("M8[D]")
    expected = np.array(dates[9:11], dtype="M8[D]")
    # A last working day that is missing may be any of the last three of its month.
    assert (
        np.abs(missing - expected).astype(int) <= (3 if dates == last_working_days(40) else 0)
    ).all()


def test_working_days_follow_each_other(table):
    holiday = date(2012, 1, 18)
    recording = read(table(working_days(60, without=[holiday])))
    assert (recording.step, recording.unit) == (1.0, "working days")
    assert (recording.rows, recording.groups) == (None, None)
    assert any(
        "from Monday to Friday" in note and "1 more missing" in note for note in recording.notes
    )
    # What is said counts: every missing day is a gap then.
    gaps = read(table(working_days(60, without=[holiday])), jumps="gaps")
    assert len(gaps.values) == (working_days(60)[-1] - MONDAY).days + 1
    assert gaps.unit == "s"
    assert read(table(working_days(60)), jumps="ignore").unit == "working days"


def test_more_than_a_week_of_working_days_is_a_gap(table):
    dates = working_days(100)
    for n_missing, n_gaps in ((5, 0), (6, 6)):
        recording = read(table([*dates[:23], *dates[23 + n_missing :]]))
        there = np.arange(len(recording.values)) if recording.rows is None else recording.rows
        assert (there < 0).sum() == n_gaps
    inserted = recording.time[there < 0].astype("M8[D]")
    assert inserted.tolist() == dates[23:29]


def test_days_of_the_week_that_are_no_working_days(table):
    dates = [MONDAY + timedelta(days=i) for i in range(60)]
    three = read(table([day for day in dates if day.weekday() in (0, 2, 4)]))
    assert (three.unit, three.rows) == ("recorded days", None)
    assert any("on Monday, Wednesday, Friday" in note for note in three.notes)
    # One weekend that is missing is no pattern.
    once = read(table([day for day in dates[:12] if day.weekday() < 5]))
    assert once.unit == "s"
    assert (once.rows < 0).sum() == 2
