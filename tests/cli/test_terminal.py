"""What others have written reaches the screen as text: it steers no terminal and is no markup."""

import ast
import csv
import io
import json
import os
import re
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import predfeat.cli
from predfeat import SFA, save
from predfeat.cli._terminal import LONGEST, printable, progress_bar, say, shortened, show_table

STEERING = [
    "\x1b]0;pwned\x07", "\x1b[31mRED", "\x9b31mC1", "r\rpredfeat: fake", "n\nnote: fake",
    "\u202ertl", "\u2066isolate", "zero\u200bwidth", "\x7fdel", "u\u2028line", "tab\tbed",
]  # fmt: skip
MARKUP = ["[red]x[/red]", "acc [/s]", "speed [m/s]", "[link=http://x]y[/link]", ":smile:"]
HOSTILE = "\x1b]0;pwned\x07\x1b[31mRED\n\x9b[/s]\u202e:smile:[link=http://x]y[/link]"
# What may be in a file's name on every file system that Python's tests run on.
FILE_NAME = "\x1b[31mRED\r\nnote: fake\x9b[link=http:x]"

# What rich writes itself: colours, the cursor hidden and shown, a bar written over.
OF_RICH = re.compile(r"\x1b\[(?:[\d;]*m|\?25[lh]|2K|1A)|\r(?=[\n\x1b]|$)")
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="file names and terminals of POSIX")


def unprintable(text):
    """Return the characters of a text, beside line breaks, that should not be printed."""
    return {c for c in text if not c.isprintable() and c != "\n"}


