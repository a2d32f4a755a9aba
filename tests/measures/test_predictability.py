"""Eq. (2): what it must give where the answer is known."""

import numpy as np
import pytest

import naive
from predfeat.exceptions import ShortSequencesError, TooFewStatesError
from predfeat.measures import predictability


def test_by_hand():
    # Values 0, 10, 1, 11, 2: the states 0, 10, 1, 11 have a successor. With q=1 the
    # neighbourhoods are {0, 1}, {10, 11}, {1, 0}, {11, 10}, with the successors {10, 11},
    # {1, 2}, {11, 10}, {2, 1}: every variance is 1/4.
    Y = [0.0, 10.0, 1.0, 11.0, 2.0]
    assert predictability(Y, n_neighbors=1) == pytest.approx(0.25, rel=1e-12)
    assert predictability(Y, n_neighbors=1, ddof=1) == pytest.approx(0.5, rel=1e-12)


NOISES = {
    "counts": lambda random: random.poisson(0.1, size=(3000, 4)),
    "bits": lambda random: random.integers(0, 2, size=(3000, 4)),
    "clipped": lambda random: random.normal(size=(3000, 4)).clip(-0.5, 0.5),
    "quantised": lambda random: random.normal(size=(3000, 4)).round(),
    "silent": lambda random: random.normal(size=(3000, 4)).clip(0.5, None),
}


@pytest.mark.parametrize("p", [1, 2])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", NOISES)
def test_noise_with_ties_leaves_everything_open(kind, seed, p):
    noise = NOISES[kind](np.random.default_rng(seed)).astype(float)
    options = {"relative": True, "ddof": 1, "per_component": True}
    together = predictability(noise, p, 10, **options)
    alone = [predictability(column, p, 10, **options)[0] for column in noise.T]
    np.testing.assert_allclose([*together, *alone], 1.0, atol=0.05)


def test_the_order_of_rows_does_not_matter():
    # A slow law under counts, many of them equal: the same file rotated, and turned round.
    random = np.random.default_rng(0)
    rate = np.exp(2 * np.sin(np.arange(4000) / 40))
    counts = random.poisson(0.3 * rate).astype(float)
    share = predictability(counts, 3, 10, relative=True, ddof=1)
    assert share < 0.8
    for other in (np.roll(counts, 1500), counts[::-1]):
        found = predictability(other, 3, 10, relative=True, ddof=1)
        assert found == pytest.approx(share, abs=0.02)


def test_of_tied_states_those_next_on_the_circle_are_taken():
    # State 0 is as far from -1 (row 1) as from 1 (row 2), row 3 (value 3) as far from 1 as from
    # 5 (row 4); all others have one nearest.
    Y = [0.0, -1.0, 1.0, 3.0, 5.0, 9.0]
    place = [naive.mixed(row) for row in range(5)]
    nearest = {1: 0, 2: 0, 4: 3}
    for t, tied in ((0, (1, 2)), (3, (2, 4))):
        nearest[t] = min(tied, key=lambda i: (place[i] - place[t]) % 2**32)
    expected = np.mean([np.var([Y[t + 1], Y[i + 1]]) for t, i in nearest.items()])
    assert predictability(Y, n_neighbors=1) == pytest.approx(expected, rel=1e-14)


def test_noise_leaves_everything_open():
    noise = np.random.default_rng(0).normal(size=(4000, 2))
    # ddof=1 has no bias for independent successors; the standard error of the mean variance
    # of 4000 overlapping neighbourhoods is about 2 %.
    assert predictability(noise, 1, 10, ddof=1) == pytest.approx(2.0, rel=0.06)
    assert predictability(noise, 1, 10, relative=True, ddof=1) == pytest.approx(1.0, rel=0.06)


def test_a_law_leaves_nothing_open():
    # The logistic map in chaos: no linear prediction at all, and fully determined.
    y = np.empty(3000)
    y[0] = 0.3
    for t in range(2999):
        y[t + 1] = 4 * y[t] * (1 - y[t])
    assert predictability(y, relative=True) < 1e-3


