"""Hostile inputs by the thousand: `python benchmarks/quality/fuzz.py --cases 20000`.

To be run before a release. Files, models, results, ledgers, arrays and command lines are damaged
and forged, each case from (target, seed, number) alone. Every case runs in a child process and must
end in an answer or a named error of predfeat's within 30 seconds and within a limit of memory,
without crashing, executing or writing anything. Prints a table, and exits with 1 if any case
failed.
`--replay read:1:17` repeats one case and shows its outcome; `--kept FOLDER` keeps the inputs of
cases that failed.
"""

import argparse
import signal
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))

from fuzzing.cases import TARGETS, shared_out
from fuzzing.runner import FAILURES, Outcome, run_cases
from fuzzing.summary import as_csv, as_markdown, rows_of

UNITS = {"K": 2**10, "M": 2**20, "G": 2**30}


def main() -> None:
    # Ended from outside, it ends its workers as after Ctrl-C.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    given = arguments()
    if given.replay:
        target, seed, number = given.replay.split(":")
        cases = [(target, int(seed), int(number))]
    else:
        cases = shared_out(given.cases, given.seed, given.target or list(TARGETS))
    started = time.monotonic()
    outcomes, limit = run_cases(
        cases,
        n_jobs=given.jobs,
        n_bytes=given.memory,
        timeout=given.timeout,
        kept=given.kept,
        on_outcome=teller(len(cases)),
    )
    if given.replay:
        print(f"{outcomes[0].result} {outcomes[0].name} {outcomes[0].details}")
        return
    rows = rows_of(outcomes)
    minutes = (time.monotonic() - started) / 60
    print(as_markdown(rows))
    print(
        f"{len(outcomes)} cases of seed {given.seed} in {minutes:.1f} minutes, {given.jobs} at a "
        f"time; memory: {given.memory / 2**20:.0f} MB for each process, {limit}."
    )
    if given.table:
        given.table.write_text(as_csv(rows) if given.table.suffix == ".csv" else as_markdown(rows))
    failed = [outcome for outcome in outcomes if outcome.result in FAILURES]
    if failed:
        sys.exit(f"{len(failed)} case(s) failed; their inputs are in {given.kept}.")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2, help="worker processes")
    parser.add_argument("--memory", type=n_bytes, default="2G", help="of each of them")
    parser.add_argument("--timeout", type=float, default=30.0, help="seconds of a case")
    parser.add_argument("--target", action="append", choices=TARGETS, help="once for each; all")
    parser.add_argument("--replay", metavar="TARGET:SEED:NUMBER")
    parser.add_argument(
        "--kept", type=Path, default=Path(tempfile.gettempdir()) / "predfeat-fuzz-failures"
    )
    parser.add_argument("--table", type=Path, help="write the table there: .md or .csv")
    return parser.parse_args()


def n_bytes(text: str) -> int:
    unit = UNITS.get(text[-1:].upper(), 0)
    return int(float(text[:-1]) * unit) if unit else int(text)


def teller(n_cases: int):
    n_done = 0

    def tell(outcome: Outcome) -> None:
        nonlocal n_done
        n_done += 1
        if outcome.result in FAILURES:
            last = outcome.details.strip().split("\n")[-1][:200]
            print(f"{outcome.case}: {outcome.result} {outcome.name} {last}", flush=True)
        elif n_done % 1000 == 0:
            print(f"{n_done} of {n_cases}", file=sys.stderr, flush=True)

    return tell


if __name__ == "__main__":
    main()
