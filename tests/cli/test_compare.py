"""`predfeat compare`: what it prints, what it writes, and what it refuses."""

import json
import re

import numpy as np
import pytest

import predfeat.report
from commands import run
from csv_tables import write_array
from predfeat import GPFA, SFA, load
from predfeat.cli._methods import WORDS
from predfeat.datasets import hidden_lorenz, read
from predfeat.exceptions import DataError
from predfeat.experiments import standard_methods
from predfeat.report import check_results, render
from predfeat.selection import diagnose, significance
from predfeat.series import check_sequences
from predfeat.splits import spread_sequences

FILES = {"report.html", "results.json", "model.predfeat", "features.csv"}
QUICK = ("-m", "random", "-m", "sfa", "--repetitions", "2")


@pytest.fixture
def table(tmp_path):
    X, _ = hidden_lorenz(400, random_state=0)
    path = tmp_path / "lorenz.csv"
    write_array(path, X, ",".join(f"c{i}" for i in range(10)))
    return path


def test_without_a_file_it_compares_all_methods_on_the_papers_noise(tmp_path):
    result = run("compare", "--repetitions", "2", "--seed", "3", "--out", tmp_path / "out")
    assert result.exit_code == 0, result.output
    for name in [*standard_methods(), "left to chance", "predictable noise"]:
        assert name in result.output
    assert {path.name for path in (tmp_path / "out").iterdir()} == FILES


def test_files_hold_the_same_answer(tmp_path, table):
    out = tmp_path / "out"
    result = run("compare", table, "--out", out, *QUICK, "--json")
    assert result.exit_code == 0, result.output
    results = json.loads((out / "results.json").read_text())
    assert json.loads(result.stdout) == results
    check_results(results, results["schema"])
    assert (out / "report.html").read_text() == render(results)
    model, features = load(out / "model.predfeat"), read(out / "features.csv")
    expected = model.transform(read(table).values)
    np.testing.assert_array_equal(features.values, expected)
    assert features.names == tuple(model.get_feature_names_out())


def test_each_feature_gets_a_line(tmp_path, table):
    result = run("compare", table, "--out", tmp_path / "out", *QUICK, "--no-diagnosis")
    results = json.loads((tmp_path / "out" / "results.json").read_text())
    assert len(results["features"]["descriptions"]) == 3
    for i, text in enumerate(results["features"]["descriptions"]):
        assert f"feature {i + 1}: {text}" in result.output


def test_one_column_has_nothing_to_choose(tmp_path):
    path = tmp_path / "one.csv"
    x = np.random.default_rng(0).normal(size=300).cumsum()
    path.write_text("x\n" + "\n".join(f"{value:.4f}" for value in x))
    result = run("compare", path, "--out", tmp_path / "out", *QUICK, "--no-diagnosis")
    assert "There is only one column, so there is no choice: it leaves " in result.output
    assert "found by" not in result.output
    assert result.output.count("the same") == 2


def test_the_seed_decides(tmp_path, table):
    scores = []
    for n, seed in enumerate(("0", "0", "1")):
        result = run("compare", table, "--out", tmp_path / str(n), *QUICK, "--seed", seed, "--json")
        scores.append([method["test_share"] for method in json.loads(result.stdout)["methods"]])
    assert scores[0] == scores[1]
    assert scores[0] != scores[2]


def test_options_reach_the_methods(tmp_path, table):
    result = run(
        "compare", table, "--out", tmp_path / "out", "--repetitions", "2", "--json",
        "-m", "gpfa1", "--n-components", "2", "--n-lags", "3", "--n-neighbors", "7",
        "--pca-components", "5", "--max-train", "150", "--max-test", "60",
    )  # fmt: skip
    results = json.loads(result.stdout)
    (method,) = results["methods"]
    wanted = {"n_components": 2, "n_lags": 3, "n_neighbors": 7, "pca_components": 5}
    assert method["class"] == "GPFA"
    assert method["parameters"].items() >= {**wanted, "graph": "full"}.items()
    assert results["protocol"].items() >= wanted.items()
    assert max(results["protocol"]["train_rows"]) <= 150
    assert max(results["protocol"]["test_rows"]) <= 60


