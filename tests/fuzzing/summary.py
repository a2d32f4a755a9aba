"""What came of a run, as a table: for the terminal, the documentation, or a spreadsheet."""

import csv
import io
from collections import Counter
from collections.abc import Sequence

from fuzzing.runner import FAILURES, Outcome

COLUMNS = ("target", "cases", "answers", "refused", "unexpected", "crashes", "hangs",
           "over memory", "executed", "slowest", "peak memory")  # fmt: skip


def rows_of(outcomes: Sequence[Outcome]) -> list[tuple[str, ...]]:
    """Return a row for each target, and one for all."""
    targets = sorted({outcome.target for outcome in outcomes})
    rows = [_row(name, [o for o in outcomes if o.target == name]) for name in targets]
    return [*rows, _row("all", outcomes)]


def _row(name: str, outcomes: Sequence[Outcome]) -> tuple[str, ...]:
    counts = Counter(outcome.result for outcome in outcomes)
    refusals = Counter(o.name for o in outcomes if o.result == "refused").most_common()
    told = ", ".join(f"{n} {error}" for error, n in refusals)
    slowest = max(outcomes, key=lambda o: o.seconds)
    peak = max(outcome.peak for outcome in outcomes) / 2**20
    return (
        name,
        str(len(outcomes)),
        str(counts["answer"]),
        str(counts["refused"]) if name == "all" else told or "0",
        *(str(counts[result]) for result in FAILURES),
        f"{slowest.seconds:.1f} s" + ("" if name == "all" else f" (no. {slowest.number})"),
        f"{peak:.0f} MB",
    )


def as_markdown(rows: Sequence[tuple[str, ...]]) -> str:
    """Return a table of Markdown."""
    lines = [COLUMNS, ("---",) * len(COLUMNS), *rows]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def as_csv(rows: Sequence[tuple[str, ...]]) -> str:
    """Return a table of comma-separated values."""
    file = io.StringIO()
    csv.writer(file, lineterminator="\n").writerows([COLUMNS, *rows])
    return file.getvalue()
