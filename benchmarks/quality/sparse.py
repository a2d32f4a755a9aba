"""Are the planted channels found? Five of forty carry a predictable signal, the others noise.

    python benchmarks/quality/sparse.py

The signal is a slow autoregression or a chaotic (logistic) map. With four dimensions of white noise
it is turned into five channels, each of which carries a fifth of it, so that every one is needed;
35 channels of white noise are added, and all are scaled and shuffled. Each line tells in how many
seeds exactly the five were chosen: by `SpectralRegression(regressor=FewChannels(5))`, and by
`sparsify` of a fitted GPFA, by the lasso and by matching pursuit.
"""

import argparse
from time import process_time

import numpy as np

from predfeat import GPFA
from predfeat.features import FewChannels, SpectralRegression, sparsify

N_ROWS, N_CHANNELS, N_PLANTED = 2000, 40, 5


def slow(n_rows, random):
    values = np.zeros(n_rows)
    for t in range(1, n_rows):
        values[t] = 0.95 * values[t - 1] + random.normal()
    return values


def chaotic(n_rows, random):
    values = np.full(n_rows, random.uniform(0.2, 0.8))
    for t in range(1, n_rows):
        values[t] = 3.9 * values[t - 1] * (1 - values[t - 1])
    return values


def planted(signal, seed):
    """Return the channels, and which of them carry the signal."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(N_ROWS, N_CHANNELS))
    hidden = signal(N_ROWS, random)
    X[:, 0] = (hidden - hidden.mean()) / hidden.std()
    # A reflection that takes the signal to equal parts of the channels, with random signs.
    target = random.choice([-1.0, 1.0], N_PLANTED) / np.sqrt(N_PLANTED)
    across = np.eye(N_PLANTED)[0] - target
    turn = np.eye(N_PLANTED) - 2 * np.outer(across, across) / (across @ across)
    X[:, :N_PLANTED] = X[:, :N_PLANTED] @ turn
    order = random.permutation(N_CHANNELS)
    return (X * random.lognormal(size=N_CHANNELS))[:, order], np.flatnonzero(order < N_PLANTED)


def spectral(X):
    model = SpectralRegression(1, regressor=FewChannels(N_PLANTED)).fit(X)
    return np.flatnonzero(model.components_[0])


def of_gpfa(method):
    def found(X):
        model = GPFA(1).fit(X)
        few = sparsify(model, X, N_PLANTED, method=method, n_folds=None)
        return np.flatnonzero(few.components[0])

    return found


CONTESTANTS = {
    "spectral regression, lasso": spectral,
    "sparsify(GPFA), lasso": of_gpfa("lasso"),
    "sparsify(GPFA), pursuit": of_gpfa("pursuit"),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=20)
    arguments = parser.parse_args()
    print("| signal | " + " | ".join(CONTESTANTS) + " |\n" + "|---" * (len(CONTESTANTS) + 1) + "|")
    for signal in (slow, chaotic):
        cells = []
        for contestant in CONTESTANTS.values():
            found, started = 0, process_time()
            for seed in range(arguments.seeds):
                X, truth = planted(signal, seed)
                found += np.array_equal(contestant(X), truth)
            seconds = (process_time() - started) / arguments.seeds
            cells.append(f"{found} of {arguments.seeds} ({seconds:.2g} s)")
        print(f"| {signal.__name__} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
