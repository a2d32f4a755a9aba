"""A `Patches` in a model file: its mean image, and its method as a model file of its own holds it.

Names of the fitted method's arrays begin with "estimator_.", those of the parameter's with
"estimator.".
"""

from __future__ import annotations

from dataclasses import replace
from math import prod
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from predfeat._typing import AnyArray, FloatArray
from predfeat._version import __version__
from predfeat.exceptions import DimensionError, ModelFileError
from predfeat.features import Patches, PatchGrid, patch_grid
from predfeat.persistence._archive import damaged
from predfeat.persistence._header import ModelHeader
from predfeat.persistence._model import (
    build_method,
    build_model,
    fitted_arrays,
    fitted_facts,
    kept_parameters,
    layout_of,
)
from predfeat.persistence._plain import find_unplain
from predfeat.persistence._schema import (
    ESTIMATORS,
    find_odd_columns,
    find_odd_parameter,
    find_problem,
)

__all__ = [
    "PATCHES",
    "build_patches",
    "find_odd_patches",
    "patches_arrays",
    "patches_facts",
    "patches_parameters",
]

PATCHES = "Patches"
_FITTED, _GIVEN = "estimator_.", "estimator."
_KEYS = ("estimator", "n_columns", "parameters", "fitted")
_SHAPES = ("image_shape", "patch", "stride")
_PARAMETERS = tuple(sorted(Patches().get_params(deep=False)))


def patches_parameters(model: Patches) -> tuple[dict[str, Any], dict[str, FloatArray]]:
    """Return the parameters as they appear in the JSON, and the method's that are arrays.

    Raises
    ------
    ModelFileError
        It is not fitted as predfeat fits it, or its method cannot be kept.
    """
    check_is_fitted(model)
    model.check_parameters()
    plain: dict[str, Any] = {}
    arrays: dict[str, FloatArray] = {}
    for name, value in sorted(model.get_params(deep=False).items()):
        if name == "estimator" and value is not None:
            _refuse_foreign(value)
            own, given = kept_parameters(value, ESTIMATORS[type(value).__name__])
            plain[name] = {"estimator": type(value).__name__, "parameters": own}
            arrays = {_GIVEN + key: array for key, array in given.items()}
        elif name in _SHAPES and np.ndim(value) > 0:
            plain[name] = [int(length) for length in value]
        else:
            plain[name] = value.item() if isinstance(value, np.generic) else value
    return plain, arrays


def patches_facts(model: Patches) -> dict[str, Any]:
    """Return the fitted attributes that are not arrays of floats."""
    method = model.estimator_
    _refuse_foreign(method)
    layout = layout_of(method)
    facts = (
        type(method).__name__,
        int(method.n_features_in_),
        kept_parameters(method, layout)[0],
        fitted_facts(method, layout),
    )
    return {
        "estimator_": dict(zip(_KEYS, facts, strict=True)),
        "output_shape_": list(model.output_shape_),
        "positions_": [int(position) for position in model.positions_],
    }


def patches_arrays(model: Patches) -> dict[str, FloatArray]:
    """Return the fitted attributes that are arrays."""
    method = model.estimator_
    layout = layout_of(method)
    own = {**fitted_arrays(method, layout), **kept_parameters(method, layout)[1]}
    return {"mean_": model.mean_, **{_FITTED + name: array for name, array in own.items()}}


def find_odd_patches(header: ModelHeader) -> str | None:
    """Describe what is inconsistent in the header of a `Patches`, or return None."""
    return (
        _find_odd_parameters(header)
        or find_odd_columns(header)
        or _find_odd_facts(header)
        or _find_odd_arrays(header)
    )


def build_patches(header: ModelHeader, arrays: dict[str, AnyArray]) -> Patches:
    """Return the estimator that a checked header and its arrays describe."""
    parameters: dict[str, Any] = {
        name: tuple(value) if name in _SHAPES and isinstance(value, list) else value
        for name, value in header.parameters.items()
    }
    given = parameters.get("estimator")
    if given is not None:
        of_parameter = _without(_GIVEN, arrays)
        parameters["estimator"] = build_method(
            given["estimator"], given["parameters"], of_parameter
        )
    model = Patches(**parameters)
    try:
        model.check_parameters()
    except (ValueError, TypeError) as error:
        raise damaged(f"its parameters are not valid: {error}") from error
    model.mean_ = arrays["mean_"]
    model.positions_ = np.array(header.fitted["positions_"], dtype=np.intp)
    model.estimator_ = build_model(_of_method(header), _without(_FITTED, arrays))
    model.output_shape_ = tuple(header.fitted["output_shape_"])
    model.n_features_in_ = header.n_columns
    return model


