"""What the library says of its parameters, in the command's words."""

import re

import numpy as np
import pytest
import typer.main

from csv_tables import write_array
from predfeat.cli import _wording, app
from predfeat.cli._wording import advice_in_options, in_options, speak_of

COMMANDS = typer.main.get_command(app).commands


@pytest.fixture(autouse=True)
def silence(monkeypatch):
    monkeypatch.setattr(_wording, "_options", {})


@pytest.mark.parametrize(
    ("command", "said", "told"),
    [
        ("fit", "n_lags=3 is too much.", "--n-lags 3 is too much."),
        ("fit", "fewer lags (n_lags), or theiler=9.", "fewer lags (--n-lags), or --theiler 9."),
        ("fit", "give jumps='ignore'", "give --jumps ignore"),
        ("fit", "with `columns`, not columns", "with --columns, not columns"),
        ("fit", "pca_components=None", "--pca-components none"),
        ("fit", "rate=100.0, every=2.5.", "--rate 100, --every 2.5."),
        ("fit", "use past=False or normalized=True", "use --no-past or --normalized"),
        ("fit", "the time of the group, a key", "the time of the group, a key"),
        ("fit", "rows (time) by columns (channels)", "rows (time) by columns (channels)"),
        ("fit", "column 'n_lags=3' and 'n_lags'", "column 'n_lags=3' and 'n_lags'"),
        ("fit", "the folds' n_lags, 'a'", "the folds' --n-lags, 'a'"),
        ("fit", "(n_samples = 40, n_features=1)", "(40 rows, 1 column)"),
        ("fit", "GPFA(n_lags=2) and SFA() were fitted", "GPFA and SFA were fitted"),
        ("fit", "n_folds=3", "n_folds=3"),  # of which fit knows nothing
        ("fit", "n_jobs=2, n_delays=4", "--jobs 2, --delays 4"),
        ("choose", "n_folds=3, n_components=[8, 9]", "--folds 3, --n-components 8, 9"),
        ("compare", "random_state=1, kind='blocks'", "--random-state 1, --significance blocks"),
        ("compare", "graph='full'", "graph='full'"),
        ("fit", 'give keep="year,month".', "give --keep year,month."),
        ("fit", 'keep="column 1" reads it', "--keep 'column 1' reads it"),
        ("fit", "keep='a,\"wind, east\"'", "--keep 'a,\"wind, east\"'"),
        ("compare", "predfeat.series.from_list, n_lags.", "predfeat.series.from_list, --n-lags."),
    ],
)  # fmt: skip
def test_parameters_become_the_options_of_the_command(command, said, told):
    speak_of(COMMANDS[command])
    assert in_options(said) == told


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("Use `n_lags=3` or `theiler`.", "Use --n-lags 3 or --theiler."),
        ("Use `past=False` in the past.", "Use --no-past in the past."),
        ("Try `GPFA(n_lags=3, init='sfa')`.", "Try GPFA with --n-lags 3 --init sfa."),
        ("See `measure(relative=True)`, n_lags.", "See measure(relative=True), n_lags."),
        ("`n_folds=3`", "n_folds=3"),
    ],
)  # fmt: skip
def test_advice_speaks_of_options_where_it_marks_parameters(said, told):
    speak_of(COMMANDS["fit"])
    assert advice_in_options(said) == told


def test_no_command_no_options():
    speak_of(None)
    assert in_options("n_lags=3") == "n_lags=3"


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder with files for many mistakes."""
    monkeypatch.chdir(tmp_path)
    X = np.random.default_rng(0).normal(size=(60, 3))
    write_array("table.csv", X, "trial,b,c")
    by_day = np.column_stack([np.arange(60) // 20, X])
    write_array("mixed.csv", by_day, "day,a,b,c")
    np.savez("two.npz", a=X, b=X)
    np.save("plain.npy", X)
    return tmp_path


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("compare table.csv --n-neighbors 500", "--n-neighbors 500 needs at least 501 states"),
        ("compare table.csv --n-components 9", "--n-components 9 is more than the rank 3"),
        ("compare table.csv --pca-components 9", "--pca-components 9 is more .* or none for all"),
        (
            "compare table.csv --rate 100",
            "--rate 100 does not apply .* --columns, --keep, --exclude, ",
        ),
        ("fit table.csv --graph ring", "--graph ring is not possible for GPFA: give one of full, "),
        ("fit table.csv --init my", "--init my is not possible .*: give one of auto, foreca"),
        ("fit table.csv --n-lags 0", "--n-lags 0 is not possible .* a whole number from 1 on"),
        ("fit table.csv --pca-components 1.5", "on or a number between 0 and 1 or none"),
        ("fit table.csv --n-lags 90", "fewer lags \\(--n-lags\\)"),
        ("fit table.csv --theiler 55", "--n-neighbors 10 with --theiler 55 leaves"),
        ("fit table.csv -c b,x", "no column 'x' \\(--columns\\)"),
        ("fit table.csv -c b,b", "--columns names a column twice"),
        ("fit table.csv --time b -c b", "out of --columns or do not name it as --time"),
        ("fit table.csv --jumps foo", "--jumps foo is unknown"),
        ("fit mixed.csv --time day", "apart as --group, or another one as --time"),
        ("fit table.csv --every 0", "--every 0 is not possible: give a whole number from 1 on"),
        ("fit table.csv --delays -1", "--delays -1 is not possible"),
        ("fit two.npz", "with --key"),
        (
            "fit plain.npy --time b",
            "--time b does not apply to a .npy file; its options are --columns",
        ),
        ("choose table.csv --n-components 8-9 --jobs 1", "--n-components 8, 9 are all more than"),
        (
            "measure table.csv --n-neighbors 90",
            "cannot be computed: --n-neighbors 90 needs at least",
        ),
    ],
)
@pytest.mark.usefixtures("place")
def test_messages_name_the_options_of_the_command(run_main, typed, told):
    _, _, said = run_main(*typed.split())
    assert re.search(told, said), said
    # Nothing is left that reads like Python: name=value, a_name, None, True or a record.
    # Values of options are the library's.
    said = re.sub(r"\b(slow_fast|inverse_spread)\b", "", said)
    assert not re.search(r"\b[a-z]+_[a-z]+\b|\w=[\w'\[(]|\bNone\b|\bTrue\b|[{}]|\w\(\)", said), said
