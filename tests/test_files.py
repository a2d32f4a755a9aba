"""Files appear whole or not at all, and never in place of another unasked."""

import io
import os
import random
import stat
import subprocess
import sys
import threading
import time

import pytest

from predfeat import _files
from predfeat._files import write_whole, write_whole_text

each_way = pytest.mark.parametrize("links", [True, False], ids=["links", "no links"])


@pytest.fixture
def file_system(request, monkeypatch):
    """A file system with or without hard links."""
    if not request.getfixturevalue("links"):

        def refuse(*_):
            raise PermissionError("no hard links here")

        monkeypatch.setattr(os, "link", refuse)


@each_way
@pytest.mark.usefixtures("file_system")
def test_the_name_appears_when_all_is_written(links, tmp_path):
    path = tmp_path / "a"
    with write_whole(path) as stream:
        stream.write(b"12")
        assert not path.exists()
        stream.write(b"3")
    assert path.read_bytes() == b"123"
    assert os.listdir(tmp_path) == ["a"]


@each_way
@pytest.mark.usefixtures("file_system")
def test_an_existing_file_is_replaced_only_when_asked(links, tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"old")
    with (
        pytest.raises(FileExistsError, match=r"a exists already.*overwrite=True"),
        write_whole(path),
    ):
        pytest.fail("the block must not start")
    assert path.read_bytes() == b"old"
    with write_whole(path, overwrite=True) as stream:
        stream.write(b"new")
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new"
    assert os.listdir(tmp_path) == ["a"]


def write_half(opened, error):
    with opened as stream:
        stream.write("half" if isinstance(stream, io.TextIOBase) else b"half")
        raise error


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
@pytest.mark.parametrize("write", [write_whole, write_whole_text])
def test_an_error_leaves_things_as_they_were(write, error, tmp_path):
    (tmp_path / "old").write_bytes(b"old")
    for name, overwrite in [("new", False), ("old", True)]:
        with pytest.raises(error):
            write_half(write(tmp_path / name, overwrite=overwrite), error)
    assert os.listdir(tmp_path) == ["old"]
    assert (tmp_path / "old").read_bytes() == b"old"


@each_way
@pytest.mark.usefixtures("file_system")
def test_of_several_writers_at_once_one_wins(links, tmp_path):
    path = tmp_path / "a"
    inside = threading.Barrier(6)
    outcomes = []

    def write(number):
        try:
            with write_whole(path) as stream:
                stream.write(b"%d" % number * 1000)
                inside.wait(30)  # all have seen that there is no such file
            outcomes.append(number)
        except FileExistsError:
            outcomes.append(None)

    threads = [threading.Thread(target=write, args=(i,)) for i in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    winners = [number for number in outcomes if number is not None]
    assert len(outcomes) == 6
    assert len(winners) == 1
    assert path.read_bytes() == b"%d" % winners[0] * 1000
    assert os.listdir(tmp_path) == ["a"]


@pytest.mark.skipif(os.name != "posix", reason="permissions are POSIX's")
@pytest.mark.parametrize("umask", [0o022, 0o077, 0o002])
def test_permissions_are_those_of_any_new_file(umask, tmp_path):
    before = os.umask(umask)
    try:
        with write_whole(tmp_path / "whole"):
            pass
        (tmp_path / "plain").touch()
    finally:
        os.umask(before)
    assert (tmp_path / "whole").stat().st_mode == (tmp_path / "plain").stat().st_mode


@pytest.mark.skipif(os.name != "posix", reason="permissions are POSIX's")
def test_a_replaced_file_keeps_its_permissions_and_its_link(tmp_path):
    (tmp_path / "secret").write_bytes(b"old")
    (tmp_path / "secret").chmod(0o600)
    (tmp_path / "link").symlink_to("secret")
    with write_whole(tmp_path / "link", overwrite=True) as stream:
        stream.write(b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "secret").read_bytes() == b"new"
    assert stat.S_IMODE((tmp_path / "secret").stat().st_mode) == 0o600


def test_bad_targets_are_refused_at_once(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no directory .*nowhere\. Create it"):
        write_whole(tmp_path / "nowhere" / "a").__enter__()
    with pytest.raises(IsADirectoryError, match="Give the name of a file"):
        write_whole(tmp_path, overwrite=True).__enter__()


def test_the_longest_name_can_be_written(tmp_path):
    name = "n" * 255
    with write_whole(tmp_path / name):
        pass
    assert os.listdir(tmp_path) == [name]


def test_text_is_utf8_with_its_own_line_ends(tmp_path):
    with write_whole_text(tmp_path / "a") as stream:
        stream.write("λ\r\nμ\n")
    assert (tmp_path / "a").read_bytes() == "λ\r\nμ\n".encode()


WRITER = """
import importlib.util, sys
spec = importlib.util.spec_from_file_location("files", sys.argv[1])
files = importlib.util.module_from_spec(spec); spec.loader.exec_module(files)
number = 0
while True:
    number = (number + 1) % 10
    with files.write_whole(sys.argv[2], overwrite=True) as stream:
        for _ in range(200):
            stream.write(b"%d" % number * 5000)
"""


def test_a_kill_at_any_moment_leaves_a_whole_file(tmp_path):
    path = tmp_path / "a"
    seeded = random.Random(0)
    for _ in range(8):
        child = subprocess.Popen([sys.executable, "-c", WRITER, _files.__file__, path])
        deadline = time.monotonic() + 30
        while not path.exists() and time.monotonic() < deadline:
            time.sleep(0.005)
        time.sleep(seeded.uniform(0, 0.1))
        child.kill()
        child.wait(30)
        content = path.read_bytes()
        assert len(content) == 1_000_000
        assert len(set(content)) == 1
        path.unlink()