def test_a_horizon_reaches_the_methods_the_measure_and_the_words(tmp_path, table):
    out = tmp_path / "out"
    options = ("-m", "pfa", "-m", "random", "--repetitions", "2", "--no-diagnosis")
    result = run("compare", table, "--out", out, *options, "--horizon", "3")
    assert result.exit_code == 0, result.output
    words = " ".join(result.output.split())
    assert "variance of the features' values 3 steps later" in words
    assert "to chance 3 steps ahead" in words
    results = json.loads((out / "results.json").read_text())
    assert results["protocol"]["horizon"] == 3
    assert load(out / "model.predfeat").get_params().get("horizon", 3) == 3
    by_name = {method["name"]: method for method in results["methods"]}
    assert by_name["PFA"]["parameters"]["horizon"] == 3


def test_more_lags_are_advised_where_they_show_more(tmp_path):
    t, noise = np.arange(600), np.random.default_rng(0).normal(size=(600, 3))
    X = np.column_stack([np.sin(0.7 * t), noise])
    path = tmp_path / "wave.csv"
    write_array(path, X, "a,b,c,d")
    options = ("--n-components", "1", "-m", "pfa", "--repetitions", "3", "--no-diagnosis")
    told = run("compare", path, "--out", tmp_path / "a", *options)
    advice = r"With p = (\d+) \(--n-lags \1\) the same feature leaves"
    assert re.search(advice, " ".join(told.output.split()))
    asked = run("compare", path, "--out", tmp_path / "b", *options, "--n-lags", "1")
    assert "With p" not in asked.output


def test_limits_are_told_with_the_options_that_lift_them(tmp_path, table):
    told = run("compare", table, "--out", tmp_path / "a", *QUICK, "--max-train", "100")
    assert "training parts have at most 100 rows" in " ".join(told.output.split())
    assert "--max-train and --max-test allow more" in " ".join(told.output.split())
    assert "--max-train" not in run("compare", table, "--out", tmp_path / "b", *QUICK).output


def test_the_best_of_all_takes_part_on_request_and_says_whose_features_it_kept(tmp_path, table):
    result = run("compare", table, "--out", tmp_path, *QUICK, "-m", "auto", "--repetitions", "1")
    assert result.exit_code == 0, result.output
    methods = json.loads((tmp_path / "results.json").read_text())["methods"]
    (auto,) = [method for method in methods if method["name"] == "AutoFeatures"]
    assert f"AutoFeatures kept the features of {auto['kept']}." in result.stderr
    assert f"took {auto['kept']}" in (tmp_path / "report.html").read_text()
    assert all(method["kept"] is None for method in methods if method is not auto)


def test_quiet_prints_nothing_and_writes_all_the_same(tmp_path, table):
    result = run("compare", table, "--out", tmp_path / "out", *QUICK, "--quiet")
    assert result.exit_code == 0
    assert result.output == ""
    assert {path.name for path in (tmp_path / "out").iterdir()} == FILES


@pytest.mark.parametrize("name", sorted(FILES))
def test_an_existing_file_is_refused_before_the_work_and_replaced_when_asked(tmp_path, table, name):
    out = tmp_path / "out"
    out.mkdir()
    (out / name).write_text("mine")
    result = run("compare", table, "--out", out, *QUICK)
    assert isinstance(result.exception, FileExistsError)
    assert "--force" in str(result.exception)
    assert {path.name: path.read_text() for path in out.iterdir()} == {name: "mine"}
    assert run("compare", table, "--out", out, *QUICK, "--force").exit_code == 0
    assert {path.name for path in out.iterdir()} == FILES
    assert (out / name).read_bytes() != b"mine"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--repetitions", "0"], "--repetitions"),
        (["-m", "pca"], "pca"),
        (["--pca-components", "many"], "many"),
        (["--hop", "12"], "--hop"),
    ],
)
def test_a_users_mistake_exits_with_two_and_names_it(tmp_path, arguments, told):
    result = run("compare", "--out", tmp_path / "out", *arguments)
    assert result.exit_code == 2
    assert told in result.output
    assert not (tmp_path / "out").exists()


