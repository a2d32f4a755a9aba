"""What cannot be saved or loaded is refused by name, before memory is taken or code runs."""

import json
import os
import pickle
import tracemalloc
import zipfile

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from model_forging import forged, members_of, packed, series
from predfeat import GPFA, SFA, AutoFeatures, RandomFeatures, load, read_header, save
from predfeat.exceptions import ModelFileError
from predfeat.persistence import _save_load


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """The bytes of a good file."""
    path = tmp_path_factory.mktemp("good") / "m.predfeat"
    start = np.eye(5)[:, :2]
    save(GPFA(2, n_neighbors=4, max_iter=3, init=start).fit(series()), path, notes={"a": [1, 2]})
    return path.read_bytes()


@pytest.fixture
def refused(tmp_path):
    """Return a function that checks that bytes are refused with a message."""

    def check(data, message):
        path = tmp_path / "bad.predfeat"
        path.write_bytes(data)
        with pytest.raises(ModelFileError, match=message) as caught:
            load(path)
        assert str(path) in str(caught.value)

    return check


# Saving


def test_only_fitted_estimators_of_predfeat_are_saved(tmp_path):
    path = tmp_path / "m.predfeat"
    with pytest.raises(NotFittedError):
        save(SFA(), path)
    for name in ("Mine", "SFA"):  # the name alone does not make it ours
        other = type(name, (SFA,), {"__init__": SFA.__init__})
        with pytest.raises(ModelFileError, match=rf"one of GPFA, SFA, .*not a {name}\."):
            save(other().fit(series()), path)
    pipeline = make_pipeline(StandardScaler(), SFA()).fit(series())
    message = r"'standardscaler' .* a StandardScaler.*save\(pipeline\[-1\], path\)"
    with pytest.raises(ModelFileError, match=message):
        save(pipeline, path)
    assert os.listdir(tmp_path) == []
    save(pipeline[-1], path)


@pytest.mark.parametrize(
    ("notes", "message"),
    [
        ([1], "no dict: list"),
        ({"a": (1, 2)}, "there is a tuple"),
        ({"a": [np.int64(1)]}, "there is a int64"),
        ({"a": float("nan")}, "the number nan"),
        ({"a": 2**63}, "a number of 64 bits"),
        ({"a": {1: 2}}, "a key of type int"),
        ({"a": b"x"}, "there is a bytes"),
    ],
)
def test_notes_that_would_change_are_refused(notes, message, tmp_path):
    with pytest.raises(ModelFileError, match=message):
        save(SFA().fit(series()), tmp_path / "m.predfeat", notes=notes)


def test_notes_that_hold_themselves_or_too_much_are_refused(tmp_path):
    model, path = SFA().fit(series()), tmp_path / "m.predfeat"
    circle = {}
    circle["me"] = circle
    with pytest.raises(ModelFileError, match="nested more than 20 deep"):
        save(model, path, notes=circle)
    with pytest.raises(ModelFileError, match=r"take \d+ bytes, more than the 8388608"):
        save(model, path, notes={"a": "x" * 2**23})
    save(model, path, notes={"a": "x" * (2**23 - 2000)})
    load(path)


def test_a_file_that_could_not_be_loaded_is_not_written(tmp_path, monkeypatch):
    monkeypatch.setattr(_save_load, "MAX_FILE_BYTES", 1000)
    with pytest.raises(ModelFileError, match=r"takes \d{4} bytes, more than the 1000"):
        save(SFA().fit(series()), tmp_path / "m.predfeat")
    assert os.listdir(tmp_path) == []


def test_parameters_that_are_no_plain_values_are_refused(tmp_path):
    path = tmp_path / "m.predfeat"
    model = RandomFeatures(random_state=np.random.RandomState(0)).fit(series())
    with pytest.raises(ModelFileError, match=r"random_state is a RandomState.*set_params"):
        save(model, path)
    save(model.set_params(random_state=0), path)
    model = GPFA(max_iter=1).fit(series()).set_params(theiler=2**70)
    with pytest.raises(ModelFileError, match="theiler is a number of 71 bits"):
        save(model, path, overwrite=True)
    with pytest.raises(ValueError, match="'n_components' parameter"):
        save(SFA().fit(series()).set_params(n_components=-1), path, overwrite=True)


