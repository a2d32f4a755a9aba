"""SymbolFeatures: correspondence analysis of contexts and next symbols, and its iteration."""

import os
import pickle
import subprocess
import sys
import tracemalloc
from collections import Counter
from fractions import Fraction
from itertools import chain, pairwise

import numpy as np
import pandas as pd
import pytest
import sklearn
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.exceptions import NotFittedError
from sklearn.metrics import adjusted_rand_score
from sklearn.pipeline import make_pipeline

import naive_symbols
from predfeat import SymbolFeatures
from predfeat.exceptions import (
    DimensionError,
    DisconnectedSymbolsWarning,
    GroupsError,
    IgnoredTargetWarning,
    RankError,
    ReturningGroupWarning,
    ShortSequencesError,
    SymbolsError,
    TooFewStatesError,
    UnknownSymbolsWarning,
)
from predfeat.features import shared_contexts
from predfeat.measures import subspace_angles
from predfeat.solvers import correspondence_analysis


def tokens(n_rows=400, n_symbols=8, seed=0):
    """Letters from a chain whose transitions are drawn at random."""
    random = np.random.default_rng(seed)
    transitions = np.cumsum(random.dirichlet(np.full(n_symbols, 0.3), size=n_symbols), axis=1)
    numbers = [0]
    for draw in random.random(n_rows - 1):
        row = transitions[numbers[-1]]
        numbers.append(min(int(np.searchsorted(row, draw)), n_symbols - 1))
    return [chr(ord("a") + number) for number in numbers]


def aligned(vectors, others):
    """Give each column the sign of another's."""
    return vectors * np.sign(np.sum(vectors * others, axis=0))


def as_sequences(X, groups=None):
    """Cut symbols at gaps and where groups change, row by row."""
    groups = [0] * len(X) if groups is None else groups
    sequences, before = [[]], object()
    for token, group in zip(X, groups, strict=True):
        if token is None or group != before:
            sequences.append([])
        if token is not None:
            sequences[-1].append(token)
        before = group
    return sequences


def lumpable(seed, n_rows=6000):
    """A chain of 30 symbols in 3 classes: only the class says which class comes next."""
    random = np.random.default_rng(seed)
    of_class = random.permutation(np.repeat(np.arange(3), 10))
    # Its singular values, 0.7 and 0.5, stand out from those of chance, which are below 0.15.
    between = np.array([[0.8, 0.1, 0.1], [0.1, 0.2, 0.7], [0.1, 0.7, 0.2]])
    classes = [0]
    for _ in range(n_rows - 1):
        classes.append(random.choice(3, p=between[classes[-1]]))
    within = {c: np.flatnonzero(of_class == c) for c in range(3)}
    return [int(random.choice(within[c])) for c in classes], of_class


# The definition


@pytest.mark.parametrize("n_lags", [1, 2, 3])
def test_eigenvalues_are_those_of_correspondence_analysis(seed, n_lags):
    X = tokens(seed=seed)
    model = SymbolFeatures(4, n_lags=n_lags).fit(X)
    pairs = naive_symbols.samples([X], n_lags)
    contexts = naive_symbols.shared_contexts(pairs, n_lags)
    _, table = naive_symbols.table_of(contexts, [s for _, s in pairs], list(model.symbols_))
    sigma = naive_symbols.singular_values(table)
    # Both are exact but for rounding, 1e-15 for each of some hundred steps.
    np.testing.assert_allclose(model.eigenvalues_, 1 - sigma[:4] ** 2, rtol=0, atol=1e-12)


@pytest.mark.parametrize("n_lags", [1, 2, 3])
def test_vectors_are_those_of_the_twin(seed, n_lags):
    random = np.random.default_rng(seed)
    X = tokens(300, seed=seed)
    groups = np.sort(random.integers(0, 4, size=len(X)))
    X = [None if gap else token for token, gap in zip(X, random.random(300) < 0.05, strict=True)]
    model = SymbolFeatures(3, n_lags=n_lags).fit(X, groups=groups)
    sequences = as_sequences(X, groups)
    counts = Counter(symbol for _, symbol in naive_symbols.samples(sequences, n_lags))
    assert [counts[symbol] for symbol in model.symbols_] == model.counts_.tolist()
    values, vectors = naive_symbols.features(
        sequences, list(model.symbols_), model.counts_, 3, n_lags
    )
    np.testing.assert_allclose(model.eigenvalues_, values, rtol=0, atol=1e-10)
    # Vectors lose as many digits as eigenvalues lie close: here no more than four.
    assert np.diff(values).min() > 1e-4
    np.testing.assert_allclose(model.vectors_, aligned(vectors, model.vectors_), rtol=0, atol=1e-8)


