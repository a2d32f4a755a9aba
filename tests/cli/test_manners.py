"""How the command behaves when things go wrong, or when somebody stops it."""

import json
import os
import signal
import subprocess
import sys

import numpy as np
import pytest

import predfeat
from commands import run_python
from predfeat import load
from predfeat.cli import _app
from predfeat.datasets import read


def start(*arguments, **options):
    return subprocess.Popen(
        [sys.executable, "-m", "predfeat", *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


def finish(process, timeout=120):
    out, err = process.communicate(timeout=timeout)
    return process.returncode, out, err


def test_quiet_keeps_remarks_of_the_reader_back(tmp_path, run_main):
    table = tmp_path / "table.csv"
    table.write_text("a,b,word\n" + "".join(f"{i**3 % 31},{i**2 % 29},yes\n" for i in range(30)))
    arguments = ("fit", table, "-m", "sfa", "--out", tmp_path / "model.predfeat")
    assert "word" in run_main(*arguments)[2]
    assert run_main(*arguments, "--force", "--quiet") == (0, "", "")


@pytest.fixture
def noise(tmp_path):
    path = tmp_path / "noise.csv"
    np.savetxt(path, np.random.default_rng(0).normal(size=(600, 4)), delimiter=",")
    return path


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["compare", "missing.csv"], "missing.csv"),
        (["compare", "FILE", "--n-neighbors", "5000"], "5000"),
        (["compare", "FILE", "--n-components", "9"], "9"),
        (["compare", "FILE", "--rate", "100"], "rate"),
        (["fit", "FILE", "--graph", "ring"], "ring"),
        (["transform", "FILE", "FILE"], "predfeat.save"),
        (["transform", "missing.predfeat", "FILE"], "missing.predfeat"),
        (["report", "FILE"], "JSON"),
        (["info", "FOLDER"], "folder"),
    ],
)
def test_a_users_mistake_is_told_in_two_lines_at_most(
    monkeypatch, tmp_path, tmp_path_factory, noise, arguments, told, run_main
):
    monkeypatch.chdir(tmp_path)
    names = {"FILE": str(noise), "FOLDER": str(tmp_path_factory.mktemp("empty"))}
    code, _, stderr = run_main(*[names.get(word, word) for word in arguments])
    assert code == 2
    assert told in stderr
    assert "Traceback" not in stderr
    assert len(stderr.strip().splitlines()) <= 2
    assert os.listdir(tmp_path) == ["noise.csv"]


def test_debug_shows_where_an_error_comes_from(run_main, tmp_path):
    code, _, stderr = run_main("--debug", "info", tmp_path / "missing.csv")
    assert code == 2
    assert "Traceback" in stderr


def test_our_own_mistake_exits_with_one(monkeypatch, noise, run_main):
    def broken(*_, **__):
        raise ZeroDivisionError("oh")

    monkeypatch.setattr("predfeat.datasets.read", broken)
    code, _, stderr = run_main("info", noise)
    assert code == 1
    assert "ZeroDivisionError" in stderr
    assert "--debug" in stderr
    assert "Traceback" not in stderr


