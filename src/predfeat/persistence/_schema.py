"""What a model file holds for each estimator: the classes, attributes and shapes of schema 1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from predfeat._typing import FloatArray
from predfeat._version import __version__
from predfeat.features import (
    DCA,
    GPFA,
    LPP,
    PFA,
    SFA,
    AutoFeatures,
    DescentFeatures,
    ForeCA,
    LinearFeatures,
    RandomFeatures,
    StreamingFeatures,
    SymbolFeatures,
)
from predfeat.persistence._array_names import own_name
from predfeat.persistence._header import ModelHeader
from predfeat.persistence._plain import find_unplain
from predfeat.persistence._stream import find_odd_stream, stream_shapes
from predfeat.persistence._terms import find_odd_terms

__all__ = [
    "ESTIMATORS",
    "Layout",
    "Model",
    "count_features",
    "find_bad_value",
    "find_odd_columns",
    "find_odd_name",
    "find_odd_parameter",
    "find_odd_symbol",
    "find_problem",
    "parameter_names",
]

Shape = tuple[str, ...]
Model = LinearFeatures | SymbolFeatures


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
    term_parameters : tuple of str
        Parameters that may be a list of edge terms.
    contest : tuple of str
        The names of two fitted attributes of a fit that tried several ways: the one kept, and the
        scores of all. Only some fits have them, and files of earlier versions do not.
    shares : tuple of str
        Fitted attributes that are numbers from 0 to 1. Only some fits have them.
    whole : tuple of str
        Arrays of whole numbers. In files they are floats, as all arrays are.
    symbols : tuple of str
        The fitted attribute that holds symbols, if there is one.
    """

    estimator: type[Model]
    counts: tuple[str, ...]
    arrays: dict[str, Shape]
    array_parameters: tuple[str, ...] = ()
    term_parameters: tuple[str, ...] = ()
    contest: tuple[str, ...] = ()
    shares: tuple[str, ...] = ()
    whole: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()

    @property
    def stream(self) -> tuple[str, ...]:
        """The fitted attribute of models that `partial_fit` built, if there is one."""
        return ("stream_",) if issubclass(self.estimator, StreamingFeatures) else ()


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

_DESCENT: dict[str, Shape] = {
    "history_.value": ("iterations",),
    "history_.every": ("iterations",),
    "history_.seconds": ("iterations",),
}

ESTIMATORS = {
    "GPFA": Layout(
        GPFA,
        ("rank_", "n_iter_"),
        {**_MAP, **_EIGENVALUES, **_HISTORY},
        ("init",),
        ("terms",),
        contest=("init_", "start_scores_"),
        shares=("recall_",),
    ),
    "SFA": Layout(SFA, ("rank_",), {**_MAP, **_EIGENVALUES}),
    "PFA": Layout(PFA, ("rank_",), {**_MAP, **_EIGENVALUES}),
    "ForeCA": Layout(ForeCA, ("rank_", "n_iter_"), {**_MAP, "omega_": ("features",)}),
    "LPP": Layout(LPP, ("rank_",), {**_MAP, **_EIGENVALUES}),
    "DCA": Layout(DCA, ("rank_", "n_iter_"), {**_MAP, "predictive_information_": ("features",)}),
    "DescentFeatures": Layout(
        DescentFeatures,
        ("rank_", "n_iter_"),
        {**_MAP, "shares_": ("features",), **_DESCENT},
    ),
    "RandomFeatures": Layout(RandomFeatures, ("rank_",), _MAP),
    "AutoFeatures": Layout(AutoFeatures, ("rank_",), _MAP, contest=("best_candidate_", "scores_")),
    "SymbolFeatures": Layout(
        SymbolFeatures,
        ("n_iter_",),
        {"vectors_": ("symbols", "features"), "counts_": ("symbols",), **_EIGENVALUES, **_HISTORY},
        whole=("counts_",),
        symbols=("symbols_",),
    ),
}


def parameter_names(layout: Layout) -> set[str]:
    """Return the names of an estimator's parameters."""
    return set(layout.estimator().get_params(deep=False))


def find_problem(header: ModelHeader) -> str | None:
    """Describe what is inconsistent in the header of a method, or return None."""
    layout = ESTIMATORS[header.estimator]
    return (
        find_odd_parameter(header, layout)
        or find_odd_columns(header)
        or _find_odd_count(header, layout)
        or _find_odd_contest(header, layout)
        or _find_odd_symbols(header, layout)
        or _find_odd_stream(header, layout)
        or _find_odd_shape(header, layout)
    )


def find_bad_value(name: str, values: FloatArray) -> str | None:
    """Describe what is wrong with an array's numbers, or return None."""
    if own_name(name) == "history_.angle":
        values = values[1:]  # the first iteration has no previous space: its angle is NaN
    n_bad = int(np.size(values) - np.count_nonzero(np.isfinite(values)))
    if n_bad:
        return f"{name} holds {n_bad} NaN or infinite value(s)"
    # From 2⁵³ on, floats leave out whole numbers.
    if own_name(name) == "counts_" and not np.all(
        (values == np.rint(values)) & (values >= 1) & (values < 2**53)
    ):
        return f"{name} holds numbers that are no counts"
    return None


def find_odd_symbol(symbols: list[Any]) -> str | None:
    """Describe the first symbol that JSON cannot hold or would return as something else."""
    for symbol in symbols:
        if type(symbol) not in (str, int, float, bool):
            return f"a {type(symbol).__name__}"
        if (unplain := find_unplain(symbol)) is not None:
            return unplain
    return None


