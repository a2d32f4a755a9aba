"""`predfeat forecast`: tables, time stamps that go on, the page, the back-test, rows to come."""

import csv
import io
import json
import re
from datetime import datetime, timedelta

import numpy as np
import pyarrow.parquet as parquet
import pytest

from commands import run, run_apart, run_well
from predfeat import SFA, Forecaster, save
from predfeat.cli._row_stream import rows_of
from predfeat.datasets import Recording, continued_time, hidden_lorenz, read
from predfeat.exceptions import DataFileError
from predfeat.forecasting import backtest
from predfeat.report import forecast_results, render_forecast

N_ROWS = 500
START = datetime(2026, 3, 1)


def table_of(values, names="abcd"):
    lines = [f"time,{','.join(names)}"]
    for hour, row in enumerate(values.tolist()):
        lines.append(f"{START + timedelta(hours=hour)},{','.join(map(repr, row))}")
    return "\n".join(lines) + "\n"


@pytest.fixture(scope="module")
def values():
    return hidden_lorenz(N_ROWS + 40, n_noise=1, random_state=0)[0]


@pytest.fixture
def hourly(tmp_path, values):
    path = tmp_path / "hourly.csv"
    path.write_text(table_of(values[:N_ROWS]))
    return path


QUICK = ("--steps", "4", "--jobs", "1", "--all-columns", "--no-backtest")


def forecaster(values):
    return Forecaster(n_steps=4, n_jobs=1).fit(values)


def written(path):
    with path.open() as stream:
        return list(csv.DictReader(stream))


def test_the_table_holds_the_forecast_with_time_stamps_that_go_on(tmp_path, hourly):
    out = tmp_path / "next.csv"
    run_well("forecast", hourly, *QUICK, "--out", out)
    ahead = forecaster(read(hourly).values).predict()
    rows = written(out)
    for h, row in enumerate(rows):
        assert datetime.fromisoformat(row["time"]) == START + timedelta(hours=N_ROWS + h)
        for i, name in enumerate("abcd"):
            assert float(row[name]) == ahead.mean[h, i]
            assert float(row[f"{name} lower"]) == ahead.lower[h, i]
            assert float(row[f"{name} upper"]) == ahead.upper[h, i]
    assert len(rows) == 4


def test_parquet_and_standard_output_hold_the_same(tmp_path, hourly):
    out = tmp_path / "next.parquet"
    run_well("forecast", hourly, *QUICK, "--out", out)
    table = parquet.read_table(out)
    printed = run_well("forecast", hourly, *QUICK, "--out", "-").stdout
    rows = list(csv.DictReader(io.StringIO(printed)))
    assert table.column_names == list(rows[0])
    assert [float(row["b upper"]) for row in rows] == table["b upper"].to_pylist()
    assert table["time"].to_pylist()[0] == START + timedelta(hours=N_ROWS)


def test_the_last_of_several_sequences_is_continued(tmp_path, values):
    path, out = tmp_path / "trials.csv", tmp_path / "next.csv"
    groups = np.repeat(np.arange(10), 50)
    rows = [f"{group},{','.join(map(repr, row))}" for group, row in
            zip(groups.tolist(), values[:N_ROWS].tolist(), strict=True)]  # fmt: skip
    path.write_text("\n".join(["trial,a,b,c,d", *rows]) + "\n")
    run_well("forecast", path, *QUICK, "--group", "trial", "--out", out)
    model = Forecaster(n_steps=4, n_jobs=1).fit(values[:N_ROWS], groups=groups)
    assert float(written(out)[0]["a"]) == pytest.approx(model.predict().mean[0, 0], rel=1e-12)
    assert [row["step"] for row in written(out)] == ["1", "2", "3", "4"]


