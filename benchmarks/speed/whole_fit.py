"""Whole GPFA fits against a composition: `python benchmarks/speed/whole_fit.py [--json FILE]`.

The composition does what a careful user would build today: LAPACK whitening, faiss-cpu's flat
index for the neighbours (embedded states, float32), scipy.sparse for the graph, whose weights are
never multiplied out (a neighbourhood's edges follow from its sum), LAPACK for the eigenproblem.
Both do exactly the same number of iterations from the same start, in alternating order; on one
thread it is processor time, so that other programs do not count. Their objectives after the first
iteration are printed, to show that they compute the same (the composition drops a
neighbourhood at the ends of the series, where ours drops one member). Needs
`pip install "predfeat[bench]"`.
"""

import numpy as np
from scipy import linalg, sparse
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

from predfeat import GPFA

P, K, M, ITERATIONS, ROUNDS = 5, 10, 5, 20, 5


def whiten(X):
    centred = X - X.mean(axis=0)
    values, vectors = np.linalg.eigh(centred.T @ centred / len(X))
    return centred @ (vectors / np.sqrt(values))


def neighbours(space):
    states = np.hstack([space[P - 1 - lag : len(space) - lag] for lag in range(P)])
    states = np.ascontiguousarray(states, dtype=np.float32)
    index = load_faiss().IndexFlatL2(states.shape[1])
    index.add(states)
    found = index.search(states, K + 1)[1]
    # A state's own place is usually the first, but among duplicates it may be anywhere.
    own = np.arange(len(states))[:, None]
    others = found[np.arange(len(found)), np.argsort(found == own, axis=1, kind="stable").T].T
    return others[:, :K] + P - 1


def projected_edges(members, white, graph):
    """Return Zᵀ W Z of one kind of edges, and the degrees; members: a sample and its relatives."""
    n, size = members.shape
    n_rows = len(white)
    shape = (n, n_rows)
    others = members[:, 1:] if graph == "star" else members
    width = others.shape[1]
    belongs = sparse.csr_array(
        (np.ones(others.size), others.ravel(), np.arange(0, others.size + 1, width)), shape
    )
    sums = belongs @ white
    count = np.bincount(others.ravel(), minlength=n_rows)
    if graph == "full":
        return sums.T @ sums, float(size) * count
    product = white[members[:, 0]].T @ sums
    return product + product.T, count + (size - 1.0) * np.bincount(members[:, 0], minlength=n_rows)


def composition(X, graph, n_iterations=ITERATIONS):
    white = whiten(X)
    space = white
    for _ in range(n_iterations):
        near = neighbours(space)
        members = np.column_stack([np.arange(P - 1, len(X)), near])
        future = members[np.all(members + 1 < len(X), axis=1)] + 1
        past = members[np.all(members - P >= 0, axis=1)] - P
        after, after_degree = projected_edges(future, white, graph)
        before, before_degree = projected_edges(past, white, graph)
        weighted = white.T @ (white * (after_degree + before_degree)[:, None])
        values, vectors = linalg.eigh(
            weighted - after - before, weighted, subset_by_index=(0, M - 1), driver="gvx"
        )
        space = white @ vectors
    return values.sum()


def ours(X, graph, threads, n_iterations=ITERATIONS):
    model = GPFA(M, n_lags=P, n_neighbors=K, graph=graph, max_iter=n_iterations, tol=0)
    return model.set_params(n_jobs=threads).fit(X).eigenvalues_.sum()


def main():
    parser = argument_parser(__doc__)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--columns", type=int, default=100)
    arguments = parser.parse_args()
    faiss = load_faiss()
    X = autoregression(arguments.rows, arguments.columns)
    print(f"S={len(X)}, N={X.shape[1]}, p={P}, k={K}, M={M}, {ITERATIONS} iterations\n")
    print("| graph | threads | predfeat | composition | ratio | first objectives |")
    print("|---|---|---|---|---|---|")
    results = []
    for threads in arguments.threads:
        faiss.omp_set_num_threads(threads)
        for graph in ("full", "star"):
            runs = {
                "predfeat": lambda g=graph, t=threads: ours(X, g, t),
                "composition": lambda g=graph: composition(X, g),
            }
            found = (ours(X, graph, threads, 1), composition(X, graph, 1))
            with threadpool_limits(limits=threads):
                ours(X[:3000], graph, threads)  # compiled code is loaded once per process
                seconds = alternate(runs, arguments.rounds, timer(threads))
            middle = medians(seconds)
            results.append(
                {
                    "S": len(X),
                    "N": X.shape[1],
                    "graph": graph,
                    "threads": threads,
                    "seconds": seconds,
                }
            )
            print(
                f"| {graph} | {threads} | {middle['predfeat']:.2f} s | "
                f"{middle['composition']:.2f} s | "
                f"{middle['composition'] / middle['predfeat']:.1f}× | "
                f"{found[0]:.4f}, {found[1]:.4f} |",
                flush=True,
            )
    write(arguments.json, "whole_fit", results)


if __name__ == "__main__":
    main()
