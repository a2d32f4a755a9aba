"""AutoFeatures: the candidates, their scores, and the one that is kept."""

import numpy as np
import pytest
from scipy.stats import kurtosis
from sklearn.utils.estimator_checks import parametrize_with_checks

import naive_measures as twins
import predfeat
from predfeat import GPFA, PFA, SFA, ForeCA
from predfeat.datasets import predictable_noise
from predfeat.features import AutoFeatures
from predfeat.features._candidate_scores import (
    MEAN_OF_BEST,
    CandidateMeasures,
    candidate_scores,
    mean_of_best,
)
from predfeat.measures import predictability, subspace_angles
from predfeat.series import check_sequences
from predfeat.splits import purged_folds

KINDS = {
    "GPFA (1)": {"graph": "full"},
    "GPFA (2)": {"graph": "star"},
    "GPFA (1), inverse spread": {
        "graph": "full",
        "weighting": "inverse_spread",
        "normalized": False,
    },
}

INVERSE_SPREAD = "GPFA (1), inverse spread from slow_fast"


# Some checks fit to the irises, whose labels are sorted as the ids of sequences are.
@pytest.mark.filterwarnings("ignore::predfeat.exceptions.IgnoredTargetWarning")
@parametrize_with_checks([AutoFeatures()])
def test_checks_of_scikit_learn(estimator, check):
    check(estimator)


def slow_wave(n_rows=300, seed=0):
    random = np.random.default_rng(seed)
    sources = random.normal(size=(n_rows, 4))
    sources[:, 0] += 3 * np.sin(0.05 * np.arange(n_rows))
    sources[:, 1] += 3 * np.cos(3.0 * np.arange(n_rows))
    return sources @ random.normal(size=(4, 4))


def score(parts, n_lags, criterion="balanced"):
    """The score of pairs of features and groups."""
    mean = np.mean([predictability(Y, n_lags, groups=groups) for Y, groups in parts])
    typical = np.mean([twins.typical_variance(Y, n_lags, groups=groups) for Y, groups in parts])
    tails = np.mean(
        kurtosis(np.concatenate([Y for Y, _ in parts]), fisher=False, nan_policy="omit")
    )
    both = (mean**12 * typical**8 * tails**3) ** (1 / 20)
    return {"balanced": both, "typical": typical, "training": mean}[criterion]


each_criterion = pytest.mark.parametrize("criterion", ["balanced", "typical", "training"])


@each_criterion
def test_every_candidate_has_the_score_of_its_own_fit(criterion):
    X, groups = slow_wave(), np.repeat([0, 1], 150)
    model = AutoFeatures(2, n_lags=2, n_neighbors=6, criterion=criterion).fit(X, groups=groups)
    options = {"n_lags": 2, "n_neighbors": 6, "n_averaged": 10}
    tripled = PFA(2, n_lags=2, n_repeats=3).fit(X, groups=groups).components_.T
    one_more = GPFA(3, n_lags=2, n_neighbors=6, graph="full").fit(X, groups=groups).components_.T
    fits = {
        "SFA": SFA(2),
        "SFA, two steps": SFA(2, n_steps=2),
        "ForeCA": ForeCA(2),
        **{f"PFA (K={k})": PFA(2, n_lags=2, n_repeats=k) for k in (0, 1, 3, 10)},
        **{
            f"{name} from {start}": GPFA(2, init=start, **kind, **options)
            for name, kind in KINDS.items()
            for start in ("input", "pca", "sfa", "slow_fast", "pfa")
            if start == "slow_fast" or "inverse" not in name
        },
        **{
            f"{name} from PFA (K=3)": GPFA(2, init=tripled, **KINDS[name], **options)
            for name in ("GPFA (1)", "GPFA (2)")
        },
        "GPFA (1) from M + 1 features": GPFA(2, init=one_more, **KINDS["GPFA (1)"], **options),
    }
    weighted = fits.pop("GPFA (1), inverse spread from slow_fast")
    assert set(model.scores_) - {MEAN_OF_BEST} == {*fits, "SFA, both ends", INVERSE_SPREAD}
    for name, fit in fits.items():
        Y = fit.fit(X, groups=groups).transform(X)
        assert model.scores_[name] == pytest.approx(score([(Y, groups)], 2, criterion), rel=1e-3), (
            name
        )
    best = min(fits, key=model.scores_.get)
    Y, weighted = (fit.fit(X, groups=groups).transform(X) for fit in (fits[best], weighted))
    lent = np.mean(kurtosis(Y, fisher=False)) / np.mean(kurtosis(weighted, fisher=False))
    expected = score([(weighted, groups)], 2, criterion) * lent ** (
        0.15 if criterion == "balanced" else 0
    )
    assert model.scores_[INVERSE_SPREAD] == pytest.approx(expected, rel=1e-3)
    assert list(model.scores_.values()) == sorted(model.scores_.values())
    assert model.scores_[model.best_candidate_] <= 1.002 * min(model.scores_.values())
    own = score([(model.transform(X), groups)], 2, criterion)
    assert own == pytest.approx(model.scores_[model.best_candidate_], rel=1e-6)


