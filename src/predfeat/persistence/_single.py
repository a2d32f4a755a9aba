"""The models that a file holds by themselves, and that are the steps of a pipeline."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from predfeat._typing import AnyArray
from predfeat.exceptions import ModelFileError
from predfeat.features import SpectralRegression
from predfeat.persistence._chain import EXPANDED
from predfeat.persistence._header import ModelHeader
from predfeat.persistence._inner_method import (
    Holder,
    build_holder,
    find_odd_holder,
    holder_parts,
)
from predfeat.persistence._model import Parts, build_model, method_parts
from predfeat.persistence._patches import PATCHES
from predfeat.persistence._schema import ESTIMATORS, Layout, count_features, find_problem
from predfeat.persistence._spectral_regression import (
    build_regression,
    count_regression_features,
    find_odd_regression,
    regression_parts,
)

__all__ = ["SINGLE", "Kind", "is_kept", "kind_of"]


@dataclass(frozen=True)
class Kind:
    """The conversions and checks of one class of models.

    Attributes
    ----------
    estimator : class
    parts : callable
        Returns the parts of a fitted model, or raises an error saying why it cannot be saved.
    find_problem : callable
        Describes what is inconsistent in a header, or returns None. Nothing is allocated.
    build : callable
        Returns the model that a checked header and its arrays describe.
    count_features : callable
        Returns how many features a model has, according to a checked header.
    """

    estimator: type
    parts: Callable[[Any], Parts]
    find_problem: Callable[[ModelHeader], str | None]
    build: Callable[[ModelHeader, dict[str, AnyArray]], Any]
    count_features: Callable[[ModelHeader], int]


def _of_method(layout: Layout) -> Kind:
    return Kind(layout.estimator, method_parts, find_problem, build_model, count_features)


def _of_holder(holder: Holder) -> Kind:
    return Kind(
        holder.estimator,
        partial(holder_parts, holder),
        partial(find_odd_holder, holder),
        partial(build_holder, holder),
        holder.count_features,
    )


_REGRESSION = Kind(
    SpectralRegression,
    regression_parts,
    find_odd_regression,
    build_regression,
    count_regression_features,
)
_KINDS = (*map(_of_method, ESTIMATORS.values()), *map(_of_holder, (EXPANDED, PATCHES)), _REGRESSION)
SINGLE = {kind.estimator.__name__: kind for kind in _KINDS}


def is_kept(model: Any) -> bool:
    """Tell whether a model is of a class that a file holds."""
    kind = SINGLE.get(type(model).__name__)
    # Compare the class itself, not its name or parent: a subclass may compute something else.
    return kind is not None and type(model) is kind.estimator


def kind_of(model: Any) -> Kind:
    """Return the conversions for a model, or raise an error if there are none."""
    if not is_kept(model):
        raise ModelFileError(
            f"a model file holds one of {', '.join(SINGLE)}, or a pipeline of these, not a "
            f"{type(model).__qualname__}. Of another object that holds one, save that alone, for "
            "example save(search.best_estimator_, path)."
        )
    return SINGLE[type(model).__name__]
