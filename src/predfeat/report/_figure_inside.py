"""Inside the methods and the data: eigenvalues, the iteration's history, gaps over time."""

from __future__ import annotations

import math
from typing import Any

from markupsafe import Markup

from predfeat.report._figure_scores import bar_row
from predfeat.report._sentence import percent
from predfeat.report._svg import across, curve, nice_ticks, number, panel_svg, tag

__all__ = ["coverage_strip", "eigenvalue_panels", "history_panels"]

_SMALLEST_ANGLE = 1e-3


def eigenvalue_panels(results: dict[str, Any]) -> list[Markup]:
    """Draw each method's own objective for each feature, each method on its own scale."""
    panels = []
    for entry in results["eigenvalues"]:
        largest = max(abs(v) for v in entry["values"]) or 1.0
        rows = [
            bar_row(
                f"feature {i + 1}",
                tag("rect", class_="bar", y="4", width=across(abs(value) / largest), height="10",
                    rx="2"),
                number(value),
            )
            for i, value in enumerate(entry["values"])
        ]  # fmt: skip
        alt = f"{entry['method']}, {entry['meaning']}: " + ", ".join(map(number, entry["values"]))
        panels.append(
            tag(
                "div",
                tag("p", tag("b", entry["method"]), " ", tag("small", entry["meaning"]),
                    class_="lane-name"),
                tag("div", *rows, class_="bars", role="img", aria_label=f"{alt}."),
                class_="panel",
            )
        )  # fmt: skip
    return panels


def history_panels(results: dict[str, Any]) -> list[Markup]:
    """Draw how far the features of each iterative method turned in each iteration."""
    panels = []
    for entry in results["history"]:
        n_iterations = len(entry["objective"])
        angles = [(i, a) for i, a in enumerate(entry["angle"]) if a is not None]
        last = _degrees(angles[-1][1]) if angles else "–"
        falls = f"objective {number(entry['objective'][0])} → {number(entry['objective'][-1])}"
        words = f"{n_iterations} iteration{'s' * (n_iterations != 1)}; {falls}; last turn {last}"
        panels.append(
            tag(
                "div",
                tag("p", tag("b", entry["method"]), class_="lane-name"),
                _angle_curve(entry["method"], n_iterations, angles, words),
                tag("p", words, class_="under"),
                class_="panel",
            )
        )
    return panels


def _degrees(angle: float) -> str:
    return f"{number(angle)}°" if angle >= _SMALLEST_ANGLE else f"under {_SMALLEST_ANGLE:g}°"


def _angle_curve(
    method: str, n_iterations: int, angles: list[tuple[int, float]], words: str
) -> Markup:
    logs = [math.log10(max(a, _SMALLEST_ANGLE)) for _, a in angles]
    low = math.floor(min(logs, default=-1.0))
    high = max(2, math.ceil(max(logs, default=2.0)))
    width = max(n_iterations - 1, 1)
    points = [
        (i / width, (log - low) / (high - low)) for (i, _), log in zip(angles, logs, strict=True)
    ]
    step = 1 if high - low <= 3 else 2
    return panel_svg(
        [tag("path", class_="line c1", d=curve(points), vector_effect="non-scaling-stroke")],
        alt=f"How far the features of {method} turned in each iteration, in degrees: {words}.",
        height=110,
        x_labels=[
            ((t - 1) / width, f"{t:.0f}")
            for t in [1.0, *nice_ticks(2, n_iterations, 4)]
            if t == int(t) and t <= n_iterations
        ],
        y_labels=[((e - low) / (high - low), f"{10.0**e:g}°") for e in range(low, high + 1, step)],
    )


def coverage_strip(results: dict[str, Any]) -> Markup:
    """Draw how complete each stretch of the recording is, and where sequences start."""
    data, features = results["data"], results["features"]
    coverage = data["coverage"]
    n_bins, n_rows = len(coverage), max(features["n_rows"], 1)
    drawn = []
    first = 0
    for i in range(1, n_bins + 1):
        if i == n_bins or coverage[i] != coverage[first]:
            height = 34 * max(0.0, min(1.0, coverage[first]))
            drawn.append(
                tag("rect", class_="present", x=across(first / n_bins), y=f"{36 - height:.4g}",
                    width=across((i - first) / n_bins), height=f"{height:.4g}")
            )  # fmt: skip
            first = i
    drawn += [
        tag("line", class_="boundary", x1=across(start / n_rows), x2=across(start / n_rows),
            y1="0", y2="38")
        for start in features["sequence_starts"][1:]
    ]  # fmt: skip
    gaps = data["n_gap_rows"]
    alt = (
        f"Presence of data over the recording: {percent(1 - gaps / n_rows)} of {data['n_rows']} "
        f"rows are complete, {gaps} are gaps; {data['n_sequences']} sequence(s)."
    )
    return tag("svg", tag("rect", class_="absent", width="100%", height="34", y="2"), *drawn,
               class_="plot", role="img", aria_label=alt, width="100%", height="40")  # fmt: skip
