"""Every pathology raises its finding, and the advice helps."""

import numpy as np
import pytest
from sklearn.base import clone

from diagnosis_series import (
    autoregressions,
    diagnosed,
    noise,
    oscillator,
    toy,
    two_levels,
    wandering,
)
from predfeat import GPFA, PFA, SFA, ForeCA, RandomFeatures

X = toy()


PATHOLOGIES = {
    "a constant column": (
        GPFA(2),
        np.column_stack([X, np.full(len(X), 3.0)]),
        {},
        ("rank-deficient", "pca_components"),
    ),
    "a column in other units": (
        SFA(2),
        np.column_stack([X, 1 - 2 * X[:, 1]]),
        {},
        ("rank-deficient", "pca_components"),
    ),
    "a mixture of others": (
        PFA(2),
        np.column_stack([X, X[:, 0] + X[:, 2]]),
        {},
        ("rank-deficient", "pca_components"),
    ),
    "nearly a copy": (
        GPFA(2),
        np.column_stack([X, X[:, 0] + 1e-4 * noise(1, len(X))]),
        {},
        ("ill-conditioned", "pca_components"),
    ),
    "many columns, few rows": (GPFA(2), toy(300, 30), {}, ("few-samples", "pca_components")),
    "many columns, fewer rows": (SFA(2), toy(100, 30), {}, ("few-samples", "pca_components")),
    "many lags of a recursion": (
        PFA(2, n_lags=20),
        oscillator(1500, 8),
        {},
        ("few-samples", "n_lags"),
    ),
    "a hundred dimensions": (GPFA(2, n_lags=4), toy(1000, 25), {}, ("sparse-states", "init")),
    "features of many dimensions": (
        GPFA(8, n_lags=8, max_iter=5),
        noise(0, 1000, 12),
        {},
        ("sparse-states", "n_lags"),
    ),
    "everyone's neighbours": (
        GPFA(2, n_lags=3),
        toy(1000, 20),
        {},
        ("hubs", "pca_components"),
    ),
    "hardly ever back": (GPFA(3), wandering(), {}, ("adjacent-neighbors", "theiler")),
    "hardly ever back, measured": (
        SFA(3),
        wandering(),
        {},
        ("adjacent-neighbors", "n_components"),
    ),
    "two levels": (
        GPFA(2),
        two_levels()[0],
        {"groups": two_levels()[1]},
        ("disconnected-graph", "n_neighbors"),
    ),
    "predecessors that never succeed": (
        GPFA(2, n_lags=3),
        X,
        {"groups": np.arange(len(X)) // 5},
        ("disconnected-graph", "past=False"),
    ),
    "half of an oscillator": (GPFA(1), oscillator(), {}, ("no-gap", "n_components=2")),
    "half of a slow oscillator": (SFA(1), oscillator(), {}, ("no-gap", "n_components=2")),
    "half of a forecastable one": (ForeCA(1), oscillator(), {}, ("no-gap", "n_components=2")),
    "noise": (GPFA(2), noise(0, 1000, 12), {}, ("unstable", "n_components")),
    "noise of many channels": (SFA(2), noise(0, 300, 60), {}, ("overfitting", "pca_components")),
    "overfitted, seen on test data": (
        SFA(2),
        noise(0, 300, 60),
        {"X_test": noise(1, 300, 60)},
        ("overfitting", "pca_components"),
    ),
    "nothing to predict": (PFA(2), noise(0, 1500, 5), {}, ("unpredictable", "n_lags")),
    "slow noise": (
        GPFA(1),
        autoregressions(2000, [0.97, 0.2, 0.1, 0.0]),
        {},
        ("only-slow", "n_lags"),
    ),
    "louder and louder": (
        GPFA(2),
        oscillator() * np.linspace(0.2, 2.0, 1500)[:, None],
        {},
        ("drift", "pca_components"),
    ),
    "a trend": (
        SFA(2),
        oscillator() + np.linspace(-3, 3, 1500)[:, None],
        {},
        ("drift", "pca_components"),
    ),
    "louder on test data": (
        GPFA(2),
        oscillator(),
        {"X_test": 3 * oscillator(800, seed=7)},
        ("drift", "pca_components"),
    ),
    "clicks now and then": (
        GPFA(2),
        toy() * np.where(np.arange(1500) % 50 == 7, 10.0, 1.0)[:, None],
        {},
        ("loud-moments", "weighting='inverse_spread'"),
    ),
    "a fifth of all are neighbours": (
        GPFA(2, n_neighbors=120, max_iter=10),
        toy(600),
        {},
        ("many-neighbors", "n_neighbors"),
    ),
    "one neighbour": (GPFA(2, n_neighbors=1), oscillator(), {}, ("few-neighbors", "n_neighbors")),
    "short sequences": (
        GPFA(2, n_lags=3),
        X,
        {"groups": np.arange(len(X)) // 6},
        ("short-sequences", "n_lags"),
    ),
    "gaps everywhere": (
        GPFA(2, n_lags=2),
        np.where(np.arange(len(X))[:, None] % 4 == 0, np.nan, X),
        {},
        ("short-sequences", "n_lags"),
    ),
    "every row three times": (
        GPFA(2),
        np.repeat(toy(500), 3, axis=0),
        {},
        ("equal-states", "n_lags"),
    ),
    "whole numbers": (GPFA(2), np.round(oscillator(1500, 3)), {}, ("equal-states", "n_lags")),
    "stopped too early": (
        GPFA(2, max_iter=3),
        noise(0, 600, 12),
        {},
        ("not-settled", "max_iter"),
    ),
    "all there is": (GPFA(3), toy(800, 3), {}, ("nothing-selected", "n_components")),
    "too few to halve": (
        GPFA(2, n_neighbors=20),
        toy(30, 4),
        {},
        ("cannot-split", "n_neighbors"),
    ),
    "too little to compare with": (
        GPFA(2, n_lags=3, theiler=5),
        oscillator(400),
        {"X_test": oscillator(15, seed=7)},
        ("short-test-data", "theiler"),
    ),
}


MILD = {
    "a constant column",
    "clicks now and then",
    "hardly ever back, measured",
    "one neighbour",
    "slow noise",
    "all there is",
    "whole numbers",
}


@pytest.mark.parametrize("name", PATHOLOGIES)
def test_a_pathology_raises_its_finding(name):
    model, X, options, (expected, parameter) = PATHOLOGIES[name]
    diagnosis = diagnosed(model, X, **options)
    found = {finding.name: finding for finding in diagnosis.findings}
    assert expected in found, str(diagnosis)
    finding = found[expected]
    assert parameter.split("=")[0] in model.get_params()
    assert parameter in finding.advice
    assert parameter.split("=")[0] in finding.parameters
    for each in diagnosis.findings:
        assert set(each.parameters) <= set(model.get_params())
        changes = {name: value for name, value in each.parameters.items() if value is not None}
        clone(model).set_params(**changes).check_parameters()  # what is advised can be done
        assert each.advice.count("`") % 2 == 0
    assert (finding.severity == "note") == (name in MILD)
    assert any(character.isdigit() for character in finding.summary)
    assert finding.meaning.endswith(".")
    assert finding.values
    assert all(isinstance(value, int | float) for value in finding.values.values())


def test_the_constructions_are_many():
    assert len({expected for *_, (expected, _) in PATHOLOGIES.values()}) >= 18


def test_advice_helps():
    # Each advice taken, the finding is gone.
    X = np.column_stack([toy(), toy()[:, 0] + 1e-5 * noise(1, 1500)])
    (finding,) = diagnosed(GPFA(2), X).findings
    assert finding.values["n_sound"] == 5
    assert "ill-conditioned" not in diagnosed(GPFA(2, pca_components=5), X).names
    assert "no-gap" not in diagnosed(GPFA(2), oscillator()).names
    assert "many-neighbors" not in diagnosed(GPFA(2, n_neighbors=30), toy()).names
    short = np.arange(1500) // 5
    names = diagnosed(GPFA(2, n_lags=3, past=False), toy(), short).names
    assert "disconnected-graph" not in names
    names = diagnosed(GPFA(3, theiler=100), wandering()).names
    assert "adjacent-neighbors" not in names
    clicks = toy() * np.where(np.arange(1500) % 50 == 7, 10.0, 1.0)[:, None]
    names = diagnosed(GPFA(2, weighting="inverse_spread", normalized=False), clicks).names
    assert "loud-moments" not in names


@pytest.mark.parametrize("scale", [1e200, 1e-200])
def test_scale_does_not_matter(scale):
    X = np.column_stack([toy(), 2 * toy()[:, 0]])
    assert diagnosed(GPFA(2), scale * X).names == diagnosed(GPFA(2), X).names


@pytest.mark.filterwarnings("ignore::predfeat.exceptions.ManyColumnsWarning")
@pytest.mark.parametrize("model", [GPFA(1, n_neighbors=1), SFA(1), PFA(1), RandomFeatures(1)])
@pytest.mark.parametrize("shape", [(3, 1), (6, 2), (20, 1), (10, 30)])
def test_hardly_any_data(model, shape):
    names = diagnosed(model, noise(0, *shape)).names
    assert "few-samples" in names or shape == (20, 1)
    assert "cannot-split" in names or isinstance(model, RandomFeatures)
