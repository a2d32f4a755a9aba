"""Notes may hold anything: the user's own are left alone, and the command's are checked."""

import json

import numpy as np
import pytest

from commands import run
from csv_tables import write_array
from predfeat import SFA, read_header, save
from predfeat.exceptions import ModelFileError
from predfeat.persistence import _save_load


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "walks.csv"
    X = np.cumsum(np.random.default_rng(0).normal(size=(80, 3)), axis=0)
    write_array(path, X, "a,b,c")
    return path


def model_with(notes, tmp_path, table):
    model = tmp_path / "model.predfeat"
    X = np.loadtxt(table, delimiter=",", skiprows=1)
    save(SFA().fit(X), model, notes=notes, overwrite=True)
    return model


def uses(model, table, tmp_path):
    """Yield how each command that looks at notes ends."""
    yield run("transform", model, table, "--out", tmp_path / "f.csv", "--force", "--quiet")
    yield run("measure", table, "--model", model, "--quiet")
    yield run("info", model)
    yield run("info", model, "--json")


OWN = [
    {"reading": "first try"},
    {"reading": {"columns": 5}},
    {"columns": 3, "source": ["x"]},
    {"source": "walks.csv", "columns": ["q"], "mood": "good"},
    {"sentinels": [[1]]},
    {"n_rows": "many", "window": None},
]


@pytest.mark.parametrize("notes", OWN, ids=json.dumps)
def test_notes_of_ones_own_are_no_matter_to_the_command(tmp_path, table, notes):
    model = model_with(notes, tmp_path, table)
    for done in uses(model, table, tmp_path):
        assert done.exit_code == 0, (done.output, done.exception)
    assert json.loads(done.stdout)["notes"] == notes
    assert json.loads(done.stdout)["fitted_to"] == {}
    assert read_header(model).notes == notes


FORGED = [
    None,
    "x",
    [],
    7,
    {"reading": "first try"},
    {"reading": {"columns": 5}},
    {"reading": {"columns": [5]}},
    {"reading": {"window": [1, 2, 3]}},
    {"reading": {"window": [1, 2, 3, True]}},
    {"reading": {"every": 2**60}},
    {"reading": {"every": 1.5}},
    {"reading": {"quiet": True}},
    {"reading": {"header": "yes"}},
    {"reading": {"rate": "fast"}},
    {"columns": "abc"},
    {"columns": [1]},
    {"source": 4},
    {"n_rows": -1},
    {"n_files": True},
    {"sentinels": [["a"]]},
    {"sentinels": [["a", "b"]]},
    {"sentinels": 3},
    {"more": 1},
]


@pytest.mark.parametrize("known", FORGED, ids=json.dumps)
def test_forged_notes_of_the_command_are_refused_in_words(tmp_path, table, known):
    model = model_with({"predfeat": known}, tmp_path, table)
    for done in uses(model, table, tmp_path):
        assert isinstance(done.exception, ModelFileError)
        assert "Save the model again, with other notes." in str(done.exception)


def test_the_command_s_notes_stand_beside_ones_own(tmp_path, table):
    model = tmp_path / "m.predfeat"
    assert run("fit", table, "-m", "sfa", "--out", model, "--columns", "a,c").exit_code == 0
    notes = read_header(model).notes
    assert list(notes) == ["predfeat"]
    again = tmp_path / "again.predfeat"
    save(_save_load.load(model), again, notes={**notes, "reading": "first try"})
    features = [tmp_path / "1.csv", tmp_path / "2.csv"]
    for each, out in zip((model, again), features, strict=True):
        assert run("transform", each, table, "--out", out).exit_code == 0
    assert features[0].read_bytes() == features[1].read_bytes()
    facts = json.loads(run("info", again, "--json").stdout)
    assert facts["notes"] == {"reading": "first try"}
    assert facts["fitted_to"]["columns"] == ["a", "c"]


def test_notes_of_the_first_version_are_understood(tmp_path, table):
    model = tmp_path / "m.predfeat"
    run("fit", table, "-m", "sfa", "--out", model, "--columns", "c,a")
    old = tmp_path / "old.predfeat"
    save(_save_load.load(model), old, notes=read_header(model).notes["predfeat"])
    outs = [tmp_path / "1.csv", tmp_path / "2.csv"]
    for each, out in zip((model, old), outs, strict=True):
        assert run("transform", each, table, "--out", out).exit_code == 0
    assert outs[0].read_bytes() == outs[1].read_bytes()


def test_a_model_is_opened_once(tmp_path, table, monkeypatch):
    model, opened = model_with({}, tmp_path, table), []
    once = _save_load._opened

    def counted(path):
        opened.append(path)
        return once(path)

    monkeypatch.setattr(_save_load, "_opened", counted)
    for done in uses(model, table, tmp_path):
        assert done.exit_code == 0
        assert opened == [model]
        opened.clear()
