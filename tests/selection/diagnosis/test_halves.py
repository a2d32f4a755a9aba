"""Fits to halves, and scores on test data."""

from types import SimpleNamespace

import numpy as np
import pytest

from diagnosis_series import diagnosed, noise, toy, walk
from predfeat import GPFA, SFA
from predfeat.measures import available_neighbors, left_open
from predfeat.selection import diagnose
from predfeat.selection.diagnosis import _halves
from predfeat.selection.diagnosis._subject import Subject
from predfeat.series import check_sequences


def test_turned_share_of_random_spaces():
    random = np.random.default_rng(0)
    shares = []
    for _ in range(300):
        bases = [np.linalg.qr(random.normal(size=(7, 3)))[0] for _ in range(2)]
        cosines = np.linalg.svd(bases[0].T @ bases[1], compute_uv=False)
        shares.append(_halves.turned_share(np.degrees(np.arccos(cosines.clip(0, 1))), 7))
    assert np.mean(shares) == pytest.approx(1.0, abs=0.05)
    assert _halves.turned_share(np.zeros(3), 7) == 0.0
    assert _halves.turned_share(np.zeros(3), 3) == 0.0


def test_both_halves_are_measured_with_as_many_neighbors(monkeypatch):
    asked = []

    def asking(features, n_lags, n_neighbors, **options):
        asked.append(n_neighbors)
        return left_open(features, n_lags, n_neighbors, **options)

    monkeypatch.setattr(_halves, "left_open", asking)
    X = walk()
    subject = Subject(GPFA(2, theiler=20).fit(X), check_sequences(X), [], 1e-16, None, None, 0)
    whole, cut = check_sequences(X[:50]), check_sequences(X[50:], np.repeat([0, 1], 25))
    left = [available_neighbors(part, at_most=None, theiler=20) for part in (whole, cut)]
    assert left == [8, 24]  # of 49 and 48 states
    _halves._scores(subject, subject.model, whole, cut)
    _halves._scores(subject, subject.model, cut, whole)
    assert asked == [8] * 4


def test_single_precision_is_known_in_the_halves():
    # Two columns that are the same but for the rounding of float32.
    X = (toy(2000) + 100).astype(np.float32)
    X = np.column_stack([X, X[:, 0] * np.float32(1 / 3)])
    diagnosis = diagnosed(GPFA(2), X)
    assert diagnosis.names == ("rank-deficient",), str(diagnosis)


def test_a_better_score_on_test_data_is_no_overfitting():
    subject = SimpleNamespace(test=None)
    assert [*_halves._overfitted(subject, np.array([[0.5, 0.4], [0.5, 0.55]]))] == []


@pytest.mark.parametrize("n_rows", [2, 3, 15])
def test_short_test_data_are_no_fault_of_the_training_data(n_rows):
    X = noise(0, 400, 5)
    model = GPFA(2, n_lags=3, theiler=5).fit(X)
    found = {f.name: f for f in diagnose(model, X, X_test=noise(1, n_rows, 5)).findings}
    finding = found["short-test-data"]
    assert finding.severity == "warning"
    left = 1 if n_rows == 15 else 0
    assert finding.values == {"n_rows": n_rows, "n_neighbors": left, "n_needed": 10}
    assert ("only 1 of the 10" if left else "none of the 10") in finding.summary
    assert "unstable" in found  # which the halves of the training data say
    assert not {"cannot-split", "overfitting", "unpredictable"} & set(found)


def test_short_test_data_without_parameters():
    X = noise(0, 400, 5)
    found = {f.name: f for f in diagnose(SFA(2).fit(X), X, X_test=noise(1, 8, 5)).findings}
    finding = found["short-test-data"]
    assert "X_test" in finding.advice
    assert "theiler" not in finding.advice
    assert "n_lags" not in finding.advice


def test_test_data_are_scored_where_halves_cannot_be():
    X = noise(0, 200, 5)
    model = GPFA(2, n_neighbors=20).fit(X[:30])
    names = diagnose(model, X[:30], X_test=X[100:]).names
    assert {"cannot-split", "unpredictable"} <= set(names)


@pytest.mark.parametrize("gaps_in", ["train", "test"])
def test_only_gaps_to_compare_with(gaps_in):
    full, gappy = noise(0, 100, 3), noise(1, 400, 3)
    gappy[60:340] = np.nan
    X, X_test = (gappy, full) if gaps_in == "train" else (full, gappy)
    names = diagnosed(SFA(2), X, X_test=X_test).names
    assert "short-test-data" in names
    assert "cannot-split" not in names
