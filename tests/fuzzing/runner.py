"""The parent: gives out cases, ends what hangs, replaces what died, keeps what failed."""

import json
import os
import queue
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from fuzzing.limits import make_cgroup
from fuzzing.worker import BEGUN

TESTS = Path(__file__).parents[1]
# To import libraries and make the inputs of a worker's first case; part of no case's time.
MOST_PREPARATION = 120.0
FAILURES = ("unexpected", "crash", "hang", "memory", "executed")


@dataclass(frozen=True)
class Outcome:
    """What came of a case."""

    target: str
    seed: int
    number: int
    result: str  # answer, refused, or one of FAILURES
    name: str = ""  # the class of the error
    details: str = ""
    seconds: float = 0.0
    peak: int = 0

    @property
    def case(self) -> str:
        """What --replay takes."""
        return f"{self.target}:{self.seed}:{self.number}"


class Worker:
    """A child process and its folder; started when needed, replaced when it died."""

    def __init__(self, number: int, place: Path, n_bytes: int, timeout: float):
        self.folder = place / f"worker-{number}"
        self.folder.mkdir()
        self._n_bytes, self._timeout = n_bytes, timeout
        self._cgroup = make_cgroup(f"predfeat-fuzz-{number}", n_bytes)
        self._process: subprocess.Popen | None = None
        self._read = b""

    @property
    def limit(self) -> str:
        """How memory is limited."""
        return f"cgroup v{self._cgroup.version}" if self._cgroup else "address space (rlimit)"

    def run(self, target: str, seed: int, number: int) -> Outcome:
        """Run a case."""
        process = self._process or self._start()
        kills = self._cgroup.n_kills() if self._cgroup else 0
        try:
            process.stdin.write(json.dumps([target, seed, number]).encode() + b"\n")
            process.stdin.flush()
            begun = json.loads(self._line(process, MOST_PREPARATION))
        except (BrokenPipeError, TimeoutError, EOFError) as error:
            begun = repr(error)
        if begun != BEGUN:  # a mistake of the fuzzing itself
            self._end()
            raise RuntimeError(f"{target}:{seed}:{number} could not be prepared: {begun}")
        started = time.perf_counter()
        try:
            found = json.loads(self._line(process, self._timeout))
            return Outcome(target, seed, number, **{k: v for k, v in found.items() if k != "taken"})
        except TimeoutError:
            result, name = "hang", f"more than {self._timeout:g} s"
        except EOFError:
            code = process.wait()
            result, name = "crash", signal.Signals(-code).name if code < 0 else f"exit code {code}"
            if self._cgroup and self._cgroup.n_kills() > kills:
                result, name = "memory", "more than the cgroup has"
        self._end()
        return Outcome(target, seed, number, result, name, seconds=time.perf_counter() - started)

    def _start(self) -> subprocess.Popen:
        paths = [str(TESTS), *sys.path]
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(path for path in paths if path),
            "PYTHONDONTWRITEBYTECODE": "1",
            "MPLBACKEND": "agg",
            "COLUMNS": "80",
            "TMPDIR": str(self.folder),  # so that what libraries write there is seen as inside
        }
        limit = 0 if self._cgroup else self._n_bytes
        self._process = subprocess.Popen(
            [sys.executable, "-m", "fuzzing.worker", str(self.folder), str(limit)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
            start_new_session=True,
        )
        if self._cgroup:
            self._cgroup.add(self._process.pid)
        return self._process

    def _line(self, process: subprocess.Popen, timeout: float) -> str:
        # Not readline, which would take the next line, too, and hide it from select.
        until = time.monotonic() + timeout
        while b"\n" not in self._read:
            readable, _, _ = select.select(
                [process.stdout], [], [], max(0, until - time.monotonic())
            )
            if not readable:
                raise TimeoutError
            more = os.read(process.stdout.fileno(), 2**16)
            if not more:
                raise EOFError
            self._read += more
        line, _, self._read = self._read.partition(b"\n")
        return line.decode()

    def _end(self) -> None:
        process, self._process = self._process, None
        self._read = b""
        if process is None:
            return
        try:
            os.killpg(process.pid, signal.SIGKILL)  # and what the case started
        except (ProcessLookupError, PermissionError):
            process.kill()
        process.wait()
        process.stdin.close()
        process.stdout.close()

    def close(self) -> None:
        """End the process and remove its cgroup."""
        self._end()
        if self._cgroup:
            self._cgroup.close()


def run_cases(
    cases: Sequence[tuple[str, int, int]],
    *,
    n_jobs: int = 1,
    n_bytes: int = 2 * 2**30,
    timeout: float = 30.0,
    kept: Path | None = None,
    on_outcome: Callable[[Outcome], None] | None = None,
) -> tuple[list[Outcome], str]:
    """Run cases in worker processes; return what came of each, and how memory was limited.

    A case takes too much memory when the kernel says so, or when its process was larger than
    `n_bytes` at any moment. Inputs of cases that failed are copied into `kept`.
    """
    waiting: queue.SimpleQueue = queue.SimpleQueue()
    for case in cases:
        waiting.put(case)
    done: queue.SimpleQueue = queue.SimpleQueue()
    outcomes: list[Outcome] = []
    errors: list[BaseException] = []
    limits: list[str] = []

    def work(number: int, place: Path) -> None:
        worker = None
        try:
            worker = Worker(number, place, n_bytes, timeout)
            limits.append(worker.limit)
            while not errors:
                outcome = worker.run(*waiting.get_nowait())
                if outcome.peak > n_bytes and outcome.result not in FAILURES:
                    outcome = Outcome(*_key(outcome), "memory", "", "", outcome.seconds)
                if outcome.result in FAILURES and kept is not None:
                    keep(outcome, worker.folder, kept)
                outcomes.append(outcome)
                if on_outcome is not None:
                    on_outcome(outcome)
        except queue.Empty:
            pass
        except BaseException as error:
            errors.append(error)
        finally:
            if worker is not None:
                worker.close()
            done.put(number)

    with tempfile.TemporaryDirectory(prefix="predfeat-fuzz-") as place:
        threads = [threading.Thread(target=work, args=(n, Path(place))) for n in range(n_jobs)]
        for thread in threads:
            thread.start()
        # Not join: interrupted once, it takes the thread for ended (Python 3.11).
        for _ in threads:
            try:
                done.get()
            except KeyboardInterrupt as error:
                errors.append(error)
                done.get()
    if errors:
        raise errors[0]
    return sorted(outcomes, key=_key), limits[0]


def _key(outcome: Outcome) -> tuple[str, int, int]:
    return outcome.target, outcome.seed, outcome.number


def keep(outcome: Outcome, folder: Path, kept: Path) -> None:
    """Copy the input of a case that failed, with what came of it."""
    to = kept / outcome.case.replace(":", "-")
    shutil.rmtree(to, ignore_errors=True)
    to.mkdir(parents=True)
    told = folder / "told.txt"
    text = told.read_text(errors="replace") if told.exists() else ""
    (to / "outcome.txt").write_text(
        f"{outcome.case}\n{text}\n{outcome.result} {outcome.name}\n{outcome.details}\n"
    )
    shutil.copytree(folder / "case", to / "case", dirs_exist_ok=True, symlinks=True)