def test_a_model_s_features_are_used_as_they_are(tmp_path, hourly, values):
    model, out = tmp_path / "m.predfeat", tmp_path / "next.csv"
    features = SFA(2).fit(values[:300])
    save(features, model)
    run_well("forecast", hourly, "--model", model, "--of-features", "--steps", "4", "--n-lags",
             "2", "--no-backtest", "--out", out)  # fmt: skip
    found = Forecaster(features, n_steps=4, n_lags=2, prefit=True).fit(read(hourly).values)
    rows = written(out)
    assert [float(row["sfa1"]) for row in rows] == found.predict().mean[:, 1].tolist()
    said = run("forecast", hourly, "--model", model, "--all-columns")
    assert said.exit_code == 2
    assert "the model says what the features are" in re.sub(r"[\s│]+", " ", said.stderr)


def test_features_of_the_same_rows_are_noted(tmp_path, hourly):
    model = tmp_path / "m.predfeat"
    run_well("fit", hourly, "-m", "sfa", "--out", model)
    said = run_well("forecast", hourly, "--model", model, "--steps", "4", "--no-backtest").stderr
    assert "the features were fitted to hourly.csv as well" in said


def test_the_back_test_is_the_library_s(hourly):
    done = run_well("forecast", hourly, "--steps", "4", "--all-columns", "--jobs", "1", "--json")
    results = json.loads(done.stdout)
    found = backtest(Forecaster(n_steps=4), read(hourly).values).mean
    assert results["backtest"]["skill"] == found.skill().tolist()
    np.testing.assert_allclose(results["backtest"]["coverage"], found.coverage.mean(axis=1))
    words = run_well("forecast", hourly, "--steps", "4", "--all-columns", "--jobs", "1")
    assert "Back-test on later rows" in words.stdout
    assert "of the numbers lay in their interval of 90 %" in words.stderr


def test_too_short_for_a_back_test_is_said(tmp_path, values):
    path = tmp_path / "short.csv"
    path.write_text(table_of(values[:80]))
    done = run_well("forecast", path, "--steps", "3", "--all-columns")
    assert "note: there is no back-test: " in done.stderr


def test_the_page_shows_names_as_text_and_is_whole(tmp_path, values):
    odd = "<i>&\u202e"
    model = Forecaster(SFA(2), n_steps=4).fit(values[:N_ROWS])
    ahead = model.predict_channels()
    results = forecast_results(
        type(ahead)(ahead.mean, ahead.lower, ahead.upper, (odd, "b", "c", "d"), 0.9, "path"),
        values[:N_ROWS], source=odd, command="predfeat", how="By hand.",
        times=None, backtest=backtest(model, values[:N_ROWS]),
    )  # fmt: skip
    page = render_forecast(json.loads(json.dumps(results)))
    assert "<i>" not in page
    assert "&lt;i&gt;&amp;\\u202e" in page
    assert page.count('class="area') == 4
    assert "NaN" not in page
    assert "nan" not in re.findall(r' d="([^"]*)"', page)
    assert "all numbers of the forecast together" in page
    assert "Attained coverage" in page
    assert "How good" not in render_forecast({**results, "backtest": None})


def test_a_page_is_written(tmp_path, hourly):
    page = tmp_path / "page.html"
    run_well("forecast", hourly, *QUICK, "--page", page)
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    said = run("forecast", hourly, *QUICK, "--page", page)
    assert said.exit_code != 0
    assert "exists already" in str(said.exception)


# --- rows to come --------------------------------------------------------------------------------


def test_each_row_is_followed_by_a_forecast(hourly, values):
    new = values[N_ROWS:]
    done = run_apart("forecast", hourly, *QUICK, "--follow", input=table_of(new[:6]))
    assert done.returncode == 0, done.stderr
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert [(row["row"], row["step"]) for row in rows] == [
        (str(row), str(step)) for row in range(1, 7) for step in (1, 2, 3, 4)
    ]
    model = forecaster(read(hourly).values)
    inside = []
    for number in range(6):
        ahead = model.update(new[number : number + 1]).predict()
        for h in range(4):
            assert float(rows[4 * number + h]["c lower"]) == ahead.lower[h, 2]
        n_known = min(4, 5 - number)
        came = new[number + 1 : number + 1 + n_known]
        held = (ahead.lower[:n_known] <= came) & (came <= ahead.upper[:n_known])
        inside += held.ravel().tolist()
    share = f"{np.mean(inside):.1%} of {len(inside)} numbers that came lay in the intervals"
    assert share in done.stderr


