"""What `predfeat info` prints, read as a person would."""

import re

import numpy as np
from sklearn.pipeline import Pipeline

from commands import run_well
from csv_tables import write_array
from predfeat import SFA, save
from predfeat.datasets import FileColumn, Recording
from predfeat.features import FewChannels, Patches, SpectralRegression
from predfeat.report._traces import time_axis


def told(*arguments):
    done = run_well("info", *arguments)
    text = " ".join(re.sub("[│┌┐└┘├┤─]", " ", done.output).split())
    assert not re.search(r"\bNone\b|\bTrue\b|[{}\[\]]|n rows", text)
    return text


def test_a_table_with_dates_and_a_gap(tmp_path):
    path = tmp_path / "days.csv"
    lines = [f"2026-01-{day:02},{np.sin(day):.3f},{np.cos(day):.3f},yes" for day in range(1, 29)]
    lines[7] = "2026-01-08,,0.5,yes"
    path.write_text("\n".join(["date,a,b", *[line[:-4] for line in lines]]) + "\n")
    text = told(path)
    assert "rows 28, of which 1 are gaps: 2 stretches without one" in text
    assert "columns 2: a, b" in text
    assert "missing cells 1 of a" in text
    assert "row to row 1 day, from 2026-01-01 on" in text


def test_sequences(tmp_path):
    path = tmp_path / "trials.csv"
    rows = [f"{int(i >= 12)},{np.sin(i)},{2 * np.sin(i)}" for i in range(30)]
    path.write_text("\n".join(["trial,a,b", *rows]) + "\n")
    text = told(path, "--group", "trial")
    assert "sequences 2, of 12 to 18 rows" in text
    assert "columns 2, 1 of them independent: a, b" in text


def test_a_model_says_how_its_data_was_read_and_prepared(tmp_path):
    path, model = tmp_path / "table.csv", tmp_path / "m.predfeat"
    X = np.random.default_rng(0).normal(size=(50, 3))
    write_array(path, X, "a,b,c")
    fit = ["fit", path, "-m", "gpfa", "-c", "a,b", "--difference", "--init", "auto", "--out", model]
    run_well(*fit)
    text = told(model)
    assert "method GPFA" in text
    assert "normalized: yes" in text
    assert "pca_components: none" in text
    assert re.search(r"start scores: input [\d.]+; pca [\d.]+", text)
    assert "fitted to 50 rows of table.csv, 2 columns: a, b" in text
    assert "read with columns a,b, difference yes" in text


def test_models_that_hold_others(tmp_path):
    X = np.random.default_rng(0).normal(size=(60, 4))
    patches = Patches(SFA(1), patch=2).fit(X)
    save(patches, tmp_path / "patches.predfeat")
    text = told(tmp_path / "patches.predfeat")
    for words in ("method SFA on patches", "patch: 2", "n_components: 1", "rank: 2", "positions"):
        assert words in text
    chain = Pipeline([("low", patches), ("as it is", "passthrough"), ("high", SFA(1))]).fit(X)
    save(chain, tmp_path / "chain.predfeat")
    text = told(tmp_path / "chain.predfeat")
    for words in ("method SFA on patches, then SFA", "low, patch: 2", "low, rank: 2", "high, rank"):
        assert words in text
    save(SpectralRegression(1, regressor=FewChannels(2)).fit(X), tmp_path / "few.predfeat")
    assert "regressor FewChannels; max_nonzero 2" in told(tmp_path / "few.predfeat")


def test_the_start_of_a_sound_is_no_time_stamp():
    time = 0.00533333 + np.arange(9) / 4
    sound = Recording(np.zeros((9, 1)), ("x",), "a.wav", time=time, step=0.25, unit="s")
    assert time_axis(sound)["origin"] is None
    table = Recording(
        np.zeros((9, 1)), ("x",), "a.csv", time=time, step=0.25, time_column=FileColumn("t", time)
    )
    assert time_axis(table)["origin"] == "0.005333"
