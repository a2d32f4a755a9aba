"""Forecasts from similar states and by linear autoregression, against their twins."""

import numpy as np
import pytest

import naive_forecasts
from predfeat.forecasting import (
    actual_futures,
    analogue_forecast,
    choose_predictor,
    fit_linear_forecast,
    forecast_times,
    later_parts,
    learn,
    simplex_weights,
)
from predfeat.series import States, check_sequences


def parts_with_gaps(seed, n_rows=160, n_columns=2):
    """Return rows with gaps, and three groups, as the twin and as the library take them."""
    random = np.random.default_rng(seed)
    rows = np.cumsum(random.normal(size=(n_rows, n_columns)), axis=0) * [1.0, 30.0]
    rows[random.choice(n_rows, 5, replace=False)] = np.nan
    groups = np.repeat([0, 1, 2], [n_rows // 2, n_rows // 4, n_rows - 3 * (n_rows // 4) + 1])
    groups = groups[:n_rows] if len(groups) >= n_rows else np.pad(groups, (0, 1), mode="edge")
    return rows, groups


@pytest.mark.parametrize("n_lags", [1, 3])
def test_analogues_are_those_of_the_definition(seed, n_lags):
    old, groups = parts_with_gaps(seed)
    new, _ = parts_with_gaps(seed + 1, 60)
    series, asked = check_sequences(old, groups), check_sequences(new)
    times = asked.state_times(n_lags)
    library = learn(series, n_lags, n_steps=4)
    mean, spread = analogue_forecast(
        library.scaled(asked, times), library.states, 4, 5, futures=library.futures
    )
    expected, deviation = naive_forecasts.analogue(old, groups, new, times, n_lags, 4, 5)
    # Both add five products: only rounding differs, in columns of size 100.
    np.testing.assert_allclose(mean, expected, rtol=0, atol=1e-9)
    np.testing.assert_allclose(spread, deviation, rtol=0, atol=1e-6)


@pytest.mark.parametrize("n_lags", [1, 3])
def test_linear_forecasts_are_those_of_the_definition(seed, n_lags):
    old, groups = parts_with_gaps(seed)
    new, _ = parts_with_gaps(seed + 1, 60)
    asked = check_sequences(new)
    times = asked.state_times(n_lags)
    found = fit_linear_forecast(check_sequences(old, groups), n_lags, 4)
    forecasts = found.forecast(States(asked, times, n_lags))
    expected = naive_forecasts.linear(old, groups, new, times, n_lags, 4)
    # Normal equations lose twice the digits that lstsq does.
    np.testing.assert_allclose(forecasts, expected, rtol=1e-6, atol=1e-6)


def test_no_future_crosses_a_border(seed):
    rows, groups = parts_with_gaps(seed)
    series = check_sequences(rows, groups)
    times = forecast_times(series, 2, 5, "a test")
    assert times.tolist() == naive_forecasts.origins(rows, groups, 2, 5)
    assert not np.isnan(actual_futures(series, times, 5)).any()
    # One row later, every run ends before its last step.
    ends = times[np.r_[np.diff(times) > 1, True]] + 1
    assert np.isnan(actual_futures(series, ends, 5)[:, -1]).all()
    assert not np.isnan(actual_futures(series, ends, 5)[:, :-1]).any()


def test_a_jump_at_the_border_is_never_forecast():
    # Each group is constant; only a successor across the border would be another number.
    groups = np.repeat(np.arange(12), 10)
    rows = np.stack([groups, -groups], axis=1).astype(float)
    series = check_sequences(rows, groups)
    library = learn(series, 1, n_steps=3)
    times = np.arange(len(rows))
    mean, spread = analogue_forecast(
        library.scaled(series, times), library.states, 3, 4, futures=series
    )
    np.testing.assert_allclose(mean, np.repeat(rows[:, None], 3, axis=1), atol=1e-12)
    np.testing.assert_allclose(spread, 0.0, atol=1e-6)


def test_weights_add_up_and_fall(seed):
    distances = np.sort(np.random.default_rng(seed).exponential(size=(50, 8)), axis=1)
    weights = simplex_weights(distances)
    np.testing.assert_allclose(weights.sum(axis=1), 1.0)
    assert (np.diff(weights, axis=1) <= 0).all()
    # Distances of any size have the same weights.
    np.testing.assert_allclose(simplex_weights(distances * 1e200), weights, rtol=1e-9)
    np.testing.assert_allclose(simplex_weights(distances * 1e-200), weights, rtol=1e-9)


def test_copies_of_a_state_share_the_forecast():
    assert simplex_weights(np.array([[0.0, 0.0, 1.0]])).tolist() == [[0.5, 0.5, 0.0]]
    assert simplex_weights(np.array([[1e-300, 1.0]])).tolist() == [[1.0, 0.0]]


def test_the_better_forecast_is_chosen_for_each_step_and_column(seed):
    random = np.random.default_rng(seed)
    rows = random.normal(size=(500, 2))
    rows[:, 0] = np.sin(0.2 * np.arange(500)) + 0.01 * rows[:, 0]
    old, new = (check_sequences(rows[part]) for part in (slice(350), slice(350, 500)))
    predictor = choose_predictor(learn(old, 2, 6), new, 5)
    times = forecast_times(new, 2, 6, "a test")
    mean, _ = naive_forecasts.analogue(rows[:350], None, rows[350:], times, 2, 6, 5)
    straight = naive_forecasts.linear(rows[:350], None, rows[350:], times, 2, 6)
    actual = actual_futures(new, times, 6)
    constant = np.broadcast_to(rows[:350].mean(axis=0), actual.shape)
    errors = [np.square(actual - each).mean(axis=0) for each in (constant, straight, mean)]
    np.testing.assert_array_equal(predictor.chosen, naive_forecasts.best_kinds(errors))
    chosen, _ = predictor.forecast(new, times)
    expected = np.choose(predictor.chosen, [constant, straight, mean])
    np.testing.assert_allclose(chosen, expected, atol=1e-6)


def test_parts_follow_each_other():
    series = check_sequences(np.zeros((1000, 1)))
    parts = later_parts(series, 0.3)
    joined = np.concatenate([parts.learning, parts.choosing, parts.calibrating])
    assert joined.tolist() == list(range(1000))
    # Of many sequences, none is cut.
    groups = np.repeat(np.arange(20), 50)
    parts = later_parts(check_sequences(np.zeros((1000, 1)), groups), 0.33)
    of_parts = [set(groups[rows]) for rows in (parts.learning, parts.choosing, parts.calibrating)]
    assert all(of_parts)
    assert sum(map(len, of_parts)) == 20
