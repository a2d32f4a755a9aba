"""Long recordings: time and memory of a whole fit that reads its rows block by block.

    python benchmarks/speed/scale.py make big.npy --rows 1000000 --columns 50
    python benchmarks/speed/scale.py fit big.npy
    python benchmarks/speed/scale.py fit big.npy --array
    python benchmarks/speed/scale.py fit big.npy --workers 2 --kill
    python benchmarks/speed/scale.py blocks big.npy

`make` writes a Lorenz system mixed with autoregressive noise, as `predfeat.datasets.hidden_lorenz`
does, and the system itself beside it. `fit` fits GPFA (2) with its defaults, p = 5, k = 10, M = 5:
to the file, to the array (`--array`), or on a Dask cluster of this machine (`--workers`), one of
whose workers is killed in the second iteration (`--kill`). It prints the seconds, the peak of the
process's own memory (RssAnon of Linux, which leaves out file pages that the system may drop at any
time), a checksum of the features, and the largest angle between the system's best linear map and
the features' space. `blocks` prints what one task costs, and the bytes that it moves.
"""

import argparse
import hashlib
import os
import pickle
import signal
from contextlib import ExitStack
from pathlib import Path
from threading import Event, Thread
from time import perf_counter, process_time

import numba
import numpy as np
from scipy.signal import lfilter

from predfeat import GPFA
from predfeat._progress import following
from predfeat.series import check_blocks, open_rows
from predfeat.whitening import fit_whitening

M, P, K = 5, 5, 10
STEP, SETTLING, AT_ONCE = 0.03, 500, 1 << 18


@numba.njit(cache=True)
def lorenz(state, n_rows):
    """Integrate the Lorenz equations from a state, which is moved on."""
    path, slope, at = np.empty((n_rows, 3)), np.empty((4, 3)), np.empty(3)
    for row in range(n_rows):
        for stage in range(4):
            factor = (0.0, STEP / 2, STEP / 2, STEP)[stage]
            at[:] = state if stage == 0 else state + factor * slope[stage - 1]
            slope[stage, 0] = 10.0 * (at[1] - at[0])
            slope[stage, 1] = at[0] * (28.0 - at[2]) - at[1]
            slope[stage, 2] = at[0] * at[1] - 8.0 / 3.0 * at[2]
        state += STEP / 6 * (slope[0] + 2 * slope[1] + 2 * slope[2] + slope[3])
        path[row] = state
    return path


def truth_of(file):
    return file.with_suffix(".truth.npy")


def make(file, n_rows, n_columns):
    """Write the series and its truth, piece by piece."""
    random = np.random.default_rng(0)
    state = np.array([0.0, 1.0, 25.0]) + random.uniform(-1, 1, size=3)
    lorenz(state, SETTLING)
    n_noise = n_columns - 3
    coefficients = random.uniform(0.0, 0.8, size=n_noise)
    memory = np.zeros(n_noise)
    mixing, _ = np.linalg.qr(random.standard_normal((n_columns, n_columns)))
    X = np.lib.format.open_memmap(file, mode="w+", dtype=float, shape=(n_rows, n_columns))
    hidden = np.lib.format.open_memmap(truth_of(file), mode="w+", dtype=float, shape=(n_rows, 3))
    for start in range(0, n_rows, AT_ONCE):
        n_here = min(AT_ONCE, n_rows - start)
        path = (lorenz(state, n_here) - [0.0, 0.0, 23.5]) / [7.9, 9.0, 8.6]
        shocks = random.standard_normal((n_here, n_noise))
        noise = np.empty_like(shocks)
        for i, a in enumerate(coefficients):
            noise[:, i], (memory[i],) = lfilter([1.0], [1.0, -a], shocks[:, i], zi=[memory[i]])
        noise *= 2.0 * np.sqrt(1 - coefficients**2)
        hidden[start : start + n_here] = path
        X[start : start + n_here] = np.hstack([path, noise]) @ mixing


def angle_to_truth(file, components):
    """Return the largest angle between the best linear map to the truth and the features."""
    X, hidden = np.load(file, mmap_mode="r"), np.load(truth_of(file), mmap_mode="r")
    n_columns = X.shape[1]
    total, scatter = np.zeros(n_columns + 3), np.zeros((n_columns + 3,) * 2)
    for start in range(0, len(X), AT_ONCE):
        both = np.hstack([X[start : start + AT_ONCE], hidden[start : start + AT_ONCE]])
        total += both.sum(axis=0)
        scatter += both.T @ both
    scatter -= np.outer(total, total / len(X))
    covariance, cross = scatter[:n_columns, :n_columns], scatter[:n_columns, n_columns:]
    root = np.linalg.cholesky(covariance).T
    wanted = np.linalg.qr(root @ np.linalg.solve(covariance, cross))[0]
    found = np.linalg.qr(root @ components.T)[0]
    return float(np.degrees(np.arcsin(np.linalg.norm(wanted - found @ (found.T @ wanted), 2))))


