"""How long `SymbolFeatures` takes: `python benchmarks/speed/symbols.py`.

A million words of a vocabulary of 20 000, whose frequencies fall as those of words do (Zipf), in
ten classes; the class says which classes come next.
"""

import argparse
import resource
from time import perf_counter

import numpy as np

from predfeat import SymbolFeatures

N_WORDS, N_SYMBOLS, N_CLASSES = 1_000_000, 20_000, 10


def made_up_words():
    random = np.random.default_rng(0)
    frequencies = 1 / np.arange(1, N_SYMBOLS + 1)
    of_class = random.integers(N_CLASSES, size=N_SYMBOLS)
    steps = np.cumsum(random.dirichlet(np.full(N_CLASSES, 0.3), size=N_CLASSES), axis=1)
    classes = np.zeros(N_WORDS, dtype=int)
    for t, draw in enumerate(random.random(N_WORDS - 1), 1):
        classes[t] = min(np.searchsorted(steps[classes[t - 1]], draw), N_CLASSES - 1)
    numbers = np.empty(N_WORDS, dtype=int)
    for c in range(N_CLASSES):
        members, times = np.flatnonzero(of_class == c), np.flatnonzero(classes == c)
        shares = frequencies[members] / frequencies[members].sum()
        numbers[times] = random.choice(members, size=len(times), p=shares)
    return [f"w{number}" for number in numbers]


def main():
    argparse.ArgumentParser(description=__doc__).parse_args()
    words = made_up_words()
    print("| M | p | k | iterations | symbols | s | largest memory so far, GB |")
    print("|---|---|---|---|---|---|---|")
    for M, p, k, n_iterations in [
        (10, 1, None, 1),
        (10, 2, None, 1),
        (10, 1, 10, 4),
        (3, 2, 10, 3),
    ]:
        method = SymbolFeatures(M, n_lags=p, n_neighbors=k, max_iter=n_iterations, tol=0, n_jobs=2)
        start = perf_counter()
        model = method.fit(words)
        seconds = perf_counter() - start
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        n_symbols = len(model.symbols_)
        print(
            f"| {M} | {p} | {k or '–'} | {model.n_iter_} | {n_symbols} | {seconds:.1f} | "
            f"{memory:.1f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
