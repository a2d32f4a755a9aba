"""Iterations that have not settled, or go to and fro."""

from types import SimpleNamespace

import numpy as np

from diagnosis_series import toy
from predfeat import GPFA
from predfeat.selection.diagnosis import _iteration


def test_going_to_and_fro():
    # A history as the iteration leaves it when it stops between two spaces.
    model = GPFA(2).fit(toy())
    model.history_["angle"] = np.array([np.nan, 80.0, 70.0, 70.0, 70.0, 70.0, 70.0])
    model.n_iter_ = 7
    subject = SimpleNamespace(model=model, n_components=2)
    (finding,) = _iteration.check_iteration(subject)
    assert (finding.name, finding.severity) == ("to-and-fro", "warning")
    assert "n_intermediate" in finding.advice
    model.init_ = "sfa"  # init="auto" keeps the best iteration, which need not be settled
    assert not list(_iteration.check_iteration(subject))
    model.max_iter = 7
    (finding,) = _iteration.check_iteration(subject)
    assert (finding.name, finding.severity) == ("not-settled", "problem")
    model.history_["angle"][2:] = 1.0
    assert [*_iteration.check_iteration(subject)] == []
