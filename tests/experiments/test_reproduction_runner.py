"""Runs that are stopped, resumed, and done by several processes."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from predfeat.exceptions import LedgerError, WorkerError
from predfeat.experiments.reproduction import (
    Ledger,
    Panel,
    RecordingSource,
    compute,
    panel_points,
    results_csv,
    run_setup,
    times_csv,
    toy_setup,
)
from predfeat.experiments.reproduction import _runner as runner

SMALL = replace(
    toy_setup(quick=True),
    panels=(Panel("a", "n_train", (100, 200)), Panel("c", "n_neighbors", (2, 10))),
    defaults=replace(toy_setup().defaults, n_train=200, max_iter=5),
)


def points_of(setup, n_repetitions=2):
    return [place.point for place in panel_points(setup, 0, n_repetitions)]


def test_the_table_does_not_depend_on_the_number_of_processes(tmp_path):
    tables = []
    for n_jobs in (1, 2):
        with Ledger(tmp_path / f"{n_jobs}.sqlite") as ledger:
            tables.append(results_csv(run_setup(SMALL, ledger, 2, n_jobs=n_jobs)))
    assert tables[0] == tables[1]
    assert tables[0].count("\n") == 1 + 4 * len(SMALL.methods) * 2


def test_what_is_there_is_not_computed_again(path, monkeypatch):
    with Ledger(path) as ledger:
        first = run_setup(SMALL, ledger, 1)
        monkeypatch.setattr(runner, "measure_fit", None)
        again = run_setup(SMALL, ledger, 1)
    assert results_csv(again) == results_csv(first)
    assert times_csv(again) == times_csv(first)


def test_more_repetitions_add_rows_and_change_none(path):
    with Ledger(path) as ledger:
        few = results_csv(run_setup(SMALL, ledger, 1)).splitlines()
        many = results_csv(run_setup(SMALL, ledger, 2)).splitlines()
    assert set(few) < set(many)
    assert len(many) - 1 == 2 * (len(few) - 1)


def test_points_that_several_panels_share_are_computed_once(path, monkeypatch):
    fitted = []
    measure = runner.measure_fit
    monkeypatch.setattr(
        runner, "measure_fit", lambda *given: (fitted.append(given[1]), measure(*given))[1]
    )
    with Ledger(path) as ledger:
        compute(points_of(SMALL, 1), SMALL.source, ledger)
        assert len(ledger) == len(set(points_of(SMALL, 1)))
    assert len(fitted) == len(set(fitted))
    # Two sizes for all methods; another k for the four methods that have one.
    assert len(fitted) == 2 * len(SMALL.methods) + 4


def test_progress_ends_at_the_end(path):
    told = []
    with Ledger(path) as ledger:

        def tell(done, all_of_it):
            told.append((done, all_of_it))

        compute(points_of(SMALL), SMALL.source, ledger, on_progress=tell)
        total = len(set(points_of(SMALL)))
        assert told[0] == (0, total)
        assert told == sorted(told)
        assert told[-1] == (total, total)
        told.clear()
        compute(points_of(SMALL), SMALL.source, ledger, on_progress=tell)
        assert told == [(total, total)]


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_disk_that_fills_up_keeps_what_was_finished(path, n_jobs):
    with Ledger(path) as ledger:
        (n_pages,) = ledger._connection.execute("PRAGMA page_count").fetchone()
        ledger._connection.execute(f"PRAGMA max_page_count = {n_pages + 4}")
        with pytest.raises(LedgerError, match="the disk is full"):
            compute(points_of(SMALL), SMALL.source, ledger, n_jobs=n_jobs)
        kept = ledger.find(points_of(SMALL))
        assert 0 < len(kept) < len(set(points_of(SMALL)))
    with Ledger(path) as ledger:
        compute(points_of(SMALL), SMALL.source, ledger)
        whole = ledger.find(points_of(SMALL))
        assert len(whole) == len(ledger) == len(set(points_of(SMALL)))
        assert kept.items() <= whole.items()


def test_one_process_uses_one_thread_as_workers_do(path, monkeypatch):
    seen, measure = [], runner.measure_fit

    def watched(*given):
        seen.extend(library["num_threads"] for library in threadpool_info())
        return measure(*given)

    monkeypatch.setattr(runner, "measure_fit", watched)
    with Ledger(path) as ledger, threadpool_limits(2):
        assert max(library["num_threads"] for library in threadpool_info()) == 2
        compute(points_of(SMALL, 1)[:1], SMALL.source, ledger)
    assert set(seen) == {1}


class Murderous(RecordingSource):
    """Data whose reading ends the process, as want of memory does."""

    def parts(self, fit):
        os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.skipif(os.name == "nt", reason="needs SIGKILL")
def test_a_killed_worker_is_a_named_error(path):
    source = Murderous("m", "", np.zeros((300, 2)))
    setup = replace(SMALL, source=source)
    with Ledger(path) as ledger, pytest.raises(WorkerError, match="run the same command again"):
        compute(points_of(setup), source, ledger, n_jobs=2)


RUN = """
import sys
import time
from pathlib import Path
from tests_setup import SETUP
from predfeat.experiments.reproduction import Ledger, results_csv, run_setup


