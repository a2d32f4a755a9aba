"""The held-out contest: every method on data of all kinds, and the truth where it is known.

    python benchmarks/quality/contest.py --out contest.jsonl piano=piano.flac:5:10 lorenz maps game
    python benchmarks/quality/contest.py --out contest.jsonl --table

The first command runs the contest on recordings (a name, a file, p and k), on two generated
nonlinear systems and on a game (`predfeat[games]`), and resumes where it stopped; the second prints
the tables again. Every repetition takes two windows of a series at random places, 5000 rows to
learn from and 2500 to test, keeps 99 % of the variance, whitens, and measures the test features by
the share of their own variance that similar states leave open, and by eq. (2). PFA's K is the best
of 0 … 10 on held-out thirds of the training part. Other libraries take part if they are installed:
deeptime (TICA, VAMP) and sklearn-sfa.

`--seed` draws other windows: what is published was run once, on windows that nothing was tried on.
"""

import argparse
import csv
import json
from collections import Counter
from importlib.util import find_spec
from pathlib import Path
from time import process_time

import numpy as np
from planted import coupled_maps, hidden_in_noise
from scipy.stats import wilcoxon
from threadpoolctl import threadpool_limits

from predfeat import DCA, GPFA, AutoFeatures, DescentFeatures
from predfeat.datasets import hidden_lorenz
from predfeat.experiments.reproduction import RecordingSource, audio_source, game_source
from predfeat.experiments.reproduction._specification import Fit
from predfeat.features import (
    forecastable_directions,
    linearly_predictable_directions,
    slow_directions,
)
from predfeat.features._pfa import error_scatters
from predfeat.measures import predictability
from predfeat.series import check_sequences
from predfeat.solvers import smallest_eigenpairs
from predfeat.splits import purged_folds
from predfeat.whitening import fit_whitening

S_TRAIN, S_TEST, SEED = 5000, 2500, 11
NUMBERS = (5, 2)  # of features, M
N_GENERATED, N_NOISE = 30_000, 15
OURS = "AutoFeatures"
MEASURES = {"share": "share of the variance left open", "test": "eq. (2)"}
SINGLES = ("SFA", "PFA", "ForeCA", "GPFA (1)", "GPFA (2)")
PEERS = ("DCA", "TICA", "VAMP", "sklearn-sfa")
OTHERS = ("Descent", *PEERS)


def open_source(given):
    """Return the source, p and k of a word of the command line."""
    random = np.random.default_rng(0)
    noise = np.linspace(0, 0.95, N_NOISE)
    if given == "lorenz":
        hidden = [hidden_lorenz(N_GENERATED, 0, random_state=seed)[1] for seed in (0, 1)]
        X = hidden_in_noise(np.hstack(hidden), noise, random)[0]
        return RecordingSource("lorenz", "Two Lorenz systems in noise", X), 2, 10
    if given == "maps":
        X = hidden_in_noise(coupled_maps(N_GENERATED, 8, random), noise, random)[0]
        return RecordingSource("maps", "Eight coupled logistic maps in noise", X), 1, 10
    if given == "game":
        return game_source(), 1, 2
    name, _, rest = given.partition("=")
    path, p, k = rest.rsplit(":", 2)
    return audio_source(name, path), int(p), int(k)


def white_parts(source, repetition, seed):
    """Return the training and the test part in the white space of the training part."""
    fit = Fit(
        experiment="contest", data=source.name, fingerprint=source.fingerprint, method="all",
        settings=(), n_columns=source.values.shape[1], n_train=S_TRAIN, n_drawn=S_TRAIN,
        n_test=S_TEST, pca_components=0.99, repetition=repetition, seed=seed,
    )  # fmt: skip
    train, test = (check_sequences(part.rows, part.groups) for part in source.parts(fit))
    whitening = fit_whitening(train, 0.99, warn=False)
    return whitening.apply(train), whitening.apply(test), whitening


def tested(features, p):
    value = predictability(features.rows, p, groups=features.sequence_first)
    return {"test": value, "share": value / features.samples.var(axis=0).sum()}