def test_the_twin_solves_its_equation(seed):
    random = np.random.default_rng(seed)
    laplacian, degrees = naive_symbols.laplacian_and_degrees(random.poisson(2.0, (9, 6)) + 0.1)
    np.testing.assert_allclose(laplacian.sum(axis=1), 0, atol=1e-12)
    values, vectors = naive_symbols.smallest_solutions(laplacian, degrees, 5)
    np.testing.assert_allclose(laplacian @ vectors, degrees @ vectors * values, atol=1e-10)
    np.testing.assert_allclose(degrees.sum(axis=0) @ vectors, 0, atol=1e-10)


def test_features_have_mean_0_and_variance_1_and_are_uncorrelated(seed):
    X = tokens(seed=seed)
    Y = SymbolFeatures(4).fit_transform(X)[1:]  # the first row follows nothing
    np.testing.assert_allclose(Y.mean(axis=0), 0, atol=1e-10)
    np.testing.assert_allclose(Y.T @ Y / len(Y), np.eye(4), atol=1e-10)


def test_eigenvalues_are_what_equal_contexts_leave_open(seed):
    # λ is the share of a feature's variance within contexts.
    X = tokens(seed=seed)
    model = SymbolFeatures(3).fit(X)
    frame = pd.DataFrame(model.transform(X)[1:])
    within = frame.groupby(X[:-1]).transform("mean")
    np.testing.assert_allclose(((frame - within) ** 2).mean(), model.eigenvalues_, atol=1e-10)


def test_symbols_are_ordered_by_count_then_appearance():
    model = SymbolFeatures(1).fit(list("zbabab" + "cb"))
    assert model.symbols_.tolist() == ["b", "a", "c"]  # z follows nothing
    assert model.counts_.tolist() == [4, 2, 1]
    assert model.symbols_.dtype == object


def test_the_largest_number_is_positive(seed):
    vectors = SymbolFeatures(4).fit(tokens(seed=seed)).vectors_
    assert (vectors.max(axis=0) == np.abs(vectors).max(axis=0)).all()


# Classes


@pytest.mark.parametrize("seed_of_chain", range(20))
def test_classes_of_a_lumpable_chain_are_found(seed_of_chain):
    X, of_class = lumpable(seed_of_chain)
    model = SymbolFeatures(2).fit(X)
    found = KMeans(3, n_init=10, random_state=0).fit_predict(model.vectors_)
    assert adjusted_rand_score(of_class[model.symbols_.astype(int)], found) == 1.0


# Longer contexts


def test_contexts_that_occur_once_back_off():
    # After "a" and "b" alone anything comes; after two symbols it is determined.
    X = list("aabbaabbaabbaabbcab")
    one, two = (SymbolFeatures(1, n_lags=p).fit(X) for p in (1, 2))
    assert two.eigenvalues_[0] < one.eigenvalues_[0]
    rare = SymbolFeatures(1, n_lags=6).fit(tokens(60))
    assert rare.eigenvalues_[0] > 0  # though most contexts of six symbols determine what follows


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from("abc"), min_size=8, max_size=40), st.integers(1, 4))
def test_every_sample_counts_once_under_a_shared_context(X, n_lags):
    numbers = np.array(["abc".index(token) for token in X])
    times = np.arange(n_lags, len(X))
    table = shared_contexts(numbers, times, n_lags, 3).toarray()
    pairs = naive_symbols.samples([X], n_lags)
    contexts = naive_symbols.shared_contexts(pairs, n_lags)
    _, expected = naive_symbols.table_of(contexts, [s for _, s in pairs], list("abc"))
    assert sorted(map(tuple, table)) == sorted(map(tuple, expected))


