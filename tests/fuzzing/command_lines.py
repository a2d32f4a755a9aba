"""The command in this process, and options with values that nobody expects."""

import io
import sys
from functools import cache
from pathlib import Path
from random import Random

import matplotlib.font_manager  # noqa: F401 - it writes a cache when first imported
import numpy as np
import typer

from damage import csv_bytes
from fuzzing.cases import MOST_CHARACTERS, Case, Wrong
from predfeat import SFA, save
from predfeat.cli import app, main

# `choose` and `reproduce` start as many processes as they are told to: that is no mistake.
JOBS = ["1", "0", "-0", "x", "", "1.5"]
WHOLE = ["0", "1", "2", "3", "-1", "1000000", "9223372036854775807", "9223372036854775808",
         "9" * 400, "1e3", "x", "", "½", "nan", " 1", "0x10", "1_0"]  # fmt: skip
REAL = ["0", "1", "0.5", "-1", "1e308", "1e309", "5e-324", "nan", "inf", "-inf", "", "x", "0.99"]
TEXT = ["", "x", "time", "trial", "x,y", "x,y,z", ",", ",,", "a" * 3000, "\x1b[31m", "[/red]",
        "[link=x]y[/link]", "é", "\udcff", "\n", "-", "--help", "none", "0.99", "1-5", "5-1",
        "1-999999", "star", "full", "sfa", "gpfa", "auto", "both", "gaps", "-999", "*"]  # fmt: skip
PATHS = ["", ".", "..", "new/folder/x", "data.csv", "data.csv/x", "a" * 300, "/dev/null/x", "é.csv",
         "/proc/nowhere/x", "\x1b[31m.csv", "[red].npy", "-", "x.npy", "x.parquet", "x.predfeat",
         "-x", "x\ny.csv", "*.csv", "?"]  # fmt: skip


def run_command(words: list[str]) -> tuple[int, str]:
    """Run the command as `main` does, and return its exit code and what it told the user."""
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
    before = sys.argv, sys.stdout, sys.stderr, sys.stdin
    sys.argv, sys.stdout, sys.stderr = ["predfeat", *words], out, err
    sys.stdin = io.TextIOWrapper(io.BytesIO(csv_bytes()))
    try:
        main()
        code = 0
    except SystemExit as ended:
        code = ended.code or 0
    finally:
        sys.argv, sys.stdout, sys.stderr, sys.stdin = before
    return code, err.getvalue()


def command(words: list[str], how: str = "") -> Case:
    """Return the case of a command: it ends with an answer, or with 2 in a few lines."""

    def run() -> str | None:
        code, told = run_command(words)
        if "not enough memory" in told:
            raise MemoryError(told)
        if code not in (0, 2) or "Traceback" in told:
            raise Wrong(f"exit code {code}", told[-3000:])
        if code and len(told.strip().rpartition("\n")[2]) > MOST_CHARACTERS:
            raise Wrong("long message", told[:300])
        return None if code == 0 else "exit code 2"

    return Case(f"predfeat {' '.join(map(ascii, words))} {how}", run)


@cache
def _model() -> SFA:
    X = np.random.default_rng(0).normal(size=(60, 3))
    return SFA(2).fit(X)


@cache
def _commands() -> dict:
    found = typer.main.get_command(app).commands
    return {name: found[name].params for name in sorted(found)}


def typing(draw: Random, folder: Path) -> Case:
    """Any command, small data, a few options with hostile values."""
    (folder / "data.csv").write_bytes(csv_bytes())
    save(_model(), folder / "model.predfeat")
    # The others take longer, and share what reads their options.
    names = ["info", "measure", "fit", "transform"] * 4 + ["compare", "choose", "report"]
    name = draw.choice([*names, "reproduce"])
    words = [name, *_arguments(name, draw)]
    given = set()
    options = [p for p in _commands()[name] if p.opts[0].startswith("-") and p.name != "help"]
    for option in draw.sample(options, min(len(options), draw.choice([0, 1, 1, 2]))):
        given.add(option.name)
        words += _option(option, draw)
    words += _quick(name, given)
    return command(words)


def _arguments(name: str, draw: Random) -> list[str]:
    data = draw.choice(["data.csv"] * 8 + PATHS)
    if name in ("transform",):
        return [draw.choice(["model.predfeat"] * 8 + PATHS), data]
    if name == "reproduce":
        return [draw.choice(["toy", "x", ""])]
    return [data]


def _option(option, draw: Random) -> list[str]:
    word = draw.choice([*option.opts, *option.secondary_opts])
    if option.is_flag:
        return [word]
    # Typer's versions tell the types in different ways: any kind of value goes to any option.
    values = draw.choice([WHOLE, WHOLE, REAL, TEXT, TEXT])
    if option.name == "jobs":
        values = JOBS
    elif option.name == "out":
        values = PATHS
    chosen = [draw.choice(values) for _ in range(option.nargs if option.nargs > 0 else 1)]
    return [word, *chosen]


def _quick(name: str, given: set[str]) -> list[str]:
    """Return what keeps a command short, unless it was given otherwise."""
    words = {
        "compare": {"methods": "sfa", "repetitions": "2", "jobs": "1"},
        "choose": {"method": "sfa", "n_lags": "1", "n_components": "1", "jobs": "1"},
        "fit": {"method": "sfa", "out": "new.predfeat"},
        "reproduce": {"game": "nowhere", "video": "nowhere.mp4", "out": "again"},  # contradict
    }.get(name, {})
    return [
        word
        for option, value in words.items()
        if option not in given
        for word in ("--" + option.replace("_", "-"), value)
    ] + (["--no-diagnosis"] if name == "compare" else [])
