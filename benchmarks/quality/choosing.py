"""Whether `choose` finds planted orders and dimensions, and what its surface costs.

    python benchmarks/quality/choosing.py planted --seeds 20
    python benchmarks/quality/choosing.py cost

The first command draws processes with a known p and M, mixes them with noise channels, and counts
how often the chosen p and M are the planted ones. The second compares the surface of 5 × 5 × 10
settings in 5 folds with fits of every setting on its own, some of which are timed.
"""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "speed"))
from timing import argument_parser, processor_seconds_of, write

from predfeat import GPFA
from predfeat.datasets import predictable_noise
from predfeat.measures import predicted_shares
from predfeat.selection import choose
from predfeat.series import check_sequences
from predfeat.splits import purged_folds

S, N = 1500, 7


def mixed(sources, random):
    """Standardise, add noise channels up to N, and rotate."""
    sources = (sources - sources.mean(axis=0)) / sources.std(axis=0)
    noise = random.normal(size=(len(sources), N - sources.shape[1]))
    rotation = np.linalg.qr(random.normal(size=(N, N)))[0]
    return np.column_stack([sources, noise]) @ rotation


def recursion(first, step, random, n_rows=S, burn_in=200):
    """Iterate x_t = step(x_{t-1}, x_{t-2}, …) from the first values."""
    values = list(first)
    for _ in range(n_rows + burn_in):
        values.append(step(values))
    return np.array(values[-n_rows:])


def noise_of_the_paper(random):
    return predictable_noise(S, N, random_state=int(random.integers(1 << 30)))


def damped_rotation(random):
    turn = 0.95 * np.array([[np.cos(0.9), -np.sin(0.9)], [np.sin(0.9), np.cos(0.9)]])
    x = recursion([np.zeros(2)], lambda v: turn @ v[-1] + 0.5 * random.normal(size=2), random)
    return mixed(x, random)


def season_of_three(random):
    x = recursion([0.0] * 3, lambda v: 0.9 * v[-3] + random.normal(), random)
    return mixed(x[:, None], random)


def waves_of_order_two(random):
    def step(v):
        return 0.9 * np.sin(2.5 * v[-1]) + 0.6 * np.cos(2 * v[-2]) + 0.1 * random.normal()

    return mixed(recursion([0.1, 0.1], step, random)[:, None], random)


def two_resonances(random):
    def resonance(angle):
        a, b = 2 * 0.95 * np.cos(angle), -(0.95**2)
        return recursion([0.0, 0.0], lambda v: a * v[-1] + b * v[-2] + random.normal(), random)

    return mixed(np.column_stack([resonance(0.7), resonance(1.9)]), random)


def three_logistic_maps(random):
    def step(v):
        own = 3.9 * v[-1] * (1 - v[-1])
        return 0.9 * own + 0.1 * np.roll(own, 1)

    return mixed(recursion([random.uniform(0.2, 0.8, size=3)], step, random), random)


# Name, generator, planted p, planted M.
FAMILIES = [
    ("the paper's predictable noise", noise_of_the_paper, 1, 2),
    ("damped rotation", damped_rotation, 1, 2),
    ("x(t) from x(t-3)", season_of_three, 3, 1),
    ("nonlinear map of order 2", waves_of_order_two, 2, 1),
    ("two resonances of order 2", two_resonances, 2, 2),
    ("three coupled logistic maps", three_logistic_maps, 1, 3),
]


def planted(seeds):
    rows = []
    for name, draw, p, m in FAMILIES:
        chosen = []
        for seed in range(seeds):
            X = draw(np.random.default_rng((seed, p, m)))
            choice = choose(
                X, n_lags=(1, 2, 3, 4), n_neighbors=(5, 15), n_components=range(1, 6),
                confirm=False,
            )  # fmt: skip
            chosen.append((choice.chosen.n_lags, choice.chosen.n_components))
        right = sum(found == (p, m) for found in chosen)
        rows.append({"family": name, "p": p, "M": m, "right": right, "chosen": chosen})
        wrong = sorted({found for found in chosen if found != (p, m)})
        also = f", also {wrong}" if wrong else ""
        print(f"{name:32s} p={p} M={m}: {right} of {seeds} right{also}", flush=True)
    whole = sum(row["right"] for row in rows)
    print(f"{'all':32s}          {whole} of {seeds * len(rows)} ({whole / seeds / len(rows):.0%})")
    return rows


def cost(n_timed, rows):
    lags, neighbors, components = (1, 2, 3, 4, 5), (2, 5, 10, 20, 30), range(1, 11)
    X = predictable_noise(rows, 15, random_state=0)
    choose(X[:300], n_lags=(1,), n_neighbors=(5,), n_components=(1, 2))  # compiles, loads
    surface = processor_seconds_of(
        lambda: choose(
            X, n_lags=lags, n_neighbors=neighbors, n_components=components, confirm=False
        )
    )
    series = check_sequences(X)
    folds = purged_folds(series, 5, gap=6)
    random = np.random.default_rng(0)

    def fit_and_score(p, k, m, fold):
        train, test = folds[fold].parts(series)
        model = GPFA(m, n_lags=p, n_neighbors=k).fit(train.rows, groups=train.sequence_first)
        predicted_shares(
            check_sequences(model.transform(train.rows), train.sequence_first),
            check_sequences(model.transform(test.rows), test.sequence_first),
            p,
        )

    draws = [[int(random.choice(some)) for some in (lags, neighbors, components, range(5))]
             for _ in range(n_timed)]  # fmt: skip
    single = [processor_seconds_of(lambda draw=draw: fit_and_score(*draw)) for draw in draws]
    every = float(np.mean(single)) * 5 * 5 * 10 * 5
    print(f"S={rows}, N=15: surface of 5 × 5 × 10 settings in 5 folds {surface:.0f} s; one fit and "
          f"score {np.mean(single):.2f} s (mean of {n_timed} drawn), all 1250 {every:.0f} s: "
          f"1/{every / surface:.1f}")  # fmt: skip
    return {"surface": surface, "single": single, "every": every, "rows": rows}


def main():
    parser = argument_parser(__doc__)
    parser.add_argument("what", choices=["planted", "cost"])
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--timed", type=int, default=50)
    parser.add_argument("--rows", type=int, default=2000)
    given = parser.parse_args()
    results = planted(given.seeds) if given.what == "planted" else cost(given.timed, given.rows)
    write(given.json, f"choosing {given.what}", results)


if __name__ == "__main__":
    main()
