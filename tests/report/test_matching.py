"""Features of different models beside each other, and their shares on data not learnt from."""

import json

import numpy as np
import pytest

from predfeat.datasets import Recording
from predfeat.experiments import compare_on_recording
from predfeat.measures import predictability
from predfeat.report import results_of
from predfeat.report._matching import all_methods, held_out_shares, match


def test_match_finds_permuted_and_turned_features():
    rng = np.random.default_rng(0)
    features = rng.normal(size=(200, 4))
    places, turns = rng.permutation(4), np.array([1.0, -1.0, -1.0, 1.0])
    others = np.empty_like(features)
    others[:, places] = turns * (features + 0.3 * rng.normal(size=(200, 4)))
    features[5] = np.nan
    order, signs = match(features, others)
    assert order.tolist() == places.tolist()
    assert signs.tolist() == turns.tolist()


def test_features_without_a_partner_come_last():
    rng = np.random.default_rng(0)
    others = rng.normal(size=(100, 3))
    order, signs = match(-others[:, [2]], others)
    assert order.tolist() == [2, 0, 1]
    assert signs.tolist() == [-1.0, 1.0, 1.0]


def test_held_out_shares_are_those_of_the_test_parts(all_studies):
    for name in ("table", "trials"):
        study = all_studies[name]
        values, groups = study.recording.values, study.series.sequence_first
        shares = []
        for split, model in zip(study.protocol.splits, study.best.models, strict=True):
            found = model.transform(values[split.test])
            kept = study.model.transform(values[split.test])
            there = ~np.isnan(found).any(axis=1)
            left = predictability(
                found, 1, 10, groups=groups[split.test], relative=True, per_component=True, ddof=1
            )
            strength = np.abs(np.corrcoef(kept[there].T, found[there].T)[:3, 3:])
            best = max(
                ([a, b, c] for a in range(3) for b in range(3) for c in range(3)
                 if len({a, b, c}) == 3),
                key=lambda places, strength=strength: sum(
                    strength[i, place] for i, place in enumerate(places)
                ),
            )  # fmt: skip
            shares.append(left[best])
        assert np.allclose(held_out_shares(study), np.mean(shares, axis=0))


def test_shares_of_features_and_headline_are_of_the_same_data(all_results):
    """Features have about the same variance: the mean of their shares is the method's."""
    for results in all_results.values():
        best = next(m for m in results["methods"] if m["best"])
        mean = np.mean(results["features"]["test_shares"])
        assert mean == pytest.approx(np.mean(best["test_share"]), abs=0.1)


def test_all_methods_are_shown_alike(all_studies):
    study = all_studies["table"]
    shown = all_methods(study, 2)
    assert shown["n_rows"] == 500
    assert shown["methods"][0]["name"] == study.best.method
    assert {m["name"] for m in shown["methods"]} == {run.method for run in study.runs}
    assert all(len(m["traces"]) == 2 for m in shown["methods"])
    first = np.array(shown["methods"][0]["traces"][0]["low"])
    sfa = np.array(next(m for m in shown["methods"] if m["name"] == "SFA")["traces"][0]["low"])
    assert np.corrcoef(first, sfa)[0, 1] > 0.5


def test_long_recordings_are_shown_in_part_and_small():
    values = np.random.default_rng(0).normal(size=(5000, 3))
    recording = Recording(values, ("a", "b", "c"), "long.npy")
    study = compare_on_recording(recording, ["SFA", "random"], n_repetitions=1)
    shown = all_methods(study, 6)
    assert shown["n_rows"] == 1000
    assert len(json.dumps(shown)) < 40_000


@pytest.mark.parametrize(
    ("columns", "n_components", "expected"),
    [
        (1, None, "There is only one column, so there is no choice: it leaves "),
        (3, 3, "There are only 3 columns, and as many features were asked for, so there is "),
    ],
)
def test_where_nothing_can_be_chosen_it_is_said(columns, n_components, expected):
    values = np.random.default_rng(0).normal(size=(400, columns)).cumsum(axis=0)
    recording = Recording(values, tuple("abc")[:columns], "x.csv")
    study = compare_on_recording(
        recording, ["random", "SFA"], n_repetitions=6, n_components=n_components
    )
    results = results_of(study)
    assert results["verdict"] == "nothing to choose"
    assert results["sentence"].startswith(expected)
    assert "found by" not in results["sentence"]
    assert "random" not in results["sentence"]
    shares = [m["test_share"] for m in results["methods"]]
    assert np.allclose(shares[0], shares[1])


def test_copies_of_one_column_are_no_choice():
    x = np.random.default_rng(0).normal(size=400).cumsum()
    recording = Recording(np.column_stack([x, -2 * x]), ("a", "b"), "x.csv")
    results = results_of(compare_on_recording(recording, ["SFA"], n_repetitions=2))
    assert results["sentence"].startswith("All columns are multiples of one, so there is no choice")