def find_odd_name(header: ModelHeader, names: set[str]) -> str | None:
    """Describe a parameter that is none of those an estimator has, or return None."""
    # A missing parameter gets its default: estimators may have gained parameters since the
    # version that wrote the file.
    for name in sorted(set(header.parameters) - names):
        return (
            f"{header.estimator} has no parameter {name[:40]!r} in predfeat {__version__} (the "
            f"model is from predfeat {header.version[:20]}; if that is newer, update)"
        )
    return None


def find_odd_parameter(header: ModelHeader, layout: Layout) -> str | None:
    """Describe a parameter that the estimator does not have, or in another form, or None."""
    odd = find_odd_name(header, parameter_names(layout))
    if odd is not None:
        return odd
    for name, value in header.parameters.items():
        is_array = value == {"array": name} and name in layout.array_parameters
        if value is not None and name in layout.term_parameters:
            odd = find_odd_terms(value)
            if odd is not None:
                return odd
        elif isinstance(value, list | dict) and not is_array:
            return f"the parameter {name} is a {type(value).__name__}"
    return None


def find_odd_columns(header: ModelHeader) -> str | None:
    """Describe what is wrong with the names of columns, or return None."""
    if header.columns is None:
        return None
    if len(header.columns) != header.n_columns:
        return f"{len(header.columns)} column names are given for {header.n_columns} columns"
    if len(set(header.columns)) != header.n_columns:
        return "several columns have the same name"
    return None


def _find_odd_count(header: ModelHeader, layout: Layout) -> str | None:
    always = layout.counts + layout.symbols
    fitted = tuple(name for name in header.fitted if name not in layout.shares)
    if fitted not in (always, always + layout.contest, always + layout.stream):
        return f"the fitted numbers are not those of {header.estimator}, {always}"
    for name in layout.counts:
        value = header.fitted[name]
        if type(value) is not int or value < 1:
            return f"{name} is no count"
    for name in layout.shares:
        share = header.fitted.get(name, 1.0)
        if type(share) is not float or not 0.0 <= share <= 1.0:
            return f"{name} is no share"
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


def _find_odd_symbols(header: ModelHeader, layout: Layout) -> str | None:
    for name in layout.symbols:
        symbols = header.fitted[name]
        if type(symbols) is not list or find_odd_symbol(symbols) is not None:
            return f"{name} is no list of symbols"
        if len(set(symbols)) != len(symbols):
            return f"{name} holds a symbol twice"
        if header.columns is not None or header.n_columns != 1:
            return f"a {header.estimator} has one column without a name"
    return None


def _find_odd_stream(header: ModelHeader, layout: Layout) -> str | None:
    if "stream_" not in header.fitted or not issubclass(layout.estimator, StreamingFeatures):
        return None
    return find_odd_stream(header.fitted["stream_"], layout.estimator)


def _stream_shapes(header: ModelHeader, layout: Layout) -> dict[str, tuple[int, ...]]:
    if "stream_" not in header.fitted or not issubclass(layout.estimator, StreamingFeatures):
        return {}
    return stream_shapes(header.fitted["stream_"], layout.estimator, header.n_columns)


def _find_odd_shape(header: ModelHeader, layout: Layout) -> str | None:
    shapes = {entry.name: entry.shape for entry in header.arrays}
    given = [name for name in layout.array_parameters if _is_array(header.parameters, name)]
    of_stream = _stream_shapes(header, layout)
    expected = [*layout.arrays, *of_stream, *given]
    if [entry.name for entry in header.arrays] != expected:
        return f"the arrays are not those of this {header.estimator}, {expected}"
    for name in given:
        if len(shapes[name]) != 2:
            return f"the parameter {name} has shape {shapes[name]}, but is a matrix"
    lengths = {
        "columns": header.n_columns,
        "features": count_features(header),
        "iterations": header.fitted.get("n_iter_", 0),
        "symbols": len(header.fitted.get("symbols_", ())),
    }
    right_shapes = {
        name: tuple(lengths[axis] for axis in axes) for name, axes in layout.arrays.items()
    }
    for name, right in {**right_shapes, **of_stream}.items():
        if shapes[name] != right:
            return f"{name} has shape {shapes[name]}, but with the other parts {right} is right"
    return _find_odd_rank(header, lengths["features"], lengths["symbols"])


def count_features(header: ModelHeader) -> int:
    """Return a method's number of features, as the first array with such an axis states it."""
    layout = ESTIMATORS[header.estimator]
    name = next(name for name, axes in layout.arrays.items() if "features" in axes)
    axis = layout.arrays[name].index("features")
    shape = next((entry.shape for entry in header.arrays if entry.name == name), ())
    return shape[axis] if axis < len(shape) else 0


def _find_odd_rank(header: ModelHeader, n_features: int, n_symbols: int) -> str | None:
    if "rank_" not in header.fitted:
        is_odd = n_features >= n_symbols
        return f"{n_features} features of {n_symbols} symbols cannot be" if is_odd else None
    if not n_features <= header.fitted["rank_"] <= header.n_columns:
        return (
            f"{n_features} features of data of rank {header.fitted['rank_']} in "
            f"{header.n_columns} columns cannot be"
        )
    return None


def _is_array(parameters: dict[str, Any], name: str) -> bool:
    return isinstance(parameters.get(name), dict)
