"""What a `Patches` keeps in a model file besides its method: mean image, places and shapes."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from predfeat._typing import AnyArray, FloatArray
from predfeat.exceptions import DimensionError
from predfeat.features import Patches, PatchGrid, patch_grid
from predfeat.persistence._array_names import FITTED
from predfeat.persistence._header import ModelHeader
from predfeat.persistence._inner_method import Form, Holder

__all__ = ["PATCHES"]

_SHAPES = ("image_shape", "patch", "stride")


def _encoded_shape(value: Any) -> Any:
    if np.ndim(value) > 0:
        return [int(length) for length in value]
    return value.item() if isinstance(value, np.generic) else value


def _decoded_shape(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _facts(model: Patches) -> dict[str, Any]:
    return {
        "output_shape_": list(model.output_shape_),
        "positions_": [int(position) for position in model.positions_],
    }


def _arrays(model: Patches) -> dict[str, FloatArray]:
    return {"mean_": model.mean_}


def _find_odd_facts(header: ModelHeader) -> str | None:
    for name in ("output_shape_", "positions_"):
        fact = header.fitted[name]
        if type(fact) is not list or any(type(n) is not int for n in fact):
            return f"{name} is no list of whole numbers"
    grid = _grid(header)
    if grid is None:
        return "its image, patch and stride do not fit together"
    n_columns = header.fitted["estimator_"]["n_columns"]
    if n_columns != prod(grid.patch) * grid.image_shape[2]:
        return f"the method has {n_columns} columns, but a patch has another number"
    positions = header.fitted["positions_"]
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


def _right_shapes(header: ModelHeader) -> dict[str, tuple[int, ...]]:
    return {"mean_": (header.n_columns,)}


def _find_misfit(header: ModelHeader) -> str | None:
    grid = _grid(header)
    if grid is None:
        return None
    shapes = {entry.name: entry.shape for entry in header.arrays}
    right = [*grid.shape, *shapes.get(FITTED + "components_", ())[:1]]
    if header.fitted["output_shape_"] != right:
        return f"output_shape_ is {header.fitted['output_shape_']}, but {right} is right"
    return None


def _set_fitted(model: Patches, header: ModelHeader, arrays: dict[str, AnyArray]) -> None:
    model.mean_ = arrays["mean_"]
    model.positions_ = np.array(header.fitted["positions_"], dtype=np.intp)
    model.output_shape_ = tuple(header.fitted["output_shape_"])


def _count_features(header: ModelHeader) -> int:
    return prod(header.fitted["output_shape_"])


PATCHES = Holder(
    Patches,
    facts=_facts,
    arrays=_arrays,
    find_odd_facts=_find_odd_facts,
    right_shapes=_right_shapes,
    find_misfit=_find_misfit,
    set_fitted=_set_fitted,
    count_features=_count_features,
    fact_names=("output_shape_", "positions_"),
    forms={name: Form(_encoded_shape, _decoded_shape) for name in _SHAPES},
)
