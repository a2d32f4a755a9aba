"""The paper's figures: panels of means with standard deviations, for print and for the page."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from predfeat.experiments.reproduction import FROM_PFA, FROM_SFA, LABELS, TRUTH, Outcome, Panel, Row
from predfeat.features import METHODS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["MEASURES", "draw_outcome", "figure_bytes"]

# What can be drawn: the axis label, and how to read the value from a row.
MEASURES: dict[str, tuple[str, Callable[[Row], float]]] = {
    "predictability": ("predictability, eq. (2)", lambda row: row.measured.predictability),
    "share": ("share of the variance left to chance", lambda row: row.measured.share),
    "seconds": ("time of one fit in seconds", lambda row: row.seconds),
}

# Colours that people with red-green blindness can tell apart, and a marker for each method.
_STYLES: dict[str, dict[str, Any]] = {
    METHODS["random"].name: {"color": "#7d8791", "marker": "x", "linestyle": ":"},
    METHODS["sfa"].name: {"color": "#0072b2", "marker": "s"},
    METHODS["pfa"].name: {"color": "#c04d00", "marker": "^"},
    METHODS["foreca"].name: {"color": "#a8467f", "marker": "D"},
    METHODS["gpfa1"].name: {"color": "#00805d", "marker": "o"},
    METHODS["gpfa2"].name: {"color": "#000000", "marker": "o"},
    FROM_SFA: {"color": "#2f7f9f", "marker": "v", "linestyle": "--"},
    FROM_PFA: {"color": "#8f6a00", "marker": "v", "linestyle": "--"},
    TRUTH: {"color": "#5a646f", "marker": "", "linestyle": "-."},
}
_SHIFT = 0.007  # as a fraction of the axis, from one method to the next
_LARGEST_RATIO = 20  # to the smallest mean; larger ones do not fit on a linear axis

# The measured values of all repetitions, by method and parameter value.
_Samples: TypeAlias = dict[tuple[str, int], list[float]]

_SYMBOLS = {label: f"${label}$" for label in LABELS.values()} | {"S_train": "$S_{train}$"}


def draw_outcome(outcome: Outcome, measure: str = "predictability") -> Figure:
    """Draw all panels of an experiment on one data set.

    Points are means over the repetitions, and bars are standard deviations. Methods are shifted
    slightly along the axis so that their bars can be told apart. The axis is logarithmic if the
    random features would otherwise squeeze all others onto one line.

    Parameters
    ----------
    outcome : Outcome
    measure : {"predictability", "share", "seconds"}

    Returns
    -------
    matplotlib Figure
    """
    from matplotlib.figure import Figure

    label, read = MEASURES[measure]
    drawn = {row.place.panel for row in outcome.rows}
    panels = [panel for panel in outcome.setup.panels if panel in drawn]
    n_across = min(3, len(panels))
    n_down = -(-len(panels) // n_across)
    figure = Figure(figsize=(3.6 * n_across + 0.4, 2.9 * n_down + 0.8), layout="constrained")
    axes = figure.subplots(n_down, n_across, squeeze=False).ravel()
    samples = [_samples(outcome, panel, read) for panel in panels]
    logarithmic = measure == "seconds" or _far_apart(samples)
    for panel, place, values in zip(panels, axes, samples, strict=False):
        _draw_panel(place, panel, values)
        place.set_title(panel.letter, loc="left", fontweight="bold", fontsize=10)
        place.set_xlabel(_SYMBOLS[LABELS[panel.parameter]])
        if logarithmic:
            place.set_yscale("log")
    for unused in axes[len(panels) :]:
        unused.set_visible(False)
    figure.supylabel(label, fontsize=9)
    handles, names = axes[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=min(5, len(names)),
                  frameon=False, fontsize=8)  # fmt: skip
    return figure


def _samples(outcome: Outcome, panel: Panel, read: Callable[[Row], float]) -> _Samples:
    values: _Samples = {}
    for row in outcome.rows:
        if row.place.panel == panel:
            values.setdefault((row.place.method, row.place.value), []).append(read(row))
    return values


def _far_apart(samples: list[_Samples]) -> bool:
    """Return whether the means differ by orders of magnitude in most panels."""
    n_wide = 0
    for values in samples:
        means = [float(np.mean(repetitions)) for repetitions in values.values()]
        n_wide += 0 < _LARGEST_RATIO * min(means) < max(means)
    return 2 * n_wide > len(samples)


def _draw_panel(place: Axes, panel: Panel, values: _Samples) -> None:
    from matplotlib.ticker import MaxNLocator

    methods = list(dict.fromkeys(method for method, _ in values))
    width = (max(panel.values) - min(panel.values)) or 1
    for number, method in enumerate(methods):
        if not any(any(values[method, x]) for x in panel.values):
            continue  # the true dimensions take no time
        shift = _SHIFT * width * (number - (len(methods) - 1) / 2)
        place.errorbar(
            [x + shift for x in panel.values],
            [float(np.mean(values[method, x])) for x in panel.values],
            [_spread(values[method, x]) for x in panel.values],
            label=method,
            linewidth=1.1,
            elinewidth=0.7,
            markersize=3.5,
            **_STYLES[method],
        )
    place.xaxis.set_major_locator(MaxNLocator(integer=True))
    place.grid(alpha=0.25, linewidth=0.6)
    place.tick_params(labelsize=8)
    for side in ("top", "right"):
        place.spines[side].set_visible(False)


def _spread(values: Sequence[float]) -> float:
    return float(np.std(values, ddof=1)) if len(values) > 1 else 0.0


def figure_bytes(figure: Figure, kind: str) -> bytes:
    """Return a figure as the contents of a file; the same numbers give the same bytes.

    Parameters
    ----------
    figure : matplotlib Figure
    kind : {"png", "svg"}

    Returns
    -------
    bytes
    """
    from matplotlib import rc_context

    stream = io.BytesIO()
    # No date and no random ids: a figure changes only where its numbers do.
    metadata = {"Date": None} if kind == "svg" else {"Software": None}
    with rc_context({"svg.hashsalt": "predfeat", "svg.fonttype": "path"}):
        figure.savefig(stream, format=kind, dpi=150, metadata=metadata)
    return stream.getvalue()
