"""Pictures of what is found: `python benchmarks/draw/quality.py RESULTS ... --out FOLDER`.

Reads the JSON file of significance.py (its part "power"), the CSV summary of contest.py and the CSV
file of centers.py. Every figure is written as PNG and as SVG. Needs matplotlib.
"""

import csv
import json

import numpy as np
from matplotlib.ticker import FuncFormatter
from style import OURS, draw_all, draw_content, plt


def main():
    draw_all(__doc__, draw)


def draw(path):
    if path.suffix == ".csv":
        with path.open(newline="", encoding="utf-8") as file:
            lines = list(csv.DictReader(file))
        if "part" in lines[0]:
            return "centers", draw_centers(lines)
        return "contest", draw_contest(lines)
    return draw_content(json.loads(path.read_text()), {"significance": draw_power})


def draw_power(results):
    """Draw the share of toy series in which surrogates find the real features, by length."""
    figure, axes = plt.subplots(figsize=(9, 3.9), layout="constrained")
    colors = [OURS, "#7fb2d9", "#e08a1e", "#3f8f5b", "#9a4fa8"]
    curves = results["power"]
    for number, (kind, curve) in enumerate(curves.items()):
        joint = kind == "joint-phases"
        points = [point["any" if joint else "exactly_two"] for point in curve]
        # Small shifts, so that the intervals stand side by side.
        lengths = np.array([point["S"] for point in curve]) * 1.015 ** (number - 2)
        shares = np.array([point["share"] for point in points])
        low, high = np.transpose([point["interval"] for point in points])
        axes.errorbar(
            lengths,
            shares,
            (shares - low, high - shares),
            color=colors[number],
            ls="--" if joint else "-",
            marker="o",
            ms=4,
            lw=1.3,
            elinewidth=0.8,
            label=f"{kind}: any found" if joint else f"{kind}: both found, no other",
        )
    axes.axhline(0.05, color="0.5", lw=0.8, ls=":")
    sizes = [point["S"] for point in next(iter(curves.values()))]
    axes.set_xscale("log")
    axes.set_xticks(sizes, [str(size) for size in sizes])
    axes.set_xticks([], minor=True)
    axes.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{y:.0%}"))
    axes.set_ylim(-0.02, 1.02)
    axes.set_xlabel("samples, S")
    axes.set_ylabel("share of the series")
    axes.set_title("Two predictable dimensions of ten: when are they found?")
    axes.grid(color="0.92")
    figure.legend(frameon=False, fontsize=8, loc="outside right center")
    figure.supxlabel(" ", size=5)
    return figure


def draw_contest(lines):
    """Draw every contestant's mean as a multiple of the best single method's, for each case."""
    singles = {"SFA": "o", "PFA": "s", "ForeCA": "D", "GPFA (1)": "^", "GPFA (2)": "v"}
    titles = {"test": "Eq. (2)", "share": "Share of the variance left open"}
    cases = list(dict.fromkeys((line["data"], line["M"]) for line in lines))
    figure, all_axes = plt.subplots(
        1, 2, figsize=(9.5, 1.5 + 0.3 * len(cases)), sharey=True, layout="constrained"
    )
    for axes, (measure, title) in zip(all_axes, titles.items(), strict=True):
        for row, case in enumerate(cases):
            means = {
                line["contestant"]: float(line["mean"])
                for line in lines
                if (line["data"], line["M"]) == case and line["measure"] == measure
            }
            best = min(means[name] for name in singles)
            style = {"mec": "0.35", "mfc": "none", "ls": "none", "ms": 5}
            for name, marker in singles.items():
                axes.plot(means[name] / best, row, marker=marker, label=name, **style)
            ours = means["AutoFeatures"] / best
            axes.hlines(row, min(1, ours), max(1, ours), color=OURS, lw=2)
            axes.plot(ours, row, "o", color=OURS, ms=7, label="AutoFeatures")
        axes.axvline(1, color="0.35", lw=1)
        axes.set_xscale("log")
        axes.grid(axis="x", which="both", color="0.92")
        for axis_format in (axes.xaxis.set_major_formatter, axes.xaxis.set_minor_formatter):
            axis_format(FuncFormatter(lambda x, _: f"{x:g}×" if f"{x:e}"[0] in "125" else ""))
        axes.set_xlabel("times the best single method's mean; left is better")
        axes.set_title(title)
    all_axes[0].set_yticks(range(len(cases)), [f"{data}, M = {m}" for data, m in cases])
    all_axes[0].invert_yaxis()
    handles, names = all_axes[0].get_legend_handles_labels()
    last = dict(zip(names, handles, strict=True))
    figure.legend(
        last.values(), last, loc="outside upper center", ncols=len(last), frameon=False, fontsize=8
    )
    return figure


def draw_centers(lines):
    """Draw what a sample of centres costs: the turn of the features, and what they leave open."""
    colors = [OURS, "#7fb2d9", "#e08a1e", "#3f8f5b", "#9a4fa8"]
    figure, (turn, open_) = plt.subplots(1, 2, figsize=(9.5, 3.6), layout="constrained")
    names = list(dict.fromkeys(line["data"] for line in lines))
    parts = sorted({int(line["part"]) for line in lines})
    for name, color in zip(names, colors, strict=True):
        own = [line for line in lines if line["data"] == name]

        def means(what, own=own):
            return [
                np.mean([float(line[what]) for line in own if int(line["part"]) == part])
                for part in parts
            ]

        label = {"lorenz": "Lorenz", "cafe": "café"}.get(name, name)
        style = {"color": color, "marker": "o", "ms": 4, "lw": 1.3, "label": label}
        turn.plot(parts, means("angle"), **style)
        open_.plot(parts, means("share"), **style)
    for axes in (turn, open_):
        axes.set_xscale("log")
        axes.set_xticks(parts, [f"S/{part}" if part > 1 else "S" for part in parts])
        axes.set_xticks([], minor=True)
        axes.set_ylim(bottom=0)
        axes.grid(color="0.92")
        axes.set_xlabel("centres, Q, of S = 5000 states")
    turn.set_title("Angle to the features of all centres, in degrees")
    open_.set_title("Share of the variance left open on other rows")
    handles, labels = turn.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside right center", frameon=False)
    return figure


if __name__ == "__main__":
    main()
