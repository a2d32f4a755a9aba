"""What all pictures share: colours, fonts, the command, and how a figure is written."""

import argparse
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

# Distinguishable also without colour vision; predfeat is the dark one.
OURS = "#1b3a5c"
STYLE = {
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 10,
    "axes.titlelocation": "left",
    "axes.axisbelow": True,
    "svg.fonttype": "none",
    "svg.hashsalt": "predfeat",
}


def draw_all(description, draw):
    """Draw every file that the command names; `draw(path)` returns a name and a figure."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("results", nargs="+", type=Path, metavar="RESULTS")
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    for path in arguments.results:
        with plt.rc_context(STYLE):
            name, figure = draw(path)
            for kind, options in (("png", {"dpi": 150}), ("svg", {"metadata": {"Date": None}})):
                target = arguments.out / f"{name}.{kind}"
                figure.savefig(target, **options)
                print(target)
            plt.close(figure)


def draw_content(content, drawings):
    """Draw the figures in a benchmark's JSON, known by the name inside; note the machine."""
    name, machine = content["benchmark"], content["machine"]
    figure = drawings[name](content["results"])
    described = f"{machine['processor']}, {machine['cores']} cores; numpy {machine['numpy']}"
    figure.text(0.995, 0.005, described, ha="right", size=6.5, c="0.4")
    return name, figure
