"""Does GPFA with `init="auto"` find more predictable features than from the input space?

    python benchmarks/quality/starts.py --out starts.jsonl piano=piano.flac:5:10 cafe=cafe.flac:7:2
    python benchmarks/quality/starts.py --out starts.jsonl --table

Data, windows and measure are those of contest.py, but the windows are drawn with another seed. The
first command resumes where it stopped; the second prints the table again. "auto" is compared with
the paper's GPFA, from the input space.
"""

import argparse
import json
from collections import Counter
from pathlib import Path
from time import process_time

import numpy as np
from contest import NUMBERS, open_source, p_value, tested, white_parts
from threadpoolctl import threadpool_limits

from predfeat import GPFA

SEED = 8
GRAPHS = {"star": "GPFA (2)", "full": "GPFA (1)"}
INITS = ("input", "auto")


def run(source, p, k, repetition, graph):
    """Yield the row of each M for one repetition and graph."""
    train, test, _ = white_parts(source, repetition, SEED)
    for M in NUMBERS:
        row = {"data": source.name, "graph": graph, "repetition": repetition, "M": M}
        for init in INITS:
            started = process_time()
            model = GPFA(M, n_lags=p, n_neighbors=k, graph=graph, init=init)
            model.fit(train.rows, groups=train.sequence_first)
            features = test.with_rows(model.transform(test.rows))
            row[init] = {
                **tested(features, p),
                "n_iter": model.n_iter_,
                "seconds": process_time() - started,
            }
        yield {**row, "kept": model.init_}


def print_table(rows):
    """Print the means on the test parts, and what was kept in how many iterations."""
    print(
        "| data | M | graph | input | auto | ratio | better in | p | iterations | times the cost |"
    )
    print("|---" * 10 + "|")
    for case in dict.fromkeys((row["data"], row["M"], row["graph"]) for row in rows):
        some = [row for row in rows if (row["data"], row["M"], row["graph"]) == case]
        paper, auto = (np.array([row[init]["test"] for row in some]) for init in INITS)
        n_iter = np.median([row["auto"]["n_iter"] for row in some])
        seconds = [np.sum([row[init]["seconds"] for row in some]) for init in INITS]
        cells = [
            case[0], str(case[1]), GRAPHS[case[2]], f"{paper.mean():.3f}", f"{auto.mean():.3f}",
            f"{auto.mean() / paper.mean():.2f}", f"{np.sum(auto < paper)} of {len(some)}",
            f"{p_value(auto, paper):.1g}", f"{n_iter:g}", f"{seconds[1] / seconds[0]:.1f}",
        ]  # fmt: skip
        print("| " + " | ".join(cells) + " |")
    kept = Counter(row["kept"] for row in rows).most_common()
    print("\nKept: " + ", ".join(f"from {start} {n}" for start, n in kept))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", nargs="*", help="as for contest.py")
    parser.add_argument("--out", type=Path, required=True, help="a line for every repetition and M")
    parser.add_argument("--repetitions", type=int, default=20)
    parser.add_argument("--graph", choices=list(GRAPHS), help="only this one")
    parser.add_argument("--table", action="store_true", help="print the table only")
    arguments = parser.parse_args()
    graphs = [arguments.graph] if arguments.graph else list(GRAPHS)
    lines = arguments.out.read_text().splitlines() if arguments.out.exists() else []
    rows = [json.loads(line) for line in lines]
    if arguments.table and not rows:
        parser.error(f"{arguments.out} holds no repetition: run the fits first")
    done = {(row["data"], row["graph"], row["repetition"], row["M"]) for row in rows}
    for graph in () if arguments.table else graphs:
        for source, p, k in map(open_source, arguments.data):
            for repetition in range(arguments.repetitions):
                if all((source.name, graph, repetition, M) in done for M in NUMBERS):
                    continue
                with threadpool_limits(1):
                    new = list(run(source, p, k, repetition, graph))
                rows += new
                with arguments.out.open("a") as file:
                    file.writelines(json.dumps(row) + "\n" for row in new)
                print(f"{source.name}, {GRAPHS[graph]}, repetition {repetition}", flush=True)
    print_table(rows)


if __name__ == "__main__":
    main()
