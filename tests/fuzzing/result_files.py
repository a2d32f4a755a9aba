"""What commands wrote and go on with: results, surrogates that are not all done, ledgers."""

import contextlib
import json
import shutil
import sqlite3
from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random

import numpy as np

from damage import csv_bytes, mutated
from fuzzing.cases import Case, Wrong
from fuzzing.command_lines import command
from fuzzing.hostile import EXTREME_INTEGERS, TEXTS, change_values, extreme_fields, hostile_json
from predfeat import SFA
from predfeat.exceptions import LedgerError, ResultsError
from predfeat.experiments import compare_on_recording
from predfeat.experiments import reproduction as r
from predfeat.report import render, results_of
from predfeat.selection import diagnose, significance
from recordings import RECORDINGS

# Results


@cache
def whole_results(name: str) -> bytes:
    """Return the results of a small study, with all parts that results can have."""
    recording = RECORDINGS[name]()
    study = compare_on_recording(recording, ["random", "SFA"], n_repetitions=2, n_jobs=1)
    rows, groups = study.learned_from
    values = recording.values[rows]
    parts = {"diagnosis": diagnose(study.model, values, groups=groups, names=recording.names)}
    if name == "table":
        tested = significance(SFA(3), recording.values, n_surrogates=19)
        parts |= {"significance": tested, "tested_rows": len(recording.values)}
    results = results_of(study, f"predfeat compare {name}", **parts)
    for method in results["methods"]:
        method["seconds"] = [0.25] * len(method["seconds"])  # never the same twice
    return json.dumps(results).encode()


def reporting(draw: Random, folder: Path) -> Case:
    """`render` and `predfeat report`: a page, or the key that is wrong."""
    raw = whole_results(draw.choice(["table", "trials", "video", "sound"]))
    if draw.random() < 0.75:
        fields = json.loads(raw)
        change_values(fields, draw)
        (folder / "results.json").write_text(json.dumps(fields))

        def run() -> None:
            page = render(fields)
            if not page.startswith("<!doctype html>") or not page.rstrip().endswith("</html>"):
                raise Wrong("half a page")

        return Case("render, changed values", run, (ResultsError,))
    changed = hostile_json(raw, draw) if draw.random() < 0.6 else mutated(raw, _numpy_from(draw))
    (folder / "results.json").write_bytes(changed)
    return command(["report", "results.json", "--out", "page.html"])


def _numpy_from(draw: Random) -> np.random.Generator:
    return np.random.default_rng(draw.getrandbits(64))


# Surrogates

COMPARE = ["compare", "data.csv", "-m", "sfa", "--repetitions", "1", "--no-diagnosis", "--jobs",
           "1", "--significance", "permutation", "--surrogates", "19", "--out", "out"]  # fmt: skip


@cache
def whole_surrogates(folder: Path) -> bytes:
    """Return what `compare` would keep of a test that is nearly done."""
    import predfeat.cli._follow_ups as follow_ups

    kept = []
    write = follow_ups.KeptSurrogates.write
    follow_ups.KeptSurrogates.write = lambda self, tested: kept.append(tested.as_dict())
    try:
        command([*COMPARE, "--out", "before"]).run()
    finally:
        follow_ups.KeptSurrogates.write = write
    shutil.rmtree(folder / "before")
    return json.dumps(kept[-1]).encode()


def going_on(draw: Random, folder: Path) -> Case:
    """`predfeat compare --significance` where surrogates of an earlier run seem to be."""
    (folder / "data.csv").write_bytes(csv_bytes())
    raw = whole_surrogates(folder)
    changed = hostile_json(raw, draw) if draw.random() < 0.8 else mutated(raw, _numpy_from(draw))
    (folder / "out").mkdir()
    (folder / "out" / "surrogates.json").write_bytes(changed)
    return command([*COMPARE, "--force"])


# Ledgers


@cache
def _setup() -> r.Setup:
    small = r.Panel("a", "n_train", (100,))
    return replace(r.toy_setup(quick=True), panels=(small,), tested_components=(2,))


