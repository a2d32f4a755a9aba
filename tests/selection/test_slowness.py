"""That a feature is only slow is said after its past was asked on rows held out, and not before."""

import numpy as np
import pytest
from scipy.signal import lfilter

import naive
import naive_diagnosis
from predfeat import GPFA, PFA, SFA
from predfeat.selection import diagnose
from predfeat.selection.diagnosis._memory import LAGS, held_out_autoregressions
from predfeat.series import check_sequences
from predfeat.splits import purged_folds


def beside_noise(source, n_columns=3):
    """Return a source with unit variance beside columns of noise."""
    noise = np.random.default_rng(1).normal(size=(len(source), n_columns))
    return np.column_stack([source / source.std(), noise])


def filtered(n_rows, *coefficients, seed=0):
    shocks = np.random.default_rng(seed).normal(size=n_rows + 1000)
    return lfilter([1.0], [1.0, *(-c for c in coefficients)], shocks)[1000:]


def noisy_sine(n_rows, period, noise, seed=0):
    shocks = np.random.default_rng(seed).normal(size=n_rows)
    return np.sin(2 * np.pi * np.arange(n_rows) / period) + noise * shocks


SOURCES = {
    "AR(1)": (filtered(1500, 0.97), "only-slow"),
    "slower AR(1)": (filtered(1500, 0.995), "only-slow"),
    # A step is small against the whole, but the last two tell where it goes.
    "oscillation": (filtered(1500, 2 * 0.99 * np.cos(2 * np.pi / 60), -(0.99**2)), "more-lags"),
    "smooth": (filtered(1500, 1.9, -0.9025), "more-lags"),
    # Here many past values together do: noise averages out.
    "noisy sine": (noisy_sine(1500, 60, 0.3), "more-lags"),
    "daily temperatures": (
        noisy_sine(1461, 365.25, 0.0) * 2 + filtered(1461, 0.75) * 0.66,
        "only-slow",
    ),
}


@pytest.mark.parametrize("model", [SFA(1), GPFA(1, init="sfa", max_iter=5)], ids=["SFA", "GPFA"])
@pytest.mark.parametrize("name", SOURCES)
def test_slow_features_are_told_from_those_with_a_longer_memory(name, model):
    source, expected = SOURCES[name]
    X = beside_noise(source)
    found = {f.name: f for f in diagnose(model.fit(X), X).findings}
    other = {"only-slow": "more-lags", "more-lags": "only-slow"}[expected]
    assert expected in found
    assert other not in found
    said = found[expected]
    assert ("clearly better than the present value" in said.meaning) == (expected == "only-slow")
    assert "held out" in said.summary
    if expected == "more-lags":
        assert said.values["held_out"] < 0.9 * said.values["held_out_now"]
        assert f"n_lags={said.values['n_lags']:.0f}" in said.advice


def test_nothing_is_said_where_nothing_can_be_held_out():
    X = beside_noise(filtered(40, 0.97))
    assert held_out_autoregressions(check_sequences(X)) is None
    found = {f.name for f in diagnose(SFA(1).fit(X), X).findings}
    assert not {"only-slow", "more-lags"} & found


@pytest.mark.parametrize("lengths", [[150], [40, 50, 60, 45]])
def test_held_out_errors_are_the_twins(lengths):
    X, groups = naive.random_series(0, lengths, n_columns=2, n_gaps=2)
    X = X + np.sin(0.3 * np.arange(len(X)))[:, None]
    series = check_sequences(X, groups)
    folds = [(fold.train, fold.test) for fold in purged_folds(series, 4, gap=LAGS[-1] + 1)]
    expected = naive_diagnosis.held_out_autoregressions(X, groups, folds, LAGS)
    np.testing.assert_allclose(held_out_autoregressions(series), expected, rtol=1e-6)


def test_a_state_too_long_for_the_sequences_is_left_out():
    X = np.random.default_rng(0).normal(size=(90, 1))
    errors = held_out_autoregressions(check_sequences(X, np.arange(90) // 6))
    assert errors is None or np.isnan(errors[-1]).all()


@pytest.mark.parametrize("p", [2, 5, 10])
def test_no_more_lags_are_advised_than_there_are(p):
    # Two values hold all that there is to know of an oscillation.
    y = beside_noise(filtered(1500, 2 * 0.97 * np.cos(0.2), -(0.97**2)))
    found = diagnose(PFA(1, n_lags=p).fit(y), y)
    assert all(
        finding.values["n_lags"] > p for finding in found.findings if finding.name == "more-lags"
    )
