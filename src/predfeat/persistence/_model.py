"""Conversion between a fitted estimator and the parts of a model file."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from predfeat._typing import AnyArray, FloatArray
from predfeat.exceptions import ModelFileError
from predfeat.neighbors import is_neighbors
from predfeat.persistence._archive import damaged
from predfeat.persistence._header import ModelHeader
from predfeat.persistence._plain import PLAIN, find_unplain
from predfeat.persistence._schema import ESTIMATORS, Layout, Model, find_odd_symbol
from predfeat.persistence._stream import read_stream, stream_arrays, stream_facts
from predfeat.persistence._terms import decoded_terms, encoded_terms
from predfeat.series import as_objects, check_matrix

__all__ = [
    "Parts",
    "as_fitted",
    "build_method",
    "build_model",
    "columns_of",
    "fitted_names",
    "kept_parameters",
    "method_parts",
    "plain_parameter",
    "refuse_changed",
    "refuse_unplain_notes",
    "set_columns",
]

_FROM_DATA = {"n_features_in_", "feature_names_in_"}


@dataclass(frozen=True)
class Parts:
    """What a file holds of a fitted model.

    Attributes
    ----------
    parameters : dict
        As they appear in the JSON.
    fitted : dict
        The fitted attributes that are not arrays.
    arrays : dict
        The fitted attributes and the parameters that are arrays, in file order.
    n_columns : int
        Number of columns in the training data.
    columns : tuple of str or None
        Their names, if the training data had any.
    """

    parameters: dict[str, Any]
    fitted: dict[str, Any]
    arrays: dict[str, FloatArray]
    n_columns: int
    columns: tuple[str, ...] | None


def method_parts(model: Any) -> Parts:
    """Return the parts of a fitted method, or raise an error saying why it cannot be saved."""
    layout = _layout_of(model)
    parameters, given = kept_parameters(model, layout)
    arrays = {**_fitted_arrays(model, layout), **given}
    return Parts(parameters, _fitted_facts(model, layout), arrays, *columns_of(model))


def columns_of(model: Any) -> tuple[int, tuple[str, ...] | None]:
    """Return the number of columns that a model was fitted to, and their names if it knows them."""
    names = getattr(model, "feature_names_in_", None)
    n_columns = int(getattr(model, "n_features_in_", 1))  # symbols are one column
    return n_columns, None if names is None else tuple(map(str, names))


def set_columns(model: Any, header: ModelHeader) -> None:
    """Give a model the number and the names of the columns that it was fitted to."""
    model.n_features_in_ = header.n_columns
    if header.columns is not None:
        model.feature_names_in_ = np.array(header.columns, dtype=object)


def _layout_of(model: Any) -> Layout:
    """Return the layout of a fitted method, or raise an error saying why it cannot be saved."""
    check_is_fitted(model)
    layout = ESTIMATORS[type(model).__name__]
    kept = {array.split(".")[0] for array in layout.arrays}
    present = fitted_names(model)
    expected = kept.union(layout.counts, layout.symbols)
    if present.intersection(layout.contest):
        expected.update(layout.contest)
    expected.update(present.intersection(layout.stream + layout.shares))
    refuse_changed(model, expected)
    return layout


def fitted_names(model: Any) -> set[str]:
    """Return the names of a model's fitted attributes, except those that describe its columns."""
    return {key for key in vars(model) if key.endswith("_")} - _FROM_DATA


def refuse_changed(model: Any, expected: Set[str]) -> None:
    """Refuse a model that has other fitted attributes than `fit` gives it."""
    odd = sorted(fitted_names(model) ^ expected)
    if odd:
        raise ModelFileError(
            f"this {type(model).__name__} is not as fit left it: {', '.join(odd)} is missing or "
            "was added. Fit it anew, and keep what is yours under another name or in notes."
        )


def kept_parameters(model: Model, layout: Layout) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the parameters as they appear in the JSON, and those that are arrays."""
    model.check_parameters()
    plain: dict[str, Any] = {}
    arrays: dict[str, Any] = {}
    for name, value in sorted(model.get_params(deep=False).items()):
        if name in layout.term_parameters and value is not None:
            plain[name] = encoded_terms(value)
            continue
        if name in layout.array_parameters and is_neighbors(value):
            raise ModelFileError(
                f"the parameter {name} holds neighbours, which a model file does not keep. Set it "
                f'to a name before saving, model.set_params({name}="input"); what was fitted stays '
                "as it is."
            )
        if name in layout.array_parameters and not isinstance(value, str):
            arrays[name] = check_matrix(value, name=name).values
            plain[name] = {"array": name}
            continue
        plain[name] = plain_parameter(model, name, value)
    return plain, arrays


def plain_parameter(model: Any, name: str, value: Any) -> Any:
    """Return a parameter's value as it appears in the JSON, or raise an error if it cannot."""
    plain = value.item() if isinstance(value, np.generic) else value
    unplain = find_unplain(plain)
    if unplain is not None:
        raise ModelFileError(
            f"the parameter {name} is {unplain}, which a model file does not keep. Set it to a "
            f"plain value before saving, model.set_params({name}={_instead(model, name)!r}); "
            "what was fitted stays as it is."
        )
    return plain


