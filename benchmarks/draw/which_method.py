"""Draw the chart of docs/which_method.md: `python which_method.py --out FOLDER`."""

import argparse
from pathlib import Path

from style import OURS, STYLE, plt

# What is asked in turn, and what to take if the answer is yes.
QUESTIONS = [
    ("Words or other symbols\ninstead of numbers?", "SymbolFeatures"),
    ("Still growing,\nrow by row?", "SFA or PFA, partial_fit"),
    ("Too long\nfor memory?", "GPFA, SFA or PFA, open_rows"),
    ("Labels, rewards\nor actions?", "GPFA, terms= or actions="),
    ("Some seconds to spare\nfor a fit?", "AutoFeatures"),
]
# If all were answered with no: what is expected.
EXPECTED = [
    ("something slow", "SFA"),
    ("a linear\nrecursion", "PFA, DCA"),
    ("a rhythm, in\nfew columns", "ForeCA"),
    ("amplitudes,\nproducts", "Expanded"),
    ("a nonlinear law\nin noise", "GPFA"),
    ("a law among\nslow channels", "DescentFeatures"),
]
ASKED, TAKEN, LINE = "#eef2f6", OURS, "#6b7785"
BOX = {"boxstyle": "round,pad=0.45", "linewidth": 0.8}


def box(axes, x, y, text, is_taken, ha="center"):
    """Write a question, or a method in the colour of answers."""
    style = {**BOX, "facecolor": TAKEN if is_taken else ASKED, "edgecolor": LINE}
    color, weight = ("white", "bold") if is_taken else ("black", "normal")
    axes.text(x, y, text, ha=ha, va="center", color=color, weight=weight, bbox=style)


def arrow(axes, start, end, text=""):
    """Join two boxes, and write the answer beside the line."""
    axes.annotate("", end, start, arrowprops={"arrowstyle": "-|>", "color": LINE, "lw": 1})
    x, y = (start[0] + end[0]) / 2, (start[1] + end[1]) / 2
    is_level = start[1] == end[1]
    axes.text(
        x if is_level else x + 0.08, y + (0.12 if is_level else 0), text, color=LINE,
        ha="center" if is_level else "left", va="center",
    )  # fmt: skip


def draw():
    """Return the chart."""
    figure, axes = plt.subplots(figsize=(9.0, 7.4))
    axes.set(xlim=(-1.0, 9.0), ylim=(-4.05, 6.5))
    axes.axis("off")
    left, right, step = 2.6, 5.2, 1.45
    for i, (question, method) in enumerate(QUESTIONS):
        y = 6.0 - step * i
        arrow(axes, (left + 1.35, y), (right - 0.15, y), "yes")
        arrow(axes, (left, y - 0.42), (left, y - step + 0.42), "no")
        box(axes, left, y, question, is_taken=False)
        box(axes, right, y, method, is_taken=True, ha="left")
    y = 6.0 - step * len(QUESTIONS)
    middle = 4.0
    box(axes, left, y, "What do you expect?", is_taken=False)
    for i, (expected, method) in enumerate(EXPECTED):
        x = middle + (i - 2.5) * 1.68
        arrow(axes, (left, y - 0.28), (x, y - 0.72))
        axes.text(x, y - 1.1, expected, ha="center", va="center", color="black")
        box(axes, x, y - 1.72, method, is_taken=True)
    axes.text(
        middle, y - 2.6,
        "Then: significance(model, X) tells whether it is more than chance, and Forecaster what "
        "comes next.",
        ha="center", style="italic", color="black",
    )  # fmt: skip
    return figure


def main():
    """Write the chart as SVG."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER")
    arguments = parser.parse_args()
    # Letters as outlines: they fit their boxes whatever fonts the reader has.
    with plt.rc_context({**STYLE, "svg.fonttype": "path", "font.size": 10}):
        target = arguments.out / "which_method.svg"
        draw().savefig(
            target,
            metadata={"Date": None},
            bbox_inches="tight",
            pad_inches=0.25,  # boxes reach beyond their text
            facecolor="white",
        )
    print(target)


if __name__ == "__main__":
    main()
