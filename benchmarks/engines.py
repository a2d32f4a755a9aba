"""All engines over a grid of sizes: `python benchmarks/engines.py`.

Prints the best of three times in milliseconds and what `method="auto"` takes, on one thread. The
constants of `predfeat.neighbors.choose_method` were read off this grid.
"""

import time

import numpy as np
from scipy.signal import lfilter

from predfeat import nearest_neighbors
from predfeat.neighbors import choose_method
from predfeat.series import check_sequences, find_states

SIZES = (1000, 3000, 10_000)
SHAPES = ((2, 1), (4, 1), (2, 3), (4, 2), (2, 5), (5, 5), (20, 5), (100, 1))
K, TREE_AT_MOST = 10, 30  # beyond that dimension the tree takes minutes


def best_of_three(X, p, method):
    seconds = []
    for _ in range(3):
        started = time.perf_counter()
        nearest_neighbors(X, n_neighbors=K, n_lags=p, method=method)
        seconds.append(time.perf_counter() - started)
    return min(seconds)


def main():
    rng = np.random.default_rng(0)
    nearest_neighbors(rng.normal(size=(500, 3)), n_neighbors=3, n_lags=9, method="tiles")
    for S in SIZES:
        for N, p in SHAPES:
            noise = rng.normal(size=(S, N))
            for kind, X in (("AR", lfilter([1.0], [1.0, -0.9], noise, axis=0)), ("white", noise)):
                engines = ["tiles", "blockwise"] + ["tree"] * (N * p <= TREE_AT_MOST)
                times = {engine: best_of_three(X, p, engine) for engine in engines}
                chosen = choose_method(find_states(check_sequences(X), p, n_neighbors=K))
                ratio = times[chosen] / min(times.values())
                listed = "  ".join(f"{name} {s * 1000:.0f}" for name, s in times.items())
                print(f"{kind:<5} S={S:<6} N={N:<3} p={p}: {listed}  auto: {chosen} {ratio:.1f}×")


if __name__ == "__main__":
    main()
