"""What slowness alone predicts: autocorrelation, and a twin that has nothing else."""

import numpy as np
import pytest

import naive_diagnosis
from diagnosis_series import autoregressions
from predfeat.measures import left_open
from predfeat.selection.diagnosis import _motion
from predfeat.series import check_sequences


def test_autocorrelation(given):
    expected = naive_diagnosis.autocorrelation(given.X, given.groups)
    np.testing.assert_allclose(_motion.autocorrelation(given.series), expected)


@pytest.mark.parametrize("rho", [-0.8, 0.0, 0.7, 0.95])
def test_an_ar1_leaves_its_bound_open(rho):
    X = autoregressions(20000, [rho])
    series = check_sequences(X)
    twin = _motion.autoregressive_twin(series, seed=0)
    assert _motion.autocorrelation(twin)[0] == pytest.approx(rho, abs=0.03)
    assert twin.rows.var() == pytest.approx(1.0, abs=0.15)
    for of in (series, twin):
        # Each against its own sample's correlation, not the true one, whose error is larger.
        bound = 1 - _motion.autocorrelation(of)[0] ** 2
        assert left_open(of).share() == pytest.approx(bound, rel=0.02)
        assert _motion._bound(of)[0] == pytest.approx(bound)


def test_the_twin_has_the_same_gaps(given):
    twin = _motion.autoregressive_twin(given.series, seed=0)
    np.testing.assert_array_equal(twin.valid, given.series.valid)
    np.testing.assert_array_equal(twin.run_first, given.series.run_first)
    assert not twin.rows[~twin.valid].any()
