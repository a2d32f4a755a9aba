"""A fitted model's features as a figure, for notebooks and scripts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from predfeat._typing import AnyArray, ArrayLike, FloatArray
from predfeat.report._loadings import correlations
from predfeat.report._svg import shorten
from predfeat.series import Sequences, check_matrix, check_sequences

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["plot"]

_COLORS = ("#0072b2", "#c04d00", "#00805d", "#a8467f", "#2f7f9f", "#8f6a00")
_LARGEST_COLUMNS = 8


def plot(
    model: Any,
    X: Any,
    *,
    groups: ArrayLike | None = None,
    time: ArrayLike | None = None,
    names: Sequence[str] | None = None,
) -> Figure:
    """Draw a fitted model's features over time, and the columns they correlate with.

    Parameters
    ----------
    model : GPFA, SFA, PFA, ForeCA, DCA, LPP, DescentFeatures, RandomFeatures or AutoFeatures
        Fitted.
    X : array-like of shape (n_rows, n_columns)
        The series whose features to draw, in time order; rows with a NaN are gaps.
    groups : array-like of shape (n_rows,), optional
        Ids of the sequences; lines break between sequences.
    time : array-like of shape (n_rows,), optional
        Numbers or dates for the time axis; by default, row numbers.
    names : sequence of str, optional
        Names of the columns; by default, those of X.

    Returns
    -------
    matplotlib.figure.Figure
        One row per feature: on the left its course, on the right its largest correlations, with
        at most eight columns. Save it with `figure.savefig("features.svg")`; a notebook shows it.

    Examples
    --------
    >>> from predfeat import SFA
    >>> from predfeat.datasets import hidden_lorenz
    >>> from predfeat.report import plot
    >>> X, _ = hidden_lorenz(500, random_state=0)
    >>> figure = plot(SFA(n_components=2).fit(X), X)
    >>> [axes.get_ylabel() for axes in figure.axes[::2]]
    ['feature 1', 'feature 2']
    """
    from matplotlib.figure import Figure

    if isinstance(model, Pipeline):
        raise TypeError(
            "plot draws a model, not a pipeline: give its last step and what the others make of X, "
            "plot(pipeline[-1], pipeline[:-1].transform(X))."
        )
    check_is_fitted(model)
    matrix = check_matrix(X, estimator=model, reset=False)
    if names is not None and len(names) != len(matrix.names):
        raise ValueError(f"names has {len(names)} entries, but X has {len(matrix.names)} columns.")
    series = check_sequences(matrix, groups)
    moments = _moments(time, series.n_rows)
    features: FloatArray = model.transform_series(series).rows
    samples = features[series.valid]
    loadings = correlations(series.samples, samples)
    n_features = features.shape[1]
    figure = Figure(figsize=(9.0, 1.1 + 1.45 * n_features), layout="constrained")
    places = figure.subplots(
        n_features, 2, squeeze=False, width_ratios=(3, 1), gridspec_kw={"wspace": 0.04}
    )
    for i, (left, right) in enumerate(places):
        color = _COLORS[i % len(_COLORS)]
        _draw_course(left, series, moments, features[:, i], color)
        left.set_ylabel(f"feature {i + 1}")
        if i:
            left.sharex(places[0][0])
        _draw_loadings(right, loadings[i], list(matrix.names if names is None else names), color)
    places[-1][0].set_xlabel("row" if time is None else "time")
    places[0][0].set_title("features over time", fontsize=9, loc="left")
    places[0][1].set_title("correlation with columns", fontsize=9, loc="left")
    return figure


def _moments(time: ArrayLike | None, n_rows: int) -> AnyArray:
    if time is None:
        return np.arange(n_rows)
    moments = np.asarray(time)
    if moments.shape != (n_rows,):
        raise ValueError(
            f"time must have one entry per row, {n_rows}, but it has shape {moments.shape}."
        )
    return moments


def _draw_course(
    place: Axes, series: Sequences, moments: AnyArray, feature: FloatArray, color: str
) -> None:
    # Lines break at gaps and at the ends of sequences.
    for start, stop in series.run_bounds():
        alone = stop - start == 1
        place.plot(
            moments[start:stop], feature[start:stop], color=color, linewidth=0.9,
            marker="." if alone else None, markersize=2,
        )  # fmt: skip
    _plain_axes(place)


def _draw_loadings(place: Axes, loadings: FloatArray, names: list[str], color: str) -> None:
    largest = np.argsort(-np.abs(loadings), kind="stable")[:_LARGEST_COLUMNS]
    heights = np.arange(len(largest))[::-1]
    place.barh(heights, loadings[largest], color=color, height=0.7)
    place.axvline(0.0, color="#7d8791", linewidth=0.8)
    shown = [shorten(str(names[i]), 16) for i in largest]
    place.set_yticks(heights, shown, parse_math=False)  # a price in $ is not a formula
    place.set_xlim(-1.0, 1.0)
    _plain_axes(place)


def _plain_axes(place: Axes) -> None:
    place.tick_params(labelsize=7)
    for side in ("top", "right"):
        place.spines[side].set_visible(False)
