"""Expansions and layers in a model file: their kinds, plain numbers and arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from typing import Any

import numpy as np

from predfeat._typing import AnyArray, FloatArray
from predfeat.exceptions import ExpansionError, ModelFileError
from predfeat.expansions import (
    EXPANSIONS,
    MOST_COLUMNS,
    Expansion,
    FittedExpansion,
    FittedFourier,
    FittedIdentity,
    FittedKernel,
    FittedPolynomial,
    Identity,
    LandmarkKernel,
    Polynomial,
    RandomFourier,
)
from predfeat.features import Layer
from predfeat.persistence._plain import find_unplain

__all__ = [
    "decoded_expansion",
    "encoded_expansion",
    "find_odd_expansion",
    "find_odd_layers",
    "layer_arrays",
    "layer_facts",
    "layer_shapes",
    "read_layers",
]

_KINDS: dict[str, Any] = {
    kind.__name__: kind for kind in (Polynomial, LandmarkKernel, RandomFourier, Identity)
}
# Of each fitted expansion: its plain numbers, and its arrays with the names of their axes.
_FITTED: dict[str, tuple[Any, dict[str, type], dict[str, tuple[str, ...]]]] = {
    "identity": (FittedIdentity, {"n_inputs": int}, {}),
    "polynomial": (FittedPolynomial, {"degree": int, "n_inputs": int}, {}),
    "kernel": (
        FittedKernel,
        {"kernel": str, "gamma": float, "degree": int, "coef0": float},
        {"landmarks": ("landmarks", "inputs"), "normalization": ("columns", "landmarks")},
    ),
    "fourier": (FittedFourier, {}, {"frequencies": ("inputs", "columns"), "offsets": ("columns",)}),
}
_MOST_LAYERS = 100
# The product of a larger one and any other column would be too large for float64.
_MOST_DEGREE = 1000


def encoded_expansion(given: Any) -> Any:
    """Return an expansion as it appears in the JSON.

    Examples
    --------
    >>> from predfeat.expansions import Polynomial
    >>> from predfeat.persistence._expansions import encoded_expansion
    >>> encoded_expansion(Polynomial(2))
    {'expansion': 'Polynomial', 'degree': 2}
    """
    if isinstance(given, str):
        return given
    name = type(given).__name__
    if _KINDS.get(name) is not type(given):  # a subclass may compute something else
        raise ModelFileError(
            f"the expansion is {given!r}, which a model file does not keep: it would need pickle. "
            f"It keeps {', '.join(map(repr, EXPANSIONS))}, and {', '.join(_KINDS)} of "
            "predfeat.expansions. With another transformer, keep that one yourself, fit the method "
            "alone to what it returns, and save the method."
        )
    encoded = {"expansion": name, **{k: _plain(v) for k, v in asdict(given).items()}}
    unplain = find_unplain(encoded)
    if unplain is not None:
        raise ModelFileError(
            f"the expansion holds {unplain}, which a model file does not keep. Use plain numbers."
        )
    return encoded


def find_odd_expansion(value: Any) -> str | None:
    """Describe what is wrong with an expansion in the JSON, or return None."""
    if isinstance(value, str):
        return None if value in EXPANSIONS else f"{value[:40]!r} is no expansion"
    if not isinstance(value, dict) or value.get("expansion") not in list(_KINDS):
        return f"{str(value)[:60]!r} is no known expansion"
    names = {"expansion", *(field.name for field in fields(_KINDS[value["expansion"]]))}
    if not set(value) <= names:
        return f"{value['expansion']} has no {sorted(set(value) - names)[0][:40]!r}"
    try:
        decoded_expansion(value)
    except (ExpansionError, TypeError) as error:
        return f"the expansion is not valid: {str(error).rstrip('.')}"
    return None


def decoded_expansion(value: Any) -> str | Expansion:
    """Return the expansion that checked JSON describes."""
    if isinstance(value, str):
        return value
    parameters = {name: given for name, given in value.items() if name != "expansion"}
    expansion: Expansion = _KINDS[value["expansion"]](**parameters)
    return expansion


def layer_facts(layers: Sequence[Layer]) -> list[dict[str, Any]]:
    """Return what the JSON says about fitted layers."""
    facts = []
    for layer in layers:
        word, plain = _word_of(layer.expansion)
        values = {name: _plain(getattr(layer.expansion, name)) for name in plain}
        facts.append({"expansion": word, **values})
    return facts


def layer_arrays(layers: Sequence[Layer]) -> dict[str, FloatArray]:
    """Return the arrays of fitted layers, in file order."""
    arrays: dict[str, FloatArray] = {}
    for number, layer in enumerate(layers):
        own = _FITTED[_word_of(layer.expansion)[0]][2]
        arrays[f"layers_.{number}.mean"] = layer.mean
        arrays[f"layers_.{number}.directions"] = layer.directions
        for name in own:
            arrays[f"layers_.{number}.{name}"] = getattr(layer.expansion, name)
    return arrays


def find_odd_layers(facts: Any) -> str | None:
    """Describe what is wrong with the JSON of layers, or return None."""
    if type(facts) is not list or len(facts) > _MOST_LAYERS:
        return "layers_ is no list of layers"
    for fact in facts:
        if type(fact) is not dict or fact.get("expansion") not in list(_FITTED):
            return f"layers_ holds {str(fact)[:60]!r}, which is no known layer"
        kinds = _FITTED[fact["expansion"]][1]
        if list(fact) != ["expansion", *kinds] or not all(
            type(fact[name]) is kind for name, kind in kinds.items()
        ):
            return f"a layer of {fact['expansion']} does not hold {', '.join(kinds)}"
        if not 1 <= fact.get("degree", 1) <= _MOST_DEGREE:
            return f"a layer has degree {fact['degree']}"
        if not 1 <= fact.get("n_inputs", 1) <= MOST_COLUMNS:
            return f"a layer has {fact['n_inputs']} inputs"
        if "kernel" in fact:
            odd = find_odd_expansion({"expansion": "LandmarkKernel", **_without_word(fact)})
            if odd is not None:
                return odd
    return None


def layer_shapes(
    facts: list[dict[str, Any]], shapes: Mapping[str, tuple[int, ...]], n_columns: int
) -> tuple[dict[str, tuple[int, ...]], int]:
    """Return the shapes that the arrays of checked layers must have, and their last columns.

    Parameters
    ----------
    facts : list of dict
    shapes : dict
        The shapes that the file states, which tell how many white axes and functions there are.
    n_columns : int
        Of the training data.
    """
    right: dict[str, tuple[int, ...]] = {}
    for number, fact in enumerate(facts):
        prefix = f"layers_.{number}."
        n_white = _last(shapes.get(prefix + "directions", ()))
        right[prefix + "mean"] = (n_columns,)
        right[prefix + "directions"] = (n_columns, n_white)
        lengths = {"inputs": n_white, "columns": 0, "landmarks": 0}
        own = _FITTED[fact["expansion"]][2]
        for name, axes in own.items():
            stated = shapes.get(prefix + name, ())
            for axis, length in zip(axes, stated, strict=False):
                lengths[axis] = lengths[axis] or length
        for name, axes in own.items():
            right[prefix + name] = tuple(lengths[axis] for axis in axes)
        n_columns = lengths["columns"] if own else _count(fact, n_white)
    return right, n_columns


def read_layers(facts: list[dict[str, Any]], arrays: Mapping[str, AnyArray]) -> tuple[Layer, ...]:
    """Return the layers that checked JSON and arrays describe."""
    layers = []
    for number, fact in enumerate(facts):
        prefix = f"layers_.{number}."
        kind, _, own = _FITTED[fact["expansion"]]
        parts = {name: arrays[prefix + name] for name in own}
        expansion: FittedExpansion = kind(**_without_word(fact), **parts)
        layers.append(Layer(arrays[prefix + "mean"], arrays[prefix + "directions"], expansion))
    return tuple(layers)


def _count(fact: dict[str, Any], n_white: int) -> int:
    """Return how many columns a layer without arrays has; 0 if its inputs are others."""
    kind: Any = _FITTED[fact["expansion"]][0]
    fitted: FittedExpansion = kind(**_without_word(fact))
    return fitted.n_columns if fact["n_inputs"] == n_white else 0


def _word_of(expansion: FittedExpansion) -> tuple[str, dict[str, type]]:
    for word, (kind, plain, _) in _FITTED.items():
        if type(expansion) is kind:
            return word, plain
    raise ModelFileError(
        f"the model was fitted with a {type(expansion).__name__}, which a model file does not "
        f"keep: it would need pickle. Fit it anew with one of {', '.join(map(repr, EXPANSIONS))}."
    )


def _without_word(fact: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fact.items() if name != "expansion"}


def _last(shape: tuple[int, ...]) -> int:
    return shape[-1] if shape else 0


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