@each_criterion
@pytest.mark.parametrize("n_groups", [1, 6])
def test_each_third_is_scored_by_itself(criterion, n_groups):
    X, groups = slow_wave(450), np.arange(450) // (450 // n_groups)
    model = AutoFeatures(2, n_lags=2, criterion=criterion).fit(X, groups=groups)
    Y = SFA(2).fit(X, groups=groups).transform(X)
    thirds = np.arange(450) // 150 if n_groups == 1 else groups % 3
    parts = [(Y[thirds == i], groups[thirds == i]) for i in range(3)]
    assert model.scores_["SFA"] == pytest.approx(score(parts, 2, criterion), rel=1e-6)
    assert model.scores_["SFA"] != pytest.approx(score([(Y, groups)], 2, criterion), rel=1e-3)


def test_a_third_that_is_a_gap_is_no_third():
    X = slow_wave(900)
    X[290:610] = np.nan
    model = AutoFeatures(1, n_neighbors=5).fit(X)
    Y = SFA(1).fit(X).transform(X)
    counts = np.cumsum(np.isfinite(Y[:, 0])) - 1  # 580 samples: 193, 193 and 194
    thirds = np.searchsorted([193, 386], counts, side="right")
    parts = [(Y[thirds == i], None) for i in range(3)]
    assert model.scores_["SFA"] == pytest.approx(score(parts, 1), rel=1e-6)


def test_both_ends_are_the_slowest_and_the_fastest():
    X = slow_wave()
    every = SFA(4).fit(X)
    ends = every.components_[np.argsort(-np.abs(every.eigenvalues_ - 2))[:2]]
    expected = predictability((X - X.mean(axis=0)) @ ends.T, 1)
    scores = AutoFeatures(2, criterion="training").fit(X).scores_
    assert scores["SFA, both ends"] == pytest.approx(expected, rel=1e-6)


def wave_that_every_method_finds():
    random = np.random.default_rng(9)
    X = random.normal(size=(800, 3))
    X[:, 0] = 3 * np.sin(0.05 * np.arange(800)) + 0.1 * random.normal(size=800)
    return X @ random.normal(size=(3, 3))


def test_of_nearly_equal_candidates_the_middle_wins():
    X = wave_that_every_method_finds()
    model = AutoFeatures(1, criterion="training").fit(X)
    assert model.scores_[model.best_candidate_] < 1.002 * min(model.scores_.values())
    assert model.best_candidate_ == MEAN_OF_BEST
    slowest = SFA(1).fit(X)
    assert 0 < subspace_angles(model, slowest, X)[0] < 5


def test_of_nearly_equal_candidates_the_simplest_wins():
    # A later one is a little better; there is no middle here.
    model = AutoFeatures(1, criterion="validation").fit(wave_that_every_method_finds())
    best = min(model.scores_.values())
    assert MEAN_OF_BEST not in model.scores_
    assert next(iter(model.scores_)) != model.best_candidate_
    near = [name for name, score in model.scores_.items() if score <= 1.002 * best]
    order = ["SFA", "SFA, two steps", "SFA, both ends", "PFA (K=0)"]
    assert model.best_candidate_ == next(name for name in order if name in near)


def test_the_middle_lies_between_those_near_the_best():
    axes, turn = np.eye(4), np.deg2rad(10)
    aside = [np.cos(turn) * axes[:, 0] + sign * np.sin(turn) * axes[:, 2] for sign in (1, -1)]
    found = {
        "far": axes[:, 2:],
        "left": np.column_stack([aside[0], axes[:, 1]]),
        "right": np.column_stack([axes[:, 1], aside[1]]),
        INVERSE_SPREAD: axes[:, 2:],
    }
    scores = {"far": 1.5, "left": 1.0, "right": 1.02, INVERSE_SPREAD: 0.5}
    # It is the plane of the first two axes, in the order of the best.
    np.testing.assert_allclose(
        mean_of_best(found, scores, {INVERSE_SPREAD}), axes[:, :2], atol=1e-12
    )
    scores["right"] = 1.04
    assert mean_of_best(found, scores, {INVERSE_SPREAD}) is None


