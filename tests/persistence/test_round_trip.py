"""What is saved comes back: to the bit, as a plain estimator, in any process."""

import io
import json
import subprocess
import sys
import zipfile

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

import predfeat
from model_forging import ESTIMATORS, differences, members_of, series
from predfeat import GPFA, PFA, SFA, AutoFeatures, RandomFeatures, load, read_header, save

by_name = pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)
PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63) + 1, 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=15,
)


def through_file(model, path, **options):
    save(model, path, overwrite=True, **options)
    return load(path)


@by_name
@pytest.mark.parametrize("named", [False, True], ids=["array", "frame"])
def test_everything_comes_back_to_the_bit(estimator, named, tmp_path):
    X = series()
    X = pd.DataFrame(X, columns=["a", "", "λ", "x/..", 'q"']) if named else X
    model = clone(estimator).fit(X)
    again = through_file(model, tmp_path / "m.predfeat")
    assert differences(model, again) == []
    assert again.get_params() == model.get_params()
    assert hasattr(again, "feature_names_in_") == named
    assert again.transform(X).tobytes() == model.transform(X).tobytes()
    Y = model.transform(X)
    assert again.inverse_transform(Y).tobytes() == model.inverse_transform(Y).tobytes()
    assert again.score(X) == model.score(X)
    assert list(again.get_feature_names_out()) == list(model.get_feature_names_out())


@by_name
def test_a_loaded_model_is_a_plain_estimator(estimator, tmp_path):
    model = clone(estimator).fit(series())
    again = through_file(model, tmp_path / "m.predfeat")
    again.mean_ += 0.0  # its arrays are its own to write
    other = series(seed=1, n_columns=7)
    refitted, fresh = again.fit(other), clone(estimator).fit(other)
    assert np.array_equal(refitted.components_, fresh.components_)
    assert refitted.n_features_in_ == 7


@settings(max_examples=60, deadline=None)
@given(
    st.integers(1, 12).flatmap(lambda n: st.tuples(st.just(n), st.integers(1, n))),
    st.integers(0, 2**32 - 1),
)
def test_every_shape_gives_the_same_bits(tmp_path_factory, shape, seed):
    n_columns, n_components = shape
    X = np.random.default_rng(seed).normal(size=(40, n_columns))
    model = RandomFeatures(n_components, random_state=seed).fit(X)
    again = through_file(model, tmp_path_factory.getbasetemp() / "shape.predfeat")
    assert differences(model, again) == []
    assert again.transform(X).tobytes() == model.transform(X).tobytes()


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(st.text(), PLAIN, max_size=5))
def test_notes_come_back_equal(tmp_path_factory, notes):
    path = tmp_path_factory.getbasetemp() / "notes.predfeat"
    save(SFA().fit(series()), path, notes=notes, overwrite=True)
    assert read_header(path).notes == notes
    load(path)


def test_numpy_numbers_as_parameters_come_back_plain(tmp_path):
    model = PFA(np.int64(2), n_lags=np.int32(3), pca_components=np.float64(0.9)).fit(series())
    again = through_file(model, tmp_path / "m.predfeat")
    assert again.get_params() == model.get_params()
    assert {type(value) for value in again.get_params().values()} == {int, float}


@pytest.mark.parametrize("as_given", [np.asarray, np.asfortranarray, list, pd.DataFrame])
def test_a_given_start_comes_back_as_the_matrix_it_is(as_given, tmp_path):
    start = np.random.default_rng(1).normal(size=(5, 3))
    model = GPFA(2, init=as_given(start), max_iter=2).fit(series())
    again = through_file(model, tmp_path / "m.predfeat")
    assert np.array_equal(again.init, start)
    assert read_header(tmp_path / "m.predfeat").parameters["init"] == {"array": "init"}
    refitted = again.fit(series())
    assert np.array_equal(refitted.components_, model.components_)


@pytest.mark.parametrize(
    ("estimator", "kept", "scores"),
    [
        (AutoFeatures(1, n_neighbors=4), "best_candidate_", "scores_"),
        (GPFA(1, n_neighbors=4, max_iter=3, init="auto"), "init_", "start_scores_"),
    ],
    ids=["AutoFeatures", "GPFA"],
)
def test_who_won_comes_back_with_all_scores(estimator, kept, scores, tmp_path):
    model = estimator.fit(series())
    again = through_file(model, tmp_path / "m.predfeat")
    assert differences(model, again) == []
    assert getattr(again, kept) in getattr(again, scores)
    assert list(getattr(again, scores)) == list(getattr(model, scores))
    fitted = read_header(tmp_path / "m.predfeat").fitted
    assert (fitted[kept], fitted[scores]) == (getattr(model, kept), getattr(model, scores))


