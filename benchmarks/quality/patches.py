"""Patches in two layers against the same method on whole frames: what is left open on new data.

    python benchmarks/quality/patches.py --out patches.jsonl ball game
    python benchmarks/quality/patches.py --out patches.jsonl --table

Frames of 40 × 40 pixels: a ball that bounces around the frame (its position is no linear function
of the pixels), and the game River Raid under random play (`predfeat[games]`), in the window that
changes most. Each repetition draws windows of rows to learn from and others to test. A
contestant's features are whitened on the training rows; the measure is the share of their variance
on the test rows that similar states leave open (p = 1, 10 neighbours). "patches" stands for two
layers of 8 features per place by SFA, 16 × 16 pixels every 8, then 2 × 2 places every one, with the
method on top; "quadratic" for products of principal components, 30 of whole frames, or 12 of each
patch. All end with three features. The command goes on where it stopped.
"""

import argparse
import json
from pathlib import Path
from time import process_time

import numpy as np
import sklearn
from scipy.stats import wilcoxon
from sklearn.decomposition import PCA
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import PolynomialFeatures
from threadpoolctl import threadpool_limits

from predfeat import GPFA, SFA
from predfeat.datasets import game_frames
from predfeat.features import Patches
from predfeat.measures import left_open
from predfeat.series import check_sequences
from predfeat.splits import random_windows
from predfeat.whitening import fit_whitening

SIZE, N_FRAMES, S_TEST, GAP = 40, 8000, 1000, 20
S_TRAIN, M, PER_PLACE, KEPT = (300, 2000), 3, 8, 0.99
TOPS = {"SFA": SFA, "GPFA": GPFA}
KINDS = ("linear", "patches", "quadratic", "quadratic patches")


def bouncing_ball(n_frames, random):
    """A soft ball that flies straight on and is reflected by the walls, at random angles."""
    place, angle, values = random.uniform(8, 32, size=2), random.uniform(0, 2 * np.pi), []
    pixels, radius = np.arange(SIZE), 3.0
    for _ in range(n_frames):
        place = place + 1.3 * np.array([np.sin(angle), np.cos(angle)])
        if np.any(beyond := (place < radius) | (place > SIZE - 1 - radius)):
            place = np.clip(place, radius, SIZE - 1 - radius)
            down, across = np.where(beyond, -1, 1) * [np.sin(angle), np.cos(angle)]
            angle = np.arctan2(down, across) + 0.3 * random.normal()
        along = [np.exp(-0.5 * np.square((pixels - x) / radius)) for x in place]
        values.append(np.outer(*along).ravel())
    return np.array(values) + 0.02 * random.normal(size=(n_frames, SIZE**2))


def frames_of(name):
    """Return the frames of a word of the command line, and the ids of their episodes."""
    if name == "ball":
        return bouncing_ball(N_FRAMES, np.random.default_rng(0)), np.zeros(N_FRAMES, dtype=int)
    recording = game_frames("ALE/Riverraid-v5", N_FRAMES, size=SIZE)
    return recording.values, recording.groups


def with_groups(method):
    return method.set_fit_request(groups=True)


def quadratic(n_kept, method):
    """The method after products of principal components."""
    steps = [
        ("pca", PCA(n_kept, whiten=True)),
        ("products", PolynomialFeatures(2, include_bias=False)),
    ]
    return Pipeline([*steps, ("method", with_groups(method))])


def contestant(kind, top):
    method = TOPS[top](M, pca_components=KEPT)
    if kind == "linear":
        return Pipeline([("top", with_groups(method))])
    if kind == "quadratic":
        return quadratic(30, TOPS[top](M))
    slow = SFA(PER_PLACE, pca_components=KEPT)
    if kind == "quadratic patches":
        slow = quadratic(12, SFA(PER_PLACE))
    low = Patches(slow, image_shape=(SIZE, SIZE), patch=16, stride=8)
    high = Patches(slow, image_shape=(4, 4, PER_PLACE), patch=2, stride=1)
    steps = {"low": low, "high": high, "top": TOPS[top](M)}
    return Pipeline([(name, with_groups(step)) for name, step in steps.items()])


def share_open(model, train, test):
    """Return the share that the features of the fitted model leave open on the test rows."""
    (X, groups), (X_test, groups_test) = train, test
    whitening = fit_whitening(check_sequences(model.transform(X), groups), warn=False)
    features = check_sequences(model.transform(X_test), groups_test)
    return float(left_open(whitening.apply(features)).share())


def run(name, frames, repetition, seed):
    """Yield a row for each contestant."""
    values, groups = frames
    for n_train in S_TRAIN:
        random = np.random.default_rng((seed, repetition, n_train))
        windows = random_windows(len(values), n_train, S_TEST, GAP, random_state=random)
        train, test = ((values[rows], groups[rows]) for rows in (windows.train, windows.test))
        for top in TOPS:
            for kind in KINDS:
                started = process_time()
                model = contestant(kind, top).fit(train[0], groups=train[1])
                seconds = process_time() - started
                share = share_open(model, train, test)
                yield {"data": name, "repetition": repetition, "n_train": n_train, "top": top,
                       "kind": kind, "share": share, "seconds": seconds}  # fmt: skip


def compared(shares, kind, with_kind):
    """Return in how many windows one kind leaves less open than another, and the p-value."""
    difference = np.subtract(shares[kind], shares[with_kind])
    p = wilcoxon(difference).pvalue if len(difference) > 1 and np.any(difference) else 1.0
    return f"{np.sum(difference < 0)} of {len(difference)}, p = {p:.2g}"


def print_table(rows):
    head = [
        "data",
        "rows",
        "top",
        *KINDS,
        "patches against linear",
        "quadratic: patches against not",
    ]
    print("| " + " | ".join(head) + " |\n" + "|---" * len(head) + "|")
    cases = dict.fromkeys((row["data"], row["n_train"], row["top"]) for row in rows)
    for case in sorted(cases):
        of_case = [row for row in rows if (row["data"], row["n_train"], row["top"]) == case]
        shares, seconds = (
            {kind: [row[what] for row in of_case if row["kind"] == kind] for kind in KINDS}
            for what in ("share", "seconds")
        )
        cells = [f"{np.mean(shares[k]):.4f} ({np.mean(seconds[k]):.1f} s)" for k in KINDS]
        cells += [compared(shares, "patches", "linear")]
        cells += [compared(shares, "quadratic patches", "quadratic")]
        print("| " + " | ".join([*map(str, case), *cells]) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", nargs="*", help="ball, game")
    parser.add_argument("--out", type=Path, required=True, help="a line for every fit")
    parser.add_argument("--repetitions", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1, help="of the windows")
    parser.add_argument("--table", action="store_true", help="print the table only")
    arguments = parser.parse_args()
    lines = arguments.out.read_text().splitlines() if arguments.out.exists() else []
    rows = [json.loads(line) for line in lines]
    done = {(row["data"], row["repetition"]) for row in rows}
    for name in [] if arguments.table else arguments.data:
        frames = frames_of(name)
        for repetition in range(arguments.repetitions):
            if (name, repetition) in done:
                continue
            with threadpool_limits(1), sklearn.config_context(enable_metadata_routing=True):
                found = list(run(name, frames, repetition, arguments.seed))
            rows += found
            with arguments.out.open("a") as file:
                file.writelines(json.dumps(row) + "\n" for row in found)
            print(f"{name}, repetition {repetition}", flush=True)
    print_table(rows)


if __name__ == "__main__":
    main()
