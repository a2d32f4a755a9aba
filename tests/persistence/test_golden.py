"""Files that an earlier version wrote go on loading, without warnings, to the same features.

The files in golden/ are never written anew: they are what users have on their disks. A new schema
adds files of its own.
"""

import json
import warnings
from dataclasses import replace
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import Pipeline

from model_forging import series
from predfeat import GPFA, load, read_header, save
from predfeat.persistence._earlier_names import with_current_names
from predfeat.persistence._schema import ESTIMATORS
from predfeat.persistence._single import SINGLE

GOLDEN = Path(__file__).parent / "golden"
FILES = sorted(GOLDEN.glob("*.predfeat"))
EXPECTED = json.loads((GOLDEN / "expected.json").read_text(encoding="utf-8"))
OF_SYMBOLS = GOLDEN / "SymbolFeatures.predfeat"
OF_MATRICES = [path for path in FILES if path != OF_SYMBOLS]
each_file = pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
each_of_matrices = pytest.mark.parametrize("path", OF_MATRICES, ids=lambda path: path.stem)


def test_there_is_one_for_each_estimator():
    assert {path.stem for path in FILES} == {*SINGLE, "Pipeline"}
    assert all(path.stat().st_size < 6000 for path in FILES)


def classes(name):
    """Return the class of that name whose models a file holds."""
    return Pipeline if name == "Pipeline" else SINGLE[name].estimator


# The rows of the second fit are few for an expansion: its features need not be good.
@pytest.mark.filterwarnings("ignore::predfeat.exceptions.ManyColumnsWarning")
@each_of_matrices
def test_a_golden_file_gives_the_stored_numbers(path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = load(path)
    assert type(model) is classes(path.stem)
    X = pd.DataFrame(EXPECTED["X"], columns=["north", "east", "µ", "x"])
    features = model.transform(X)
    # Another BLAS may round the last digits otherwise; numbers are of size one.
    np.testing.assert_allclose(features, EXPECTED["features"][path.stem], rtol=0, atol=1e-12)
    if path.stem in ESTIMATORS:  # only linear methods have a way back
        reconstruction = EXPECTED["reconstruction"][path.stem]
        np.testing.assert_allclose(
            model.inverse_transform(features), reconstruction, rtol=0, atol=1e-12
        )
    model.fit(series(n_columns=4))  # as any estimator


def test_a_golden_file_of_symbols_gives_the_stored_numbers():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = load(OF_SYMBOLS)
    features = model.transform(EXPECTED["symbols"]["X"])
    # Vectors are looked up and not computed; missing ones are null in the JSON.
    np.testing.assert_array_equal(features, np.array(EXPECTED["symbols"]["features"], dtype=float))
    model.fit(list("abcacbabcbacabcab"))  # as any estimator


@each_file
def test_a_golden_file_says_what_it_is(path):
    header = read_header(path)
    of_symbols = path == OF_SYMBOLS
    assert (header.schema, header.version, header.estimator) == (1, "0.1.0", path.stem)
    assert header.columns == (None if of_symbols else ("north", "east", "µ", "x"))
    assert header.notes == {"source": "words.txt" if of_symbols else "waves.csv"}


@each_file
def test_parameters_that_came_later_have_their_defaults(path):
    for model, written in parameters_in(load(path), read_header(path)):
        fresh = {} if type(model) is Pipeline else type(model)().get_params(deep=False)
        for name in set(fresh) - set(written):
            assert getattr(model, name) == fresh[name]


def parameters_in(model, header):
    """Return each estimator that a file describes, with the parameters that it states."""
    found = [(model, header.parameters)]
    given = header.parameters.get("estimator")
    if given is not None:
        found.append((model.estimator, given["parameters"]))
    if "estimator_" in header.fitted:
        found.append((model.estimator_, header.fitted["estimator_"]["parameters"]))
    if header.parameters.get("regressor") is not None:
        found += [(model.regressor, set(header.parameters["regressor"]) - {"regressor"})]
    for number, (_, step) in enumerate(getattr(model, "steps", ())):
        if step is not None:
            inner = {
                "parameters": header.parameters["steps"][number]["parameters"],
                "fitted": header.fitted["steps"][number]["fitted"],
            }
            found += parameters_in(step, replace(header, **inner))
    return found


GONE = (None, {})
RENAMED = {
    "GPFA": {"parameters": {"neighbors_method": ("engine", {})}},
    "AutoFeatures": {"parameters": {"judge": GONE}},
}


def parameters_then(all_parameters, stated):
    """Return a `get_params` as it was when a class had only the stated parameters."""

    def get_params(self, deep=True):
        return {n: v for n, v in all_parameters(self, deep).items() if n in stated}

    return get_params


@each_file
def test_the_form_of_the_files_has_not_changed(path, tmp_path, monkeypatch):
    # As if the version that wrote the file were running, with the parameters that it had.
    monkeypatch.setattr("predfeat.persistence._save_load.__version__", "0.1.0")
    model, header = load(path), read_header(path)
    stated_by = {type(each): stated for each, stated in parameters_in(model, header)}
    for kind, stated in stated_by.items():
        monkeypatch.setattr(kind, "get_params", parameters_then(kind.get_params, stated))
    save(model, tmp_path / "again", notes=header.notes)
    with ZipFile(path) as golden, ZipFile(tmp_path / "again") as again:
        assert again.namelist() == golden.namelist()
        for name in golden.namelist()[1:]:
            assert again.read(name) == golden.read(name)
        # What has another name since then stands under that; everything else is the same.
        written = json.loads(golden.read("model.json"))
        for part, names in RENAMED.get(written["estimator"], {}).items():
            for before, (now, values) in names.items():
                value = written[part].pop(before)
                if now is not None:
                    written[part][now] = values.get(value, value) if values else value
        saved = json.loads(again.read("model.json"))
        if path.stem in RENAMED:
            for digest in ("fingerprint", "sha256"):
                del written[digest], saved[digest]
        assert saved == written
    if path.stem not in RENAMED:
        assert (tmp_path / "again").read_bytes() == path.read_bytes()


def test_earlier_names_of_values_and_starts_become_those_of_today(tmp_path):
    model = GPFA(1, init="auto", weighting="inverse_spread", max_iter=2).fit(series())
    save(model, tmp_path / "now")
    header = read_header(tmp_path / "now")
    starts = {**header.fitted["start_scores_"]}
    starts["extremes"] = starts.pop("slow_fast")
    earlier = replace(
        header,
        parameters={**header.parameters, "weighting": "calm", "init": "extremes"},
        fitted={**header.fitted, "init_": "extremes", "start_scores_": starts},
    )
    now = with_current_names(earlier)
    assert now.parameters == {**header.parameters, "init": "slow_fast"}
    assert now.fitted["init_"] == "slow_fast"
    assert now.fitted["start_scores_"] == header.fitted["start_scores_"]
    assert with_current_names(header) == header
