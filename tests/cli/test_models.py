"""`fit`, `transform`, `measure`, `info` and `report`, from files to files."""

import json
from datetime import date, timedelta

import numpy as np
import pytest
import typer

from commands import run, run_apart
from csv_tables import write_array
from predfeat import GPFA, SFA, AutoFeatures, load, measures, read_header
from predfeat._method_options import METHOD_OPTIONS
from predfeat.cli import app
from predfeat.cli._wording import advice_in_options
from predfeat.datasets import read
from predfeat.features import METHODS, ExpectedTime
from predfeat.report import render
from predfeat.selection import diagnose
from predfeat.series import check_sequences
from predfeat.splits import spread_sequences

N_TRIALS, N_ROWS = 4, 60


@pytest.fixture
def trials(tmp_path):
    """Trials with dates, one jump in them, one missing cell, and a column of text."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N_TRIALS * N_ROWS, 3))
    X[1:, 0] += X[:-1, 1]
    lines = ["day,who,left,right,up,place"]
    for i, row in enumerate(X.tolist()):
        trial, n = divmod(i, N_ROWS)
        day = date(2026, 1, 1) + timedelta(days=n + (5 if n > 20 else 0))
        cells = ["" if i == 100 else repr(row[0]), repr(row[1]), repr(row[2])]
        lines.append(",".join([str(day), f"no. {trial}", *cells, "lab"]))
    path = tmp_path / "trials.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


READ = ("--time", "day", "--group", "who", "-c", "left", "-c", "right", "-c", "up")


def read_trials(path):
    return read(path, time="day", group="who", columns=["left", "right", "up"])


def test_fit_then_transform_in_another_process_gives_the_bits_of_the_library(tmp_path, trials):
    model, out = tmp_path / "m.predfeat", tmp_path / "features.csv"
    done = run_apart("fit", trials, *READ, "--n-components", "1", "--out", model)
    assert done.returncode == 0, done.stderr
    done = run_apart("transform", model, trials, "--out", out)
    assert done.returncode == 0, done.stderr
    recording = read_trials(trials)
    fitted = GPFA(1).fit(recording.values, groups=recording.groups)
    np.testing.assert_array_equal(load(model).components_, fitted.components_)
    written = read(out, time="day", group="who")
    np.testing.assert_array_equal(written.values, fitted.transform(recording.values))


def test_a_csv_round_trip_keeps_time_stamps_groups_and_names(tmp_path, trials):
    model, out = tmp_path / "m.predfeat", tmp_path / "features.csv"
    assert (
        run("fit", trials, *READ, "-m", "sfa", "--n-components", "2", "--out", model).exit_code == 0
    )
    assert run("transform", model, trials, "--out", out).exit_code == 0
    before = [line.split(",") for line in trials.read_text().splitlines()]
    after = [line.split(",") for line in out.read_text().splitlines()]
    assert after[0] == ["day", "who", "sfa0", "sfa1"]
    assert [row[:2] for row in after[1:]] == [row[:2] for row in before[1:]]
    assert after[101] == [*before[101][:2], "", ""]  # the missing cell


def test_columns_are_found_by_their_names(tmp_path, trials):
    model = tmp_path / "m.predfeat"
    run("fit", trials, *READ, "-m", "sfa", "--out", model, "--n-components", "1")
    rows = [line.split(",") for line in trials.read_text().splitlines()]
    turned = tmp_path / "turned.csv"
    turned.write_text("\n".join(",".join(row[::-1]) for row in rows) + "\n")
    outputs = []
    for n, path in enumerate((trials, turned)):
        out = tmp_path / f"{n}.csv"
        assert run("transform", model, path, "--out", out).exit_code == 0
        outputs.append(out.read_text())
    assert outputs[0] == outputs[1]
    fewer = tmp_path / "fewer.csv"
    fewer.write_text("\n".join(",".join(row[:3]) for row in rows) + "\n")
    result = run("transform", model, fewer, "--out", tmp_path / "no.csv")
    assert "right" in str(result.exception)
    assert not (tmp_path / "no.csv").exists()


def test_columns_are_put_in_the_models_order_where_none_were_asked_for(tmp_path):
    X = np.random.default_rng(1).normal(size=(80, 3))
    straight, turned = tmp_path / "straight.csv", tmp_path / "turned.csv"
    write_array(straight, X, "a,b,c", fmt="%.17g")
    write_array(turned, X[:, [2, 0, 1]], "c,a,b", fmt="%.17g")
    model = tmp_path / "m.predfeat"
    fitted = run("fit", straight, "-m", "sfa", "--n-components", "1", "--out", model)
    assert fitted.exit_code == 0, fitted.output
    for path in (straight, turned):
        assert run("transform", model, path, "--out", path.with_suffix(".npy")).exit_code == 0
    np.testing.assert_array_equal(np.load(tmp_path / "straight.npy"), load(model).transform(X))
    np.testing.assert_array_equal(
        np.load(tmp_path / "turned.npy"), np.load(tmp_path / "straight.npy")
    )


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".npy", ".parquet"])
def test_features_can_be_written_as(tmp_path, trials, suffix):
    model, out = tmp_path / "m.predfeat", tmp_path / f"features{suffix}"
    run("fit", trials, *READ, "-m", "sfa", "--n-components", "1", "--out", model)
    assert run("transform", model, trials, "--out", out).exit_code == 0
    recording = read_trials(trials)
    expected = load(model).transform(recording.values)[recording.rows >= 0]
    options = {} if suffix == ".npy" else {"time": "day", "group": "who", "jumps": "ignore"}
    np.testing.assert_array_equal(read(out, **options).values, expected)


def test_features_can_be_printed(tmp_path, trials):
    model = tmp_path / "m.predfeat"
    run("fit", trials, *READ, "-m", "sfa", "--n-components", "1", "--out", model)
    printed = run_apart("transform", model, trials, "--out", "-").stdout
    run("transform", model, trials, "--out", tmp_path / "f.csv")
    assert printed == (tmp_path / "f.csv").read_text()


def test_options_of_fit_are_parameters_of_the_method(tmp_path, trials):
    model = tmp_path / "m.predfeat"
    result = run(
        "fit", trials, *READ, "--out", model, "--n-components", "2", "--n-lags", "2",
        "--n-neighbors", "4", "--graph", "full", "--init", "sfa", "--max-iter", "3",
        "--theiler", "1", "--pca-components", "0.9999", "--n-intermediate", "3", "--no-past",
        "--no-normalized", "--weighting", "inverse_spread", "--horizon", "2",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    wanted = {"n_components": 2, "n_lags": 2, "n_neighbors": 4, "graph": "full", "init": "sfa"}
    wanted |= {"max_iter": 3, "theiler": 1, "pca_components": 0.9999}
    wanted |= {
        "n_intermediate": 3,
        "past": False,
        "normalized": False,
        "weighting": "inverse_spread",
    }
    wanted |= {"horizon": 2}
    assert load(model).get_params().items() >= wanted.items()
    assert read_header(model).notes["predfeat"]["columns"] == ["left", "right", "up"]


def test_fit_takes_rows_spread_over_the_recording_where_asked(tmp_path, trials):
    model = tmp_path / "m.predfeat"
    result = run("fit", trials, *READ, "--out", model, "-m", "sfa", "--max-rows", "100")
    assert result.exit_code == 0, result.output
    recording = read_trials(trials)
    series = check_sequences(recording.values, recording.groups)
    rows, groups = spread_sequences(series, 100, shortest=10)
    expected = SFA().fit(recording.values[rows], groups=groups)
    np.testing.assert_array_equal(load(model).components_, expected.components_)
    assert f"feature(s) of {len(rows)} of {len(recording.values)} rows of" in result.output


def test_a_long_fit_is_announced_with_what_takes_less(tmp_path, trials, monkeypatch):
    def expected(*_, **__):
        return ExpectedTime(7200.0, 144.0)

    monkeypatch.setattr("predfeat.features.expected_time", expected)
    result = run("fit", trials, *READ, "--out", tmp_path / "a", "--max-iter", "3")
    assert "may take about 2 hours (about 2.4 minutes for each of at most 3" in result.output
    for option in ("--max-iter", "--max-rows", "--every", "--init"):
        assert option in result.output
        assert option in run("fit", "--help").output
    quiet = run("fit", trials, *READ, "--out", tmp_path / "b", "--max-iter", "3", "-q")
    assert quiet.output == ""


def test_fit_keeps_few_directions_of_many_columns_unless_told(tmp_path):
    X = np.random.default_rng(0).normal(size=(200, 60))
    np.save(tmp_path / "many.npy", X)
    np.save(tmp_path / "few.npy", X[:, :40])
    out = tmp_path / "m.predfeat"
    wanted = {("many", ()): 20, ("many", ("none",)): None, ("many", ("7",)): 7, ("few", ()): None}
    for (name, given), expected in wanted.items():
        options = [word for value in given for word in ("--pca-components", value)]
        done = run("fit", tmp_path / f"{name}.npy", "-m", "sfa", "--out", out, "-f", *options)
        assert done.exit_code == 0, done.output
        assert load(out).pca_components == expected
        assert ("20 principal components of 60 columns" in done.output) == (expected == 20)


def test_an_option_that_the_method_does_not_have(trials, tmp_path):
    result = run("fit", trials, "-m", "sfa", "--graph", "full", "--out", tmp_path / "m.predfeat")
    assert result.exit_code == 2
    assert "--graph" in result.output
    assert "SFA" in result.output


@pytest.mark.parametrize("method", ["gpfa", "sfa"])
@pytest.mark.parametrize("n_components", [2, 3])
def test_fit_prints_a_diagnosis_when_asked(tmp_path, trials, method, n_components):
    model = tmp_path / "m.predfeat"
    wanted = ("-m", method, "--n-components", n_components, "--out", model, "--force")
    silent = run("fit", trials, *READ, *wanted)
    assert silent.stdout == ""
    done = run("fit", trials, *READ, *wanted, "--diagnosis")
    assert done.exit_code == 0, done.output
    recording = read_trials(trials)
    fitted = {"gpfa": GPFA, "sfa": SFA}[method](n_components)
    fitted.fit(recording.values, groups=recording.groups)
    expected = diagnose(fitted, recording.values, groups=recording.groups, names=recording.names)
    # Of three independent columns, three features are everything.
    assert ("nothing-selected" in expected.names) == (n_components == 3)
    text, _, _ = done.stdout.partition("\n\nWhat is called left to chance")
    words, said = " ".join(text.split()), expected.findings
    assert words.startswith(str(expected).partition("\n")[0])
    for finding in said:
        assert advice_in_options(finding.advice) in words
        assert finding.meaning in words
    assert "n_components" not in text
    assert done.stderr == silent.stderr
    assert run("fit", trials, *READ, *wanted, "--diagnosis", "--quiet").output == ""


def test_fit_says_who_won_and_keeps_it(tmp_path, trials):
    wanted = ("-m", "auto", "--n-components", "1", "--n-neighbors", "4")
    first, second = tmp_path / "first.predfeat", tmp_path / "second.predfeat"
    done = run("fit", trials, *READ, *wanted, "--out", first)
    assert done.exit_code == 0, done.output
    recording = read_trials(trials)
    model = AutoFeatures(1, n_neighbors=4).fit(recording.values, groups=recording.groups)
    others = {name: score for name, score in model.scores_.items() if name != model.best_candidate_}
    name, score = next(iter(others.items()))
    kept = f"  kept: {model.best_candidate_}, {model.scores_[model.best_candidate_]:.4g}\n"
    assert f"{kept}  next: {name}, {score:.4g}" in done.stderr
    np.testing.assert_array_equal(load(first).components_, model.components_)
    assert run("fit", trials, *READ, *wanted, "--theiler", "1", "--out", second).exit_code == 0
    assert load(second).theiler == 1
    told = " ".join(run("info", first).stdout.replace("│", " ").split())
    assert f"best candidate: {model.best_candidate_} scores: {next(iter(model.scores_))} 0." in told
    assert all(name in told for name in model.scores_)


def test_fit_says_which_start_won(tmp_path, trials):
    wanted = ("--init", "auto", "--n-components", "1", "--n-neighbors", "4", "--max-iter", "5")
    done = run("fit", trials, *READ, *wanted, "--out", tmp_path / "m.predfeat")
    assert done.exit_code == 0, done.output
    model = load(tmp_path / "m.predfeat")
    others = {start: score for start, score in model.start_scores_.items() if start != model.init_}
    second = min(others, key=others.get)
    kept = f"  kept: from {model.init_}, {model.start_scores_[model.init_]:.4g}\n"
    less = others[second] < model.start_scores_[model.init_]
    why = ": lower, but by so little that the first of the two is kept" if less else ""
    assert f"{kept}  next: from {second}, {others[second]:.4g}{why}\n" in done.stderr


def test_a_constant_column_is_called_by_its_name(tmp_path):
    table, model = tmp_path / "table.csv", tmp_path / "model.predfeat"
    X = np.random.default_rng(0).normal(size=(50, 3))
    X[:, 1] = 7.0
    write_array(table, X, "wind,valve,x1")
    wanted = ("-m", "sfa", "--n-components", "1", "--out", model)
    done = run("fit", table, *wanted)
    assert done.exit_code == 0
    assert "note: 1 of 3 column(s) are constant and were left out: valve\n" in done.stderr
    assert "x1" not in done.stderr
    assert run("fit", table, *wanted, "--force", "--quiet").output == ""


def test_a_column_without_weight_is_not_called_constant(tmp_path):
    table, model = tmp_path / "table.csv", tmp_path / "model.predfeat"
    X = np.tile([[10.0, 1.0], [10.0, -1.0], [-10.0, 1.0], [-10.0, -1.0]], (20, 1))
    write_array(table, X, "loud,faint")
    wanted = ("-m", "sfa", "--n-components", "1", "--pca-components", "1")
    done = run("fit", table, *wanted, "--out", model)
    assert load(model).components_[0, 1] == 0
    assert "constant" not in done.stderr


def test_the_diagnosis_of_a_fit_knows_the_sequences(tmp_path):
    rng = np.random.default_rng(0)
    lines = ["trial,a,b"]
    lines += [f"{i // 5},{a},{b}" for i, (a, b) in enumerate(rng.normal(size=(200, 2)).tolist())]
    path = tmp_path / "short.csv"
    path.write_text("\n".join(lines) + "\n")
    done = run(
        "fit", path, "--group", "trial", "--n-lags", "3", "--n-components", "1", "--diagnosis",
        "--out", tmp_path / "m.predfeat",
    )  # fmt: skip
    assert "short-sequences" in done.stdout
    assert "Of 200 samples only 80 end a state of 3 and have a successor" in done.stdout


@pytest.mark.parametrize("n_columns", [1, 2, 3, 4, 6])
def test_fit_finds_as_many_features_as_compare(tmp_path, n_columns):
    path, model, out = tmp_path / "x.npy", tmp_path / "m.predfeat", tmp_path / "o"
    np.save(path, np.random.default_rng(0).normal(size=(80, n_columns)))
    assert run("fit", path, "-m", "sfa", "-o", model).exit_code == 0
    done = run("compare", path, "-m", "sfa", "--repetitions", 1, "--no-diagnosis", "-o", out)
    assert done.exit_code == 0, done.output
    results = json.loads((out / "results.json").read_text())
    expected = max(1, min(3, n_columns - 1))
    assert len(load(model).components_) == results["protocol"]["n_components"] == expected


@pytest.mark.parametrize("option", ["--random-state", "--seed"])
def test_a_seed_has_two_spellings(tmp_path, trials, option):
    model = tmp_path / "m.predfeat"
    assert run("fit", trials, *READ, "-m", "random", option, 7, "-o", model).exit_code == 0
    assert load(model).random_state == 7


def test_every_command_spells_shared_options_alike():
    commands = typer.main.get_command(app).commands
    for command in commands.values():
        for parameter in command.params:
            if "--out" in parameter.opts:
                assert "-o" in parameter.opts
            if "--seed" in parameter.opts:
                assert parameter.opts == ["--random-state", "--seed"]


def test_advised_options_are_options_of_the_commands_named():
    commands = typer.main.get_command(app).commands
    for option in METHOD_OPTIONS.values():
        for name in option.commands:
            options = {o for p in commands[name].params for o in (*p.opts, *p.secondary_opts)}
            assert {option.option, option.advised} <= options


@pytest.mark.parametrize("parameter", METHOD_OPTIONS)
def test_an_option_says_which_methods_have_its_parameter(parameter):
    have = {m.estimator.__name__ for m in METHODS.values() if parameter in m.parameter_names}
    every = {method.estimator.__name__ for method in METHODS.values()}
    option = METHOD_OPTIONS[parameter]
    assert (every if option.methods == ("all",) else set(option.methods)) == have


@pytest.mark.parametrize("horizon", [1, 3])
def test_measures_are_those_of_the_library(tmp_path, trials, horizon):
    recording = read_trials(trials)
    options = ("--n-lags", "2", "--n-neighbors", "3", "--horizon", horizon)
    result = run("measure", trials, *READ, *options, "--json")
    rows = {row["column"]: row for row in json.loads(result.stdout)["measures"]}
    assert json.loads(result.stdout)["horizon"] == horizon
    words = run("measure", trials, *READ, *options).output
    assert (f"Predicted {horizon} steps ahead." in " ".join(words.split())) == (horizon > 1)
    assert list(rows) == ["left", "right", "up", "all together"]
    options = {"groups": recording.groups}
    for column, values in (("right", recording.values[:, [1]]), ("all together", recording.values)):
        found = rows[column]
        near = {**options, "n_lags": 2, "n_neighbors": 3, "horizon": horizon}
        assert found["predictability"] == measures.predictability(values, **near)
        share = measures.predictability(values, relative=True, ddof=1, **near)
        assert found["left_to_chance"] == share
        assert found["slowness"] == np.mean(measures.slowness(values, **options))
        assert found["forecastability"] == np.mean(measures.forecastability(values, **options))
        assert found["predictive_information"] == measures.predictive_information(values, **near)
        linear = measures.autoregression_error(values, n_lags=2, horizon=horizon, **options)
        assert found["autoregression_error"] == linear


def test_measures_of_a_models_features(tmp_path, trials):
    model, out = tmp_path / "m.predfeat", tmp_path / "f.csv"
    run("fit", trials, *READ, "-m", "sfa", "--n-components", "1", "--out", model)
    run("transform", model, trials, "--out", out)
    by_model = json.loads(run("measure", trials, "--model", model, "--json").stdout)
    by_file = json.loads(run("measure", out, "--time", "day", "--group", "who", "--json").stdout)
    assert by_model["measures"] == by_file["measures"]
    assert "sfa0" in run("measure", out, "--time", "day", "--group", "who").output


def test_a_constant_column_has_no_measures(tmp_path):
    path = tmp_path / "stuck.csv"
    path.write_text("a,b\n" + "".join(f"{i % 7},3\n" for i in range(100)))
    rows = json.loads(run("measure", path, "--json").stdout)["measures"]
    assert rows[0]["forecastability"] is not None
    assert rows[1]["forecastability"] is None


def test_info_of_data_and_of_a_model(tmp_path, trials):
    facts = json.loads(run("info", trials, *READ, "--json").stdout)
    assert facts["columns"] == ["left", "right", "up"]
    assert facts["n_sequences"] == N_TRIALS
    assert facts["n_gap_rows"] == N_TRIALS * 5 + 1
    model = tmp_path / "m.predfeat"
    run("fit", trials, *READ, "-m", "sfa", "--n-components", "1", "--out", model)
    facts = json.loads(run("info", model, "--json").stdout)
    assert facts["estimator"] == "SFA"
    assert facts["parameters"] == SFA(1).get_params()
    assert facts["fitted_to"]["source"] == "trials.csv"
    assert "SFA" in run("info", model).output
    assert run("info", model, "--time", "day").exit_code == 2


def test_report_makes_the_same_page_again(tmp_path, trials):
    out = tmp_path / "out"
    run("compare", trials, *READ, "-m", "random", "-m", "sfa", "--repetitions", "2", "--out", out)
    page = tmp_path / "page.html"
    assert run("report", out / "results.json", "--out", page).exit_code == 0
    assert page.read_bytes() == (out / "report.html").read_bytes()
    assert isinstance(run("report", out / "results.json", "--out", page).exception, FileExistsError)
    assert page.read_text() == render(json.loads((out / "results.json").read_text()))
    assert run("report", out, "--out", tmp_path / "again.html").exit_code == 0  # the folder
    assert (tmp_path / "again.html").read_bytes() == page.read_bytes()
    (tmp_path / "empty").mkdir()
    found = run("report", tmp_path / "empty", "--out", tmp_path / "none.html").exception
    assert "contains no results.json. Give a folder that predfeat compare wrote" in str(found)
    (tmp_path / "not.json").write_text("{")
    for wrong in ("not.json", "trials.csv"):
        result = run("report", tmp_path / wrong, "--out", tmp_path / "other.html")
        assert isinstance(result.exception, ValueError)
        assert wrong in str(result.exception)


def test_a_video_ends_in_a_report_with_pictures(tmp_path):
    av = pytest.importorskip("av")
    path = tmp_path / "blob.mp4"
    rows, columns = np.mgrid[:32, :32]
    with av.open(str(path), "w") as file:
        stream = file.add_stream("mpeg4", rate=25)
        stream.width = stream.height = 32
        stream.pix_fmt = "yuv420p"
        for n in range(120):
            at = 16 + 10 * np.cos(0.2 * n), 16 + 10 * np.sin(0.2 * n)
            blob = 200 * np.exp(-((rows - at[0]) ** 2 + (columns - at[1]) ** 2) / 20)
            picture = np.repeat(blob[..., None], 3, axis=2).astype(np.uint8)
            for packet in stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")):
                file.mux(packet)
        for packet in stream.encode():
            file.mux(packet)
    out = tmp_path / "out"
    result = run(
        "compare", path, "--height", "12", "-m", "random", "-m", "sfa", "--repetitions", "2",
        "--out", out, "--json",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    results = json.loads(result.stdout)
    assert results["data"]["kind"] == "video"
    assert results["loadings"]["kind"] == "images"
