"""The gap after the last eigenvalue that is kept."""

import numpy as np
import pytest

from diagnosis_series import oscillator, with_constants
from predfeat import GPFA, PFA, SFA, ForeCA
from predfeat.selection import diagnose
from predfeat.selection.diagnosis import _spectral_gap


def test_gaps():
    values = np.array([1e-14, 2e-14, 0.1, 0.4, 0.5])
    np.testing.assert_allclose(_spectral_gap.relative_gaps(values), [0.0, 1.0, 0.75, 0.2])


@pytest.mark.parametrize("model", [SFA(1), PFA(1), ForeCA(1), GPFA(1)])
def test_the_gap_is_seen_on_data_of_lower_rank(model):
    X = oscillator()[:, ::-1]  # the noise comes first, the two that turn last
    names = diagnose(model.fit(X), with_constants(X, 1)).names
    assert {"other-data", "no-gap"} <= set(names)
