"""What an `Expanded` keeps in a model file besides its method: the expansion and its layers."""

from __future__ import annotations

from typing import Any

from predfeat._typing import AnyArray, FloatArray
from predfeat.features import Expanded
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
from predfeat.persistence._inner_method import Form, Holder, header_of_method
from predfeat.persistence._schema import count_features

__all__ = ["EXPANDED"]


def _facts(model: Expanded) -> dict[str, Any]:
    return {"layers_": layer_facts(model.layers_)}


def _arrays(model: Expanded) -> dict[str, FloatArray]:
    return layer_arrays(model.layers_)


def _find_odd_facts(header: ModelHeader) -> str | None:
    return find_odd_layers(header.fitted["layers_"])


def _layer_shapes(header: ModelHeader) -> tuple[dict[str, tuple[int, ...]], int]:
    """Return the right shapes of the layers' arrays, and how many columns the last one has."""
    stated = {entry.name: entry.shape for entry in header.arrays}
    return layer_shapes(header.fitted["layers_"], stated, header.n_columns)


def _right_shapes(header: ModelHeader) -> dict[str, tuple[int, ...]]:
    return _layer_shapes(header)[0]


def _find_misfit(header: ModelHeader) -> str | None:
    n_last, n_columns = _layer_shapes(header)[1], header.fitted["estimator_"]["n_columns"]
    if n_columns != n_last:
        return f"the method has {n_columns} columns, but the last layer has {n_last}"
    return None


def _set_fitted(model: Expanded, header: ModelHeader, arrays: dict[str, AnyArray]) -> None:
    model.layers_ = read_layers(header.fitted["layers_"], arrays)


def _count_features(header: ModelHeader) -> int:
    return count_features(header_of_method(header))


EXPANDED = Holder(
    Expanded,
    facts=_facts,
    arrays=_arrays,
    find_odd_facts=_find_odd_facts,
    right_shapes=_right_shapes,
    find_misfit=_find_misfit,
    set_fitted=_set_fitted,
    count_features=_count_features,
    fact_names=("layers_",),
    forms={"expansion": Form(encoded_expansion, decoded_expansion, find_odd_expansion)},
)