# The iteration


@pytest.mark.parametrize("n_lags", [1, 2])
@pytest.mark.parametrize("n_iterations", [2, 3])
def test_the_iteration_is_that_of_the_twin(seed, n_lags, n_iterations):
    # No symbol twice in a row: from the context (a, a), (a, b) and (b, a) are equally far.
    X = [before for before, now in pairwise(tokens(400, n_symbols=12, seed=seed)) if before != now]
    groups = np.arange(len(X)) // 90
    X[90:92] = "?!"  # these follow nothing, or in one context each other
    model = SymbolFeatures(2, n_lags=n_lags, n_neighbors=3, max_iter=n_iterations, tol=0)
    model.fit(X, groups=groups)
    assert model.n_iter_ == n_iterations
    assert "?" not in model.symbols_
    values, vectors = naive_symbols.features(
        as_sequences(X, groups), list(model.symbols_), model.counts_, 2, n_lags, 3, n_iterations
    )
    np.testing.assert_allclose(model.eigenvalues_, values, rtol=0, atol=1e-9)
    np.testing.assert_allclose(model.vectors_, aligned(vectors, model.vectors_), rtol=0, atol=1e-7)


def test_history_and_stopping():
    X, _ = lumpable(1)
    model = SymbolFeatures(2, n_neighbors=5).fit(X)
    assert 1 < model.n_iter_ < 50  # it settles
    assert model.history_["eigenvalues"].shape == (model.n_iter_, 2)
    assert np.isnan(model.history_["angle"]).tolist() == [True] + [False] * (model.n_iter_ - 1)
    np.testing.assert_array_equal(model.history_["eigenvalues"][-1], model.eigenvalues_)
    plain = SymbolFeatures(2).fit(X)
    assert plain.n_iter_ == 1
    np.testing.assert_array_equal(plain.eigenvalues_, model.history_["eigenvalues"][0])


def test_the_iteration_keeps_the_classes():
    X, of_class = lumpable(2)
    model = SymbolFeatures(2, n_neighbors=5).fit(X)
    found = KMeans(3, n_init=10, random_state=0).fit_predict(model.vectors_)
    assert adjusted_rand_score(of_class[model.symbols_.astype(int)], found) == 1.0


def test_the_number_of_threads_does_not_matter():
    X, _ = lumpable(3, 2000)
    one, two = (
        SymbolFeatures(2, n_lags=2, n_neighbors=5, max_iter=4, n_jobs=n).fit(X) for n in (1, 2)
    )
    assert one.vectors_.tobytes() == two.vectors_.tobytes()


def test_verbose_names_the_iterations(caplog):
    with caplog.at_level("INFO", "predfeat"):
        SymbolFeatures(2, n_neighbors=2, max_iter=2, verbose=1).fit(tokens())
    assert [r.message.split(":")[0] for r in caplog.records] == [
        "SymbolFeatures, iteration 1",
        "SymbolFeatures, iteration 2",
    ]


# Sequences and gaps


@pytest.mark.parametrize("n_neighbors", [None, 2])
def test_groups_are_never_crossed(seed, n_neighbors):
    # Sequences in another order are the same samples; joined at their ends they are others.
    X = np.array(tokens(400, seed=seed))
    groups = np.repeat(np.arange(8), 50)
    method = SymbolFeatures(2, n_lags=2, n_neighbors=n_neighbors, max_iter=2)
    order = np.concatenate([np.flatnonzero(groups == g) for g in (3, 1, 7, 0, 2, 6, 5, 4)])
    apart = clone(method).fit(X, groups=groups)
    shuffled = clone(method).fit(X[order], groups=groups[order])
    joined = clone(method).fit(X)
    assert apart.counts_.sum() == 8 * 48
    assert joined.counts_.sum() == 398
    np.testing.assert_allclose(shuffled.eigenvalues_, apart.eigenvalues_, rtol=0, atol=1e-10)
    assert np.abs(joined.eigenvalues_ - apart.eigenvalues_).max() > 1e-6
    known = np.isin(X, apart.symbols_)
    np.testing.assert_allclose(
        shuffled.transform(X[known]), apart.transform(X[known]), rtol=0, atol=1e-7
    )


