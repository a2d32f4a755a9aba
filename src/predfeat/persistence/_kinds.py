"""The two kinds of models that a file holds: a method, and a model that holds a method."""

from __future__ import annotations

from typing import Any

from predfeat._typing import AnyArray
from predfeat.features import Expanded, Patches
from predfeat.persistence._chain import EXPANDED
from predfeat.persistence._header import ModelHeader
from predfeat.persistence._inner_method import build_holder, find_odd_holder, holder_parts
from predfeat.persistence._model import Parts, build_model, method_parts
from predfeat.persistence._patches import PATCHES
from predfeat.persistence._schema import Model, find_problem

__all__ = ["AnyModel", "build_any", "find_any_problem", "parts_of"]

AnyModel = Model | Expanded | Patches

_HOLDERS = {holder.estimator.__name__: holder for holder in (EXPANDED, PATCHES)}


def parts_of(model: Any) -> Parts:
    """Return the parts of a fitted model, or raise an error saying why it cannot be saved."""
    holder = _HOLDERS.get(type(model).__name__)
    # Compare the class itself, not its name or parent: a subclass may compute something else.
    if holder is None or type(model) is not holder.estimator:
        return method_parts(model)
    return holder_parts(holder, model)


def find_any_problem(header: ModelHeader) -> str | None:
    """Describe what is inconsistent in a header, or return None. Nothing is allocated."""
    holder = _HOLDERS.get(header.estimator)
    return find_problem(header) if holder is None else find_odd_holder(holder, header)


def build_any(header: ModelHeader, arrays: dict[str, AnyArray]) -> AnyModel:
    """Return the estimator that a checked header and its arrays describe."""
    holder = _HOLDERS.get(header.estimator)
    if holder is None:
        return build_model(header, arrays)
    model: AnyModel = build_holder(holder, header, arrays)
    return model
