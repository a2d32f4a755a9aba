"""`predfeat forecast`: tables, time stamps that go on, the page, the back-test, rows to come."""

import csv
import io
import json
import os
import re
import signal
import subprocess
import sys
from datetime import datetime, timedelta
from threading import Timer

import numpy as np
import pyarrow.parquet as parquet
import pytest

from commands import TIMEOUT, run, run_apart, run_well
from predfeat import SFA, Forecaster, save
from predfeat.cli import main
from predfeat.datasets import Recording, continued_time, hidden_lorenz, prepare, read
from predfeat.forecasting import backtest
from predfeat.report import forecast_results, judged_sentences, render_forecast

POSIX = pytest.mark.skipif(os.name == "nt", reason="signals and pipes of POSIX")
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
    said = run_well("forecast", path, *QUICK, "--group", "trial", "--json").stdout
    assert json.loads(said)["how"].endswith(" The last of 10 sequences goes on: 9.")


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


def test_gaps_at_the_end_are_refused_before_the_fit(tmp_path, values):
    path = tmp_path / "gaps.csv"
    rows = values[:100].copy()
    rows[-2:, 1] = np.nan
    path.write_text(table_of(rows).replace("nan", ""))
    said = run("forecast", path, *QUICK)
    assert said.exit_code != 0
    assert "the last 2 rows are gaps, without a number in b." in str(said.exception)
    assert "--exclude" in str(said.exception)


def test_a_column_may_be_called_step(tmp_path, values):
    path, out = tmp_path / "steps.csv", tmp_path / "next.csv"
    lines = ["step,x", *(",".join(map(repr, row)) for row in values[:200, :2].tolist())]
    path.write_text("\n".join(lines) + "\n")
    run_well("forecast", path, *QUICK, "--out", out)
    assert list(written(out)[0])[:2] == ["step ahead", "step"]


def test_simpler_forecasts_that_were_better_are_named(values):
    model = Forecaster(n_steps=2, n_jobs=1).fit(values[:N_ROWS])
    results = forecast_results(
        model.predict(), values[:N_ROWS], source="f", command="predfeat", how="By hand.",
        backtest=backtest(model, values[:N_ROWS]),
    )  # fmt: skip
    found = {**results["backtest"], "skill": [0.5, 0.5], "skill_of_linear": [0.49, 0.4]}
    found["skill_of_persistence"] = [0.4, 0.6]
    said = judged_sentences({**results, "backtest": found})[0]
    assert said.endswith("Simpler forecasts were better: the newest value at 1 of 2.")
    found["skill_of_persistence"] = [0.4, None]
    assert "Simpler" not in judged_sentences({**results, "backtest": found})[0]


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
    share = f"{100 * np.mean(inside):.1f} % of {len(inside)} numbers that came lay in the intervals"
    assert share in done.stderr


def test_a_gap_among_the_rows_is_passed_over(hourly, values):
    lines = [",".join(map(repr, row)) for row in values[N_ROWS : N_ROWS + 3].tolist()]
    lines[1] = ",,,"
    done = run_apart("forecast", hourly, *QUICK, "--follow", "-q", input="\n".join(lines) + "\n")
    assert done.returncode == 0, done.stderr
    seen = {line.split(",")[0] for line in done.stdout.splitlines()}
    assert seen == {"row", "1", "3"}


@pytest.fixture
def followed(monkeypatch):
    """Return a function that follows rows that have ended: exit code, output and messages."""

    def run(*words, rows):
        streams = [io.TextIOWrapper(io.BytesIO(b), "utf-8") for b in (rows.encode(), b"", b"")]
        with monkeypatch.context() as patch:
            patch.setattr(sys, "argv", ["predfeat", "forecast", *map(str, words), "--follow"])
            for name, stream in zip(("stdin", "stdout", "stderr"), streams, strict=True):
                patch.setattr(sys, name, stream)
            with pytest.raises(SystemExit) as ended:
                main()
        _, out, err = (stream.buffer.getvalue().decode() for stream in streams)
        return ended.value.code or 0, out, err

    return run


def printed(out):
    return list(csv.DictReader(io.StringIO(out)))