def test_one_sequence_is_a_group_of_one_id():
    X = tokens()
    plain, grouped = SymbolFeatures().fit(X), SymbolFeatures().fit(X, groups=["x"] * len(X))
    assert plain.vectors_.tobytes() == grouped.vectors_.tobytes()


@pytest.mark.parametrize("gap", [None, float("nan"), np.nan, pd.NA, pd.NaT, np.float64("nan")])
def test_a_gap_is_a_border(gap):
    X = tokens()
    X[100] = X[101] = X[250] = gap
    model = SymbolFeatures(2, n_lags=2).fit(X)
    kept = [t for t in range(400) if t not in (100, 101, 250)]
    groups = [0 if t < 100 else 1 if t < 250 else 2 for t in kept]
    apart = SymbolFeatures(2, n_lags=2).fit([X[t] for t in kept], groups=groups)
    assert model.vectors_.tobytes() == apart.vectors_.tobytes()
    Y = model.transform(X)  # without a warning
    assert np.isnan(Y).all(axis=1).nonzero()[0].tolist() == [100, 101, 250]


# What must not matter


def test_names_of_symbols_do_not_matter(seed):
    X = tokens(seed=seed)
    names = list(np.random.default_rng(seed).permutation(sorted(set(X))))
    renamed = dict(zip(sorted(set(X)), names, strict=True))
    model = SymbolFeatures(3, n_lags=2, n_neighbors=3, max_iter=3)
    one, other = clone(model).fit(X), clone(model).fit([renamed[token] for token in X])
    assert [renamed[symbol] for symbol in one.symbols_] == other.symbols_.tolist()
    assert one.vectors_.tobytes() == other.vectors_.tobytes()


HOLDERS = {
    "tuple": tuple,
    "array of text": np.array,
    "array of objects": lambda X: np.array(X, dtype=object),
    "column": lambda X: np.array(X)[:, None],
    "nested lists": lambda X: [[token] for token in X],
    "series": pd.Series,
    "categories": lambda X: pd.Series(X, dtype="category"),
    "strings of pandas": lambda X: pd.Series(X, dtype="string"),
    "index of another kind": lambda X: pd.Series(X, index=range(7, 7 + len(X))),
    "frame": lambda X: pd.DataFrame({"token": X}),
    "NumPy's strings in a list": lambda X: list(np.array(X)),
}


@pytest.mark.parametrize("holder", HOLDERS)
def test_what_holds_the_symbols_does_not_matter(holder):
    X = tokens()
    plain = SymbolFeatures().fit(X)
    model = SymbolFeatures().fit(HOLDERS[holder](X))
    assert model.symbols_.tolist() == plain.symbols_.tolist()
    assert {type(symbol) for symbol in model.symbols_} == {str}
    assert model.vectors_.tobytes() == plain.vectors_.tobytes()
    assert plain.transform(HOLDERS[holder](X)).tobytes() == plain.transform(X).tobytes()


@pytest.mark.parametrize("dtype", [int, np.int8, np.uint64, float, np.float32, object])
def test_numbers_are_symbols_of_any_type(dtype):
    X = [ord(token) for token in tokens()]
    plain, model = SymbolFeatures().fit(X), SymbolFeatures().fit(np.array(X, dtype=dtype))
    assert model.symbols_.tolist() == plain.symbols_.tolist()
    assert model.vectors_.tobytes() == plain.vectors_.tobytes()
    assert plain.transform(np.array(X, dtype=dtype)).tobytes() == plain.transform(X).tobytes()


def test_masked_values_are_gaps():
    X = np.ma.array([ord(token) for token in tokens()], mask=np.arange(400) == 100)
    model = SymbolFeatures().fit(X)
    assert model.counts_.sum() == 400 - 3


def test_symbols_are_the_same_as_python_says():
    X = [1, "1", 1.0, 2, "1", True, (1, "1"), 2, 1, (1.0, "1"), "1", 1]
    model = SymbolFeatures(1).fit(X)
    assert set(model.symbols_) == {"1", 1, 2, (1, "1")}
    Y = model.transform([1, 1.0, True, np.int8(1), np.float32(1), Fraction(1)])
    assert (Y[0] == Y).all()
    assert (model.transform(["1"]) != Y[0]).all()


