"""The paired test against its definition: every sign pattern counted."""

from itertools import product

import numpy as np
import pytest

from predfeat.experiments import paired_test


def enumerated_p(differences):
    """Two-sided signed-rank p-value by going through all 2^n signs."""
    ranks = np.argsort(np.argsort(np.abs(differences))) + 1
    centre = ranks.sum() / 2
    seen = abs(ranks[differences > 0].sum() - centre)
    sums = [ranks[np.array(signs)].sum() for signs in product([True, False], repeat=len(ranks))]
    return np.mean(np.abs(np.array(sums) - centre) >= seen)


def test_p_value_is_the_share_of_sign_patterns_as_extreme(seed):
    rng = np.random.default_rng(seed)
    best = rng.normal(size=9)
    scores = best + rng.normal(0.4, 1.0, size=9)
    test = paired_test(scores, best)
    assert test.p_value == pytest.approx(enumerated_p(scores - best), abs=1e-12)
    assert test.n_worse == sum(s > b for s, b in zip(scores, best, strict=True))
    assert test.difference == np.median(scores - best)


def test_too_few_or_equal_repetitions_tell_nothing():
    assert paired_test([2.0] * 5, [1.0] * 5).p_value is None
    same = paired_test([1.0] * 10, [1.0] * 10)
    assert same.p_value is None
    assert same.n_worse == 0


def test_equal_pairs_are_left_out():
    scores, best = [1.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0], [1.0, 1.0] + [0.5] * 6
    assert paired_test(scores, best).p_value == pytest.approx(2 / 2**6)
