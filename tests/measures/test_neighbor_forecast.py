"""The share of the next step that the successors of similar states predict."""

import numpy as np
import pytest

import naive_selection as twins
from predfeat.exceptions import TooFewStatesError
from predfeat.measures import predicted_shares
from predfeat.series import check_sequences


def joined(sequences):
    groups = np.repeat(range(len(sequences)), [len(Y) for Y in sequences])
    return check_sequences(np.concatenate(sequences), groups)


@pytest.mark.parametrize("n_lags", [1, 3])
@pytest.mark.parametrize("horizon", [1, 4])
def test_predicted_shares_are_their_twins(n_lags, horizon):
    random = np.random.default_rng(n_lags)
    train = [np.cumsum(random.normal(size=(n, 2)), axis=0) for n in (60, 40)]
    test = [np.cumsum(random.normal(size=(n, 2)), axis=0) for n in (30, 20)]
    found = predicted_shares(joined(train), joined(test), n_lags, 4, horizon=horizon)
    np.testing.assert_allclose(found, twins.predicted_shares(train, test, n_lags, 4, horizon))


@pytest.mark.parametrize(("n_lags", "horizon", "theiler"), [(1, 1, 0), (3, 4, 0), (2, 1, 5)])
def test_left_out_one_by_one_they_are_their_twins(n_lags, horizon, theiler):
    random = np.random.default_rng(n_lags)
    train = [np.cumsum(random.normal(size=(n, 2)), axis=0) for n in (60, 40)]
    found = predicted_shares(joined(train), None, n_lags, 4, horizon=horizon, theiler=theiler)
    expected = twins.predicted_shares(train, None, n_lags, 4, horizon, theiler)
    np.testing.assert_allclose(found, expected)


def test_a_state_does_not_predict_itself():
    # With itself as the one neighbour all would be predicted.
    noise = check_sequences(np.random.default_rng(1).normal(size=(2000, 1)))
    assert predicted_shares(noise, None, 1, 1)[0] < -0.8
    assert predicted_shares(noise, noise, 1, 1) == predicted_shares(noise, None, 1, 1)
    assert predicted_shares(noise, check_sequences(noise.rows.copy()), 1, 1)[0] == 1.0


def test_noise_costs_one_qth_of_a_feature():
    random = np.random.default_rng(0)
    train, test = (check_sequences(random.normal(size=(20_000, 2))) for _ in range(2))
    np.testing.assert_allclose(predicted_shares(train, test, 1, 10), -0.1, atol=0.03)


def test_a_constant_feature_counts_nothing():
    random = np.random.default_rng(0)
    train = check_sequences(random.normal(size=(100, 2)))
    test = check_sequences(
        np.column_stack([random.normal(size=50), np.full(50, train.samples.mean(axis=0)[1])])
    )
    assert predicted_shares(train, test, 1)[1] == 0.0


def test_ties_are_drawn_from_all_of_the_training_part():
    # Spikes that say nothing: each silent state is tied with all others, and by row number all
    # of them would be predicted by the same ten.
    random = np.random.default_rng(2)
    train, test = (check_sequences(random.poisson(0.2, (3000, 1)).astype(float)) for _ in range(2))
    np.testing.assert_allclose(predicted_shares(train, test, 1, 10), -0.1, atol=0.03)
    np.testing.assert_allclose(predicted_shares(train, None, 1, 10), -0.1, atol=0.03)


def test_too_few_states_are_refused():
    few, test = check_sequences(np.arange(6.0)[:, None]), check_sequences(np.arange(9.0)[:, None])
    with pytest.raises(TooFewStatesError, match=r"n_neighbors=6 needs that many .* it has 5 "):
        predicted_shares(few, test, 1, 6)
    assert np.isfinite(predicted_shares(few, test, 1, 5)).all()
    with pytest.raises(TooFewStatesError, match="n_neighbors=5 needs at least 6 states with a suc"):
        predicted_shares(few, None, 1, 5)


def test_a_window_needs_one_series():
    series, other = (check_sequences(np.arange(9.0)[:, None]) for _ in range(2))
    with pytest.raises(ValueError, match=r"theiler=2 .* another series"):
        predicted_shares(series, other, 1, 2, theiler=2)
