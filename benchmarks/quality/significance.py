"""The level and the power of `significance`: `python benchmarks/quality/significance.py`.

Five tables, each for every kind of surrogate:

- level: in how many series of the noise that the kind assumes any feature is found (the family-wise
  rate, which should be alpha), with its 95 % Clopper-Pearson interval. White noise for the
  permutations; independent AR(1) channels for the kinds that keep each channel's spectrum; mixed
  AR(1) channels, a linear Gaussian process, for the joint one.
- gaps: the same, for the Fourier kinds, in AR(1) channels that remember longer (0.95) than the
  stretches last: a twentieth of the rows is missing, or they are trials of 20 rows.
- toy: how many features are found in the paper's toy data, which has two, and is linear.
- slow: how many are found in one slow AR(1) channel among white ones: does a real feature make
  others look real?
- power: in how many toy series exactly two are found (or any, for the joint one), by the length S.

The documentation's figures come from `--sets 200 --toys 50`.
"""

import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np
from scipy.signal import lfilter
from scipy.stats import binomtest

sys.path.insert(0, str(Path(__file__).parents[1] / "speed"))
from timing import argument_parser, write

from predfeat import GPFA, PFA, SFA, ForeCA
from predfeat.datasets import predictable_noise
from predfeat.selection import KINDS, significance

PARTS = ("level", "gaps", "toy", "slow", "power")


def white(S, N, random):
    return random.standard_normal((S, N))


def autoregressive(S, N, random, largest=0.8):
    """Independent AR(1) channels, started long before the first row."""
    coefficients = random.uniform(-largest, largest, N)
    noise = random.standard_normal((S + 200, N))
    return np.column_stack(
        [lfilter([1], [1, -c], noise[:, i]) for i, c in enumerate(coefficients)]
    )[200:]


def mixed(S, N, random):
    return autoregressive(S, N, random) @ random.standard_normal((N, N))


NOISE = {
    "permutation": white,
    "blocks": white,
    "phases": autoregressive,
    "iaaft": autoregressive,
    "joint-phases": mixed,
}


def slow_channels(S, N, random):
    shocks = random.standard_normal((S + 200, N))
    return lfilter([1], [1, -0.95], shocks, axis=0)[200:]


def with_gaps(S, N, random):
    X = slow_channels(S, N, random)
    X[random.random(S) < 0.05] = np.nan
    return X, None


