"""A recording from rows to the best method: what is measured, on what, and the choices made."""

import os
from collections import Counter

import numpy as np
import pytest
from scipy.signal import lfilter
from sklearn.base import clone

from predfeat import GPFA, SFA, RandomFeatures
from predfeat.datasets import Image, Recording, hidden_lorenz
from predfeat.exceptions import NoSpectrumError, RankError, SplitError
from predfeat.experiments import (
    Limits,
    _repetitions,
    _scores,
    choose_pca,
    compare_on_recording,
    standard_methods,
)
from predfeat.experiments._repetitions import _fit_part
from predfeat.features import _base
from predfeat.features._sfa import slow_directions
from predfeat.measures import predictability, predicted_shares
from predfeat.report import lags_sentence, results_of
from predfeat.series import check_sequences


def recording_of(values, **more):
    names = tuple(f"c{i}" for i in range(values.shape[1]))
    return Recording(values, names, "test.csv", **more)


@pytest.fixture(scope="module")
def lorenz():
    values = hidden_lorenz(600, 5, random_state=0)[0]
    values[200:215] = np.nan
    values[400, 3] = np.nan
    return recording_of(values)


def test_scores_are_the_measure_on_parts_that_were_not_seen(lorenz):
    study = compare_on_recording(lorenz, {"SFA": SFA(2)}, n_lags=2, n_neighbors=7, n_repetitions=3)
    run = study.runs[0]
    for i, split in enumerate(study.protocol.splits):
        model = SFA(2).fit(lorenz.values[split.train])
        test = model.transform(lorenz.values[split.test])
        assert run.test[i] == predictability(test, 2, 7)
        assert run.test_share[i] == predictability(test, 2, 7, relative=True, ddof=1)
        train = model.transform(lorenz.values[split.train])
        assert run.train[i] == predictability(train, 2, 7)
        assert run.train_share[i] == predictability(train, 2, 7, relative=True, ddof=1)


def test_scores_look_as_far_ahead_as_asked(lorenz):
    study = compare_on_recording(lorenz, ["PFA"], n_lags=2, horizon=4, n_repetitions=2)
    assert study.protocol.horizon == study.model.horizon == 4
    for i, split in enumerate(study.protocol.splits):
        features = study.runs[0].models[i].transform(lorenz.values[split.test])
        assert study.runs[0].test[i] == predictability(features, 2, horizon=4)
        apart = np.abs(split.train[:, None][[0, -1]] - split.test[[0, -1]]).min()
        assert apart > 2 + 4


def test_other_lags_are_measured_where_none_were_asked_for(lorenz):
    study = compare_on_recording(lorenz, ["SFA"], horizon=2, n_repetitions=2)
    assert study.protocol.n_lags == 1
    assert [other.n_lags for other in study.other_lags] == [2, 3, 5, 10]
    for other in study.other_lags:
        for i, (split, model) in enumerate(
            zip(study.protocol.splits, study.best.models, strict=True)
        ):
            for rows, shares in ((split.train, other.train_share), (split.test, other.test_share)):
                features = model.transform(lorenz.values[rows])
                options = {"horizon": 2, "relative": True, "ddof": 1}
                assert shares[i] == predictability(features, other.n_lags, **options)
            parts = [
                check_sequences(model.transform(lorenz.values[rows]))
                for rows in (split.train, split.test)
            ]
            then, now = (
                predicted_shares(*parts, p, horizon=2).clip(min=0) for p in (other.n_lags, 1)
            )
            assert other.predicted_gain[i] == pytest.approx(then.mean() - now.mean())
    assert compare_on_recording(lorenz, ["SFA"], n_lags=1, n_repetitions=2).other_lags == []


def test_other_lags_need_sequences_that_are_long_enough():
    values = np.random.default_rng(0).normal(size=(400, 3))
    recording = recording_of(values, groups=np.repeat(range(50), 8))
    study = compare_on_recording(recording, ["SFA"], n_repetitions=2)
    # Of seven states of one row with a successor, six, five, three and none are left.
    assert [other.n_lags for other in study.other_lags] == [2, 3]


def bits_of(study):
    return [
        (
            (run.method, run.test, run.train, run.test_share, run.train_share),
            [model.components_.tobytes() for model in [run.model, *run.models]],
        )
        for run in study.runs
    ]


@pytest.mark.parametrize("in_workers", [False, True])
def test_same_seed_same_bits_for_any_number_of_processes_and_threads(
    lorenz, monkeypatch, in_workers
):
    if in_workers:  # who start at no cost are worth any work
        monkeypatch.setattr("predfeat._processes._START_UP_SECONDS", 1e-9)

    def bits(n_jobs, seed=0):
        methods = ["random", "SFA", "ForeCA", "GPFA (2)"]
        study = compare_on_recording(
            lorenz, methods, n_repetitions=3, random_state=seed, n_jobs=n_jobs
        )
        jobs = [getattr(run.model, "n_jobs", n_jobs) for run in study.runs]
        assert jobs == [n_jobs] * len(methods)
        return bits_of(study)

    assert bits(1) == bits(2)
    assert bits(1) != bits(1, seed=1)


