"""White, expanded, white again, and as often as asked: what a linear method is fitted to.

A layer is an affine map to a white space, followed by an expansion. The last linear map, from the
expanded columns to the features, is the method's own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import clone

from predfeat._threads import one_blas_thread
from predfeat._typing import FloatArray
from predfeat._warnings import warn
from predfeat.exceptions import ExpansionError, ManyColumnsWarning
from predfeat.expansions import MOST_COLUMNS, Expansion, FittedExpansion
from predfeat.features._base import LinearFeatures
from predfeat.features._embedding import embed_graph, smallest_directions
from predfeat.features._gpfa import GPFA
from predfeat.graph import GraphContext
from predfeat.series import Sequences, refuse_overflow
from predfeat.whitening import Whitening, fit_whitening

__all__ = ["Layer", "LayerPlan", "expanded_rows", "fit_layers", "with_ridge"]

# With fewer rows for each direction, every method overfits.
ROWS_PER_DIRECTION = 10
# Expanded rows of new data are made this many numbers at a time.
_NUMBERS_AT_ONCE = 2**22


@dataclass(frozen=True, eq=False)
class Layer:
    """An affine map to a white space, and the expansion of that space.

    Attributes
    ----------
    mean : ndarray of shape (n_inputs,)
    directions : ndarray of shape (n_inputs, n_white)
    expansion : FittedExpansion
        From `n_white` columns.
    """

    mean: FloatArray
    directions: FloatArray
    expansion: FittedExpansion

    def white(self, rows: FloatArray) -> FloatArray:
        """Return the rows in white space."""
        white: FloatArray = (rows - self.mean) @ self.directions
        return white

    def expand(self, rows: FloatArray) -> FloatArray:
        """Return the rows in white space, expanded.

        Raises
        ------
        ScaleError
            A number became too large for float64.
        """
        with np.errstate(over="ignore", invalid="ignore"):
            white = self.white(rows)
            refuse_overflow(white, "features", of="X")
            expanded = self.expansion.expand(white)
        refuse_overflow(expanded, "features", of="X")
        return expanded


@dataclass(frozen=True)
class LayerPlan:
    """How a series is expanded.

    Attributes
    ----------
    expansion : Expansion
        The same in every layer.
    n_layers : int
    n_between : int
        How many features each layer but the last hands on.
    expanded_components : int, float or None
        Principal components to keep of the expanded columns.
    ridge : float
        Variance of the noise that every expanded column is given, in shares of its own.
    random_state : int
        Seed of that noise.
    resolution : float
        Relative rounding error of the numbers.
    """

    expansion: Expansion
    n_layers: int
    n_between: int
    expanded_components: int | float | None
    ridge: float
    random_state: int
    resolution: float


def expanded_rows(layers: Sequence[Layer], rows: FloatArray) -> FloatArray:
    """Return rows after all layers."""
    for layer in layers:
        rows = layer.expand(rows)
    return rows


def rows_at_once(layers: Sequence[Layer]) -> int:
    """Return how many rows to expand at once, so that memory stays bounded."""
    widest = max(layer.expansion.n_columns for layer in layers)
    return max(1, _NUMBERS_AT_ONCE // widest)


def fit_layers(
    model: LinearFeatures,
    white: Sequences,
    whitening: Whitening,
    plan: LayerPlan,
    known: dict[str, Any],
) -> tuple[Layer, ...]:
    """Fit the layers of a plan, and a method to what the last of them makes of a white series.

    Parameters
    ----------
    model : LinearFeatures
        It is fitted in place, to the columns of the last layer.
    white : Sequences
        The training data in white space.
    whitening : Whitening
        The map to that space.
    plan : LayerPlan
    known : dict
        What else `find_directions` of the method can use.

    Returns
    -------
    tuple of Layer
    """
    layers: list[Layer] = []
    mean, directions = whitening.mean, whitening.directions
    context: GraphContext | None = None
    for number in range(1, plan.n_layers + 1):
        fitted = plan.expansion.fit(white)
        layers.append(Layer(mean, directions, fitted))
        expanded = _expanded(fitted, white)
        rows, back = _white_again(expanded, plan, number)
        back.require(model.n_components)
        last = number == plan.n_layers
        n_directions = model.n_components if last else _n_between(model, plan, back)
        if plan.n_layers > 1 and isinstance(model, GPFA):
            found, context = _embedded(model, rows, back, n_directions, context, known)
        elif last:
            model.fit_white(rows, back, **known)
            break
        else:
            method = clone(model).set_params(n_components=n_directions)
            found = method.find_directions(rows, back)
        if last:
            model.n_features_in_ = len(back.mean)
            model._keep(back, found)
            break
        mean, directions = _next_white(expanded, back, found)
        white = _mapped(expanded, mean, directions)
    return tuple(layers)


def _expanded(fitted: FittedExpansion, white: Sequences) -> Sequences:
    with np.errstate(over="ignore", invalid="ignore"):
        expanded = fitted.apply(white)
    refuse_overflow(expanded.rows, "expansion", of="X")
    if expanded.n_columns > MOST_COLUMNS:
        raise ExpansionError(
            f"the expansion has {expanded.n_columns} columns, but at most {MOST_COLUMNS} are "
            "possible. Use a transformer that returns fewer."
        )
    return expanded


def _white_again(expanded: Sequences, plan: LayerPlan, number: int) -> tuple[Sequences, Whitening]:
    """Whiten an expanded series, with the guards against overfitting."""
    back = fit_whitening(
        expanded, _possible(plan, expanded), warn=False, resolution=plan.resolution
    )
    n_samples = int(expanded.valid.sum())
    if back.rank * ROWS_PER_DIRECTION > n_samples:
        warn(
            f"{plan.expansion.name}: {n_samples} rows for {back.rank} directions of the expanded "
            f"series are fewer than {ROWS_PER_DIRECTION} for each. Features will fit chance, and "
            "fail on other data. Give more rows, keep fewer principal components of the input "
            "(pca_components) or of the expansion (expanded_components), or set ridge; "
            "predfeat.selection.significance tells what is real.",
            ManyColumnsWarning,
        )
    if plan.ridge > 0:
        seed = np.random.SeedSequence(plan.random_state, spawn_key=(number,))
        return with_ridge(back.apply(expanded), back, plan.ridge, np.random.default_rng(seed))
    return back.apply(expanded), back


def _possible(plan: LayerPlan, expanded: Sequences) -> int | float | None:
    """Return how many components to keep: a later layer may have fewer columns than that."""
    kept = plan.expanded_components
    return min(kept, expanded.n_columns) if isinstance(kept, int | np.integer) else kept


def with_ridge(
    white: Sequences, whitening: Whitening, share: float, random: np.random.Generator
) -> tuple[Sequences, Whitening]:
    """Return a white series as if every column had noise of its own, and the map to it.

    Directions in which the columns hardly vary are mostly noise then, and nothing predicts them.
    For methods that look at covariances this is Tikhonov's regularisation, up to the sample.

    Parameters
    ----------
    white : Sequences
    whitening : Whitening
        The map to it from the columns.
    share : float
        Variance of the noise, in shares of each column's variance.
    random : Generator

    Returns
    -------
    white : Sequences
        White again, with the noise.
    whitening : Whitening
        The map to it for rows without noise.

    References
    ----------
    C. Bishop, Training with noise is equivalent to Tikhonov regularization, Neural Computation 7,
    1995.
    """
    spreads = np.sqrt(np.square(whitening.patterns).sum(axis=0))
    weights = whitening.directions * spreads[:, None]
    values, vectors = np.linalg.eigh(share * (weights.T @ weights))
    values = values.clip(min=0.0)
    shrink = (vectors / np.sqrt(1.0 + values)) @ vectors.T
    stretch = (vectors * np.sqrt(1.0 + values)) @ vectors.T
    noise = random.standard_normal(white.rows.shape) @ ((vectors * np.sqrt(values)) @ vectors.T)
    rows = (white.rows + noise) @ shrink
    rows[~white.valid] = 0.0
    directions, patterns = whitening.directions @ shrink, stretch @ whitening.patterns
    back = replace(whitening, directions=directions, patterns=patterns)
    return white.with_rows(rows), back


def _n_between(model: LinearFeatures, plan: LayerPlan, whitening: Whitening) -> int:
    return min(max(plan.n_between, model.n_components), whitening.rank)


def _embedded(
    model: GPFA,
    white: Sequences,
    whitening: Whitening,
    n_directions: int,
    context: GraphContext | None,
    known: dict[str, Any],
) -> tuple[FloatArray, GraphContext | None]:
    """Embed a graph in this layer: in the first one its own, in later ones the same again."""
    if context is None:
        run = model.find_run(white, whitening, **known)
        model.history_, model.n_iter_ = run.history(), len(run.iterations)
        pairs = smallest_directions(run.graph, n_directions, normalized=model.normalized)
        return pairs.vectors, run.context
    with one_blas_thread(white.n_columns):
        found = embed_graph(replace(context, white=white), model.settings, n_directions)
    model.eigenvalues_ = found.eigenvalues
    return found.directions, context


def _next_white(
    expanded: Sequences, whitening: Whitening, found: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the map from an expanded series to the white space of its features."""
    directions = whitening.directions @ found
    features = fit_whitening(_mapped(expanded, whitening.mean, directions), warn=False)
    return whitening.mean, directions @ features.directions


def _mapped(series: Sequences, mean: FloatArray, directions: FloatArray) -> Sequences:
    rows = (series.rows - mean) @ directions
    rows[~series.valid] = 0.0
    return series.with_rows(rows)
