"""A warning shows the line outside the package that led to it."""

import re
import warnings
from pathlib import Path

import numpy as np
import pytest
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

import predfeat
from predfeat import GPFA, SFA, Expanded
from predfeat._warnings import warn
from predfeat.series import from_trials

SOURCES = Path(predfeat.__file__).parent


def given_by(call):
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        call()
    return given


def constant_column():
    X = np.random.default_rng(0).normal(size=(100, 3))
    X[:, 1] = 1.0
    return X


@pytest.mark.parametrize(
    "call",
    [
        lambda: SFA(1).fit(constant_column()),
        lambda: GPFA(1, max_iter=1).fit(constant_column()),
        lambda: make_pipeline(SFA(1)).fit(constant_column()),
        lambda: cross_val_score(SFA(1), constant_column(), cv=2),
        lambda: Expanded(SFA(1), "quadratic").fit(constant_column()[:30, [0, 2]]),
        lambda: SFA(1).fit(constant_column()[:, [0, 2]], np.repeat([0, 1, 2, 3], 25)),
        lambda: from_trials(np.zeros((10, 40, 50))),
    ],
    ids=["fit", "other fit", "pipeline", "search", "expansion", "ignored", "function"],
)
def test_the_caller_s_line_is_shown(call):
    given = given_by(call)
    assert given
    assert {each.filename for each in given} == {__file__}
    # All on one line: that of the call.
    assert {each.lineno for each in given} == {call.__code__.co_firstlineno}


def test_a_category_may_be_left_out():
    (text,) = given_by(lambda: warn("something"))
    assert (str(text.message), text.category) == ("something", UserWarning)
    (own,) = given_by(lambda: warn(DeprecationWarning("old")))
    assert own.category is DeprecationWarning


def test_nothing_warns_by_another_way():
    found = [
        str(path.relative_to(SOURCES))
        for path in SOURCES.rglob("*.py")
        if re.search(r"\bwarnings\.warn\(", path.read_text(encoding="utf-8"))
    ]
    assert found == ["_warnings.py"]