class Waiting(Ledger):
    # Takes so many records, and then waits to be killed: a fast machine must not finish first.

    n_left = int(sys.argv[3])

    def record(self, results):
        super().record(results)
        self.n_left -= 1
        if self.n_left == 0:
            time.sleep(300)


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    with Waiting(folder / "ledger.sqlite") as ledger:
        Path(folder / "started").touch()
        outcome = run_setup(SETUP, ledger, 4, n_jobs=int(sys.argv[2]))
    (folder / "table.csv").write_text(results_csv(outcome), encoding="utf-8")
"""

SETUP = """
from dataclasses import replace
from predfeat.experiments.reproduction import Panel, toy_setup

SETUP = toy_setup(quick=True)
SETUP = replace(
    SETUP,
    panels=(Panel("a", "n_train", (100, 200, 300)), Panel("b", "n_columns", (2, 10))),
    defaults=replace(SETUP.defaults, n_train=300),
)
"""


@pytest.mark.skipif(os.name == "nt", reason="needs SIGKILL")
def test_killed_at_ten_moments_and_resumed_the_table_is_the_same_to_the_byte(tmp_path):
    (tmp_path / "run.py").write_text(RUN, encoding="utf-8")
    (tmp_path / "tests_setup.py").write_text(SETUP, encoding="utf-8")
    calm, disturbed = tmp_path / "inverse_spread", tmp_path / "disturbed"
    calm.mkdir()
    disturbed.mkdir()

    def start(folder, n_jobs, most=-1):
        command = [sys.executable, str(tmp_path / "run.py"), str(folder), str(n_jobs), str(most)]
        return subprocess.Popen(command, stderr=subprocess.DEVNULL)

    assert start(calm, 1).wait(timeout=300) == 0
    with Ledger(calm / "ledger.sqlite") as ledger:
        n_all = len(ledger)

    random = np.random.default_rng(0)
    n_kept, n_killed = [0], 0
    for number in range(10):
        # From before the ledger is opened to well into the run, by how many rows it has.
        aim = int(random.integers(0, n_all // 15))
        process = start(disturbed, n_jobs=2 if number in (3, 7) else 1, most=aim + 2)
        deadline = time.monotonic() + 120
        while process.poll() is None and time.monotonic() < deadline:
            if number == 0 or rows_in(disturbed) >= n_kept[-1] + aim:
                break
            time.sleep(0.002)
        time.sleep(random.uniform(0, 0.05))
        n_killed += process.poll() is None
        process.kill()
        process.wait(timeout=60)
        n_kept.append(rows_in(disturbed))
    assert n_killed == 10
    assert n_kept == sorted(n_kept)  # no row is ever lost
    assert 0 < n_kept[-1] < n_all  # the kills came while there was work to do

    assert start(disturbed, 2).wait(timeout=300) == 0
    assert (disturbed / "table.csv").read_bytes() == (calm / "table.csv").read_bytes()
    assert rows_in(disturbed) == n_all  # none is doubled


def rows_in(folder):
    if not (folder / "started").exists():
        return 0
    with Ledger(folder / "ledger.sqlite") as ledger:
        return len(ledger)


def listen_to_ctrl_c():
    # What a shell starts in the background ignores it, and so do its children.
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.skipif(os.name == "nt", reason="needs SIGINT")
def test_ctrl_c_ends_a_parallel_run_at_once_and_keeps_what_was_finished(tmp_path):
    (tmp_path / "run.py").write_text(RUN, encoding="utf-8")
    (tmp_path / "tests_setup.py").write_text(SETUP, encoding="utf-8")
    process = subprocess.Popen(
        [sys.executable, str(tmp_path / "run.py"), str(tmp_path), "2", "-1"],
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=listen_to_ctrl_c,
    )
    deadline = time.monotonic() + 120
    while rows_in(tmp_path) < 3 and time.monotonic() < deadline:
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to all processes
    _, said = process.communicate(timeout=60)
    assert process.returncode != 0
    assert said.rstrip().splitlines()[-1] == "KeyboardInterrupt"
    assert said.count("Traceback") == 1
    assert rows_in(tmp_path) >= 3
