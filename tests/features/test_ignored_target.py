"""What is given as y, which is ignored: never silently where it was meant as groups."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from predfeat import (
    DCA,
    GPFA,
    LPP,
    PFA,
    SFA,
    AutoFeatures,
    DescentFeatures,
    ForeCA,
    RandomFeatures,
)
from predfeat.exceptions import GroupsError, IgnoredTargetWarning

N_ROWS = 60
X = np.random.default_rng(0).normal(size=(N_ROWS, 3))
IDS = np.repeat([3, 1, 2], N_ROWS // 3)
METHODS = [
    GPFA(max_iter=1),
    SFA(),
    PFA(),
    ForeCA(max_iter=2),
    DCA(max_iter=2, n_starts=0),
    LPP(),
    DescentFeatures(max_iter=0, n_starts=1, n_sets=1),
    RandomFeatures(),
    AutoFeatures(n_components=1),
]


@pytest.mark.parametrize("method", METHODS, ids=lambda method: type(method).__name__)
def test_every_method_asks_whether_ids_were_meant_as_groups(method):
    name = type(method).__name__
    with pytest.warns(IgnoredTargetWarning, match=rf"ignored by {name}, .*groups=…") as told:
        method.fit(X, IDS)
    assert told[0].filename == __file__


@pytest.mark.parametrize(
    "ids",
    [
        IDS,
        IDS.tolist(),
        IDS.reshape(-1, 1),
        IDS.astype(float),
        np.where(IDS == 1, "a", "b")[: N_ROWS // 3 * 2].tolist() + ["c"] * (N_ROWS // 3),
        pd.Series(IDS, index=np.arange(N_ROWS)[::-1]),
    ],
    ids=["array", "list", "column", "floats", "text", "series"],
)
def test_ids_in_any_form(ids):
    with pytest.warns(IgnoredTargetWarning):
        SFA().fit(X, ids)


def test_the_score_asks_too():
    fitted = SFA().fit(X, groups=IDS)
    with pytest.warns(IgnoredTargetWarning):
        fitted.score(X, IDS)
    assert fitted.score(X, groups=IDS) == fitted.score(X, IDS % 2, groups=IDS)


@pytest.mark.parametrize(
    "target",
    [
        None,
        np.zeros(N_ROWS),  # one block
        np.arange(N_ROWS) % 3,  # labels that come back
        np.arange(N_ROWS) // 10 % 2,  # and stay for a while
        np.linspace(0, 1, N_ROWS),  # numbers that never come back
        np.r_[np.full(20, 130), np.arange(130, 90, -1)],  # a countdown after a plateau
        X,  # several targets
        np.r_[np.full(30, np.nan), np.ones(30)],
        [None] * 30 + [pd.NA] * 30,
        [[1]] * 30 + [[1, 2]] * 30,  # labels of several kinds
    ],
)
def test_what_may_be_a_target_is_left_alone(target):
    SFA().fit(X, target)  # warnings are errors in this suite


def test_sorted_labels_for_a_later_step_still_arrive_there():
    labels = np.repeat([0, 1], N_ROWS // 2)
    with pytest.warns(IgnoredTargetWarning):
        pipeline = make_pipeline(SFA(), LogisticRegression()).fit(X, labels)
    assert pipeline.predict(X).shape == (N_ROWS,)
    search = GridSearchCV(SFA(), {"n_components": [1, 2]}, cv=3)
    assert search.fit(X, np.arange(N_ROWS) % 2).best_params_


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([20, 20, 20], r"has 3 entries where X has 60 rows.*np.repeat\(np.arange\(len\(y\)\), y\)"),
        ([1, 2], "has 2 entries where X has 60 rows.*one for every row"),
        (7, "it is 7 where X has 60 rows"),
        (IDS[:-1], "has 59 entries where X has 60 rows"),
    ],
)
def test_what_can_be_no_target_is_refused(given, message):
    with pytest.raises(GroupsError, match=message):
        GPFA().fit(X, given)
    with pytest.raises(GroupsError, match=message):
        RandomFeatures().fit(X).score(X, given)
