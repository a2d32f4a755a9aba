"""Signals at random moments: `python benchmarks/quality/interruptions.py [--runs 50] [--jobs 2]`.

Every target is started again and again, and gets SIGINT (the whole process group, as from a
terminal) or SIGTERM (the process alone) at a moment drawn from the whole length of an undisturbed
run. Then it must end with exit code 130 within two seconds (`--seconds` for a machine that does
other things, too), say so in its last line without any message from Python itself, leave every file
that it has written whole, and leave no process running five seconds later. The engines are called
by the library's GPFA with the command's own signal handlers; everything else is the command.

A run that was over before its signal, or got it before a line of predfeat was reached (while Python
itself started), says nothing; it is counted and repeated. Exit code 1 if anything is wrong.
"""

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "speed"))
from timing import argument_parser, autoregression, write

ENGINE = """
import sys
from predfeat.cli._interrupts import interruptible

with interruptible(is_all=True):
    import numpy as np
    from predfeat import GPFA, save

    method, data, out = sys.argv[1:]
    # About a second of searches on a quick machine, each.
    n = {"tree": 10, "tiles": 20, "blockwise": 3}[method]
    model = GPFA(2, n_lags=2, max_iter=n, tol=0, engine=method, n_jobs=2)
    save(model.fit(np.load(data)), out + "/model.predfeat")
"""
# What each is called with; DATA, SMALL and OUT stand for files and the folder that a run gets.
ENGINES = {f"engine {method}": method for method in ("tree", "tiles", "blockwise")}
COMMANDS = {
    "compare": "compare SMALL --repetitions 3 --jobs 2 --out OUT",
    "choose": "choose SMALL --n-lags 1,2 --n-neighbors 2,5 --n-components 1,2 --jobs 2 --out OUT",
    "fit -m auto": "fit SMALL -m auto --jobs 2 --out OUT/model.predfeat",
    "compare --significance": "compare SMALL -m sfa --repetitions 2 --no-diagnosis --jobs 2 "
    "--significance permutation --surrogates 39 --out OUT",
    "reproduce --quick": "reproduce toy --quick --repetitions 1 --jobs 2 --out OUT",
}
TARGETS = [*ENGINES, *COMMANDS]
SIGNALS = (signal.SIGINT, signal.SIGTERM)
MESSAGE = "predfeat: interrupted: no file was left half written."
# What Python, the system or a library says when something breaks.
COMPLAINTS = re.compile(r"Traceback|\w(Error|Exception|Warning)\b|Fatal|Segmentation|leaked")
AFTERWARDS = 5.0  # seconds within which every process has to be gone
HANGING = 60.0  # seconds after which a run is killed, and counted as one that did not end


@dataclass
class Run:
    """The outcome of one run."""

    sent: int
    moment: float
    code: int | None = None
    seconds: float = np.inf
    said: str = ""
    half_written: list = field(default_factory=list)
    n_left: int = 0

    @property
    def is_early(self):
        """Tell whether the signal met Python itself, whose answer is to die of it.

        While it loads its own first modules, it answers with a traceback and 1 instead.
        """
        return self.code in (-self.sent, 1) and "predfeat" not in self.said

    @property
    def unexpected(self):
        """Return complaints, and the last line if it is not the one that is to be there, once."""
        lines = [line for line in self.said.splitlines() if line]
        wrong = [line for line in lines if COMPLAINTS.search(line)]
        ended = lines[-1:] == [MESSAGE] and lines.count(MESSAGE) == 1
        return wrong if ended else [*wrong, *(lines[-1:] or ["nothing"])]


def is_whole(path):
    """Tell whether a file is what its name says, to its end."""
    content = path.read_bytes()
    if path.suffix == ".json":
        json.loads(content)
    elif path.suffix in (".html", ".svg"):
        return content.rstrip().endswith(f"</{path.suffix[1:]}>".encode())
    elif path.suffix == ".csv":
        return content.endswith(b"\n") and len({x.count(b",") for x in content.splitlines()}) == 1
    elif path.suffix == ".predfeat":
        import predfeat

        predfeat.load(path)
    elif path.suffix == ".sqlite":
        with sqlite3.connect(path) as ledger:
            return ledger.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    return len(content) > 0


def half_written(folder):
    """Return the names of files that are not whole."""
    found = []
    for path in sorted(folder.rglob("*")):
        if path.is_dir() or path.name.endswith(("-journal", "-wal", "-shm")):
            continue  # SQLite's own, which the next who opens the file uses up
        try:
            bad = path.name.startswith(".") or path.suffix == ".part" or not is_whole(path)
        except Exception:
            bad = True
        if bad:
            found.append(path.name)
    return found


def alive_in_session(number):
    """Count the processes of a session that still run; dead ones may wait for their parent."""
    count = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, _, session = stat.read_text().rpartition(")")[2].split()[:4]
        except (OSError, ValueError):
            continue
        count += int(session) == number and state not in "ZX"
    return count


def start(target, folder, data):
    out = folder / "out"
    out.mkdir(parents=True)
    places = {"OUT": str(out), "DATA": str(data / "data.npy"), "SMALL": str(data / "small.csv")}
    if target in ENGINES:
        words = ["-c", ENGINE, ENGINES[target], places["DATA"], places["OUT"]]
    else:
        words = ["-m", "predfeat", *COMMANDS[target].split()]
        for name, place in places.items():
            words = [word.replace(name, place) for word in words]
    # Not a pipe: what is left of a process must not keep this one waiting.
    with open(folder / "said", "wb") as said:
        return subprocess.Popen(
            [sys.executable, *words],
            stdout=subprocess.DEVNULL,
            stderr=said,
            start_new_session=True,
        )


