"""Does the default stop in time? `… quality/early_stop.py [--windows 4] [FILE:p:k ...]`.

Fits GPFA on the paper's toy data and on windows of recordings (a file with the number of lags and
of neighbours, such as piano.flac:5:10), once with the default `tol` and once with exactly 50
iterations, and compares the predictability of the test data. One window's ratio is noisy: the
spaces of successive iterations differ by about a percent, and some alternate between two.
"""

import argparse

import numpy as np

from predfeat import GPFA
from predfeat.datasets import predictable_noise, read
from predfeat.measures import predictability

S_TRAIN, S_TEST = 5000, 2500


def compare(name, pairs, M, p, k, **options):
    for graph in ("full", "star"):
        scores, n_iter = [], []
        for train, test in pairs:
            both = [
                GPFA(M, n_lags=p, n_neighbors=k, graph=graph, tol=tol, n_jobs=-1, **options)
                for tol in (1e-3, 0)
            ]
            scores.append([predictability(m.fit(train).transform(test), n_lags=p) for m in both])
            n_iter.append(both[0].n_iter_)
        early, late = np.mean(scores, axis=0)
        ratios = np.divide(*np.transpose(scores)) - 1
        print(
            f"{name:<12} {graph:<5} stops after {np.mean(n_iter):4.1f} (of 50): "
            f"{early:.3f} instead of {late:.3f}, {early / late - 1:+.1%} "
            f"(single runs {ratios.min():+.1%} … {ratios.max():+.1%}, n={len(pairs)})",
            flush=True,
        )


def toy(N, n_pairs):
    for seed in range(n_pairs):
        random = np.random.RandomState(seed)
        yield (
            predictable_noise(700, N, random_state=random),
            predictable_noise(1000, N, random_state=random),
        )


def windows(recording, n_windows):
    values = recording.values
    starts = np.linspace(0, len(values) - S_TRAIN - S_TEST, n_windows).astype(int)
    for start in starts:
        yield values[start : start + S_TRAIN], values[start + S_TRAIN :][:S_TEST]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("recordings", nargs="*", metavar="FILE:p:k")
    parser.add_argument("--windows", type=int, default=4)
    arguments = parser.parse_args()
    for N in (10, 100):
        compare(f"toy, N={N}", list(toy(N, 5 * arguments.windows)), 2, 1, 10)
    for given in arguments.recordings:
        path, p, k = given.rsplit(":", 2)
        recording = read(path)
        pairs = list(windows(recording, arguments.windows))
        compare(recording.source, pairs, 5, int(p), int(k), pca_components=0.99)


if __name__ == "__main__":
    main()
