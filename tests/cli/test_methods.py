"""Methods and columns as people type them."""

import json

import numpy as np
import pytest

from commands import run
from csv_tables import write_array
from predfeat import load, read_header
from predfeat.cli._methods import WORDS, complete_method


def words(text):
    """Return an error in a box as one line."""
    return " ".join(text.replace("│", " ").split())


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "table.csv"
    X = np.random.default_rng(0).normal(size=(80, 4))
    write_array(path, X, 'a,b,"wind, east",c')
    return path


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        (["sfa,gpfa2"], ["SFA", "GPFA (2)"]),
        (["sfa", "gpfa2"], ["SFA", "GPFA (2)"]),
        (["SFA, GPFA2"], ["SFA", "GPFA (2)"]),
        (["GPFA (1)", "gpfa"], ["GPFA (1)", "GPFA (2)"]),
        (["gpfa,GPFA2,gpfa-2"], ["GPFA (2)"]),
        (["random,RandomFeatures"], ["random"]),
        (["dca"], ["DCA"]),
        (["lpp"], ["LPP"]),
        (["descent"], ["Descent"]),
    ],
)
def test_compare_understands(tmp_path, table, typed, expected):
    options = [word for one in typed for word in ("-m", one)]
    done = run("compare", table, *options, "--repetitions", 1, "--n-neighbors", 3,
               "--no-diagnosis", "--out", tmp_path / "o")  # fmt: skip
    assert done.exit_code == 0, done.output
    results = json.loads((tmp_path / "o" / "results.json").read_text())
    assert {method["name"] for method in results["methods"]} == set(expected)
    assert len(results["methods"]) == len(expected)


@pytest.mark.parametrize(
    ("typed", "kind", "graph"),
    [
        (["gpfa"], "GPFA", "star"),
        (["GPFA2"], "GPFA", "star"),
        (["GPFA (1)"], "GPFA", "full"),
        (["gpfa", "--graph", "full"], "GPFA", "full"),
        (["gpfa1", "--graph", "full"], "GPFA", "full"),
        (["ForeCA"], "ForeCA", None),
        (["dca", "--n-window", "3"], "DCA", None),
        (["lpp", "--n-neighbors", "3"], "LPP", None),
        (["descent", "--power", "1"], "DescentFeatures", None),
    ],
)
def test_fit_understands(tmp_path, table, typed, kind, graph):
    model = tmp_path / "m.predfeat"
    done = run("fit", table, "-m", *typed, "--out", model)
    assert done.exit_code == 0, done.output
    assert type(load(model)).__name__ == kind
    assert getattr(load(model), "graph", None) == graph


def test_choose_understands(tmp_path, table):
    done = run("choose", table, "-m", "GPFA (1)", "--n-lags", 1, "--n-neighbors", 3,
               "--n-components", 1, "--folds", 2, "--jobs", 1, "--out", tmp_path)  # fmt: skip
    assert done.exit_code == 0, done.output
    assert json.loads((tmp_path / "choice.json").read_text())["method"] == "GPFA (1)"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (
            ["compare", "-m", "gfpa2"],
            "'gfpa2' is not a method. Did you mean gpfa2? Methods: random",
        ),
        (["compare", "-m", "sfa,"], "'' is not a method. Methods:"),
        (["fit", "-m", "umap"], "'umap' is not a method. Methods: random, sfa, pfa"),
        (["fit", "-m", "sfa,pfa"], "sfa,pfa names 2 methods, but only one is allowed"),
        (["fit", "-m", "gpfa2", "--graph", "full"], "GPFA (2) is GPFA with --graph star, but"),
        (["choose", "-m", "random"], "random is not available here. Methods: sfa, pfa, foreca"),
    ],
)
def test_what_is_not_understood(table, arguments, told):
    done = run(arguments[0], table, *arguments[1:])
    assert done.exit_code == 2
    assert told in words(done.output)


def test_the_shell_completes_the_last_of_several():
    assert complete_method("") == list(WORDS)
    assert complete_method("sfa,GP") == ["sfa,gpfa1", "sfa,gpfa2"]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (["-c", "a,c"], ["a", "c"]),
        (["-c", "c, a"], ["c", "a"]),
        (["-c", "a", "-c", "c"], ["a", "c"]),
        (["-c", "wind, east", "-c", "b"], ["wind, east", "b"]),
        (["-c", 'b,"wind, east"'], ["b", "wind, east"]),
    ],
)
def test_columns_with_commas_between_and_in_them(tmp_path, table, given, expected):
    model = tmp_path / "m.predfeat"
    done = run("fit", table, *given, "-m", "sfa", "--out", model)
    assert done.exit_code == 0, done.output
    assert read_header(model).notes["predfeat"]["columns"] == expected
    assert run("transform", model, table, "--out", tmp_path / "f.csv").exit_code == 0


def test_one_of_several_columns_is_not_there(table):
    done = run("fit", table, "-c", "a,d", "-m", "sfa")
    assert done.exit_code != 0
    assert "has no column 'd'" in str(done.exception)
