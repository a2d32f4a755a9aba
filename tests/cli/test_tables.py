"""Tables as they are, at the command: what is kept, left out and missing; and models remember."""

import json

import numpy as np
import pytest

from commands import run
from predfeat import load
from predfeat.datasets import read

N_ROWS = 80


@pytest.fixture
def weather(tmp_path):
    """A table with an index, hours, a column that is mostly empty, and a sentinel."""
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, N_ROWS)).round(3).tolist()
    lines = ["index,hour,x,gust,y"]
    for i in range(N_ROWS):
        gust = f"{x[i] + y[i]:.2f}" if i % 8 == 0 else ""
        lines.append(f"{i},{i % 24},{-999 if i in (5, 6) else x[i]},{gust},{y[i]}")
    path = tmp_path / "weather.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def columns_of(*arguments):
    return json.loads(run("info", *arguments, "--json").stdout)["columns"]


def test_keep_exclude_and_missing(weather):
    assert columns_of(weather) == ["x", "y"]
    assert columns_of(weather, "--keep", "hour,gust") == ["hour", "x", "gust", "y"]
    assert columns_of(weather, "--keep", "hour", "--keep", "gust") == ["hour", "x", "gust", "y"]
    assert columns_of(weather, "--exclude", "y,hour") == ["x"]
    facts = json.loads(run("info", weather, "--missing", "-999", "--json").stdout)
    assert facts["n_gap_rows"] == 2
    assert json.loads(run("info", weather, "--missing", "?,-999", "--json").stdout) == facts
    assert "no column 'z' (`exclude`)" in str(run("info", weather, "--exclude", "z").exception)
    said = run("measure", weather).stderr
    for part in ("'index' (constant steps)", "'gust' (empty in 70 of 80 rows)", "holds -999"):
        assert part in said


def test_a_model_reads_what_it_was_fitted_on(tmp_path, weather):
    """Whatever that looks like in another file, and whatever else is in there."""
    model, out = tmp_path / "m.predfeat", tmp_path / "f.csv"
    fit = ("fit", weather, "-m", "sfa", "--n-components", "1", "--missing", "-999", "--out", model)
    assert run(*fit, "--exclude", "gust").exit_code == 0
    components = load(model).components_
    # Here x is a counter, y almost empty, and what was excluded is not there.
    other = tmp_path / "other.csv"
    y = ["" if i % 20 else str(i % 3) for i in range(40)]
    rows = [f"{y[i]},{-999 if i == 20 else i},{i % 7}" for i in range(40)]
    other.write_text("y,x,z\n" + "\n".join(rows) + "\n")
    assert read(other, missing="-999").names == ("y",)
    done = run("transform", model, other, "--out", out)
    assert done.exit_code == 0, done.output
    features = read(out, columns=["sfa0"]).values[:, 0]
    assert np.isfinite(features[[0]]).all()
    assert np.isnan(features[20])  # the sentinel is remembered
    assert np.flatnonzero(np.isfinite(features)).tolist() == [0]
    fitted = load(model)
    np.testing.assert_allclose(features[0], ([0.0, 0.0] - fitted.mean_) @ components[0])


def test_a_model_of_a_kept_column_finds_it_again(tmp_path, weather):
    model, out = tmp_path / "m.predfeat", tmp_path / "f.csv"
    fit = ("fit", weather, "-m", "sfa", "--n-components", "1", "--keep", "hour", "--out", model)
    assert run(*fit).exit_code == 0
    assert run("transform", model, weather, "--out", out).exit_code == 0
    expected = load(model).transform(read(weather, keep="hour").values)
    np.testing.assert_array_equal(read(out, columns=["sfa0"]).values, expected)


def test_columns_that_a_file_has_not_are_named(tmp_path, weather):
    model, other = tmp_path / "m.predfeat", tmp_path / "other.csv"
    assert run("fit", weather, "-m", "sfa", "--n-components", "1", "--out", model).exit_code == 0
    other.write_text("x,z\n1,2\n4,4\n")
    message = str(run("transform", model, other, "--out", tmp_path / "f.csv").exception)
    assert message.startswith(
        "other.csv does not have the columns that the model was fitted to: y is"
    )


def test_info_lists_what_was_left_out(weather):
    assert json.loads(run("info", weather, "--json").stdout)["left_out"] == [
        "index", "hour", "gust",
    ]  # fmt: skip
    assert "index, hour, gust" in run("info", weather).stdout
