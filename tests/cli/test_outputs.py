"""What cannot be written is refused before the work, and what is read is never replaced."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest

from csv_tables import write_array
from predfeat import SFA, save
from predfeat._files import try_to_write
from predfeat.cli._follow_ups import KeptSurrogates
from predfeat.cli._outputs import refuse_unwritable
from predfeat.selection import significance

WORK = ["predfeat.datasets.read", "predfeat.persistence.read_model", "predfeat.report.render",
        "predfeat.experiments.reproduction.run_setup"]  # fmt: skip


@pytest.fixture
def given(tmp_path):
    """A folder with something to read for every command."""
    folder = tmp_path / "given"
    folder.mkdir()
    X = np.random.default_rng(0).normal(size=(60, 3))
    write_array(folder / "noise.csv", X, "a,b,c")
    save(SFA().fit(X), folder / "model.predfeat")
    (folder / "results.json").write_text("{}")
    return folder


def commands(given):
    """Each command that writes, but for --out; and what it writes under a folder given there."""
    noise, model, results = (given / n for n in ("noise.csv", "model.predfeat", "results.json"))
    return {
        "fit": (["fit", noise, "-m", "sfa"], "out.predfeat"),
        "transform": (["transform", model, noise], "out.csv"),
        "report": (["report", results], "out.html"),
        "compare": (["compare", noise], ""),
        "choose": (["choose", noise], ""),
        "reproduce": (["reproduce", "toy", "--quick"], ""),
    }


COMMANDS = ("fit", "transform", "report", "compare", "choose", "reproduce")
each_command = pytest.mark.parametrize("command", COMMANDS)


@pytest.fixture
def no_work(monkeypatch):
    """Let every way to begin the work fail."""

    def worked(*_, **__):
        raise AssertionError("the work has begun")

    for name in WORK:
        monkeypatch.setattr(name, worked)


@pytest.fixture
def refused(run_main):
    """Return a function that runs a command that is to be refused, and returns what is said."""

    def run(*arguments):
        code, _, said = run_main(*arguments)
        assert code == 2, said
        return said

    return run


@each_command
@pytest.mark.usefixtures("no_work")
def test_a_folder_that_cannot_be_made_is_refused_before_the_work(refused, tmp_path, given, command):
    arguments, name = commands(given)[command]
    (tmp_path / "file").write_text("here")
    for folder in (tmp_path / "file", tmp_path / "file" / "deeper", tmp_path / ("n" * 300)):
        refused(*arguments, "--force" * (command != "reproduce") or "--quiet",
                "--out", folder / name)  # fmt: skip
    assert sorted(os.listdir(tmp_path)) == ["file", "given"]


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="there is no /proc")
@each_command
@pytest.mark.usefixtures("no_work")
def test_a_file_system_that_is_read_only_is_refused_before_the_work(refused, given, command):
    # Nobody can make a file there, not even the superuser, for whom permissions do not bind.
    arguments, name = commands(given)[command]
    stderr = refused(*arguments, "--out", Path("/proc/self") / name)
    assert "cannot" in stderr
    assert "/proc/self" in stderr
    assert ".part" not in stderr
    refused(*arguments, "--out", Path("/proc/self/new") / name)


DROPPED = """
import os, sys
from pathlib import Path
import predfeat._files
from predfeat.cli._outputs import refuse_unwritable
from predfeat.cli._follow_ups import KeptSurrogates
from predfeat.selection import significance
if os.getuid() == 0:  # whom permissions do not bind
    os.setgid(65534)
    os.setuid(65534)
for name in sys.argv[1:]:
    try:
        refuse_unwritable([Path(name)], force=True)
    except PermissionError as error:
        print(error)
    else:
        print("taken")