def test_a_gap_among_the_rows_is_passed_over(hourly, values):
    lines = [",".join(map(repr, row)) for row in values[N_ROWS : N_ROWS + 3].tolist()]
    lines[1] = ",,,"
    done = run_apart("forecast", hourly, *QUICK, "--follow", "-q", input="\n".join(lines) + "\n")
    assert done.returncode == 0, done.stderr
    seen = {line.split(",")[0] for line in done.stdout.splitlines()}
    assert seen == {"row", "1", "3"}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("1,2,3", r"line 2 of standard input has 3 cell\(s\), but there are 2 columns: a, b"),
        ("1,x", r"line 2 of standard input holds 'x', which is not a number"),
    ],
)
def test_lines_that_are_no_rows_are_refused(line, message):
    with pytest.raises(DataFileError, match=message):
        list(rows_of(["1,2", line], ["a", "b"]))


def test_lines_are_taken_by_their_names():
    lines = ["b,c,a", "1,2,3", "", ",5,6"]
    assert str(list(rows_of(lines, ["a", "b"]))) == "[[3.0, 1.0], [6.0, nan]]"
    with pytest.raises(DataFileError, match="line 2 of standard input ends before"):
        list(rows_of(["b,c,a", "1,2"], ["a", "b"]))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--level", "1.5"), "not a share between 0 and 1"),
        (("--joint", "both"), "none of each, features, path"),
        (("--out", "next.npy"), "must end in one of .csv"),
        (("--follow", "--out", "x.csv"), "--follow prints its forecasts as CSV"),
        (("--follow", "--difference"), "are taken as they are"),
        (("--all-columns", "--n-components", "2"), "Leave one of the two out"),
    ],
)
def test_options_that_make_no_sense_are_refused(hourly, options, message):
    said = run("forecast", hourly, *options)
    assert said.exit_code == 2
    assert message in re.sub(r"[\s│]+", " ", said.stderr)


# --- time stamps ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("days", "step", "unit", "expected"),
    [
        (["2024-01-31", "2024-02-29", "2024-03-31"], 1, "months", ["2024-04-30", "2024-05-31"]),
        (["2020-05-01", "2021-05-01", "2022-05-01"], 1, "years", ["2023-05-01", "2024-05-01"]),
        (["2024-01-01", "2024-01-02", "2024-01-03"], 86400, "s", ["2024-01-04", "2024-01-05"]),
        (["2024-01-01T00", "2024-01-01T06"], 21600, "s",
         ["2024-01-01T12:00:00", "2024-01-01T18:00:00"]),
    ],
)  # fmt: skip
def test_dates_go_on_as_the_calendar_does(days, step, unit, expected):
    time = np.array(days, dtype="M8[s]")
    recording = Recording(np.zeros((len(days), 1)), ("x",), "f", time=time, step=step, unit=unit)
    assert continued_time(recording, 2).texts() == expected


def test_working_days_go_on_over_the_weekend(tmp_path):
    days = [START + timedelta(days=n) for n in range(40)]
    days = [day for day in days if day.weekday() < 5]
    path = tmp_path / "days.csv"
    path.write_text("date,x\n" + "".join(f"{day:%Y-%m-%d},{day.day}.5\n" for day in days[:-2]))
    recording = read(path)
    assert recording.unit == "working days"
    found = continued_time(recording, 2).texts()
    assert found == [f"{day:%Y-%m-%d}" for day in days[-2:]]


def test_numbers_go_on_and_rows_without_time_have_none():
    recording = Recording(np.zeros((3, 1)), ("x",), "f", time=np.array([0.0, 0.5, 1.0]), step=0.5)
    assert continued_time(recording, 2).cells.tolist() == [1.5, 2.0]
    assert continued_time(Recording(np.zeros((3, 1)), ("x",), "f"), 2) is None
