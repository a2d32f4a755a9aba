"""scikit-learn's conventions: its own checks, pipelines, searches, names, copies."""

import pickle

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import estimator_checks
from sklearn.utils.estimator_checks import parametrize_with_checks

from predfeat import (
    DCA,
    GPFA,
    LPP,
    PFA,
    SFA,
    DescentFeatures,
    ForeCA,
    RandomFeatures,
    SymbolFeatures,
)
from predfeat.features import FewChannels, Patches, SpectralRegression
from predfeat.measures import predicted_shares
from predfeat.series import check_sequences

ESTIMATORS = [
    GPFA(),
    GPFA(graph="full", horizon=2),
    SFA(),
    PFA(horizon=2),
    ForeCA(),
    DCA(n_window=3, n_starts=2),  # some checks have no more than 6 rows between gaps
    LPP(n_neighbors=3),
    DescentFeatures(n_neighbors=3, n_starts=2, n_sets=2),
    RandomFeatures(random_state=0),
    Patches(),
    SpectralRegression(n_neighbors=3),
    FewChannels(),
    FewChannels(method="pursuit"),
]
ONE_OF_EACH = [ESTIMATORS[i] for i in (0, 2, 3, 4, 5, 6, 7, 8)]
by_name = pytest.mark.parametrize("estimator", ONE_OF_EACH, ids=lambda e: type(e).__name__)


# Some checks fit to the irises, whose labels are sorted as the ids of sequences are.
@pytest.mark.filterwarnings("ignore::predfeat.exceptions.IgnoredTargetWarning")
# One calls partial_fit after fit, only to see whether it takes a y.
@pytest.mark.filterwarnings("ignore::predfeat.exceptions.NewStartWarning")
@parametrize_with_checks(ESTIMATORS)
def test_checks_of_scikit_learn(estimator, check):
    check(estimator)


# Where the input is no matrix, parametrize_with_checks checks only that one can be cloned.
@pytest.mark.parametrize(
    "check",
    [
        estimator_checks.check_estimator_cloneable,
        estimator_checks.check_estimator_tags_renamed,
        estimator_checks.check_valid_tag_types,
        estimator_checks.check_estimator_repr,
        estimator_checks.check_no_attributes_set_in_init,
        estimator_checks.check_do_not_raise_errors_in_init_or_set_params,
        estimator_checks.check_mixin_order,
        estimator_checks.check_parameters_default_constructible,
        estimator_checks.check_get_params_invariance,
        estimator_checks.check_set_params,
    ],
    ids=lambda check: check.__name__,
)
def test_checks_of_scikit_learn_that_need_no_matrix(check):
    check("SymbolFeatures", SymbolFeatures())


def trials(n_trials=8, length=40, seed=0):
    """Slow waves that jump at every border, in noise, and the ids of the trials."""
    random = np.random.default_rng(seed)
    groups = np.repeat(np.arange(n_trials), length)
    X = random.normal(size=(n_trials * length, 4))
    phase = random.uniform(0, 2 * np.pi, size=n_trials)[groups]
    X[:, 1] += 3 * np.sin(0.2 * np.arange(n_trials * length) + phase)
    return X @ random.normal(size=(4, 4)), groups


class RecordingGPFA(GPFA):
    """A GPFA that writes down which groups arrived where."""

    arrived = []  # noqa: RUF012 - shared by the clones that the search makes

    def fit(self, X, y=None, *, groups=None):
        self.arrived.append(("fit", len(X), groups))
        return super().fit(X, y, groups=groups)

    def score(self, X, y=None, *, groups=None):
        self.arrived.append(("score", len(X), groups))
        return super().score(X, y, groups=groups)


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


