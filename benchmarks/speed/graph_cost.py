"""Cost of the graph stage in k: `python benchmarks/speed/graph_cost.py`.

Prints the time and the peak memory of building the neighbourhoods and projecting the Laplacian, at
k = 10, 20, 40, medians of alternating rounds. Both graphs are linear in k.
"""

import time
import tracemalloc

import numpy as np
from timing import plain_parser

from predfeat.graph import GRAPHS, Future, GraphContext, Past, connect, projected_laplacian
from predfeat.neighbors import NeighborTable
from predfeat.series import check_sequences

S, N, P, ROUNDS = 10_000, 60, 5, 7


def table(k: int, rng: np.random.Generator) -> NeighborTable:
    """Random neighbours: the graph stage's cost does not depend on who they are."""
    times = np.arange(P - 1, S)
    return NeighborTable(times, rng.integers(P - 1, S, (len(times), k)), np.zeros((len(times), k)))


def main() -> None:
    plain_parser(__doc__).parse_args()
    rng = np.random.default_rng(0)
    series = check_sequences(rng.normal(size=(S, N)))
    ks = (10, 20, 40)
    tables = {k: table(k, rng) for k in ks}
    seconds: dict[tuple[str, int], list[float]] = {}
    memory: dict[tuple[str, int], float] = {}

    def stage(graph: str, k: int) -> None:
        context = GraphContext(white=series, space=series, neighbors=tables[k], n_lags=P)
        terms = connect([Future(graph), Past(graph)], context)
        projected_laplacian(terms, series.rows)

    for _ in range(ROUNDS):
        for graph in GRAPHS:
            for k in ks:
                started = time.perf_counter()
                stage(graph, k)
                seconds.setdefault((graph, k), []).append(time.perf_counter() - started)
    for graph in GRAPHS:
        for k in ks:
            tracemalloc.start()
            stage(graph, k)
            memory[graph, k] = tracemalloc.get_traced_memory()[1] / 2**20
            tracemalloc.stop()
    print(f"S={S}, N={N}, p={P}, future and past edges, median of {ROUNDS} alternating rounds")
    for graph in GRAPHS:
        base = float(np.median(seconds[graph, 10]))
        for k in ks:
            median = float(np.median(seconds[graph, k]))
            print(
                f"{graph}: k={k:>2}  {median * 1000:6.1f} ms  {median / base:4.2f}× k=10"
                f"   peak {memory[graph, k]:.0f} MB"
            )


if __name__ == "__main__":
    main()
