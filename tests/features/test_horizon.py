"""More than one step ahead: what must hold between horizons, whatever the method."""

import numpy as np
import pytest

from predfeat import GPFA, PFA, SFA
from predfeat.exceptions import ShortSequencesError
from predfeat.measures import (
    autoregression_error,
    predictability,
    predicted_shares,
    predictive_information,
    subspace_angles,
)
from predfeat.series import check_sequences

# One in H rows of all phases: sums in another order, of numbers of order one.
CLOSE = {"rtol": 1e-9, "atol": 1e-12}


def first_order(coefficient, n_rows, seed=0):
    shocks = np.random.default_rng(seed).normal(size=n_rows) * np.sqrt(1 - coefficient**2)
    rows = [shocks[0] / np.sqrt(1 - coefficient**2)]
    for shock in shocks[1:]:
        rows.append(coefficient * rows[-1] + shock)
    return np.array(rows)


def walk(n_rows=120, n_columns=3, seed=0):
    steps = np.random.default_rng(seed).normal(size=(n_rows, n_columns))
    return steps + 0.7 * np.roll(steps, 1, axis=0) + 0.5 * np.roll(steps, 3, axis=0)


def every(X, horizon):
    """Every H-th row from each of the first H, one sequence after the other."""
    phases = [X[first::horizon] for first in range(horizon)]
    return np.concatenate(phases), np.repeat(range(horizon), [len(phase) for phase in phases])


@pytest.mark.parametrize("horizon", [2, 5])
def test_states_of_one_sample_are_the_next_steps_of_every_other_row(horizon):
    X = walk()
    thinned, groups = every(X, horizon)
    for ahead, next_step in [
        (predictability(X, horizon=horizon), predictability(thinned, groups=groups)),
        (autoregression_error(X, horizon=horizon), autoregression_error(thinned, groups=groups)),
        (
            predictive_information(X, horizon=horizon),
            predictive_information(thinned, groups=groups),
        ),
    ]:
        np.testing.assert_allclose(ahead, next_step, **CLOSE)


@pytest.mark.parametrize(
    "method",
    [GPFA(2, graph="full"), GPFA(2, graph="star"), GPFA(2, init="pfa"), PFA(2)],
    ids=["full", "star", "init", "pfa"],
)
def test_methods_with_states_of_one_sample_see_every_other_row(method):
    X, horizon = walk(n_columns=4), 3
    thinned, groups = every(X, horizon)
    if isinstance(method, GPFA):
        method.set_params(n_neighbors=5, max_iter=2, tol=0)
    next_step = method.fit(thinned, groups=groups)
    components, values = next_step.components_, next_step.eigenvalues_
    ahead = method.set_params(horizon=horizon).fit(X)
    np.testing.assert_allclose(ahead.eigenvalues_, values, rtol=1e-9)
    assert subspace_angles(ahead.components_.T, components.T, X)[0] < 1e-5
    # And this is not what the next step of all rows shows.
    assert subspace_angles(method.set_params(horizon=1).fit(X), components.T, X)[0] > 1


@pytest.mark.parametrize("graph", ["full", "star"])
@pytest.mark.parametrize(("n_lags", "horizon"), [(1, 3), (3, 2)])
def test_read_backwards_a_series_has_the_same_graph(graph, n_lags, horizon):
    X, groups = walk(n_columns=4), np.repeat([0, 1, 2], [50, 40, 30])
    options = {"n_lags": n_lags, "horizon": horizon, "n_neighbors": 4, "max_iter": 2, "tol": 0}
    forwards, backwards = (
        GPFA(2, graph=graph, **options).fit(X[::turn], groups=groups[::turn]) for turn in (1, -1)
    )
    np.testing.assert_allclose(forwards.eigenvalues_, backwards.eigenvalues_, rtol=1e-9)
    assert subspace_angles(forwards, backwards, X)[0] < 1e-5


@pytest.mark.parametrize("horizon", [1, 2, 4])
def test_a_first_order_process_leaves_open_what_it_forgets(horizon):
    y = first_order(0.9, 6000)
    left = 1 - 0.9 ** (2 * horizon)
    share = predictability(y, horizon=horizon, relative=True, ddof=1)
    assert share == pytest.approx(left, rel=0.1)
    assert autoregression_error(y, horizon=horizon) / y.var() == pytest.approx(left, rel=0.1)
    information = predictive_information(y, horizon=horizon, estimate="linear")
    assert information == pytest.approx(-np.log(left) / 2, rel=0.1)


@pytest.mark.parametrize("horizon", [1, 7, 40])
def test_a_wave_leaves_nothing_open_however_far_ahead(horizon):
    wave = np.sin(0.3 * np.arange(900))
    assert predictability(wave, n_lags=2, horizon=horizon, relative=True) < 2e-3
    assert autoregression_error(wave, n_lags=2, horizon=horizon) < 1e-4


def test_far_ahead_the_feature_that_lasts_is_found():
    # The first is nearly known one step ahead and forgotten after six; the second lasts.
    random = np.random.default_rng(0)
    brief = np.convolve(random.normal(size=2005), np.ones(6), mode="valid")
    lasting = first_order(0.97, 2000, seed=1) + 0.8 * random.normal(size=2000)
    X = np.column_stack([brief, lasting, random.normal(size=2000)])
    for method in (GPFA(1), PFA(1)):
        near, far = (method.set_params(horizon=h).fit(X).components_[0] for h in (1, 8))
        assert np.argmax(np.abs(near) * X.std(axis=0)) == 0
        assert np.argmax(np.abs(far) * X.std(axis=0)) == 1


@pytest.mark.parametrize("method", [GPFA(2, n_lags=2, horizon=4), PFA(2, n_lags=2, horizon=4)])
def test_the_score_looks_as_far_ahead_as_the_method(method):
    X = walk()
    score = method.fit(X[:80]).score(X[80:])
    features = check_sequences(method.transform(X[80:]))
    assert score == predicted_shares(features, None, 2, horizon=4).sum()
    features = check_sequences(SFA(2).fit(X).transform(X))
    assert SFA(2).fit(X).score(X) == predicted_shares(features, None, 1).sum()


@pytest.mark.parametrize("method", [GPFA(1, n_lags=3, horizon=4), PFA(1, n_lags=3, horizon=4)])
def test_sequences_shorter_than_lags_and_horizon(method):
    X = walk(40)
    method.fit(X, groups=np.repeat([0, 1, 2, 3, 4], 8))
    with pytest.raises(ShortSequencesError, match=r"7 rows in a row.*has 6.*nearer horizon"):
        method.fit(X[:36], groups=np.repeat(range(6), 6))


def test_repeats_reach_further_back():
    X = walk(40)
    with pytest.raises(ShortSequencesError, match="9 rows in a row"):
        PFA(1, n_lags=3, horizon=4, n_repeats=2).fit(X, groups=np.repeat(range(5), 8))


@pytest.mark.parametrize("horizon", [0, -1, 1.5, "2"])
def test_what_is_no_horizon(horizon):
    X = walk(30)
    for measure in (predictability, autoregression_error, predictive_information):
        with pytest.raises(ValueError, match="'horizon' parameter of"):
            measure(X, horizon=horizon)
    for method in (GPFA(1, horizon=horizon), PFA(1, horizon=horizon)):
        with pytest.raises(ValueError, match="'horizon' parameter of"):
            method.fit(X)
