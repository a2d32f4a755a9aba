"""Pictures of speed: `python benchmarks/draw/speed.py RESULTS ... --out FOLDER`.

Reads the JSON files of search.py, whole_fit.py, growth.py and cold_start.py, told apart by the
name inside. Every figure is written as PNG and as SVG. Needs matplotlib.
"""

import json
import statistics

import numpy as np
from matplotlib.ticker import FuncFormatter
from style import OURS, draw_all, draw_content, plt

PEERS = {
    "faiss": ("faiss flat", "#e08a1e"),
    "sklearn": ("scikit-learn brute", "#7fb2d9"),
    "kdtree": ("SciPy KD-tree", "#9a9a9a"),
    "composition": ("faiss + scipy.sparse + LAPACK", "#e08a1e"),
}
GOALS = {"import": 0.3, "empty": 10.0, "filled": 1.0}


def main():
    drawings = {
        "search": draw_search,
        "whole_fit": draw_whole_fit,
        "growth": draw_growth,
        "cold_start": draw_cold_start,
    }
    draw_all(__doc__, lambda path: draw_content(json.loads(path.read_text()), drawings))


def ratios(result, peer):
    """Return the ratio of the medians, and the smallest and largest of a single round."""
    ours, theirs = result["seconds"]["predfeat"], result["seconds"][peer]
    single = np.divide(theirs, ours)
    return statistics.median(theirs) / statistics.median(ours), single.min(), single.max()


def ratio_bars(axes, results, labels, peers):
    """Draw one group of horizontal bars for every result, one bar for every peer it has."""
    height = 0.8 / len(peers)
    for line, peer in enumerate(peers):
        rows = [n for n, result in enumerate(results) if peer in result["seconds"]]
        if not rows:
            continue
        values, low, high = np.transpose([ratios(results[n], peer) for n in rows])
        places = np.array(rows) + (line - (len(peers) - 1) / 2) * height
        name, color = PEERS[peer]
        axes.barh(places, values - 1, height * 0.9, left=1, color=color, label=name)
        axes.hlines(places, low, high, color="0.2", lw=0.8)
        for place, value, farthest in zip(places, values, np.maximum(high, values), strict=True):
            axes.annotate(
                f"{value:.1f}×",
                (max(farthest, 1), place),
                (3, 0),
                textcoords="offset points",
                va="center",
                size=7.5,
            )
    axes.set_xscale("log")
    axes.axvline(1, color=OURS, lw=1.5)
    axes.set_yticks(range(len(results)), labels)
    axes.invert_yaxis()
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}×"))
    axes.xaxis.set_minor_formatter(
        FuncFormatter(lambda x, _: f"{x:g}×" if f"{x:e}"[0] in "25" else "")
    )
    low, high = axes.get_xlim()
    axes.set_xlim(min(low, 0.8), high * 1.35)
    axes.grid(axis="x", color="0.9")


