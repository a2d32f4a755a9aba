"""Do nonlinear features find what linear ones cannot, and nothing where nothing is?

    python benchmarks/quality/nonlinear.py planted                 # docs/nonlinear.md, its table
    python benchmarks/quality/nonlinear.py noise --series 100      # of noise, how often is it real
    python benchmarks/quality/nonlinear.py large                   # time and memory of 1325 columns
    python benchmarks/quality/nonlinear.py recordings a.wav b.npy  # linear against quadratic

All shares are left open by the features of rows that no fit has seen, by eq. (2) with 10
neighbours, relative to the features' variance.
"""

import argparse
import resource
import warnings
from pathlib import Path
from time import perf_counter, process_time

import numpy as np
from scipy.stats import wilcoxon

from predfeat import GPFA, SFA, Expanded, significance
from predfeat.datasets import (
    hidden_amplitude,
    hidden_cascade,
    hidden_product,
    read,
)
from predfeat.exceptions import ManyColumnsWarning
from predfeat.measures import left_open

METHODS = {
    "GPFA": GPFA(1),
    "GPFA, quadratic": Expanded(GPFA(1)),
    "GPFA, 2 × quadratic": Expanded(GPFA(1), n_layers=2),
    "GPFA, kernel": Expanded(GPFA(1), "kernel"),
    "GPFA, fourier": Expanded(GPFA(1), "fourier"),
    "SFA, quadratic": Expanded(SFA(1)),
    "SFA, 2 × quadratic": Expanded(SFA(1), n_layers=2),
}
PLANTED = {"amplitude": hidden_amplitude, "product": hidden_product, "cascade": hidden_cascade}
# Rows to learn from, enough for the quartic to be estimated, and to test on.
N_TRAIN, N_TEST = 6000, 3000


def share(model, train, test):
    """Fit to one part and return what the features of the other leave open."""
    return left_open(model.fit(train).transform(test)).share()


def planted(n_seeds):
    """Print the share left open for every generator and method: median, and range of seeds."""
    for name, make in PLANTED.items():
        shares = {"truth": [], **{method: [] for method in METHODS}}
        for seed in range(n_seeds):
            X, hidden = make(N_TRAIN + N_TEST, random_state=seed)
            train, test = X[:N_TRAIN], X[N_TRAIN:]
            shares["truth"].append(left_open(hidden[N_TRAIN:, None]).share())
            for method, model in METHODS.items():
                shares[method].append(share(model, train, test))
        for method, found in shares.items():
            row = f"{np.median(found):.3f} | {min(found):.3f} to {max(found):.3f}"
            n_found = sum(one <= 0.1 for one in found)
            print(f"| {name} | {method} | {row} | {n_found}/{n_seeds} at most 0.1 |", flush=True)


def noise(n_series, n_rows, n_surrogates, first):
    """Print in how many series of noise a quadratic expansion to 230 columns finds something."""
    model = Expanded(GPFA(1, max_iter=3))
    n_found = 0
    for seed in range(first, first + n_series):
        X = np.random.default_rng(seed).normal(size=(n_rows, 20))
        found = significance(model, X, n_surrogates=n_surrogates, random_state=seed)
        n_found += found.n_significant > 0
        print(f"{n_found} of {seed - first + 1} series of {n_rows} × 20", end="\r", flush=True)
    print()


def large():
    """Print time and memory of GPFA with M = 5 on 50 columns, expanded to 1325."""
    X, _ = hidden_amplitude(10_000, 48, random_state=0)
    GPFA().fit(X[:500])  # compiles
    wall, cpu = perf_counter(), process_time()
    model = Expanded(GPFA(5)).fit(X)
    wall, cpu = perf_counter() - wall, process_time() - cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    n_iter = model.estimator_.n_iter_
    print(f"{wall:.0f} s, {cpu:.0f} s of processors, {peak:.2f} GB, {n_iter} iterations")


def windows_of(file, n_windows, n_columns, reading):
    """Yield training and test parts of a recording, of its first principal components."""
    values = np.asarray(read(file, **reading).values, dtype=float)
    size = min(len(values) // n_windows, 6000)
    starts = np.linspace(0, len(values) - size, n_windows).astype(int)
    for start in starts:
        part = values[start : start + size]
        cut = 2 * size // 3
        yield part[:cut], part[cut:], min(n_columns, values.shape[1])


def recordings(files, n_windows, n_columns, reading):
    """Print the shares of linear and quadratic GPFA in windows of recordings, and a test."""
    for file in files:
        pairs = []
        for train, test, kept in windows_of(file, n_windows, n_columns, reading):
            linear = GPFA(2, pca_components=kept)
            pairs.append([share(linear, train, test), share(Expanded(linear), train, test)])
        linear, quadratic = np.array(pairs).T
        test = wilcoxon(linear, quadratic).pvalue if len(pairs) > 5 else np.nan
        better = int((quadratic < linear).sum())
        print(
            f"| {Path(file).name} | {len(train)} × {kept} | {linear.mean():.3f} | "
            f"{quadratic.mean():.3f} | {better} of {len(pairs)} | {test:.2g} |",
            flush=True,
        )


def main():
    """Parse and run."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("what", choices=["planted", "noise", "large", "recordings"])
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--series", type=int, default=100)
    parser.add_argument("--first", type=int, default=0, help="Seed of the first series of noise.")
    parser.add_argument("--rows", type=int, default=400)
    parser.add_argument("--surrogates", type=int, default=19)
    parser.add_argument("--windows", type=int, default=10)
    parser.add_argument("--columns", type=int, default=12)
    parser.add_argument("--spectrum", help="As predfeat.datasets.read takes it.")
    given = parser.parse_args()
    warnings.simplefilter("ignore", ManyColumnsWarning)
    if given.what == "planted":
        planted(given.seeds)
    elif given.what == "noise":
        noise(given.series, given.rows, given.surrogates, given.first)
    elif given.what == "large":
        large()
    else:
        reading = {} if given.spectrum is None else {"spectrum": given.spectrum}
        recordings(given.files, given.windows, given.columns, reading)


if __name__ == "__main__":
    main()