def test_a_fit_without_a_contest_forgets_an_earlier_one(tmp_path):
    model = GPFA(1, n_neighbors=4, max_iter=3, init="auto").fit(series())
    model.set_params(init="input").fit(series())
    again = through_file(model, tmp_path / "m.predfeat")
    assert not hasattr(again, "init_")
    assert not hasattr(again, "start_scores_")


def test_parameters_changed_after_the_fit_come_back_changed(tmp_path):
    model = SFA(2).fit(series()).set_params(n_components=4)
    again = through_file(model, tmp_path / "m.predfeat")
    assert again.n_components == 4
    assert again.transform(series()).shape == (80, 2)


def test_settings_of_the_session_are_not_kept(tmp_path):
    model = SFA(2).set_output(transform="pandas").fit(series())
    again = through_file(model, tmp_path / "m.predfeat")
    assert isinstance(model.transform(series()), pd.DataFrame)
    assert isinstance(again.transform(series()), np.ndarray)


@by_name
def test_same_model_same_bytes(estimator, tmp_path):
    model = clone(estimator).fit(series())
    save(model, tmp_path / "one")
    save(model, tmp_path / "two")
    save(load(tmp_path / "one"), tmp_path / "three")
    one, two, three = ((tmp_path / name).read_bytes() for name in ("one", "two", "three"))
    assert one == two == three


def test_another_process_gives_the_same_bits(tmp_path):
    model = GPFA(2, n_lags=2, n_neighbors=4, max_iter=3).fit(series())
    save(model, tmp_path / "m.predfeat")
    np.save(tmp_path / "x.npy", series(seed=5))
    code = (
        "import sys, numpy as np; from predfeat import load; "
        "sys.stdout.buffer.write(load(sys.argv[1]).transform(np.load(sys.argv[2])).tobytes())"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code, tmp_path / "m.predfeat", tmp_path / "x.npy"],
        capture_output=True,
        check=True,
        timeout=120,
    )
    assert done.stdout == model.transform(series(seed=5)).tobytes()


@by_name
def test_any_zip_program_and_numpy_can_read_the_file(estimator, tmp_path):
    model = clone(estimator).fit(series())
    save(model, tmp_path / "m.predfeat")
    with zipfile.ZipFile(tmp_path / "m.predfeat") as archive:
        assert archive.testzip() is None
        assert {info.date_time for info in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        fields = json.loads(archive.read("model.json"))
        for entry in fields["arrays"]:
            content = io.BytesIO(archive.read(f"{entry['name']}.npy"))
            array = np.load(content, allow_pickle=False)
            name, _, key = entry["name"].partition(".")
            kept = getattr(model, name)[key] if key else getattr(model, name)
            assert np.array_equal(array, kept, equal_nan=True)
            assert content.read() == b""
    assert fields["estimator"] == type(model).__name__
    assert fields["predfeat"] == predfeat.__version__


def test_the_header_tells_about_the_model_without_reading_arrays(tmp_path):
    model = PFA(3, n_lags=2).fit(pd.DataFrame(series(), columns=list("abcde")))
    save(model, tmp_path / "m.predfeat", notes={"source": "here"})
    data = (tmp_path / "m.predfeat").read_bytes()
    # All after the description is gone: it is not looked at.
    (tmp_path / "cut").write_bytes(data[: data.index(b"mean_.npy")])
    header = read_header(tmp_path / "cut")
    assert header == read_header(tmp_path / "m.predfeat")
    assert (header.estimator, header.columns) == ("PFA", tuple("abcde"))
    assert (header.n_columns, header.fitted) == (5, {"rank_": 5})
    assert header.parameters == model.get_params()
    assert header.notes == {"source": "here"}
    shapes = {entry.name: entry.shape for entry in header.arrays}
    assert shapes["components_"] == (3, 5)
    assert json.loads(members_of(data)["model.json"])["sha256"] == header.sha256


def fingerprint(model, path, **options):
    save(model, path, overwrite=True, **options)
    return read_header(path).fingerprint


def test_the_fingerprint_is_that_of_the_training(tmp_path):
    path = tmp_path / "m.predfeat"
    estimator = GPFA(2, n_neighbors=4, max_iter=3, tol=0)
    first = fingerprint(clone(estimator).fit(series()), path)
    second = clone(estimator).fit(series())
    second.history_["seconds"] += 1.0  # another machine's time
    assert fingerprint(second, path, notes={"run": 2}) == first
    assert fingerprint(second.set_params(n_jobs=2), path) == first
    assert fingerprint(clone(estimator).fit(series(seed=1)), path) != first
    frame = pd.DataFrame(series(), columns=list("abcde"))
    assert fingerprint(clone(estimator).fit(frame), path) != first