def draw_search(results):
    threads = sorted({result["threads"] for result in results})
    figure, all_axes = plt.subplots(1, len(threads), figsize=(9.5, 4.6), layout="constrained")
    for axes, count in zip(np.atleast_1d(all_axes), threads, strict=True):
        chosen = [result for result in results if result["threads"] == count]
        labels = [
            f"N={r['N']}, p={r['p']}\n{statistics.median(r['seconds']['predfeat']) * 1000:.0f} ms"
            for r in chosen
        ]
        ratio_bars(axes, chosen, labels, ["faiss", "sklearn", "kdtree"])
        axes.set_title(f"{count} thread{'s' * (count > 1)}")
        axes.set_xlabel("time of the other / time of predfeat")
    handles, names = np.atleast_1d(all_axes)[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside upper right", ncols=3, frameon=False)
    figure.suptitle("Exact neighbour search, S=10 000, k=10", x=0.01, ha="left")
    figure.supxlabel(" ", size=5)
    return figure


def draw_whole_fit(results):
    figure, axes = plt.subplots(figsize=(7.5, 1.4 + 0.45 * len(results)), layout="constrained")
    labels = [
        f"{r['graph']} graph, {r['threads']} thread{'s' * (r['threads'] > 1)}: "
        f"{statistics.median(r['seconds']['predfeat']):.1f} s"
        for r in results
    ]
    ratio_bars(axes, results, labels, ["composition"])
    axes.set_xlabel("time of faiss + scipy.sparse + LAPACK / time of predfeat")
    axes.set_title(f"Whole GPFA fit, S={results[0]['S']}, N={results[0]['N']}, 20 iterations")
    figure.supxlabel(" ", size=5)
    return figure


def draw_growth(results):
    lines = results["growth"]
    variables = list(dict.fromkeys(line["variable"] for line in lines))
    figure, all_axes = plt.subplots(2, 3, figsize=(10, 6.2), layout="constrained")
    colors = {"search": OURS, "one iteration": "#e08a1e", "further iteration": "#3f8f5b"}
    for axes, variable in zip(all_axes.flat, variables, strict=False):
        for line in (line for line in lines if line["variable"] == variable):
            label = f"{line['kind']}: exponent {line['exponent']:.2f}"
            log_log(axes, line["sizes"], line["seconds"], label, colors[line["kind"]])
        axes.set_title(f"growing {variable}")
        axes.set_ylabel("seconds")
    axes = all_axes.flat[len(variables)]
    large = results["large"]
    label = f"search: exponent {large['exponent']:.2f}"
    log_log(axes, large["sizes"], large["seconds"], label, OURS)
    axes.set_title("growing S, N=60 white noise")
    axes.set_ylabel("seconds")
    if large["megabytes"][-1] is not None:
        axes.annotate(
            f"{large['seconds'][-1]:.0f} s\n{large['megabytes'][-1]:.0f} MB",
            (large["sizes"][-1], large["seconds"][-1]),
            (-12, 2),
            textcoords="offset points",
            ha="right",
            va="center",
            size=8,
        )
    fixed = ", ".join(f"{n}={v}" for n, v in {**lines[0]["fixed"], **lines[1]["fixed"]}.items())
    figure.suptitle(
        f"Growth of the neighbour search and of a GPFA iteration, one thread\n({fixed} otherwise)",
        x=0.01,
        ha="left",
    )
    figure.supxlabel(" ", size=5)
    return figure


def log_log(axes, sizes, seconds, label, color):
    axes.loglog(sizes, seconds, "o-", color=color, label=label, ms=4, lw=1.3)
    axes.set_xticks(sizes, [f"{n:,}".replace(",", " ") for n in sizes])
    axes.set_xticks([], minor=True)
    # Room below for the legend, and at least two decades, so that flat looks flat.
    drawn = np.concatenate([line.get_ydata() for line in axes.lines])
    low = drawn.min() / 5
    axes.set_ylim(low, max(1.5 * drawn.max(), low * 100))
    axes.grid(color="0.92")
    axes.legend(frameon=False, fontsize=7.5, loc="lower right")


def draw_cold_start(results):
    figure, (left, right) = plt.subplots(
        1, 2, figsize=(9.5, 3.2), width_ratios=(1, 1.1), layout="constrained"
    )
    names = [result["statement"].replace(" import ", "\nimport ") for result in results["imports"]]
    seconds = [result["seconds"] for result in results["imports"]]
    time_bars(left, names, seconds, [OURS if "predfeat" in name else "#7fb2d9" for name in names])
    goal = statistics.median(seconds[0]) + GOALS["import"]
    left.axvline(goal, color="0.3", ls="--", lw=1)
    left.annotate(
        f"goal +{GOALS['import']} s",
        (goal, -0.5),
        (3, 0),
        textcoords="offset points",
        size=7.5,
        color="0.3",
    )
    left.set_title("Imports")
    fits = results["fits"]
    names = [f"{fit['S']} × {fit['N']}, cache {fit['cache']}" for fit in fits]
    time_bars(right, names, [fit["seconds"] for fit in fits], [OURS] * len(fits))
    for row, fit in enumerate(fits):
        if fit["S"] == 2000 and fit["cache"] in GOALS:
            goal = GOALS[fit["cache"]]
            right.vlines(goal, row - 0.4, row + 0.4, color="0.3", ls="--", lw=1)
            right.annotate(
                f"goal {goal:g} s",
                (goal, row),
                # Beside the line, and beyond the label of the bar where that is in the way.
                (3 if goal > 2 * max(fit["seconds"]) else 36, 0),
                textcoords="offset points",
                va="center",
                size=7.5,
                color="0.3",
            )
    right.set_title("First GPFA fit, imports not counted")
    figure.supxlabel(" ", size=5)
    return figure


def time_bars(axes, names, seconds, colors):
    """Draw medians as bars, and the span of all rounds as a thin line."""
    middle = [statistics.median(values) for values in seconds]
    axes.barh(range(len(names)), middle, 0.65, color=colors)
    for row, values in enumerate(seconds):
        axes.hlines(row, min(values), max(values), color="0.6", lw=1)
        axes.annotate(
            f"{middle[row]:.2f} s",
            (max(values), row),
            (5, 0),
            textcoords="offset points",
            va="center",
            size=7.5,
        )
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.set_xlim(0, max(map(max, seconds)) * 1.3)
    axes.set_xlabel("seconds")
    axes.grid(axis="x", color="0.9")


if __name__ == "__main__":
    main()