@pytest.mark.parametrize("value", [0.0, 0.1, -3e7, 1e-300])
@pytest.mark.parametrize("relative", [False, True])
def test_a_constant_has_zero(value, relative):
    Y = np.full((50, 2), value)
    # Never the ratio of two roundings, which would be of order one.
    assert predictability(Y, relative=relative) == pytest.approx(0.0, abs=1e-12)
    each = predictability(Y, relative=relative, per_component=True)
    np.testing.assert_allclose(each, [0.0, 0.0], atol=1e-12)


def test_a_constant_feature_beside_noise():
    noise = np.random.default_rng(1).normal(size=60)
    Y = np.column_stack([np.full(60, 0.1), noise])
    each = predictability(Y, relative=True, per_component=True)
    np.testing.assert_allclose(each, [0.0, predictability(noise, relative=True)], atol=1e-12)


@pytest.mark.parametrize("scale", [1e-150, 1e-6, 1e6, 1e150])
def test_units_matter_only_as_units(scale):
    Y = np.random.default_rng(2).normal(size=(80, 2))
    relative = predictability(Y, relative=True)
    assert predictability(scale * Y, relative=True) == pytest.approx(relative, rel=1e-9)
    if 1e-100 < scale < 1e100:  # the square must be a float
        assert predictability(scale * Y) == pytest.approx(scale**2 * predictability(Y), rel=1e-9)


def test_rotations_change_nothing_but_the_shares():
    random = np.random.default_rng(3)
    Y = random.normal(size=(100, 3)).cumsum(axis=0)
    rotation = np.linalg.qr(random.normal(size=(3, 3)))[0]
    assert predictability(Y @ rotation) == pytest.approx(predictability(Y), rel=1e-10)


def test_neighbours_come_from_any_sequence():
    # Two copies of one sequence: with q=1 each state's neighbour is its copy, with the same
    # successor.
    once = np.random.default_rng(4).normal(size=(40, 2))
    groups = np.repeat([0, 1], 40)
    assert predictability(np.vstack([once, once]), 2, 1, groups=groups) == pytest.approx(
        0, abs=1e-12
    )


@pytest.mark.parametrize("options", [{"engine": "tree"}, {"engine": "blockwise"}, {"n_jobs": 2}])
def test_the_engine_and_the_threads_do_not_matter(options):
    Y = np.random.default_rng(6).normal(size=(300, 3)).cumsum(axis=0)
    np.testing.assert_array_equal(predictability(Y, 2, 5, **options), predictability(Y, 2, 5))


def test_too_few_states():
    with pytest.raises(
        TooFewStatesError,
        match=r"n_neighbors=10 needs at least 11 states with a successor.* there are 9 .*"
        r"at most n_neighbors=8",
    ):
        predictability(np.arange(10.0))
    assert np.isfinite(predictability(np.arange(12.0)))  # 11 states with a successor are enough


def test_too_short_sequences():
    with pytest.raises(ShortSequencesError, match=r"4 rows in a row .* longest stretch has 3 .*"):
        predictability(np.arange(12.0), n_lags=3, n_neighbors=1, groups=np.arange(12) // 3)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_lags": 0}, r"'n_lags' parameter of predictability.*\[1, 2147483647\].*Got 0 "),
        (
            {"n_neighbors": 0},
            r"'n_neighbors' parameter of predictability.*\[1, 2147483647\].*Got 0 ",
        ),
        ({"n_neighbors": 2.5}, r"'n_neighbors' parameter .*Got 2\.5 "),
        ({"ddof": 2}, r"'ddof' parameter of predictability.*\[0, 1\].*Got 2 "),
        ({"theiler": -1}, r"'theiler' parameter of predictability.*\[0, inf\).*Got -1 "),
        ({"engine": "magic"}, r"'engine' parameter .*'blockwise'.*Got 'magic' "),
        ({"n_jobs": "all"}, r"'n_jobs' parameter .*Got 'all' "),
    ],
)
def test_parameters(options, message):
    with pytest.raises(ValueError, match=message):
        predictability(np.arange(50.0), **options)
