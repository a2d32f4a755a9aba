"""Healthy data raise no finding."""

import numpy as np
import pytest

from diagnosis_series import bent, diagnosed, mixed, oscillator, toy
from predfeat import GPFA, PFA, SFA, ForeCA, RandomFeatures
from predfeat.datasets import hidden_lorenz
from predfeat.selection import diagnose

HEALTHY = {
    "oscillator": lambda seed: (GPFA(2), mixed(oscillator(2000, 6, seed), seed)),
    "oscillator-lags": lambda seed: (GPFA(2, n_lags=2), mixed(oscillator(3000, 8, seed), seed)),
    "nonlinear": lambda seed: (GPFA(2), mixed(bent(2000, 5, seed), seed)),
    "nonlinear-full": lambda seed: (GPFA(2, graph="full"), mixed(bent(2500, 8, seed), seed)),
    "toy": lambda seed: (GPFA(2), toy(2000, 10, seed)),
    "toy-between": lambda seed: (GPFA(2, n_intermediate=3), toy(2500, 6, seed)),
    "lorenz": lambda seed: (
        GPFA(3, n_lags=2),
        hidden_lorenz(3000, 5, random_state=seed)[0],
    ),
    "lorenz-theiler": lambda seed: (
        GPFA(3, n_lags=2, theiler=10),
        hidden_lorenz(3000, 4, random_state=seed)[0],
    ),
    "sfa": lambda seed: (SFA(2), mixed(oscillator(3000, 6, seed, frequency=0.2), seed)),
    "pfa": lambda seed: (PFA(2, n_lags=2), mixed(oscillator(3000, 6, seed), seed)),
    "foreca": lambda seed: (ForeCA(2), mixed(oscillator(3000, 6, seed), seed)),
    "random": lambda seed: (
        RandomFeatures(2, random_state=0),
        mixed(oscillator(3000, 6, seed), seed),
    ),
}


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", HEALTHY)
def test_healthy_data_raise_nothing(name, seed):
    model, X = HEALTHY[name](seed)
    diagnosis = diagnosed(model, X)
    assert diagnosis.findings == (), str(diagnosis)
    assert str(diagnosis).endswith(": no finding")


def test_healthy_sequences_with_gaps_raise_nothing():
    X = mixed(oscillator(3000, 6, 0), 0)
    X[::97, 2] = np.nan
    groups = np.arange(3000) // 250
    diagnosis = diagnosed(GPFA(2), X, groups)
    assert diagnosis.findings == (), str(diagnosis)


def test_healthy_test_data_raise_nothing():
    X = mixed(oscillator(4000, 6, 0), 0)
    model = GPFA(2).fit(X[:2500])
    diagnosis = diagnose(model, X[:2500], X_test=X[2600:])
    assert diagnosis.findings == (), str(diagnosis)