def pfa_by_validation(white, numbers, p):
    """Return, for each M, the K whose features of held-out thirds are the most predictable."""
    scores = np.zeros((len(numbers), 11))
    for fold in purged_folds(white, 3, gap=p + 1):
        train, test = fold.parts(white)
        whitening = fit_whitening(train, warn=False)
        train, test = whitening.apply(train), whitening.apply(test)
        for k, scatter in enumerate(error_scatters(train, p, scores.shape[1] - 1)):
            features = test.rows @ smallest_eigenpairs(scatter, max(numbers)).vectors
            for n, M in enumerate(numbers):
                scores[n, k] += predictability(features[:, :M], p, groups=test.sequence_first)
    return scores.argmin(axis=1).tolist()


def of_peers(white, M):
    """Yield the directions that other libraries find in the same white space."""
    parts = [white.rows[first:stop] for first, stop in white.run_bounds()]
    if find_spec("deeptime"):
        from deeptime.decomposition import TICA, VAMP

        for name, method in (("TICA", TICA), ("VAMP", VAMP)):
            model = method(lagtime=1, dim=M).fit(parts).fetch_model()
            yield name, model.instantaneous_coefficients[:, :M]
    if find_spec("sksfa"):
        from sksfa import SFA

        # It knows no sequences: a series of several would be one to it.
        model = SFA(n_components=M).fit(np.concatenate(parts))
        outputs = model.transform(np.concatenate(parts))
        yield "sklearn-sfa", np.linalg.lstsq(np.concatenate(parts), outputs, rcond=None)[0]


def found_by(train, whitening, p, k, M, repeats, forecastable):
    """Yield each contestant's name, its directions, and a note on what it kept."""
    options = {"n_lags": p, "n_neighbors": k}
    yield "SFA", slow_directions(train, M).vectors, None
    yield "PFA", linearly_predictable_directions(train, M, p, repeats).vectors, repeats
    yield "ForeCA", forecastable[:, :M], None
    for name, graph in (("GPFA (1)", "full"), ("GPFA (2)", "star")):
        yield name, GPFA(M, graph=graph, **options).find_directions(train, whitening), None
    yield "DCA", DCA(M).find_directions(train, whitening), None
    for name, directions in of_peers(train, M):
        yield name, directions, None
    yield "Descent", DescentFeatures(M, n_lags=p).find_directions(train, whitening), None
    auto = AutoFeatures(M, n_lags=p)
    yield OURS, auto.find_directions(train, whitening), auto.best_candidate_


def run(source, p, k, repetition, numbers, seed):
    """Yield the row of each M for one repetition."""
    train, test, whitening = white_parts(source, repetition, seed)
    started = process_time()
    forecastable = forecastable_directions(train, max(numbers))[0]
    foreca = process_time() - started
    for M, repeats in zip(numbers, pfa_by_validation(train, numbers, p), strict=True):
        results, kept, seconds = {}, {}, {"ForeCA": foreca}
        started = process_time()
        for name, directions, note in found_by(train, whitening, p, k, M, repeats, forecastable):
            seconds.setdefault(name, process_time() - started)
            axes = np.linalg.qr(directions)[0]
            results[name] = tested(test.with_rows(test.rows @ axes), p)
            kept[name] = note
            started = process_time()
        yield {"data": source.name, "repetition": repetition, "M": M, "p": p, "k": k,
               "n_white": train.n_columns, "results": results, "kept": kept,
               "seconds": seconds}  # fmt: skip


def p_value(first, second):
    difference = np.subtract(first, second)
    return float(wilcoxon(difference).pvalue) if np.any(difference) else 1.0


