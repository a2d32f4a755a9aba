"""Processes that share work: their order, their errors, and their end."""

import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager, suppress

import numpy as np
import pytest
from joblib import effective_n_jobs

from predfeat._processes import finished_work, shared_work

# The promise is five seconds; a machine that runs other tests at the same time gets some more.
PROMISED, MARGIN = 5.0, 10.0

posix = pytest.mark.skipif(os.name == "nt", reason="signals work otherwise there")


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_results_come_in_the_order_of_the_pieces(n_jobs):
    with finished_work(divmod, [(number, 3) for number in range(7)], n_jobs) as finished:
        assert list(finished) == [divmod(number, 3) for number in range(7)]


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_without_an_order_all_come(n_jobs):
    pieces = [(number, 3) for number in range(7)]
    with finished_work(divmod, pieces, n_jobs, in_order=False) as finished:
        assert sorted(finished) == [divmod(number, 3) for number in range(7)]


def test_no_work_has_no_results():
    with finished_work(divmod, [], 2) as finished:
        assert list(finished) == []


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("start_up", [1e-9, 1e9])
def test_work_is_shared_where_workers_are_worth_their_start(monkeypatch, n_jobs, start_up):
    monkeypatch.setattr("predfeat._processes._START_UP_SECONDS", start_up)
    told = []

    def work(number):
        return number, os.getpid(), effective_n_jobs(-1)

    def here(number):
        told.append(number)
        return work(number)

    pieces = [(number,) for number in range(5)]
    with shared_work(work, pieces, [1.0] * 5, n_jobs, here=here) as finished:
        numbers, places, threads = zip(*finished, strict=True)
    assert numbers == (0, 1, 2, 3, 4)
    shared = n_jobs == 2 and start_up < 1
    assert told == [0] if shared else told == [0, 1, 2, 3, 4]
    own = [place == os.getpid() for place in places]
    assert own == [True, *[not shared] * 4]
    if shared:  # each worker has one processor
        assert threads[1:] == (1, 1, 1, 1)


def test_a_worker_gets_at_least_twice_the_work_of_its_start(monkeypatch):
    # Of six pieces, one second each, three are left after the third: enough for one worker only.
    clock = iter(np.arange(100.0) / 1.0)
    monkeypatch.setattr("predfeat._processes.process_time", lambda: next(clock))
    used = []

    @contextmanager
    def spy(work, pieces, n_jobs):
        used.append((len(pieces), n_jobs))
        yield iter([work(*piece) for piece in pieces])

    monkeypatch.setattr("predfeat._processes.finished_work", spy)
    for start_up in (0.5, 1.25, 2.0):
        monkeypatch.setattr("predfeat._processes._START_UP_SECONDS", start_up)
        with shared_work(divmod, [(n, 3) for n in range(6)], [1.0] * 6, 4) as finished:
            assert list(finished) == [divmod(n, 3) for n in range(6)]
    assert used == [(5, 4), (5, 2)]


# What is sent to a worker: a pipe full of it, a sleep, and a long call of compiled code.
ENDLESS = """
import sys
import numpy as np
from predfeat._processes import finished_work

def work(kind, ballast):
    import time
    print("working", flush=True)
    if kind == "sleep":
        time.sleep(600)
    while True:
        np.linalg.svd(np.random.default_rng(0).normal(size=(900, 900)))

if __name__ == "__main__":
    ballast = np.zeros(100_000)  # under the size at which joblib shares memory
    pieces = [(sys.argv[1], ballast)] * 6
    print("starting", flush=True)
    with finished_work(work, pieces, 2) as finished:
        list(finished)
"""


def seconds_until_closed(stream, most):
    """Return how long it takes until nobody holds the other end of a pipe."""
    started = time.monotonic()
    os.set_blocking(stream.fileno(), False)
    while time.monotonic() - started < most:
        if stream.read(4096) == b"":
            return time.monotonic() - started
        time.sleep(0.02)
    return np.inf


@posix
@pytest.mark.parametrize(
    ("kind", "word", "later"),
    # At work, and while the processes come into being.
    [("sleep", b"working", 0.0), ("compute", b"working", 0.0), ("sleep", b"starting", 0.3)],
)
def test_no_process_outlives_a_killed_parent_by_five_seconds(tmp_path, kind, word, later):
    program = tmp_path / "endless.py"
    program.write_text(ENDLESS, encoding="utf-8")
    with subprocess.Popen(
        [sys.executable, program, kind],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        bufsize=0,
        start_new_session=True,
    ) as parent:
        try:
            while word not in parent.stdout.read(100):
                assert parent.poll() is None
            time.sleep(later)
            parent.kill()
            # Workers and joblib's tracker inherited standard output: it is closed when all ended.
            assert seconds_until_closed(parent.stdout, 30.0) < PROMISED + MARGIN
        finally:
            with suppress(ProcessLookupError):
                os.killpg(parent.pid, signal.SIGKILL)


@posix
def test_ctrl_c_is_answered_by_the_parent_alone_also_while_processes_start(tmp_path):
    program = tmp_path / "endless.py"
    program.write_text(ENDLESS, encoding="utf-8")
    with subprocess.Popen(
        [sys.executable, program, "sleep"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as parent:
        assert parent.stdout.readline() == b"starting\n"
        time.sleep(0.5)
        os.killpg(parent.pid, signal.SIGINT)  # as a terminal does: to all processes
        _, said = parent.communicate(timeout=60)
    assert said.count(b"Traceback") == 1
    assert said.rstrip().endswith(b"KeyboardInterrupt")
