"""The features of all methods side by side; similar ones share a place and colour."""

from __future__ import annotations

from statistics import fmean
from typing import Any

from markupsafe import Markup

from predfeat.report._figure_features import static_path
from predfeat.report._sentence import percent
from predfeat.report._svg import tag

__all__ = ["method_panels"]

_HEIGHT = 46


def method_panels(results: dict[str, Any]) -> list[Markup]:
    """Draw each method's features, small, over the same stretch of time."""
    side_by_side = results["features"].get("all_methods")
    if side_by_side is None:
        return []
    shares = {method["name"]: fmean(method["test_share"]) for method in results["methods"]}
    panels = []
    for method in side_by_side["methods"]:
        drawn = [
            _small(trace, i, f"{method['name']}, the feature most like feature {i + 1} of the best")
            for i, trace in enumerate(method["traces"])
        ]
        left = shares.get(method["name"])
        note = "" if left is None else f"{percent(left)} left to chance"
        heading = tag("p", tag("b", method["name"]), " ", tag("small", note), class_="lane-name")
        panels.append(tag("div", heading, *drawn, class_="panel"))
    return panels


def _small(trace: dict[str, Any], i: int, name: str) -> Markup:
    values = [v for key in ("low", "high") for v in trace[key] or [] if v is not None]
    low, high = (min(values), max(values)) if values else (0.0, 0.0)
    path = tag("path", class_=f"trace c{i % 6 + 1}", d=static_path(trace, low, high),
               vector_effect="non-scaling-stroke")  # fmt: skip
    inner = tag("svg", path, width="100%", height=str(_HEIGHT), viewBox="0 0 1000 1000",
                preserveAspectRatio="none", aria_hidden="true")  # fmt: skip
    return tag("svg", inner, class_="plot lane-plot small-lane", role="img", aria_label=f"{name}.",
               width="100%", height=str(_HEIGHT))  # fmt: skip
