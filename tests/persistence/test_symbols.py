"""Models of symbols in files: what comes back, and what cannot be kept."""

import enum
import os

import numpy as np
import pytest

from model_forging import differences, forged
from predfeat import SymbolFeatures, load, read_header, save
from predfeat.exceptions import ModelFileError

MIXED = ["1", 1, 2.5, "ü", "", "\ud800", -(2**62), 0.1, 1e-300]


def series(symbols=MIXED, n_rows=300, seed=0):
    random = np.random.default_rng(seed)
    return [symbols[i] for i in random.integers(0, len(symbols), size=n_rows)]


@pytest.mark.parametrize(
    "method",
    [SymbolFeatures(3), SymbolFeatures(1, n_lags=2, n_neighbors=2, max_iter=3, tol=0)],
    ids=["equal", "similar"],
)
def test_everything_comes_back_to_the_bit(method, tmp_path):
    X = series()
    model = method.fit(X)
    save(model, tmp_path / "one")
    again = load(tmp_path / "one")
    assert differences(model, again) == []
    assert [type(symbol) for symbol in again.symbols_] == [type(s) for s in model.symbols_]
    assert again.counts_.dtype == np.int64
    assert again.get_params() == model.get_params()
    assert again.transform(X).tobytes() == model.transform(X).tobytes()
    assert list(again.get_feature_names_out()) == list(model.get_feature_names_out())
    save(again, tmp_path / "two")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    again.fit(series(list("abcde")))  # as any estimator


def test_true_comes_back_as_true(tmp_path):
    save(SymbolFeatures(1).fit(series([True, False, "x"])), tmp_path / "m")
    assert {repr(symbol) for symbol in load(tmp_path / "m").symbols_} == {"True", "False", "'x'"}


def test_the_header_tells_about_symbols(tmp_path):
    save(SymbolFeatures(1).fit(list("abcabccab")), tmp_path / "m", notes={"a": 1})
    header = read_header(tmp_path / "m")
    assert header.estimator == "SymbolFeatures"
    assert header.fitted == {"n_iter_": 1, "symbols_": ["b", "c", "a"]}
    assert (header.n_columns, header.columns) == (1, None)
    other = SymbolFeatures(1).fit(list("abdabddab"))
    save(other, tmp_path / "other")
    assert read_header(tmp_path / "other").fingerprint != header.fingerprint


class Color(enum.IntEnum):
    RED = 1


@pytest.mark.parametrize(
    ("symbol", "what"),
    [
        (("a", 1), "a tuple"),
        (b"x", "a bytes"),
        (1j, "a complex"),
        (2**63, "a number of 64 bits"),
        (float("inf"), "the number inf"),
        (frozenset("a"), "a frozenset"),
        (Color.RED, "a Color"),
        (np.datetime64("2020-01-01"), "a datetime64"),
    ],
)
def test_symbols_that_would_change_are_refused(symbol, what, tmp_path):
    model = SymbolFeatures(1).fit(series([symbol, "a", "b"]))
    with pytest.raises(
        ModelFileError,
        match=rf"keeps symbols that are text, whole numbers .* but there is {what}\. Convert the "
        r"symbols before fitting, for example with str\(\)",
    ):
        save(model, tmp_path / "m")
    assert os.listdir(tmp_path) == []


def test_too_many_symbols_are_refused(tmp_path):
    model = SymbolFeatures(1).fit([letter * 2**22 for letter in "abcabccab"])
    with pytest.raises(ModelFileError, match=r"symbols and notes take \d+ .*fit to fewer symbols"):
        save(model, tmp_path / "m")


def set_fitted(name, value):
    return lambda fields: fields["fitted"].update({name: value})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (set_fitted("symbols_", ["b", "c", "b"]), "symbols_ holds a symbol twice"),
        (set_fitted("symbols_", ["b", 1, 1.0]), "symbols_ holds a symbol twice"),
        (set_fitted("symbols_", ["b", "c", None]), "symbols_ is no list of symbols"),
        (set_fitted("symbols_", ["b", "c", ["a"]]), "symbols_ is no list of symbols"),
        (set_fitted("symbols_", "bca"), "symbols_ is no list of symbols"),
        (set_fitted("symbols_", ["b", "c"]), r"vectors_ has shape \(3, 1\), but .*\(2, 1\)"),
        (set_fitted("n_iter_", 2), r"history_.eigenvalues has shape \(1, 1\)"),
        (lambda fields: fields["fitted"].pop("symbols_"), "fitted numbers are not those"),
        (lambda fields: fields.update(n_columns=2), "has one column without a name"),
        (lambda fields: fields.update(columns=["word"]), "has one column without a name"),
    ],
)
def test_descriptions_that_cannot_be_are_refused(change, message, tmp_path):
    save(SymbolFeatures(1).fit(list("abcabccab")), tmp_path / "m")
    (tmp_path / "bad").write_bytes(forged((tmp_path / "m").read_bytes(), change))
    with pytest.raises(ModelFileError, match=message):
        load(tmp_path / "bad")


def test_counts_that_are_none_are_refused(tmp_path):
    for count in (0, -1):
        model = SymbolFeatures(1).fit(list("abcabccab"))
        model.counts_[0] = count
        with pytest.raises(ModelFileError, match="counts_ holds numbers that are no counts"):
            save(model, tmp_path / "m")


def test_more_features_than_symbols_are_refused(tmp_path):
    model = SymbolFeatures(2).fit(list("abcabccab"))
    for name in ("symbols_", "counts_", "vectors_"):
        setattr(model, name, getattr(model, name)[:2])
    with pytest.raises(ModelFileError, match="2 features of 2 symbols cannot be"):
        save(model, tmp_path / "m")
