"""Model files of `SpectralRegression`: least squares and `FewChannels` come back, others do not."""

import os

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import Ridge

from model_forging import differences, forged, series
from predfeat import load, read_header, save
from predfeat.exceptions import ModelFileError
from predfeat.features import FewChannels, SpectralRegression

SETTINGS = {"n_neighbors": 4, "max_iter": 2, "n_embedded": 8}
REGRESSORS = {
    "least squares": None,
    "lasso": FewChannels(2),
    "shared": FewChannels(2, shared=True),
    "pursuit": FewChannels(1, method="pursuit"),
}


def fitted(regressor, n_components=2, X=None):
    model = SpectralRegression(n_components, regressor=regressor, **SETTINGS)
    return model.fit(series() if X is None else X)


@pytest.mark.parametrize("name", REGRESSORS)
@pytest.mark.parametrize("n_components", [1, 2])
@pytest.mark.parametrize("named", [False, True], ids=["array", "frame"])
def test_everything_comes_back_to_the_bit(name, n_components, named, tmp_path):
    X = pd.DataFrame(series(), columns=list("abcde")) if named else series()
    model = fitted(REGRESSORS[name], n_components, X)
    save(model, tmp_path / "m")
    again = load(tmp_path / "m")
    assert differences(again, model) == []
    assert repr(again) == repr(model)
    assert again.transform(X).tobytes() == model.transform(X).tobytes()
    assert again.score(X) == model.score(X)
    assert list(again.get_feature_names_out()) == list(model.get_feature_names_out())
    save(again, tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "m").read_bytes()
    # It is a plain estimator, which can be fitted again.
    other = series(seed=1, n_columns=7)
    refitted, fresh = again.fit(other), clone(model).fit(other)
    assert differences(refitted, fresh) == []


@pytest.mark.parametrize("n_components", [1, 2])
def test_the_regressor_comes_back_as_it_was_fitted(n_components, tmp_path):
    model = fitted(FewChannels(2), n_components).set_params(regressor__max_nonzero=4)
    save(model, tmp_path / "m")
    again = load(tmp_path / "m")
    # `set_params` changes the parameter alone, and a fit has a copy of it.
    assert (again.regressor.max_nonzero, again.regressor_.max_nonzero) == (4, 2)
    assert not hasattr(again.regressor, "coef_")
    assert type(again.regressor_.intercept_) is type(model.regressor_.intercept_)
    X = np.nan_to_num(series())
    assert again.regressor_.predict(X).tobytes() == model.regressor_.predict(X).tobytes()


def test_a_regressor_that_makes_no_linear_map_comes_back(tmp_path):
    model = fitted(FewChannels(2))
    del model.components_  # as `fit` leaves it where predictions are no linear map of the channels
    save(model, tmp_path / "m")
    again = load(tmp_path / "m")
    assert not hasattr(again, "components_")
    assert again.transform(series()).tobytes() == model.transform(series()).tobytes()


def test_the_fingerprint_is_that_of_the_training(tmp_path):
    def fingerprint(model):
        save(model, tmp_path / "m", overwrite=True)
        return read_header(tmp_path / "m").fingerprint

    first = fingerprint(fitted(FewChannels(2)))
    assert fingerprint(fitted(FewChannels(2)).set_params(n_jobs=2, regressor=None)) == first
    assert fingerprint(fitted(FewChannels(1))) != first
    other = fitted(FewChannels(2))
    other.regressor_.intercept_ = other.regressor_.intercept_ + 1.0
    assert fingerprint(other) != first


class Mine(FewChannels):
    """A regressor that a file cannot name."""


@pytest.mark.parametrize("regressor", [Ridge(), Mine(2)], ids=["Ridge", "subclass"])
def test_other_regressors_are_refused_with_what_is_possible(regressor, tmp_path):
    path = tmp_path / "m"
    message = rf"was fitted with {type(regressor).__name__}\(.*would need pickle.*FewChannels and "
    with pytest.raises(ModelFileError, match=message + r"regressor=None.*sparsify.*as a table"):
        save(fitted(regressor), path)
    # Only the parameter is another: then the fit need not be repeated.
    model = fitted(None).set_params(regressor=regressor)
    message = rf"has the parameter regressor {type(regressor).__name__}\(.*FewChannels and "
    with pytest.raises(ModelFileError, match=message + r".*set_params\(regressor=None\); what was"):
        save(model, path)
    assert os.listdir(tmp_path) == []
    save(model.set_params(regressor=None), path)


def test_what_fit_did_not_leave_so_is_refused(tmp_path):
    path = tmp_path / "m"
    with pytest.raises(NotFittedError):
        save(SpectralRegression(), path)
    added, lacking, inner, cut, narrow, spoilt = (fitted(FewChannels(2)) for _ in range(6))
    added.mine_ = 3
    with pytest.raises(ModelFileError, match=r"SpectralRegression is not .* mine_ is missing or"):
        save(added, path)
    del lacking.r2_
    with pytest.raises(ModelFileError, match="r2_ is missing or was added"):
        save(lacking, path)
    inner.regressor_.mine_ = 3
    with pytest.raises(
        ModelFileError, match=r"FewChannels is not .* mine_ is missing or was added"
    ):
        save(inner, path)
    cut.regressor_.coef_ = cut.regressor_.coef_[:, 1:]
    with pytest.raises(ModelFileError, match=r"coef_ has shape \(2, 4\), but .* \(2, 5\)"):
        save(cut, path)
    narrow.scale_ = narrow.scale_.astype(np.float32)
    with pytest.raises(ModelFileError, match="scale_ is float32"):
        save(narrow, path)
    spoilt.regressor_.intercept_[0] = np.nan
    with pytest.raises(ModelFileError, match=r"regressor_.intercept_ holds 1 NaN"):
        save(spoilt, path)
    linear = fitted(None)
    del linear.components_
    with pytest.raises(ModelFileError, match="components_ is missing"):
        save(linear, path)
    with pytest.raises(ValueError, match="'n_components' parameter"):
        save(fitted(None).set_params(n_components=-1), path)
    unplain = fitted(None).set_params(theiler=2**70)
    with pytest.raises(ModelFileError, match="theiler is a number of 71 bits"):
        save(unplain, path)
    assert os.listdir(tmp_path) == []


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    """The bytes of good files: by regressor and number of features."""
    path, files = tmp_path_factory.mktemp("good") / "m", {}
    for name, regressor in (("linear", None), ("few", FewChannels(2))):
        for n_components in (1, 2):
            save(fitted(regressor, n_components), path, overwrite=True)
            files[name, n_components] = path.read_bytes()
    return files