def seconds_undisturbed(target, folder, data):
    started = time.perf_counter()
    code = start(target, folder, data).wait()
    seconds = time.perf_counter() - started
    wrong = half_written(folder / "out")
    if code != 0 or wrong:
        said = (folder / "said").read_text()
        raise SystemExit(f"{target} fails undisturbed with {code}: {said} {wrong}")
    return seconds


def interrupt(target, folder, data, sent, moment):
    """Return the outcome of a run, None if it was over before the signal."""
    process = start(target, folder, data)
    try:
        process.wait(timeout=moment)
        return None
    except subprocess.TimeoutExpired:
        pass
    run = Run(int(sent), moment)
    signalled = time.perf_counter()
    if sent == signal.SIGINT:
        os.killpg(process.pid, sent)
    else:
        process.send_signal(sent)
    try:
        run.code = process.wait(timeout=HANGING)
        run.seconds = time.perf_counter() - signalled
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    if run.code == 0:  # whole, and over before the signal was heard
        return None
    while (n_left := alive_in_session(process.pid)) and (
        time.perf_counter() - signalled < AFTERWARDS + min(run.seconds, HANGING)
    ):
        time.sleep(0.05)
    run.n_left = n_left
    if n_left:
        os.killpg(process.pid, signal.SIGKILL)
    run.said = (folder / "said").read_text(errors="replace")
    run.half_written = half_written(folder / "out")
    return run


def campaign(target, seconds, arguments, folder, data, pool):
    """Return the runs that met a signal, how many were over before, and how many too early."""
    random = np.random.default_rng([arguments.seed, TARGETS.index(target)])
    wanted = [number for number in SIGNALS for _ in range(arguments.runs)]
    runs, n_over, early, n_begun = [], 0, [], 0
    while wanted:
        moments = random.uniform(0, seconds, len(wanted))
        folders = [folder / str(n_begun + n) for n in range(len(wanted))]
        n_begun += len(wanted)
        given = [(target, f, data, s, m) for f, s, m in zip(folders, wanted, moments, strict=True)]
        done = list(pool.map(lambda one: interrupt(*one), given))
        n_over += sum(run is None for run in done)
        early += [run for run in done if run is not None and run.is_early]
        met = [run is not None and not run.is_early for run in done]
        runs += [run for run, is_met in zip(done, met, strict=True) if is_met]
        wanted = [number for number, is_met in zip(wanted, met, strict=True) if not is_met]
    return runs, n_over, early


def is_wrong(run, most):
    return (
        run.code != 130
        or run.seconds > most
        or bool(run.unexpected)
        or bool(run.half_written)
        or run.n_left > 0
    )


def row(target, seconds, runs, n_over, early, most):
    sent = Counter(run.sent for run in runs)
    codes = Counter(run.code for run in runs)
    latest = max((run.moment for run in early), default=0.0)
    return [
        target,
        f"{seconds:.1f} s",
        len(runs),
        " + ".join(str(sent[number]) for number in SIGNALS),
        ", ".join(f"{code}: {count}" for code, count in codes.most_common()),
        f"{max(run.seconds for run in runs):.2f} s",
        sum(run.seconds > most for run in runs),
        sum(bool(run.unexpected) for run in runs),
        sum(len(run.half_written) for run in runs),
        sum(run.n_left for run in runs),
        n_over,
        f"{len(early)} (latest at {latest:.2f} s)" if early else "0",
    ]


def make_data(folder):
    np.save(folder / "data.npy", autoregression(8_000, 3))
    np.savetxt(folder / "small.csv", autoregression(500, 4), delimiter=",", fmt="%.6g")


def parse():
    parser = argument_parser(__doc__)
    parser.add_argument("--runs", type=int, default=50, help="for each target and signal")
    parser.add_argument("--jobs", type=int, default=2, help="runs at the same time")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=2.0, help="from the signal to the end")
    parser.add_argument("--targets", nargs="*", choices=TARGETS, default=TARGETS)
    return parser.parse_args()


def main():
    arguments = parse()
    # What a shell starts in the background ignores Ctrl-C, and so would its children.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    columns = (
        "target | undisturbed | runs | SIGINT + SIGTERM | exit codes | slowest exit | too slow"
        " | complaints | half-written files | processes left | over before | before predfeat"
    )
    print(f"| {columns} |\n|{'---|' * (columns.count('|') + 1)}", flush=True)
    kept, wrong = [], []
    with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor(arguments.jobs) as pool:
        folder = Path(name)
        make_data(folder)
        for target in arguments.targets:
            place = folder / target.replace(" ", "_")
            tries = [place / f"undisturbed{n}" for n in range(arguments.jobs)]
            # As many at once as later: what shares the machine takes longer.
            lengths = pool.map(lambda f, t=target: seconds_undisturbed(t, f, folder), tries)
            seconds = min(lengths)
            runs, n_over, early = campaign(target, seconds, arguments, place, folder, pool)
            cells = row(target, seconds, runs, n_over, early, arguments.seconds)
            print(f"| {' | '.join(map(str, cells))} |", flush=True)
            wrong += [(target, run) for run in runs if is_wrong(run, arguments.seconds)]
            kept += [{"target": target, **run.__dict__} for run in runs]
    for target, run in wrong:
        print(f"\nwrong: {target}: {run}", file=sys.stderr)
    write(arguments.json, "interruptions", {"seed": arguments.seed, "runs": kept})
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