def test_times_are_symbols():
    days = np.array(["2020-01-01", "2020-01-02", "NaT"], dtype="datetime64[ns]")
    X = days[[0, 1, 0, 0, 1, 1, 0, 2, 0, 1]]
    model = SymbolFeatures(1).fit(X)
    assert set(model.symbols_) == set(days[:2])
    assert np.isnan(model.transform(X)[7])


def test_hashes_do_not_matter():
    code = (
        "import sys; from predfeat import SymbolFeatures; X = sys.argv[1].split(); "
        "model = SymbolFeatures(2, n_lags=2, n_neighbors=2, max_iter=3).fit(X); "
        "print(list(model.symbols_), model.vectors_.tobytes().hex())"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", code, " ".join(tokens())],
            capture_output=True,
            check=True,
            timeout=120,
            env={**os.environ, "PYTHONHASHSEED": str(seed)},
        ).stdout
        for seed in (0, 1)
    }
    assert len(found) == 1


def test_the_input_is_not_changed():
    X = np.array(tokens(), dtype=object)
    before = X.copy()
    SymbolFeatures().fit(X).transform(X)
    assert (before == X).all()


# Unknown symbols


def test_unknown_symbols_are_nan_and_named():
    model = SymbolFeatures().fit(tokens())
    X = ["a", "x", None, "x", "y", "b"]
    with pytest.warns(
        UnknownSymbolsWarning,
        match=r"^3 of 6 rows hold 2 symbol\(s\) that followed no context in the training data: "
        r"'x' \(row 1\), 'y' \(row 4\)\. Their features are NaN",
    ) as caught:
        Y = model.transform(X)
    assert caught[0].message.symbols == ("x", "y")
    assert caught[0].filename == __file__
    assert np.isnan(Y).all(axis=1).tolist() == [False, True, True, True, True, False]
    many = [f"new{i}" for i in range(9)]
    with pytest.warns(UnknownSymbolsWarning, match=r"9 symbol\(s\).*'new4' \(row 4\), …\."):
        model.transform(many)


def test_a_first_symbol_that_never_follows_another_is_unknown():
    model = SymbolFeatures()
    with pytest.warns(UnknownSymbolsWarning, match=r"1 of 401 rows .*'first' \(row 0\)"):
        model.fit_transform(["first", *tokens()])


# Groups of symbols that share no context


def test_blocks_are_told_apart_largest_first():
    # Three chains that never meet, of 300, 200 and 100 rows.
    parts = [tokens(300), [t.upper() for t in tokens(200, seed=1)], list("12231" * 20)]
    X, groups = [*chain(*parts)], np.repeat([0, 1, 2], [300, 200, 100])
    model = SymbolFeatures(4).fit(X, groups=groups)
    np.testing.assert_array_equal(model.eigenvalues_[:2], 0)
    assert model.eigenvalues_[2] > 0
    of_block = [0 if s.islower() else 1 if s.isupper() else 2 for s in model.symbols_]
    means = pd.DataFrame(model.vectors_[:, :2]).groupby(of_block)
    np.testing.assert_array_equal(means.min(), means.max())  # constant in each block
    first, second = means.mean().to_numpy().T
    assert first[1] == first[2] != first[0]
    assert abs(second[0]) < 1e-12
    assert second[1] * second[2] < 0
    # The others are what the blocks have of their own.
    np.testing.assert_allclose(
        model.counts_ * model.vectors_[:, 2] @ np.eye(3)[of_block], 0, atol=1e-9
    )


def test_more_blocks_than_features_are_reported():
    X = list("abcde" * 10)
    with pytest.warns(
        DisconnectedSymbolsWarning,
        match=r"the 5 symbols fall into 5 groups that share no context \(the smallest: 'a'\).*each "
        r"feature \(n_components=2\).*at least n_components=4",
    ) as caught:
        model = SymbolFeatures().fit(X)
    assert caught[0].filename == __file__
    np.testing.assert_array_equal(model.eigenvalues_, 0)
    whole = SymbolFeatures(4).fit(X)  # without a warning
    np.testing.assert_array_equal(whole.eigenvalues_, 0)
    assert len(np.unique(whole.vectors_.round(6), axis=0)) == 5