def trials_of(values, trials):
    rows = [f"{trial},{','.join(map(repr, row))}" for trial, row in
            zip(trials, values.tolist(), strict=True)]  # fmt: skip
    return "\n".join(["trial,a,b,c,d", *rows]) + "\n"


PREPARED = [{"difference": True}, {"every": 3, "difference": True, "delays": 1}]


@pytest.mark.filterwarnings("ignore::predfeat.exceptions.AliasingWarning")
@pytest.mark.parametrize("kind", PREPARED, ids=str)
def test_rows_are_prepared_as_if_the_recording_had_not_ended(tmp_path, values, followed, kind):
    trials = ["one"] * 259 + ["two"] * 251 + ["three"] * 20
    path, whole = tmp_path / "trials.csv", tmp_path / "whole.csv"
    path.write_text(trials_of(values[:500], trials[:500]))
    whole.write_text(trials_of(values[:530], trials))
    options = [f"--{name}" for name in kind if kind[name] is True]
    options += [f"--{name}={kind[name]}" for name in kind if kind[name] is not True]
    group = ["--group", "trial", *options]
    model = Forecaster(n_steps=4, n_jobs=1)
    before = prepare(read(path, group="trial"), **kind)
    after = prepare(read(whole, group="trial"), **kind)
    new = slice(len(before.values), None)
    model.fit(before.values, groups=before.groups)
    code, out, err = followed(
        path, *QUICK, *group, "-q", rows=trials_of(values[500:530], trials[500:])
    )
    assert (code, err) == (0, "")
    rows = iter(printed(out))
    name = before.names[0]
    n_seen = 0
    for row, trial in zip(after.values[new], after.groups[new], strict=True):
        model.update([row], groups=[trial])
        if np.isnan(row).any():
            continue
        ahead = model.predict_channels()
        for h in range(4):
            found = next(rows)
            assert found["trial"] == trial
            assert float(found[f"{name} upper"]) == pytest.approx(ahead.upper[h, 0], rel=1e-9)
        n_seen += 1
    assert n_seen >= 6
    assert next(rows, None) is None


def test_a_model_s_preparation_goes_on_or_is_refused(tmp_path, hourly, values, followed):
    new = table_of(values[N_ROWS : N_ROWS + 3])
    options = ("--steps", "2", "--jobs", "1", "-q")
    for name, option in (("delays", ["--delays", "1"]), ("detrended", ["--detrend"])):
        model = tmp_path / f"{name}.predfeat"
        run_well("fit", hourly, "-m", "sfa", *option, "-q", "--out", model)
    code, out, err = followed(hourly, "--model", tmp_path / "delays.predfeat", *options, rows=new)
    assert (code, err) == (0, "")
    rows = printed(out)
    assert [row["row"] for row in rows] == ["1", "1", "2", "2", "3", "3"]
    assert "a (1 before) upper" in rows[0]
    refused = followed(hourly, "--model", tmp_path / "detrended.predfeat", *options, rows=new)
    assert refused[:2] == (2, "")
    assert "the straight line is that of the whole recording" in refused[2]
    refused = followed(hourly, *QUICK, "--detrend", rows=new)
    assert "cannot be detrended as they come" in refused[2]


def test_numbers_that_meant_a_missing_value_are_gaps_in_rows_to_come(tmp_path, values, followed):
    path = tmp_path / "sentinels.csv"
    rows = values[:N_ROWS].copy()
    rows[::50, 1] = -999
    path.write_text(table_of(rows))
    assert read(path).sentinels
    code, out, _ = followed(path, *QUICK, rows="1,2,3,4\n1,-999,3,4\n1,2,3,4\n")
    assert code == 0
    assert {row["row"] for row in printed(out)} == {"1", "3"}


def test_cells_that_are_not_forecast_are_handed_on(hourly, values, followed):
    new = "other;d;time;c;b;a\nx;4;9:00;3;2;1\n"
    rows = printed(followed(hourly, *QUICK, rows=new)[1])
    assert [row["time"] for row in rows] == ["9:00"] * 4
    ordered = followed(hourly, *QUICK, "--time", "time", rows="1,2,3,4\n")
    assert [row["c upper"] for row in printed(ordered[1])] == [row["c upper"] for row in rows]


