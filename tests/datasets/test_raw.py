"""Files as people have them (tests/raw): what is read, what is left out, and what is said."""

import importlib.util
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from predfeat.datasets import read
from predfeat.exceptions import SkippedColumnsWarning

RAW = Path(__file__).parents[1] / "raw"
WEATHER = ("temp", "wind", "humid")


@dataclass(frozen=True)
class Expected:
    """What a file should give.

    `notes` holds one part of each note, in their order. `last` is the last date, where there are
    dates: all go up from 2012-01-05, by the hour or the day.
    """

    names: tuple[str, ...] = WEATHER
    left_out: tuple[str, ...] = ()
    n_rows: int = 168
    n_gaps: int = 0
    notes: tuple[str, ...] = ()
    units: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()
    last: str | None = None


EXPECTED = {
    # Columns that are no data.
    "pandas_index.csv": Expected(
        left_out=("column 1",), notes=("alone: 'column 1' (constant steps).",)
    ),
    "rownames.csv": Expected(left_out=("rownames",), notes=("'rownames' (constant steps)",)),
    "timer.tsv": Expected(left_out=("timer",), notes=("'timer' (constant steps)",)),
    "calendar.csv": Expected(
        left_out=("year", "month", "day", "hour", "dow", "decimal"),
        notes=(
            "'time' was taken",
            "'year', 'month', 'day', 'hour', 'dow' (weekday), 'decimal' (year with a fraction)",
        ),
    ),
    "calendar_without_dates.csv": Expected(
        left_out=("d", "h"),
        notes=(
            "'d' (each value in one stretch of rows), 'h' (counts like a clock)",
            'group="d"',
        ),
    ),
    "trial_numbers.csv": Expected(
        names=("x", "y", "z"),
        left_out=("trial", "sample"),
        notes=("'trial' (each value in one stretch of rows), 'sample' (counts", 'group="trial"'),
    ),
    "stations.csv": Expected(skipped=("station",), notes=('group="station"',)),
    "whole_numbers.csv": Expected(names=("temp", "beaufort", "pump")),
    # Cells that are no numbers.
    "sparse.csv": Expected(
        left_out=("gust",),
        notes=("'gust' (empty in 128 of 168 rows). With all columns, 40 rows would be complete",),
    ),
    "sentinels.csv": Expected(
        n_gaps=3,
        notes=(
            "'temp' holds -999 in 3 rows, .* taken as missing; missing",
            "3 of 168 rows are gaps",
        ),
    ),
    "spreadsheet_errors.csv": Expected(
        n_gaps=4, notes=("4 of 168 rows are gaps .*: 3 only for 'wind', 1 only for 'temp'",)
    ),
    "odd_cells.csv": Expected(
        n_gaps=4,
        notes=(
            "4 cell(s) of column 'wind' .*: 'error' (row 17), '<0.5' (row 41), "
            "'calibration' (row 121), …",
            "4 only for 'wind'",
        ),
    ),
    "units_row.csv": Expected(
        units=("degC", "m/s", "%"), notes=("taken as units", "'time' was taken")
    ),
    "comments.csv": Expected(
        names=("temp [°C]", "wind [m/s]", "humid (%)"),
        units=("°C", "m/s", "%"),
        notes=("3 line(s) of comments",),
    ),
    "numpy_savetxt.csv": Expected(),
    # Time.
    "newest_first.csv": Expected(
        last="2012-01-11T23", notes=("'time' was taken", "newest rows come first")
    ),
    "shuffled.csv": Expected(
        left_out=("id",),
        last="2012-01-11T23",
        notes=("'time' was taken", "they were sorted", "'id' (constant steps)"),
    ),
    "duplicate_stamps.csv": Expected(
        n_rows=169,
        last="2012-01-11T23",
        notes=("'time' was taken", "row 52 repeats row 51", "Row 102 has the same time stamp"),
    ),
    "dates_iso.csv": Expected(last="2012-06-20", notes=("'observed' holds dates and was taken",)),
    "dates_slashes.csv": Expected(last="2012-06-20", notes=("'date' was taken",)),
    "dates_dots.csv": Expected(last="2012-06-20", notes=("'date' was taken",)),
    "dates_american.csv": Expected(last="2012-06-20", notes=("'date' was taken",)),
    "dates_words.csv": Expected(last="2012-06-20", notes=("'date' was taken",)),
    "dates_epoch.csv": Expected(
        last="2012-06-20", notes=("'epoch' was taken", "seconds since 1970 (Unix time)")
    ),
    # Bytes.
    "semicolons.csv": Expected(left_out=("column 1",), notes=("'column 1' (constant steps)",)),
    "latin_1.csv": Expected(
        names=("Température (°C)", "vent (m/s)", "humidité (%)"), units=("°C", "m/s", "%")
    ),
    "byte_order_mark.csv": Expected(),
}


def test_the_files_are_those_the_script_makes():
    spec = importlib.util.spec_from_file_location("make_raw", RAW / "make.py")
    make = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(make)
    made = make.contents()
    assert {path.name for path in RAW.iterdir() if path.is_file()} == {*made, "make.py"}
    for name, content in made.items():
        assert (RAW / name).read_bytes() == content, name
    assert set(made) == set(EXPECTED)


@pytest.mark.parametrize("name", EXPECTED)
def test_what_is_read(name):
    expected = EXPECTED[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SkippedColumnsWarning)
        recording = read(RAW / name)
    assert recording.names == expected.names
    assert recording.left_out == expected.left_out
    assert recording.units == expected.units
    assert len(recording.values) == expected.n_rows
    assert np.isnan(recording.values).any(axis=1).sum() == expected.n_gaps
    assert recording.skipped == expected.skipped
    if expected.last is not None:
        ends = np.array(["2012-01-05", expected.last], dtype="M8[s]")
        np.testing.assert_array_equal(recording.time[[0, -1]], ends)
        assert (np.diff(recording.time) >= np.timedelta64(0, "s")).all()
    assert len(recording.notes) == len(expected.notes), recording.notes
    for note, part in zip(recording.notes, expected.notes, strict=True):
        for piece in part.split(".*"):
            assert piece in note
