"""What a model file keeps of a `SpectralRegression`: its numbers, and a regressor that is ours."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from predfeat._typing import AnyArray, FloatArray
from predfeat.exceptions import ModelFileError
from predfeat.features import FewChannels, SpectralRegression
from predfeat.persistence._archive import damaged
from predfeat.persistence._header import ModelHeader
from predfeat.persistence._model import (
    Parts,
    as_fitted,
    columns_of,
    fitted_names,
    plain_parameter,
    refuse_changed,
    set_columns,
)
from predfeat.persistence._schema import find_odd_columns, find_odd_name

__all__ = [
    "build_regression",
    "count_regression_features",
    "find_odd_regression",
    "regression_parts",
]

_COUNTS = ("n_iter_", "n_pieces_")
_ARRAYS: dict[str, tuple[str, ...]] = {
    "mean_": ("columns",),
    "scale_": ("columns",),
    "eigenvalues_": ("features",),
    "r2_": ("features",),
    "output_mean_": ("outputs",),
    "output_weights_": ("outputs", "features"),
}
# Least squares has no other way to the features than this; a regressor predicts them.
_WEIGHTS: dict[str, tuple[str, ...]] = {"components_": ("features", "columns")}
_COEF, _INTERCEPT = "regressor_.coef_", "regressor_.intercept_"
_KEY = "regressor"
_KEPT = FewChannels.__name__


def regression_parts(model: SpectralRegression) -> Parts:
    """Return the parts of a fitted model, or raise an error saying why it cannot be saved."""
    check_is_fitted(model)
    regressor = getattr(model, "regressor_", None)
    _refuse_foreign(
        regressor,
        "was fitted with",
        "Fit it anew with one of these, let sparsify find few channels for the features that it "
        "has, or keep these features as a table",
    )
    model.check_parameters()
    parameters = {
        name: _encoded(value) if name == "regressor" else plain_parameter(model, name, value)
        for name, value in sorted(model.get_params(deep=False).items())
    }
    optional = set(_WEIGHTS) if regressor is None else {"regressor_"}
    optional |= fitted_names(model).intersection(_WEIGHTS)
    refuse_changed(model, {*_COUNTS, *_ARRAYS} | optional)
    fitted: dict[str, Any] = {name: int(getattr(model, name)) for name in _COUNTS}
    names = [*_ARRAYS, *(name for name in _WEIGHTS if name in optional)]
    arrays = {name: as_fitted(name, getattr(model, name)) for name in names}
    if regressor is not None:
        fitted["regressor_"] = _encoded(regressor)
        arrays.update(_regressor_arrays(regressor))
    return Parts(parameters, fitted, arrays, *columns_of(model))


def find_odd_regression(header: ModelHeader) -> str | None:
    """Describe what is inconsistent in the header of such a model, or return None."""
    return (
        _find_odd_parameter(header)
        or find_odd_columns(header)
        or _find_odd_fact(header)
        or _find_odd_array(header)
    )


def count_regression_features(header: ModelHeader) -> int:
    """Return how many features a model has, according to a checked header."""
    return next(entry.shape[0] for entry in header.arrays if entry.name == "eigenvalues_")


def build_regression(header: ModelHeader, arrays: dict[str, AnyArray]) -> SpectralRegression:
    """Return the estimator that a checked header and its arrays describe."""
    given = dict(header.parameters)
    if given.get("regressor") is not None:
        given["regressor"] = _decoded(given["regressor"])
    model = SpectralRegression(**given)
    try:
        model.check_parameters()
    except (ValueError, TypeError) as error:
        raise damaged(f"its parameters are not valid: {error}") from error
    set_columns(model, header)
    for name in _COUNTS:
        setattr(model, name, header.fitted[name])
    for name in (*_ARRAYS, *_WEIGHTS):
        if name in arrays:
            setattr(model, name, arrays[name])
    if "regressor_" in header.fitted:
        regressor = _decoded(header.fitted["regressor_"])
        regressor.coef_, intercept = arrays[_COEF], arrays[_INTERCEPT]
        regressor.intercept_ = intercept if regressor.coef_.ndim == 2 else float(intercept[0])
        regressor.n_features_in_ = header.n_columns
        model.regressor_ = regressor
    return model


def _refuse_foreign(regressor: Any, has: str, instead: str) -> None:
    # Compare the class itself, not its name or parent: a subclass may compute something else.
    if regressor is not None and type(regressor) is not FewChannels:
        raise ModelFileError(
            f"this SpectralRegression {has} {regressor!r}, which a model file does not keep: it "
            f"would need pickle. It keeps {_KEPT} and regressor=None, least squares. {instead}."
        )


def _encoded(regressor: Any) -> dict[str, Any] | None:
    """Return a regressor as it appears in the JSON, without what was fitted."""
    _refuse_foreign(
        regressor,
        "has the parameter regressor",
        "Set it to one of these before saving, model.set_params(regressor=None); what was fitted "
        "stays as it is",
    )
    if regressor is None:
        return None
    parameters = sorted(regressor.get_params(deep=False).items())
    plain = {name: plain_parameter(regressor, name, value) for name, value in parameters}
    return {_KEY: _KEPT, **plain}


def _decoded(value: dict[str, Any]) -> FewChannels:
    return FewChannels(**{name: given for name, given in value.items() if name != _KEY})


def _regressor_arrays(regressor: FewChannels) -> dict[str, FloatArray]:
    refuse_changed(regressor, {"coef_", "intercept_"})
    # Of one target, the intercept is a number.
    intercept = np.atleast_1d(as_fitted(_INTERCEPT, regressor.intercept_))
    return {_COEF: as_fitted(_COEF, regressor.coef_), _INTERCEPT: intercept}


def _find_odd_parameter(header: ModelHeader) -> str | None:
    odd = find_odd_name(header, set(SpectralRegression().get_params(deep=False)))
    if odd is not None:
        return odd
    for name, value in header.parameters.items():
        if name == "regressor" and value is not None:
            odd = _find_odd_regressor(value)
        elif isinstance(value, list | dict):
            odd = f"the parameter {name} is a {type(value).__name__}"
        if odd is not None:
            return odd
    return None


def _find_odd_regressor(value: Any) -> str | None:
    if type(value) is not dict or value.get(_KEY) != _KEPT:
        return f"{str(value)[:60]!r} is no known regressor"
    unknown = sorted(set(value) - {_KEY, *FewChannels().get_params()})
    if unknown:
        return f"{_KEPT} has no parameter {unknown[0][:40]!r}"
    try:
        _decoded(value).fit([[0.0], [1.0]], [0.0, 1.0])  # checks the parameters
    except (ValueError, TypeError) as error:
        return f"the regressor is not valid: {str(error).rstrip('.')}"
    return None


def _find_odd_fact(header: ModelHeader) -> str | None:
    if tuple(header.fitted) not in (_COUNTS, (*_COUNTS, "regressor_")):
        return f"the fitted parts are not those of {header.estimator}"
    for name in _COUNTS:
        if type(header.fitted[name]) is not int or header.fitted[name] < 1:
            return f"{name} is no count"
    return _find_odd_regressor(header.fitted["regressor_"]) if _has_regressor(header) else None


def _find_odd_array(header: ModelHeader) -> str | None:
    shapes = {entry.name: entry.shape for entry in header.arrays}
    axes = dict(_ARRAYS)
    if not _has_regressor(header) or any(name in shapes for name in _WEIGHTS):
        axes |= _WEIGHTS
    if _has_regressor(header):
        is_flat = len(shapes.get(_COEF, ())) == 1
        axes |= {_COEF: ("columns",) if is_flat else ("outputs", "columns")}
        axes |= {_INTERCEPT: ("one",) if is_flat else ("outputs",)}
    if [entry.name for entry in header.arrays] != list(axes):
        return f"the arrays are not those of this {header.estimator}, {list(axes)}"
    features, outputs = shapes["eigenvalues_"], shapes["output_mean_"]
    lengths = {
        "columns": header.n_columns,
        "features": features[0] if features else 0,
        "outputs": outputs[0] if outputs else 0,
        "one": 1,
    }
    for name, own in axes.items():
        right = tuple(lengths[axis] for axis in own)
        if shapes[name] != right:
            return f"{name} has shape {shapes[name]}, but with the other parts {right} is right"
    if _has_regressor(header) and len(shapes[_COEF]) == 1 and lengths["outputs"] != 1:
        return f"{_COEF} is of one output, but there are {lengths['outputs']}"
    return None


def _has_regressor(header: ModelHeader) -> bool:
    return "regressor_" in header.fitted
