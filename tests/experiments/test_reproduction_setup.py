"""What the experiments are: the paper's panels and defaults, splits, and measures."""

from dataclasses import replace

import numpy as np
import pytest

from predfeat import GPFA, SFA
from predfeat.exceptions import DataFileError, MissingLibraryError, SplitError
from predfeat.experiments import reproduction as r
from predfeat.experiments.reproduction._measuring import measure_fit
from predfeat.measures import predictability


@pytest.fixture(scope="module")
def source():
    random = np.random.default_rng(0)
    waves = np.cos(np.arange(16_000)[:, None] * [0.01, 0.05, 0.3])
    mixed = np.column_stack([waves, random.normal(size=(16_000, 4))]) @ random.normal(size=(7, 9))
    return r.RecordingSource("waves", "Waves in noise.", mixed)


def only(points):
    (fit,) = {point.fit for point in points}
    return fit


def test_the_toy_experiment_is_the_papers():
    setup = r.toy_setup()
    panels = {panel.parameter: panel.values for panel in setup.panels}
    assert (panels["n_train"][0], panels["n_train"][-1]) == (100, 800)
    assert (panels["n_columns"][0], panels["n_columns"][-1]) == (2, 100)
    assert (panels["n_neighbors"][0], panels["n_neighbors"][-1]) == (2, 30)
    assert setup.defaults == r.Parameters(1, 10, 10, 700, 50, 2, 10)
    assert (setup.n_test, setup.n_repeats, setup.times) == (100, (0,), True)


@pytest.mark.parametrize(("name", "p", "k"), [("piano", 5, 10), ("bar", 7, 2), ("forest", 6, 20)])
def test_the_audio_experiment_is_the_papers(source, name, p, k):
    setup = r.audio_setup(name, source)
    assert setup.defaults == r.Parameters(p, k, 10, 10_000, 50, 5, 9, tol=1e-3)
    assert [(panel.letter, r.LABELS[panel.parameter]) for panel in setup.panels] == [
        ("a", "p"), ("b", "k"), ("c", "q"), ("d", "S_train"), ("e", "R"), ("f", "M"),
    ]  # fmt: skip
    assert (setup.n_test, setup.pca_components) == (5000, 0.99)
    assert setup.n_repeats == tuple(range(11))
    assert setup.tested_components == (5,)


def test_the_visual_experiment_is_the_papers(source):
    setup = r.visual_setup(source)
    assert setup.defaults == r.Parameters(1, 2, 10, 10_000, 50, 5, 9, tol=1e-3)
    assert (setup.n_repeats, setup.panels[-1].values[-1]) == ((1,), 12)
    assert 12 in setup.tested_components


@pytest.mark.parametrize("quick", [False, True])
def test_every_panel_holds_the_defaults_and_every_tested_m_is_drawn(source, quick):
    setups = [r.toy_setup(quick=quick), r.visual_setup(source, quick=quick)]
    setups += [r.audio_setup(name, source, quick=quick) for name in r.RECORDINGS]
    for setup in setups:
        for panel in setup.panels:
            assert getattr(setup.defaults, panel.parameter) in panel.values
            assert list(panel.values) == sorted(set(panel.values))
        drawn = {setup.defaults.n_components, *r.main_panel(setup).values}
        assert set(setup.tested_components) <= drawn


def test_fewer_repetitions_of_the_other_panels(source):
    setup = r.visual_setup(source, quick=True)
    places = list(r.panel_points(setup, 1, 3, 1))
    counts = {p.letter: sum(x.panel == p for x in places) for p in setup.panels}
    n_methods = len(setup.methods)
    # The same repetitions for all lines of a panel: means over others could not be compared.
    assert counts == {
        **{p.letter: n_methods * len(p.values) for p in setup.panels[:-1]},
        "f": 3 * n_methods * len(setup.panels[-1].values),
    }


def test_the_panel_of_r_takes_all_iterations(source):
    places = r.panel_points(r.visual_setup(source), 1, 1)
    tols = {(p.panel.letter, dict(p.point.fit.settings).get("tol")) for p in places}
    assert {letter for letter, tol in tols if tol == 0} == {"e"}
    assert {letter for letter, tol in tols if tol} == set("abcdf")


def test_methods_depend_on_their_own_parameters_only(source):
    setup = r.visual_setup(source)
    places = list(r.panel_points(setup, 1, 1))

    def n_fits(method, letter):
        return len({p.point.fit for p in places if (p.method, p.panel.letter) == (method, letter)})

    assert [n_fits("SFA", letter) for letter in "abcdef"] == [1, 1, 1, 4, 1, 1]
    assert [n_fits("PFA", letter) for letter in "abcdef"] == [4, 1, 1, 4, 1, 1]
    assert [n_fits("GPFA (2)", letter) for letter in "abcdef"] == [4, 5, 1, 4, 6, 6]


