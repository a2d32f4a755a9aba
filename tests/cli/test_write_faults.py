"""A disk that fails at any step of writing: a sentence with the file's name, nothing half done."""

import json
import os
import re
import shutil
from dataclasses import replace

import numpy as np
import pytest

import predfeat.experiments
import predfeat.report._reproduction
import predfeat.selection
from fuzzing.command_lines import run_command
from predfeat import SFA, save
from predfeat.experiments import reproduction as r
from predfeat.report import results_of
from recordings import RECORDINGS
from write_faults import LASTING, Disk

CODES = list(LASTING)
ALSO = ("surrogates.json", "ledger.sqlite")  # files that are there for a while, or SQLite's
COMMANDS = {
    "fit": ["fit", "data.csv", "-m", "sfa", "--out", "out/new/model.predfeat"],
    "transform csv": ["transform", "model.predfeat", "data.csv", "--out", "out/features.csv"],
    "transform tsv": ["transform", "model.predfeat", "data.csv", "--out", "out/features.tsv"],
    "transform npy": ["transform", "model.predfeat", "data.csv", "--out", "out/features.npy"],
    "transform parquet": [
        "transform", "model.predfeat", "data.csv", "--out", "out/features.parquet",
    ],
    "compare": ["compare", "data.csv", "--out", "out", "--significance", "permutation",
                "--surrogates", "19", "--jobs", "1", "--no-diagnosis"],
    "choose": ["choose", "data.csv", "--out", "out", "--n-lags", "1", "--jobs", "1"],
    "report": ["report", "results.json", "--out", "out/page.html"],
    "reproduce": ["reproduce", "toy", "--out", "out", "--quick", "--jobs", "1", "--quiet"],
}  # fmt: skip


@pytest.fixture(scope="module")
def computed():
    """What takes time, computed once: the faults are in the writing."""
    study = predfeat.experiments.compare_on_recording(
        RECORDINGS["table"](), ["SFA"], n_repetitions=2, n_jobs=1
    )
    rows, groups = study.learned_from
    values = study.recording.values[rows]
    setup = replace(r.toy_setup(quick=True), panels=(r.Panel("a", "n_train", (100,)),))
    points = r.panel_points(setup, 0, 1)
    measured = [r.Row(place, r.Measured(1.5, 0.75), 0.25) for place in points]
    return {
        "study": study,
        "results": results_of(study, "predfeat compare"),
        "diagnosis": predfeat.selection.diagnose(study.model, values, groups=groups),
        "significance": predfeat.selection.significance(
            SFA(2), values, groups=groups, n_surrogates=19, kind="permutation"
        ),
        "choice": predfeat.selection.choose(
            values, n_lags=[1], n_components=[1, 2], method=SFA, n_folds=2
        ),
        "outcome": r.Outcome(setup, 0, measured),
    }


@pytest.fixture
def folder(tmp_path, monkeypatch, computed):
    """A folder with what the commands need, and what they compute already computed."""
    monkeypatch.chdir(tmp_path)
    np.savetxt("data.csv", np.random.default_rng(0).normal(size=(80, 3)), delimiter=",")
    save(SFA(2).fit(np.loadtxt("data.csv", delimiter=",")), "model.predfeat")
    (tmp_path / "results.json").write_text(json.dumps(computed["results"]))

    def tested(*_, on_part=None, **__):
        if on_part is not None:
            on_part(computed["significance"])
        return computed["significance"]

    for name, stand_in in {
        "experiments.compare_on_recording": lambda *_, **__: computed["study"],
        "selection.diagnose": lambda *_, **__: computed["diagnosis"],
        "selection.significance": tested,
        "selection.choose": lambda *_, **__: computed["choice"],
        "experiments.reproduction.run_setup": lambda *_, **__: computed["outcome"],
        # What grows with what is found; the pages themselves are not looked at.
        "report.results_of": lambda *_, **__: computed["results"],
        "report.with_findings": lambda results, *_, **found: {**results, "found": list(found)},
        "report.render": lambda results: f"<page {results.get('found')}>" * 9000,
        "report._reproduction.draw_outcome": lambda *_: None,
        "report._reproduction.figure_bytes": lambda _, kind: f"<{kind}>".encode() * 9000,
    }.items():
        monkeypatch.setattr(f"predfeat.{name}", stand_in)
    return tmp_path


def files_in(out):
    """Return all files but SQLite's, by their place."""
    return {
        str(path.relative_to(out)): path.read_bytes()
        for path in out.rglob("*")
        if path.is_file() and not path.name.startswith("ledger")
    }


def clean_run(disk, folder, words):
    """Run the command with nothing wrong; return its steps, and what it leaves."""
    disk.heal()
    code, told = run_command(words)
    assert code == 0, told
    return list(disk.steps), files_in(folder / "out")


@pytest.mark.parametrize("name", COMMANDS)
def test_any_step_of_any_command_may_fail(name, folder, monkeypatch):
    words, out = COMMANDS[name], folder / "out"
    again = words if name == "reproduce" else [*words, "--force"]
    disk = Disk(monkeypatch, out)
    first, _ = clean_run(disk, folder, words)
    second, whole = clean_run(disk, folder, again)
    ledgers = {path: path.read_bytes() for path in out.glob("ledger*")}
    assert {"open", "write", "flush", "chmod", "replace", "mkdir"} <= {*first, *second}
    for is_second, steps in enumerate([first, second]):
        for number in range(len(steps)):
            shutil.rmtree(out, ignore_errors=True)
            before = dict.fromkeys(whole, b"old") if is_second else {}
            for place, content in before.items():
                (out / place).parent.mkdir(parents=True, exist_ok=True)
                (out / place).write_bytes(content)
            for path, content in ledgers.items() if is_second else ():
                path.write_bytes(content)
            code = CODES[number % len(CODES)]
            disk.let_fail(number, code, lasting=(number // len(CODES) + is_second) % 2 == 1)
            ended, told = run_command(again if is_second else words)
            failed = list(disk.failed)
            disk.heal()
            assert failed, "the steps of a run are always the same"
            assert_told(ended, told, code, whole)
            left = files_in(out)
            assert_left(left, before, disk.written, failed)
            if ended == 0:
                assert {*whole} <= {*left}
                assert b"old" not in left.values()
    assert clean_run(disk, folder, again)[1] == whole


def assert_told(ended, told, code, whole):
    """Assert that a failure is told with the file and the reason."""
    assert ended in (0, 2), told
    assert "Traceback" not in told
    if ended == 2:
        # A folder that cannot be created is named itself.
        named = "|".join(map(re.escape, [*whole, *ALSO, "out", "out/new"]))
        reason = re.escape(os.strerror(code))
        advice = r"( Give [^.]*\.)?"  # of what is found before the work
        assert re.search(rf"({named})( cannot be created)?: {reason}\.?{advice}\n\Z", told), told
        assert told.splitlines()[-1].startswith("predfeat: ")


def assert_left(left, before, written, failed):
    """Assert that every file is as before or whole, and no temporary one is left needlessly."""
    parts = {place for place in left if place.endswith(".part")}
    assert not parts or "unlink" in failed
    for place in {*left} - parts:
        content = left[place]
        assert content == before.get(place) or content in written[os.path.basename(place)], failed