# Input that cannot be used


@pytest.mark.parametrize(
    ("X", "error", "message"),
    [
        ([], SymbolsError, r"X is empty \(0 rows\)\. Give a sequence"),
        (np.array([]), SymbolsError, r"X is empty \(0 rows\)"),
        ([None, np.nan], SymbolsError, r"all 2 rows of X are missing .* no symbol is left"),
        (["a"], ShortSequencesError, r"too short: 2 rows in a row are needed.* has 1 .*n_lags"),
        (["a", None, "b"], ShortSequencesError, r"2 rows .* has 1 .*1 of 3 rows are gaps"),
        (["a", ["b"], "c"], SymbolsError, r"row 1 holds a list: \['b'\]\. Convert it"),
        ([{"k": 1}] * 3, SymbolsError, r"row 0 holds a dict: \{'k': 1\}"),
        ([(1, [2])] * 3, SymbolsError, r"row 0 holds a tuple: \(1, \[2\]\)"),
        (["a", list(range(99))], SymbolsError, r"row 1 holds a list: \[0, 1, .{40,52}…\. Convert"),
        ("some words", SymbolsError, r"single text, 'some words'.*X\.split\(\) for words"),
        (b"bytes", SymbolsError, "single text"),
        ({"a", "b"}, SymbolsError, "X is a set, which has no order"),
        ({"a": 1}, SymbolsError, "X is a dict"),
        (iter("abc"), SymbolsError, "X is a str_.*iterator.*Give a list in time order"),
        (5, SymbolsError, "X is a int"),
        (None, SymbolsError, "X is a NoneType"),
        (np.array("a"), DimensionError, r"one symbol for each row.*shape is \(\)"),
        (np.zeros((4, 2)), DimensionError, r"shape is \(4, 2\)\. .*list\(map\(tuple"),
        (np.zeros((4, 2, 2)), DimensionError, r"shape is \(4, 2, 2\)\.$"),
        (pd.DataFrame({"a": "xy", "b": "zw"}, index=[0]), DimensionError, r"\(1, 2\)"),
        (["a"] * 9, RankError, r"at least 3 different symbols .* are 1 \('a'\)\. Use other data"),
        (list("abab"), RankError, r"there are 2 \('b', 'a'\)\. Use at most n_components=1\."),
    ],
)
def test_what_cannot_be_used_is_refused(X, error, message):
    with pytest.raises(error, match=message):
        SymbolFeatures().fit(X)


def test_a_sparse_matrix_is_refused():
    with pytest.raises(SymbolsError, match=r"sparse matrix.*not their one-hot columns"):
        SymbolFeatures().fit(sparse.eye_array(5).tocsr())


@pytest.mark.filterwarnings("ignore::predfeat.exceptions.DisconnectedSymbolsWarning")
def test_sequences_shorter_than_a_context_and_its_successor_are_refused():
    X, groups = tokens(12), np.repeat([3, 4, 5], 4)
    SymbolFeatures(1, n_lags=3).fit(X, groups=groups)
    with pytest.raises(
        ShortSequencesError, match=r"5 rows in a row are needed.* has 4 \(rows 0 to 3, group 3;"
    ):
        SymbolFeatures(1, n_lags=4).fit(X, groups=groups)


def test_tables_without_enough_directions_are_refused():
    # "a" and "b" alone are contexts, and one of them says nothing more than the other.
    X, groups = list("axaybzaxbxazbybz"), np.repeat(np.arange(8), 2)
    assert SymbolFeatures(1).fit(X, groups=groups).eigenvalues_[0] < 1
    with pytest.raises(
        RankError,
        match=r"n_components=2, but the table of 2 contexts by 3 symbols has only 1 independent.*"
        r"at most n_components=1",
    ):
        SymbolFeatures(2).fit(X, groups=groups)