def _instead(model: Any, name: str) -> Any:
    """Return a value that a parameter may have: its default, or 0 for a random state."""
    default = type(model)().get_params(deep=False)[name]
    return 0 if default is None else default


def _fitted_facts(model: Model, layout: Layout) -> dict[str, Any]:
    """Return the fitted attributes that are not arrays of numbers.

    These are counts, symbols, the way kept and all scores, shares, and what describes a stream.
    """
    facts: dict[str, Any] = {name: int(getattr(model, name)) for name in layout.counts}
    for name in layout.symbols:
        facts[name] = list(getattr(model, name))
        _refuse_odd_symbols(facts[name])
    if layout.contest and hasattr(model, layout.contest[0]):
        kept, scores = layout.contest
        facts[kept] = getattr(model, kept)
        facts[scores] = {name: float(score) for name, score in getattr(model, scores).items()}
    facts.update(
        {name: float(getattr(model, name)) for name in layout.shares if hasattr(model, name)}
    )
    if layout.stream and hasattr(model, "stream_"):
        facts["stream_"] = stream_facts(model.stream_)
    return facts


def _fitted_arrays(model: Model, layout: Layout) -> dict[str, FloatArray]:
    """Return the fitted attributes that are arrays; entries of a dict are named `attribute.key`."""
    arrays = {}
    for name in layout.arrays:
        attribute, _, key = name.partition(".")
        value = getattr(model, attribute)
        array = np.asarray(value[key] if key else value)
        if name in layout.whole and array.dtype.kind == "i":
            array = array.astype(np.float64)
        arrays[name] = as_fitted(name, array)
    if layout.stream and hasattr(model, "stream_"):
        arrays.update(stream_arrays(model.stream_))
    return arrays


def as_fitted(name: str, value: Any) -> FloatArray:
    """Return a fitted array, or raise an error if its numbers are not those of a fit."""
    array = np.asarray(value)
    if array.dtype != np.float64:
        raise ModelFileError(
            f"{name} is {array.dtype}, but as fitted it is float64. Fit the model anew."
        )
    return array


def build_model(header: ModelHeader, arrays: dict[str, AnyArray]) -> Model:
    """Return the estimator that a checked header and its arrays describe."""
    layout = ESTIMATORS[header.estimator]
    model = build_method(header.estimator, header.parameters, arrays)
    for name, fact in header.fitted.items():
        is_stream = name in layout.stream
        value = read_stream(fact, arrays, header.n_columns) if is_stream else fact
        setattr(model, name, value)
    for name in layout.arrays:
        attribute, _, key = name.partition(".")
        if key:
            setattr(model, attribute, {**getattr(model, attribute, {}), key: arrays[name]})
        else:
            whole = name in layout.whole
            setattr(model, attribute, arrays[name].astype(np.int64) if whole else arrays[name])
    for name in layout.symbols:
        setattr(model, name, as_objects(header.fitted[name]))
    if not layout.symbols:
        set_columns(model, header)
    return model


def build_method(name: str, given: dict[str, Any], arrays: dict[str, AnyArray]) -> Model:
    """Return an estimator that is not fitted, with checked parameters."""
    layout = ESTIMATORS[name]
    parameters: dict[str, Any] = {
        key: arrays[key] if isinstance(value, dict) else value for key, value in given.items()
    }
    for key in layout.term_parameters:
        if parameters.get(key) is not None:
            parameters[key] = decoded_terms(parameters[key])
    model = layout.estimator(**parameters)
    try:
        model.check_parameters()
    except (ValueError, TypeError) as error:
        raise damaged(f"its parameters are not valid: {error}") from error
    return model


def _refuse_odd_symbols(symbols: list[Any]) -> None:
    odd = find_odd_symbol(symbols)
    if odd is not None:
        raise ModelFileError(
            "a model file keeps symbols that are text, whole numbers of up to 63 bits, finite "
            f"floats or bools, but there is {odd}. Convert the symbols before fitting, for example "
            "with str()."
        )


def refuse_unplain_notes(notes: Any) -> None:
    """Refuse notes that would change when read back."""
    unplain = find_unplain(notes) if isinstance(notes, dict) else f"no dict: {type(notes).__name__}"
    if unplain is not None:
        raise ModelFileError(
            f"notes must be a dict that JSON keeps ({PLAIN}), but there is {unplain}. Convert it, "
            "for example with .tolist(), list() or str()."
        )