@pytest.mark.usefixtures("routing")
def test_groups_arrive_through_pipeline_and_search():
    X, groups = trials()
    RecordingGPFA.arrived.clear()
    method = RecordingGPFA(n_lags=2, max_iter=3).set_fit_request(groups=True)
    method.set_score_request(groups=True)
    pipeline = Pipeline([("scale", StandardScaler()), ("gpfa", method)])
    search = GridSearchCV(
        pipeline, {"gpfa__n_neighbors": [3, 6], "gpfa__n_components": [1, 2]}, cv=GroupKFold(4)
    )
    search.fit(X, groups=groups)

    assert len(RecordingGPFA.arrived) == 4 * 4 * 2 + 1  # candidates × folds × (fit, score), refit
    for where, n_rows, ids in RecordingGPFA.arrived:
        assert ids is not None
        assert len(ids) == n_rows
        expected = {"fit": {6, 8}, "score": {2}}[where]
        assert len(np.unique(ids)) in expected  # whole trials, never parts of one
    assert search.best_params_["gpfa__n_neighbors"] in (3, 6)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


def scores_by_cross_validation(pipeline, X, groups, folds):
    return cross_val_score(pipeline, X, cv=folds, params={"groups": groups})


def scores_by_search(pipeline, X, groups, folds):
    search = GridSearchCV(pipeline, {"gpfa__n_lags": [2]}, cv=folds).fit(X, groups=groups)
    return [search.cv_results_[f"split{i}_test_score"][0] for i in range(folds.get_n_splits())]


# Before scikit-learn 1.8 both gave the groups to a pipeline's fit and none to its score, silently.
@pytest.mark.parametrize("scores_of", [scores_by_cross_validation, scores_by_search])
@pytest.mark.usefixtures("routing")
def test_a_search_scores_what_the_method_scores(scores_of):
    X, groups = trials()
    method = GPFA(n_lags=2, max_iter=3).set_fit_request(groups=True)
    method.set_score_request(groups=True)
    pipeline = Pipeline([("scale", StandardScaler()), ("gpfa", method)])
    scores = scores_of(pipeline, X, groups, GroupKFold(4))
    for score, (train, test) in zip(scores, GroupKFold(4).split(X, groups=groups), strict=True):
        scaler = StandardScaler().fit(X[train])
        model = GPFA(n_lags=2, max_iter=3).fit(scaler.transform(X[train]), groups=groups[train])
        features = model.transform(scaler.transform(X[test]))
        apart, joined = (
            predicted_shares(check_sequences(features, ids), None, n_lags=2).sum()
            for ids in (groups[test], None)
        )
        assert score == pytest.approx(apart, rel=1e-12)
        # The test bites: joined at the borders, the score is another.
        assert abs(apart - joined) > 1e-6


@by_name
@pytest.mark.usefixtures("routing")
def test_a_pipeline_scores_with_groups(estimator):
    X, groups = trials()
    method = clone(estimator).set_fit_request(groups=True).set_score_request(groups=True)
    pipeline = make_pipeline(StandardScaler(), method).fit(X, groups=groups)
    prepared = pipeline[:-1].transform(X)
    assert pipeline.score(X, groups=groups) == pipeline[-1].score(prepared, groups=groups)
    # Joined at the borders, the score is another.
    assert abs(pipeline.score(X, groups=groups) - pipeline[-1].score(prepared)) > 1e-6


@pytest.mark.usefixtures("routing")
def test_groups_that_nobody_asked_for_are_refused():
    X, groups = trials()
    with pytest.raises(sklearn.exceptions.UnsetMetadataPassedError, match="groups"):
        make_pipeline(StandardScaler(), GPFA()).fit(X, groups=groups)


@by_name
def test_groups_reach_the_fit(estimator):
    # A jump at the border is change that no method may see.
    X, groups = trials(n_trials=2, length=100)
    X[100:] += 50.0
    apart = clone(estimator).fit(X, groups=groups)
    direct = clone(estimator).fit_transform(X, groups=groups)
    np.testing.assert_array_equal(direct, apart.transform(X))
    if not isinstance(estimator, LPP | RandomFeatures):  # time plays no part in these
        joined = clone(estimator).fit(X)
        assert np.abs(apart.components_ - joined.components_).max() > 1e-6


