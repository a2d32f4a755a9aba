"""Figures of a forecast: fans, and skill and coverage against the number of steps ahead."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup

from predfeat.report._sentence import percent
from predfeat.report._svg import curve, nice_ticks, number, panel_svg, shorten, tag

__all__ = ["coverage_chart", "fan_charts", "skill_chart"]

_MOST_FANS = 12
_HEIGHT = 130
# Skill far below zero is not worth a scale of its own.
_LOWEST_SKILL = -0.5


def fan_charts(results: dict[str, Any]) -> list[Markup]:
    """Draw each column's recent rows, and its forecast with its interval."""
    return [_fan(results, i) for i in range(min(len(results["columns"]), _MOST_FANS))]


def _fan(results: dict[str, Any], i: int) -> Markup:
    recent = [row[i] for row in results["recent"]]
    mean, lower, upper = ([row[i] for row in results[key]] for key in ("mean", "lower", "upper"))
    known = [x for x in (*recent, *mean, *lower, *upper) if x is not None]
    low, high = min(known), max(known)
    size = (high - low) or 1.0
    n_recent, n_steps = len(recent), len(mean)
    last = n_recent + n_steps - 1 or 1

    def at(place: int, value: float | None) -> tuple[float, float] | None:
        return None if value is None else (place / last, (value - low) / size)

    start = [at(n_recent - 1, recent[-1])] if n_recent else []
    ahead = [at(n_recent + h, value) for h, value in enumerate(mean)]
    edges = [[at(n_recent + h, x) for h, x in enumerate(side)] for side in (upper, lower)]
    color = f"c{i % 6 + 1}"
    paths = [
        tag("path", class_=f"area {color}", d=_closed([*start, *edges[0]], [*start, *edges[1]])),
        _line(curve([at(t, value) for t, value in enumerate(recent)]), "c0"),
        _line(curve([*start, *ahead]), color),
    ]
    name = results["columns"][i]
    ends = f"{number(mean[-1])} ({number(lower[-1])} to {number(upper[-1])})"
    labels = [((value - low) / size, number(value)) for value in nice_ticks(low, high, 3)]
    axis = [(1.0, _last_time(results))]
    if not results["times"]:  # which would be wider than the room between the two
        axis.insert(0, (max(n_recent - 1, 0) / last, "now"))
    drawing = panel_svg(
        paths,
        alt=f"{name}: the last {n_recent} rows, and the forecast, which ends at {ends}.",
        height=_HEIGHT,
        x_labels=axis,
        y_labels=labels,
    )
    heading = tag("h3", shorten(name, 60))
    under = tag("p", f"In {n_steps} step{'s' * (n_steps > 1)}: {ends}", class_="under")
    return tag("div", heading, drawing, under, class_="panel")


def _last_time(results: dict[str, Any]) -> str:
    return str(results["times"][-1]) if results["times"] else f"+{results['n_steps']}"


def _line(path: str, color: str) -> Markup:
    return tag("path", class_=f"line {color}", d=path, vector_effect="non-scaling-stroke")


def _closed(
    above: list[tuple[float, float] | None], below: list[tuple[float, float] | None]
) -> str:
    """Return the path around an area: along its upper edge, and back along the lower one."""
    path = curve([*above, *below[::-1]])
    return f"{path}Z" if path else ""


def skill_chart(results: dict[str, Any]) -> Markup:
    """Draw the skill against the number of steps ahead, beside simpler forecasts."""
    found = results["backtest"]
    lines = [
        ("linear", found["skill_of_linear"], "c2"),
        ("persistence", found["skill_of_persistence"], "c0"),
        ("this forecast", found["skill"], "c1"),
    ]
    alt = "Skill against climatology by steps ahead."
    return skill_lines(lines, alt, found["predicted_for"])


def skill_lines(
    lines: list[tuple[str, list[float | None], str]], alt: str, ends: int | None = None
) -> Markup:
    """Draw lines of skill from `_LOWEST_SKILL` to 1, and where the last one ends to predict."""
    size = 1.0 - _LOWEST_SKILL
    n_steps = len(lines[0][1])

    def at(h: int, value: float | None) -> tuple[float, float] | None:
        if value is None or value < _LOWEST_SKILL:
            return None
        return (h / max(n_steps - 1, 1), (value - _LOWEST_SKILL) / size)

    paths = [
        _line(curve([at(h, value) for h, value in enumerate(values)]), color)
        for _, values, color in lines
    ]
    if ends is not None and 0 < ends < n_steps:
        end = (ends - 1) / (n_steps - 1)
        paths.insert(0, tag("path", class_="boundary", d=curve([(end, 0.0), (end, 1.0)]),
                            vector_effect="non-scaling-stroke"))  # fmt: skip
    ticks = [(-_LOWEST_SKILL / size, "0"), ((0.5 - _LOWEST_SKILL) / size, "0.5"), (1.0, "1")]
    drawing = panel_svg(paths, alt=alt, height=170, x_labels=_steps(n_steps), y_labels=ticks)
    return tag("div", legend([(name, color) for name, _, color in lines]), drawing, class_="panel")


def legend(names: list[tuple[str, str]]) -> Markup:
    """Return the names of lines in their colours."""
    parts = [Markup(" · ").join(tag("span", name, class_=f"text {color}") for name, color in names)]
    return tag("p", *parts, class_="lane-name")


def coverage_chart(results: dict[str, Any]) -> Markup:
    """Draw the attained coverage by steps ahead, beside the level that was asked for."""
    found, level = results["backtest"], results["level"]
    lowest = min([level, *found["coverage"], *found["coverage_of_steps"]])
    low = max(0.0, min(lowest - 0.05, 2 * level - 1))
    n_steps = len(found["coverage"])

    def at(h: int, value: float) -> tuple[float, float]:
        return (h / max(n_steps - 1, 1), (value - low) / (1 - low))

    lines = [
        ("asked for", [level] * n_steps, "c0"),
        ("each number", found["coverage"], "c1"),
        ("all of a step, with joint intervals", found["coverage_of_steps"], "c3"),
    ]
    paths = [_line(curve([at(h, v) for h, v in enumerate(values)]), c) for _, values, c in lines]
    ticks = [((value - low) / (1 - low), percent(value)) for value in nice_ticks(low, 1.0, 4)]
    drawing = panel_svg(
        paths,
        alt="Share of numbers inside their interval, by steps ahead.",
        height=130,
        x_labels=_steps(n_steps),
        y_labels=ticks,
    )
    return tag("div", legend([(name, c) for name, _, c in lines]), drawing, class_="panel")


def _steps(n_steps: int) -> list[tuple[float, str]]:
    if n_steps == 1:
        return [(0.0, "1 step")]
    wanted = [int(tick) for tick in nice_ticks(1, n_steps, 5) if tick >= 1 and tick == int(tick)]
    places = sorted({1, *wanted, n_steps})
    # On a telephone the words at the right end take a quarter of the width.
    near = [p for p in places if p in (1, n_steps) or 0.08 < (p - 1) / (n_steps - 1) < 0.72]
    return [((p - 1) / (n_steps - 1), f"{p} steps ahead" if p == n_steps else str(p)) for p in near]
