"""What must not happen is noticed, with the case that did it, and the run goes on."""

import os
import sys

import pytest

from fuzzing.cases import TARGETS, prepare, shared_out
from fuzzing.limits import make_cgroup
from fuzzing.runner import Outcome, run_cases
from fuzzing.summary import as_csv, as_markdown, rows_of

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="pipes are not waited for there")

EXPECTED = {
    "fine": ("answer", ""),
    "refusing": ("refused", "ValueError"),
    "aborting": ("crash", "SIGABRT"),
    "leaving": ("crash", "exit code 3"),
    "hanging": ("hang", "more than 2 s"),
    "unpickling": ("executed", ""),
    "shelling": ("executed", ""),
    "writing_elsewhere": ("executed", ""),
    "raising_key_error": ("unexpected", "KeyError"),
    "out_of_memory": ("memory", "MemoryError"),
    "shouting": ("unexpected", "long message"),
    "answering_wrongly": ("unexpected", "components are not finite"),
}


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    kept = tmp_path_factory.mktemp("kept")
    # In this order each worker that is to die has one after it.
    cases = [(name, 1, number) for number, name in enumerate([*EXPECTED, "fine"])]
    outcomes, _ = run_cases(cases, n_bytes=2**28, timeout=2.0, kept=kept)
    return outcomes, kept


@pytest.mark.parametrize("name", EXPECTED)
def test_what_is_planted_is_reported_with_its_number(name, run):
    number = list(EXPECTED).index(name)
    (found,) = [outcome for outcome in run[0] if (outcome.target, outcome.number) == (name, number)]
    assert (found.result, found.name) == EXPECTED[name]
    assert found.case == f"{name}:1:{number}"


def test_the_run_goes_on_and_keeps_what_failed(run):
    outcomes, kept = run
    assert len(outcomes) == len(EXPECTED) + 1
    failed = {name for name, (result, _) in EXPECTED.items() if result not in ("answer", "refused")}
    assert {folder.name.split("-")[0] for folder in kept.iterdir()} == failed
    assert not os.path.lexists("/predfeat-was-here.txt")  # it was not only noticed


@pytest.mark.parametrize("limit", ["cgroup", "address space"])
def test_too_much_memory_is_reported(limit, monkeypatch):
    if limit == "address space":
        monkeypatch.setattr("fuzzing.runner.make_cgroup", lambda *_: None)
    elif (made := make_cgroup("predfeat-fuzz-trial", 2**28)) is None:
        pytest.skip("no cgroup can be made here")
    else:
        made.close()
    outcomes, how = run_cases([("eating", 1, 0), ("fine", 1, 1)], n_bytes=2**28, timeout=30.0)
    assert limit in how
    assert [outcome.result for outcome in outcomes] == ["memory", "answer"]


def test_memory_that_was_taken_counts_without_any_limit(monkeypatch):
    class Unlimited:
        folder, limit = None, "none"

        def run(self, *case):
            return Outcome(*case, "answer", peak=2**29)

        def close(self):
            pass

    monkeypatch.setattr("fuzzing.runner.Worker", lambda *_: Unlimited())
    outcomes, _ = run_cases([("fine", 1, 0)], n_bytes=2**28)
    assert outcomes[0].result == "memory"


@pytest.mark.parametrize("target", TARGETS)
def test_a_case_is_made_from_its_seed_and_number_alone(target, tmp_path, monkeypatch):
    def made(name, seed, number):
        folder = tmp_path / name / "case"
        folder.mkdir(parents=True)
        monkeypatch.chdir(folder)
        told = prepare(target, seed, number, folder).told.replace(str(folder), "")
        files = {p.name: p.read_bytes() for p in folder.rglob("*") if p.is_file()}
        return told, files

    pytest.importorskip("soundfile")
    assert made("one", 1, 4) == made("two", 1, 4)
    assert made("three", 1, 5) != made("four", 1, 4)


def test_cases_are_shared_out_over_all_targets():
    cases = shared_out(1000, 3, list(TARGETS))
    assert len(cases) == len(set(cases))
    assert abs(len(cases) - 1000) <= len(TARGETS)
    assert {target for target, _, _ in cases} == set(TARGETS)
    assert shared_out(1000, 3, list(TARGETS)) == cases


def test_the_tables_count_everything():
    outcomes = [
        Outcome("read", 1, 0, "answer", seconds=0.5, peak=2**20),
        Outcome("read", 1, 1, "refused", "DataFileError", seconds=1.0),
        Outcome("load", 1, 0, "crash", "SIGSEGV"),
    ]
    rows = rows_of(outcomes)
    assert [row[0] for row in rows] == ["load", "read", "all"]
    assert rows[1][1:4] == ("2", "1", "1 DataFileError")
    assert rows[-1][1:9] == ("3", "1", "1", "0", "1", "0", "0", "0")
    assert as_markdown(rows).count("\n") == 5
    assert as_csv(rows).splitlines()[0].startswith("target,cases")
