"""The manners of `diagnose`: order, determinism, errors, progress, other data."""

import json
from dataclasses import replace

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline

from diagnosis_series import diagnosed, noise, oscillator, toy, two_levels, walk, with_constants
from predfeat import GPFA, PFA, SFA, ForeCA, RandomFeatures
from predfeat.exceptions import GroupsError
from predfeat.selection import Diagnosis, Finding, diagnose


def test_deterministic_whatever_the_threads(monkeypatch):
    X = noise(0, 800, 10)
    model = GPFA(2, max_iter=5).fit(X)
    one = diagnose(model, X, random_state=3)
    assert one.findings
    assert one == diagnose(model, X, random_state=3)
    assert one == diagnose(model, X, random_state=3, n_jobs=2)
    assert one != diagnose(model, X, random_state=4)
    # Halves are fitted by workers.
    monkeypatch.setattr("predfeat._processes._START_UP_SECONDS", 1e-9)
    assert one == diagnose(model, X, random_state=3, n_jobs=2)


def test_nothing_is_changed():
    X, groups = two_levels()
    before, model = X.copy(), GPFA(2).fit(X, groups=groups)
    state = {name: np.copy(value) for name, value in vars(model).items()}
    diagnose(model, X, groups=groups)
    np.testing.assert_array_equal(X, before)
    for name, value in vars(model).items():
        assert str(np.copy(value)) == str(state[name])


def test_severest_first_and_plain():
    diagnosis = diagnosed(GPFA(2), noise(0, 400, 40))
    order = [("problem", "warning", "note").index(f.severity) for f in diagnosis.findings]
    assert order == sorted(order)
    assert len(set(order)) > 1
    again = json.loads(json.dumps(diagnosis.as_dict()))
    parameters = [finding.pop("parameters") for finding in again["findings"]]
    assert [Finding(**finding) for finding in again["findings"]] == list(diagnosis.findings)
    assert parameters == [finding.parameters for finding in diagnosis.findings]
    text = str(diagnosis)
    for finding in diagnosis.findings:
        assert f"{finding.severity.upper()}: {finding.name}" in text
    assert max(map(len, text.splitlines())) <= 100


def test_order_keeps_what_came_first():
    findings = [Finding(str(i), s, "", "", "") for i, s in enumerate(["note", "problem", "note"])]
    assert Diagnosis.of(findings, "x").names == ("1", "0", "2")


def test_severity_within_a_finding_is_a_copy():
    finding = Finding("a", "note", "b", "c", "d", {"x": 1})
    assert replace(finding, severity="problem").severity == "problem"
    assert finding.severity == "note"


def test_progress_goes_from_start_to_end_by_fits():
    X, told = toy(400), []
    alone = diagnose(GPFA(2, max_iter=5).fit(X), X)
    with_progress = diagnose(
        GPFA(2, max_iter=5).fit(X), X, on_progress=lambda *steps: told.append(steps)
    )
    assert told == [(n, 6) for n in range(7)]
    assert with_progress == alone
    told.clear()
    diagnose(RandomFeatures(2).fit(X), X, on_progress=lambda *steps: told.append(steps))
    assert told[0] == (0, 6)
    assert told[-1] == (6, 6)
    assert told == sorted(set(told))


@pytest.mark.parametrize("method", [GPFA, SFA, PFA, ForeCA, RandomFeatures])
def test_unfitted(method):
    with pytest.raises(NotFittedError, match=f"This {method.__name__} instance is not fitted"):
        diagnose(method(), toy())


def test_bad_input():
    model = GPFA(2).fit(toy())
    with pytest.raises(ValueError, match="X has 4 features, but GPFA is expecting 5"):
        diagnose(model, toy()[:, :4])
    with pytest.raises(ValueError, match="X has 6 features, but GPFA is expecting 5"):
        diagnose(model, toy(), X_test=toy(500, 6))
    with pytest.raises(GroupsError, match="X has 1500 rows, groups has 3"):
        diagnose(model, toy(), groups=[0, 1, 2])
    with pytest.raises(ValueError, match="groups_test was given without X_test"):
        diagnose(model, toy(), groups_test=np.zeros(10))
    with pytest.raises(TypeError, match="give its last step"):
        diagnose(make_pipeline(model), toy())


def test_other_data_are_noticed():
    model = GPFA(2).fit(toy())
    assert "other-data" in diagnose(model, toy(seed=1)).names
    assert "other-data" not in diagnose(model, toy()).names
    offset = toy() + 1e5
    assert "other-data" not in diagnosed(GPFA(2), offset.astype(np.float32)).names


def test_other_data_with_fewer_neighbors_than_the_model_has():
    model = GPFA(2, theiler=20).fit(walk())
    names = diagnose(model, walk()[:45]).names  # where 4 are left
    assert {"other-data", "drift"} <= set(names)
    names = diagnose(GPFA(2).fit(walk()), walk()[:8]).names
    assert {"other-data", "cannot-split", "drift"} <= set(names)


OF_LOWER_RANK = [
    SFA(2),
    PFA(2),
    ForeCA(2),
    GPFA(2, max_iter=5),
    GPFA(2, max_iter=5, n_intermediate=5),
    GPFA(2, max_iter=5, n_intermediate=4, init="pfa"),
    GPFA(2, max_iter=5, init=np.eye(5)[:, :3]),
]


@pytest.mark.parametrize("n_constant", [1, 3, 4, 5])
@pytest.mark.parametrize("model", OF_LOWER_RANK)
def test_other_data_of_lower_rank(model, n_constant):
    X = oscillator(400)[:, ::-1]
    names = diagnose(model.fit(X), with_constants(X, n_constant)).names
    assert "other-data" in names
    # What the method asks for cannot be had where there are fewer directions.
    asked = getattr(model, "n_intermediate", None) or 2
    blind = not isinstance(getattr(model, "init", ""), str)  # started from a column that is gone
    assert ("cannot-split" in names) == (5 - n_constant < asked or blind)
    assert ("equal-states" in names) == (n_constant == 5)