def test_what_is_loud_in_few_rows_scores_worse():
    marks = {
        "even": CandidateMeasures(mean=1.0, typical=1.0, kurtosis=3.0),
        "rare": CandidateMeasures(mean=1.0, typical=0.8, kurtosis=30.0),
        INVERSE_SPREAD: CandidateMeasures(mean=1.0, typical=0.7, kurtosis=300.0),
    }
    scores = candidate_scores(marks, "balanced", {INVERSE_SPREAD})
    assert scores["rare"] / scores["even"] == pytest.approx(0.8**0.4 * 10**0.15)
    # That candidate is meant to be silent except for loud moments.
    assert scores[INVERSE_SPREAD] / scores["even"] == pytest.approx(0.7**0.4)
    assert candidate_scores(marks, "typical", {INVERSE_SPREAD}) == {
        "even": 1.0,
        "rare": 0.8,
        INVERSE_SPREAD: 0.7,
    }
    assert candidate_scores(marks, "training", {INVERSE_SPREAD}) == dict.fromkeys(marks, 1.0)


def test_all_directions_are_no_start():
    X = wave_that_every_method_finds()
    assert "GPFA (1) from M + 1 features" not in AutoFeatures(2).fit(X).scores_
    assert "GPFA (1) from M + 1 features" in AutoFeatures(1).fit(X).scores_


def test_held_out_blocks_decide():
    X = slow_wave()
    model = AutoFeatures(1, n_neighbors=5, criterion="validation", n_folds=3).fit(X)
    series = check_sequences(X)
    scores = []
    for fold in purged_folds(series, 3, gap=2):
        train, test = fold.parts(series)
        fit = SFA(1).fit(train.rows, groups=train.sequence_first)
        scores.append(predictability(fit.transform(test.rows), 1, groups=test.sequence_first))
    assert model.scores_["SFA"] == pytest.approx(np.mean(scores), rel=1e-6)
    # The winner is fitted to all of it in the end.
    name, _, start = model.best_candidate_.partition(" from ")
    if start == "PFA (K=3)":
        start = PFA(1, n_repeats=3).fit(X).components_.T
    assert name in KINDS
    again = GPFA(1, n_neighbors=5, init=start, n_averaged=10, **KINDS[name]).fit(X)
    assert subspace_angles(model, again, X)[0] < 1e-3


def test_on_the_toy_the_two_columns_win():
    X = predictable_noise(600, 8, random_state=1)
    model = AutoFeatures(2).fit(X)
    assert model.best_candidate_ != "SFA"
    share = np.square(model.components_).sum(axis=0)
    assert share[:2].sum() > 0.9 * share.sum()


def test_too_short_for_some_candidates_is_no_reason_to_fail():
    X = np.random.default_rng(0).normal(size=(40, 2))
    scores = AutoFeatures(1, n_neighbors=3).fit(X, groups=np.arange(40) // 5).scores_
    assert "ForeCA" not in scores
    assert "PFA (K=10)" not in scores
    assert {"SFA", "PFA (K=0)", "GPFA (1) from input"} <= set(scores)


def test_same_bits_twice_and_for_any_number_of_threads():
    X = slow_wave()
    first, second = (AutoFeatures(2, n_jobs=n).fit(X).components_ for n in (1, 2))
    np.testing.assert_array_equal(first, second)


def test_a_start_found_by_itself_can_be_saved(tmp_path):
    X = slow_wave()
    model = GPFA(2, n_neighbors=5, init="auto").fit(X)
    predfeat.save(model, tmp_path / "m.predfeat")
    again = predfeat.load(tmp_path / "m.predfeat")
    assert again.init == "auto"
    np.testing.assert_array_equal(again.components_, model.components_)


def test_model_files_hold_the_features(tmp_path):
    X = slow_wave()
    model = predfeat.AutoFeatures(2, criterion="validation").fit(X)
    predfeat.save(model, tmp_path / "m.predfeat")
    again = predfeat.load(tmp_path / "m.predfeat")
    assert isinstance(again, AutoFeatures)
    assert again.criterion == "validation"
    np.testing.assert_array_equal(again.transform(X), model.transform(X))
