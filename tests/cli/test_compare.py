"""`predfeat compare`: what it prints, what it writes, and what it refuses."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from predfeat import SFA, load
from predfeat.cli import app
from predfeat.datasets import hidden_lorenz, read
from predfeat.experiments import standard_methods
from predfeat.report import check_results, render
from predfeat.selection import significance

FILES = {"report.html", "results.json", "model.predfeat", "features.csv"}
QUICK = ("-m", "random", "-m", "sfa", "--repetitions", "2")


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture
def table(tmp_path):
    X, _ = hidden_lorenz(400, random_state=0)
    path = tmp_path / "lorenz.csv"
    np.savetxt(path, X, delimiter=",", header=",".join(f"c{i}" for i in range(10)), comments="")
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
    expected = significance(SFA(2), values, groups, n_surrogates=19, kind="joint phases")
    assert found["significance"]["p_values"] == expected.p_values.tolist()
    assert found["significance"]["statistics"] == expected.statistics.tolist()
    best = expected.surrogate_statistics.min(axis=1)
    assert found["significance"]["surrogate_best"] == best.tolist()
    assert found["significance"]["n_rows"] == len(values)
    assert expected.question in (tmp_path / "o" / "report.html").read_text(encoding="utf-8")
    assert expected.question in done.output