def test_settings_make_the_estimators_of_the_figures():
    defaults = r.toy_setup().defaults
    made = {}
    for method in r.METHODS:
        settings = r.settings_of(method, defaults, n_ordered=2, n_repeats=3, repetition=4)
        point = r.toy_setup().point(method, defaults, 4, 3, "test")
        made[method] = r.estimator_of(replace(point.fit, settings=settings))
    assert [made[m].graph for m in r.METHODS[4:]] == ["full", "star", "star", "star"]
    assert [made[m].init for m in r.METHODS[4:]] == ["input", "input", "sfa", "pfa"]
    assert {(made[m].max_iter, made[m].tol) for m in r.METHODS[4:]} == {(50, 0.0)}
    assert made["PFA"].n_repeats == 3
    assert made["random"].random_state == 4


def test_parts_are_apart_and_differ_between_repetitions(source):
    rows = replace(source, values=np.arange(16_000.0)[:, None], fingerprint="")
    setup = r.visual_setup(rows)
    seen = set()
    for repetition in range(20):
        fit = setup.point("SFA", setup.defaults, repetition, 1, "test").fit
        train, test = (part.rows[:, 0] for part in rows.parts(fit))
        assert (len(train), len(test)) == (10_000, 5_000)
        for part in (train, test):
            assert np.array_equal(np.diff(part), np.ones(len(part) - 1))
        assert min(abs(train[0] - test[-1]), abs(test[0] - train[-1])) > 20
        assert train[-1] < test[0] or test[-1] < train[0]
        fewer = setup.point("SFA", replace(setup.defaults, n_train=1000), repetition, 1, "test").fit
        short, same = (part.rows[:, 0] for part in rows.parts(fewer))
        assert np.array_equal(short, train[:1000])
        assert np.array_equal(same, test)
        seen.add((train[0], test[0]))
    assert len(seen) > 15


def test_parts_of_a_tight_recording_still_have_rows_between_them():
    rows = r.RecordingSource("rows", "", np.arange(15_020.0)[:, None])
    setup = r.visual_setup(rows)
    for repetition in range(5):
        fit = setup.point("SFA", setup.defaults, repetition, 1, "test").fit
        train, test = (part.rows[:, 0] for part in rows.parts(fit))
        assert max(test[0] - train[-1], train[0] - test[-1]) == 21


def test_a_fingerprint_changes_with_the_numbers_and_the_sequences(source):
    values = source.values[:100].copy()
    first = r.RecordingSource("x", "", values).fingerprint
    assert r.RecordingSource("other name", "", values).fingerprint == first
    assert r.RecordingSource("x", "", values, np.arange(100)).fingerprint != first
    assert r.RecordingSource("x", "", values.T).fingerprint != first
    values[50, 3] = np.nextafter(values[50, 3], 10)
    assert r.RecordingSource("x", "", values).fingerprint != first


@pytest.mark.parametrize("method", ["SFA", "GPFA (1)"])
def test_a_point_is_what_the_estimator_and_the_measure_say(source, method):
    setup = r.visual_setup(source, quick=True)
    parameters = replace(setup.defaults, n_components=3, n_lags=2)
    points = [setup.point(method, parameters, 0, 1, part) for part in ("test", "train")]
    results = measure_fit(source, only(points), points)
    train, test = source.parts(only(points))
    model = SFA(5, pca_components=0.99)
    if method != "SFA":
        model = GPFA(3, n_lags=2, n_neighbors=2, graph="full", max_iter=5, tol=0.0)
        model.set_params(pca_components=0.99)
    model.fit(train.rows)
    for result, part in zip(results, (test, train), strict=True):
        features = model.transform(part.rows)[:, :3]
        for relative, value in ((False, "predictability"), (True, "share")):
            measured = predictability(features, 2, 10, relative=relative)
            # Another order of sums only: the estimator whitens what is white already.
            assert getattr(result.measured, value) == pytest.approx(measured, rel=1e-6)


