"""Choosing p, k and M: the score, what settings share, the rule, and planted answers."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import clone

import naive_selection as twins
from predfeat import GPFA, PFA, SFA, ForeCA, RandomFeatures
from predfeat.datasets import predictable_noise
from predfeat.exceptions import LeftOutWarning, NoSpectrumError, RankError, TooFewStatesError
from predfeat.measures import predicted_shares
from predfeat.selection import (
    Choice,
    Surface,
    choose,
    choose_method,
)
from predfeat.selection._warm_started_grid import surface_directions
from predfeat.series import check_sequences
from predfeat.splits import purged_folds
from predfeat.whitening import fit_whitening

SMALL = {"n_lags": (1, 2), "n_neighbors": (5, 10), "n_components": (1, 2, 3)}


def white_series(seed=0, n_rows=300, n_columns=5):
    X = predictable_noise(n_rows, n_columns, random_state=seed)
    series = check_sequences(X)
    whitening = fit_whitening(series)
    return whitening.apply(series), whitening


@pytest.mark.parametrize("method", [SFA(), PFA(n_repeats=1), ForeCA()], ids=str)
def test_ordered_methods_share_exactly(method):
    white, whitening = white_series()
    found = surface_directions(method, white, whitening, 2, (0,), (1, 3))
    for m in (1, 3):
        model = clone(method).set_params(n_components=m)
        if isinstance(model, PFA):
            model.set_params(n_lags=2)
        own = model.fit(white.rows).components_.T
        np.testing.assert_allclose(np.abs(found[0, m].T @ own), np.eye(m), atol=1e-4)


@pytest.mark.parametrize("graph", ["full", "star"])
def test_one_search_serves_all_k(graph):
    white, whitening = white_series()
    model = GPFA(graph=graph)
    both = surface_directions(model, white, whitening, 2, (3, 5, 9), (1, 2, 4))
    # With the same middle k the iteration is the same, and so is what branches off from it.
    alone = surface_directions(model, white, whitening, 2, (5,), (1, 2, 4))
    assert set(both) == {(k, m) for k in (3, 5, 9) for m in (1, 2, 4)}
    for m in (1, 2, 4):
        np.testing.assert_allclose(both[5, m], alone[5, m], atol=1e-9)
        assert both[3, m].shape == (5, m)
        assert not np.allclose(both[3, m], both[9, m])


def test_the_rule_is_its_twin():
    random = np.random.default_rng(0)
    lags, neighbors, components = (1, 2, 4), (3, 6), (1, 2, 3, 5)
    for _ in range(50):
        scores = random.normal(size=(4, 1, 1, 1)) + 0.4 * random.normal(size=(4, 3, 2, 4))
        surface = Surface(lags, neighbors, components, scores)
        every = list(surface.settings())
        values = [(s.n_lags, s.n_neighbors, s.n_components) for s in every]
        expected = twins.simplest(values, list(scores.reshape(4, -1).T))
        chosen = surface.simplest()
        assert (chosen.n_lags, chosen.n_neighbors, chosen.n_components) == expected
        np.testing.assert_allclose([s.predicted for s in every], scores.mean(axis=0).ravel())
        assert surface.best().predicted == max(s.predicted for s in every)
        near = surface.undecided()
        assert all(getattr(chosen, name) in near[name] for name in near)


@pytest.mark.parametrize("seed", range(3))
def test_planted_noise_is_found(seed):
    X = predictable_noise(800, 6, random_state=seed)
    choice = choose(X, **SMALL)
    assert (choice.chosen.n_lags, choice.chosen.n_components) == (1, 2)
    assert choice.parameters["n_neighbors"] in (5, 10)
    assert 0.6 < choice.chosen.predicted < 1.1  # of two features half is predictable
    assert not choice.found_nothing


@pytest.mark.parametrize("init", ["input", "pca", np.eye(5)[:, [3, 4]]], ids=str)
def test_confirmed_are_fits_of_their_own(init):
    X = predictable_noise(500, 5, random_state=1) * [1, 2, 3, 4, 5]
    # After one iteration the start can still be seen.
    given = {"init": init, "max_iter": 50 if isinstance(init, str) and init == "input" else 1}
    choice = choose(X, **SMALL, n_folds=3, method=GPFA(**given))
    series = check_sequences(X)
    scores = []
    for fold in purged_folds(series, 3, gap=3):
        model = GPFA(**given, **choice.parameters).fit(
            X[fold.train], groups=np.r_[0, np.cumsum(np.diff(fold.train) != 1)]
        )
        parts = [
            check_sequences(model.transform(part.rows), part.sequence_first)
            for part in fold.parts(series)
        ]
        scores.append(predicted_shares(*parts, choice.chosen.n_lags).sum())
    np.testing.assert_allclose(choice.confirmed.predicted, np.mean(scores), rtol=1e-6)
    assert choose(X, **SMALL, n_folds=3, confirm=False).confirmed is None


def test_white_noise_is_told_to_hold_nothing():
    X = np.random.default_rng(0).normal(size=(500, 4))
    choice = choose(X, **SMALL)
    assert choice.found_nothing
    assert "Nothing was predicted" in str(choice)


def test_what_the_data_cannot_tell_is_said():
    same = np.ones((4, 2, 1, 2)) + np.random.default_rng(0).normal(size=(4, 1, 1, 1))
    surface = Surface((1, 2), (5,), (1, 2), same)
    assert surface.undecided() == {"n_lags": (1, 2), "n_neighbors": (5,), "n_components": (1, 2)}
    X = np.sin(0.3 * np.arange(400))[:, None] * [1.0, 0.5] + 0.01 * np.random.default_rng(1).normal(
        size=(400, 2)
    )
    choice = choose(X, n_lags=(1, 2), n_neighbors=(5,), n_components=(1, 2))
    assert choice.chosen.n_lags == 2
    assert any("n_lags=2 is the largest value tried" in remark for remark in choice.remarks)


def test_groups_and_gaps():
    X = predictable_noise(900, 4, random_state=0)
    X[100] = np.nan
    groups = np.repeat(range(6), 150)
    choice = choose(X, groups=groups, **SMALL)
    assert choice.kind == "sequences"
    assert (choice.chosen.n_lags, choice.chosen.n_components) == (1, 2)


def test_same_bits_for_any_number_of_processes():
    X = predictable_noise(300, 4, random_state=0)
    seen = []
    one = choose(X, **SMALL, n_folds=3, on_progress=lambda done, whole: seen.append((done, whole)))
    two = choose(X, **SMALL, n_folds=3, n_jobs=2)
    np.testing.assert_array_equal(one.surface.scores, two.surface.scores)
    assert seen == [(i, 6) for i in range(7)]


def test_the_method_is_chosen_too():
    X = predictable_noise(700, 6, random_state=0)
    methods = [SFA, GPFA(graph="full"), PFA, GPFA(graph="star")]
    choices = choose_method(X, methods=methods, **SMALL)
    names = [choice.method for choice in choices]
    assert set(names[:2]) == {"GPFA (1)", "GPFA (2)"}
    assert set(names[2:]) == {"SFA", "PFA"}
    confirmed = [choice.confirmed.predicted for choice in choices]
    assert confirmed == sorted(confirmed, reverse=True)
    assert all(c.surface.n_neighbors == (0,) for c in choices[2:])
    # What was chosen can be given to the method.
    for choice in choices:
        model = clone(choice.estimator).set_params(**choice.parameters)
        assert model.n_components == choice.chosen.n_components
        assert getattr(model, "n_lags", choice.chosen.n_lags) == choice.chosen.n_lags


def test_a_method_that_cannot_be_fitted_is_left_out():
    X, groups = predictable_noise(300, 3, random_state=0), np.arange(300) // 6
    options = {"n_lags": (1,), "n_neighbors": (5,), "n_components": (1,)}
    with pytest.warns(LeftOutWarning, match=r"ForeCA\(\) was left out: "):
        choices = choose_method(X, groups=groups, methods=[ForeCA, SFA], **options)
    assert [choice.method for choice in choices] == ["SFA"]
    with pytest.raises(NoSpectrumError):
        choose_method(X, groups=groups, methods=[ForeCA], **options)
    with pytest.raises(ValueError, match="methods is empty"):
        choose_method(X, methods=[], **options)


def test_values_above_the_rank_are_left_out():
    X = predictable_noise(300, 3, random_state=0)
    X = np.column_stack([X, X[:, 0]])
    assert choose(X, **{**SMALL, "n_components": (2, 3, 4)}).surface.n_components == (2, 3)
    with pytest.raises(RankError, match=r"\[4, 5\] are all more than the rank 3 .* up to 3\."):
        choose(X, **{**SMALL, "n_components": (4, 5)})


def test_a_constant_training_part_is_named():
    X = np.r_[np.ones((80, 2)), np.random.default_rng(0).normal(size=(20, 2))]
    for constant in (np.ones((100, 2)), X):
        with pytest.raises(RankError, match="all columns are constant in one of the folds"):
            choose(constant, **SMALL)


def test_too_many_neighbors_are_left_out():
    X = predictable_noise(40, 3, random_state=0)
    # Of 40 rows 8 are held out, and 3 on either side: 26 are left, and two runs of 13 at worst.
    tried = {**SMALL, "n_neighbors": (5, 23, 24, 30), "n_measured": 5}
    assert choose(X, **tried).surface.n_neighbors == (5, 23)
    with pytest.raises(TooFewStatesError, match="n_neighbors=30 needs at least 31 states"):
        choose(X, **{**tried, "n_neighbors": (30, 40)})
    # In a run of 13 rows there are 12 states of two; one in the middle may not have 7 of them.
    near = choose(X, **{**tried, "n_neighbors": (5, 17, 18)}, method=GPFA(theiler=3))
    assert near.surface.n_neighbors == (5, 17)
    with pytest.raises(TooFewStatesError, match=r"n_measured=23 .* one has 22\. Use at most"):
        choose(X, **{**tried, "n_measured": 23})


def test_no_more_features_are_advised_than_there_are():
    t = np.arange(500)
    X = np.column_stack([np.sin(t / 7), np.cos(t / 7), np.sin(t / 3)])
    choice = choose(X, n_lags=(1, 5), n_neighbors=(2,), n_components=(2, 3, 4))
    assert (choice.chosen.n_components, choice.rank) == (3, 3)
    assert [r for r in choice.remarks if "n_comp" in r] == [
        "n_components=3 is the dimension of the data: every direction adds to what is predicted, "
        "none of them is noise, and nothing is left out. Together the features are the data itself "
        "in other coordinates; of the first 2 100 % is predicted, of all 100 %."
    ]
    alone = choose(X[:, :1], n_lags=(1, 5), n_neighbors=(2,))
    assert alone.remarks[-1].startswith("The data has one direction: there is no feature to choose")
    fewer = choose(X, n_lags=(1, 5), n_neighbors=(2,), n_components=(1, 2))
    assert "n_components=2 is the largest value tried: try larger ones." in fewer.remarks


def test_what_float32_cannot_resolve_is_no_direction():
    X = predictable_noise(300, 3, random_state=0)
    sums = X @ np.random.default_rng(0).normal(size=(3, 2))
    # So far from zero float32 rounds to thousandths, and the sums are no longer quite sums.
    X = (np.column_stack([X, sums]) + 1e4).astype(np.float32)
    assert choose(X, **{**SMALL, "n_components": (2, 4)}).surface.n_components == (2,)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"n_lags": ()}, "n_lags must be positive whole numbers"),
        ({"n_neighbors": (0, 5)}, r"n_neighbors must be .* \[0, 5\]"),
        ({"n_components": (1.5,)}, "n_components must be"),
        ({"n_folds": 1}, "'n_folds' parameter of choose must be an int in the range"),
        ({"n_measured": 0}, "'n_measured' parameter of choose"),
        ({"method": SFA(pca_components=-2)}, "'pca_components' parameter of SFA"),
        ({"method": GPFA(n_intermediate=9)}, "n_intermediate=9 is more than the rank 2"),
    ],
)
def test_wrong_values_say_so(wrong, message):
    with pytest.raises(ValueError, match=message):
        choose(predictable_noise(100, 2, random_state=0), **{**SMALL, **wrong})


def test_a_single_value_need_not_be_in_a_list():
    X = predictable_noise(100, 3, random_state=0)
    choice = choose(X, n_lags=1, n_neighbors=np.int64(5), n_components=2)
    assert choice.surface.tried() == {"n_lags": (1,), "n_neighbors": (5,), "n_components": (2,)}


def test_the_remark_says_what_was_taken():
    # Near the best: p·M = 1·3, 4·2 and 4·1.
    scores = np.zeros((4, 2, 1, 3))
    scores[:, [0, 1, 1], 0, [2, 1, 0]] = 1 + np.arange(4)[:, None] / 10
    surface = Surface((1, 4), (5,), (1, 2, 3), scores)
    chosen = surface.simplest()
    assert (chosen.n_lags, chosen.n_components) == (1, 3)
    choice = Choice("SFA", SFA(), surface, surface.best(), chosen, None, "blocks", 5)
    n_lags, n_components = choice.remarks
    assert n_lags.endswith("The smallest was taken.")
    assert n_components.endswith("What makes the smallest state (p·M numbers) was taken.")


def surface_of(*means):
    """Scores of M = 1, 2, … over four folds, which differ by as little in each."""
    scores = np.array(means) + 0.01 * np.arange(4)[:, None] * np.arange(1, len(means) + 1)
    return Surface((1,), (0,), tuple(range(1, len(means) + 1)), scores[:, None, None])


def test_what_fits_of_its_own_score_is_what_is_said():
    surface = surface_of(0.5, 1.0)
    chosen = surface.simplest()
    for predicted, found_nothing in ((0.7, False), (0.0, True)):
        confirmed = replace(chosen, predicted=predicted, error=0.01)
        choice = Choice("SFA", SFA(), surface, surface.best(), chosen, confirmed, "blocks", 5)
        assert choice.found_nothing == found_nothing
        told = "\nNothing was" if found_nothing else f": predicts {predicted:.3g} ± 0.01 of 2"
        assert str(choice).startswith(f"SFA, p=1, M=2{told}")
        # The other figure, of fits that share work, would be a second answer.
        assert "1.03" not in str(choice)
        assert ("Nothing was predicted" in str(choice)) == found_nothing


def test_the_best_setting_is_told_by_its_lead():
    scores = np.zeros((4, 1, 1, 2))
    scores[:, 0, 0] = [[0.9, 1.1], [1.0, 0.9], [1.0, 1.2], [1.1, 1.0]]
    surface = Surface((1,), (0,), (1, 2), scores)
    chosen, best = surface.simplest(), surface.best()
    assert (chosen.n_components, best.n_components) == (1, 2)
    lead, error = surface.lead_over(chosen)
    behind = scores[:, 0, 0, 1] - scores[:, 0, 0, 0]
    assert lead == pytest.approx(behind.mean())
    assert error == pytest.approx(behind.std(ddof=1) / 2)
    choice = Choice("SFA", SFA(), surface, best, chosen, None, "blocks", 5, horizon=3)
    first, second = str(choice).splitlines()[:2]
    assert first.endswith("of 1, 3 steps ahead")
    assert second.startswith("The highest score is that of p=1, M=2, but only by 0.05 ± 0.087")


def test_everything_kept_means_that_nothing_is_noise():
    surface = surface_of(0.9, 1.4, 2.0)
    chosen = surface.simplest()
    choice = Choice("SFA", SFA(), surface, surface.best(), chosen, None, "blocks", 3)
    (remark,) = choice.remarks
    assert "nothing is left out" in remark
    assert remark.endswith("of the first alone 92 % is predicted, of all 68 %.")


@pytest.mark.parametrize("method", [GPFA(max_iter=5), PFA(), SFA()])
def test_a_horizon_is_that_of_the_method_and_of_the_measure(method, monkeypatch):
    asked = []

    def watched(*parts, horizon):
        asked.append(horizon)
        return predicted_shares(*parts, horizon=horizon)

    monkeypatch.setattr("predfeat.selection._choose.predicted_shares", watched)
    X = predictable_noise(200, 3, random_state=0)
    choice = choose(X, **SMALL, method=method, horizon=4)
    assert set(asked) == {choice.horizon} == {4}
    if not isinstance(method, SFA):
        assert choice.estimator.horizon == 4
        asked.clear()
        own = choose(X, **SMALL, method=choice.estimator)
        assert set(asked) == {own.horizon} == {4}
        np.testing.assert_array_equal(own.surface.scores, choice.surface.scores)
    with pytest.raises(ValueError, match="'horizon' parameter of choose"):
        choose(X, **SMALL, method=method, horizon=0)


def test_folds_are_purged_by_the_horizon(monkeypatch):
    gaps = []

    def watched(series, n_folds, gap):
        gaps.append(gap)
        return purged_folds(series, n_folds, gap)

    monkeypatch.setattr("predfeat.selection._choose.purged_folds", watched)
    choose(predictable_noise(200, 3, random_state=0), **{**SMALL, "n_lags": (1, 3)}, horizon=5)
    assert gaps == [8]


def test_methods_of_different_horizons_cannot_be_compared():
    X = predictable_noise(200, 3, random_state=0)
    methods = [GPFA(horizon=2, max_iter=5), PFA(horizon=3)]
    with pytest.raises(ValueError, match="methods predict 2 and 3 steps ahead"):
        choose_method(X, methods=methods, **SMALL)
    choices = choose_method(X, methods=[*methods, SFA()], horizon=2, **SMALL)
    assert {choice.horizon for choice in choices} == {2}
    alone = choose_method(X, methods=[methods[0], SFA()], **SMALL)
    assert {choice.horizon for choice in alone} == {2}


def test_other_estimators_are_refused():
    with pytest.raises(TypeError, match="method must be GPFA, SFA, PFA or ForeCA"):
        choose(np.zeros((100, 2)), **SMALL, method=RandomFeatures)
