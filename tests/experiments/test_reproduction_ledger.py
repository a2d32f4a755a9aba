"""The ledger: what it holds, what it refuses, and that it loses nothing."""

import sqlite3
import subprocess
import sys
from dataclasses import replace

import pytest

from predfeat.exceptions import LedgerError
from predfeat.experiments.reproduction import (
    DataPoint,
    Fit,
    Ledger,
    Measured,
    Panel,
    Result,
    canonical_json,
    key_of,
    run_setup,
    toy_setup,
)

FIT = Fit("toy", "noise", "", 10, 700, 100, 700, None, "SFA", (("n_components", 2),), 0, 0)
POINT = DataPoint(FIT, n_components=2, n_lags=1, n_neighbors=10)


def result(number=0, value=1.5):
    point = replace(POINT, fit=replace(FIT, repetition=number))
    return Result(point, Measured(value, value / 2), seconds=0.1)


def test_every_field_of_a_specification_is_in_its_key():
    changed = [
        replace(POINT, n_components=3),
        replace(POINT, n_lags=2),
        replace(POINT, n_neighbors=11),
        replace(POINT, part="train"),
    ]
    others = {
        "experiment": "audio", "data": "x", "fingerprint": "x", "n_columns": 11, "n_train": 1,
        "n_test": 1, "n_drawn": 1, "pca_components": 0.99, "method": "PFA",
        "settings": (("n_components", 3),), "repetition": 1, "seed": 1,
    }  # fmt: skip
    assert set(others) == set(Fit.__dataclass_fields__)
    changed += [replace(POINT, fit=replace(FIT, **{name: v})) for name, v in others.items()]
    keys = {key_of(point, "1") for point in [POINT, *changed]} | {key_of(POINT, "2")}
    assert len(keys) == len(changed) + 2
    assert len({canonical_json(point) for point in changed}) == len(changed)
    assert key_of(POINT, "1") == key_of(replace(POINT, fit=replace(FIT)), "1")


def test_what_was_recorded_is_found_again_bit_for_bit(path):
    value = 0.1 + 0.2
    with Ledger(path) as ledger:
        ledger.record([result(value=value)])
    with Ledger(path) as ledger:
        found = ledger.find([POINT, replace(POINT, n_lags=2)])
        assert found == {POINT: Measured(value, value / 2)}
        assert ledger.seconds([POINT]) == {POINT: 0.1}


def test_many_points_are_found(path):
    results = [result(number) for number in range(1203)]
    with Ledger(path) as ledger:
        ledger.record(results)
        assert len(ledger.find(r.point for r in results)) == 1203


def test_another_version_of_the_library_is_another_row(path):
    with Ledger(path, version="1") as ledger:
        ledger.record([result(value=1.0)])
    with Ledger(path, version="2") as ledger:
        assert ledger.find([POINT]) == {}
        ledger.record([result(value=2.0)])
        assert ledger.find([POINT])[POINT].predictability == 2.0
        assert len(ledger) == 2
    with Ledger(path, version="1") as ledger:
        assert ledger.find([POINT])[POINT].predictability == 1.0


def test_a_result_that_is_there_stays_and_is_not_doubled(path):
    with Ledger(path) as one, Ledger(path) as other:
        one.record([result(value=1.0)])
        other.record([result(value=2.0), result(1)])
        assert len(one) == 2
        assert one.find([POINT])[POINT].predictability == 1.0


def test_results_that_come_together_are_committed_together(path):
    with Ledger(path) as ledger:
        bad = Result(replace(POINT, n_lags=2), Measured(float("nan"), 0.0), 0.1)
        with pytest.raises(LedgerError, match="cannot be written"):
            ledger.record([result(), bad])
        assert len(ledger) == 0
        ledger.record([result()])
        assert len(ledger) == 1


def test_a_database_of_another_program_is_refused_and_left_alone(path):
    foreign = sqlite3.connect(path)
    foreign.execute("CREATE TABLE letters (text)")
    foreign.commit()
    foreign.close()
    before = path.read_bytes()
    with pytest.raises(LedgerError, match="database of another program"):
        Ledger(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "contents", [b"no database at all\n" * 100, b"SQLite format 3\0" + b"?" * 5000]
)
def test_a_file_that_is_no_database_is_refused_and_left_alone(path, contents):
    path.write_bytes(contents)
    with pytest.raises(LedgerError, match=r"no ledger of results, or it is damaged"):
        Ledger(path)
    assert path.read_bytes() == contents


@pytest.mark.parametrize(
    "statements",
    [
        "CREATE TRIGGER t AFTER INSERT ON results BEGIN DELETE FROM results; END",
        "DROP TABLE times; CREATE VIEW times AS SELECT key, 1.0 AS seconds FROM results",
        # Asked for its rows, this one would never end.
        "DROP TABLE times; CREATE VIEW times AS WITH RECURSIVE a(n) AS (SELECT 1 UNION ALL "
        "SELECT n + 1 FROM a) SELECT n AS key, 1.0 AS seconds FROM a",
        "CREATE TABLE letters (text)",
        "ALTER TABLE results DROP COLUMN share",
    ],
)
def test_a_ledger_that_holds_more_than_results_is_refused(path, statements):
    Ledger(path).close()
    change(path, statements)
    with pytest.raises(LedgerError, match="no ledger of results, or it is damaged"):
        Ledger(path)


