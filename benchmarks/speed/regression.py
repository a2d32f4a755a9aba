"""Time of one step of spectral regression beside GPFA's eigenproblem, by the number of columns.

    python benchmarks/speed/regression.py

White noise that hides two predictable dimensions, 2000 rows, seconds of one core. Both get the same
white rows and the same graph of each row's neighbours; whitening and the search are timed apart.
"Eigenproblem" is the projection of the graph and the smallest two solutions; "regression" embeds
the nodes, regresses 40 solutions by least squares and combines them. The last columns tell how near
the features come: λ of each on the graph.
"""

import argparse
from time import process_time

import numpy as np
from threadpoolctl import threadpool_limits

from predfeat.datasets import predictable_noise
from predfeat.features import GraphSettings, embed, find_neighbors
from predfeat.graph import GraphContext, connect, explicit_graph, projected_laplacian
from predfeat.series import check_sequences
from predfeat.solvers import embed_nodes, smallest_eigenpairs
from predfeat.whitening import fit_whitening

M, N_EMBEDDED = 2, 40


def timed(function, *given, **options):
    started = process_time()
    result = function(*given, **options)
    return result, process_time() - started


def by_regression(white, terms):
    """Return λ of the features of one step of `SpectralRegression` with least squares."""
    nodes = embed_nodes(explicit_graph(terms), N_EMBEDDED)
    rows = white.rows[nodes.nodes]
    functions = white.rows @ (rows.T @ nodes.values)
    graph = projected_laplacian(terms, functions / functions.std(axis=0))
    return smallest_eigenpairs(graph.laplacian, M, graph.degree).values


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--columns", type=int, nargs="*", default=[50, 200, 2000, 10_000])
    parser.add_argument("--rows", type=int, default=2000)
    arguments = parser.parse_args()
    print("| N | whitening | search | eigenproblem | regression | λ by each |\n" + "|---" * 6 + "|")
    for n_columns in arguments.columns:
        X = predictable_noise(arguments.rows, n_columns, random_state=0)
        series, settings = check_sequences(X), GraphSettings()
        with threadpool_limits(1):
            whitening, whitened = timed(fit_whitening, series)
            white = whitening.apply(series)
            table, searched = timed(find_neighbors, white, settings)
            context = GraphContext(white=white, space=white, neighbors=table, n_lags=1)
            terms = connect(settings.terms, context)
            found, solved = timed(embed, white, white, table, settings, M)
            values, regressed = timed(by_regression, white, terms)
        seconds = " | ".join(f"{s:.2g} s" for s in (whitened, searched, solved, regressed))
        both = " and ".join(str(np.round(v, 3).tolist()) for v in (found.eigenvalues, values))
        print(f"| {n_columns} | {seconds} | {both} |", flush=True)


if __name__ == "__main__":
    main()