def test_another_sequence_begins_anew_and_judges_no_interval(tmp_path, values, followed):
    path = tmp_path / "trials.csv"
    path.write_text(trials_of(values[:N_ROWS], ["one"] * 250 + ["two"] * 250))
    new = trials_of(values[N_ROWS : N_ROWS + 4], ["two", "two", "three", "three"])
    _, out, err = followed(path, *QUICK, "--group", "trial", "--n-lags", "2", rows=new)
    # The first row of the new one is no state yet.
    assert [row["row"] for row in printed(out)] == ["1"] * 4 + ["2"] * 4 + ["4"] * 4
    assert [row["trial"] for row in printed(out)] == ["two"] * 8 + ["three"] * 4
    assert "of 4 numbers that came lay" in err


@pytest.mark.parametrize(
    ("rows", "options", "message"),
    [
        ("1,2,3,4\n1,2,3\n", [], "line 2 of standard input has 3 cell(s)"),
        ("a,b,c,d\n1,2,3,x\n", [], "line 2 of standard input holds 'x' in column 'd'"),
        ("a,b,c,d\n1,2,3,1e305\n", [], "line 2 of standard input: X"),
        ("9:00,1,2,3,4\n", [], "or give exactly these columns, in this order: a, b, c, d."),
        ("a,b,c\n1,2,3\n", [], "with the rows of hourly.csv, but has no column d. Begin it"),
        ("", [], "standard input holds nothing but blank lines"),
    ],
)
def test_rows_that_cannot_go_on_are_refused(hourly, followed, rows, options, message):
    code, _, err = followed(hourly, *QUICK, *options, "-q", rows=rows)
    assert code == 2
    assert message in err
    assert err.count("\n") == 1


def test_rows_of_sequences_say_which_one_they_belong_to(tmp_path, values, followed):
    path = tmp_path / "trials.csv"
    path.write_text(trials_of(values[:N_ROWS], ["one"] * 250 + ["two"] * 250))
    code, _, err = followed(path, *QUICK, "--group", "trial", rows="1,2,3,4\n")
    assert code == 2
    assert "has no column trial. Begin it with a line of names that has it." in err


@pytest.fixture
def watched(hourly):
    """Start the command with pipes in the place of its terminal."""
    process = subprocess.Popen(
        [sys.executable, "-m", "predfeat", "forecast", hourly, *QUICK, "--follow"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        bufsize=1,
        # What a shell starts in the background ignores Ctrl-C, and so do its children.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    watch = Timer(TIMEOUT, process.kill)
    watch.start()
    with process:
        yield process
        watch.cancel()
        process.kill()


def answered(process, row):
    """Send a row, wait for its forecast, and return the first cells of its lines."""
    process.stdin.write(row)
    return [process.stdout.readline().split(",")[:2] for _ in range(4)]


@POSIX
def test_a_forecast_comes_before_the_next_row_and_an_interrupt_ends_it(watched):
    watched.stdin.write("1,2,3,4\n")
    assert watched.stdout.readline().startswith("row,step,a,a lower,a upper,b,")
    assert answered(watched, "1,2,3,4\n") == [["1", str(step)] for step in (1, 2, 3, 4)]
    assert answered(watched, "1,2,3,4\n") == [["2", str(step)] for step in (1, 2, 3, 4)]
    watched.send_signal(signal.SIGINT)
    assert watched.wait(TIMEOUT) == 130
    _, words, last = watched.stderr.read().splitlines()
    assert "numbers that came lay in the intervals" in words
    assert "interrupted" in last


@POSIX
def test_a_reader_that_leaves_ends_it(watched):
    watched.stdin.write("1,2,3,4\n")
    assert watched.stdout.readline()
    watched.stdout.close()
    watched.stdin.write("1,2,3,4\n")  # and stays open: nobody has to send an end
    assert watched.wait(TIMEOUT) == 141
    assert "numbers that came" not in watched.stderr.read()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--level", "1.5"), "not a share between 0 and 1"),
        (("--joint", "both"), "none of each, features, path"),
        (("--out", "next.npy"), "must end in one of .csv"),
        (("--follow", "--out", "x.csv"), "--follow prints its forecasts as CSV"),
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
