"""Sampled centres: what is lost when only some states ask for their neighbours.

    python benchmarks/quality/centers.py toy lorenz piano=piano.flac:5 --out centers.csv

GPFA (2) with neighbourhoods of S, S/2, S/4, S/10 and S/40 states, each searched among all S, on the
paper's toy, a hidden Lorenz system and recordings (a name, a file and p). 5000 rows to learn from,
2500 to test, M = 2. The angle is the largest between the features and those of all S centres; the
share is what similar states leave open of the features' variance on the test rows. As a yardstick,
the angle between the results of the last two iterations of the exact fit: the iteration does not
settle, either. Means over `--seeds`.
"""

import argparse
import csv
from pathlib import Path
from time import perf_counter

import numpy as np
from contest import open_source, white_parts
from threadpoolctl import threadpool_limits

from predfeat import GPFA
from predfeat.datasets import hidden_lorenz, predictable_noise
from predfeat.measures import left_open, subspace_angles
from predfeat.series import check_sequences
from predfeat.whitening import fit_whitening

N_TRAIN, N_TEST, M = 5000, 2500, 2
PARTS = (1, 2, 4, 10, 40)


def generated(name, seed):
    """Return both parts of a made-up series in white space, and p."""
    if name == "toy":
        X, p = predictable_noise(N_TRAIN + N_TEST, 20, random_state=seed), 1
    else:
        X, p = hidden_lorenz(N_TRAIN + N_TEST, random_state=seed)[0], 2
    train, test = check_sequences(X[:N_TRAIN]), check_sequences(X[N_TRAIN:])
    whitening = fit_whitening(train)
    return whitening.apply(train), whitening.apply(test), whitening, p


def recorded(given, seed):
    """Return both parts of a window of a recording in white space, and p."""
    source, p, _ = open_source(f"{given}:10")
    return *white_parts(source, seed, seed=21), p


def run(given, seed):
    """Yield the number of centres, the angle to the exact features, share, and seconds."""
    make = recorded if "=" in given else generated
    train, test, whitening, p = make(given, seed)
    exact = None
    for part in PARTS:
        started = perf_counter()
        model = GPFA(M, n_lags=p, n_centers=N_TRAIN // part, random_state=seed)
        directions = np.linalg.qr(model.find_directions(train, whitening))[0]
        seconds = perf_counter() - started
        exact = directions if exact is None else exact
        angle = subspace_angles(train.rows @ directions, train.rows @ exact)[0]
        features = test.with_rows(test.rows @ directions)
        yield part, angle, left_open(features, p).share(), seconds, model.history_["angle"][-1]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", nargs="+", help="toy, lorenz or NAME=FILE:p")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--out", type=Path, required=True, help="a CSV file of all numbers")
    arguments = parser.parse_args()
    rows = []
    with threadpool_limits(1):
        for given in arguments.data:
            for seed in range(arguments.seeds):
                for found in run(given, seed):
                    rows.append((given.partition("=")[0], seed, *found))
    with arguments.out.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["data", "seed", "part", "angle", "share", "seconds", "last_turn"])
        writer.writerows((*row[:3], *(f"{number:.4g}" for number in row[3:])) for row in rows)
    print("| data | last turn | " + " | ".join(f"S/{part}" for part in PARTS) + " |")
    print("|---" * (2 + len(PARTS)) + "|")
    for name in dict.fromkeys(row[0] for row in rows):
        own = [row for row in rows if row[0] == name]
        cells = [name, f"{np.mean([row[6] for row in own if row[2] == 1]):.1f}°"]
        for part in PARTS:
            angle, share = np.mean([row[3:5] for row in own if row[2] == part], axis=0)
            cells.append(f"{angle:.1f}°, {share:.4g}")
        print("| " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
