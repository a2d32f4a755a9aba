"""A fit that fails or is interrupted leaves the model as it was."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

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

METHODS = [
    GPFA(max_iter=3),
    GPFA(max_iter=2, init="auto"),
    SFA(),
    PFA(n_lags=2),
    ForeCA(n_starts=1),
    DCA(n_starts=1),
    LPP(),
    DescentFeatures(n_starts=1, n_sets=1),
    RandomFeatures(random_state=0),
    AutoFeatures(),
]
every = pytest.mark.parametrize("method", METHODS, ids=lambda m: type(m).__name__)
NOISE = np.random.default_rng(0).normal(size=(120, 4))


def with_infinity(X):
    X = X.copy()
    X[3, 1] = np.inf
    return X


# Each of another number of columns than the first fit, or of named ones: that is noted early.
BAD_DATA = {
    "one dimension": (NOISE[:, 0], {}),
    "text": (pd.DataFrame({"a": ["x"] * 9, "b": range(9)}), {}),
    "infinity": (with_infinity(NOISE[:, :3]), {}),
    "one row": (NOISE[:1, :3], {}),
    "nothing but gaps": (np.full((50, 3), np.nan), {}),
    "no two rows in succession": (np.where(np.arange(50)[:, None] % 2, NOISE[:50], np.nan), {}),
    "nothing varies": (pd.DataFrame(np.ones((50, 3)), columns=list("abc")), {}),
    "too few columns": (pd.DataFrame(NOISE[:, :1], columns=["a"]), {}),
    "groups of another length": (NOISE[:, :3], {"groups": np.zeros(7)}),
    "too large": (1e305 * NOISE[:, :3], {}),
    "too small": (1e-315 * NOISE[:, :3], {}),
}


def state_of(model):
    """Return everything the model holds, as bytes: the same bits, and nothing more or less."""
    return {name: pickle.dumps(value) for name, value in sorted(vars(model).items())}


def assert_unchanged(model, before, features):
    assert state_of(model) == before
    np.testing.assert_array_equal(model.transform(NOISE), features)


@pytest.fixture(scope="module", params=METHODS, ids=lambda m: type(m).__name__)
def fitted(request):
    model = clone(request.param).fit(NOISE)
    return model, state_of(model), model.transform(NOISE)


@pytest.mark.filterwarnings("ignore::predfeat.exceptions.ConstantColumnsWarning")
@pytest.mark.parametrize("kind", BAD_DATA)
def test_bad_data_leaves_an_earlier_fit_as_it_was(fitted, kind):
    model, before, features = fitted
    X, options = BAD_DATA[kind]
    with pytest.raises((ValueError, TypeError)):
        model.fit(X, **options)
    assert_unchanged(model, before, features)


def test_too_few_states_leave_an_earlier_fit_as_it_was(fitted):
    model, _, features = fitted
    asked = {"n_neighbors": 500, "n_lags": 200} if isinstance(model, PFA) else {"n_components": 9}
    if isinstance(model, GPFA | AutoFeatures):
        asked = {"n_neighbors": 500}
    of_model = {name: value for name, value in asked.items() if name in model.get_params()}
    kept = {name: model.get_params()[name] for name in of_model}
    model.set_params(**of_model)
    before = state_of(model)
    with pytest.raises(ValueError, match=r"9|500|200"):
        model.fit(NOISE)
    assert_unchanged(model, before, features)
    model.set_params(**kept)


# At the start, when columns are already counted, in the middle and at the very end.
@pytest.mark.parametrize("moment", ["check_sequences", "fit_whitening", "fix_signs"])
@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError, SystemExit])
def test_an_interrupt_leaves_an_earlier_fit_as_it_was(fitted, monkeypatch, moment, error):
    def interrupted(*_, **__):
        raise error

    model, before, features = fitted
    monkeypatch.setattr(f"predfeat.features._base.{moment}", interrupted)
    with pytest.raises(error):
        model.fit(pd.DataFrame(NOISE[:, :3], columns=list("abc")))
    monkeypatch.undo()
    assert_unchanged(model, before, features)


@every
def test_a_first_fit_that_fails_leaves_nothing(method, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    model = clone(method)
    before = state_of(model)
    monkeypatch.setattr("predfeat.features._base.fix_signs", interrupted)
    with pytest.raises(KeyboardInterrupt):
        model.fit(NOISE)
    assert state_of(model) == before
    with pytest.raises(NotFittedError):
        model.transform(NOISE)


@pytest.mark.parametrize("method", METHODS[:-1], ids=lambda m: type(m).__name__)
def test_a_new_fit_keeps_nothing_of_an_earlier_one(method):
    frame = pd.DataFrame(NOISE[:, :3], columns=list("abc"))
    again = clone(method).fit(frame).fit(NOISE)
    if isinstance(method, GPFA):
        again = clone(method).set_params(init="auto").fit(frame)
        again.set_params(init=method.init).fit(NOISE)
    assert set(vars(again)) == set(vars(clone(method).fit(NOISE)))
    np.testing.assert_array_equal(again.transform(NOISE), clone(method).fit_transform(NOISE))
