"""Model files of models that hold a method: inside is what the method's own file would hold."""

import json

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from model_forging import forged, members_of, series
from predfeat import GPFA, SFA, Expanded, load, save
from predfeat.exceptions import ModelFileError
from predfeat.expansions import Polynomial
from predfeat.features import Patches


def holders(method, **parameters):
    """Return a model of each kind that holds a method."""
    chain, image = Expanded(method, "identity"), Patches(method, patch=5)
    return [model.set_params(**parameters) for model in (chain, image)]


def ids(model):
    return type(model).__name__


def described(path):
    members = members_of(path.read_bytes())
    return json.loads(members.pop("model.json")), members


START = np.eye(5)[:, :3]
each_with_start = pytest.mark.parametrize(
    "model", holders(GPFA(2, n_neighbors=4, max_iter=3, init=START)), ids=ids
)
each = pytest.mark.parametrize("model", holders(SFA(2)), ids=ids)


@each_with_start
def test_inside_is_what_the_methods_own_file_holds(model, tmp_path):
    model.fit(series())
    save(model, tmp_path / "outer")
    save(model.estimator_, tmp_path / "inner")
    outer, arrays = described(tmp_path / "outer")
    inner, own = described(tmp_path / "inner")
    assert "init.npy" in own
    assert outer["fitted"]["estimator_"] == {
        name: inner[name] for name in ("estimator", "n_columns", "parameters", "fitted")
    }
    inside = {
        name.removeprefix("estimator_."): content
        for name, content in arrays.items()
        if name.startswith("estimator_.")
    }
    assert inside == own
    assert list(inside) == list(own)
    # The parameter stands in the file as well: it need not be that of the last fit.
    assert outer["parameters"]["estimator"] == {
        name: inner[name] for name in ("estimator", "parameters")
    }
    assert arrays["estimator.init.npy"] == own["init.npy"]


@each
def test_the_parameter_may_be_another_method_than_the_fitted_one(model, tmp_path):
    model = clone(model).fit(series()).set_params(estimator=GPFA(1, init=START))
    save(model, tmp_path / "m")
    again = load(tmp_path / "m")
    assert type(again.estimator_) is SFA
    np.testing.assert_array_equal(again.estimator.init, START)
    assert again.transform(series()).tobytes() == model.transform(series()).tobytes()


class Mine(SFA):
    """A method that a file cannot name."""


@pytest.mark.parametrize("model", holders(Mine(2)), ids=ids)
def test_a_foreign_method_is_refused_as_parameter_and_as_fitted(model, tmp_path):
    model = clone(model).fit(series())
    message = rf"this {ids(model)} holds a Mine, .* one of GPFA, SFA, .*Fit it anew"
    with pytest.raises(ModelFileError, match=message):
        save(model, tmp_path / "m")
    with pytest.raises(ModelFileError, match=message):
        save(model.set_params(estimator=SFA()), tmp_path / "m")
    assert list(tmp_path.iterdir()) == []


@each
def test_a_class_is_not_known_by_its_name(model, tmp_path):
    model = clone(model).set_params(estimator=type("SFA", (SFA,), {})()).fit(series())
    with pytest.raises(ModelFileError, match=r"holds a SFA, and in a model file"):
        save(model, tmp_path / "m")


@each
def test_what_is_not_fitted_is_refused(model, tmp_path):
    with pytest.raises(NotFittedError, match="fit"):
        save(clone(model), tmp_path / "m")


@pytest.mark.parametrize("model", holders(SFA(2), random_state=2**70), ids=ids)
def test_numbers_that_a_file_does_not_keep_are_refused(model, tmp_path):
    model.fit(series())
    message = r"random_state is a number of 71 bits.*set_params\(random_state=0\)"
    with pytest.raises(ModelFileError, match=message):
        save(model, tmp_path / "m")


@pytest.mark.parametrize("model", holders(SFA(2), random_state=np.int64(3)), ids=ids)
def test_numpy_numbers_come_back_plain(model, tmp_path):
    save(model.fit(series()), tmp_path / "m")
    assert type(load(tmp_path / "m").random_state) is int


@each
@pytest.mark.parametrize("where", ["outer", "inner"])
def test_a_parameter_that_came_later_has_its_default(model, where, tmp_path):
    save(model.fit(series()), tmp_path / "m")

    def forget(fields):
        if where == "outer":
            del fields["parameters"]["random_state"]
        else:
            del fields["parameters"]["estimator"]["parameters"]["n_steps"]
            del fields["fitted"]["estimator_"]["parameters"]["n_steps"]

    (tmp_path / "old").write_bytes(forged((tmp_path / "m").read_bytes(), forget))
    assert repr(load(tmp_path / "old")) == repr(model)


@each_with_start
@pytest.mark.parametrize(
    ("name", "shape", "message"),
    [
        ("estimator.init", [15], "parameter estimator.init has shape"),
        ("estimator_.init", [15], "parameter init has shape"),
        ("estimator_.mean_", [1, 5], r"mean_ has shape \(1, 5\), but .* \(5,\) is right"),
    ],
)
def test_shapes_of_either_method_are_checked(model, name, shape, message, tmp_path):
    save(model.fit(series()), tmp_path / "m")

    def reshape(fields):
        (entry,) = [entry for entry in fields["arrays"] if entry["name"] == name]
        entry["shape"] = shape

    (tmp_path / "bad").write_bytes(forged((tmp_path / "m").read_bytes(), reshape))
    with pytest.raises(ModelFileError, match=message):
        load(tmp_path / "bad")


@pytest.mark.parametrize(
    ("model", "name"),
    [
        (Expanded(SFA(2), Polynomial(1)), "layers_.0.directions"),
        (Patches(SFA(2), patch=5), "mean_"),
    ],
    ids=["Expanded", "Patches"],
)
def test_shapes_of_the_rest_are_checked(model, name, tmp_path):
    save(model.fit(series()), tmp_path / "m")

    def lengthen(fields):
        (entry,) = [entry for entry in fields["arrays"] if entry["name"] == name]
        entry["shape"][0] = 7

    (tmp_path / "bad").write_bytes(forged((tmp_path / "m").read_bytes(), lengthen))
    with pytest.raises(ModelFileError, match=rf"{name} has shape \(7,.* \(5,.*\) is right"):
        load(tmp_path / "bad")


@each
@pytest.mark.parametrize(
    ("columns", "message"), [(["a"], "1 column names are given for 5"), (["a"] * 5, "same name")]
)
def test_odd_names_of_columns_are_refused(model, columns, message, tmp_path):
    save(model.fit(series()), tmp_path / "m")

    def name(fields):
        fields["columns"] = columns

    (tmp_path / "bad").write_bytes(forged((tmp_path / "m").read_bytes(), name))
    with pytest.raises(ModelFileError, match=message):
        load(tmp_path / "bad")


@each
def test_one_file_does_not_hold_the_other_kind(model, tmp_path):
    save(model.fit(series()), tmp_path / "m")
    other = {"Expanded": "Patches", "Patches": "Expanded"}[ids(model)]

    def rename(fields):
        fields["estimator"] = other

    (tmp_path / "bad").write_bytes(forged((tmp_path / "m").read_bytes(), rename))
    with pytest.raises(ModelFileError, match=f"{other} has no parameter .*if that is newer"):
        load(tmp_path / "bad")
