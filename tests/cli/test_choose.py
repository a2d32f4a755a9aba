"""`predfeat choose`, from a file to a page."""

import json

import numpy as np
import pytest

from commands import run
from csv_tables import write_array
from predfeat import GPFA, SFA
from predfeat.datasets import predictable_noise
from predfeat.selection import choose

FEW = ("--n-lags", "1-2", "--n-neighbors", "5,10", "--n-components", "1-3", "--jobs", "1")


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "noise.csv"
    X = predictable_noise(600, 5, random_state=0)
    write_array(path, X, "a,b,c,d,e", fmt="%.17g")
    return path


def test_the_library_s_choice_is_shown_and_written(tmp_path, table):
    out = tmp_path / "out"
    done = run("choose", table, "--out", out, *FEW)
    assert done.exit_code == 0, done.output
    X = np.loadtxt(table, delimiter=",", skiprows=1)
    tried = {"n_lags": (1, 2), "n_neighbors": (5, 10), "n_components": (1, 2, 3)}
    expected = choose(X, groups=np.zeros(600), **tried, method=GPFA())
    results = json.loads((out / "choice.json").read_text(encoding="utf-8"))
    np.testing.assert_array_equal(results["scores"], expected.surface.scores)
    assert results["chosen"]["n_components"] == expected.chosen.n_components == 2
    assert results["chosen"]["n_lags"] == expected.chosen.n_lags == 1
    assert results["confirmed"]["predicted"] == expected.confirmed.predicted
    assert len(results["settings"]) == 2 * 2 * 3
    assert f"{expected.chosen.predicted:.2f} ± {expected.chosen.error:.2f}" in done.output
    page = (out / "choice.html").read_text(encoding="utf-8")
    assert "<h1>2 features, predicted from the last step</h1>" in page
    assert page.count("<tr>") == 3  # the head, and one for each p
    assert "http" not in page.replace("http-equiv", "").replace("http://www.w3.org", "")


def test_json_for_another_method_and_fewer_rows(tmp_path, table):
    done = run("choose", table, "--out", tmp_path, *FEW, "-m", "sfa", "--max-rows", "500", "--json")
    assert done.exit_code == 0, done.output
    results = json.loads(done.stdout)
    assert results["method"] == SFA.__name__
    assert results["held_out"] == "blocks"  # of a single sequence
    assert results["chosen"]["n_neighbors"] is None
    assert "n_neighbors" not in results["undecided"]
    assert results["command"].startswith("predfeat")


def test_noise_is_called_noise(tmp_path):
    path = tmp_path / "noise.npy"
    np.save(path, np.random.default_rng(0).normal(size=(400, 3)))
    done = run("choose", path, "--out", tmp_path, *FEW)
    assert done.exit_code == 0, done.output
    page = (tmp_path / "choice.html").read_text(encoding="utf-8")
    assert "<h1>GPFA (2) predicts nothing that was held out</h1>" in page
    assert "Nothing was predicted in data that was held out" in page


def test_nothing_is_overwritten(tmp_path, table):
    (tmp_path / "choice.html").write_text("mine")
    done = run("choose", table, "--out", tmp_path, *FEW)
    assert isinstance(done.exception, FileExistsError)
    assert (tmp_path / "choice.html").read_text() == "mine"
    assert run("choose", table, "--out", tmp_path, *FEW, "--force", "-q").exit_code == 0
    assert (tmp_path / "choice.html").read_text() != "mine"


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ("", "not a list"),
        ("1;2", "not a list"),
        ("1.5", "not a list"),
        ("5-2", "ascending"),
        ("0-3", "1 or more"),
    ],
)
def test_values_that_are_none(tmp_path, table, values, says):
    done = run("choose", table, "--out", tmp_path, "--n-lags", values)
    assert done.exit_code == 2
    assert says in done.output


def test_lists_and_ranges_mix(tmp_path, table):
    done = run(
        "choose", table, "--out", tmp_path, "--n-lags", "1", "--n-neighbors", "5",
        "--n-components", "1-2,4", "--json", "--folds", "3",
    )  # fmt: skip
    assert [s["n_components"] for s in json.loads(done.stdout)["settings"]] == [1, 2, 4]


def test_a_horizon_and_a_limit_are_told(tmp_path):
    t, noise = np.arange(300), np.random.default_rng(0).normal(size=(300, 2))
    path = tmp_path / "wave.csv"
    rows = np.column_stack([9 * np.sin(0.8 * t), noise])
    write_array(path, rows, "a,b,c")
    options = ("--n-lags", "2", "--n-neighbors", "5", "--n-components", "1-2", "--jobs", "1")
    done = run("choose", path, *options, "--horizon", "7", "--max-rows", "250", "--out", tmp_path)
    assert done.exit_code == 0, done.output
    words = " ".join(done.output.split())
    assert "of 1, 7 steps ahead" in words
    assert " of 300 rows were used: --max-rows uses more." in words
    found = json.loads((tmp_path / "choice.json").read_text())
    assert found["horizon"] == 7
    page = (tmp_path / "choice.html").read_text()
    assert "predicted from the last 2 steps, 7 steps ahead" in page


def test_nothing_predicted_is_said_once_and_not_taken_back(tmp_path):
    path = tmp_path / "noise.csv"
    rows = np.random.default_rng(1).normal(size=(120, 3))
    write_array(path, rows, "a,b,c")
    done = run("choose", path, *FEW, "--out", tmp_path)
    assert done.exit_code == 0, done.output
    assert "Nothing was predicted in data that was held out" in done.output
    page = (tmp_path / "choice.html").read_text()
    assert "predicts nothing that was held out" in page
    for text in (done.output, page):
        assert ": predicts" not in text
        assert "% of its features" not in text