def test_significance_is_that_of_the_library_and_in_the_report(tmp_path, table):
    done = run(
        "compare", table, "--out", tmp_path / "o", "-m", "sfa", "--repetitions", "2",
        "--n-components", "2", "--significance", "joint-phases", "--surrogates", "19",
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    found = json.loads((tmp_path / "o" / "results.json").read_text(encoding="utf-8"))
    values = read(table).values
    groups = np.zeros(len(values), dtype=int)
    expected = significance(SFA(2), values, groups=groups, n_surrogates=19, kind="joint-phases")
    assert found["significance"]["p_values"] == expected.p_values.tolist()
    assert found["significance"]["statistics"] == expected.statistics.tolist()
    best = expected.surrogate_statistics.min(axis=1)
    assert found["significance"]["surrogate_best"] == best.tolist()
    assert found["significance"]["n_rows"] == len(values)
    assert expected.question in (tmp_path / "o" / "report.html").read_text(encoding="utf-8")
    assert expected.question in done.output


def never(*_, **__):
    raise AssertionError("nobody asked for it")


@pytest.fixture
def triples(tmp_path):
    """Trials of three rows and a gap."""
    rng = np.random.default_rng(0)
    lines = ["trial,a,b,c"]
    for i in range(160):
        a, b, c = (repr(x) for x in rng.normal(size=3).round(3).tolist())
        lines.append(f"no. {i // 4},{a},{b if i % 4 else ''},{c}")
    path = tmp_path / "triples.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize(
    ("kind", "options", "told"),
    [
        ("phases", ["--group", "trial"], "kind='phases' needs at least 4 rows in a row"),
        ("iaaft", ["--group", "trial"], "kind='iaaft' needs at least 4 rows in a row"),
        ("joint-phases", ["--group", "trial"], "kind='joint-phases' needs at least 4 rows in a"),
        # Tested are ten blocks of three rows, each with one state between two steps.
        ("permutation", ["-c", "a", "-c", "c", "--max-train", "30"], "but there are 10"),
    ],
)
def test_what_cannot_be_tested_is_refused_before_the_comparison(
    tmp_path, triples, monkeypatch, kind, options, told
):
    monkeypatch.setattr("predfeat.experiments.compare_on_recording", never)
    done = run(
        "compare", triples, *options, *QUICK, "--significance", kind, "--out", tmp_path / "o"
    )
    assert isinstance(done.exception, DataError), done.exception
    assert told in str(done.exception)
    assert not (tmp_path / "o").exists()


def test_short_trials_are_no_obstacle_to_a_permutation(tmp_path, triples):
    out = tmp_path / "o"
    done = run(
        "compare", triples, "--group", "trial", *QUICK, "--n-components", "1", "--no-diagnosis",
        "--significance", "permutation", "--surrogates", "19", "--out", out, "--jobs", "1",
    )  # fmt: skip
    assert done.exit_code == 0, (done.output, done.exception)
    assert json.loads((out / "results.json").read_text())["significance"]["n_rows"] == 160


TESTED = (*QUICK, "--significance", "permutation", "--surrogates", "19", "--jobs", "1")


@pytest.mark.parametrize("stopped", ["diagnose", "significance"])
@pytest.mark.parametrize("by", [KeyboardInterrupt(), ValueError("no such luck")])
def test_the_comparison_outlives_what_comes_after_it(tmp_path, table, monkeypatch, stopped, by):
    out = tmp_path / "o"

    def stop(*_, on_progress, **__):
        on_progress(3, 19)
        if out.exists():  # that is, the comparison is done
            raise by

    with monkeypatch.context() as patch:
        patch.setattr(f"predfeat.selection.{stopped}", stop)
        done = run("compare", table, "--out", out, *TESTED)
    assert done.exit_code == 130 or done.exception is by
    assert {path.name for path in out.iterdir()} == FILES
    results = json.loads((out / "results.json").read_text())
    assert results["significance"] is None
    assert (results["diagnosis"] is None) == (stopped == "diagnose")
    assert (out / "report.html").read_text() == render(results)
    assert load(out / "model.predfeat").n_components == 3
    (line,) = [line for line in done.stderr.splitlines() if str(out) in line]
    missing = ("the diagnosis and " if stopped == "diagnose" else "") + "the test of significance"
    assert f"without {missing}" in line
    assert "The same command with --force" in line
    assert all(name in line for name in FILES)

    assert isinstance(run("compare", table, "--out", out, *TESTED).exception, FileExistsError)
    assert run("compare", table, "--out", out, *TESTED, "--force").exit_code == 0
    results = json.loads((out / "results.json").read_text())
    assert results["significance"] is not None
    assert results["diagnosis"] is not None
    assert (out / "report.html").read_text() == render(results)