def test_episodes_are_sequences_of_their_own():
    setup = r.visual_setup(r.sprites_source(quick=True), quick=True)
    source = setup.source
    cut = replace(source, groups=np.arange(len(source.values)) // 30, fingerprint="")
    results = []
    for given in (source, cut):
        point = replace(setup, source=given).point("SFA", setup.defaults, 0, 1, "test")
        results.append(measure_fit(given, point.fit, [point])[0].measured)
    assert results[0] != results[1]
    train, test = cut.parts(point.fit)
    model = SFA(5, pca_components=0.99).fit(train.rows, groups=train.groups)
    value = predictability(model.transform(test.rows), 1, 10, groups=test.groups)
    assert results[1].predictability == pytest.approx(value, rel=1e-6)


def test_the_true_dimensions_are_the_best_there_is_in_the_mean(tmp_path):
    setup = replace(r.toy_setup(), panels=(r.Panel("a", "n_train", (700,)),))
    with r.Ledger(tmp_path / "ledger.sqlite") as ledger:
        rows = r.run_setup(setup, ledger, 8).rows
    means = {
        method: np.mean([row.measured.predictability for row in rows if row.place.method == method])
        for method in setup.methods
    }
    # The paper: about 1 for those that find the two, the level of random features for the others.
    assert means[r.TRUTH] == pytest.approx(1.0, abs=0.15)
    for method in ("GPFA (1)", "GPFA (2)", "ForeCA"):
        assert means[method] < means[r.TRUTH] + 0.25
    for method in ("SFA", "PFA", "random"):
        assert means[method] > means[r.TRUTH] + 0.5


def test_pfas_repeats_are_those_with_the_best_features_of_the_training_parts(source, tmp_path):
    setup = replace(
        r.audio_setup("bar", source, quick=True),
        n_repeats=(0, 1, 4),
        panels=(r.Panel("f", "n_components", (5,)),),
        methods=("PFA",),
    )
    with r.Ledger(tmp_path / "ledger.sqlite") as ledger:
        chosen = r.run_setup(setup, ledger, 1).n_repeats
        judged = r.repeat_points(setup)
        found = ledger.find([point for points in judged.values() for point in points])
    means = {k: np.mean([found[p].predictability for p in ps]) for k, ps in judged.items()}
    assert len(found) == 9
    assert {point.part for point in found} == {"train"}
    assert chosen == min(means, key=means.get)


def test_too_short_a_recording_is_a_named_error(source):
    short = replace(source, values=source.values[:15_000], fingerprint="")
    with pytest.raises(SplitError, match=r"waves has 15000 rows.*15020.*longer recording"):
        r.audio_setup("piano", short)


def test_an_unreadable_recording_is_a_named_error(tmp_path):
    pytest.importorskip("soundfile")
    broken = tmp_path / "broken.flac"
    broken.write_bytes(b"fLaC, but no more")
    with pytest.raises(DataFileError, match=r"broken.flac cannot be read"):
        r.audio_source("piano", broken)
    with pytest.raises(DataFileError, match="there is no file"):
        r.audio_source("piano", tmp_path / "missing.flac")


def test_a_sound_file_is_resampled_and_cut_as_in_the_paper(tmp_path):
    soundfile = pytest.importorskip("soundfile")
    pytest.importorskip("soxr")
    samples = np.random.default_rng(0).uniform(-0.5, 0.5, size=(44_100, 2))
    soundfile.write(tmp_path / "noise.wav", samples, 44_100)
    made = r.audio_source("bar", tmp_path / "noise.wav")
    assert made.name == "bar"
    assert made.values.shape == (1 + (22_050 - 512) // 256, 512)
    assert "synthetic" not in made.description


def test_made_up_data_is_called_so():
    assert r.audio_source("bar", quick=True).name == "bar, synthetic"
    assert "not recorded" in r.audio_source("bar", quick=True).description
    assert "simulated" in r.sprites_source(quick=True).name
    assert "no game was played" in r.sprites_source(quick=True).description


def test_without_the_games_extra_its_name_is_told(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "gymnasium", None)
    with pytest.raises(MissingLibraryError, match=r"predfeat\[games\]"):
        r.game_source()


def test_the_window_of_a_video_is_where_most_moves(tmp_path):
    av = pytest.importorskip("av")
    with av.open(str(tmp_path / "square.mkv"), "w") as container:
        stream = container.add_stream("ffv1", rate=25)
        stream.width, stream.height, stream.pix_fmt = 160, 120, "gray"
        for i in range(20):
            picture = np.zeros((120, 160), dtype=np.uint8)
            picture[64:76, 100 + i % 2 * 8 : 104 + i % 2 * 8] = 255
            for packet in stream.encode(av.VideoFrame.from_ndarray(picture, format="gray")):
                container.mux(packet)
        for packet in stream.encode():
            container.mux(packet)
    made = r.video_source(tmp_path / "square.mkv")
    assert made.values.shape == (20, 400)
    moving = np.ptp(made.values, axis=0).reshape(20, 20)
    assert (moving > 200).sum() == 2 * 12 * 4  # all of it is in the window