@cache
def whole_ledger(folder: Path) -> bytes:
    """Return a ledger with the results of a small experiment."""
    path = folder / "whole.sqlite"
    with r.Ledger(":memory:") as ledger:
        rows = r.run_setup(_setup(), ledger, 1).rows
    with r.Ledger(path) as ledger:  # with times that are the same every time
        ledger.record([r.Result(row.place.point, row.measured, 0.25) for row in rows])
    raw = path.read_bytes()
    path.unlink()
    return raw


def _other_contents(path: Path, draw: Random) -> str:
    """Change a ledger in SQLite's own language, and return how."""
    value = draw.choice(["NULL", "'x'", "x'00ff'", "9e999", "-1", "0", "1e308", "5e-324", "''"])
    column = draw.choice(["predictability", "share", "version", "specification", "key"])
    endless = "WITH RECURSIVE a(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM a) SELECT"
    statements = [
        f"UPDATE OR IGNORE results SET {column} = {value}",
        f"UPDATE OR IGNORE times SET seconds = {value}",
        "DELETE FROM times",
        "DELETE FROM results WHERE rowid % 2",
        "DROP TABLE times",
        "ALTER TABLE results DROP COLUMN share",
        "CREATE TRIGGER t AFTER INSERT ON results BEGIN DELETE FROM results; END",
        "CREATE TRIGGER t BEFORE INSERT ON times BEGIN SELECT RAISE(ABORT, 'no'); END",
        "CREATE TABLE sqlite_more (x)",
        "DROP TABLE times; CREATE VIEW times AS SELECT key, 1.0 AS seconds FROM results",
        f"DROP TABLE times; CREATE VIEW times AS {endless} n AS key, 1.0 AS seconds FROM a",
        f"DROP TABLE results; CREATE VIEW results AS {endless} n AS key FROM a",
        "DROP TABLE results; CREATE TABLE results (key, version, specification, predictability, "
        "share)",
        f"PRAGMA user_version = {draw.choice(EXTREME_INTEGERS) % 2**31}",
        f"PRAGMA application_id = {draw.choice(EXTREME_INTEGERS) % 2**31}",
        "PRAGMA journal_mode = WAL",
        "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = 'x'",
        "PRAGMA writable_schema = ON; UPDATE sqlite_master SET rootpage = 99999",
        "VACUUM",
        f"CREATE TABLE more (x); INSERT INTO more VALUES ('{draw.choice(TEXTS[3:12:2])[:50]}')",
    ]
    chosen = draw.choice([s for s in statements if "'" not in s or s.count("'") % 2 == 0])
    with contextlib.closing(sqlite3.connect(path)) as database:
        with contextlib.suppress(sqlite3.Error, sqlite3.Warning, ValueError):
            database.executescript(chosen)
        database.commit()
    return chosen


def looking_up(draw: Random, folder: Path) -> Case:
    """The ledger of `predfeat reproduce`: results that are numbers, or LedgerError."""
    path = folder / "ledger.sqlite"
    raw = whole_ledger(folder)
    way = draw.random()
    how = "bytes"
    if way < 0.4:
        path.write_bytes(mutated(raw, _numpy_from(draw)))
    elif way < 0.6:
        path.write_bytes(extreme_fields(raw, draw))
    else:
        path.write_bytes(raw)
        how = _other_contents(path, draw)
    if draw.random() < 0.1:
        (folder / "ledger.sqlite-journal").write_bytes(mutated(raw, _numpy_from(draw)))

    def run() -> None:
        with r.Ledger(path) as ledger:
            outcome = r.run_setup(_setup(), ledger, 1)
            for row in outcome.rows:
                numbers = (row.measured.predictability, row.measured.share, row.seconds)
                if any(type(number) is not float for number in numbers):
                    raise Wrong("a result that is no number")
            len(ledger)

    return Case(how, run, (LedgerError,))
