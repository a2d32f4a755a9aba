"""Time stamps and group ids through the command: as they stand in the file, to the last digit."""

import csv
import json

import numpy as np
import pytest

from commands import run_well as run

N_ROWS = 60


@pytest.fixture
def trials(tmp_path):
    """Three trials with integer nanoseconds, in the order of time, and ids that are odd."""
    x, y = np.random.default_rng(0).normal(size=(2, N_ROWS)).cumsum(axis=1).tolist()
    times = [str(1_700_000_000_123_456_789 + 1000 * i) for i in range(N_ROWS)]
    ids = np.repeat(["007", "=1+1", ' "a, b" '], N_ROWS // 3).tolist()
    path = tmp_path / "trials.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_ALL)
        writer.writerow(["t", "trial", "x", "y"])
        writer.writerows(zip(times, ids, x, y, strict=True))
    return path, [list(pair) for pair in zip(times, ids, strict=True)]


def test_transform_writes_the_cells_of_the_file(tmp_path, trials):
    path, cells = trials
    model, out = tmp_path / "m.predfeat", tmp_path / "features.csv"
    roles = ("--time", "t", "--group", "trial")
    run("fit", path, "-m", "sfa", "--n-components", "1", "--out", model, *roles, "--quiet")
    run("transform", model, path, "--out", out, "--quiet")
    with out.open(newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file, strict=True))
    assert rows[0][:2] == ["t", "trial"]
    assert [row[:2] for row in rows[1:]] == cells
    every = tmp_path / "every.csv"
    run("transform", model, path, "--out", every, "--every", "2", "--quiet")
    with every.open(newline="", encoding="utf-8") as file:
        assert [row[:2] for row in csv.reader(file)][1:] == cells[::2]


def test_info_tells_the_step(trials):
    facts = json.loads(run("info", trials[0], "--group", "trial", "--time", "t", "--json").stdout)
    assert (facts["step"], facts["unit"]) == (1e-6, "s")
