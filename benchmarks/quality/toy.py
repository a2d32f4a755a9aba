"""The paper's toy data in full: `python benchmarks/quality/toy.py [REPETITIONS]`.

Prints the test predictability of all methods at N=10 and N=100, and of GPFA without past edges.
"""

import argparse

from predfeat import GPFA
from predfeat.experiments import Comparison, compare_on_predictable_noise, standard_methods


def show(title: str, comparison: Comparison) -> None:
    print(f"\n{title}")
    for result in comparison.results:
        print(
            f"  {result.method:<18} {result.mean:.3f} ± {result.spread:.3f}"
            f"   fit {sum(result.seconds) / len(result.seconds):.3f} s"
        )


def main(n_repetitions: int) -> None:
    # tol=0 runs the paper's R = 50 iterations; the default stops when nothing improves any more.
    exact = {"max_iter": 50, "tol": 0}
    methods = standard_methods()
    for name in ("GPFA (1)", "GPFA (2)"):
        methods[name + " R=50"] = GPFA(**{**methods[name].get_params(), **exact})
        methods[name + " no past"] = GPFA(**{**methods[name].get_params(), **exact, "past": False})
    show(
        f"N=10, {n_repetitions} repetitions",
        compare_on_predictable_noise(methods, n_repetitions=n_repetitions),
    )
    large = {name: method for name, method in methods.items() if "past" not in name}
    show(
        f"N=100, {n_repetitions} repetitions",
        compare_on_predictable_noise(large, n_repetitions=n_repetitions, n_features=100),
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("repetitions", nargs="?", type=int, default=50, metavar="REPETITIONS")
    main(parser.parse_args().repetitions)