def _refuse_foreign(method: Any) -> None:
    layout = ESTIMATORS.get(type(method).__name__)
    if layout is None or layout.estimator is not type(method) or layout.symbols:
        kept = ", ".join(name for name, each in ESTIMATORS.items() if not each.symbols)
        raise ModelFileError(
            f"this Patches holds a {type(method).__qualname__}, and in a model file it holds one "
            f"of {kept}. Keep the parameters and fit it anew, or use pickle."
        )


def _without(prefix: str, arrays: dict[str, AnyArray]) -> dict[str, AnyArray]:
    return {
        name.removeprefix(prefix): array
        for name, array in arrays.items()
        if name.startswith(prefix)
    }


def _of_method(header: ModelHeader) -> ModelHeader:
    """Return what the header says about the method, as the header of its own file would."""
    of_method = header.fitted["estimator_"]
    own = tuple(
        replace(entry, name=entry.name.removeprefix(_FITTED))
        for entry in header.arrays
        if entry.name.startswith(_FITTED)
    )
    return replace(header, **of_method, columns=None, arrays=own, notes={})


def _find_odd_parameters(header: ModelHeader) -> str | None:
    for name in sorted(set(header.parameters) - set(_PARAMETERS)):
        return f"{PATCHES} has no parameter {name[:40]!r} in predfeat {__version__}"
    for name, value in header.parameters.items():
        if name in _SHAPES:
            continue
        if name == "estimator" and value is not None:
            if type(value) is not dict or list(value) != ["estimator", "parameters"]:
                return "the parameter estimator is no method"
            if not _is_linear(value["estimator"]) or type(value["parameters"]) is not dict:
                return "the parameter estimator is no method"
            odd = find_odd_parameter(replace(header, **value), ESTIMATORS[value["estimator"]])
            if odd is not None:
                return odd
        elif isinstance(value, list | dict):
            return f"the parameter {name} is a {type(value).__name__}"
    return None


def _find_odd_facts(header: ModelHeader) -> str | None:
    facts = header.fitted
    if tuple(facts) != ("estimator_", "output_shape_", "positions_"):
        return f"the fitted parts are not those of {PATCHES}"
    method = facts["estimator_"]
    kinds = {"n_columns": int, "parameters": dict, "fitted": dict}
    if type(method) is not dict or tuple(method) != _KEYS or not _is_linear(method["estimator"]):
        return "estimator_ is no fitted method"
    if any(type(method[name]) is not kind for name, kind in kinds.items()):
        return "estimator_ is no fitted method"
    for name in ("output_shape_", "positions_"):
        if type(facts[name]) is not list or any(type(n) is not int for n in facts[name]):
            return f"{name} is no list of whole numbers"
    grid = _grid(header)
    if grid is None:
        return "its image, patch and stride do not fit together"
    if method["n_columns"] != prod(grid.patch) * grid.image_shape[2]:
        return f"the method has {method['n_columns']} columns, but a patch has another number"
    positions = facts["positions_"]
    if not positions or positions != sorted(set(positions)):
        return "positions_ is no list of different places in order"
    if positions[0] < 0 or positions[-1] >= grid.n_patches:
        return f"positions_ goes beyond the {grid.n_patches} places"
    return None


def _grid(header: ModelHeader) -> PatchGrid | None:
    try:
        return patch_grid(header.n_columns, *(header.parameters.get(name) for name in _SHAPES))
    except (DimensionError, TypeError):
        return None


def _find_odd_arrays(header: ModelHeader) -> str | None:
    shapes = {entry.name: entry.shape for entry in header.arrays}
    given = header.parameters.get("estimator") or {"parameters": {}}
    of_parameter = [
        _GIVEN + name for name, value in given["parameters"].items() if value == {"array": name}
    ]
    of_method = [name for name in shapes if name.startswith(_FITTED)]
    if list(shapes) != ["mean_", *of_method, *of_parameter]:
        return f"the arrays are not those of this {PATCHES}"
    if shapes["mean_"] != (header.n_columns,):
        return f"mean_ has shape {shapes['mean_']}, but there are {header.n_columns} columns"
    for name in of_parameter:
        if len(shapes[name]) != 2:
            return f"the parameter {name} has shape {shapes[name]}, but is a matrix"
    method, grid = _of_method(header), _grid(header)
    odd = find_unplain(method.parameters) or find_problem(method)
    if odd is not None or grid is None:
        return odd
    right = [*grid.shape, shapes[_FITTED + "components_"][0]]
    if header.fitted["output_shape_"] != right:
        return f"output_shape_ is {header.fitted['output_shape_']}, but {right} is right"
    return None


def _is_linear(name: Any) -> bool:
    return type(name) is str and name in ESTIMATORS and not ESTIMATORS[name].symbols