def summary(rows):
    """Return a line for every data set, M, measure and contestant.

    `better` and `p` compare the contestant with AutoFeatures: in how many repetitions AutoFeatures
    left less open, and the signed-rank test.
    """
    lines = []
    for data in dict.fromkeys(row["data"] for row in rows):
        for M in NUMBERS:
            some = [row["results"] for row in rows if row["data"] == data and row["M"] == M]
            for measure in MEASURES if some else ():
                scores = {name: [o[name][measure] for o in some] for name in some[0]}
                for name, values in scores.items():
                    lines.append({
                        "data": data, "M": M, "measure": measure, "contestant": name,
                        "n": len(values), "mean": float(np.mean(values)),
                        "sd": float(np.std(values)),
                        "better": int(np.sum(np.less(scores[OURS], values))),
                        "p": p_value(scores[OURS], values),
                    })  # fmt: skip
    return lines


def print_tables(rows):
    lines = summary(rows)
    for measure, words in MEASURES.items():
        print(f"\n{words}, mean over the repetitions; lower is better\n")
        print_table(lines, measure, [*SINGLES, OURS])
        print(f"\n{words}: the descent alone, and peers\n")
        print_table(lines, measure, [name for name in OTHERS if name in rows[0]["results"]])
    print("\nMean seconds of one core\n")
    for name in rows[0]["seconds"]:
        print(f"{name}: {np.mean([row['seconds'][name] for row in rows]):.1f}")
    kept = Counter((row["data"], row["kept"][OURS]) for row in rows)
    print(f"\n{OURS} kept: " + ", ".join(f"{w} on {d} {n}" for (d, w), n in kept.most_common()))


def print_table(lines, measure, contestants):
    """Print means; where the single methods take part, compare the best one with AutoFeatures."""
    compared = set(SINGLES) <= set(contestants)
    head = ["data", "M", *contestants, *(["best single", "better in", "p"] if compared else [])]
    print("| " + " | ".join(head) + " |\n" + "|---" * len(head) + "|")
    for data, M in dict.fromkeys((line["data"], line["M"]) for line in lines):
        case = {
            line["contestant"]: line
            for line in lines
            if (line["data"], line["M"], line["measure"]) == (data, M, measure)
        }
        cells = [data, str(M), *(f"{case[name]['mean']:.3f}" for name in contestants)]
        if compared:
            best = case[min(SINGLES, key=lambda name: case[name]["mean"])]
            cells += [best["contestant"], f"{best['better']} of {best['n']}", f"{best['p']:.1g}"]
        print("| " + " | ".join(cells) + " |")


def write_summary(path, rows):
    lines = summary(rows)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(lines[0]), lineterminator="\n")
        writer.writeheader()
        for line in lines:
            figures = {key: f"{line[key]:.6g}" for key in ("mean", "sd", "p")}
            writer.writerow({**line, **figures})


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", nargs="*", help="NAME=FILE:p:k, lorenz, maps or game")
    parser.add_argument("--out", type=Path, required=True, help="a line for every repetition")
    parser.add_argument("--repetitions", type=int, default=20)
    parser.add_argument("--seed", type=int, default=SEED, help="of the windows")
    parser.add_argument("--table", action="store_true", help="print the tables only")
    parser.add_argument("--summary", type=Path, help="also write the tables to this CSV file")
    arguments = parser.parse_args()
    lines = arguments.out.read_text().splitlines() if arguments.out.exists() else []
    rows = [json.loads(line) for line in lines]
    if arguments.table and not rows:
        parser.error(f"{arguments.out} holds no repetition: run the contest first")
    if not arguments.table:
        done = {(row["data"], row["repetition"], row["M"]) for row in rows}
        for given in arguments.data:
            source, p, k = open_source(given)
            for repetition in range(arguments.repetitions):
                missing = [M for M in NUMBERS if (source.name, repetition, M) not in done]
                if not missing:
                    continue
                with threadpool_limits(1):
                    for row in run(source, p, k, repetition, missing, arguments.seed):
                        rows.append(row)
                        with arguments.out.open("a") as file:
                            file.write(json.dumps(row) + "\n")
                        print(f"{source.name}, repetition {repetition}, M={row['M']}", flush=True)
    print_tables(rows)
    if arguments.summary:
        write_summary(arguments.summary, rows)


if __name__ == "__main__":
    main()
