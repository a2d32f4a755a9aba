"""Planted systems: what every method leaves open on new data, beside what the truth itself does.

    python benchmarks/quality/planted.py --out planted.jsonl maps lorenz toy logistic tent half
    python benchmarks/quality/planted.py --out planted.jsonl --table

Every system hides a few dimensions that follow a law among autoregressions or noise, mixed by a
random rotation: 5000 rows to learn from, 2500 to test. The truth is the best set of M hidden
dimensions on the training data; a method has found it if its features leave at most 1.1 times as
much of their own variance open on the test data (eq. (2) with 10 neighbours, as a share). The map
that is precise half of the time is measured by information instead: at least the truth's,
divided by 1.1. The command goes on where it stopped.
"""

import argparse
import json
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from time import perf_counter

import numpy as np
from scipy.signal import lfilter
from threadpoolctl import threadpool_limits

import predfeat
from predfeat.datasets import hidden_lorenz
from predfeat.measures import left_open, predictive_information
from predfeat.series import check_sequences
from predfeat.whitening import fit_whitening

N_TRAIN, N_TEST = 5000, 2500
AS_GOOD = 1.1


def coupled_maps(n_rows, n_maps, random, coupling=0.1):
    """A ring of coupled logistic maps: chaotic, and not linear at all."""
    state, values = random.uniform(0.2, 0.8, size=n_maps), []
    for _ in range(n_rows + 200):
        own = 3.9 * state * (1 - state)
        state = (1 - coupling) * own + coupling * np.roll(own, 1)
        values.append(state)
    return np.array(values[200:])


def tent_map(n_rows, random):
    x, values = random.uniform(0.2, 0.8), []
    for _ in range(n_rows + 200):
        x = 1.999 * min(x, 1 - x)
        values.append([x])
    return np.array(values[200:])


def half_precise_map(n_rows, random):
    """A logistic map that is nearly exact below one half, and forgets everything above."""
    x, values = 0.3, []
    for _ in range(n_rows + 200):
        exact = 3.9 * x * (1 - x) + 1e-3 * random.normal()
        x = float(np.clip(exact, 1e-3, 1 - 1e-3)) if x < 0.5 else random.uniform()
        values.append([x])
    return np.array(values[200:])


def two_lorenz_systems(n_rows, random):
    seeds = random.integers(2**31, size=2)
    return np.hstack([hidden_lorenz(n_rows, 0, random_state=int(s))[1] for s in seeds])


def half_predictable(n_rows, random):
    shocks = random.normal(size=n_rows + 1)
    return np.column_stack([shocks[1:], shocks[:-1]])


def hidden_in_noise(hidden, coefficients, random):
    """Mix hidden dimensions with autoregressions; return the mixture, and them standardised."""
    shocks = random.normal(size=(len(coefficients), len(hidden) + 500))
    noise = [lfilter([1], [1, -a], s)[500:] for a, s in zip(coefficients, shocks, strict=True)]
    sources = np.column_stack([hidden, *noise])
    sources = (sources - sources.mean(axis=0)) / sources.std(axis=0)
    n_columns = sources.shape[1]
    mixing = np.linalg.qr(random.normal(size=(n_columns, n_columns)))[0]
    return sources @ mixing, sources[:, : hidden.shape[1]]


@dataclass(frozen=True)
class System:
    """What is hidden, the coefficients of the autoregressions that hide it, p, and each M."""

    hidden: Callable
    noise: np.ndarray
    p: int
    numbers: tuple
    by_information: bool = False


SYSTEMS = {
    "maps": System(
        lambda n, r: coupled_maps(n, 8, r), np.linspace(0, 0.95, 15), 1, (1, 2, 5)
    ),
    "logistic": System(lambda n, r: coupled_maps(n, 1, r, 0.0), np.full(20, 0.9), 1, (1,)),
    "tent": System(tent_map, np.full(20, 0.9), 1, (1,)),
    "lorenz": System(two_lorenz_systems, np.linspace(0, 0.95, 15), 2, (2, 3, 5)),
    "toy": System(half_predictable, np.zeros(18), 1, (2,)),
    "half": System(half_precise_map, np.linspace(0, 0.95, 19), 1, (1,), by_information=True),
}  # fmt: skip


