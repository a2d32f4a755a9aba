"""--every, --detrend, --difference and --delays, and that a model remembers them."""

import json

import numpy as np
import pytest

from commands import run_well as run
from csv_tables import write_array
from predfeat import SFA, load, read_header
from predfeat.datasets import prepare, read

N_ROWS = 120


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N_ROWS, 2)).cumsum(axis=0).cumsum(axis=0)
    path = tmp_path / "walks.csv"
    write_array(path, X, "here,there")
    return path


OPTIONS = {
    "every": ("--every", "2"),
    "detrend": ("--detrend",),
    "difference": ("--difference",),
    "delays": ("--delays", "2"),
}
WANTED = {"every": 2, "detrend": True, "difference": True, "delays": 2}


@pytest.mark.parametrize("chosen", [["difference"], ["detrend", "delays"], list(OPTIONS)])
def test_a_model_prepares_new_data_as_its_own(tmp_path, table, chosen):
    model, out = tmp_path / "m.predfeat", tmp_path / "features.npy"
    options = [word for name in chosen for word in OPTIONS[name]]
    run("fit", table, "-m", "sfa", "--n-components", 1, *options, "--out", model)
    wanted = {name: WANTED[name] for name in chosen}
    prepared = prepare(read(table), **wanted)
    fitted = SFA(1).fit(prepared.values)
    np.testing.assert_array_equal(load(model).components_, fitted.components_)
    assert read_header(model).notes["predfeat"]["reading"] == wanted
    assert read_header(model).notes["predfeat"]["columns"] == ["here", "there"]

    # Another file, its columns the other way round, with one more that is full of holes.
    other = tmp_path / "other.csv"
    rows = [f"{b!r},,{a!r}" for a, b in read(table).values.tolist()]
    rows[0] = rows[0].replace(",,", ",1,")
    other.write_text("\n".join(["there,holes,here", *rows]) + "\n")
    run("transform", model, other, "--out", out)
    np.testing.assert_array_equal(np.load(out), fitted.transform(prepared.values))


def test_what_a_model_remembers_can_be_taken_back(tmp_path, table):
    model, out = tmp_path / "m.predfeat", tmp_path / "features.npy"
    run("fit", table, "-m", "sfa", "--n-components", 1, "--difference", "--out", model)
    run("transform", model, table, "--no-difference", "--out", out)
    np.testing.assert_array_equal(np.load(out), load(model).transform(read(table).values))


def test_measure_choose_and_compare_prepare_too(tmp_path, table):
    told = json.loads(run("measure", table, "--difference", "--json").stdout)
    assert [row["column"] for row in told["measures"]][:2] == ["Δ here", "Δ there"]
    run("choose", table, "--difference", "--n-lags", 1, "--n-neighbors", 3, "--n-components", 1,
        "--folds", 2, "--jobs", 1, "--out", tmp_path / "choice", "-m", "sfa")  # fmt: skip
    run("compare", table, "--difference", "--every", 2, "-m", "sfa", "--repetitions", 1,
        "--no-diagnosis", "--n-components", 1, "--out", tmp_path / "out")  # fmt: skip
    results = json.loads((tmp_path / "out" / "results.json").read_text())
    assert results["data"]["n_rows"] == N_ROWS // 2
    lines = (tmp_path / "out" / "features.csv").read_text().splitlines()
    assert len(lines) == 1 + N_ROWS // 2
    assert lines[1] == "1,"
    assert lines[2].startswith("3,")


def test_a_model_without_such_notes_still_works(tmp_path, table):
    from predfeat.persistence import save

    model, out = tmp_path / "m.predfeat", tmp_path / "features.npy"
    fitted = SFA(1).fit(read(table).values)
    save(fitted, model, notes={"columns": ["here", "there"], "source": "walks.csv"})
    run("transform", model, table, "--out", out)
    np.testing.assert_array_equal(np.load(out), fitted.transform(read(table).values))