@by_name
def test_output_as_a_frame(estimator):
    X, _ = trials()
    index = pd.date_range("2020-01-01", periods=len(X), freq="h")
    frame = pd.DataFrame(X, columns=list("abcd"), index=index)
    model = clone(estimator).set_output(transform="pandas").fit(frame)
    features = model.transform(frame)
    prefix = type(estimator).__name__.lower()
    assert list(features.columns) == [f"{prefix}0", f"{prefix}1"]
    assert list(model.get_feature_names_out()) == list(features.columns)
    assert features.index.equals(index)
    # A frame's columns lie otherwise in memory, so that sums may round otherwise; no more.
    plain = clone(estimator).fit(X)
    np.testing.assert_allclose(features, plain.transform(X), rtol=0, atol=1e-9)
    assert model.score(frame) == pytest.approx(plain.score(X), abs=1e-9)


@by_name
def test_names_are_remembered_and_compared(estimator):
    X, _ = trials()
    frame = pd.DataFrame(X, columns=list("abcd"))
    model = clone(estimator).fit(frame)
    assert list(model.feature_names_in_) == list("abcd")
    assert model.n_features_in_ == 4
    with pytest.raises(
        ValueError, match=r"feature names should match.*(?s:.*)seen at fit.*(?s:.*)d"
    ):
        model.transform(frame.rename(columns={"d": "e"}))
    with pytest.raises(ValueError, match="feature names should match"):
        model.transform(frame[["b", "a", "c", "d"]])
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        model.transform(X)


@by_name
def test_the_number_of_columns_is_compared(estimator):
    X, _ = trials()
    model = clone(estimator).fit(X)
    name = type(estimator).__name__
    with pytest.raises(ValueError, match=rf"X has 3 features, but {name} is expecting 4"):
        model.transform(X[:, :3])
    with pytest.raises(ValueError, match=rf"X has 5 features, but {name} is expecting 4"):
        model.score(np.column_stack([X, X[:, 0]]))
    with pytest.raises(ValueError, match=rf"Y has 3 columns, but {name} has 2 features"):
        model.inverse_transform(X[:, :3])


@by_name
def test_a_model_that_is_not_fitted_says_so(estimator):
    X, _ = trials()
    for method in ("transform", "inverse_transform", "score"):
        with pytest.raises(
            NotFittedError, match=f"This {type(estimator).__name__} instance is not"
        ):
            getattr(clone(estimator), method)(X)
    with pytest.raises(NotFittedError):
        clone(estimator).get_feature_names_out()


@by_name
def test_copies(estimator):
    X, _ = trials()
    model = clone(estimator).fit(X)
    copied = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copied.transform(X), model.transform(X))
    blank = clone(model)
    assert not hasattr(blank, "components_")
    assert blank.get_params() == model.get_params()
    np.testing.assert_array_equal(blank.fit(X).components_, model.components_)


@by_name
def test_the_constructor_only_stores(estimator):
    given = {name: object() for name in estimator.get_params()}
    stored = type(estimator)(**given).get_params(deep=False)
    assert all(stored[name] is value for name, value in given.items())
    assert set(vars(type(estimator)(**given))) == set(given)


@by_name
def test_fitted_state_ends_with_an_underscore(estimator):
    X, _ = trials()
    model = clone(estimator)
    parameters = set(vars(model))
    before = dict(vars(model))
    model.fit(X)
    new = set(vars(model)) - parameters
    assert all(name.endswith("_") or name.startswith("_") for name in new)
    assert {"components_", "mean_", "patterns_", "rank_", "n_features_in_"} <= new
    for name in parameters:  # fit never writes to a parameter
        assert vars(model)[name] is before[name]


@by_name
def test_bad_parameters_are_found_in_fit(estimator):
    X, _ = trials()
    name = type(estimator).__name__
    for value in (0, -1, 1.5, "two"):
        model = clone(estimator).set_params(n_components=value)  # no complaint here
        with pytest.raises(ValueError, match=rf"'n_components' parameter of {name} .*Got"):
            model.fit(X)
    for value in (0, 0.0, 1.0, "all"):
        with pytest.raises(ValueError, match=rf"'pca_components' parameter of {name} .*Got"):
            clone(estimator).set_params(pca_components=value).fit(X)
