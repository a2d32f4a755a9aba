"""Approximate search against exact: `python benchmarks/speed/approximate.py [--json FILE]`.

Processor time of one thread for k=10 neighbours of all S states, assembled from rows, and the share
of the true neighbours found (`predfeat.neighbors.recall`, 300 states): predfeat's exact search, its
inverted lists at several shares of visited cells, faiss's HNSW graph and pynndescent. The last two
get the embedded states in float32, ready made. Data: AR(0.9) in N channels, which fills all N·p
dimensions of a state, and the white space of a hidden Lorenz system. Needs
`pip install "predfeat[approximate,bench]"`.
"""

import numpy as np
from threadpoolctl import threadpool_limits
from timing import argument_parser, autoregression, load_faiss, processor_seconds_of, write

from predfeat.datasets import hidden_lorenz
from predfeat.neighbors import InvertedLists, NeighborTable, recall, register_engine, search
from predfeat.series import check_sequences, find_states
from predfeat.whitening import fit_whitening

K, P = 10, 5
SHARES = (1 / 256, 1 / 64, 1 / 16)


def series_of(kind, S, N):
    if kind == "AR(0.9)":
        return check_sequences(autoregression(S, N))
    series = check_sequences(hidden_lorenz(S, n_noise=N - 3, random_state=0)[0])
    return fit_whitening(series).apply(series)


def with_hnsw(states, faiss):
    index = faiss.IndexHNSWFlat(states.dimension, 16)
    index.hnsw.efSearch = 64
    embedded = states.embed().astype(np.float32)
    index.add(embedded)
    return table_of(states, index.search(embedded, K + 1)[1])


def with_pynndescent(states):
    from pynndescent import NNDescent

    embedded = states.embed().astype(np.float32)
    index = NNDescent(embedded, n_neighbors=K + 1, random_state=0, n_jobs=1)
    return table_of(states, index.neighbor_graph[0])


def table_of(states, found):
    """Return a table of what was found, with true distances; the states themselves left out."""
    embedded = states.embed()
    own = np.arange(len(found))[:, None]
    distances = np.empty(found.shape)
    for start in range(0, len(found), 1000):
        part = slice(start, start + 1000)
        apart = embedded[found[part]] - embedded[part, None]
        distances[part] = np.sqrt(np.square(apart).sum(axis=2))
    distances[(found == own) | (found < 0)] = np.inf
    order = np.argsort(distances, axis=1)[:, :K]
    return NeighborTable(
        states.times,
        states.times[np.take_along_axis(found, order, axis=1)],
        np.take_along_axis(distances, order, axis=1),
    )


def contestants(states, with_graphs, faiss):
    found = {"exact": lambda: search(states, K)}
    for share in SHARES:
        name = f"ivf {share:.3g}"
        found[name] = lambda name=name: search(states, K, engine=name)
    if with_graphs:
        found["hnsw"] = lambda: with_hnsw(states, faiss)
        found["pynndescent"] = lambda: with_pynndescent(states)
    return found


def main():
    parser = argument_parser(__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[10_000, 30_000, 100_000])
    parser.add_argument("--columns", type=int, nargs="+", default=[10, 50])
    parser.add_argument("--data", nargs="+", default=["AR(0.9)", "Lorenz"])
    parser.add_argument("--no-graphs", action="store_true", help="leave HNSW and pynndescent out")
    arguments = parser.parse_args()
    faiss = load_faiss()
    for share in SHARES:
        register_engine(InvertedLists(f"ivf {share:.3g}", share=share))
    results = []
    print("| data | S | N·p | search | seconds | recall |\n|---|---|---|---|---|---|")
    for kind in arguments.data:
        for S in arguments.rows:
            for N in arguments.columns:
                states = find_states(series_of(kind, S, N), P, n_neighbors=K)
                results += measured(kind, S, states, not arguments.no_graphs, faiss)
    write(arguments.json, "approximate", results)


def measured(kind, S, states, with_graphs, faiss):
    faiss.omp_set_num_threads(1)
    with threadpool_limits(limits=1):
        small = find_states(check_sequences(autoregression(3000, 10)), P, n_neighbors=K)
        for run in contestants(small, with_graphs, faiss).values():
            run()  # compiled code is loaded once per process
        for name, run in contestants(states, with_graphs, faiss).items():
            kept = []
            seconds = processor_seconds_of(lambda run=run, kept=kept: kept.append(run()))
            share = recall(kept[0], states, n_queries=300)
            print(
                f"| {kind} | {S} | {states.dimension} | {name} | {seconds:.1f} | {share:.2f} |",
                flush=True,
            )
            yield {"data": kind, "S": S, "dimension": states.dimension, "search": name,
                   "seconds": seconds, "recall": share}  # fmt: skip


if __name__ == "__main__":
    main()
