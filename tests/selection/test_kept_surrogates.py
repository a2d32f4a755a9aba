"""A test that is kept to go on later is taken back whole and unchanged, or not at all."""

import hashlib
import json

import numpy as np
import pytest

from predfeat import SFA
from predfeat.exceptions import SignificanceError
from predfeat.selection import Significance, significance


@pytest.fixture(scope="module")
def kept():
    X = np.random.default_rng(0).normal(size=(60, 3))
    return json.loads(json.dumps(significance(SFA(2), X, n_surrogates=19).as_dict()))


def with_digest(plain):
    """Return a forgery that knows how digests are made."""
    rest = {name: value for name, value in plain.items() if name != "digest"}
    digest = hashlib.sha256(json.dumps(rest, sort_keys=True).encode()).hexdigest()
    return {**rest, "digest": digest}


def test_what_was_kept_comes_back_bit_for_bit(kept):
    assert Significance.from_dict(kept).as_dict() == kept
    assert with_digest(kept) == kept


@pytest.mark.parametrize("name", ["alpha", "method", "setting", "statistics", "p_values", "keeps"])
def test_what_was_changed_since_is_refused(kept, name):
    changed = [0.25, 0.5] if isinstance(kept[name], list) else "0.2"
    with pytest.raises(SignificanceError, match=r"does not match its digest.*Do the test anew"):
        Significance.from_dict({**kept, name: changed})
    without = {key: value for key, value in kept.items() if key != name}
    with pytest.raises(SignificanceError, match="does not match its digest"):
        Significance.from_dict(without)


def test_a_result_without_a_digest_is_refused(kept):
    without = {name: value for name, value in kept.items() if name != "digest"}
    with pytest.raises(SignificanceError, match="has no digest"):
        Significance.from_dict(without)
    for other in (None, [], 3, {}):
        with pytest.raises(SignificanceError, match="no result of a test"):
            Significance.from_dict(other)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("statistics", [], "statistics is no list"),
        ("statistics", [0.5, float("nan")], "statistics is no list"),
        ("statistics", ["0.5", 0.5], "statistics is no list"),
        ("statistics", [0.5], "not lists of 1 finite"),
        ("surrogate_statistics", [[0.5]], "not lists of 2 finite"),
        ("surrogate_statistics", [[0.5, float("inf")]], "not lists of 2 finite"),
        ("surrogate_statistics", {"0": [0.5, 0.5]}, "not lists of 2 finite"),
        ("kind", "dice", "kind is none of"),
        ("kind", ["permutation"], "kind is none of"),
        ("alpha", 0.0, "alpha is no number between 0 and 1"),
        ("alpha", True, "alpha is no number between 0 and 1"),
        ("method", 3, "method is no text"),
        ("setting", None, "setting is no text"),
    ],
)
def test_forged_results_are_refused_by_what_is_wrong(kept, name, value, message):
    with pytest.raises(SignificanceError, match=message):
        Significance.from_dict(with_digest({**kept, name: value}))