def test_models_that_fit_did_not_leave_so_are_refused(tmp_path):
    path = tmp_path / "m.predfeat"
    added, lacking, spoilt, cut, narrow = (SFA().fit(series()) for _ in range(5))
    added.mine_ = 3
    with pytest.raises(ModelFileError, match="mine_ is missing or was added"):
        save(added, path)
    del lacking.rank_
    with pytest.raises(ModelFileError, match="rank_ is missing or was added"):
        save(lacking, path)
    spoilt.components_[0, 0] = np.nan
    with pytest.raises(ModelFileError, match="components_ holds 1 NaN"):
        save(spoilt, path)
    cut.patterns_ = cut.patterns_[:1]
    with pytest.raises(ModelFileError, match=r"patterns_ has shape \(1, 5\), but .* \(2, 5\)"):
        save(cut, path)
    narrow.mean_ = narrow.mean_.astype(np.float32)
    with pytest.raises(ModelFileError, match="mean_ is float32"):
        save(narrow, path)
    assert os.listdir(tmp_path) == []


def test_an_existing_file_stays_unless_asked(tmp_path):
    path = tmp_path / "m.predfeat"
    path.write_text("mine")
    with pytest.raises(FileExistsError, match="overwrite=True"):
        save(SFA().fit(series()), path)
    assert path.read_text() == "mine"
    save(SFA().fit(series()), path, overwrite=True)
    load(path)


# Loading


@pytest.mark.parametrize("content", [b"", b"PK", b"x" * 500, pickle.dumps([1, 2])])
def test_other_files_are_refused(content, refused):
    refused(content, "does not begin as a model file does")


def test_what_is_no_file_is_refused(tmp_path):
    with pytest.raises(ModelFileError, match="directory, pipe or device"):
        load(tmp_path)
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "nothing")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ModelFileError, match="directory, pipe or device"):
        load(tmp_path / "pipe")


def test_a_huge_file_is_refused_unread(tmp_path):
    path = tmp_path / "huge"
    with path.open("wb") as stream:
        stream.truncate(2**30 + 1)  # sparse: takes no room on the disk
    with pytest.raises(ModelFileError, match="at most 1073741824"):
        load(path)


def test_a_newer_file_says_update(data, tmp_path):
    def newer(fields):
        fields.update(schema=2, predfeat="7.0", further={"a": 1}, fitted=None)

    (tmp_path / "new").write_bytes(forged(data, newer))
    for read in (load, read_header):
        with pytest.raises(ModelFileError, match=r"7\.0 with schema 2.*up to 1\. Update predfeat"):
            read(tmp_path / "new")


def test_a_parameter_of_a_newer_version_is_named(data, refused):
    def further(fields):
        fields["parameters"]["speed"] = 1

    refused(forged(data, further), "no parameter 'speed' in predfeat .* if that is newer, update")


def test_a_parameter_that_the_writer_did_not_know_has_its_default(data, tmp_path):
    def fewer(fields):
        del fields["parameters"]["theiler"]

    (tmp_path / "old").write_bytes(forged(data, fewer))
    assert load(tmp_path / "old").theiler == 0


def put(fields, where, value):
    *path, last = where
    for key in path:
        fields = fields[key]
    fields[last] = value