def in_trials(S, N, random):
    trials = [slow_channels(20, N, random) for _ in range(S // 20)]
    return np.concatenate(trials), np.repeat(np.arange(len(trials)), 20)


def one_slow(S, N, random):
    X = white(S, N, random)
    X[:, 0] = lfilter([1], [1, -0.95], random.standard_normal(S + 500))[500:]
    return X


def toy(S, N, random):
    return predictable_noise(S, N, random_state=int(random.integers(2**31)))


def count_found(make, n_sets, S, N, kind, arguments, M):
    """Return how many features were found in each of some series."""
    found = []
    for seed in range(n_sets):
        made = make(S, N, np.random.default_rng([arguments.seed, seed]))
        X, groups = made if isinstance(made, tuple) else (made, None)
        result = significance(
            model_of(arguments, M),
            X,
            groups=groups,
            n_surrogates=arguments.surrogates,
            kind=kind,
            alpha=arguments.alpha,
            n_jobs=arguments.jobs,
            random_state=seed,
        )
        found.append((result.n_significant, int(result.significant.sum())))
    return np.array(found)


def model_of(arguments, M):
    if arguments.model == "gpfa":
        return GPFA(M, max_iter=arguments.max_iter)
    return {"sfa": SFA, "pfa": PFA, "foreca": ForeCA}[arguments.model](M)


def interval(n, of):
    bounds = binomtest(int(n), int(of)).proportion_ci(0.95, method="exact")
    return [float(bounds.low), float(bounds.high)]


def share(flags):
    flags = np.asarray(flags)
    return {
        "n": int(flags.sum()),
        "of": len(flags),
        "share": float(flags.mean()),
        "interval": interval(flags.sum(), len(flags)),
    }


def shown(entry):
    low, high = entry["interval"]
    return f"{entry['n']:>3}/{entry['of']} = {entry['share']:5.1%}  [{low:5.1%}, {high:5.1%}]"


def level(part, noise, kind, arguments):
    S, N, M = arguments.level_shape
    found = count_found(noise, arguments.sets, S, N, kind, arguments, M)
    entry = {**share(found[:, 1] > 0), "noise": noise.__name__, "shape": [S, N, M]}
    print(f"{part:<6} {kind:<13} {entry['noise']:<15} S={S} any found {shown(entry)}", flush=True)
    return entry


def counted(part, make, wanted, kind, arguments):
    S, N, M = arguments.toy_shape
    found = count_found(make, arguments.toys, S, N, kind, arguments, M)
    entry = {
        **share(found[:, 0] == wanted),
        "wanted": wanted,
        "found": {int(n): count for n, count in sorted(Counter(found[:, 0].tolist()).items())},
        "shape": [S, N, M],
    }
    print(
        f"{part:<6} {kind:<13} S={S} M={M} exactly {wanted} {shown(entry)}  found {entry['found']}",
        flush=True,
    )
    return entry


def power(kind, arguments):
    _, N, M = arguments.toy_shape
    curve = []
    for S in arguments.lengths:
        found = count_found(toy, arguments.toys, S, N, kind, arguments, M)
        curve.append(
            {
                "S": S,
                "exactly_two": share(found[:, 0] == 2),
                "any": share(found[:, 0] > 0),
            }
        )
        print(
            f"power  {kind:<13} S={S:<4} exactly 2 {shown(curve[-1]['exactly_two'])}  "
            f"any {shown(curve[-1]['any'])}",
            flush=True,
        )
    return curve


def parse():
    parser = argument_parser(__doc__)
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS)
    parser.add_argument("--kinds", nargs="+", choices=list(KINDS), default=list(KINDS))
    parser.add_argument("--model", choices=("gpfa", "sfa", "pfa", "foreca"), default="gpfa")
    parser.add_argument("--max-iter", type=int, default=20, help="iterations of GPFA")
    parser.add_argument("--sets", type=int, default=200, help="noise series")
    parser.add_argument("--toys", type=int, default=50, help="toy series, for each S")
    parser.add_argument("--surrogates", type=int, default=19, help="for each series")
    parser.add_argument("--alpha", type=float, default=0.05)
    parser.add_argument(
        "--level-shape", type=int, nargs=3, default=(200, 5, 3), metavar=("S", "N", "M")
    )
    parser.add_argument(
        "--toy-shape", type=int, nargs=3, default=(700, 10, 4), metavar=("S", "N", "M")
    )
    parser.add_argument("--lengths", type=int, nargs="+", default=(50, 75, 100, 150, 200, 300))
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


def main():
    arguments = parse()
    results = {"arguments": {k: v for k, v in vars(arguments).items() if k != "json"}}
    started = time.perf_counter()
    for part in arguments.parts:
        results[part] = {}
        for kind in arguments.kinds:
            if part == "level":
                entry = level(part, NOISE[kind], kind, arguments)
            elif part == "gaps":
                if kind in ("permutation", "blocks"):
                    continue  # for which such channels are no noise
                entry = [level(part, noise, kind, arguments) for noise in (with_gaps, in_trials)]
            elif part == "toy":
                # The toy is a linear Gaussian process: the joint kind has nothing to find.
                entry = counted(part, toy, 0 if kind == "joint-phases" else 2, kind, arguments)
            elif part == "slow":
                # The slow channel's own autocorrelation is what the Fourier kinds keep.
                wanted = 1 if kind in ("permutation", "blocks") else 0
                entry = counted(part, one_slow, wanted, kind, arguments)
            else:
                entry = power(kind, arguments)
            results[part][kind] = entry
    print(f"{time.perf_counter() - started:.0f} s")
    write(arguments.json, "significance", results)


if __name__ == "__main__":
    main()
