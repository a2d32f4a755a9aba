"""Model files of `Patches`, which hold another estimator."""

import json
import re
import zipfile

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.decomposition import PCA

from predfeat import GPFA, SFA, load, read_header, save
from predfeat.exceptions import ModelFileError
from predfeat.features import Patches
from predfeat.persistence._header import decode_header
from predfeat.persistence._kinds import find_any_problem


def frames(seed=0):
    return np.random.default_rng(seed).normal(size=(80, 24)).cumsum(axis=0)


IMAGE = {"image_shape": (4, 6), "patch": 2, "stride": (2, 1)}
MODELS = {
    "default": Patches(**IMAGE),
    "line": Patches(SFA(1), patch=8, n_positions=2),
    "GPFA": Patches(GPFA(2, n_neighbors=4, max_iter=3, init=np.eye(4)[:, :3]), **IMAGE),
    "lists": Patches(SFA(1), image_shape=[4, 6], patch=(4, 3)),
}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("named", [False, True])
def test_everything_comes_back_to_the_bit(name, named, tmp_path):
    X = frames()
    X = pd.DataFrame(X, columns=[f"pixel {i}" for i in range(24)]) if named else X
    model = clone(MODELS[name]).fit(X)
    save(model, tmp_path / "m.predfeat", notes={"a": 1})
    again = load(tmp_path / "m.predfeat")
    assert again.transform(X).tobytes() == model.transform(X).tobytes()
    assert again.output_shape_ == model.output_shape_
    np.testing.assert_array_equal(again.positions_, model.positions_)
    assert hasattr(again, "feature_names_in_") == named
    assert str(again) == str(model) or name == "lists"  # a list comes back as a tuple
    assert type(again.estimator_) is type(model.estimator_)
    # It is a plain estimator, which can be fitted again.
    refitted, fresh = again.fit(frames(1)), clone(MODELS[name]).fit(frames(1))
    assert refitted.transform(frames(1)).tobytes() == fresh.transform(frames(1)).tobytes()
    save(fresh, tmp_path / "again.predfeat")
    save(refitted, tmp_path / "other.predfeat")
    headers = [read_header(tmp_path / f"{n}.predfeat") for n in ("again", "other")]
    assert headers[0].fingerprint == headers[1].fingerprint


def test_what_cannot_be_kept_is_refused(tmp_path):
    path = tmp_path / "m.predfeat"
    with pytest.raises(ModelFileError, match=r"this Patches holds a PCA, .* one of GPFA, SFA, "):
        save(Patches(PCA(1), **IMAGE).fit(frames()), path)
    assert not path.exists()


def swap(name, value):
    """Return a change of a header: dots lead into it."""

    def changed(fields):
        *way, last = name.split(".")
        place = fields
        for key in way:
            place = place[key]
        place[last] = value

    return changed


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (swap("parameters.other", 1), "has no parameter 'other'"),
        (swap("parameters.stride", [5, 1]), "do not fit together"),
        (swap("parameters.patch", {"a": 1}), "do not fit together"),
        (swap("parameters.patch", 4), "columns, but a patch has another"),
        (swap("parameters.n_positions", [1]), "n_positions is a list"),
        (swap("parameters.estimator", {"estimator": "PCA", "parameters": {}}), "is no method"),
        (swap("parameters.estimator", "SFA"), "is no method"),
        (swap("parameters.estimator.parameters.odd", 1), "SFA has no parameter 'odd'"),
        (swap("fitted.estimator_", {}), "no fitted method"),
        (swap("fitted.estimator_.fitted", []), "no fitted method"),
        (swap("fitted.estimator_.fitted", {}), "the fitted numbers are not those of SFA"),
        (swap("fitted.more", 1), "fitted parts are not those"),
        (swap("fitted.positions_", [0, 0]), "different places in order"),
        (swap("fitted.positions_", [99]), "goes beyond the 10 places"),
        (swap("fitted.positions_", [True]), "no list of whole numbers"),
        (swap("fitted.output_shape_", [2, 5, 3]), r"\[2, 5, 2\] is right"),
        (swap("arrays", []), "arrays are not those"),
        (swap("n_columns", 48), "do not fit together"),
    ],
)
def test_headers_that_do_not_fit_are_found(change, message, tmp_path):
    path = tmp_path / "m.predfeat"
    save(Patches(SFA(), **IMAGE).fit(frames()), path)
    with zipfile.ZipFile(path) as archive:
        fields = json.loads(archive.read("model.json"))
    header = decode_header(zipfile.ZipFile(path).read("model.json"))
    assert find_any_problem(header) is None
    change(fields)
    entries = header.arrays if fields["arrays"] else ()
    forged = type(header)(
        estimator=header.estimator,
        parameters=fields["parameters"],
        n_columns=fields["n_columns"],
        columns=None,
        fitted=fields["fitted"],
        arrays=entries,
        notes={},
        version=header.version,
        schema=header.schema,
    )
    assert re.search(message, find_any_problem(forged))
