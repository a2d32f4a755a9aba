"""An `Expanded` in a model file: its layers, and its method as a model file of its own holds it.

Names of the fitted method's arrays begin with "estimator_.", those of the parameter's with
"estimator.".
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sklearn.utils.validation import check_is_fitted

from predfeat._typing import AnyArray, FloatArray
from predfeat._version import __version__
from predfeat.exceptions import ModelFileError
from predfeat.features import Expanded
from predfeat.persistence._archive import damaged
from predfeat.persistence._expansions import (
    decoded_expansion,
    encoded_expansion,
    find_odd_expansion,
    find_odd_layers,
    layer_arrays,
    layer_facts,
    layer_shapes,
    read_layers,
)
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

__all__ = ["CHAIN", "build_chain", "chain_arrays", "chain_facts", "chain_parameters", "find_odd"]

CHAIN = "Expanded"
_FITTED, _GIVEN = "estimator_.", "estimator."
_KEYS = ("estimator", "n_columns", "parameters", "fitted")
_PARAMETERS = tuple(sorted(Expanded().get_params(deep=False)))


def chain_parameters(model: Expanded) -> tuple[dict[str, Any], dict[str, FloatArray]]:
    """Return the parameters as they appear in the JSON, and those of the method's that are arrays.

    Raises
    ------
    ModelFileError
        It is not fitted as predfeat fits it, or a parameter cannot be kept.
    """
    check_is_fitted(model)
    model.check_parameters()
    plain: dict[str, Any] = {}
    arrays: dict[str, FloatArray] = {}
    for name, value in sorted(model.get_params(deep=False).items()):
        if name == "expansion":
            plain[name] = encoded_expansion(value)
        elif name == "estimator" and value is not None:
            layout = _layout(type(value))
            own, given = kept_parameters(value, layout)
            plain[name] = {"estimator": type(value).__name__, "parameters": own}
            arrays = {_GIVEN + key: array for key, array in given.items()}
        else:
            plain[name] = value.item() if hasattr(value, "item") else value
    return plain, arrays


def chain_facts(model: Expanded) -> dict[str, Any]:
    """Return the fitted attributes that are not arrays."""
    method = model.estimator_
    layout = layout_of(method)
    facts = (
        type(method).__name__,
        int(method.n_features_in_),
        kept_parameters(method, layout)[0],
        fitted_facts(method, layout),
    )
    return {
        "estimator_": dict(zip(_KEYS, facts, strict=True)),
        "layers_": layer_facts(model.layers_),
    }


def chain_arrays(model: Expanded) -> dict[str, FloatArray]:
    """Return the fitted attributes that are arrays."""
    method = model.estimator_
    layout = layout_of(method)
    own = {**fitted_arrays(method, layout), **kept_parameters(method, layout)[1]}
    return {
        **layer_arrays(model.layers_),
        **{_FITTED + name: array for name, array in own.items()},
    }


def find_odd(header: ModelHeader) -> str | None:
    """Describe what is inconsistent in the header of a chain, or return None."""
    return _find_odd_facts(header) or find_odd_columns(header) or _find_odd_arrays(header)


def build_chain(header: ModelHeader, arrays: dict[str, AnyArray]) -> Expanded:
    """Return the estimator that a checked header and its arrays describe."""
    parameters = dict(header.parameters)
    if "expansion" in parameters:
        parameters["expansion"] = decoded_expansion(parameters["expansion"])
    given = parameters.get("estimator")
    if given is not None:
        parameters["estimator"] = build_method(
            given["estimator"], given["parameters"], _without(_GIVEN, arrays)
        )
    model = Expanded(**parameters)
    try:
        model.check_parameters()
    except (ValueError, TypeError) as error:
        raise damaged(f"its parameters are not valid: {error}") from error
    method: Any = build_model(_of_method(header), _without(_FITTED, arrays))
    model.layers_ = read_layers(header.fitted["layers_"], arrays)
    model.estimator_ = method
    model.n_features_in_ = header.n_columns
    return model


def _layout(kind: type) -> Any:
    layout = ESTIMATORS.get(kind.__name__)
    if layout is None or layout.estimator is not kind:
        raise ModelFileError(
            f"the parameter estimator is a {kind.__qualname__}, and a model file holds one of "
            f"{', '.join(ESTIMATORS)}."
        )
    return layout


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
    return ModelHeader(
        estimator=of_method["estimator"],
        parameters=of_method["parameters"],
        n_columns=of_method["n_columns"],
        columns=None,
        fitted=of_method["fitted"],
        arrays=own,
        notes={},
        version=header.version,
        schema=header.schema,
    )


def _find_odd_facts(header: ModelHeader) -> str | None:
    for name in sorted(set(header.parameters) - set(_PARAMETERS)):
        return f"{CHAIN} has no parameter {name[:40]!r} in predfeat {__version__}"
    if "expansion" in header.parameters:
        odd = find_odd_expansion(header.parameters["expansion"])
        if odd is not None:
            return odd
    given = header.parameters.get("estimator")
    if given is not None and (odd := _find_odd_method(given, header)) is not None:
        return odd
    for name, value in header.parameters.items():
        if name not in ("estimator", "expansion") and isinstance(value, list | dict):
            return f"the parameter {name} is a {type(value).__name__}"
    if tuple(header.fitted) != ("estimator_", "layers_"):
        return f"the fitted parts are not those of {CHAIN}, its method and its layers"
    return _find_odd_fitted(header.fitted["estimator_"]) or find_odd_layers(
        header.fitted["layers_"]
    )


def _find_odd_method(given: Any, header: ModelHeader) -> str | None:
    """Describe what is wrong with the parameter `estimator`, or return None."""
    if (
        type(given) is not dict
        or list(given) != ["estimator", "parameters"]
        or not _is_linear(given["estimator"])
        or type(given["parameters"]) is not dict
    ):
        return "the parameter estimator is no method"
    layout = ESTIMATORS[given["estimator"]]
    pretended = replace(header, estimator=given["estimator"], parameters=given["parameters"])
    return find_odd_parameter(pretended, layout)


def _find_odd_fitted(fact: Any) -> str | None:
    if type(fact) is not dict or tuple(fact) != _KEYS or not _is_linear(fact["estimator"]):
        return "estimator_ is no fitted method"
    kinds = {"n_columns": int, "parameters": dict, "fitted": dict}
    if any(type(fact[name]) is not kind for name, kind in kinds.items()):
        return "estimator_ is no fitted method"
    return None if fact["n_columns"] >= 1 else "estimator_ has no column"


def _is_linear(name: Any) -> bool:
    return type(name) is str and name in ESTIMATORS and not ESTIMATORS[name].symbols


def _find_odd_arrays(header: ModelHeader) -> str | None:
    shapes = {entry.name: entry.shape for entry in header.arrays}
    facts = header.fitted["layers_"]
    right, n_last = layer_shapes(facts, shapes, header.n_columns)
    given = header.parameters.get("estimator") or {"parameters": {}}
    of_parameter = [
        _GIVEN + name for name, value in given["parameters"].items() if value == {"array": name}
    ]
    of_method = [name for name in shapes if name.startswith(_FITTED)]
    if list(shapes) != [*right, *of_method, *of_parameter]:
        return f"the arrays are not those of this {CHAIN}"
    for name, shape in right.items():
        if shapes[name] != shape or 0 in shape:
            return f"{name} has shape {shapes[name]}, but with the other parts {shape} is right"
    for name in of_parameter:
        if len(shapes[name]) != 2:
            return f"the parameter {name} has shape {shapes[name]}, but is a matrix"
    method = _of_method(header)
    if method.n_columns != n_last:
        return f"the method has {method.n_columns} columns, but the last layer has {n_last}"
    return find_unplain(method.parameters) or find_problem(method)