@pytest.mark.parametrize("n_copies", [1, 180], ids=["dense", "sparse"])
def test_tables_of_low_rank_are_refused(n_copies):
    # More rows than columns than independent rows.
    table = np.tile([[1.0, 2.0, 3.0, 1.0], [2.0, 4.0, 6.0, 2.0], [1.0, 1.0, 1.0, 3.0]], n_copies)
    table = np.tile(table, (2 * n_copies, 1))
    with pytest.raises(RankError, match=r"n_components=2, .* has only 1 independent direction"):
        correspondence_analysis(sparse.csr_array(table), 2)
    assert correspondence_analysis(sparse.csr_array(table), 1).values[0] < 1


def test_too_many_neighbours_are_refused():
    with pytest.raises(
        TooFewStatesError,
        match=r"n_neighbors=8 needs at least 9 different contexts, but with n_lags=1 there are 8\. "
        r"Use at most n_neighbors=7",
    ):
        SymbolFeatures(2, n_neighbors=8).fit(tokens(1000))


def test_groups_and_targets_are_checked_as_for_other_methods():
    X = tokens(20)
    with pytest.raises(GroupsError, match="X has 20 rows, groups has 3"):
        SymbolFeatures().fit(X, groups=[1, 2, 3])
    with pytest.warns(ReturningGroupWarning, match="group id 0 reappears at row 12"):
        SymbolFeatures(1).fit(X, groups=[0] * 6 + [1] * 6 + [0] * 8)
    with pytest.raises(GroupsError, match="ignored by SymbolFeatures, but it has 2 entries"):
        SymbolFeatures().fit(X, [1, 2])
    with pytest.warns(IgnoredTargetWarning, match="ignored by SymbolFeatures"):
        SymbolFeatures(1).fit(X, [0] * 10 + [1] * 10)


@pytest.mark.parametrize(
    ("name", "value"),
    [("n_components", 0), ("n_lags", 0), ("n_neighbors", 0), ("max_iter", 0), ("tol", -1.0),
     ("engine", "none"), ("n_jobs", "two"), ("verbose", "much")],
)  # fmt: skip
def test_bad_parameters_are_found_in_fit(name, value):
    with pytest.raises(ValueError, match=rf"'{name}' parameter of SymbolFeatures .*Got"):
        SymbolFeatures(**{name: value}).fit(tokens())


# As an estimator


def test_a_fit_that_fails_leaves_an_earlier_one():
    model = SymbolFeatures().fit(tokens())
    before = {name: id(value) for name, value in vars(model).items()}
    for bad in (["a", ["b"]], ["a"], list("ab" * 9)):
        with pytest.raises((ValueError, TypeError)):
            model.fit(bad)
        assert {name: id(value) for name, value in vars(model).items()} == before


def test_a_model_that_is_not_fitted_says_so():
    for call in (lambda m: m.transform(["a"]), lambda m: m.get_feature_names_out()):
        with pytest.raises(NotFittedError, match="SymbolFeatures"):
            call(SymbolFeatures())


def test_tags_say_that_rows_are_symbols():
    tags = SymbolFeatures().__sklearn_tags__().input_tags
    assert tags.one_d_array
    assert not tags.two_d_array
    assert tags.string
    assert tags.allow_nan


def test_fitting_is_as_scikit_learn_asks():
    X = tokens()
    model = SymbolFeatures(2, n_lags=2, n_neighbors=3, max_iter=3)
    parameters = model.get_params()
    assert model.fit(X) is model
    assert model.get_params() == parameters
    new = set(vars(model)) - set(parameters)
    assert new == {"symbols_", "counts_", "vectors_", "eigenvalues_", "history_", "n_iter_"}
    state = pickle.dumps(vars(model))
    Y = model.transform(X)
    assert pickle.dumps(vars(model)) == state
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).transform(X), Y)
    np.testing.assert_array_equal(model.transform(X[::-1]), Y[::-1])
    np.testing.assert_array_equal(np.vstack([model.transform([token]) for token in X]), Y)
    np.testing.assert_array_equal(clone(model).fit_transform(X), Y)
    np.testing.assert_array_equal(model.fit(X).transform(X), Y)  # again
    assert model.fit(X[:50]).n_iter_ == 3


