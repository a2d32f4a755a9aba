"""Models that hold another one: the method inside is kept as a model file of its own keeps it.

A `Holder` says what a model keeps besides; the rest is the same for all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from sklearn.utils.validation import check_is_fitted

from predfeat._typing import AnyArray, FloatArray
from predfeat.exceptions import ModelFileError
from predfeat.persistence._archive import damaged
from predfeat.persistence._array_names import FITTED, GIVEN, with_prefix, within
from predfeat.persistence._header import ModelHeader
from predfeat.persistence._model import (
    Parts,
    build_method,
    build_model,
    columns_of,
    kept_parameters,
    method_parts,
    plain_parameter,
    set_columns,
)
from predfeat.persistence._schema import (
    ESTIMATORS,
    find_odd_columns,
    find_odd_name,
    find_odd_parameter,
    find_problem,
)

__all__ = [
    "Form",
    "Holder",
    "build_holder",
    "find_odd_holder",
    "header_of_method",
    "holder_parts",
]

_KINDS: dict[str, type] = {"estimator": str, "n_columns": int, "parameters": dict, "fitted": dict}


@dataclass(frozen=True)
class Form:
    """How a parameter that is not plain appears in the JSON.

    Attributes
    ----------
    encode, decode : callable
        To the JSON, and from checked JSON.
    find_odd : callable, optional
        Describes what is wrong with the JSON, or returns None. Without it, the parameter is checked
        with the fitted attributes.
    """

    encode: Callable[[Any], Any]
    decode: Callable[[Any], Any]
    find_odd: Callable[[Any], str | None] | None = None


@dataclass(frozen=True)
class Holder:
    """What a model that holds a method keeps besides the method.

    Attributes
    ----------
    estimator : class
        Its parameter is `estimator`, its fitted method `estimator_`.
    facts : callable
        Returns the fitted attributes that are not arrays, in file order.
    arrays : callable
        Returns the fitted attributes that are arrays, in file order.
    find_odd_facts : callable
        Describes what is wrong with these facts in a header, or returns None.
    right_shapes : callable
        Returns the shapes that the arrays must have, in file order. The facts are right.
    find_misfit : callable
        Describes how the method does not fit the rest, or returns None. Facts and shapes are right.
    set_fitted : callable
        Gives a model what a checked header and arrays hold, except the method.
    count_features : callable
        Returns how many features a model has, according to a checked header.
    fact_names : tuple of str
        The names of the facts.
    forms : dict
        Of the parameters that are not plain.
    """

    estimator: type
    facts: Callable[[Any], dict[str, Any]]
    arrays: Callable[[Any], dict[str, FloatArray]]
    find_odd_facts: Callable[[ModelHeader], str | None]
    right_shapes: Callable[[ModelHeader], dict[str, tuple[int, ...]]]
    find_misfit: Callable[[ModelHeader], str | None]
    set_fitted: Callable[[Any, ModelHeader, dict[str, AnyArray]], None]
    count_features: Callable[[ModelHeader], int]
    fact_names: tuple[str, ...]
    forms: Mapping[str, Form] = field(default_factory=dict)


def holder_parts(holder: Holder, model: Any) -> Parts:
    """Return the parts of a fitted model that holds a method.

    Raises
    ------
    ModelFileError
        It is not fitted as predfeat fits it, or a parameter or the method cannot be kept.
    """
    check_is_fitted(model)
    model.check_parameters()
    parameters, given = _kept_holder_parameters(holder, model)
    method = model.estimator_
    _refuse_foreign(method, holder)
    inner = method_parts(method)
    of_method = {
        "estimator": type(method).__name__,
        "n_columns": inner.n_columns,
        "parameters": inner.parameters,
        "fitted": inner.fitted,
    }
    return Parts(
        parameters,
        {"estimator_": of_method, **holder.facts(model)},
        {**holder.arrays(model), **with_prefix(FITTED, inner.arrays), **with_prefix(GIVEN, given)},
        *columns_of(model),
    )


def find_odd_holder(holder: Holder, header: ModelHeader) -> str | None:
    """Describe what is inconsistent in the header of such a model, or return None."""
    return (
        _find_odd_holder_parameter(holder, header)
        or find_odd_columns(header)
        or _find_odd_fitted_method(holder, header)
        or holder.find_odd_facts(header)
        or _find_odd_array(holder, header)
        or holder.find_misfit(header)
        or find_problem(header_of_method(header))
    )


def build_holder(holder: Holder, header: ModelHeader, arrays: dict[str, AnyArray]) -> Any:
    """Return the estimator that a checked header and its arrays describe."""
    parameters: dict[str, Any] = {
        name: holder.forms[name].decode(value) if name in holder.forms else value
        for name, value in header.parameters.items()
    }
    given = parameters.get("estimator")
    if given is not None:
        of_parameter = within(GIVEN, arrays)
        parameters["estimator"] = build_method(
            given["estimator"], given["parameters"], of_parameter
        )
    model = holder.estimator(**parameters)
    try:
        model.check_parameters()
    except (ValueError, TypeError) as error:
        raise damaged(f"its parameters are not valid: {error}") from error
    model.estimator_ = build_model(header_of_method(header), within(FITTED, arrays))
    holder.set_fitted(model, header, arrays)
    set_columns(model, header)
    return model


def _kept_holder_parameters(
    holder: Holder, model: Any
) -> tuple[dict[str, Any], dict[str, FloatArray]]:
    """Return the parameters as they appear in the JSON, and those of the method's that are arrays.

    The method's are those of the parameter `estimator`.
    """
    plain: dict[str, Any] = {}
    arrays: dict[str, FloatArray] = {}
    for name, value in sorted(model.get_params(deep=False).items()):
        if name == "estimator" and value is not None:
            _refuse_foreign(value, holder)
            word = type(value).__name__
            own, arrays = kept_parameters(value, ESTIMATORS[word])
            plain[name] = {"estimator": word, "parameters": own}
        elif name in holder.forms:
            plain[name] = holder.forms[name].encode(value)
        else:
            plain[name] = plain_parameter(model, name, value)
    return plain, arrays


def _refuse_foreign(method: Any, holder: Holder) -> None:
    word = type(method).__name__
    if not _is_method(word) or ESTIMATORS[word].estimator is not type(method):
        kept = ", ".join(name for name in ESTIMATORS if _is_method(name))
        raise ModelFileError(
            f"this {holder.estimator.__name__} holds a {type(method).__qualname__}, and in a model "
            f"file it holds one of {kept}. Fit it anew with one of these."
        )


def _is_method(name: Any) -> bool:
    """Tell whether a name from a file is that of a method that can be inside another model."""
    return type(name) is str and name in ESTIMATORS and not ESTIMATORS[name].symbols


def _find_odd_holder_parameter(holder: Holder, header: ModelHeader) -> str | None:
    odd = find_odd_name(header, set(holder.estimator().get_params(deep=False)))
    if odd is not None:
        return odd
    for name, value in header.parameters.items():
        if name in holder.forms:
            find = holder.forms[name].find_odd
            odd = None if find is None else find(value)
        elif name == "estimator" and value is not None:
            odd = _find_odd_given_method(value, header)
        elif isinstance(value, list | dict):
            odd = f"the parameter {name} is a {type(value).__name__}"
        if odd is not None:
            return odd
    return None


def _find_odd_given_method(given: Any, header: ModelHeader) -> str | None:
    """Describe what is wrong with the parameter `estimator`, or return None."""
    if (
        type(given) is not dict
        or list(given) != ["estimator", "parameters"]
        or not _is_method(given["estimator"])
        or type(given["parameters"]) is not dict
    ):
        return "the parameter estimator is no method"
    return find_odd_parameter(replace(header, **given), ESTIMATORS[given["estimator"]])


def _find_odd_fitted_method(holder: Holder, header: ModelHeader) -> str | None:
    if tuple(header.fitted) != ("estimator_", *holder.fact_names):
        return f"the fitted parts are not those of {header.estimator}"
    fact = header.fitted["estimator_"]
    if (
        type(fact) is not dict
        or list(fact) != list(_KINDS)
        or any(type(fact[name]) is not kind for name, kind in _KINDS.items())
        or not _is_method(fact["estimator"])
    ):
        return "estimator_ is no fitted method"
    return None


def _find_odd_array(holder: Holder, header: ModelHeader) -> str | None:
    """Describe an array that is missing, too many or of another shape, or return None.

    Shapes of the fitted method's arrays are checked with the method.
    """
    shapes = {entry.name: entry.shape for entry in header.arrays}
    right = holder.right_shapes(header)
    given = header.parameters.get("estimator") or {"parameters": {}}
    of_parameter = [
        GIVEN + name for name, value in given["parameters"].items() if value == {"array": name}
    ]
    of_method = [name for name in shapes if name.startswith(FITTED)]
    if [entry.name for entry in header.arrays] != [*right, *of_method, *of_parameter]:
        return f"the arrays are not those of this {header.estimator}"
    for name, shape in right.items():
        if shapes[name] != shape:
            return f"{name} has shape {shapes[name]}, but with the other parts {shape} is right"
    for name in of_parameter:
        if len(shapes[name]) != 2:
            return f"the parameter {name} has shape {shapes[name]}, but is a matrix"
    return None


def header_of_method(header: ModelHeader) -> ModelHeader:
    """Return what the header says about the method, as the header of its own file would."""
    own = tuple(
        replace(entry, name=entry.name.removeprefix(FITTED))
        for entry in header.arrays
        if entry.name.startswith(FITTED)
    )
    return replace(header, **header.fitted["estimator_"], columns=None, arrays=own, notes={})