def draw(name, seed):
    """Return the training and test part in white space, and the directions of the truth in it."""
    system = SYSTEMS[name]
    random = np.random.default_rng([list(SYSTEMS).index(name), seed])
    hidden = system.hidden(N_TRAIN + N_TEST, random)
    X, hidden = hidden_in_noise(hidden, system.noise, random)
    train, test = (check_sequences(part) for part in (X[:N_TRAIN], X[N_TRAIN:]))
    whitening = fit_whitening(train)
    train, test = whitening.apply(train), whitening.apply(test)
    seen = hidden[:N_TRAIN] - hidden[:N_TRAIN].mean(axis=0)
    truth = np.linalg.lstsq(train.rows, seen, rcond=None)[0]
    return train, test, truth, whitening


def measured(part, directions, system):
    """Return the share left open, or minus the information: lower is better."""
    features = part.with_rows(part.rows @ np.linalg.qr(directions)[0])
    if system.by_information:
        return -predictive_information(features, system.p, estimate="local")
    return left_open(features, system.p).share(ddof=0)


def of_truth(train, test, truth, M, system):
    sets = [truth[:, list(chosen)] for chosen in combinations(range(truth.shape[1]), M)]
    return measured(test, min(sets, key=lambda each: measured(train, each, system)), system)


def contestants(M, system):
    options = {"n_lags": system.p}
    found = {
        "GPFA (1)": predfeat.GPFA(M, graph="full", **options),
        "AutoFeatures": predfeat.AutoFeatures(M, **options),
    }
    if hasattr(predfeat, "DescentFeatures"):
        power = 0 if system.by_information else 2
        found["Descent"] = predfeat.DescentFeatures(M, power=power, **options)
    return found


def is_found(row):
    if row["truth"] < 0:
        return row["test"] <= row["truth"] / AS_GOOD
    return row["test"] <= AS_GOOD * row["truth"]


def print_table(rows):
    methods = list(dict.fromkeys(row["method"] for row in rows))
    head = ["system", "M", "truth", *(f"{m}: mean, found" for m in methods)]
    print("| " + " | ".join(head) + " |\n" + "|---" * len(head) + "|")
    for system, M in dict.fromkeys((row["system"], row["M"]) for row in rows):
        case = [row for row in rows if (row["system"], row["M"]) == (system, M)]
        truth = np.mean([row["truth"] for row in case])
        cells = [system, str(M), f"{abs(truth):.3g}"]
        for method in methods:
            own = [row for row in case if row["method"] == method]
            if not own:
                cells.append("–")
                continue
            mean, n = abs(np.mean([row["test"] for row in own])), sum(map(is_found, own))
            seconds = np.median([row["seconds"] for row in own])
            cells.append(f"{mean:.3g}, {n} of {len(own)} ({seconds:.1f} s)")
        print("| " + " | ".join(cells) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("systems", nargs="*", choices=[*SYSTEMS, []], help="which systems to draw")
    parser.add_argument("--out", type=Path, required=True, help="a line for every fit")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--methods", help="only these, separated by commas")
    parser.add_argument("--suffix", default="", help="added to the names of the methods")
    parser.add_argument("--table", action="store_true", help="print the table only")
    arguments = parser.parse_args()
    lines = arguments.out.read_text().splitlines() if arguments.out.exists() else []
    rows = [json.loads(line) for line in lines]
    done = {(row["system"], row["seed"], row["M"], row["method"]) for row in rows}
    wanted = arguments.methods.split(",") if arguments.methods else None
    for seed in range(0 if arguments.table else arguments.seeds):
        for name in arguments.systems:
            system = SYSTEMS[name]
            with threadpool_limits(1):
                parts = draw(name, seed)
                for M in system.numbers:
                    for row in run(name, seed, M, *parts, wanted, arguments.suffix, done):
                        rows.append(row)
                        with arguments.out.open("a") as file:
                            file.write(json.dumps(row) + "\n")
    print_table(rows)


def run(name, seed, M, train, test, truth, whitening, wanted, suffix, done):
    """Yield a row for each method."""
    system = SYSTEMS[name]
    for method, estimator in contestants(M, system).items():
        if (wanted and method not in wanted) or (name, seed, M, method + suffix) in done:
            continue
        started = perf_counter()
        directions = estimator.find_directions(train, whitening)
        seconds = perf_counter() - started
        yield {
            "system": name, "seed": seed, "M": M, "method": method + suffix,
            "test": measured(test, directions, system),
            "truth": of_truth(train, test, truth, M, system), "seconds": seconds,
        }  # fmt: skip


if __name__ == "__main__":
    main()
