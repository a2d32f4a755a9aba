"""Exact neighbour search side by side: `python benchmarks/speed/search.py [--json FILE]`.

Ours against faiss-cpu's flat index, scikit-learn's brute force and SciPy's KD-tree, on AR(0.9)
data with S=10000 and k=10: alternating order, medians of several rounds, the same number of
threads for all; on one thread it is processor time, so that other programs do not count. The
peers get the embedded states in float32 (faiss's only type) or float64, ready made; ours makes
its own from the rows. Needs `pip install "predfeat[bench]"`.
"""

import numpy as np
from scipy.spatial import KDTree
from sklearn.neighbors import NearestNeighbors
from threadpoolctl import threadpool_limits
from timing import (
    alternate,
    argument_parser,
    autoregression,
    load_faiss,
    medians,
    timer,
    write,
)

from predfeat import nearest_neighbors

S, K, ROUNDS = 10_000, 10, 5
SHAPES = [(100, 5), (5, 5), (2, 50), (3, 20), (3, 200), (2, 1)]


def contestants(X, p, threads, faiss):
    states = np.hstack([X[p - 1 - lag : len(X) - lag] for lag in range(p)])
    narrow = np.ascontiguousarray(states, dtype=np.float32)

    def with_faiss():
        index = faiss.IndexFlatL2(narrow.shape[1])
        index.add(narrow)
        index.search(narrow, K + 1)

    def with_sklearn():
        search = NearestNeighbors(n_neighbors=K, algorithm="brute").fit(states)
        search.kneighbors()

    def with_kdtree():
        KDTree(states).query(states, K + 1, workers=threads)

    found = {
        "predfeat": lambda: nearest_neighbors(X, n_neighbors=K, n_lags=p, n_jobs=threads),
        "faiss": with_faiss,
        "sklearn": with_sklearn,
    }
    if states.shape[1] <= 10:  # beyond, the tree takes minutes
        found["kdtree"] = with_kdtree
    return found


def measure(N, p, threads):
    faiss = load_faiss()
    runs = contestants(autoregression(S, N), p, threads, faiss)
    faiss.omp_set_num_threads(threads)
    with threadpool_limits(limits=threads):
        runs["predfeat"]()  # compiled code is loaded once per process
        return alternate(runs, ROUNDS, timer(threads))


def main():
    parser = argument_parser(__doc__)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    arguments = parser.parse_args()
    results = []
    print(f"S={S}, k={K}, AR(0.9), medians of {ROUNDS} alternating rounds\n")
    print("| N | p | threads | predfeat | faiss flat | scikit-learn brute | KD-tree |")
    print("|---|---|---|---|---|---|---|")
    for N, p in SHAPES:
        for threads in arguments.threads:
            seconds = measure(N, p, threads)
            results.append({"N": N, "p": p, "threads": threads, "seconds": seconds})
            middle = medians(seconds)
            ours = middle["predfeat"]
            peers = [
                f"{middle[name]:.3f} s ({middle[name] / ours:.1f}×)" if name in middle else "–"
                for name in ("faiss", "sklearn", "kdtree")
            ]
            print(
                f"| {N} | {p} | {threads} | {ours:.3f} s | " + " | ".join(peers) + " |", flush=True
            )
    write(arguments.json, "search", results)


if __name__ == "__main__":
    main()
