"""The held-out contest: AutoFeatures against every single method, on data of all kinds.

    python benchmarks/quality/contest.py --out contest.jsonl piano=piano.flac:5:10 lorenz maps game
    python benchmarks/quality/contest.py --out contest.jsonl --table

The first command runs the contest on recordings (a name, a file, p and k), on two generated
nonlinear systems and on a game (`predfeat[games]`), and resumes where it stopped; the second prints
the tables again. Every repetition takes two windows of a series at random places, 5000 rows to
learn from and 2500 to test, keeps 99 % of the variance, whitens, and measures the test features by
eq. (2) and by the share of their own variance that it leaves open. Every candidate of AutoFeatures
is fitted once: what AutoFeatures keeps with each criterion follows from their scores. The single
GPFA (1) and (2) are the paper's, from the input space and without averages. The generated systems
hide more than 5 dimensions, so that no method has to choose among noise. PFA's K is the best of 0 …
10 on held-out thirds of the training part.

AutoFeatures' candidates and criterion were chosen on windows of seeds 1 to 5; the windows here are
others.
"""

import argparse
import csv
import json
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from time import process_time

import numpy as np
from scipy.signal import lfilter
from scipy.stats import wilcoxon
from threadpoolctl import threadpool_limits

from predfeat import AutoFeatures
from predfeat.datasets import hidden_lorenz
from predfeat.experiments.reproduction import RecordingSource, audio_source, game_source
from predfeat.experiments.reproduction._specification import Fit
from predfeat.features import (
    first_within_tolerance,
    forecastable_directions,
    linearly_predictable_directions,
)
from predfeat.features._auto import WITH_INVERSE_SPREAD
from predfeat.features._candidate_scores import (
    EQUAL_SCORES,
    MEAN_OF_BEST,
    CandidateMeasures,
    CandidateScorer,
    candidate_scores,
    mean_of_best,
)
from predfeat.features._pfa import error_scatters
from predfeat.measures import predictability
from predfeat.series import check_sequences
from predfeat.solvers import smallest_eigenpairs
from predfeat.splits import purged_folds
from predfeat.whitening import fit_whitening

S_TRAIN, S_TEST, SEED = 5000, 2500, 6
NUMBERS = (5, 2)  # of features, M
N_GENERATED, N_NOISE = 30_000, 15
CRITERIA = ("balanced", "typical", "training")
(WEIGHTED_GPFA,) = WITH_INVERSE_SPREAD
OURS = "AutoFeatures"
MEASURES = {"test": "eq. (2)", "share": "share of the variance left open"}
SINGLES = ("SFA", "PFA", "ForeCA", "GPFA (1)", "GPFA (2)")
OTHERS = (WEIGHTED_GPFA, OURS, "AutoFeatures, typical", "AutoFeatures, training")


def coupled_maps(n_rows, n_maps, random):
    """A ring of coupled logistic maps: chaotic, and not linear at all."""
    state, values = random.uniform(0.2, 0.8, size=n_maps), []
    for _ in range(n_rows + 200):
        own = 3.9 * state * (1 - state)
        state = 0.9 * own + 0.1 * np.roll(own, 1)
        values.append(state)
    return np.array(values[200:])


def hidden_in_noise(hidden, n_noise, random):
    """Mix standardised hidden dimensions with autoregressions, from white to slow ones."""
    shocks = random.normal(size=(n_noise, len(hidden) + 500))
    slowness = np.linspace(0, 0.95, n_noise)
    noise = [lfilter([1], [1, -a], s)[500:] for a, s in zip(slowness, shocks, strict=True)]
    sources = np.column_stack([hidden, *noise])
    sources = (sources - sources.mean(axis=0)) / sources.std(axis=0)
    n_columns = sources.shape[1]
    return sources @ np.linalg.qr(random.normal(size=(n_columns, n_columns)))[0]


def open_source(given):
    """Return the source, p and k of a word of the command line."""
    random = np.random.default_rng(0)
    if given == "lorenz":
        hidden = [hidden_lorenz(N_GENERATED, 0, random_state=seed)[1] for seed in (0, 1)]
        X = hidden_in_noise(np.hstack(hidden), N_NOISE, random)
        return RecordingSource("lorenz", "Two Lorenz systems in noise", X), 2, 10
    if given == "maps":
        X = hidden_in_noise(coupled_maps(N_GENERATED, 8, random), N_NOISE, random)
        return RecordingSource("maps", "Eight coupled logistic maps in noise", X), 1, 10
    if given == "game":
        return game_source(), 1, 2
    name, _, rest = given.partition("=")
    path, p, k = rest.rsplit(":", 2)
    return audio_source(name, path), int(p), int(k)