class PeakMemory:
    """The largest anonymous memory of this process, in bytes, while the block runs."""

    def __enter__(self):
        self.before = self.peak = self.now()
        self.done = Event()
        self.thread = Thread(target=self.watch, daemon=True)
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.done.set()
        self.thread.join()

    def watch(self):
        """Look now and then until the block has ended."""
        while not self.done.wait(0.02):
            self.peak = max(self.peak, self.now())

    @staticmethod
    def now():
        """Return the anonymous memory now."""
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("RssAnon:"):
                return int(line.split()[1]) * 1024
        return 0


def fit(file, arguments):
    model = GPFA(
        M, n_lags=P, n_neighbors=K, n_jobs=arguments.jobs, verbose=1, max_iter=arguments.max_iter
    )
    with ExitStack() as stack:
        client = None
        if arguments.workers:
            from distributed import Client, LocalCluster

            cluster = LocalCluster(
                n_workers=arguments.workers, threads_per_worker=1, dashboard_address=None
            )
            client = stack.enter_context(Client(stack.enter_context(cluster)))
        X = np.load(file) if arguments.array else open_rows(file, client=client)
        victims = list(client.run(os.getpid).values())[:1] if arguments.kill else []

        def kill(done, _):
            if victims and done > 1.5:
                os.kill(victims.pop(), signal.SIGKILL)

        stack.enter_context(following(kill))
        memory = stack.enter_context(PeakMemory())
        started, used = perf_counter(), process_time()
        model.fit(X)
        seconds, used = perf_counter() - started, process_time() - used
    each = model.history_["seconds"]
    print(f"rows {X.shape[0]}, columns {X.shape[1]}, workers {arguments.workers or 'none'}")
    print(f"seconds {seconds:.1f}, in {model.n_iter_} iterations: first {each[0]:.1f}, ", end="")
    print(f"then {np.mean(each[1:]) if len(each) > 1 else float('nan'):.2f} on average")
    print(f"processor seconds of this process {used:.1f}")
    print(f"memory: {memory.before / 1e6:.0f} MB before, {memory.peak / 1e6:.0f} MB at most")
    print(f"features {hashlib.sha256(model.components_.tobytes()).hexdigest()[:16]}")
    print(f"angle to the truth {angle_to_truth(file, model.components_):.2f} degrees")


def blocks(file):
    """Print what a task of each kind costs, and the bytes that it takes and returns."""
    from predfeat.features._in_blocks import _nearest as nearest
    from predfeat.features._in_blocks import _taken as take
    from predfeat.features._in_blocks import mapped, states_that_ask
    from predfeat.neighbors import count_centers, draw_positions

    series = check_blocks(open_rows(file))
    whitening = fit_whitening(series)
    n_states = series.count_states(P)
    n_centers = count_centers(n_states)
    times = series.state_times(draw_positions(n_states, n_centers), P)
    asked = states_that_ask(series, times, P, 0)
    along = whitening.directions[:, :M]
    moved = asked.moved(mapped(asked.states.series.rows, whitening.mean, along))
    options = {"n_neighbors": K, "engine": "auto", "n_jobs": 1}
    tasks = {
        "search": (
            nearest,
            {"asked": moved, "mean": whitening.mean, "directions": along, **options},
        ),
        "rows": (take, {"times": np.sort(times)}),
    }
    print(f"{-(-series.n_rows // series.block_rows)} blocks of {series.block_rows} rows")
    for name, (task, parameters) in tasks.items():
        found = series.map(task, back=P - 1, **parameters)
        next(found)  # compiled code is loaded
        started = process_time()
        result = next(found)
        seconds = process_time() - started
        taken, returned = (len(pickle.dumps(each)) for each in (parameters, result))
        bytes_moved = f"{taken / 1e6:.2f} MB in, {returned / 1e6:.2f} MB out"
        print(f"{name}: {seconds:.3f} processor s, {bytes_moved}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("what", choices=["make", "fit", "blocks"])
    parser.add_argument("file", type=Path)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--columns", type=int, default=50)
    parser.add_argument("--array", action="store_true", help="read the file into an array first")
    parser.add_argument("--workers", type=int, default=0, help="of a local cluster")
    parser.add_argument("--kill", action="store_true", help="kill a worker in the middle")
    parser.add_argument("--jobs", type=int, default=-1, help="threads, without a cluster")
    parser.add_argument("--max-iter", type=int, default=50)
    arguments = parser.parse_args()
    if arguments.what == "make":
        make(arguments.file, arguments.rows, arguments.columns)
    elif arguments.what == "fit":
        fit(arguments.file, arguments)
    else:
        blocks(arguments.file)


if __name__ == "__main__":
    main()
