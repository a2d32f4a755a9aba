"""Results are plain, complete, and what they say follows from the study."""

import copy
import json

import numpy as np
import pytest
from scipy import signal

from predfeat.datasets import Recording, Spectrum
from predfeat.exceptions import ResultsError
from predfeat.experiments import PairedTest, compare_on_recording
from predfeat.measures import predictability, subspace_angles
from predfeat.report import check_results, lags_sentence, render, results_of, what_was_cut
from predfeat.report._contents import SCHEMA
from predfeat.report._lags import better_lags
from predfeat.report._loadings import correlations, frequency_profile, smaller_image
from predfeat.report._sentence import about_as_good, percent, sentence, verdict
from predfeat.report._spectrum import block_length, block_spectra
from predfeat.report._traces import envelope, time_axis
from predfeat.selection import Diagnosis, Finding, diagnose
from predfeat.series import check_sequences


def without_times(value):
    if isinstance(value, dict):
        return {k: without_times(v) for k, v in value.items() if "seconds" not in k}
    if isinstance(value, list):
        return [without_times(v) for v in value]
    return value


def test_results_are_json_without_nan_and_pass_their_own_check(results):
    text = json.dumps(results, allow_nan=False)
    assert json.loads(text) == results
    check_results(json.loads(text), SCHEMA)


def test_same_seed_same_results_but_for_the_times(all_results, all_studies, diagnoses):
    recording = all_studies["trials"].recording
    again = compare_on_recording(
        recording, ["random", "SFA", "ForeCA", "GPFA (2)"], n_repetitions=6, n_jobs=2
    )
    expected = without_times(all_results["trials"])
    found = diagnose(again.model, recording.values, groups=recording.groups, names=recording.names)
    assert found == diagnoses["trials"]
    results = results_of(again, "predfeat compare trials", diagnosis=found)
    assert without_times(results) == expected


def test_methods_are_those_of_the_study(all_results, all_studies):
    for name, study in all_studies.items():
        methods = all_results[name]["methods"]
        assert [m["name"] for m in methods] == [run.method for run in study.runs]
        for method, run in zip(methods, study.runs, strict=True):
            assert method["test_share"] == run.test_share
            assert method["test_predictability"] == run.test
            assert method["best"] == (run is study.best)
            assert (method["paired"] is None) == method["best"]
            assert "n_jobs" not in method["parameters"]


def test_data_of_trials_with_gaps(all_results):
    data = all_results["trials"]["data"]
    assert data["n_rows"] == 600
    assert data["n_columns"] == 5
    assert data["rank"] == 4
    assert data["n_gap_rows"] == 41
    assert data["n_sequences"] == 8
    assert data["shortest_sequence"] == data["longest_sequence"] == 75
    assert data["n_stretches"] == 10  # eight sequences, two of them in two parts
    assert data["constant_columns"] == ["constant"]
    assert data["skipped_columns"] == ["<i>comment</i>"]
    assert data["missing_values"][0] == {"name": "\"'><img src=x onerror=alert(1)>", "count": 41}
    assert np.mean(data["coverage"]) == pytest.approx(1 - 41 / 600, abs=1e-4)


def test_traces_hold_every_row_of_short_recordings(all_results, all_studies):
    features = all_results["trials"]["features"]
    assert features["n_bins"] == 600
    assert features["sequence_starts"] == list(range(0, 600, 75))
    for i in range(3):
        trace = features["traces"][i]["low"]
        expected = all_studies["trials"].features[:, i]
        assert [v is None for v in trace] == list(np.isnan(expected))
        there = ~np.isnan(expected)
        kept = np.array([v for v in trace if v is not None])
        assert np.allclose(kept, expected[there], rtol=1e-3)  # four digits
        assert features["traces"][i]["high"] is None


