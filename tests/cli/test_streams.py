"""Standard output and error of every kind: what was worked out is kept whatever they are."""

import io
import json
import os
import subprocess
import sys
from contextlib import ExitStack

import numpy as np
import pytest

from predfeat.cli import main
from predfeat.datasets import Recording, read, write_features

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="files and pipes of POSIX")
FULL = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
FILES = {"report.html", "results.json", "model.predfeat", "features.csv"}


@pytest.fixture
def table(tmp_path, monkeypatch):
    """Return a table in the working folder, with a column that no small character set has."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "Zürich 温度.csv"
    rows = np.random.default_rng(0).normal(size=(100, 3)).tolist()
    lines = ["Zürich °C,温度,c,word", *(",".join(map(str, [*row, "x"])) for row in rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def run(monkeypatch, *arguments, out, err):
    monkeypatch.setattr(sys, "argv", ["predfeat", *map(str, arguments)])
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "stderr", err)
    with pytest.raises(SystemExit) as ended:
        main()
    assert sys.stdout is out
    return ended.value.code or 0


def compare(table, out="out"):
    return ["compare", table, "-m", "sfa,random", "--repetitions", "2", "--jobs", "1", "--out", out]


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "latin-1", "utf-8"])
def test_every_character_set_can_be_written_in(monkeypatch, table, encoding):
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding=encoding) for _ in "oe")
    assert run(monkeypatch, *compare(table), out=out, err=err) == 0
    shown, said = (stream.buffer.getvalue().decode(encoding) for stream in (out, err))
    assert {path.name for path in table.parent.joinpath("out").iterdir()} == FILES
    assert ("±" if encoding != "ascii" else "+-") in shown
    assert ("温度" if encoding == "utf-8" else r"\u6e29\u5ea6") in shown
    assert ("│" if encoding == "utf-8" else "|") in shown
    assert "Open " in said


@pytest.mark.parametrize("encoding", ["ascii", "utf-8"])
def test_json_is_whole_in_every_character_set(monkeypatch, table, encoding):
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding=encoding) for _ in "oe")
    assert run(monkeypatch, "info", table, "--json", out=out, err=err) == 0
    assert json.loads(out.buffer.getvalue())["columns"] == ["Zürich °C", "温度", "c"]


@pytest.fixture
def nowhere():
    """Return a function that opens a stream which cannot be written to."""
    with ExitStack() as opened:

        def opening(kind):
            if kind == "closed":
                return None
            file = "/dev/full"
            if kind == "pipe":
                reading, file = os.pipe()
                os.close(reading)
            return opened.enter_context(open(file, "w", encoding="utf-8"))

        yield opening


UNWRITABLE = [
    pytest.param("full", 2, "No space left", marks=FULL),
    pytest.param("pipe", 141, "", marks=POSIX),
    ("closed", 2, "closed"),
]


@pytest.mark.parametrize(("kind", "code", "told"), UNWRITABLE)
def test_files_are_written_where_standard_output_cannot_be(
    monkeypatch, table, nowhere, kind, code, told
):
    err = io.StringIO()
    assert run(monkeypatch, *compare(table), "-q", out=nowhere(kind), err=io.StringIO()) == 0
    assert run(monkeypatch, *compare(table, "o2"), out=nowhere(kind), err=err) == code
    assert {path.name for path in table.parent.joinpath("o2").iterdir()} == FILES
    last = err.getvalue().splitlines()[-1]
    assert told in last
    assert last.startswith("predfeat: standard output" if told else "Open ")


@pytest.mark.parametrize(("kind", "code", "told"), UNWRITABLE)
def test_features_that_nobody_can_receive(monkeypatch, table, nowhere, kind, code, told):
    err = io.StringIO()
    fit = ["fit", table, "-m", "sfa", "-q", "--out", "m.predfeat"]
    assert run(monkeypatch, *fit, out=None, err=None) == 0
    transform = ["transform", "m.predfeat", table, "--out", "-", "-q"]
    assert run(monkeypatch, *transform, out=nowhere(kind), err=err) == code
    assert told in err.getvalue()
    assert err.getvalue().count("\n") == (1 if told else 0)


def test_a_users_mistake_is_still_one_without_streams(monkeypatch, table):
    assert run(monkeypatch, "info", "missing.csv", out=None, err=None) == 2


@POSIX
def test_remarks_that_nobody_reads_stop_nothing(monkeypatch, table, nowhere):
    out = io.StringIO()
    assert run(monkeypatch, *compare(table), out=out, err=nowhere("pipe")) == 0
    assert "SFA" in out.getvalue()
    assert {path.name for path in table.parent.joinpath("out").iterdir()} == FILES


@POSIX
@pytest.mark.parametrize(
    ("words", "kind", "redirected", "code"),
    [("--version", "closed", ">&-", 2), ("--version", "pipe", "", 141), ("--help", "pipe", "", 141),
     pytest.param("--version", "full", "", 2, marks=FULL),
     ("--version", "closed", ">&- 2>&- <&-", 2)],
)  # fmt: skip
def test_python_adds_nothing_when_it_ends(tmp_path, nowhere, words, kind, redirected, code):
    command = f"'{sys.executable}' -m predfeat {words} 2>err {redirected}; echo $? >code"
    subprocess.run(
        ["sh", "-c", command], cwd=tmp_path, stdout=nowhere(kind), timeout=60, check=True
    )
    assert int((tmp_path / "code").read_text()) == code
    said = (tmp_path / "err").read_text().splitlines()
    told = code == 2 and "2>&-" not in redirected
    assert [line[:25] for line in said] == ["predfeat: standard output"] * told


@pytest.mark.skipif(sys.platform != "linux", reason="file names of bytes")
def test_a_file_name_that_is_no_text_is_shown_and_kept_as_an_escape(monkeypatch, table):
    names = [b"\xff.csv", b"\xfe.csv"]
    for name in names:
        with open(name, "wb") as copy:
            copy.write(table.read_bytes())
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in "oe")
    arguments = compare(os.fsdecode(names[0]))
    arguments[2:2] = [os.fsdecode(names[1])]
    assert run(monkeypatch, *arguments, out=out, err=err) == 0
    assert rb"\udcff.csv" in out.buffer.getvalue()
    assert rb"\udcff.csv" in table.parent.joinpath("out", "report.html").read_bytes()
    assert rb"\udcff.csv" in table.parent.joinpath("out", "features.csv").read_bytes()


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_a_group_that_is_no_text_is_written_as_an_escape(tmp_path, suffix):
    path = tmp_path / f"features{suffix}"
    groups = np.array(["\udcff", "\udcff", "b"], dtype=object)
    recording = Recording(np.zeros((3, 1)), ("x",), "a.csv", groups=groups)
    with open(path, "wb") as file:
        write_features(file, np.eye(3)[:, :2], ["f", "\udcfe"], suffix=suffix, recording=recording)
    assert read(path, group="group", columns=["f", r"\udcfe"]).groups.tolist()[0] == r"\udcff"
