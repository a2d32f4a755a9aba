"""The methods compared: their table, strips of all repetitions, angles and run times."""

from __future__ import annotations

from itertools import pairwise
from statistics import fmean, median, stdev
from typing import Any

from markupsafe import Markup

from predfeat.report._sentence import SMALL_DIFFERENCE, percent
from predfeat.report._svg import across, nice_ticks, number, shorten, tag

__all__ = ["angle_map", "duration", "method_rows", "run_times", "score_strips"]

_ROW_HEIGHT = 52
_CELL_HEIGHT = 54


def spread(values: list[float]) -> float:
    """Return the standard deviation over repetitions, or 0 if there is only one."""
    return stdev(values) if len(values) > 1 else 0.0


def duration(seconds: float) -> str:
    """Format a duration for people to read.

    Examples
    --------
    >>> duration(0.0123), duration(4.56), duration(600)
    ('12 ms', '4.6 s', '10 min')
    """
    if seconds < 0.0995:
        return f"{1000 * seconds:.0f} ms" if seconds >= 0.001 else "under 1 ms"
    if seconds < 90:
        return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min"


def method_rows(results: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the cells of the table of methods, best first."""
    n_repetitions = results["protocol"]["n_repetitions"]
    rows = []
    for method in sorted(results["methods"], key=lambda m: fmean(m["test_share"])):
        share, train = fmean(method["test_share"]), fmean(method["train_share"])
        rows.append(
            {
                "name": method["name"],
                "kept": method.get("kept"),
                "best": method["best"],
                "share": f"{100 * share:.1f} %",
                "share_spread": f"± {100 * spread(method['test_share']):.1f}",
                "bar": tag(
                    "svg",
                    tag("rect", class_="track", width="100%", height="6", rx="3"),
                    tag("rect", class_="bar", width=across(_clip(share)), height="6", rx="3"),
                    width="100%",
                    height="6",
                    aria_hidden="true",
                ),
                "train": f"{100 * train:.1f} %",
                "score": number(fmean(method["test_predictability"])),
                "score_spread": f"± {number(spread(method['test_predictability']))}",
                "against": _against_best(method, n_repetitions),
            }
        )
    return rows


def _clip(share: float) -> float:
    return min(max(share, 0.0), 1.0)


def _against_best(method: dict[str, Any], n_repetitions: int) -> dict[str, str]:
    """Put the paired test's result into words, with its numbers in small print."""
    paired = method["paired"]
    if paired is None:
        return {"words": "the best", "small": ""}
    counted = f"worse in {paired['n_worse']} of {n_repetitions}"
    p_value = paired["p_value"]
    if p_value is None:
        return {"words": "too few to tell", "small": counted}
    words = (
        "clearly worse" if p_value < 0.01 else "worse" if p_value < 0.05 else "no clear difference"
    )
    if p_value < 0.05 and paired["difference"] < SMALL_DIFFERENCE:
        words = "steadily worse, but by little"
    p_text = "p < 0.001" if p_value < 0.001 else f"p = {p_value:.2g}"
    return {"words": words, "small": f"{counted}, {p_text}"}


def score_strips(results: dict[str, Any]) -> Markup:
    """Draw every repetition of every method as a dot on one scale."""
    methods = sorted(results["methods"], key=lambda m: fmean(m["test_share"]))
    highest = max(1.0, *(max(m["test_share"]) for m in methods))
    drawn = []
    n_repetitions = results["protocol"]["n_repetitions"]
    bottom = _ROW_HEIGHT * len(methods)
    for tick in nice_ticks(0.0, highest, 6):
        at = tick / highest
        anchor = "start" if at < 0.05 else "end" if at > 0.95 else "middle"
        drawn += [
            tag("line", class_="rule", x1=across(at), x2=across(at), y1="4", y2=str(bottom)),
            tag("text", percent(tick), class_="tick", x=across(at), y=str(bottom + 16),
                text_anchor=anchor),
        ]  # fmt: skip
    for i, (one, other) in enumerate(pairwise(methods)):
        y = _ROW_HEIGHT * i + 36
        for r in range(n_repetitions):
            drawn.append(
                tag(
                    "line",
                    class_="thread",
                    x1=across(one["test_share"][r] / highest),
                    x2=across(other["test_share"][r] / highest),
                    y1=str(y),
                    y2=str(y + _ROW_HEIGHT),
                )
            )
    for i, method in enumerate(methods):
        y = _ROW_HEIGHT * i + 36
        kind = "strip best" if method["best"] else "strip"
        mean = fmean(method["test_share"]) / highest
        drawn.append(tag("text", shorten(method["name"], 24), class_=f"name {kind}", x="0",
                         y=str(y - 18)))  # fmt: skip
        drawn += [
            tag("circle", class_=kind, cx=across(share / highest), cy=str(y), r="4")
            for share in method["test_share"]
        ]
        drawn.append(tag("line", class_="mean", x1=across(mean), x2=across(mean), y1=str(y - 10),
                         y2=str(y + 10)))  # fmt: skip
    alt = (
        "Dot strips: the share of variance left to chance on test data, one dot for each of "
        f"{n_repetitions} repetitions. "
        + " ".join(
            f"{m['name']}: mean {percent(fmean(m['test_share']))}, from "
            f"{percent(min(m['test_share']))} to {percent(max(m['test_share']))}."
            for m in methods
        )
    )
    return tag("svg", *drawn, class_="plot", role="img", aria_label=alt, width="100%",
               height=str(bottom + 22))  # fmt: skip


def angle_map(results: dict[str, Any]) -> Markup:
    """Draw the mean angle between any two methods' features, with names on the diagonal."""
    names, degrees = results["angles"]["methods"], results["angles"]["degrees"]
    width = 1 / len(names)
    drawn, said = [], []
    for i, name in enumerate(names):
        y = _CELL_HEIGHT * i
        drawn.append(
            tag("text", shorten(name, 9), class_="name diagonal", x=across((i + 0.5) * width),
                y=str(y + _CELL_HEIGHT / 2 + 4), text_anchor="middle")
        )  # fmt: skip
        for j, angles in enumerate(degrees[i]):
            mean = fmean(angles)
            nearness = 1 - min(mean, 90.0) / 90
            opacity = 0.06 + 0.94 * nearness**1.5
            label = "cell on" if opacity > 0.68 else "cell"  # at 0.68 both inks read equally well
            middle = across((j + 0.5) * width)
            drawn += [
                tag("rect", class_="heat", x=across(j * width + 0.003), y=str(y + 2),
                    width=across(width - 0.006), height=str(_CELL_HEIGHT - 4), rx="4",
                    fill_opacity=f"{opacity:.3f}"),
                tag("text", f"{mean:.0f}°", class_=label, x=middle, y=str(y + _CELL_HEIGHT / 2 + 1),
                    text_anchor="middle"),
                tag("text", f"{min(angles):.0f}–{max(angles):.0f}", class_=f"{label} small",
                    x=middle, y=str(y + _CELL_HEIGHT / 2 + 15), text_anchor="middle"),
            ]  # fmt: skip
            said.append(f"{name} and {names[j]}: {mean:.0f} degrees in the mean")
    alt = "Angles between what the methods found, 0 the same, 90 nothing in common. " + "; ".join(
        said or ["only one method was run"]
    )
    return tag("svg", *drawn, class_="plot", role="img", aria_label=f"{alt}.", width="100%",
               height=str(_CELL_HEIGHT * len(names)))  # fmt: skip


def run_times(results: dict[str, Any]) -> Markup:
    """Draw each method's median time for one fit."""
    times = [(m["name"], median(m["seconds"]), m) for m in results["methods"]]
    longest = max(max(seconds for _, seconds, _ in times), 1e-9)
    rows = [
        bar_row(
            name,
            tag("rect", class_="bar", y="4", width=across(seconds / longest), height="10", rx="2"),
            duration(seconds),
        )
        for name, seconds, _ in times
    ]
    alt = "Median time of one fit. " + "; ".join(f"{n}: {duration(s)}" for n, s, _ in times) + "."
    return tag("div", *rows, class_="bars", role="img", aria_label=alt)


def bar_row(name: str, drawn: Markup, value: str) -> Markup:
    """Return one line of a bar chart: name, bar, value."""
    return tag(
        "div",
        tag("span", shorten(name, 60), class_="bar-name", title=name if len(name) > 18 else None),
        tag("svg", drawn, width="100%", height="18", aria_hidden="true"),
        tag("span", value, class_="bar-value"),
        class_="bar-row",
    )