def test_warnings_are_notes_without_a_place_in_the_code(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n" + "".join(f"{i % 5},x\n" for i in range(50)))
    code, _, err = finish(start("info", path))
    assert code == 0
    assert err.startswith("note: ")
    assert "'b'" in err
    assert ".py" not in err


def is_whole(path):
    if path.name == "results.json":
        return "versions" in json.loads(path.read_text())
    if path.name == "report.html":
        return path.read_text().rstrip().endswith("</html>")
    if path.name == "features.csv":
        return read(path).values.shape == (600, 3)
    return load(path).components_.shape == (3, 4)


# One start for all runs: a child is forked from a process in which everything is loaded. The first
# half of them die at a chosen piece of what they write, the others at a moment drawn at random.
KILLER = """
import os, random, signal, sys, time
from contextlib import contextmanager
import predfeat._files, predfeat.experiments, predfeat.report
import predfeat.persistence._save_load as persistence
from predfeat.cli import main

PIECES = 8  # of what one call writes
deadly = None  # the number of the piece after which this process dies
written = 0

class Piecewise:
    def __init__(self, stream):
        self.stream = stream

    def write(self, content):
        global written
        view = memoryview(content).cast("B")
        for start in range(0, len(view), len(view) // PIECES + 1):
            self.stream.write(view[start : start + len(view) // PIECES + 1])
            self.stream.flush()
            written += 1
            if written == deadly:
                os.kill(os.getpid(), signal.SIGKILL)

    def flush(self):
        self.stream.flush()

write_whole = predfeat._files.write_whole

@contextmanager
def write_piecewise(*arguments, **options):
    with write_whole(*arguments, **options) as stream:
        yield Piecewise(stream)

predfeat._files.write_whole = persistence.write_whole = write_piecewise

def begin(out, piece=None):
    global deadly
    child = os.fork()
    if child == 0:
        deadly = piece
        sys.argv = ["predfeat", "compare", sys.argv[1], "-m", "random", "-m", "sfa", "--quiet",
                    "--repetitions", "2", "--jobs", "1", "--out", out]
        main()
        os._exit(0)
    return child

started = time.perf_counter()
os.waitpid(begin(sys.argv[2] + "/whole"), 0)
needed = time.perf_counter() - started
for piece in (1, 5, 11, 17, 23):
    os.waitpid(begin(f"{sys.argv[2]}/piece-{piece}", piece), 0)
moments = random.Random(0)
for n in range(5):
    child = begin(f"{sys.argv[2]}/moment-{n}")
    time.sleep(needed * moments.uniform(0.3, 1.1))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_kill_at_any_moment_leaves_no_half_written_file(tmp_path, noise):
    runs = tmp_path / "runs"
    subprocess.run([sys.executable, "-c", KILLER, noise, runs], check=True, timeout=300)
    assert len(list((runs / "whole").iterdir())) == 4
    in_the_middle = 0
    for out in runs.iterdir():
        # What was being written has a name that begins with a dot.
        named = [path for path in out.iterdir() if not path.name.startswith(".")]
        assert all(is_whole(path) for path in named)
        in_the_middle += len(named) < len(list(out.iterdir()))
    assert in_the_middle >= 5  # each of the chosen pieces, or no kill has met what this is about


@pytest.mark.skipif(sys.platform == "win32", reason="signals work otherwise there")
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_cleanly(tmp_path, noise, sent):
    # A column of text makes a note on standard error: from there on the work is under way.
    lines = ["a,b,c,d,text"] + [f"{row},x" for row in noise.read_text().split()]
    noise.write_text("\n".join(lines) + "\n")
    process = start(
        "compare", noise, "--repetitions", "500", "--out", tmp_path / "out",
        # What a shell starts in the background ignores Ctrl-C, and so do its children.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    assert process.stderr.readline().startswith("note")
    process.send_signal(sent)
    code, _, err = finish(process)
    assert code == 130
    assert "interrupted" in err
    assert "Traceback" not in err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("command", ["compare", "fit"])
def test_an_interrupt_of_the_diagnosis_ends_cleanly(
    monkeypatch, tmp_path, noise, command, run_main
):
    def interrupted(*_, on_progress, **__):
        on_progress(0, 6)
        raise KeyboardInterrupt

    monkeypatch.setattr("predfeat.selection.diagnose", interrupted)
    out = tmp_path / "out"
    options = ["--repetitions", "2"] if command == "compare" else []
    code, _, err = run_main(command, noise, "-m", "sfa", "--diagnosis", "--out", out, *options)
    assert code == 130
    assert "interrupted" in err
    assert out.exists()  # both keep what they have before they look at it


def test_help_answers_without_the_heavy_libraries():
    program = (
        "import sys; sys.argv = ['predfeat', '--help']\n"
        "from predfeat.cli import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "heavy = {'numpy', 'scipy', 'sklearn', 'numba', 'pandas', 'matplotlib', 'jinja2'}\n"
        "print('HEAVY', sorted(heavy & set(sys.modules)))"
    )
    said = run_python(program)
    assert "HEAVY []" in said
    assert "compare" in said


@pytest.mark.parametrize(
    "command", ["compare", "choose", "fit", "transform", "measure", "info", "report", "reproduce"]
)
def test_every_command_explains_itself_with_an_example(monkeypatch, command, run_main):
    monkeypatch.setenv("COLUMNS", "200")
    _, out, _ = run_main(command, "--help")
    assert f"predfeat {command} " in out.split("For example:")[1]


def test_version(run_main):
    assert predfeat.__version__ in run_main("--version")[1]


def test_debug_is_off_again_by_the_next_run(run_main, tmp_path):
    run_main("--debug", "info", tmp_path / "missing.csv")
    _, _, stderr = run_main("info", tmp_path / "missing.csv")
    assert "Traceback" not in stderr
    assert not _app._debug
