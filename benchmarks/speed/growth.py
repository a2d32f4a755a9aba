"""How cost grows with the size of the problem: `python benchmarks/speed/growth.py [--json FILE]`.

The exponent is the slope in log-log scale over all sizes, each the best of alternating rounds: 2
means that doubling costs four times as much. All on one thread and in processor time, so that
other programs do not count. First the neighbour search alone, then a GPFA fit of one iteration
(which searches in all N input dimensions) and each further iteration (which searches in the M
features), on AR(0.9) data. Then one large search with its peak memory, on white noise, in a
process of its own; and ForeCA.
"""

import multiprocessing
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits
from timing import (
    alternate,
    argument_parser,
    autoregression,
    growth_exponent,
    processor_seconds_of,
    write,
)

from predfeat import GPFA, ForeCA, nearest_neighbors

ROUNDS, FURTHER_ITERATIONS = 3, 4
BASE = {"S": 10_000, "N": 20, "p": 5, "k": 10, "M": 5}
GROWING = {
    "S": (5000, 10_000, 20_000, 40_000),
    "N": (20, 50, 100, 200),
    "p": (5, 20, 60, 200),
    "k": (5, 10, 20, 40),
    "M": (2, 5, 10, 20),
}
LARGE, LARGE_N, LARGE_ROUNDS = (20_000, 45_000, 100_000), 60, 2
FORECA = ((700, 30, 2), (2000, 30, 5), (2000, 100, 5), (2000, 200, 5))  # S, N, M


def search_seconds(size):
    X = autoregression(size["S"], size["N"])
    options = {"n_neighbors": size["k"], "n_lags": size["p"], "method": "tiles"}
    return (processor_seconds_of(lambda: nearest_neighbors(X, **options)),)


def iteration_seconds(size):
    """Return the time of a fit of one iteration, and of each further iteration."""
    X = autoregression(size["S"], size["N"])
    model = GPFA(size["M"], n_lags=size["p"], n_neighbors=size["k"], tol=0)
    first, all_of_them = (
        processor_seconds_of(lambda n=n: model.set_params(max_iter=n).fit(X))
        for n in (1, 1 + FURTHER_ITERATIONS)
    )
    return first, max(all_of_them - first, 1e-6) / FURTHER_ITERATIONS


def grow(measure, variables, kinds):
    """Return one line per variable and kind of time: sizes, best seconds, exponent."""
    lines = []
    for variable in variables:
        sizes = GROWING[variable]
        found = alternate({n: {**BASE, variable: n} for n in sizes}, ROUNDS, measure)
        for index, kind in enumerate(kinds):
            best = [float(min(seconds[index] for seconds in found[n])) for n in sizes]
            exponent = growth_exponent(sizes, best)
            fixed = {name: value for name, value in BASE.items() if name != variable}
            lines.append(
                {
                    "kind": kind,
                    "variable": variable,
                    "fixed": fixed,
                    "sizes": sizes,
                    "seconds": best,
                    "exponent": exponent,
                }
            )
            listed = ", ".join(f"{n}: {s * 1000:.0f}" for n, s in zip(sizes, best, strict=True))
            print(f"| {kind} | {variable} | {listed} | {exponent:.2f} |", flush=True)
    return lines


def resident(field):
    """Return the process's present (VmRSS) or largest (VmHWM) memory in MB, or None."""
    status = Path("/proc/self/status")
    if not status.exists():
        return None
    line = next(line for line in status.read_text().splitlines() if line.startswith(field))
    return int(line.split()[1]) / 1024


def large_search(S):
    """Return the seconds of the search, and its peak memory above the data in MB."""
    X = np.random.default_rng(0).normal(size=(S, LARGE_N))
    nearest_neighbors(X[:3000], n_neighbors=10, n_lags=5, engine="tiles")  # loads the compiled code
    before = resident("VmRSS")
    with threadpool_limits(limits=1):
        seconds = processor_seconds_of(lambda: nearest_neighbors(X, n_neighbors=10, n_lags=5))
    return seconds, None if before is None else resident("VmHWM") - before


def in_new_process(S):
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(large_search, (S,))


def grow_large():
    print(f"\nN={LARGE_N} white noise, p=5, k=10, one thread, best of {LARGE_ROUNDS} rounds\n")
    print("| S | seconds | peak memory above the data |")
    print("|---|---|---|")
    found = alternate({S: S for S in LARGE}, LARGE_ROUNDS, in_new_process)
    best = [min(seconds for seconds, _ in found[S]) for S in LARGE]
    memory = [found[S][-1][1] for S in LARGE]
    for S, seconds, megabytes in zip(LARGE, best, memory, strict=True):
        shown = "not measured" if megabytes is None else f"{megabytes:.0f} MB"
        print(f"| {S} | {seconds:.1f} | {shown} |")
    exponent = growth_exponent(LARGE, best)
    print(f"\nexponent {exponent:.2f}", flush=True)
    return {"sizes": LARGE, "seconds": best, "megabytes": memory, "exponent": exponent}


def time_foreca():
    print("\n| ForeCA: S | N | M | seconds | EM steps |\n|---|---|---|---|---|")
    results = []
    for S, N, M in FORECA:
        X = autoregression(S, N)
        model = ForeCA(M)
        with threadpool_limits(limits=1):
            fits = alternate({"ForeCA": lambda m=model, X=X: m.fit(X)}, 2, processor_seconds_of)
        seconds = fits["ForeCA"]
        print(f"| {S} | {N} | {M} | {min(seconds):.2f} | {model.n_iter_} |", flush=True)
        results.append({"S": S, "N": N, "M": M, "seconds": min(seconds)})
    return results


def main():
    arguments = argument_parser(__doc__).parse_args()
    nearest_neighbors(np.eye(50), n_neighbors=2, engine="tiles")  # loads the compiled code
    fixed = ", ".join(f"{name}={value}" for name, value in BASE.items())
    print(f"{fixed} where they do not grow; one thread, best of {ROUNDS} rounds\n")
    print("| | growing | milliseconds | exponent |\n|---|---|---|---|")
    with threadpool_limits(limits=1):
        search = grow(search_seconds, "SNpk", ["search"])
        fit = grow(iteration_seconds, "SNpkM", ["one iteration", "further iteration"])
    results = {"growth": search + fit, "large": grow_large(), "foreca": time_foreca()}
    write(arguments.json, "growth", results)


if __name__ == "__main__":
    main()
