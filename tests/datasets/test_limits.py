"""Every size that a file can state has a limit; what has no end or no size is no file."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import predfeat
from damage import KINDS
from predfeat.datasets import _arrays, _limits, _opening, _read, read
from predfeat.datasets._decoding import LimitedLines
from predfeat.datasets._limits import LIMITS, Limit
from predfeat.exceptions import DataFileError

DOCS = Path(__file__).parents[2] / "docs" / "files.md"
FILE_ENDS_AFTER = 120  # seconds; to see that a process does not wait for ever


def run(*arguments, folder, **options):
    environment = {**os.environ, "PYTHONPATH": str(Path(predfeat.__file__).parents[1])}
    return subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=environment, capture_output=True, text=True,
        check=False, timeout=FILE_ENDS_AFTER, **options,
    )  # fmt: skip


def test_the_table_in_the_docs_is_the_one_in_the_code():
    table = re.findall(r"^\| ([a-z].*) \| ([\d ]+) \| (.*) \|$", DOCS.read_text("utf-8"), re.M)
    stated = [(what, int(most.replace(" ", "")), reason) for what, most, reason in table]
    assert stated == [(limit.what, limit.at_most, limit.reason) for limit in LIMITS]


def test_all_limits_are_listed():
    named = [value for value in vars(_limits).values() if isinstance(value, Limit)]
    assert len(LIMITS) == len(set(LIMITS))
    assert set(named) == set(LIMITS)


@pytest.mark.parametrize("limit", LIMITS, ids=lambda limit: limit.what)
def test_a_refusal_says_what_is_stated_what_is_allowed_and_what_to_do(limit):
    limit.check(limit.at_most, "a.csv")
    with pytest.raises(DataFileError) as caught:
        limit.check(limit.at_most + 1, "a.csv")
    for part in ("a.csv", str(limit.at_most + 1), str(limit.at_most), limit.what, limit.advice):
        assert part in str(caught.value)


@pytest.mark.parametrize("kind", KINDS)
def test_want_of_memory_is_told_as_such(tmp_path, monkeypatch, kind):
    make, options = KINDS[kind]
    path = tmp_path / f"file.{kind}"
    path.write_bytes(make())
    suffix = next(s for s in sorted(_read.SUFFIXES, key=len, reverse=True) if path.name.endswith(s))
    _, known = _read._READERS[suffix]

    def starved(*_, **__):
        with _opening.damage(path.name, "a file"):
            raise RuntimeError("std::bad_alloc")

    monkeypatch.setitem(_read._READERS, suffix, (starved, known))
    with pytest.raises(DataFileError, match="needs more memory than is available") as told:
        read(path, **options)
    assert "damaged" not in str(told.value)
    assert any(f"`{option}`" in str(told.value) or option in str(told.value) for option in known)


def test_a_library_that_runs_out_of_memory_is_not_told_as_damage():
    for error in (MemoryError(), OSError(12, "Cannot allocate memory"), ValueError("bad_alloc")):
        with pytest.raises(MemoryError), _opening.damage("a.csv", "a table"):
            raise error


@pytest.fixture(scope="module")
def odd_files(tmp_path_factory):
    """Pipes without a writer, and devices without an end, under the names of files."""
    folder = tmp_path_factory.mktemp("odd")
    for name in ("pipe.csv", "pipe.npz", "pipe.json", "pipe.predfeat"):
        os.mkfifo(folder / name)
    for name in ("zero.csv", "zero.npz", "zero.npy", "zero.json", "zero.predfeat"):
        (folder / name).symlink_to("/dev/zero")
    (folder / "good.csv").write_bytes(KINDS["csv"][0]())
    return folder


COMMANDS = [
    "info pipe.csv", "info zero.csv", "info zero.npy", "info zero.npz", "info pipe.npz",
    "info pipe.json", "report zero.json", "report pipe.json", "transform pipe.predfeat good.csv",
    "transform zero.predfeat good.csv",
]  # fmt: skip
ALL_IN_ONE = """
import contextlib, io, json, sys
from predfeat.cli import main
told = {}
for command in json.loads(sys.argv[1]):
    sys.argv = ["predfeat", *command.split()]
    with contextlib.redirect_stderr(io.StringIO()) as said:
        try:
            main()
        except SystemExit as ended:
            told[command] = ended.code, said.getvalue()
print(json.dumps(told))
"""


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes with names")
def test_what_has_no_end_is_no_file(odd_files):
    done = run("-c", ALL_IN_ONE, json.dumps(COMMANDS), folder=odd_files)
    told = json.loads(done.stdout)
    assert set(told) == set(COMMANDS)
    for command, (code, said) in told.items():
        assert code == 2, (command, said)
        assert re.search("pipe or a? ?device", said), (command, said)
        assert len(said.splitlines()) <= 2


def test_standard_input_may_be_a_pipe(odd_files):
    table = (odd_files / "good.csv").read_text()
    done = run("-m", "predfeat", "info", "-", folder=odd_files, input=table)
    assert done.returncode == 0, done.stderr


def test_an_array_may_be_shortened_after_it_was_read(tmp_path):
    code = (
        "import os, numpy as np; from predfeat.datasets import read\n"
        "np.save('a.npy', np.ones((10**6, 10)))\n"  # 80 MB
        "values = read('a.npy').values\n"
        "os.truncate('a.npy', 1000)\n"
        "print(values.sum())"
    )
    done = run("-c", code, folder=tmp_path)
    assert (done.returncode, done.stdout.strip()) == (0, "10000000.0"), done.stderr


def test_an_array_that_is_shortened_while_it_is_read_is_an_error(tmp_path, monkeypatch):
    path = tmp_path / "a.npy"
    np.save(path, np.ones((1000, 2)))
    monkeypatch.setattr(_arrays, "_check_array", lambda *_: os.truncate(path, 1000))
    with pytest.raises(DataFileError, match="cut short"):
        read(path)


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_lines_are_those_of_the_text_wherever_it_is_cut(tmp_path, ending):
    lines = [f"{i}{ending}" * (i % 3 == 0) + "x" * i + ending for i in range(700)]
    text = "".join(lines) + "the last"
    path = tmp_path / "a.txt"
    path.write_text(text, newline="")
    with path.open(newline="") as stream:
        expected = list(stream)
    for at_once in (1, 2, 7, 1000):
        with path.open(newline="") as stream, pytest.MonkeyPatch.context() as patch:
            patch.setattr("predfeat.datasets._decoding._CHARACTERS_AT_ONCE", at_once)
            assert list(LimitedLines(stream, "a.txt", "")) == expected


def test_blank_lines_mean_what_they_did(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("\n\n# x\n\na,b\n1,2\n\n\n2,3\n4,9\n3\n")
    with pytest.raises(DataFileError, match=r"line 11 .* has 1 cell"):
        read(path)
    path.write_text("a\n1\n\n\n5\n2\n\n\n")
    np.testing.assert_array_equal(read(path).values.ravel(), [1, np.nan, np.nan, 5, 2])
    path.write_text("\n" * 300_000)
    with pytest.raises(DataFileError, match="nothing but blank lines"):
        read(path)