def test_workers_do_all_but_the_first_repetition(lorenz, monkeypatch):
    def fit_part_and_tell_where(*given, **named):
        found = _fit_part(*given, **named)
        found["SFA"].model.place_ = os.getpid()
        return found

    monkeypatch.setattr("predfeat._processes._START_UP_SECONDS", 1e-9)
    monkeypatch.setattr("predfeat.experiments._repetitions._fit_part", fit_part_and_tell_where)
    seen = []
    study = compare_on_recording(
        lorenz,
        {"SFA": SFA(2)},
        n_repetitions=3,
        n_jobs=2,
        on_progress=lambda *done: seen.append(done),
    )
    (run,) = study.runs
    where = [model.place_ for model in [*run.models, run.model]]
    assert where[0] == os.getpid()
    assert os.getpid() not in where[1:]
    assert seen == [(i, 4) for i in range(1, 5)]


def test_each_part_is_whitened_and_searched_once(lorenz, monkeypatch):
    counted = Counter()

    def count(module, name):
        original = getattr(module, name)

        def counting(*given, **named):
            counted[name] += 1
            return original(*given, **named)

        monkeypatch.setattr(module, name, counting)

    count(_repetitions, "fit_whitening")
    count(_scores, "left_open")
    study = compare_on_recording(lorenz, ["random", "SFA", "PFA"], n_repetitions=3, n_lags=2)
    assert len(study.runs) == 3
    assert counted["fit_whitening"] == 3 + 1  # of the repetitions, and of the whole
    # Training and test part for every method, and the best one on the whole.
    assert counted["left_open"] == 3 * 2 * 3 + 1


def test_no_method_whitens_for_itself(lorenz, monkeypatch):
    def refuse(*_, **__):
        raise AssertionError("whitened once more")

    monkeypatch.setattr(_base, "fit_whitening", refuse)
    methods = {"SFA": SFA(2), "GPFA": GPFA(2), "city blocks": GPFA(2, metric="manhattan")}
    study = compare_on_recording(lorenz, methods, n_repetitions=2)
    assert {run.method for run in study.runs} == set(methods)


def test_a_method_with_a_fit_of_its_own_is_fitted_by_it(lorenz):
    class Own(SFA):
        def fit(self, X, y=None, *, groups=None):
            super().fit(X, y, groups=groups)
            self.own_ = True
            return self

    study = compare_on_recording(lorenz, {"own": Own(2), "SFA": SFA(2)}, n_repetitions=2)
    own, sfa = study.runs
    assert own.test == sfa.test
    assert all(model.own_ for model in [own.model, *own.models])


def test_each_method_whitens_as_it_was_asked_to(lorenz):
    methods = {
        "all": SFA(2),
        "three": SFA(2, pca_components=3),
        "share": SFA(2, pca_components=0.9),
    }
    study = compare_on_recording(lorenz, methods, n_repetitions=2)
    for run, method in zip(study.runs, methods.values(), strict=True):
        for split, model in zip(study.protocol.splits, run.models, strict=True):
            alone = clone(method).fit(lorenz.values[split.train])
            assert np.array_equal(model.components_, alone.components_)
            assert model.n_features_in_ == lorenz.values.shape[1]
    with pytest.raises(ValueError, match="'pca_components' parameter of SFA"):
        compare_on_recording(lorenz, {"wrong": SFA(2, pca_components=[3])}, n_repetitions=2)


def test_the_best_has_the_smallest_share_and_gives_the_features(lorenz):
    study = compare_on_recording(lorenz, ["random", "SFA", "PFA"], n_repetitions=3)
    means = {run.method: np.mean(run.test_share) for run in study.runs}
    assert study.best.method == min(means, key=means.get)
    assert study.best.method != "random"
    missing = np.isnan(lorenz.values).any(axis=1)
    assert np.array_equal(np.isnan(study.features).any(axis=1), missing)
    expected = study.model.transform(lorenz.values)
    assert np.array_equal(study.features, expected, equal_nan=True)


