"""Methods on the same data, and the toy's known answer."""

import numpy as np
import pytest
from sklearn.utils.validation import check_is_fitted

from predfeat import GPFA, SFA
from predfeat.datasets import predictable_noise
from predfeat.experiments import (
    MethodResult,
    compare_methods,
    compare_on_predictable_noise,
    standard_methods,
)
from predfeat.measures import predictability


def test_each_value_is_the_measure_of_the_test_features():
    X = predictable_noise(300, random_state=0)
    train, test = X[:200], X[200:]
    comparison = compare_methods({"SFA": SFA(3)}, [(train, test)], n_lags=2, n_neighbors=5)
    expected = predictability(SFA(3).fit(train).transform(test), 2, 5)
    assert comparison.results[0].predictability == [expected]


def test_methods_given_stay_unfitted_and_every_fit_is_counted():
    method, calls = SFA(), []
    X = predictable_noise(100, random_state=0)
    compare_methods(
        {"a": method, "b": method}, [(X, X)] * 3, on_progress=lambda *done: calls.append(done)
    )
    assert calls == [(n, 6) for n in range(1, 7)]
    with pytest.raises(ValueError, match="not fitted"):
        check_is_fitted(method)


def test_mean_and_spread():
    result = MethodResult("m", [1.0, 3.0], [0.1, 0.1])
    assert result.mean == 2.0
    assert result.spread == pytest.approx(np.sqrt(2.0))
    assert MethodResult("m", [1.0], [0.1]).spread == 0.0


def test_toy_only_foreca_and_gpfa_reach_the_true_dimensions():
    # Six repetitions keep the standard error of each paired difference below 0.02.
    comparison = compare_on_predictable_noise(standard_methods(), n_repetitions=6)
    mean = {result.method: result.mean for result in comparison.results}
    for name in ("ForeCA", "GPFA (1)", "GPFA (2)"):
        assert abs(mean[name] - mean["true dimensions"]) < 0.06, name
    for name in ("random", "SFA", "PFA"):
        assert mean[name] > mean["true dimensions"] + 0.4, name


def test_toy_among_many_noise_dimensions_the_star_is_sooner_there():
    # After ten iterations the means of five differ by 0.65 to 0.8 (seeds 0 to 2). This says nothing
    # about the end: after fifty the difference of fifty pairs is 0.10 ± 0.06, which is not clear.
    methods = {name: GPFA(graph=name, max_iter=10) for name in ("full", "star")}
    comparison = compare_on_predictable_noise(methods, n_repetitions=5, n_features=100)
    full, star, _ = (result.mean for result in comparison.results)
    assert star < full - 0.3
