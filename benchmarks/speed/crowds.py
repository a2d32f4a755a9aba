"""Searches among equal states and among different ones: `python benchmarks/speed/crowds.py`.

Processor time of one thread, the best of three rounds, the two alternating. The second of each
pair has a noise added that no distance notices but that leaves no two states equal.
"""

import numpy as np
from timing import alternate, plain_parser, processor_seconds_of

from predfeat import nearest_neighbors

ROUNDS, K = 3, 10


def cases(random):
    half = random.normal(size=(10_000, 20))
    half[::2] = 0.0
    yield "half of the rows silent", half
    yield "counts, Poisson(0.1), four columns", random.poisson(0.1, size=(10_000, 4)).astype(float)
    yield "counts, Poisson(1), five columns", random.poisson(1.0, size=(20_000, 5)).astype(float)
    yield "two digits, one column", random.normal(size=(100_000, 1)).round(2)
    yield "counts, Poisson(0.1), one column", random.poisson(0.1, size=(100_000, 1)).astype(float)


def main():
    plain_parser(__doc__).parse_args()
    random = np.random.default_rng(0)
    nearest_neighbors(random.normal(size=(3000, 3)), n_neighbors=K)  # the compiled code is loaded
    print("| | S | N | crowded | all different | ratio |\n|---|---|---|---|---|---|")
    for name, X in cases(random):
        apart = X + 1e-9 * random.normal(size=X.shape)
        seconds = alternate(
            {
                "crowded": lambda X=X: nearest_neighbors(X, n_neighbors=K),
                "apart": lambda X=apart: nearest_neighbors(X, n_neighbors=K),
            },
            ROUNDS,
            processor_seconds_of,
        )
        crowded, different = min(seconds["crowded"]), min(seconds["apart"])
        print(
            f"| {name} | {X.shape[0]} | {X.shape[1]} | {crowded:.2f} s | {different:.2f} s "
            f"| {crowded / different:.2f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
