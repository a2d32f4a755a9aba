"""What a model file holds for each estimator: the classes, attributes and shapes of schema 1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from predfeat._typing import FloatArray
from predfeat._version import __version__
from predfeat.features import (
    GPFA,
    PFA,
    SFA,
    AutoFeatures,
    ForeCA,
    LinearFeatures,
    RandomFeatures,
)
from predfeat.persistence._header import ModelHeader

__all__ = ["ESTIMATORS", "Layout", "find_bad_value", "find_problem", "parameter_names"]

Shape = tuple[str, ...]


@dataclass(frozen=True)
class Layout:
    """The parts of one estimator.

    Attributes
    ----------
    estimator : class
    counts : tuple of str
        Fitted attributes that are whole numbers.
    arrays : dict
        Fitted attributes that are arrays, in file order, with the names of their axes.
    array_parameters : tuple of str
        Parameters that may be a matrix.
    contest : tuple of str
        The names of two fitted attributes of a fit that tried several ways: the one kept, and the
        scores of all. Only some fits have them, and files of earlier versions do not.
    """

    estimator: type[LinearFeatures]
    counts: tuple[str, ...]
    arrays: dict[str, Shape]
    array_parameters: tuple[str, ...] = ()
    contest: tuple[str, ...] = ()


_MAP: dict[str, Shape] = {
    "mean_": ("columns",),
    "components_": ("features", "columns"),
    "patterns_": ("features", "columns"),
}
_EIGENVALUES: dict[str, Shape] = {"eigenvalues_": ("features",)}
_HISTORY: dict[str, Shape] = {
    "history_.eigenvalues": ("iterations", "features"),
    "history_.angle": ("iterations",),
    "history_.seconds": ("iterations",),
}

ESTIMATORS = {
    "GPFA": Layout(
        GPFA,
        ("rank_", "n_iter_"),
        {**_MAP, **_EIGENVALUES, **_HISTORY},
        ("init",),
        contest=("init_", "start_scores_"),
    ),
    "SFA": Layout(SFA, ("rank_",), {**_MAP, **_EIGENVALUES}),
    "PFA": Layout(PFA, ("rank_",), {**_MAP, **_EIGENVALUES}),
    "ForeCA": Layout(ForeCA, ("rank_", "n_iter_"), {**_MAP, "omega_": ("features",)}),
    "RandomFeatures": Layout(RandomFeatures, ("rank_",), _MAP),
    "AutoFeatures": Layout(AutoFeatures, ("rank_",), _MAP, contest=("best_candidate_", "scores_")),
}


def parameter_names(layout: Layout) -> set[str]:
    """Return the names of an estimator's parameters."""
    return set(layout.estimator().get_params(deep=False))


def find_problem(header: ModelHeader) -> str | None:
    """Describe what is inconsistent in a header, or return None. Nothing is allocated."""
    if header.estimator not in ESTIMATORS:
        return f"{header.estimator[:40]!r} is none of the estimators {', '.join(ESTIMATORS)}"
    layout = ESTIMATORS[header.estimator]
    return (
        _find_odd_parameter(header, layout)
        or _find_odd_columns(header)
        or _find_odd_count(header, layout)
        or _find_odd_contest(header, layout)
        or _find_odd_shape(header, layout)
    )


def find_bad_value(name: str, values: FloatArray) -> str | None:
    """Describe what is wrong with an array's numbers, or return None."""
    if name == "history_.angle":
        values = values[1:]  # the first iteration has no previous space: its angle is NaN
    n_bad = int(np.size(values) - np.count_nonzero(np.isfinite(values)))
    return f"{name} holds {n_bad} NaN or infinite value(s)" if n_bad else None


def _find_odd_parameter(header: ModelHeader, layout: Layout) -> str | None:
    # A missing parameter gets its default: estimators may have gained parameters since the
    # version that wrote the file.
    for name in sorted(set(header.parameters) - parameter_names(layout)):
        return (
            f"{header.estimator} has no parameter {name[:40]!r} in predfeat {__version__} (the "
            f"model is from predfeat {header.version[:20]}; if that is newer, update)"
        )
    for name, value in header.parameters.items():
        is_array = value == {"array": name} and name in layout.array_parameters
        if isinstance(value, list | dict) and not is_array:
            return f"the parameter {name} is a {type(value).__name__}"
    return None


def _find_odd_columns(header: ModelHeader) -> str | None:
    if header.columns is None:
        return None
    if len(header.columns) != header.n_columns:
        return f"{len(header.columns)} column names are given for {header.n_columns} columns"
    if len(set(header.columns)) != header.n_columns:
        return "several columns have the same name"
    return None


def _find_odd_count(header: ModelHeader, layout: Layout) -> str | None:
    if tuple(header.fitted) not in (layout.counts, layout.counts + layout.contest):
        return f"the fitted numbers are not those of {header.estimator}, {layout.counts}"
    for name in layout.counts:
        value = header.fitted[name]
        if type(value) is not int or value < 1:
            return f"{name} is no count"
    return None


def _find_odd_contest(header: ModelHeader, layout: Layout) -> str | None:
    if not any(name in header.fitted for name in layout.contest):
        return None
    kept, scores = (header.fitted[name] for name in layout.contest)
    if type(scores) is not dict or not all(type(score) is float for score in scores.values()):
        return f"{layout.contest[1]} is no dict of numbers"
    if type(kept) is not str or kept not in scores:
        return f"{layout.contest[0]} is none of those that have a score"
    return None


def _find_odd_shape(header: ModelHeader, layout: Layout) -> str | None:
    shapes = {entry.name: entry.shape for entry in header.arrays}
    given = [name for name in layout.array_parameters if _is_array(header.parameters, name)]
    expected = [*layout.arrays, *given]
    if [entry.name for entry in header.arrays] != expected:
        return f"the arrays are not those of this {header.estimator}, {expected}"
    for name in given:
        if len(shapes[name]) != 2:
            return f"the parameter {name} has shape {shapes[name]}, but is a matrix"
    lengths = {
        "columns": header.n_columns,
        "features": shapes["components_"][0] if shapes["components_"] else 0,
        "iterations": header.fitted.get("n_iter_", 0),
    }
    for name, axes in layout.arrays.items():
        right = tuple(lengths[axis] for axis in axes)
        if shapes[name] != right:
            return f"{name} has shape {shapes[name]}, but with the other parts {right} is right"
    if not lengths["features"] <= header.fitted["rank_"] <= header.n_columns:
        return (
            f"{lengths['features']} features of data of rank {header.fitted['rank_']} in "
            f"{header.n_columns} columns cannot be"
        )
    return None


def _is_array(parameters: dict[str, Any], name: str) -> bool:
    return isinstance(parameters.get(name), dict)
