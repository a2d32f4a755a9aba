"""Labels, actions and rewards from the command line: as the library, and said in words."""

import numpy as np
import pytest

from commands import run, run_well
from predfeat import GPFA, Expanded, load
from predfeat.graph import Future, Past, SameLabel, SimilarValue
from predfeat.series import check_sequences
from predfeat.splits import shortest_piece, spread_sequences

KINDS = np.array(["idle", "busy", ""])


@pytest.fixture
def log():
    """Four columns; a third of the rows has no label; the reward follows one column."""
    random = np.random.default_rng(0)
    X = random.normal(size=(300, 4)).round(6)
    label = random.integers(3, size=300)
    X[label == 1, 2] += 3.0
    action = random.choice(["left", "right"], size=300)
    reward = (X[:, 1] + 0.1 * random.normal(size=300)).round(6)
    return X.round(6), KINDS[label], action, reward


@pytest.fixture
def table(tmp_path, log):
    path = tmp_path / "log.csv"
    columns = [*log[0].T.astype(str), *log[1:3], log[3].astype(str)]
    rows = map(",".join, zip(*columns, strict=True))
    path.write_text("\n".join(["a,b,c,d,mode,command,score", *rows]) + "\n")
    return path


def fit(table, *options):
    model = table.parent / "model.predfeat"
    done = run_well("fit", table, "-o", model, "-f", "--n-components", 2, "-c", "a,b,c,d", *options)
    return load(model), " ".join(done.output.split())


def known(label):
    return [name or None for name in label]


def test_labels(table, log):
    X, label, _, _ = log
    model, said = fit(table, "--label", "mode", "--label-weight", 2)
    terms = [Future(), Past(), SameLabel(weight=2.0)]
    same = GPFA(2, terms=terms).fit(X, known(label))
    assert model.terms == terms
    np.testing.assert_array_equal(model.components_, same.components_)
    n_known = int((label != "").sum())
    assert f"label mode: 2 kinds, known for {n_known} of 300 rows; between rows of one kind" in said


def test_what_is_said_of_labels_is_their_share_of_the_variance(table, log):
    X, label, _, _ = log
    model, said = fit(table, "--label", "mode")
    Y, names = model.transform(X)[label != ""], label[label != ""]
    Y = Y - Y.mean(axis=0)
    within = sum(np.square(Y[names == name] - Y[names == name].mean(axis=0)).sum(axis=0)
                 for name in ("idle", "busy"))  # fmt: skip
    # Pairs of a row with itself are not joined: that is some 1/100 of all pairs.
    shares = within / np.square(Y).sum(axis=0)
    told = [float(word.strip(",")) for word in said.split("of one kind, ")[1].split()[:2]]
    np.testing.assert_allclose(told, shares, atol=0.02)
    assert min(told) < 0.5 < max(told)


def test_actions(table, log):
    X, _, action, _ = log
    model, said = fit(table, "--action", "command")
    same = GPFA(2).fit(X, actions=action)
    np.testing.assert_array_equal(model.components_, same.components_)
    assert "action command: 2 kinds, known for 300 of 300 rows; only states with the same" in said


def test_rewards_and_the_full_graph(table, log):
    X, label, _, reward = log
    model, said = fit(table, "-m", "gpfa1", "--no-past", "--reward", "score", "--label", "mode")
    terms = [Future("full"), SameLabel(), SimilarValue(of="rewards")]
    same = GPFA(2, terms=terms).fit(X, known(label), rewards=reward)
    assert model.terms == terms
    np.testing.assert_array_equal(model.components_, same.components_)
    assert "reward score: numbers, known for 300 of 300 rows; between rows with similar" in said


def test_quantities_as_actions(table, log):
    X, _, _, reward = log
    model, said = fit(table, "--action", "score")
    np.testing.assert_array_equal(model.components_, GPFA(2).fit(X, actions=reward).components_)
    assert "action score: numbers, known for 300 of 300 rows; counted as part of the state" in said


def test_all_of_them_on_an_expanded_series(table, log):
    X, label, action, reward = log
    told = ("--label", "mode", "--action", "command", "--reward", "score")
    model, said = fit(table, "--expansion", "quadratic", *told)
    terms = [Future(), Past(), SameLabel(), SimilarValue(of="rewards")]
    same = Expanded(GPFA(2, terms=terms)).fit(X, known(label), actions=action, rewards=reward)
    np.testing.assert_array_equal(model.transform(X), same.transform(X))
    assert "only states with the same action" in said
    assert "between rows of one kind" in said
    assert "between rows with similar values" in said


def test_some_rows(table, log):
    X, label, _, _ = log
    model, said = fit(table, "--label", "mode", "--max-rows", 120)
    rows, groups = spread_sequences(check_sequences(X), 120, shortest=shortest_piece(1, 1))
    terms = [Future(), Past(), SameLabel()]
    same = GPFA(2, terms=terms).fit(X[rows], known(label[rows]), groups=groups)
    np.testing.assert_array_equal(model.components_, same.components_)
    assert f"of {len(rows)} rows; between rows of one kind" in said


def test_new_data_needs_no_labels(tmp_path, table, log):
    model, _ = fit(table, "--label", "mode")
    lines = table.read_text().splitlines()
    new = tmp_path / "new.csv"
    new.write_text("\n".join(",".join(line.split(",")[:4]) for line in lines) + "\n")
    run_well("transform", tmp_path / "model.predfeat", new, "-o", tmp_path / "f.csv")
    found = np.loadtxt(tmp_path / "f.csv", delimiter=",", skiprows=1)
    np.testing.assert_array_equal(found, model.transform(log[0]))
    assert "label mode: 2 kinds" in run_well("info", tmp_path / "model.predfeat").output


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--label", "nothing"], "no column 'nothing' (`label`)"),
        (["--label", "mode", "-m", "sfa"], "SFA does not use it, only gpfa does"),
        (["--action", "command", "--diagnosis"], "without --action"),
        (["--label", "mode", "-c", "mode,a"], "both label and a channel"),
        (["--action", "command,mode"], "not all of them hold numbers"),
        (["--label", "mode", "--label-weight", "-1"], "Invalid value for '--label-weight'"),
    ],
)
def test_what_cannot_be(tmp_path, table, options, message):
    done = run("fit", table, "-o", tmp_path / "model.predfeat", *options)
    assert done.exit_code != 0
    told = f"{done.output} {done.exception}".replace("│", " ")
    assert message in " ".join(told.split())
    assert not (tmp_path / "model.predfeat").exists()