def test_the_last_fit_is_on_everything_or_on_blocks_that_stay_apart(lorenz):
    study = compare_on_recording(lorenz, ["SFA"], n_repetitions=1, n_components=2)
    assert np.array_equal(study.model.components_, SFA(2).fit(lorenz.values).components_)
    limits = Limits(max_fit=300)
    study = compare_on_recording(lorenz, ["SFA"], n_repetitions=1, n_components=2, limits=limits)
    rows, groups = study.protocol.fitted_rows, study.protocol.fitted_groups
    assert len(rows) == 300
    assert len(np.unique(groups)) == 10
    expected = SFA(2).fit(lorenz.values[rows], groups=groups)
    assert np.array_equal(study.model.components_, expected.components_)
    np.testing.assert_array_equal(study.learned_from, (rows, groups))


def test_groups_reach_the_methods_and_the_measure():
    values = hidden_lorenz(600, 3, random_state=1)[0]
    ids = np.repeat(list("abcdefgh"), 75)
    study = compare_on_recording(recording_of(values, groups=ids), {"SFA": SFA(2)}, n_repetitions=2)
    split, run = study.protocol.splits[0], study.runs[0]
    assert split.kind == "sequences"
    model = SFA(2).fit(values[split.train], groups=ids[split.train])
    expected = predictability(model.transform(values[split.test]), groups=ids[split.test])
    assert run.test[0] == expected


def test_random_features_are_drawn_anew_in_every_repetition():
    values = np.random.default_rng(0).normal(size=(400, 8))
    drawn = []

    class Spy(RandomFeatures):
        def find_directions(self, white, whitening):
            drawn.append(super().find_directions(white, whitening))
            return drawn[-1]

    compare_on_recording(recording_of(values), {"random": Spy(2, random_state=0)}, n_repetitions=3)
    assert all(not np.allclose(drawn[0], other) for other in drawn[1:3])


@pytest.mark.parametrize(("n_columns", "expected"), [(1, 1), (2, 1), (3, 2), (4, 3), (9, 3)])
def test_features_never_fill_the_space_by_default(n_columns, expected):
    values = np.random.default_rng(0).normal(size=(200, n_columns))
    study = compare_on_recording(recording_of(values), ["SFA"], n_repetitions=1)
    assert study.protocol.n_components == expected


def test_many_columns_are_reduced_first_and_few_are_not():
    rng = np.random.default_rng(0)
    few = compare_on_recording(recording_of(rng.normal(size=(300, 5))), ["SFA"], n_repetitions=1)
    assert few.protocol.pca_components is None
    low_rank = rng.normal(size=(300, 4)) @ rng.normal(size=(4, 60))
    study = compare_on_recording(recording_of(low_rank), ["SFA"], n_repetitions=1)
    assert study.protocol.pca_components == 0.99
    assert study.model.pca_components == 0.99
    noise = recording_of(rng.normal(size=(300, 64)), layout=Image(8, 8))
    study = compare_on_recording(noise, ["SFA"], n_repetitions=1)
    assert study.protocol.pca_components == 18  # a tenth of the 180 rows to learn from
    assert study.protocol.rank == 18


@pytest.mark.parametrize("n_rows", [150, 1500])
def test_of_very_many_columns_no_more_than_hold_99_percent_are_kept(n_rows):
    rng = np.random.default_rng(0)
    strengths = [10, 8, 6, 4, 2, 1]  # the squares' sums: 100, 164, 200, 216, 220 and 221
    sources = np.linalg.qr(rng.normal(size=(n_rows, 6)))[0] * strengths
    axes = np.linalg.qr(rng.normal(size=(1040, 6)))[0]
    pictures = sources @ axes.T + 1e-6 * rng.normal(size=(n_rows, 1040))
    recording = recording_of(pictures, layout=Image(26, 40))
    assert choose_pca(recording, check_sequences(pictures), n_rows) == 5
    noise = rng.normal(size=(n_rows, 1040))
    most = {150: 15, 1500: 100}[n_rows]
    assert choose_pca(recording, check_sequences(noise), n_rows) == most


def test_foreca_is_left_out_where_it_is_slow_and_run_where_asked_for(monkeypatch):
    values = np.random.default_rng(0).normal(size=(200, 5))
    monkeypatch.setattr("predfeat.experiments._defaults._FORECA_LIMIT", 100)
    monkeypatch.setattr(
        "predfeat.experiments._study.standard_methods",
        lambda *args, **named: {
            name: method
            for name, method in standard_methods(*args, **named).items()
            if name in ("SFA", "ForeCA")
        },
    )
    study = compare_on_recording(recording_of(values), n_repetitions=1)
    assert [run.method for run in study.runs] == ["SFA"]
    assert "rows × dimensions²" in study.left_out["ForeCA"]
    study = compare_on_recording(recording_of(values), ["ForeCA"], n_repetitions=1)
    assert study.left_out == {}


