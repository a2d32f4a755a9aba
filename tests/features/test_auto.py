"""AutoFeatures: the candidates, how they are judged, and the one that is kept."""

import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import predfeat
from predfeat import GPFA, PFA, SFA, DescentFeatures
from predfeat.datasets import predictable_noise
from predfeat.exceptions import TooFewStatesError
from predfeat.features import AutoFeatures, Objective, descend
from predfeat.measures import left_open, subspace_angles
from predfeat.series import check_sequences
from predfeat.splits import purged_folds
from predfeat.whitening import fit_whitening


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


def logistic_map(n_rows=900, seed=0):
    """A map that looks like noise among slow channels, mixed; and the map."""
    random = np.random.default_rng(seed)
    sources = random.normal(size=(n_rows, 6))
    sources[0, 0] = 0.3
    for t in range(1, n_rows):
        sources[t, 0] = 3.9 * sources[t - 1, 0] * (1 - sources[t - 1, 0])
        sources[t, 1:] += 0.9 * sources[t - 1, 1:]
    return sources @ random.normal(size=(6, 6)), sources[:, :1]


@pytest.mark.parametrize("n_folds", [2, 3])
def test_every_method_has_the_share_of_its_fits_to_the_other_parts(n_folds):
    X, groups = slow_wave(), np.repeat([0, 1], 150)
    model = AutoFeatures(2, n_lags=2, n_neighbors=6, n_folds=n_folds).fit(X, groups=groups)
    options = {"n_lags": 2, "n_neighbors": 6}
    methods = {
        "SFA": SFA(2),
        "PFA": PFA(2, n_lags=2),
        "GPFA (1)": GPFA(2, graph="full", **options),
        "GPFA (2)": GPFA(2, graph="star", **options),
        "Descent": DescentFeatures(2, power=2, **options),
        "Descent (power 1)": DescentFeatures(2, power=1, **options),
    }
    assert set(model.scores_) == set(methods)
    series = check_sequences(X, groups)
    for name, method in methods.items():
        shares = []
        for fold in purged_folds(series, n_folds, gap=3):
            train, test = fold.parts(series)
            method.fit(train.rows, groups=train.sequence_first)
            # Orthonormal in the white space of the training part, whatever the method's scale.
            whitening = fit_whitening(train)
            axes = np.linalg.qr(np.linalg.pinv(whitening.directions) @ method.components_.T)[0]
            features = whitening.apply(test).rows @ axes
            shares.append(left_open(features, 2, groups=test.sequence_first).share())
        # The parts are whitened once here and twice there. Iterations and descents multiply the
        # difference in the last digit; methods differ by more, and parts by much more.
        tolerance = 1e-6 if name in ("SFA", "PFA") else 0.05
        assert model.scores_[name] == pytest.approx(np.mean(shares), rel=tolerance), name
    assert list(model.scores_.values()) == sorted(model.scores_.values())
    assert model.best_candidate_ == next(iter(model.scores_))


def test_the_best_method_is_fitted_to_all_of_the_data(monkeypatch):
    all_found = AutoFeatures._found_in

    def without_descents(self, fold):
        return {n: d for n, d in all_found(self, fold).items() if not n.startswith("Descent")}

    monkeypatch.setattr(AutoFeatures, "_found_in", without_descents)
    random = np.random.default_rng(9)
    X = random.normal(size=(800, 3))
    X[:, 0] = 3 * np.sin(0.05 * np.arange(800)) + 0.1 * random.normal(size=800)
    model = AutoFeatures(1).fit(X)
    again = {
        "SFA": SFA(1),
        "PFA": PFA(1),
        "GPFA (1)": GPFA(1, graph="full"),
        "GPFA (2)": GPFA(1),
    }
    assert subspace_angles(model, again[model.best_candidate_].fit(X), X)[0] < 1e-6
    assert subspace_angles(model.transform(X), X[:, :1])[0] < 5


def test_a_descent_goes_on_on_all_of_the_data():
    X, hidden = logistic_map()
    model = AutoFeatures(1).fit(X)
    assert model.best_candidate_ in ("Descent", "Descent (power 1)")
    assert subspace_angles(model.transform(X), hidden - hidden.mean())[0] < 1
    # It has ended there: another descent finds nothing better.
    series = check_sequences(X)
    white = fit_whitening(series).apply(series)
    start = np.linalg.lstsq(white.rows, model.transform(X), rcond=None)[0]
    power = 2 if model.best_candidate_ == "Descent" else 1
    descent = descend(white, start, Objective(power=power), widths=(1,))
    assert descent.value > 0.9 * descent.steps[0].value


def test_on_the_toy_the_two_columns_win():
    X = predictable_noise(600, 8, random_state=1)
    model = AutoFeatures(2).fit(X)
    assert model.best_candidate_ not in ("SFA", "PFA")
    share = np.square(model.components_).sum(axis=0)
    assert share[:2].sum() > 0.9 * share.sum()


def test_short_trials_are_enough():
    X = np.random.default_rng(0).normal(size=(40, 2))
    scores = AutoFeatures(1, n_neighbors=3).fit(X, groups=np.arange(40) // 5).scores_
    descents = {"Descent", "Descent (power 1)"}
    assert set(scores) == {"SFA", "PFA", "GPFA (1)", "GPFA (2)", *descents}


def test_what_is_too_short_to_be_cut_is_judged_as_a_whole():
    X = np.random.default_rng(0).normal(size=(9, 2))
    model = AutoFeatures(1, n_lags=4, n_neighbors=2).fit(X)
    whole = SFA(1).fit(X).transform(X)
    assert model.scores_["SFA"] == pytest.approx(left_open(whole, 4, None).share(), rel=1e-9)


def test_parts_with_fewer_states_than_neighbors_use_what_there_is():
    X = slow_wave(30)
    assert AutoFeatures(1, n_neighbors=20).fit(X).components_.shape == (1, 4)
    with pytest.raises(TooFewStatesError, match="n_neighbors=40"):
        AutoFeatures(1, n_neighbors=40).fit(X)


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
    model = predfeat.AutoFeatures(2, n_folds=3).fit(X)
    predfeat.save(model, tmp_path / "m.predfeat")
    again = predfeat.load(tmp_path / "m.predfeat")
    assert isinstance(again, AutoFeatures)
    assert again.n_folds == 3
    np.testing.assert_array_equal(again.transform(X), model.transform(X))