def assert_harmless(text):
    assert unprintable(text) == set()
    assert not re.search("^(note|predfeat): fake", text, re.MULTILINE)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder of files whose every part that can be named is hostile."""
    folder = tmp_path_factory.mktemp("hostile")
    names = ["t", "g[/s]\x1b[31mRED", *MARKUP, *STEERING, "words\x1b[31mRED", "flat\x1b[31mRED"]
    rng = np.random.default_rng(0)
    groups = [f"\x1b[31mRED\n{MARKUP[i % 2]}" for i in range(120)]
    X = np.round(rng.normal(size=(120, len(STEERING + MARKUP))), 3).tolist()
    rows = [[i // 2, groups[i], *X[i], "\x1b[31mRED\r", 1] for i in range(120)]
    for name in ("table.csv", f"{FILE_NAME}.csv"):
        with open(folder / name, "w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([names, *sorted(rows, key=lambda row: row[1])])
    notes = {"source": HOSTILE, "columns": [HOSTILE, *STEERING[:3]], "n_rows": 120}
    model = SFA(2).fit(np.array(X)[:, :4])
    save(model, folder / f"{FILE_NAME}.predfeat", notes=notes)
    (folder / "results.json").write_text(json.dumps({"schema": 1, "sentence": [HOSTILE]}))
    return folder


def sheets(folder):
    import openpyxl

    book = openpyxl.Workbook()
    book.active.title = "\u202e\u200bname\x85"
    book.active.append(["a\x85", "b\u202e"])
    book.save(folder / "book.xlsx")


RUNS = {
    "compare": ["compare", "DATA", "--group", "g[/s]\x1b[31mRED", "-m", "sfa,random",
                "--repetitions", "2", "--jobs", "1", "--force", "--out", "OUT"],
    "compare, no such column": ["compare", "DATA", "--columns", HOSTILE],
    "compare, no such method": ["compare", "DATA", "-m", HOSTILE],
    "choose": ["choose", "DATA", "-m", "sfa", "--n-lags", "1", "--n-components", "1",
               "--n-neighbors", "2", "--jobs", "1", "--force", "--out", "OUT"],
    "choose, no number": ["choose", "DATA", "--n-lags", HOSTILE],
    "fit": ["fit", "DATA", "-m", "sfa", "--diagnosis", "--jobs", "1", "--keep",
            "flat\x1b[31mRED", "--force", "--out", "OUT.predfeat"],
    "fit, no such graph": ["fit", "DATA", "--graph", HOSTILE],
    "transform": ["transform", "OUT.predfeat", "DATA", "--force", "--out", "OUT.csv"],
    "transform, other columns": ["transform", "MODEL", "DATA", "--out", "OUT.npy"],
    "transform, no such suffix": ["transform", "MODEL", "DATA", "--out", HOSTILE],
    "measure": ["measure", "DATA", "--jobs", "1"],
    "measure, as JSON": ["measure", "DATA", "--jobs", "1", "--json"],
    "info of data": ["info", "DATA"],
    "info of a model": ["info", "MODEL"],
    "info of a model, as JSON": ["info", "MODEL", "--json"],
    "info, no such file": ["info", HOSTILE],
    "info, no such file, traced": ["--debug", "info", HOSTILE],
    "info of a sheet": ["info", "book.xlsx"],
    "info, no such sheet": ["info", "book.xlsx", "--sheet", HOSTILE],
    "report": ["report", "OUT", "--force", "--out", "OUT.html"],
    "report of no results": ["report", "results.json"],
    "report, no such file": ["report", HOSTILE],
    "reproduce, no such video": ["reproduce", "visual", "--video", HOSTILE, "--out", "OUT"],
    "reproduce, no such sound": ["reproduce", "audio", "--piano", HOSTILE, "--out", "OUT"],
    "reproduce, no such experiment": ["reproduce", HOSTILE, "--out", "OUT"],
    "reproduce into a file": ["reproduce", "toy", "--out", "DATA"],
    "no such command": [HOSTILE],
    "no such option": ["info", f"--{HOSTILE}"],
    "no such option of the frame": [f"--{HOSTILE}"],
    "too many words": ["info", "DATA", HOSTILE],
}  # fmt: skip


def words(run):
    names = {"DATA": f"{FILE_NAME}.csv", "MODEL": f"{FILE_NAME}.predfeat"}
    names |= {f"OUT{suffix}": f"{FILE_NAME}-out{suffix}" for suffix in ("", *SUFFIXES)}
    return [names.get(word, word) for word in RUNS[run]]


SUFFIXES = (".predfeat", ".csv", ".npy", ".html")


@POSIX
def test_no_command_prints_what_could_steer_a_terminal(monkeypatch, folder, run_main):
    sheets(folder)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", "400")
    said = {}
    for run in RUNS:
        code, out, err = run_main(*words(run))
        assert code == (0 if run in FINE else 2), (run, err)
        assert out or err
        assert_harmless(out)
        assert_harmless(err)
        said[run] = out + err
    for name in MARKUP:
        assert name in said["measure"]
        assert name in said["info of data"]
    assert printable(HOSTILE) in said["info of a model"]
    assert json.loads(said["info of a model, as JSON"])["fitted_to"]["source"] == HOSTILE


FINE = {"compare", "choose", "fit", "transform", "measure", "measure, as JSON", "info of data",
        "info of a model", "info of a model, as JSON", "report"}  # fmt: skip


CHILD = """
import json, sys
from predfeat.cli import main
from predfeat.cli._terminal import progress_bar
for arguments in json.loads(sys.argv[1]):
    sys.argv = ["predfeat", *arguments]
    try:
        main()
    except SystemExit:
        pass
with progress_bar(arguments[-1]) as update:
    update(1, 2)