def test_every_state_of_the_page_is_rendered_once(tmp_path, table, monkeypatch):
    described, rendered = [], []

    def count(name, calls):
        original = getattr(predfeat.report, name)

        def counting(*given, **named):
            calls.append(original(*given, **named))
            return calls[-1]

        monkeypatch.setattr(predfeat.report, name, counting)

    count("results_of", described)
    count("render", rendered)
    done = run("compare", table, "--out", tmp_path / "o", *TESTED)
    assert done.exit_code == 0, (done.output, done.exception)
    assert len(described) == 1
    assert len(rendered) == len(set(rendered)) == 3  # compared, diagnosed, tested
    assert (tmp_path / "o" / "report.html").read_text() == rendered[-1]


@pytest.mark.parametrize("name", ["results.json", "report.html"])
@pytest.mark.parametrize("force", [False, True])
def test_what_somebody_wrote_during_the_test_is_not_replaced_unasked(
    tmp_path, table, monkeypatch, name, force
):
    out = tmp_path / "o"

    def test_while_somebody_writes(*arguments, **options):
        if out.exists():  # that is, the comparison is done
            (out / name).write_text("mine")
        return significance(*arguments, **options)

    monkeypatch.setattr("predfeat.selection.significance", test_while_somebody_writes)
    done = run("compare", table, "--out", out, *TESTED, *["--force"] * force)
    assert ((out / name).read_text() == "mine") == (not force)
    if force:
        assert done.exit_code == 0
    else:
        assert isinstance(done.exception, FileExistsError)
        assert f"{out / name} was changed" in str(done.exception)
        assert "Is there any order in time?" in done.stderr  # the answer is not lost
    names = {path.name for path in out.iterdir()}
    assert names == (FILES if force else FILES | {"surrogates.json"})


def test_what_was_moved_away_during_the_test_is_written_again(tmp_path, table, monkeypatch):
    out = tmp_path / "o"

    def test_while_somebody_tidies(*arguments, **options):
        if out.exists():  # that is, the comparison is done
            out.rename(tmp_path / "elsewhere")
        return significance(*arguments, **options)

    monkeypatch.setattr("predfeat.selection.significance", test_while_somebody_tidies)
    done = run("compare", table, "--out", out, *TESTED)
    assert done.exit_code == 0, (done.output, done.exception)
    assert json.loads((out / "results.json").read_text())["significance"] is not None
    assert {path.name for path in (tmp_path / "elsewhere").iterdir()} == FILES


def test_an_interrupted_test_goes_on_where_it_was(tmp_path, table, monkeypatch):
    out, done_now = tmp_path / "o", []

    def test_for_a_while(*arguments, on_part=None, **options):
        def interrupt(result):
            on_part(result)
            done_now.append(result.n_surrogates)
            if result.n_surrogates == 7:
                raise KeyboardInterrupt

        return significance(*arguments, on_part=on_part and interrupt, **options)

    monkeypatch.setattr("predfeat.selection.significance", test_for_a_while)
    stopped = run("compare", table, "--out", out, *TESTED)
    assert stopped.exit_code == 130
    assert "reuses the surrogates computed so far" in " ".join(stopped.stderr.split())
    assert {path.name for path in out.iterdir()} == FILES | {"surrogates.json"}
    assert done_now == [1, 2, 3, 4, 5, 6, 7]
    assert isinstance(run("compare", table, "--out", out, *TESTED).exception, FileExistsError)
    assert run("compare", table, "--out", out, *TESTED, "--force").exit_code == 0
    assert done_now[7:] == list(range(8, 20))
    assert {path.name for path in out.iterdir()} == FILES
    monkeypatch.undo()
    run("compare", table, "--out", tmp_path / "at once", *TESTED)
    found, expected = (
        json.loads((folder / "results.json").read_text())["significance"]
        for folder in (out, tmp_path / "at once")
    )
    assert found == expected


@pytest.mark.parametrize("left", ["another test's", b"{}", b"\xff", b"[1]"])
def test_surrogates_of_something_else_are_not_added_to(tmp_path, table, left):
    out = tmp_path / "o"
    out.mkdir()
    if isinstance(left, str):
        other = significance(SFA(3), read(table).values, n_surrogates=19, random_state=5)
        left = json.dumps(other.as_dict()).encode()
    (out / "surrogates.json").write_bytes(left)
    refused = run("compare", table, "--out", out, *TESTED)
    assert isinstance(refused.exception, FileExistsError)
    assert (out / "surrogates.json").read_bytes() == left
    # Without the test the name means nothing.
    options = (table, "--out", out, *QUICK, "--jobs", "1")
    assert run("compare", *options).exit_code == 0
    assert run("compare", table, "--out", out, *TESTED, "--force").exit_code == 0
    run("compare", table, "--out", tmp_path / "at once", *TESTED)
    found, expected = (
        json.loads((folder / "results.json").read_text())["significance"]
        for folder in (out, tmp_path / "at once")
    )
    assert found == expected
    assert {path.name for path in out.iterdir()} == FILES


