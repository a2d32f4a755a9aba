"""All engines over a grid of sizes: `python benchmarks/speed/engines.py`.

Prints the best of three times in milliseconds, alternating between the engines, and how much longer
`engine="auto"` took than the fastest, on one thread, the compiled code loaded. The constants of
`predfeat.neighbors.choose_engine` were read off this grid. The data: an autoregression, white
noise, and, where there are three columns, the Lorenz attractor, which has few dimensions for any
number of lags.
"""

import time

import numpy as np
from scipy.integrate import solve_ivp
from scipy.signal import lfilter
from timing import plain_parser

from predfeat import nearest_neighbors
from predfeat.neighbors import choose_engine
from predfeat.series import check_sequences, find_states

SIZES = (1000, 3000, 10_000, 30_000)
SHAPES = ((2, 1), (3, 1), (4, 1), (2, 3), (3, 5), (4, 2), (2, 5), (5, 5), (20, 5), (100, 1))
K, ROUNDS = 10, 3
TREE_AT_MOST = {1000: 25, 3000: 15, 10_000: 10, 30_000: 6}  # beyond, it takes seconds
BLOCKWISE_AT_MOST = 3000


def series(kind, S, N, rng):
    if kind == "Lorenz":
        return lorenz(S)
    noise = rng.normal(size=(S, N))
    return noise if kind == "white" else lfilter([1.0], [1.0, -0.9], noise, axis=0)


def lorenz(S):
    def flow(_, u):
        return [10 * (u[1] - u[0]), u[0] * (28 - u[2]) - u[1], u[0] * u[1] - 8 / 3 * u[2]]

    times = np.arange(S) * 0.02
    return solve_ivp(flow, (0, times[-1]), [1, 1, 20], t_eval=times, rtol=1e-6).y.T


def best_times(X, p, names):
    seconds = {engine: [] for engine in names}
    for round_ in range(ROUNDS):
        for engine in names if round_ % 2 else names[::-1]:
            started = time.perf_counter()
            nearest_neighbors(X, n_neighbors=K, n_lags=p, engine=engine)
            seconds[engine].append(time.perf_counter() - started)
    return {engine: min(values) for engine, values in seconds.items()}


def main():
    plain_parser(__doc__).parse_args()
    rng = np.random.default_rng(0)
    nearest_neighbors(rng.normal(size=(500, 3)), n_neighbors=3, n_lags=9, engine="tiles")
    ratios = []
    for S in SIZES:
        for N, p in SHAPES:
            for kind in ("AR", "white", "Lorenz") if N == 3 else ("AR", "white"):
                X = series(kind, S, N, rng)
                names = ["auto", "tiles"]
                names += ["blockwise"] * (S <= BLOCKWISE_AT_MOST)
                names += ["tree"] * (N * p <= TREE_AT_MOST[S] or kind == "Lorenz")
                times = best_times(X, p, names)
                chosen = choose_engine(find_states(check_sequences(X), p, n_neighbors=K))
                taken = times.pop("auto")
                ratios.append(taken / min(times.values()))
                listed = "  ".join(f"{name} {s * 1000:.0f}" for name, s in times.items())
                print(
                    f"{kind:<6} S={S:<6} N={N:<3} p={p}: {listed}  "
                    f"auto ({chosen}) {taken * 1000:.0f}, {ratios[-1]:.2f}×",
                    flush=True,
                )
    good = sum(ratio <= 1.3 for ratio in ratios)
    print(f"\nauto within 1.3× of the fastest in {good} of {len(ratios)}; worst {max(ratios):.2f}×")


if __name__ == "__main__":
    main()