"""


def on_a_terminal(arguments, **options):
    """Run commands in one process whose streams are a terminal, and return what it was sent."""
    import pty

    screen, end = pty.openpty()
    received = []

    def listen():
        try:
            while piece := os.read(screen, 65536):
                received.append(piece)
        except OSError:  # how Linux tells that the other end is closed
            pass

    listener = threading.Thread(target=listen)
    listener.start()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "400", "PYTHONUTF8": "1"}
    process = subprocess.Popen(
        [sys.executable, "-c", CHILD, json.dumps(arguments)],
        stdin=end, stdout=end, stderr=end, env=environment, **options,
    )  # fmt: skip
    os.close(end)
    assert process.wait(timeout=300) == 0
    listener.join()
    os.close(screen)
    return b"".join(received).decode("utf-8").replace("\r\n", "\n")


@POSIX
def test_a_terminal_gets_no_sequence_of_a_file(folder):
    sheets(folder)
    seen = on_a_terminal([words(run) for run in RUNS], cwd=folder)
    assert "\x1b[1m" in seen  # the command's own bold letters
    for sequence in (
        "\x1b]",
        "\x1b[31mRED",
        "\x1b]8;",
        "\x9b",
        "\u202e",
        "\N{SMILING FACE WITH OPEN MOUTH}",
    ):
        assert sequence not in seen
    assert_harmless(OF_RICH.sub("", seen))
    assert r"\x1b[31mRED" in seen


@pytest.mark.parametrize("name", [*STEERING, "\udcff", "nul\x00", "\U000e0041"])
def test_what_is_no_visible_character_is_shown_as_an_escape(name):
    shown = printable(name)
    assert shown.isprintable()
    assert shown == repr(name)[1:-1]


@pytest.mark.parametrize("name", [*MARKUP, "Zürich °C", "温度", "−½ · λ²"])
def test_visible_text_stays_as_it_is(name):
    assert printable(name) == name


def test_all_control_characters_of_latin_1_become_visible():
    control = [*range(0x20), *range(0x7F, 0xA0)]
    assert all(printable(chr(code)).isprintable() for code in control)


def test_a_long_line_keeps_its_beginning_and_its_end(capsys):
    say("there is no file " + "x" * 10**6 + ". Check the name.")
    show_table("t" * 10**6, [["a", "b" * 10**6]])
    out, err = capsys.readouterr()
    assert len(err) == LONGEST
    assert err.startswith("there is no file x")
    assert err.endswith("x. Check the name.\n")
    assert "…" in err
    assert len(out) < 20 * LONGEST


def test_what_is_short_is_not_cut():
    assert shortened("x" * LONGEST) == "x" * LONGEST
    assert len(shortened("x" * (LONGEST + 1))) <= LONGEST


@pytest.mark.parametrize(
    "arguments",
    [["measure", "FILE", "--jobs", "1"], ["info", "FILE"], ["info", "FILE", "--columns", "none"],
     ["fit", "FILE", "-m", "sfa", "--diagnosis", "--keep", "flat", "--force"],
     ["info", "FILE", "--time", "x" * 100_000]],
)  # fmt: skip
def test_long_names_make_no_long_messages(monkeypatch, tmp_path, arguments, run_main):
    monkeypatch.chdir(tmp_path)
    long = ["a=[" * 30_000, "b'" * 50_000, "c" * 100_000]
    X = np.random.default_rng(0).normal(size=(60, 3))
    with open("table.csv", "w", newline="") as file:
        rows = [[*row, f"word{'w' * 10_000}", 3] for row in X.tolist()]
        csv.writer(file).writerows([[*long, "w" * 100_000, "flat"], *rows])
    _, out, err = run_main(*("table.csv" if word == "FILE" else word for word in arguments))
    assert max(map(len, (out + err).splitlines())) <= LONGEST
    assert len(out + err) < 12 * LONGEST


def test_a_bar_shows_its_title_as_it_is(monkeypatch):
    screen = io.StringIO()
    monkeypatch.setattr(screen, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    with progress_bar("reading acc [/s]\x1b]0;x") as update:
        update(1, 2)
    assert r"reading acc [/s]\x1b]0;x" in screen.getvalue()


def printing(tree):
    """Return the lines of a module that print by a way of their own."""
    found = []
    for node in ast.walk(tree):
        name = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
        if name in {"print", "echo", "secho", "confirm", "prompt", "print_exc", "stdout", "stderr"}:
            found.append(node.lineno)
        modules = [a.name for a in node.names] if isinstance(node, ast.Import) else []
        modules += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        if any(module.split(".")[0] in ("rich", "click", "logging") for module in modules):
            found.append(node.lineno)
    return sorted(found)


def test_the_command_prints_in_one_place():
    modules = sorted(Path(predfeat.cli.__file__).parent.glob("*.py"))
    trees = {path.name: ast.parse(path.read_text(encoding="utf-8")) for path in modules}
    places = {name for name, tree in trees.items() if printing(tree)}
    # What says that it was interrupted is loaded before all others, and knows no text but its own.
    assert places == {"_terminal.py", "_streams.py", "_interrupts.py"}


def test_the_walk_sees_who_prints():
    source = "print(1)\ntyper.echo(2)\nfrom rich.table import Table\nsys.stdout.write('x')\nshow(1)"
    assert printing(ast.parse(source)) == [1, 2, 3, 4]