def change(path, statements):
    other = sqlite3.connect(path)
    other.executescript(statements)
    other.close()


@pytest.mark.parametrize("value", ["'x'", "x'00ff'"])
def test_cells_that_are_no_numbers_are_refused(path, value):
    with Ledger(path) as ledger:
        ledger.record([result()])
    change(path, f"UPDATE results SET share = {value}; UPDATE times SET seconds = {value}")
    with Ledger(path) as ledger:
        with pytest.raises(LedgerError, match="results holds unexpected values"):
            ledger.find([POINT])
        with pytest.raises(LedgerError, match="times holds unexpected values"):
            ledger.seconds([POINT])


def test_names_that_are_no_text_are_refused(path):
    Ledger(path).close()
    # SQLite names the table whose description it cannot read, and Python cannot read the name.
    for was, now in (
        (b"resultsresults", b"r\xffsultsr\xffsults"),
        (b"CREATE TABLE r", b"CREATE TABLX r"),
    ):
        path.write_bytes(path.read_bytes().replace(was, now))
    with pytest.raises(LedgerError, match="is no ledger of results, or it is damaged"):
        Ledger(path)


def test_lost_times_are_named(path):
    setup = replace(toy_setup(quick=True), panels=(Panel("a", "n_train", (100,)),), n_repeats=(0,))
    setup = replace(setup, methods=("random",))
    with Ledger(path) as ledger:
        run_setup(setup, ledger, 1)
    change(path, "DELETE FROM times")
    with Ledger(path) as ledger, pytest.raises(LedgerError, match="has lost recorded results"):
        run_setup(setup, ledger, 1)


def test_a_newer_layout_is_refused(path):
    Ledger(path).close()
    newer = sqlite3.connect(path)
    newer.execute("PRAGMA user_version = 99")
    newer.commit()
    newer.close()
    with pytest.raises(LedgerError, match="newer predfeat"):
        Ledger(path)


def test_a_locked_ledger_says_so_and_loses_nothing(path):
    with Ledger(path, patience=0.05) as ledger:
        ledger.record([result()])
        holder = sqlite3.connect(path, isolation_level=None)
        holder.execute("BEGIN IMMEDIATE")
        with pytest.raises(LedgerError, match="locked by another program"):
            ledger.record([result(1)])
        with pytest.raises(LedgerError, match="locked by another program"):
            Ledger(path, patience=0.05)
        holder.execute("ROLLBACK")
        holder.close()
        ledger.record([result(2)])
        assert len(ledger) == 2


def test_a_full_disk_says_so_and_loses_nothing(path):
    with Ledger(path) as ledger:
        ledger.record([result(number) for number in range(20)])
        (n_pages,) = ledger._connection.execute("PRAGMA page_count").fetchone()
        ledger._connection.execute(f"PRAGMA max_page_count = {n_pages}")
        with pytest.raises(LedgerError, match="the disk is full"):
            ledger.record([result(number) for number in range(20, 500)])
        assert len(ledger) == 20
    with Ledger(path) as ledger:
        ledger.record([result(21)])
        assert len(ledger) == 21


def test_a_read_only_ledger_says_so_at_the_start(path, monkeypatch):
    Ledger(path).close()
    connect = sqlite3.connect

    def read_only(name, **options):
        return connect(f"file:{name}?mode=ro", uri=True, **options)

    monkeypatch.setattr(sqlite3, "connect", read_only)
    with pytest.raises(LedgerError, match="read-only"):
        Ledger(path)


def test_a_folder_that_is_not_there_says_so(tmp_path):
    with pytest.raises(LedgerError, match="cannot be opened"):
        Ledger(tmp_path / "nowhere" / "ledger.sqlite")


WRITER = """
import sys
from dataclasses import replace
from predfeat.experiments.reproduction import *
fit = Fit("toy", "noise", "", 10, 700, 100, 700, None, "SFA", (("n_components", 2),), 0, 0)
with Ledger(sys.argv[1]) as ledger:
    for number in range(int(sys.argv[2]), int(sys.argv[3])):
        point = DataPoint(replace(fit, repetition=number), 2, 1, 10)
        ledger.record([Result(point, Measured(1.0, 0.5), 0.1)])
"""


def test_several_processes_write_into_one_ledger(path):
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(path), str(start), str(start + 60)])
        for start in (0, 30, 60)
    ]
    assert [writer.wait(timeout=120) for writer in writers] == [0, 0, 0]
    with Ledger(path) as ledger:
        assert len(ledger) == 120