@pytest.mark.parametrize(
    ("where", "value", "message"),
    [
        (["format"], "other", "not one of a predfeat model"),
        (["schema"], 0, "states schema 0"),
        (["schema"], True, "'schema' no int"),
        (["estimator"], "PCA", "'PCA' is none of the estimators GPFA, .*, Pipeline"),
        (["estimator"], "Pipeline", "the parts are not those of a pipeline"),
        (["estimator"], "LinearFeatures", "none of the estimators"),
        (["estimator"], "SFA", "SFA has no parameter"),
        (["parameters", "n_lags"], 0, "parameters are not valid: .*n_lags"),
        (["parameters", "n_lags"], "1", "parameters are not valid: .*n_lags"),
        (["parameters", "graph"], "moon", "parameters are not valid: .*graph"),
        (["parameters", "n_lags"], [1], "parameter n_lags is a list"),
        (["parameters", "n_lags"], {"array": "n_lags"}, "parameter n_lags is a dict"),
        (["parameters", "init"], "pca", "arrays are not those of this GPFA"),
        (["parameters", "init"], {"array": "mean_"}, "parameter init is a dict"),
        (["n_columns"], 4, r"mean_ has shape \(5,\), but .* \(4,\)"),
        (["n_columns"], 5.0, "'n_columns' no int"),
        (["columns"], ["a"], "1 column names are given for 5"),
        (["columns"], ["a", "b", "c", "d", "a"], "same name"),
        (["columns"], [1, 2, 3, 4, 5], "neither null nor a list of names"),
        (["columns"], "abcde", "neither null nor a list of names"),
        (["fitted", "rank_"], 1, "2 features of data of rank 1"),
        (["fitted", "rank_"], 6, "rank 6 in 5 columns"),
        (["fitted", "rank_"], 5.0, "rank_ is no count"),
        (["fitted", "n_iter_"], 2, r"history_.eigenvalues has shape \(3, 2\), but"),
        (["fitted", "n_iter_"], 0, "n_iter_ is no count"),
        (["fitted", "more_"], 1, "fitted numbers are not those of GPFA"),
        (["arrays"], [], "arrays are not those"),
        (["arrays"], [[]], "no list of objects"),
        (["arrays", 0, "name"], "../mean_", "arrays are not those"),
        (["arrays", 0, "dtype"], "|O", "not of dtype <f8"),
        (["arrays", 0, "order"], "K", "not of dtype <f8 in order C or F"),
        (["arrays", 0, "shape"], [-5], "a shape that is none"),
        (["arrays", 0, "shape"], [2**62], "a shape that is none"),
        (["arrays", 0, "shape"], [5, 1, 1], "a shape that is none"),
        (["arrays", 1, "shape"], [], "has shape"),
        (["arrays", 1, "order"], "C", "components_.npy is not what"),
        (["arrays", 0, "sha256"], "0" * 64, "mean_ do not match their digest"),
        (["arrays", 0, "more"], 1, "does not match its digest"),
        (["notes"], [], "'notes' no dict"),
        (["further"], 1, "does not match its digest"),
    ],
)
def test_forged_descriptions_are_refused(where, value, message, data, refused):
    refused(forged(data, lambda fields: put(fields, where, value)), message)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda fitted: fitted.pop("best_candidate_"),
            "fitted numbers are not those of AutoFeatures",
        ),
        (lambda fitted: fitted.pop("scores_"), "fitted numbers are not those of AutoFeatures"),
        (
            lambda fitted: put(fitted, ["best_candidate_"], "SFB"),
            "best_candidate_ is none of those",
        ),
        (
            lambda fitted: put(fitted, ["best_candidate_"], ["SFA"]),
            "best_candidate_ is none of those",
        ),
        (lambda fitted: put(fitted, ["scores_"], [0.5]), "scores_ is no dict of numbers"),
        (lambda fitted: put(fitted, ["scores_"], {}), "best_candidate_ is none of those"),
        (lambda fitted: put(fitted, ["scores_", "SFA"], "1"), "scores_ is no dict of numbers"),
        (lambda fitted: put(fitted, ["scores_", "SFA"], True), "scores_ is no dict of numbers"),
    ],
)
def test_forged_winners_are_refused(change, message, refused, tmp_path):
    save(AutoFeatures(1, n_neighbors=4).fit(series()), tmp_path / "m.predfeat")
    data = (tmp_path / "m.predfeat").read_bytes()
    refused(forged(data, lambda fields: change(fields["fitted"])), message)