def test_envelope_hides_no_extreme_and_marks_gaps():
    rng = np.random.default_rng(0)
    series = rng.normal(size=1003)
    series[200:260] = np.nan
    low, high = envelope(series, 50)
    for i in range(50):
        part = series[i * 1003 // 50 : (i + 1) * 1003 // 50]
        part = part[~np.isnan(part)]
        if part.size:
            assert (low[i], high[i]) == (part.min(), part.max())
        else:
            assert np.isnan(low[i])
            assert np.isnan(high[i])
    assert np.isnan(low).sum() >= 1
    assert np.nanmin(low) == np.nanmin(series)


def test_long_recordings_stay_small_and_keep_their_extremes():
    values = np.random.default_rng(0).normal(size=(50_000, 3))
    values[31_234, 0] = 99.0
    recording = Recording(values, ("a", "b", "c"), "long.npy")
    results = results_of(compare_on_recording(recording, ["SFA"], n_repetitions=1))
    first = next(t for t in results["features"]["traces"] if t["name"] == "a")
    assert max(first["high"]) == 99.0
    assert len(json.dumps(results)) < 1_500_000


def test_shares_of_the_features(all_results, all_studies):
    study = all_studies["table"]
    expected = predictability(study.features, 1, 10, relative=True, per_component=True, ddof=1)
    assert np.allclose(all_results["table"]["features"]["shares"], expected, rtol=1e-5)


def test_angles_are_between_the_signals(all_results, all_studies):
    study, angles = all_studies["table"], all_results["table"]["angles"]
    models = {run.method: run.model for run in study.runs}
    for i, one in enumerate(angles["methods"]):
        for j, other in enumerate(angles["methods"][:i]):
            expected = subspace_angles(models[one], models[other], study.recording.values)
            # Where the angle is small its cosine is near 1, and rounding has its say.
            assert np.allclose(angles["degrees"][i][j], expected, rtol=1e-3, atol=1e-5)


def test_spectrum_of_one_stretch_is_welchs():
    values = np.random.default_rng(0).normal(size=(600, 2)).cumsum(axis=0)
    frequencies, shares = block_spectra(check_sequences(values), 64)
    expected_f, power = signal.welch(
        values - values.mean(axis=0), nperseg=64, detrend=False, scaling="spectrum", axis=0
    )
    power[-1] *= 2  # one-sided spectra count the last frequency once
    assert np.allclose(frequencies, expected_f[1:])
    assert np.allclose(shares, power[1:] / power[1:].sum(axis=0))


def test_spectrum_never_reaches_across_a_gap():
    values = np.random.default_rng(0).normal(size=(300, 1))
    values[100] = np.nan
    there = ~np.isnan(values[:, 0])
    _, with_gap = block_spectra(check_sequences(values), 32)
    _, in_two = block_spectra(check_sequences(values[there], np.arange(300)[there] > 100), 32)
    assert np.allclose(with_gap, in_two)


def test_block_length_needs_room():
    assert block_length(check_sequences(np.zeros((4000, 1)))) == 512
    assert block_length(check_sequences(np.zeros((15, 1)))) is None
    assert block_length(check_sequences(np.zeros((64, 1)), np.arange(64) // 8)) is None


def test_loadings_are_correlations():
    rng = np.random.default_rng(0)
    samples, features = rng.normal(size=(200, 4)) * [1, 10, 1e-6, 0] + 7, rng.normal(size=(200, 2))
    found = correlations(samples, features)
    expected = np.corrcoef(samples[:, :3].T, features.T)[3:, :3]
    assert np.allclose(found[:, :3], expected)
    assert np.all(found[:, 3] == 0)


def test_frequency_profile_joins_the_parts_of_a_frequency():
    layout = Spectrum(np.array([0.0, 5.0, 5.0]), ("real", "real", "imaginary"))
    frequencies, profile = frequency_profile(layout, np.array([[0.5, 0.3, -0.4]]))
    assert frequencies.tolist() == [0.0, 5.0]
    assert np.allclose(profile, [[0.5, 0.5]])


def test_large_images_are_averaged():
    image = np.random.default_rng(0).normal(size=(128, 20))
    small = smaller_image(image)
    assert small.shape == (64, 20)
    assert np.allclose(small, image.reshape(64, 2, 20).mean(axis=1))
    assert smaller_image(np.ones((100, 150))).shape == (64, 64)
    assert np.allclose(smaller_image(np.ones((100, 150))), 1.0)


def test_loadings_take_the_form_of_the_recording(all_results):
    kinds = {name: results["loadings"]["kind"] for name, results in all_results.items()}
    assert kinds == {
        "table": "columns", "trials": "columns", "noise": "columns", "sound": "frequencies",
        "video": "images",
    }  # fmt: skip
    sound = all_results["sound"]["loadings"]
    loudest = sound["frequencies"][int(np.argmax(np.max(sound["profiles"], axis=0)))]
    assert 600 <= loudest <= 1200  # the tone is at 900 Hz
    assert np.shape(all_results["video"]["loadings"]["filters"]) == (3, 6, 8)


@pytest.mark.parametrize(
    ("step", "unit", "groups", "expected"),
    [
        (None, "rows", None, ("rows", 1.0)),
        (0.25, "s", None, ("s", 0.25)),
        (0.5, "s", None, ("minutes", 0.5 / 60)),
        (60.0, "s", None, ("hours", 1 / 60)),
        (3600.0, "s", None, ("days", 1 / 24)),
        (0.5, "s", np.zeros(1000), ("rows", 1.0)),
        (2.0, "month", None, ("month", 2.0)),
    ],
)
def test_time_axis(step, unit, groups, expected):
    recording = Recording(np.zeros((1000, 1)), ("a",), "x", step=step, unit=unit, groups=groups)
    axis = time_axis(recording)
    assert axis["unit"] == expected[0]
    assert axis["per_row"] == pytest.approx(expected[1])


SURE, UNSURE = PairedTest(10, 10, 0.3, 0.002), PairedTest(10, 6, 0.05, 0.4)


@pytest.mark.parametrize(
    ("share", "random", "test", "expected"),
    [
        (0.18, 0.87, SURE, "found"),
        (0.18, None, None, "no baseline"),
        (0.97, 1.0, SURE, "hardly"),
        (0.98, 0.99, SURE, "no better than random"),  # sure, but by a hair
        (0.80, 0.90, UNSURE, "no better than random"),
        (0.90, 0.90, None, "no better than random"),  # random features are the best
        (0.02, 0.02, None, "all alike"),
        (0.07, 0.14, UNSURE, "no better than random"),  # not alike, but who knows
        (0.10, 0.80, PairedTest(3, 3, 0.7, None), "found"),
        (0.10, 0.80, PairedTest(3, 2, 0.7, None), "no better than random"),
    ],
)
def test_verdict(share, random, test, expected):
    assert verdict(share, random, test) == expected


def test_sentences():
    assert sentence("found", "GPFA", 3, 0.18, 0.87) == (
        "The 3 most predictable features, found by GPFA, leave 18 % of their variance to chance; "
        "random ones leave 87 %."
    )
    assert sentence("found", "SFA", 1, 0.004, 1.03) == (
        "The most predictable feature, found by SFA, leaves less than 1 % of its variance to "
        "chance; a random one leaves all (estimated at 103 %)."
    )
    assert sentence("no better than random", "PFA", 2, 1.02, 1.0) == (
        "No method found features that are clearly more predictable than random ones. The 2 most "
        "predictable features, found by PFA, leave all of their variance (estimated at 102 %) to "
        "chance; random ones leave 100 %."
    )
    assert sentence("all alike", "SFA", 2, 0.02, 0.02).startswith("Everything in this recording")
    for kind in ("all alike", "no better than random"):
        told = sentence(kind, "random", 2, 0.44, 0.44)
        assert "found by random" not in told
        assert told.endswith(
            ". Random ones leave 44 % of their variance to chance, and no method does better."
        )
    assert sentence("hardly", "SFA", 2, 0.97, 1.0).startswith("Hardly anything")
    assert percent(1.0) == "100 %"
    assert sentence("found", "GPFA", 3, 0.18, 0.87, horizon=5) == (
        "The 3 most predictable features, found by GPFA, leave 18 % of their variance to chance 5 "
        "steps ahead; random ones leave 87 %."
    )


def shares(n_lags, train, test, gain=(0.2, 0.3, 0.25)):
    return {
        "n_lags": n_lags, "train_share": train, "test_share": test, "predicted_gain": list(gain)
    }  # fmt: skip


@pytest.mark.parametrize(
    ("others", "expected"),
    [
        ([], None),
        ([shares(2, [0.1] * 3, [0.10, 0.12, 0.11])], 2),
        # The training parts decide which: 5 would look better by the test parts.
        ([shares(2, [0.1] * 3, [0.1, 0.12, 0.11]), shares(5, [0.2] * 3, [0.01] * 3)], 2),
        # Of two that are about as good, the smaller.
        ([shares(2, [0.1] * 3, [0.1, 0.12, 0.11]), shares(5, [0.095] * 3, [0.01] * 3)], 2),
        ([shares(2, [0.2] * 3, [0.1] * 3), shares(5, [0.1] * 3, [0.1, 0.12, 0.11])], 5),
        ([shares(2, [0.4] * 3, [0.1] * 3)], None),  # worse on what it learned from
        ([shares(2, [0.1] * 3, [0.1, 0.5, 0.3])], None),  # not beyond its standard error
        ([shares(2, [0.1] * 3, [0.394, 0.395, 0.396])], None),  # nobody would notice
        ([shares(2, [0.1] * 3, [0.1] * 3, gain=(0.3, -0.2, 0.5))], None),  # may be luck
        ([shares(2, [0.1] * 3, [0.1] * 3, gain=(0.03, 0.04, 0.05))], None),  # hardly more predicted
    ],
)
def test_more_lags_are_advised_where_they_surely_show_more(others, expected):
    results = {
        "protocol": {"n_lags": 1, "n_components": 2, "other_lags": others},
        "methods": [{"best": True, "train_share": [0.3] * 3, "test_share": [0.4] * 3}],
    }
    found = better_lags(results)
    assert (None if found is None else found["n_lags"]) == expected
    told = lags_sentence(results)
    assert (told == "") == (expected is None)
    if expected == 2:
        assert told.startswith(
            "With p = 2 (--n-lags 2) the same features leave 11 % to chance instead of 40 %"
        )


def test_results_of_earlier_versions_are_one_step_ahead(all_results):
    results = copy.deepcopy(all_results["table"])
    for key in ("horizon", "is_cut", "train_sequences", "test_sequences", "other_lags"):
        del results["protocol"][key]
    check_results(results, SCHEMA)
    assert lags_sentence(results) == ""
    assert "is how much the next step still varies" in render(results)
    results["protocol"]["horizon"] = 5
    assert "is how much what comes 5 steps later still varies" in render(results)
    results["protocol"]["horizon"] = 0
    with pytest.raises(ResultsError, match=r"protocol\.horizon must be a whole number, 1 or more"):
        check_results(results, SCHEMA)


def test_what_was_cut_names_the_options(all_results):
    results = copy.deepcopy(all_results["trials"])
    assert what_was_cut(results) == ""
    results["protocol"].update(
        kind="sequences", is_cut=True, max_train=50, max_test=20, train_sequences=[9, 10],
        test_sequences=[4, 5],
    )  # fmt: skip
    results["data"]["n_sequences"] = 140
    assert what_was_cut(results) == (
        "To save time, training parts have at most 50 rows and test parts at most 20, from 10 "
        "and 5 of the 140 sequences; --max-train and --max-test allow more."
    )


def test_noise_is_called_noise_and_a_system_is_found(all_results):
    assert all_results["noise"]["verdict"] == "no better than random"
    assert all_results["table"]["verdict"] == "found"


def test_about_as_good():
    assert about_as_good(UNSURE, 0.05)
    assert about_as_good(SURE, 0.005)
    assert not about_as_good(SURE, 0.3)
    assert not about_as_good(PairedTest(3, 3, 0.3, None), 0.3)


def test_a_diagnosis_is_kept_as_plain_numbers_and_text(all_studies):
    study = all_studies["trials"]
    finding = Finding(
        "x", "note", "s", "m", "`p=2`, `q`", {"n": 3, "share": np.float64(0.25), "none": np.nan}
    )
    found = results_of(study, diagnosis=Diagnosis((finding,), "x"))["diagnosis"]
    assert found == {
        "method": study.best.method,
        "n_rows": 600,
        "findings": [
            {
                "name": "x",
                "severity": "note",
                "summary": "s",
                "meaning": "m",
                "advice": "`p=2`, `q`",
                "values": {"n": 3, "share": 0.25, "none": None},
                "parameters": {"p": 2, "q": None},
            }
        ],
    }
    assert type(found["findings"][0]["values"]["n"]) is int
    json.dumps(found, allow_nan=False)
    assert results_of(study)["diagnosis"] is None