@pytest.fixture
def twice(tmp_path):
    """Noise, a column of it twice, one under a name that is markup."""
    X = np.random.default_rng(0).normal(size=(120, 5))
    X[:, 3] = X[:, 0]
    path = tmp_path / "twice.csv"
    write_array(path, X, "wind,sun,rain,<b>fog</b>,ice")
    return path


def found_in(folder):
    return json.loads((folder / "results.json").read_text(encoding="utf-8"))["diagnosis"]


def test_the_diagnosis_is_that_of_the_library_in_the_report_and_a_line_each(tmp_path, twice):
    out = tmp_path / "o"
    done = run(
        "compare", twice, "--out", out, "-m", "gpfa2", "--repetitions", "2", "--n-lags", "2",
        "--max-fit", "100", "--seed", "5",
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    recording, model = read(twice), load(out / "model.predfeat")
    rows, groups = spread_sequences(check_sequences(recording.values), 100)
    expected = diagnose(
        GPFA(**model.get_params()).fit(recording.values[rows], groups=groups),
        recording.values[rows],
        groups=groups,
        names=recording.names,
        random_state=5,
    )
    assert {"rank-deficient", "unstable"} < set(expected.names)
    found = found_in(out)
    assert found["findings"] == json.loads(json.dumps(expected.as_dict()["findings"]))
    assert (found["method"], found["n_rows"]) == ("GPFA (2)", 100)
    assert "other-data" not in expected.names
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "scale and shift (&lt;b&gt;fog&lt;/b&gt;)" in page
    lines = done.stderr.splitlines()
    for finding in expected.findings:
        assert f"{finding.severity}: {finding.name}: {finding.summary}" in lines
    assert "The report explains what this means and what to change." in lines
    assert lines[-1] == f"Open {out / 'report.html'}"


def test_a_healthy_fit_gets_one_line(tmp_path):
    done = run("compare", "-m", "gpfa2", "--repetitions", "2", "--out", tmp_path / "o")
    assert found_in(tmp_path / "o")["findings"] == []
    assert done.stderr.count("The diagnosis found no problem with this fit.\n") == 1
    assert "in the report" not in done.stderr


def test_no_diagnosis_where_none_is_wanted(tmp_path, twice, monkeypatch):
    monkeypatch.setattr("predfeat.selection.diagnose", never)
    done = run("compare", twice, "--out", tmp_path / "o", *QUICK, "--no-diagnosis")
    assert done.exit_code == 0, done.output
    assert found_in(tmp_path / "o") is None
    assert 'id="diagnosis"' not in (tmp_path / "o" / "report.html").read_text(encoding="utf-8")
    assert "warning" not in done.output
    assert "speaks against" not in done.output


def test_the_diagnosis_does_not_depend_on_the_number_of_threads(tmp_path, twice):
    found = []
    for n, jobs in enumerate((1, 2, 1)):
        run("compare", twice, "--out", tmp_path / str(n), "-m", "gpfa1", "--repetitions", "2",
            "--jobs", jobs)  # fmt: skip
        found.append(found_in(tmp_path / str(n)))
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("method", WORDS)
@pytest.mark.parametrize("grouped", [False, True])
def test_hardly_any_data_is_diagnosed_all_the_same(tmp_path, method, grouped):
    rng = np.random.default_rng(3)
    lines = ["trial,a,b,c"]
    for i in range(40):
        cells = [repr(x) for x in rng.normal(size=3).round(1).tolist()]
        lines.append(",".join([f"no. {i // 10}", *cells]))  # DCA needs 10 rows in a row
    lines[17] = "no. 1,,,"
    path = tmp_path / "tiny.csv"
    path.write_text("\n".join(lines) + "\n")
    reading = ("--group", "trial") if grouped else ("-c", "a", "-c", "b", "-c", "c")
    done = run(
        "compare", path, *reading, "-m", method, "--repetitions", "2", "--n-neighbors", "3",
        "--n-components", "2", "--out", tmp_path / "o",
    )  # fmt: skip
    assert done.exit_code == 0, (done.output, done.exception)
    names = [finding["name"] for finding in found_in(tmp_path / "o")["findings"]]
    assert "few-samples" in names