"""


@pytest.mark.skipif(os.name != "posix", reason="permissions are POSIX's")
def test_missing_permission_is_found_by_trying():
    # Not tmp_path, which is for its owner alone.
    above = Path(tempfile.gettempdir()).resolve()
    if os.getuid() == 0 and not all(p.stat().st_mode & 0o001 for p in (above, *above.parents)):
        pytest.skip("the folder for temporary files is for its owner alone")
    public = above / f"predfeat-test-{os.getpid()}"
    public.mkdir()
    try:
        for name, mode in (("closed", 0o555), ("open", 0o777)):
            (public / name).mkdir()
            (public / name / "protected").write_text("mine")
            (public / name / "protected").chmod(0o444)
            (public / name).chmod(mode)
        names = ["closed/new", "closed/new/deeper", "open/protected", "open/new", "open/new/deeper"]
        done = subprocess.run(
            [sys.executable, "-c", DROPPED, *(public / name for name in names)],
            capture_output=True, text=True, timeout=60, check=True, cwd="/",
        )  # fmt: skip
        answers = done.stdout.splitlines()
        assert [answer == "taken" for answer in answers] == [False, False, False, True, True]
        assert all("Permission denied" in answer for answer in answers[:3])
        assert sorted(os.listdir(public / "open")) == ["protected"]
    finally:
        (public / "closed").chmod(0o755)
        shutil.rmtree(public)


def names_of(file, folder):
    """Return other names of a file: a symbolic link, a link to its folder, a hard link."""
    link, to_folder, hard = folder / "link", folder / "to-folder", folder / "hard"
    link.symlink_to(file)
    to_folder.symlink_to(file.parent)
    os.link(file, hard)
    return [file, link, to_folder / file.name, hard, file.parent / "." / file.name]


@pytest.mark.skipif(os.name != "posix", reason="links may need rights elsewhere")
@pytest.mark.parametrize("force", [True, False])
@pytest.mark.usefixtures("no_work")
def test_what_is_read_is_not_replaced_under_any_name(refused, tmp_path, given, force):
    for command, read in (
        ("fit", "noise.csv"),
        ("transform", "noise.csv"),
        ("transform", "model.predfeat"),
        ("report", "results.json"),
    ):
        links = tmp_path / f"{command}-{read}"
        links.mkdir()
        before = (given / read).read_bytes()
        for n, name in enumerate(names_of(given / read, links)):
            if command == "transform":
                suffixed = links / f"{n}.csv"
                suffixed.symlink_to(name)
                name = suffixed
            arguments, _ = commands(given)[command]
            stderr = refused(*arguments, "--out", name, *["--force"] * force)
            assert "which is an input" in stderr
        assert (given / read).read_bytes() == before


@pytest.mark.usefixtures("no_work")
def test_a_folder_or_pattern_that_holds_an_output_is_not_replaced(refused, given):
    for name in ("features.csv", "choice.json"):
        shutil.copy(given / "noise.csv", given / name)
    noise = given / "noise.csv"
    for read in ([given], [given / "*.csv"], [noise, given / "features.csv"]):
        stderr = refused("compare", *read, "--out", given, "--force")
        assert "features.csv, which is an input" in stderr.replace("\n", "")
    # What stands beside the data, but is not read, may be replaced.
    refuse_unwritable([given / "choice.json"], force=True, data=[given])


@pytest.mark.skipif(os.name != "posix", reason="standard input is another thing elsewhere")
def test_what_comes_through_standard_input_is_not_replaced(given):
    before = (given / "noise.csv").read_bytes()
    with open(given / "noise.csv", "rb") as stream:
        done = subprocess.run(
            [sys.executable, "-m", "predfeat", "fit", "-", "--out", given / "noise.csv", "-f"],
            stdin=stream, capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip
    assert done.returncode == 2
    assert "which is an input" in done.stderr
    assert (given / "noise.csv").read_bytes() == before


def test_trying_leaves_nothing_behind(tmp_path):
    (tmp_path / "old").write_text("old")
    before = (tmp_path / "old").stat().st_mtime_ns
    refuse_unwritable(
        [tmp_path / "new", tmp_path / "a" / "b" / "new", tmp_path / "old"], force=True
    )
    assert os.listdir(tmp_path) == ["old"]
    assert (tmp_path / "old").stat().st_mtime_ns == before
    with pytest.raises(FileExistsError, match="Give --force"):
        refuse_unwritable([tmp_path / "x" / "new", tmp_path / "old"], force=False)
    assert os.listdir(tmp_path) == ["old"]
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="not a file that could be replaced"):
        try_to_write(tmp_path / "pipe", overwrite=True)


HUGE = "9" * 30
HUGE_OPTIONS = {
    "fit": ["--n-components", "--n-lags", "--horizon", "--n-neighbors", "--max-iter", "--theiler",
            "--n-averaged", "--n-intermediate", "--random-state", "--max-rows", "--jobs",
            "--pca-components", "--every", "--delays", "--frame", "--hop", "--height"],
    "compare": ["--n-components", "--n-lags", "--horizon", "--n-neighbors", "--repetitions",
                "--max-train", "--max-test", "--max-fit", "--surrogates", "--seed", "--jobs",
                "--pca-components"],
    "choose": ["--n-lags", "--n-neighbors", "--n-components", "--horizon", "--folds",
               "--max-rows", "--jobs"],
    "measure": ["--n-lags", "--horizon", "--n-neighbors", "--jobs"],
    "reproduce": ["--repetitions", "--panel-repetitions", "--jobs", "--seed"],
}  # fmt: skip


@pytest.mark.parametrize("command", HUGE_OPTIONS)
@pytest.mark.usefixtures("no_work")
def test_numbers_beyond_64_bits_are_refused_before_the_work(refused, tmp_path, given, command):
    arguments = ["measure", given / "noise.csv"]
    if command != "measure":
        arguments = [*commands(given)[command][0], "--out", tmp_path / "out"]
    for option in HUGE_OPTIONS[command]:
        stderr = refused(*arguments, option, HUGE)
        assert option in stderr
    assert os.listdir(tmp_path) == ["given"]


def test_results_that_are_no_results_are_refused_in_words(refused, tmp_path):
    file = tmp_path / "results.json"
    for text in ("[" * 10_000, '{"schema": ' + "9" * 5000 + "}", '{"schema": NaN}', "[1]", "\xff",
                 '{"schema": 1, "schema": 2}', json.dumps([0] * 10**6)):  # fmt: skip
        file.write_text(text, encoding="latin-1")
        stderr = refused("report", file, "--out", tmp_path / "page.html")
        assert len(stderr) < 400


def test_surrogates_that_were_changed_are_not_gone_on_with(tmp_path, capsys):
    X = np.random.default_rng(0).normal(size=(60, 3))
    kept = KeptSurrogates(tmp_path / "surrogates.json", force=True)
    assert kept.read() is None
    assert capsys.readouterr().err == ""
    kept.write(significance(SFA(2), X, n_surrogates=19))
    assert kept.read().n_surrogates == 19
    whole = kept.path.read_bytes()
    for changed in (whole.replace(b"0.", b"1.", 1), whole[:-9], b"[" * 10**5, b"\xff", b"{}"):
        kept.path.write_bytes(changed)
        capsys.readouterr()
        assert kept.read() is None
        assert "is not used, and all surrogates are computed again" in capsys.readouterr().err
