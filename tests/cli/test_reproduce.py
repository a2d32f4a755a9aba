"""`predfeat reproduce`: a whole quick run, and how it fails."""

import shutil
import sys

import pytest

from commands import run, run_apart
from predfeat.cli import _reproduce
from predfeat.experiments import reproduction


def reproduce(*arguments):
    return run("reproduce", *arguments)


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    """All three experiments, without the extras: one repetition, panels a to e left out."""
    out = tmp_path_factory.mktemp("quick") / "new" / "folder"
    options = ("--quick", "--repetitions", 1, "--panel-repetitions", 0, "--jobs", 1)
    return out, options, reproduce("all", "--out", out, *options)


def test_a_quick_run_of_everything(done):
    out, _, result = done
    assert result.exit_code == 0, result.output
    names = {file.name for file in out.iterdir()}
    assert {"ledger.sqlite", "quick-toy.html", "quick-audio.html", "quick-visual.html"} <= names
    assert "quick-audio-piano-synthetic.csv" in names
    assert "quick-visual-moving-sprites-simulated-share.svg" in names
    assert "left" in result.stderr
    assert "quick-visual.html" in result.stdout


def test_the_same_command_again_computes_nothing_and_gives_the_same_tables(done):
    out, options, _ = done
    before = {file.name: file.read_bytes() for file in out.iterdir() if file.suffix == ".csv"}
    again = reproduce("all", "--out", out, *options)
    assert again.exit_code == 0
    assert ": 0/" not in again.stderr
    after = {file.name: file.read_bytes() for file in out.iterdir() if file.suffix == ".csv"}
    assert after == before
    assert len(after) == 3 + 3 * 3 + 3 + 3


def test_one_experiment_alone(done):
    out, options, _ = done
    result = reproduce("toy", "--out", out, "--quiet", *options)
    assert result.exit_code == 0
    assert result.stdout.startswith("toy: ")
    assert result.stdout.count("\n") == 1
    assert result.stderr == ""


def test_a_foreign_ledger_is_one_line(tmp_path):
    (tmp_path / "ledger.sqlite").write_bytes(b"not a database" * 100)
    result = run_apart("reproduce", "toy", "--out", tmp_path)
    assert result.returncode == 2
    assert result.stderr.startswith("predfeat: ")
    assert "no ledger of results" in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["audio", "--quick", "--piano", "nowhere.wav"], "there is no file nowhere.wav"),
        (["visual", "--quick", "--video", "nowhere.mp4"], "there is no file nowhere.mp4"),
    ],
)
def test_a_missing_file_is_told(tmp_path, arguments, told):
    result = reproduce(*arguments, "--out", tmp_path)
    assert result.exit_code != 0
    assert told in str(result.exception)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["visual", "--game", "X-v0", "--video", "x.mp4"], "only one of the two"),
        (["visual", "--game", "sprites", "--window", "0", "0", "20", "20"], "cut to a window"),
        (["nothing"], "nothing"),
        (["toy", "--repetitions", "0"], "--repetitions"),
    ],
)
def test_a_mistake_is_told_before_anything_is_made(tmp_path, arguments, told):
    result = reproduce(*arguments, "--out", tmp_path / "out")
    assert result.exit_code == 2
    assert told in result.output
    assert not (tmp_path / "out").exists()


def test_ctrl_c_says_that_finished_results_are_kept(tmp_path, monkeypatch):
    from predfeat.experiments.reproduction import _outcome

    def interrupted(*given, **named):
        raise KeyboardInterrupt

    monkeypatch.setattr(_outcome, "compute", interrupted)
    result = reproduce("toy", "--quick", "--out", tmp_path)
    assert result.exit_code == 130
    assert "finished results are kept" in result.stderr


def test_stopped_at_the_second_recording_the_page_shows_the_first(done, tmp_path, monkeypatch):
    out, options, _ = done
    shutil.copy(out / "ledger.sqlite", tmp_path)
    real, calls = reproduction.run_setup, []

    def stopped_at_the_second(setup, *arguments, **more):
        calls.append(setup.source.name)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return real(setup, *arguments, **more)

    monkeypatch.setattr(reproduction, "run_setup", stopped_at_the_second)
    assert reproduce("audio", "--out", tmp_path, *options).exit_code == 130
    page = (tmp_path / "quick-audio.html").read_text()
    assert calls[0] in page
    assert calls[1] not in page
    assert (tmp_path / "quick-audio-piano-synthetic.csv").exists()


def test_the_page_shows_the_command_without_places_on_this_machine(monkeypatch):
    given = ["/somewhere/bin/predfeat", "reproduce", "toy", "--out", "/tmp/x/results"]
    monkeypatch.setattr(sys, "argv", [*given, "--piano=/home/me/my piano.wav", "--jobs", "2"])
    assert _reproduce._command() == (
        "predfeat reproduce toy --out results '--piano=my piano.wav' --jobs 2"
    )


def test_the_folder_cannot_be_a_file(tmp_path):
    (tmp_path / "file").write_text("here")
    result = reproduce("toy", "--quick", "--out", tmp_path / "file")
    assert result.exit_code != 0
    assert "cannot be created" in str(result.exception)
