"""Signals: one line, exit code 130, nothing half written, whatever the command is doing."""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from commands import run_python

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals work otherwise there")

LINE = "predfeat: interrupted: no file was left half written.\n"
CAMPAIGN = Path(__file__).parents[2] / "benchmarks" / "quality" / "interruptions.py"
# The promise is two seconds; a machine that runs other tests at the same time gets some more.
PROMISED, MARGIN = 2.0, 8.0

FRAME = """
import atexit, hashlib, sys, time
from predfeat.cli._interrupts import interruptible

def compiled():  # minutes of compiled code, from which no signal calls back
    print("ready", flush=True)
    hashlib.pbkdf2_hmac("sha256", b"", b"", 2_000_000_000)

def wait():
    print("ready", flush=True)
    time.sleep(60)

with interruptible(is_all=True):
    {body}
"""
BODIES = {
    "in Python": "wait()",
    "in compiled code": "compiled()",
    "the interrupt gets lost": """
    class Lost:
        def __del__(self):
            wait()
    Lost()
    time.sleep(60)""",
    "the interrupt becomes an error": """
    try:
        wait()
    except KeyboardInterrupt:
        raise ImportError("not all of numpy")""",
    "the interrupt is caught": """
    try:
        wait()
    except KeyboardInterrupt:
        pass""",
    "at the end": "atexit.register(wait)",
}


def heed_signals():
    """What a shell starts in the background, or with nohup, ignores signals: its children, too."""
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def start(body, *arguments, **options):
    process = subprocess.Popen(
        [sys.executable, "-c", FRAME.format(body=body), *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=options.pop("before", heed_signals),
        **options,
    )
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.05)  # the word comes just before what is meant
    return process


def end(process, *signals):
    """Send signals; return the exit code and standard error, if that does not take long."""
    started = time.monotonic()
    for number in signals:
        process.send_signal(number)
        time.sleep(0.1)
    _, said = process.communicate(timeout=60)
    assert time.monotonic() - started < PROMISED + MARGIN
    return process.returncode, said


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_every_signal_ends_it(sent):
    assert end(start("wait()"), sent) == (130, LINE)


@pytest.mark.parametrize("doing", BODIES)
def test_it_ends_whatever_it_is_doing(doing):
    assert end(start(BODIES[doing]), signal.SIGTERM) == (130, LINE)


@pytest.mark.parametrize("doing", ["in Python", "in compiled code", "the interrupt gets lost"])
def test_a_second_ctrl_c_changes_nothing(doing):
    assert end(start(BODIES[doing]), signal.SIGINT, signal.SIGINT) == (130, LINE)


WRITING = """
    from predfeat._files import write_whole
    with write_whole(sys.argv[1]) as stream:
        stream.write(b"half")
        stream.flush()
        {busy}()"""


@pytest.mark.parametrize("busy", ["wait", "compiled"])
def test_what_is_being_written_is_removed(tmp_path, busy):
    process = start(WRITING.format(busy=busy), tmp_path / "file.bin")
    assert len(os.listdir(tmp_path)) == 1
    assert end(process, signal.SIGTERM) == (130, LINE)
    assert os.listdir(tmp_path) == []


WORKING = """
    from predfeat._processes import finished_work
    with finished_work(time.sleep, [(600,)] * 4, 2) as finished:
        {busy}()
        list(finished)"""


@pytest.mark.parametrize("busy", ["wait", "compiled"])
def test_processes_that_work_for_it_end_with_it(busy):
    # Standard error is theirs, too: `communicate` returns when all have closed it.
    assert end(start(WORKING.format(busy=busy)), signal.SIGTERM) == (130, LINE)


def test_a_run_that_is_done_does_not_wait_for_idle_processes():
    body = """
    from predfeat._processes import finished_work
    with finished_work(divmod, [(7, 3)] * 4, 2) as finished:
        list(finished)
    print("ready", flush=True)"""
    process = start(body)
    assert process.wait(timeout=60) == 0  # idle ones stay for five minutes
    assert process.communicate() == ("", "")


def test_the_cursor_is_there_again():
    pty = pytest.importorskip("pty")
    parent, child = pty.openpty()
    body = "sys.stderr.write('\\x1b[?25l'); sys.stderr.flush(); compiled()"
    process = subprocess.Popen(
        [sys.executable, "-c", FRAME.format(body=body)], stdout=subprocess.PIPE, stderr=child
    )
    assert process.stdout.readline() == b"ready\n"
    time.sleep(0.5)  # until it is in compiled code; who interrupts a bar itself, rich, tidies up
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=60) == 130
    process.stdout.close()
    os.close(child)
    shown = b""
    with suppress(OSError):  # how Linux tells that nobody holds the other end
        while some := os.read(parent, 1000):
            shown += some
    os.close(parent)
    assert shown.index(b"\x1b[?25l") < shown.index(b"\x1b[?25h") < shown.index(b"interrupted")


def test_what_is_to_be_ignored_is_ignored():
    def as_nohup_does():
        signal.signal(signal.SIGHUP, signal.SIG_IGN)

    process = start("print('ready', flush=True); time.sleep(1)", before=as_nohup_does)
    process.send_signal(signal.SIGHUP)
    assert process.wait(timeout=60) == 0
    process.communicate()


def test_handlers_are_there_only_while_the_command_runs(run_main):
    numbers = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
    before = [signal.getsignal(number) for number in numbers]
    hooks = sys.unraisablehook, os.environ.get("PYTHONWARNINGS")
    run_main("--version")
    assert [signal.getsignal(number) for number in numbers] == before
    assert (sys.unraisablehook, os.environ.get("PYTHONWARNINGS")) == hooks
    assert signal.set_wakeup_fd(-1) == -1


def test_a_signal_while_the_command_is_loaded_is_answered_as_later():
    # Everything that takes time is loaded under its watch: only what is quick comes before.
    program = (
        "import sys; before = set(sys.modules)\n"
        "import predfeat.cli, predfeat.cli._interrupts\n"
        "print(sorted({'typer', 'rich', 'numpy', 'scipy'} & set(sys.modules)))"
    )
    assert run_python(program) == "[]"


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="counts processes in /proc")
def test_signals_at_random_moments():
    given = ["--runs", "1", "--seconds", str(PROMISED + MARGIN), "--targets"]
    targets = ["engine tree", "compare --significance"]
    done = subprocess.run(
        [sys.executable, CAMPAIGN, *given, *targets], capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stdout + done.stderr
