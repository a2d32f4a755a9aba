"""How evenly loud the moments are."""

import numpy as np
import pytest

import naive_diagnosis
from diagnosis_series import noise
from predfeat.selection.diagnosis import _loudness


@pytest.mark.parametrize("n_columns", [1, 2, 7])
def test_evenness(n_columns):
    white = noise(n_columns, 400, n_columns) * np.exp(noise(50, 400, 1))
    expected = naive_diagnosis.evenness(white)
    assert _loudness.evenness(white) == pytest.approx(expected, rel=1e-3)
    assert _loudness.evenness(5 * white) == pytest.approx(expected, rel=1e-3)
    assert 0.2 < expected < 0.9
    assert _loudness.evenness(noise(1, 20_000, n_columns)) == pytest.approx(1.0, abs=0.02)
