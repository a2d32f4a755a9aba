"""Words and other symbols from the command line."""

import csv
import json

import numpy as np
import pytest

from commands import run, run_well
from predfeat import SymbolFeatures, load

KINDS = [["the", "a", "my"], ["dog", "cat", "cow"], ["runs", "sleeps", "eats"]]


@pytest.fixture
def words():
    random = np.random.default_rng(0)
    return [random.choice(KINDS[t % 3]).item() for t in range(600)]


@pytest.fixture
def book(tmp_path, words):
    """A clause of nine words in each line, with two rare words at the end."""
    lines = [" ".join(words[i : i + 9]) for i in range(0, 600, 9)]
    path = tmp_path / "book.txt"
    path.write_text(".\n".join([*lines, "the unicorn runs", "my gnu eats"]) + ".\n")
    return path


@pytest.fixture
def log(tmp_path, words):
    path = tmp_path / "log.csv"
    rows = [f"{t % 100},{t // 100},{word}" for t, word in enumerate(words)]
    path.write_text("\n".join(["time,session,event", *rows]) + "\n")
    return path


def table_of(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("options", [[], ["-m", "symbols"], ["-m", "SymbolFeatures"]])
def test_a_text(tmp_path, book, words, options):
    done = run_well("fit", book, "-o", tmp_path / "m.predfeat", "--n-components", 2, *options)
    model = load(tmp_path / "m.predfeat")
    clauses = [t // 9 for t in range(600)] + [67] * 3 + [68] * 3
    common = [*words, "the", "(rare)", "runs", "my", "(rare)", "eats"]
    same = SymbolFeatures(2).fit(common, groups=clauses)
    assert model.symbols_.tolist() == same.symbols_.tolist()
    np.testing.assert_array_equal(model.vectors_, same.vectors_)
    said = " ".join(done.output.split())
    assert "10 different symbols in 606 rows; 2 that occur less than 10 times became one" in said
    assert "nearest to" in said


def test_min_count(tmp_path, book):
    run_well("fit", book, "-o", tmp_path / "m.predfeat", "--min-count", 1)
    symbols = load(tmp_path / "m.predfeat").symbols_.tolist()
    assert {"unicorn", "gnu"} < set(symbols)
    assert "(rare)" not in symbols


def test_new_text(tmp_path, book):
    run_well("fit", book, "-o", tmp_path / "m.predfeat", "--n-components", 2)
    (tmp_path / "new.txt").write_text("The cow sings. My dog")
    run_well("transform", tmp_path / "m.predfeat", tmp_path / "new.txt", "-o", tmp_path / "f.csv")
    rows = table_of(tmp_path / "f.csv")
    assert [row["word"] for row in rows] == ["the", "cow", "sings", "my", "dog"]
    assert [row["group"] for row in rows] == ["0", "0", "0", "1", "1"]
    model = load(tmp_path / "m.predfeat")
    expected = model.transform(["the", "cow", "(rare)", "my", "dog"])
    found = [[float(row[name]) for name in model.get_feature_names_out()] for row in rows]
    np.testing.assert_array_equal(found, expected)


def test_a_column(tmp_path, log, words):
    run_well("fit", log, "-o", tmp_path / "m.predfeat", "--symbols", "event", "--group", "session",
             "--n-lags", 2, "--n-components", 2)  # fmt: skip
    model = load(tmp_path / "m.predfeat")
    same = SymbolFeatures(2, n_lags=2).fit(words, groups=[t // 100 for t in range(600)])
    np.testing.assert_array_equal(model.vectors_, same.vectors_)
    run_well("transform", tmp_path / "m.predfeat", log, "-o", tmp_path / "f.csv")
    rows = table_of(tmp_path / "f.csv")
    assert [row["event"] for row in rows] == words
    found = [[float(row[name]) for name in model.get_feature_names_out()] for row in rows]
    np.testing.assert_array_equal(found, model.transform(words))


def test_equal_times_are_no_copies(tmp_path, words):
    path = tmp_path / "log.csv"
    ticks = [10 if t == 11 else t for t in range(600)]
    rows = [f"{tick},{word}" for tick, word in zip(ticks, words, strict=True)]
    path.write_text("\n".join(["tick,event", *rows]) + "\n")
    run_well("fit", path, "-o", tmp_path / "m.predfeat", "--symbols", "event", "--time", "tick",
             "--jumps", "ignore", "--n-components", 2)  # fmt: skip
    model = load(tmp_path / "m.predfeat")
    np.testing.assert_array_equal(model.vectors_, SymbolFeatures(2).fit(words).vectors_)


def test_numbers_as_symbols_are_the_same_in_every_file(tmp_path):
    random = np.random.default_rng(0)
    states = [int(random.choice([[1, 2], [3, 4]][t % 2])) for t in range(200)]
    train, new = tmp_path / "train.csv", tmp_path / "new.csv"
    train.write_text("\n".join(["s", *map(str, states)]) + "\n")
    new.write_text("s,x\n1,0\nnew,0\n,0\n4,0\n")  # text, as one cell is
    run_well("fit", train, "-o", tmp_path / "m.predfeat", "--symbols", "s", "--n-components", 1)
    done = run_well("transform", tmp_path / "m.predfeat", new, "-o", tmp_path / "f.csv", "-q")
    assert done.output == ""
    rows = table_of(tmp_path / "f.csv")
    assert [row["s"] for row in rows] == ["1", "new", "", "4"]
    found = [row["symbolfeatures0"] for row in rows]
    assert found[1] == found[2] == ""
    model = load(tmp_path / "m.predfeat")
    assert [float(found[0]), float(found[3])] == model.transform(["1", "4"])[:, 0].tolist()


def test_a_table_of_numbers_in_a_text_file_is_a_table(tmp_path):
    path = tmp_path / "t.txt"
    X = np.random.default_rng(0).normal(size=(60, 3))
    np.savetxt(path, X, header="a b c", comments="")
    run_well("fit", path, "-o", tmp_path / "m.predfeat")
    assert type(load(tmp_path / "m.predfeat")).__name__ == "GPFA"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--symbols", "nothing"], "no column 'nothing' (`symbols`)"),
        (["--symbols", "event", "-m", "sfa"], "sfa does not take symbols"),
        (["--symbols", "event", "--label", "time"], "it does not go with symbols"),
        (["--symbols", "event", "--diagnosis"], "it does not go with symbols"),
        (["--symbols", "event", "--columns", "time"], "only the column of symbols is read"),
        (["--symbols", "event", "--graph", "full"], "SymbolFeatures has no such parameter"),
        (["-m", "symbols", "--group", "session"], "option for tables"),
        (["--symbols", "event", "--n-components", "9"], "at least 10 different symbols"),
    ],
)
def test_what_cannot_be(tmp_path, log, options, message):
    done = run("fit", log, "-o", tmp_path / "m.predfeat", *options)
    assert done.exit_code != 0
    told = f"{done.output} {done.exception}".replace("│", " ")
    assert message in " ".join(told.split())
    assert not (tmp_path / "m.predfeat").exists()


def test_measures_of_symbols(tmp_path, log, words):
    run_well("fit", log, "-o", tmp_path / "m.predfeat", "--symbols", "event", "--n-components", 2)
    done = run_well("measure", log, "--model", tmp_path / "m.predfeat", "--json", "-q")
    found = {row["column"]: row for row in json.loads(done.stdout)["measures"]}
    # The kind of a word decides about its features, and the kinds take turns.
    assert found["all together"]["left_to_chance"] < 1e-12
