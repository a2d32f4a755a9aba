"""Conformal intervals: ranks, coverage where theory promises it, and adaptation."""

import numpy as np
import pytest

import naive_forecasts
from predfeat.exceptions import ForecastError
from predfeat.forecasting import (
    Intervals,
    adapt,
    conformal_quantile,
    fit_intervals,
    scores_of_kinds,
)


@pytest.mark.parametrize(("n_scores", "level"), [(9, 0.9), (19, 0.9), (99, 0.9), (60, 0.5)])
def test_quantiles_are_those_of_the_definition(seed, n_scores, level):
    scores = np.random.default_rng(seed).exponential(size=n_scores)
    expected = naive_forecasts.quantile(scores.tolist(), level)
    assert conformal_quantile(scores, level) == expected
    shared = fit_intervals(np.tile(scores[:, None, None], (1, 2, 3)), level).multipliers()
    assert (shared["each"] == expected).all()
    # All alike, so that the largest of them is none other.
    assert (shared["features"] == expected).all()
    assert shared["path"] == expected


def test_too_few_scores_are_refused():
    message = r"level=0.9 needs at least 9 forecasts to calibrate with, but there are 8.*n_steps"
    with pytest.raises(ForecastError, match=message):
        conformal_quantile(np.ones(8), 0.9)
    with pytest.raises(ForecastError, match=message):
        fit_intervals(np.ones((8, 2, 2)), 0.9)
    assert conformal_quantile(np.arange(9.0), 0.9) == 8.0


def test_coverage_of_exchangeable_scores_is_that_of_theory():
    # The share inside of m further scores is beta-binomial (Vovk, 2012).
    n_scores, n_new, n_trials, level = 99, 50, 2000, 0.9
    random = np.random.default_rng(0)
    scores = random.standard_cauchy(size=(n_trials, n_scores + n_new))
    limits = conformal_quantile(np.abs(scores[:, :n_scores]).T, level)
    share = (np.abs(scores[:, n_scores:]) <= limits[:, None]).mean()
    exact = 0.9
    variance = exact * (1 - exact) * (n_scores + 1 + n_new) / (n_scores + 2) / n_new
    # Four standard errors: once in 16 000 seeds.
    assert abs(share - exact) < 4 * np.sqrt(variance / n_trials)


def test_joint_intervals_hold_together(seed):
    random = np.random.default_rng(seed)
    scores = np.abs(random.normal(size=(4000, 5, 3)))
    found = fit_intervals(scores[:2000], 0.9).multipliers()
    new = scores[2000:]
    # Three standard errors of two samples of 2000.
    slack = 3 * np.sqrt(2 * 0.09 / 2000)
    assert abs((new <= found["each"]).mean(axis=0) - 0.9).max() < slack + 0.01  # 15 of them
    assert abs((new <= found["features"][:, None]).all(axis=2).mean(axis=0) - 0.9).max() < slack
    assert abs((new <= found["path"]).all(axis=(1, 2)).mean() - 0.9) < slack
    # Single intervals are too narrow for all at once.
    assert (new <= found["each"]).all(axis=(1, 2)).mean() < 0.5


def test_unknown_futures_stay_unknown():
    scores = np.ones((2, 3, 2))
    scores[1, 2, 1] = np.nan
    found = scores_of_kinds(scores)
    assert np.isnan(found["features"][1, 2])
    assert np.isnan(found["path"]).tolist() == [False, True]
    assert not np.isnan(found["features"][:, :2]).any()


def one_step(scores):
    return fit_intervals(np.asarray(scores, dtype=float).reshape(-1, 1, 1), 0.9)


def nothing_issued(intervals):
    return {kind: each[None][:0] for kind, each in intervals.multipliers().items()}


def test_rates_move_as_the_definition_says(seed):
    random = np.random.default_rng(seed)
    before = one_step(np.abs(random.normal(size=200)))
    new = np.abs(2 * random.normal(size=120))

    def threshold(rate):
        rates = {kind: np.full(np.shape(each), rate) for kind, each in before.rates.items()}
        return float(Intervals(before.scores, 0.9, rates).multipliers()["path"])

    rates = naive_forecasts.adapted_rates(new.tolist(), threshold, 0.9, 0.03)
    found = adapt(before, new.reshape(-1, 1, 1), 0, nothing_issued(before), rate=0.03)
    for kind in ("each", "features", "path"):
        assert found.intervals.rates[kind].item() == pytest.approx(rates[-1], abs=1e-12)
        issued = found.issued[kind].reshape(len(new))
        np.testing.assert_allclose(issued, [threshold(rate) for rate in rates], rtol=1e-12)


def test_row_by_row_is_as_all_at_once_with_the_same_scores():
    random = np.random.default_rng(0)
    before = fit_intervals(np.abs(random.normal(size=(100, 3, 2))), 0.9)
    scores = np.abs(random.normal(size=(50, 3, 2)))
    for step in range(3):  # what no row has come true for yet
        scores[50 - 1 - step :, step] = np.nan
    whole = adapt(before, scores, 0, nothing_issued(before), rate=0.05)
    half = adapt(before, masked(scores, 25), 0, nothing_issued(before), rate=0.05)
    kept = Intervals(before.scores, 0.9, half.intervals.rates)  # with the same sorted scores
    issued = {kind: each[:25] for kind, each in half.issued.items()}
    again = adapt(kept, scores, 25, issued, rate=0.05)
    for kind, rates in whole.intervals.rates.items():
        np.testing.assert_allclose(again.intervals.rates[kind], rates, atol=1e-12)


def masked(scores, n_rows):
    """Return the scores that were known after so many rows."""
    known = scores[:n_rows].copy()
    for step in range(scores.shape[1]):
        known[max(n_rows - 1 - step, 0) :, step] = np.nan
    return known


def test_the_share_of_misses_tends_to_what_was_asked_for():
    random = np.random.default_rng(0)
    before = one_step(np.abs(random.normal(size=300)))
    growing = np.linspace(1, 5, 2000) * np.abs(random.normal(size=2000))
    intervals, missed, fixed = before, [], before.multipliers()["path"]
    for start in range(0, 2000, 20):
        new = growing[start : start + 20].reshape(-1, 1, 1)
        found = adapt(intervals, new, 0, nothing_issued(intervals), rate=0.03)
        missed.append(new[:, 0, 0] > found.issued["path"])
        intervals = found.intervals
    assert np.mean(growing > fixed) > 0.3
    # The definition bounds the mean by (1 + rate) / (rate * rows), 0.017, in infinite intervals;
    # the largest score in their place lets a little more through.
    assert abs(np.mean(missed) - 0.1) < 0.04


def test_gaps_move_nothing():
    before = one_step(np.arange(1.0, 101.0))
    scores = np.full((30, 1, 1), np.nan)
    found = adapt(before, scores, 0, nothing_issued(before), rate=0.5)
    assert found.intervals.rates["each"] == before.rates["each"]
    np.testing.assert_array_equal(found.intervals.scores, before.scores)