def test_a_method_that_finds_no_spectrum_is_left_out_with_the_reason():
    values = np.random.default_rng(0).normal(size=(300, 4))
    short = recording_of(values, groups=np.arange(300) // 6)
    study = compare_on_recording(short, ["SFA", "ForeCA"], n_repetitions=2)
    assert [run.method for run in study.runs] == ["SFA"]
    assert "at least 8 rows" in study.left_out["ForeCA"]
    with pytest.raises(NoSpectrumError, match="at least 8 rows"):
        compare_on_recording(short, ["ForeCA"], n_repetitions=2)


def test_constant_columns_do_not_warn_in_every_repetition():
    values = np.c_[np.random.default_rng(0).normal(size=(200, 3)), np.ones(200)]
    study = compare_on_recording(recording_of(values), ["SFA"], n_repetitions=2)
    assert study.protocol.rank == 3


def test_progress_counts_every_fit(lorenz):
    seen = []
    compare_on_recording(
        lorenz, ["random", "SFA"], n_repetitions=3, on_progress=lambda *done: seen.append(done)
    )
    assert seen == [(i, 8) for i in range(1, 9)]


def test_what_cannot_be_done_is_said(lorenz):
    with pytest.raises(ValueError, match=r"some of random, SFA.* but 'PCA' was given"):
        compare_on_recording(lorenz, ["PCA"])
    with pytest.raises(ValueError, match="none was given"):
        compare_on_recording(lorenz, [])
    with pytest.raises(ValueError, match="methods is empty"):
        compare_on_recording(lorenz, {})
    with pytest.raises(RankError, match="n_components=9"):
        compare_on_recording(lorenz, ["SFA"], n_components=9)
    with pytest.raises(RankError, match="constant"):
        compare_on_recording(recording_of(np.ones((50, 2))), ["SFA"])
    with pytest.raises(SplitError, match="cannot be split"):
        compare_on_recording(recording_of(np.random.default_rng(0).normal(size=(12, 2))), ["SFA"])


def test_on_a_hidden_system_gpfa_beats_random(lorenz):
    study = compare_on_recording(
        lorenz, {"random": RandomFeatures(3), "GPFA": GPFA(3, n_lags=2)}, n_lags=2, n_repetitions=3
    )
    random, found = study.runs
    assert max(found.test_share) < 0.5 * min(random.test_share)


def test_where_the_last_fit_goes_astray_the_best_repetition_is_kept(lorenz):
    class Astray(SFA):
        """Finds the fastest features instead, once it sees everything."""

        def find_directions(self, white, whitening):
            vectors = slow_directions(white, white.n_columns).vectors
            whole = white.n_rows == 600
            return vectors[:, -2:] if whole else vectors[:, :2]

    study = compare_on_recording(lorenz, {"SFA": Astray(2)}, n_repetitions=3)
    best = study.best
    assert best.repetition is not None
    assert study.model is best.models[best.repetition]
    rows, groups = study.learned_from
    assert np.array_equal(rows, study.protocol.splits[best.repetition].train)
    again = Astray(2).fit(lorenz.values[rows], groups=groups)
    assert np.array_equal(again.components_, study.model.components_)

    def share(model):
        return predictability(model.transform(lorenz.values), relative=True, ddof=1)

    assert share(study.model) == min(share(model) for model in best.models)
    steady = compare_on_recording(lorenz, {"SFA": SFA(2)}, n_repetitions=3).best
    assert steady.repetition is None
    assert steady.model not in steady.models


def test_loud_and_quiet_sequences_are_not_taken_for_predictable_ones():
    # Noise, louder in some sequences: with many lags the loud states' nearest neighbours are quiet
    # ones, so that the share left to chance falls, though nothing can be predicted.
    random = np.random.default_rng(0)
    groups = np.repeat(np.arange(12), 100)
    loudness = np.exp(1.2 * random.normal(size=12))[groups]
    noise = Recording((random.normal(size=1200) * loudness)[:, None], ("x",), "x", groups=groups)
    study = compare_on_recording(noise, ["SFA"], n_repetitions=6)
    fallen = np.mean(study.best.test_share) - np.mean(study.other_lags[-1].test_share)
    assert fallen > 0.1
    assert np.mean(study.other_lags[-1].predicted_gain) < 0.02
    assert lags_sentence(results_of(study)) == ""


def test_noise_of_changing_loudness_is_doubted():
    random = np.random.default_rng(0)
    loudness = np.exp(lfilter([0.15], [1.0, -0.99], random.normal(size=2000)))[:, None]
    noise = Recording(random.normal(size=(2000, 4)) * loudness, tuple("abcd"), "noise")
    study = compare_on_recording(noise, ["random", "SFA"], n_repetitions=4)
    assert np.mean(study.best.test_share) < 0.9
    assert np.mean(study.predicted) < 0.02
    assert "moments elsewhere predicts only 0 % of them" in results_of(study)["sentence"]
