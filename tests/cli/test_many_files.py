"""Commands on several files: a sequence from each, and one table of features."""

import json

import numpy as np
import pytest


@pytest.fixture
def trials(tmp_path):
    rng = np.random.default_rng(0)
    folder = tmp_path / "trials"
    folder.mkdir()
    for i in (2, 10):
        values = np.cumsum(rng.normal(size=(60, 3)), axis=0)
        lines = [f"{t},{a},{b},{c}" for t, (a, b, c) in enumerate(values.tolist())]
        (folder / f"trial{i}.csv").write_text("time,a,b,c\n" + "\n".join(lines) + "\n")
    return folder


def test_fit_transform_measure_and_info(trials, tmp_path, run_main):
    model, features = tmp_path / "model.predfeat", tmp_path / "features.csv"
    code, _, err = run_main("fit", trials, "-m", "sfa", "--out", model)
    assert (code, "2 files (trial2.csv to trial10.csv)" in err) == (0, True)
    code, out, _ = run_main("info", model, "--json")
    assert json.loads(out)["fitted_to"]["n_files"] == 2
    files = sorted(trials.iterdir())
    code, _, _ = run_main("transform", model, *files, "--out", features)
    assert code == 0
    lines = features.read_text().splitlines()
    assert lines[0].startswith("file,time,sfa0")
    assert [line.split(",")[0] for line in lines[1:]] == ["trial2.csv"] * 60 + ["trial10.csv"] * 60
    pattern = str(trials / "*.csv")
    code, out, _ = run_main("measure", pattern, "--json")
    assert json.loads(out)["source"] == "2 files (trial2.csv to trial10.csv)"
    code, out, _ = run_main("info", trials, "--json")
    assert json.loads(out)["n_sequences"] == 2


def test_day_first_is_an_option(tmp_path, run_main):
    path = tmp_path / "table.csv"
    path.write_text("date,x\n" + "".join(f"{i:02}/01/2012,{i % 3}\n" for i in range(1, 13)))
    code, _, err = run_main("info", path)
    assert (code, "--day-first or --month-first" in err) == (2, True)
    for option, unit in (("--day-first", "s"), ("--month-first", "months")):
        code, out, _ = run_main("info", path, option, "--json")
        assert (code, json.loads(out)["unit"]) == (0, unit)
