"""Chains in model files: whitenings, expansions and the method come back, or are refused."""

import numpy as np
import pandas as pd
import pytest
from sklearn.preprocessing import SplineTransformer

from model_forging import forged, series
from predfeat import GPFA, PFA, SFA, Expanded, load, read_header, save
from predfeat.exceptions import ModelFileError
from predfeat.expansions import Identity, LandmarkKernel, Polynomial, RandomFourier

pytestmark = pytest.mark.filterwarnings("ignore::predfeat.exceptions.ManyColumnsWarning")
MODELS = [
    Expanded(GPFA(n_neighbors=4, max_iter=3)),
    Expanded(n_layers=2, layer_components=3, ridge=0.01),
    Expanded(SFA(1), "kernel"),
    Expanded(PFA(n_lags=2), "fourier", expanded_components=20),
    Expanded(SFA(), "identity"),
    Expanded(SFA(), Identity()),
    Expanded(SFA(), Polynomial(3), expanded_components=0.9),
    Expanded(GPFA(init=np.eye(5)[:, :2], max_iter=2), LandmarkKernel("poly", 9, gamma=0.5)),
    Expanded(SFA(), RandomFourier(7, gamma=0.1, random_state=3), n_layers=3, layer_components=2),
]


@pytest.mark.parametrize("model", MODELS, ids=repr)
@pytest.mark.parametrize("named", [False, True], ids=["array", "frame"])
def test_a_chain_comes_back_to_the_bit(model, named, tmp_path):
    X = pd.DataFrame(series(), columns=list("abcde")) if named else series()
    model.fit(X)
    save(model, tmp_path / "m.predfeat")
    again = load(tmp_path / "m.predfeat")
    assert repr(again) == repr(model)
    assert again.transform(X).tobytes() == model.transform(X).tobytes()
    assert again.score(X) == model.score(X)
    assert hasattr(again, "feature_names_in_") == named
    for name in ("history_", "eigenvalues_"):
        assert hasattr(again, name) == hasattr(model, name)
    # It can be saved again, to the same bytes, and fitted again.
    save(again, tmp_path / "again.predfeat")
    assert (tmp_path / "again.predfeat").read_bytes() == (tmp_path / "m.predfeat").read_bytes()
    np.testing.assert_array_equal(again.fit(X).transform(X), model.transform(X))


def test_the_fingerprint_is_that_of_the_training(tmp_path):
    marks = []
    for number in range(2):
        model = Expanded(GPFA(n_neighbors=4, max_iter=3)).fit(series())
        save(model, tmp_path / f"{number}.predfeat", notes={"n": number})
        marks.append(read_header(tmp_path / f"{number}.predfeat").fingerprint)
    assert marks[0] == marks[1]  # although the iterations took other times


def test_other_transformers_are_refused_with_what_is_possible(tmp_path):
    model = Expanded(SFA(), SplineTransformer()).fit(series())
    with pytest.raises(ModelFileError, match=r"Spline.*would need pickle.*'quadratic'.*fit the"):
        save(model, tmp_path / "m.predfeat")
    model.set_params(expansion="quadratic")
    with pytest.raises(ModelFileError, match="was fitted with a FittedTransformer"):
        save(model, tmp_path / "m.predfeat")
    assert list(tmp_path.iterdir()) == []


class MySFA(SFA):
    """A method that a file cannot name."""


def test_other_methods_are_refused(tmp_path):
    model = Expanded(MySFA()).fit(series())
    with pytest.raises(ModelFileError, match=r"this Expanded holds a MySFA, .* one of GPFA, SFA, "):
        save(model, tmp_path / "m.predfeat")


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    """The bytes of a good file of two layers."""
    path = tmp_path_factory.mktemp("good") / "m.predfeat"
    model = Expanded(SFA(), LandmarkKernel(n_landmarks=6), n_layers=2, layer_components=3)
    save(model.fit(series()), path)
    return path.read_bytes()


def change(*keys, to):
    """Return a function that changes one entry of a description."""

    def edit(fields):
        at = fields
        for key in keys[:-1]:
            at = at[key]
        at[keys[-1]] = to

    return edit


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (change("parameters", "colour", to=1), "Expanded has no parameter 'colour'"),
        (change("parameters", "n_layers", to=[1]), "the parameter n_layers is a list"),
        (change("parameters", "n_layers", to=0), "its parameters are not valid"),
        (change("parameters", "expansion", to="cubik"), "'cubik' is no expansion"),
        (change("parameters", "expansion", "degree", to=0), "expansion is not valid: degree"),
        (change("parameters", "expansion", "colour", to=0), "LandmarkKernel has no 'colour'"),
        (change("parameters", "expansion", "expansion", to="Spline"), "is no known expansion"),
        (change("parameters", "estimator", to="SFA"), "the parameter estimator is no method"),
        (change("parameters", "estimator", "parameters", "k", to=1), "SFA has no parameter 'k'"),
        (change("fitted", "layers_", to=None), "layers_ is no list"),
        (change("fitted", "layers_", 0, "expansion", to="spline"), "is no known layer"),
        (change("fitted", "layers_", 0, "gamma", to=-1.0), "expansion is not valid: gamma"),
        (change("fitted", "layers_", 0, "gamma", to="x"), "a layer of kernel does not hold"),
        (change("fitted", "layers_", 0, "degree", to=10**9), "a layer has degree"),
        (change("fitted", "layers_", 0, to={"expansion": "fourier"}), "the arrays are not those"),
        (change("fitted", "estimator_", "estimator", to="SymbolFeatures"), "is no fitted method"),
        (change("fitted", "estimator_", "n_columns", to=7), "the last layer has 6"),
        (change("fitted", "estimator_", "fitted", "rank_", to=0), "rank_ is no count"),
        (change("fitted", "estimator_", "parameters", "k", to=1), "SFA has no parameter 'k'"),
    ],
)
def test_what_does_not_fit_together_is_refused(good, edit, message, tmp_path):
    (tmp_path / "bad.predfeat").write_bytes(forged(good, edit))
    with pytest.raises(ModelFileError, match=message):
        load(tmp_path / "bad.predfeat")
