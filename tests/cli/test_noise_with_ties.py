"""Noise of counts, bits, clipped and rounded values is noise in every command."""

import json

import numpy as np
import pytest

from commands import run
from csv_tables import write_array

NOISES = {
    "counts": lambda random: random.poisson(0.1, size=(3000, 3)),
    "bits": lambda random: random.integers(0, 2, size=(3000, 3)),
    "clipped": lambda random: random.normal(size=(3000, 3)).clip(-0.5, 0.5),
    "quantised": lambda random: random.normal(size=(3000, 3)).round(),
}


@pytest.mark.parametrize("kind", NOISES)
def test_everything_is_left_to_chance(kind, tmp_path):
    noise = NOISES[kind](np.random.default_rng(0))
    path, out = tmp_path / "noise.csv", tmp_path / "out"
    write_array(path, noise, "a,b,c", fmt="%.12g")
    measured = run("measure", path, "--json")
    rows = json.loads(measured.stdout)["measures"]
    assert len(rows) == 4
    np.testing.assert_allclose([row["left_to_chance"] for row in rows], 1.0, atol=0.05)
    options = ["-m", "random,sfa,gpfa", "--repetitions", "3", "--no-diagnosis", "--json"]
    compared = run("compare", path, *options, "--out", out)
    for method in json.loads(compared.stdout)["methods"]:
        np.testing.assert_allclose(method["test_share"], 1.0, atol=0.05)