def white_parts(source, repetition, seed=SEED):
    """Return the training and the test part in the white space of the training part."""
    fit = Fit(
        experiment="contest", data=source.name, fingerprint=source.fingerprint, method="all",
        settings=(), n_columns=source.values.shape[1], n_train=S_TRAIN, n_drawn=S_TRAIN,
        n_test=S_TEST, pca_components=0.99, repetition=repetition, seed=seed,
    )  # fmt: skip
    train, test = (check_sequences(part.rows, part.groups) for part in source.parts(fit))
    whitening = fit_whitening(train, 0.99, warn=False)
    return [
        part.with_rows((part.rows - whitening.mean) @ whitening.directions)
        for part in (train, test)
    ]


def tested(features, p):
    value = predictability(features.rows, p, groups=features.sequence_first)
    return {"test": value, "share": value / features.samples.var(axis=0).sum()}


class Candidates(AutoFeatures):
    """AutoFeatures that shares with the single methods what is the same.

    ForeCA is fitted already: its first M features are the same for all M. GPFA from the input
    space, without averages, is the last step of the one with averages.
    """

    forecastable = None

    def _gpfa(self, white, kind, start, found):
        run = super()._gpfa(white, kind, start, found)
        if start == "input":
            self.singles[kind] = run.directions
        return run

    def _without_graph(self, white):
        for name, find in super()._without_graph(white):
            if name == "ForeCA":
                yield name, lambda: self.forecastable[:, : self.n_components]
            else:
                yield name, find


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


def run(source, p, k, repetition, numbers):
    """Yield the row of each M for one repetition."""
    started = process_time()
    train, test = white_parts(source, repetition)
    scorer = CandidateScorer(train, p)
    forecastable = forecastable_directions(train, max(numbers))[0]
    for M, repeats in zip(numbers, pfa_by_validation(train, numbers, p), strict=True):
        candidates = Candidates(M, n_lags=p, n_neighbors=k)
        candidates.forecastable, candidates.singles = forecastable, {}
        found = candidates._directions(train)
        names = list(found)
        found["PFA"] = linearly_predictable_directions(train, M, p, repeats).vectors
        found.update(candidates.singles)
        measured = {name: scorer.measure(directions) for name, directions in found.items()}
        for criterion in CRITERIA:
            own = {name: measured[name] for name in measured if name in names}
            scores = candidate_scores(own, criterion, WITH_INVERSE_SPREAD)
            mean = mean_of_best({name: found[name] for name in own}, scores, WITH_INVERSE_SPREAD)
            if mean is not None:
                found[f"{MEAN_OF_BEST}, {criterion}"] = mean
                measured[f"{MEAN_OF_BEST}, {criterion}"] = scorer.measure(mean)
        results = {
            name: {
                **asdict(measured[name]),
                **tested(test.with_rows(test.rows @ directions), p),
            }
            for name, directions in found.items()
        }
        yield {"data": source.name, "repetition": repetition, "M": M, "p": p, "k": k,
               "n_white": train.n_columns, "K": repeats, "candidates": names,
               "results": results,
               "seconds": process_time() - started}  # fmt: skip
        started = process_time()


def outcomes(row):
    """Return what every contestant has on the test part, with the names of the winners."""
    results = row["results"]
    singles = {name: results[name] for name in SINGLES}
    best = {}
    for criterion in CRITERIA:
        mean = f"{MEAN_OF_BEST}, {criterion}"
        names = [*([mean] if mean in results else []), *row["candidates"]]
        measured = {
            name: CandidateMeasures(
                *(results[name][key] for key in ("mean", "typical", "kurtosis"))
            )
            for name in names
        }
        ours = OURS if criterion == "balanced" else f"{OURS}, {criterion}"
        best[ours] = first_within_tolerance(
            candidate_scores(measured, criterion, WITH_INVERSE_SPREAD), EQUAL_SCORES
        )
    kept = {name: results[winner] for name, winner in best.items()}
    return {**singles, WEIGHTED_GPFA: results[WEIGHTED_GPFA], **kept}, best


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
            some = [outcomes(row)[0] for row in rows if row["data"] == data and row["M"] == M]
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
        print(f"\n{words}: GPFA weighted by inverse spread alone, and other criteria\n")
        print_table(lines, measure, OTHERS)
    hours = sum(row["seconds"] for row in rows) / 3600
    print(f"\n{len(rows)} rows, {hours:.1f} hours of one core")
    print("\nHow often each candidate was kept\n")
    for name in outcomes(rows[0])[1]:
        kept = Counter(outcomes(row)[1][name] for row in rows)
        print(f"{name}: " + ", ".join(f"{winner} {n}" for winner, n in kept.most_common()))


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
                    for row in run(source, p, k, repetition, missing):
                        rows.append(row)
                        with arguments.out.open("a") as file:
                            file.write(json.dumps(row) + "\n")
                        print(f"{source.name}, repetition {repetition}, M={row['M']}", flush=True)
    print_tables(rows)
    if arguments.summary:
        write_summary(arguments.summary, rows)


if __name__ == "__main__":
    main()
