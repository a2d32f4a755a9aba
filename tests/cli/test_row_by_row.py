"""`predfeat transform MODEL -`: rows of standard input are answered one by one."""

import io
import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from threading import Timer

import numpy as np
import pytest
from sklearn.pipeline import Pipeline

from commands import TIMEOUT, run_well
from predfeat import SFA, save
from predfeat.cli import main

POSIX = pytest.mark.skipif(os.name == "nt", reason="signals and pipes of POSIX")
NAMES = ["a", "b", "c"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with a table, and models fitted to it in several ways."""
    folder = tmp_path_factory.mktemp("stream")
    X = np.random.default_rng(0).normal(size=(60, 3)).cumsum(axis=0)
    X[20, 1] = np.nan
    cells = [",".join("" if x != x else repr(x) for x in row) for row in X.tolist()]
    lines = ["time,a,b,c,trial", *(f"{t},{row},{t // 25}" for t, row in enumerate(cells))]
    folder.joinpath("table.csv").write_text("\n".join(lines) + "\n")
    for name, options in MODELS.items():
        fit = ["fit", folder / "table.csv", "-m", "sfa", "-q", "-c", "a,b,c", *options]
        run_well(*fit, "--out", folder / f"{name}.predfeat")
    return folder


MODELS = {
    "plain": [],
    "delays": ["--delays", "2", "--group", "trial"],
    "changes": ["--difference", "--every", "2", "--group", "trial"],
    "detrended": ["--detrend"],
}


@pytest.fixture
def transformed(folder, monkeypatch):
    """Return a function that answers a stream that has ended: exit code, output and messages."""

    def run(text, *options, model="plain"):
        words = ["predfeat", "transform", folder / f"{model}.predfeat", "-", *options]
        streams = [io.TextIOWrapper(io.BytesIO(b), "utf-8") for b in (text.encode(), b"", b"")]
        with monkeypatch.context() as patch:
            patch.setattr(sys, "argv", [str(word) for word in words])
            for name, stream in zip(("stdin", "stdout", "stderr"), streams, strict=True):
                patch.setattr(sys, name, stream)
            with pytest.raises(SystemExit) as ended:
                main()
        _, out, err = (stream.buffer.getvalue().decode() for stream in streams)
        return ended.value.code or 0, out, err

    return run


def whole(folder, model):
    """Return what the command prints for the table as a file."""
    file = folder / "table.csv"
    return run_well("transform", folder / f"{model}.predfeat", file, "--out", "-", "-q").stdout


@contextmanager
def started(folder, *options, model="plain"):
    """Start the command with pipes in the place of its terminal."""
    words = [sys.executable, "-m", "predfeat", "transform", f"{model}.predfeat", "-", *options]
    process = subprocess.Popen(
        words,
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        bufsize=1,
        # What a shell starts in the background ignores Ctrl-C, and so do its children.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    watch = Timer(TIMEOUT, process.kill)  # a test that waits in vain ends with an empty line
    watch.start()
    try:
        yield process
    finally:
        watch.cancel()
        process.kill()
        for pipe in (process.stdin, process.stdout, process.stderr):
            if not pipe.closed:
                pipe.close()
        process.wait(TIMEOUT)


def table_of(text):
    """Return the names and the cells of a text table."""
    head, *rows = [line.split(",") for line in text.splitlines()]
    return head, rows


def as_numbers(rows):
    return np.array([[float(cell) if cell.strip('"') else np.nan for cell in row] for row in rows])


def test_a_pipeline_answers_rows_too(folder, transformed):
    X = np.random.default_rng(0).normal(size=(60, 3)).cumsum(axis=0)
    model = Pipeline([("nothing", None), ("first", SFA(2)), ("second", SFA(1))]).fit(X)
    save(model, folder / "pipeline.predfeat")
    lines = [",".join(map(repr, row)) for row in X[:4].tolist()]
    code, out, err = transformed("\n".join(lines), model="pipeline")
    assert code == 0, err
    found = [float(line) for line in out.split()]
    np.testing.assert_allclose(found, model.transform(X)[:4, 0], rtol=1e-12)
    code, _, err = transformed("1,2\n", model="pipeline")
    assert code == 2
    assert "give 2 columns, but the model was fitted to 3" in err


@pytest.mark.parametrize("model", ["plain", "delays", "changes"])
def test_rows_get_the_features_that_the_whole_file_gives_them(folder, transformed, model):
    code, out, err = transformed(folder.joinpath("table.csv").read_text(), model=model)
    assert (code, err) == (0, "")
    (head, expected), (names, found) = table_of(whole(folder, model)), table_of(out)
    assert names == head
    n_aside = 1 + (model != "plain")  # the time, and the trial
    assert [row[:n_aside] for row in found] == [row[:n_aside] for row in expected]
    # One row's product may be summed in another order than that of a block of rows.
    np.testing.assert_allclose(as_numbers(found), as_numbers(expected), rtol=1e-9, atol=1e-12)
    assert np.isnan(as_numbers(found)[:, -1]).any()


@POSIX
def test_a_row_is_answered_before_the_next_is_sent(folder):
    with started(folder) as process:
        process.stdin.write("time,a,b,c\n")
        assert process.stdout.readline() == "time,sfa0,sfa1\n"
        for time in range(3):
            process.stdin.write(f"{time},{time}.5,2,3\n")
            assert process.stdout.readline().startswith(f"{time},")
        process.stdin.write("3,,2,3\n")
        assert process.stdout.readline() == "3,,\n"
        process.stdin.write("4,1,2,")
        process.stdin.flush()
        process.stdin.write("3\n")
        assert process.stdout.readline().startswith("4,")
        process.stdin.close()
        assert process.wait(TIMEOUT) == 0
        assert process.stderr.read() == ""


@POSIX
def test_an_interrupt_ends_a_stream(folder):
    with started(folder) as process:
        process.stdin.write("1 2 3\n")
        assert process.stdout.readline()
        process.send_signal(signal.SIGINT)
        assert process.wait(TIMEOUT) == 130
        assert process.stderr.read().count("\n") == 1


@POSIX
def test_a_reader_that_leaves_ends_a_stream(folder):
    with started(folder) as process:
        process.stdin.write("1 2 3\n")
        assert process.stdout.readline()
        process.stdout.close()
        process.stdin.write("1 2 3\n")  # and stays open: nobody has to send an end
        assert process.wait(TIMEOUT) == 141
        assert process.stderr.read() == ""


def test_rows_without_names_are_the_models_columns_in_order(transformed):
    named = transformed("a,b,c\n1,2,3\n4,5,6\n")[1].splitlines()
    for text in ("1,2,3\n4,5,6\n", "1 2   3\n 4 5 6\n", "1\t2\t3\n4\t5\t6\n"):
        assert transformed(text)[1].splitlines() == named[1:]


def test_columns_are_found_by_name(transformed):
    ordered = transformed("a,b,c\n1,2,3\n")
    assert len(ordered[1].splitlines()) == 2
    assert transformed("c;other;b;a\n3;x;2;1\n") == ordered
    assert transformed("# from the sensor\n\nb,a,c\r\n\r\n# now\n2,1,3\r\n") == ordered


def test_a_decimal_comma_and_named_missing_cells(transformed):
    found = transformed("a;b;c\n1,5;2;3\nerr;2;3\n", "--missing", "err")[1].splitlines()
    assert found[:2] == transformed("a,b,c\n1.5,2,3\n")[1].splitlines()
    assert found[2] == ","


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b,c\n1,2,3\n1,2\n", "line 3 of standard input has 2 cell(s), but the first row has 3"),
        ("a,b,c\n\n1,2,x\n", "line 3 of standard input holds 'x' in column 'c'"),
        ("# one\n1 2 3\n1 two 3\n", "line 3 of standard input holds 'two' in column 'b'"),
        ('a,b,c\n1,2,"3\n', "line 2 of standard input cannot be split into cells"),
        ("a,b,c\n1,2,1e305\n", "line 2 of standard input: X"),
        ("a,b\n1,2\n", "c is missing. The model needs 3 columns"),
        ("1,2\n", "a, b, c is missing. The model needs 3 columns"),
        ("", "standard input holds nothing but blank lines"),
    ],
)
def test_a_line_that_cannot_be_read_is_named(transformed, text, message):
    code, _, err = transformed(text)
    assert code == 2
    assert message in err
    assert err.count("\n") == 1


def test_what_came_before_a_bad_line_is_answered(transformed):
    assert len(transformed("a,b,c\n1,2,3\n1,2\n")[1].splitlines()) == 2


def test_what_needs_the_whole_recording_is_refused_with_the_reason(transformed):
    code, _, err = transformed("a,b,c\n1,2,3\n", model="detrended")
    assert code == 2
    assert "the straight line is that of the whole recording" in err
    code, _, err = transformed("a,b,c\n1,2,3\n", "--jumps", "gaps")
    assert code == 2
    said = " ".join(err.replace("│", " ").split())
    assert "--jumps" in said
    assert "With --out FILE" in said


def test_a_file_to_write_still_gets_the_whole_input(folder, transformed):
    out = folder / "whole.csv"
    assert transformed(folder.joinpath("table.csv").read_text(), "--out", out)[0] == 0
    assert out.read_text() == whole(folder, "plain")


def test_a_model_from_python_takes_rows_of_its_width(folder, transformed):
    X = np.random.default_rng(1).normal(size=(50, 2))
    model = SFA(1).fit(X)
    save(model, folder / "python.predfeat")
    first, second = transformed("0.5 1.5\nnan 1\n", model="python")[1].splitlines()
    np.testing.assert_allclose(float(first), model.transform([[0.5, 1.5]]).item(), rtol=1e-12)
    assert second == '""'
    err = transformed("1 2 3\n", model="python")[2]
    assert "give 3 columns, but the model was fitted to 2" in err