def test_groups_arrive_through_a_pipeline():
    X, groups = np.array(tokens()), np.repeat(np.arange(8), 50)
    with sklearn.config_context(enable_metadata_routing=True):
        step = SymbolFeatures(n_lags=2).set_fit_request(groups=True)
        pipeline = make_pipeline(step).fit(X, groups=groups)
    alone = SymbolFeatures(n_lags=2).fit(X, groups=groups)
    np.testing.assert_array_equal(pipeline[-1].vectors_, alone.vectors_)
    assert alone.counts_.sum() == 8 * 48


def test_names_and_frames():
    X = tokens()
    series = pd.Series(X, index=pd.date_range("2020-01-01", periods=400, freq="h"))
    model = SymbolFeatures().set_output(transform="pandas").fit(series)
    Y = model.transform(series)
    assert list(Y.columns) == ["symbolfeatures0", "symbolfeatures1"]
    assert list(model.get_feature_names_out()) == list(Y.columns)
    assert Y.index.equals(series.index)
    plain = SymbolFeatures().fit(X)
    np.testing.assert_array_equal(Y, plain.transform(X))
    # A list has no index.
    assert model.transform(X).index.equals(pd.RangeIndex(400))


# Many symbols


def many_symbols(seed=0, n_symbols=700, n_rows=20_000):
    random = np.random.default_rng(seed)
    classes = random.integers(0, 5, size=n_symbols)
    follows = np.argsort(random.random((5, 5)))[:, :2]
    members = [np.flatnonzero(classes == c) for c in range(5)]
    X = [0]
    for _ in range(n_rows - 1):
        X.append(int(random.choice(members[random.choice(follows[classes[X[-1]]])])))
    return X


def test_copies_of_an_eigenvalue_are_all_found():
    # Three equal tables side by side: every eigenvalue of one occurs three times, and a search
    # from one vector may see each of them once.
    random = np.random.default_rng(0)
    one = sparse.csr_array(
        random.random((300, 300)) * (random.random((300, 300)) < 0.05) + np.eye(300)
    )
    table = sparse.block_diag([one] * 3).tocsr()
    found = correspondence_analysis(table, 8)
    expected = 1 - naive_symbols.singular_values(one.toarray())[:2] ** 2
    np.testing.assert_array_equal(found.values[:2], 0)  # the blocks
    np.testing.assert_allclose(found.values[2:], np.repeat(expected, 3), rtol=0, atol=1e-12)
    assert correspondence_analysis(table, 8).vectors.tobytes() == found.vectors.tobytes()
    sums = table.sum(axis=0)
    scatter = found.vectors.T * sums @ found.vectors / sums.sum()
    np.testing.assert_allclose(scatter, np.eye(8), atol=1e-10)


@pytest.mark.parametrize("shape", [(900, 300), (300, 900), (800, 600)])
def test_tables_of_any_shape_are_solved(shape):
    table = np.random.default_rng(0).poisson(0.02, size=shape) + 1e-3
    found = correspondence_analysis(sparse.csr_array(table), 3)
    sigma = naive_symbols.singular_values(table)
    np.testing.assert_allclose(found.values, 1 - sigma[:3] ** 2, rtol=0, atol=1e-12)


def test_memory_grows_with_the_table_and_not_with_the_square_of_its_columns():
    # 30 000 symbols: their square would take 7 GB.
    random = np.random.default_rng(0)
    X = random.integers(0, 30_000, size=100_000) // random.integers(1, 30, size=100_000)
    tracemalloc.start()
    try:
        SymbolFeatures(2, n_neighbors=3, max_iter=2).fit(X)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 300e6


def test_the_sparse_solver_agrees_with_the_dense_one(monkeypatch):
    X = many_symbols()
    found = SymbolFeatures(3).fit(X)
    assert len(found.symbols_) > 600
    monkeypatch.setattr("predfeat.solvers._correspondence._MOST_DENSE", 1000)
    dense = SymbolFeatures(3).fit(X)
    # Lanczos' method runs to the precision of float64.
    np.testing.assert_allclose(found.eigenvalues_, dense.eigenvalues_, rtol=0, atol=1e-12)
    assert subspace_angles(found.vectors_, dense.vectors_).max() < 1e-5
    again = SymbolFeatures(3).fit(X)
    assert again.vectors_.tobytes() == dense.vectors_.tobytes()