def change(*keys, to):
    """Return a function that changes one entry of a description; arrays are found by name."""

    def edit(fields):
        at = fields
        for key in keys[:-1]:
            if isinstance(at, list):
                (at,) = [entry for entry in at if entry["name"] == key]
            else:
                at = at[key]
        at[keys[-1]] = to

    return edit


def drop(*names):
    def edit(fields):
        fields["arrays"] = [entry for entry in fields["arrays"] if entry["name"] not in names]

    return edit


def repeat(fields):
    fields["arrays"].append(fields["arrays"][0])


FEW, LINEAR, ONE = ("few", 2), ("linear", 2), ("few", 1)


@pytest.mark.parametrize(
    ("which", "edit", "message"),
    [
        (LINEAR, change("parameters", "colour", to=1), "SpectralRegression has no parameter 'colo"),
        (LINEAR, change("parameters", "n_lags", to=[1]), "the parameter n_lags is a list"),
        (LINEAR, change("parameters", "n_lags", to=0), "its parameters are not valid: .*n_lags"),
        (LINEAR, change("parameters", "regressor", to="Ridge"), "'Ridge' is no known regressor"),
        (FEW, change("parameters", "regressor", "regressor", to="Ridge"), "is no known regressor"),
        (FEW, change("parameters", "regressor", "alpha", to=1), "FewChannels has no parameter 'al"),
        (
            FEW,
            change("parameters", "regressor", "method", to="x"),
            "regressor is not valid: .*meth",
        ),
        (FEW, change("fitted", "regressor_", "max_nonzero", to=0), "not valid: .*max_nonzero"),
        (FEW, change("fitted", "regressor_", "shared", to=[1]), "not valid: .*shared"),
        (FEW, change("fitted", "regressor_", to=None), "'None' is no known regressor"),
        (FEW, change("fitted", "n_iter_", to=0), "n_iter_ is no count"),
        (FEW, change("fitted", "n_pieces_", to=True), "n_pieces_ is no count"),
        (FEW, change("fitted", "more", to=1), "fitted parts are not those"),
        (LINEAR, change("fitted", "regressor_", to={"regressor": "FewChannels"}), "the arrays are"),
        (LINEAR, drop("components_"), "the arrays are not those"),
        (LINEAR, repeat, "the arrays are not those"),
        (LINEAR, drop("mean_"), "the arrays are not those"),
        (FEW, drop("regressor_.coef_"), "the arrays are not those"),
        (FEW, change("arrays", "r2_", "shape", to=[1]), r"r2_ has shape \(1,\), but .* \(2,\) is"),
        (FEW, change("arrays", "eigenvalues_", "shape", to=[]), r"eigenvalues_ has shape \(\)"),
        (FEW, change("arrays", "output_mean_", "shape", to=[7]), r"output_weights_ has shape"),
        (
            FEW,
            change("arrays", "regressor_.coef_", "shape", to=[5]),
            r"intercept_ has shape \(2,\)",
        ),
        (ONE, change("arrays", "regressor_.coef_", "shape", to=[1, 6]), r"\(1, 5\) is right"),
        (
            ONE,
            change("arrays", "regressor_.intercept_", "shape", to=[]),
            r"shape \(\), but .* \(1,",
        ),
        (FEW, change("columns", to=["a"]), "1 column names are given for 5"),
        (FEW, change("n_columns", to=2**40), rf"\({2**40},\) is right"),
    ],
)
def test_what_does_not_fit_together_is_refused(which, edit, message, good, tmp_path):
    (tmp_path / "bad").write_bytes(forged(good[which], edit))
    with pytest.raises(ModelFileError, match=message):
        load(tmp_path / "bad")


def test_one_output_is_not_taken_for_several(good, tmp_path):
    def flatten(fields):
        change("arrays", "regressor_.coef_", "shape", to=[5])(fields)
        change("arrays", "regressor_.intercept_", "shape", to=[1])(fields)

    (tmp_path / "bad").write_bytes(forged(good["few", 2], flatten))
    with pytest.raises(ModelFileError, match=r"coef_ is of one output, but there are 2"):
        load(tmp_path / "bad")


def test_a_parameter_that_came_later_has_its_default(good, tmp_path):
    def forget(fields):
        del fields["parameters"]["theiler"]
        del fields["parameters"]["regressor"]["method"]
        del fields["fitted"]["regressor_"]["method"]

    (tmp_path / "old").write_bytes(forged(good["few", 2], forget))
    (tmp_path / "new").write_bytes(good["few", 2])
    assert differences(load(tmp_path / "old"), load(tmp_path / "new")) == []