def test_a_best_candidate_without_scores_is_not_saved(tmp_path):
    model = AutoFeatures(1, n_neighbors=4).fit(series())
    del model.scores_
    with pytest.raises(ModelFileError, match="scores_ is missing or was added"):
        save(model, tmp_path / "m.predfeat")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: text.replace(b'"a": [1, 2]', b'"a": [1, NaN]'), "the number nan"),
        (lambda text: text.replace(b'"a": [1, 2]', b'"a": [1, -Infinity]'), "the number -inf"),
        (lambda text: text.replace(b'"a": [1, 2]', b'"a": [1, 1e999]'), "the number inf"),
        (lambda text: text.replace(b'"a": [1, 2]', b'"a": ' + b"9" * 5000), "4300 digits"),
        (lambda text: text.replace(b'"a": [1, 2]', b'"a": ' + b"9" * 4000), r"\d+ bits"),
        (lambda text: text.replace(b'"a": [1, 2]', b'"a": 1, "a": [1, 2]'), "digest"),
        (lambda text: text.replace(b'"schema": 1', b'"schema": 3, "schema": 1'), "digest"),
        (lambda text: text.replace(b"[1, 2]", b"[" * 30 + b"]" * 30), "20 deep"),
        (lambda text: text.replace(b"[1, 2]", b"[" * 10**5 + b"]" * 10**5), "20 deep"),
        (lambda text: text + b" ", "digest"),
        (lambda text: text.replace(b'"GPFA"', b'"\\u0047PFA"'), "digest"),
        (lambda text: text.decode().encode("utf-16"), "no JSON"),
        (lambda text: b"\xef\xbb\xbf" + text, "no JSON"),
        (lambda text: text[:-1], "no JSON"),
        (lambda text: b"[]", "not one of a predfeat model"),
        (lambda text: b"", "no JSON"),
    ],
)
def test_json_that_save_does_not_write_is_refused(change, message, data, refused):
    members = members_of(data)
    text = change(members["model.json"])
    assert text != members["model.json"]
    refused(packed({**members, "model.json": text}), message)


def claim_huge(fields):
    """Describe a model of 2**26 columns, everything consistent but the file's length."""
    n = 2**26
    fields["n_columns"] = n
    for entry in fields["arrays"]:
        entry["shape"] = [n if length == 5 else length for length in entry["shape"]]


def compress(data, path):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members_of(data).items():
            archive.writestr(name, content)


def test_no_memory_is_taken_for_what_is_not_there(data, refused, tmp_path):
    bomb = tmp_path / "bomb.zip"
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("model.json", b" " * 2**25)
    long = bytearray(data)
    long[18:26] = b"\xff" * 8  # the sizes before the first member
    tracemalloc.start()
    refused(forged(data, claim_huge), "bytes, but what it describes takes")
    refused(bomb.read_bytes(), "states 4294967295 bytes|does not begin|incomplete, renamed")
    refused(bytes(long), "states 4294967295 bytes")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20e6  # the claims are of 33 MB and more


def test_descriptions_are_read_in_bounded_memory(data, refused, monkeypatch):
    allowed = 2**17  # a 64th of the true bound, as tracing is slow
    assert 64 * allowed == _save_load.MAX_HEADER_BYTES
    monkeypatch.setattr(_save_load, "MAX_HEADER_BYTES", allowed)
    members = members_of(data)
    # Empty objects take most: 64 bytes and a pointer for every three of the file.
    filler = b"[" + b"{}," * ((allowed - 4) // 3) + b"{}]"
    tracemalloc.start()
    refused(packed({**members, "model.json": filler}), "not one of a predfeat model")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert 64 * peak < 400e6
    refused(packed({**members, "model.json": filler + b"    "}), f"{allowed} that are allowed")


def test_repacked_files_are_refused(data, refused, tmp_path):
    compress(data, tmp_path / "z")
    refused((tmp_path / "z").read_bytes(), "incomplete, renamed or altered")
    refused(data + b"\0", r"it has \d+ bytes")
    refused(b"\0" + data, "does not begin")
    refused(data[:-2] + b"\x01\x00" + b"!", "it has")


def test_not_finite_numbers_are_refused(data, refused):
    def spoil(name, index):
        def change(members):
            content = bytearray(members[name])
            at = len(content) - 8 * index
            content[at : at + 8] = np.float64(np.inf).tobytes()
            members[name] = bytes(content)

        return change

    refused(forged(data, change_members=spoil("mean_.npy", 2)), "mean_ holds 1 NaN or infinite")
    refused(forged(data, change_members=spoil("history_.angle.npy", 1)), "history_.angle holds 1")
    refused(forged(data, change_members=spoil("init.npy", 1)), "init holds 1")


def test_the_fields_are_those_of_the_documentation(data):
    fields = json.loads(members_of(data)["model.json"])
    assert list(fields) == [
        "format",
        "schema",
        "predfeat",
        "estimator",
        "parameters",
        "n_columns",
        "columns",
        "fitted",
        "arrays",
        "notes",
        "fingerprint",
        "sha256",
    ]
