"""Surrogates keep what they promise and destroy what they should."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.signal import lfilter

import naive_surrogates as naive
from predfeat.exceptions import GroupsError, SurrogateError
from predfeat.selection import KINDS, surrogates
from predfeat.selection._circular_bridging import _Autoregression, bridge_ends, close_circles
from predfeat.series import check_sequences

FOURIER = ["phases", "iaaft", "joint-phases"]
every = pytest.mark.parametrize("kind", list(KINDS))


def walk(n_rows=61, n_columns=3, seed=0):
    """Correlated channels with a memory, far from Gaussian, and with a mean."""
    random = np.random.default_rng(seed)
    steps = random.exponential(size=(n_rows, n_columns)) @ random.normal(
        size=(n_columns, n_columns)
    )
    Y = np.empty_like(steps)
    Y[0] = steps[0]
    for t in range(1, n_rows):
        Y[t] = 0.8 * Y[t - 1] + steps[t]
    return Y + 5.0


def gappy():
    """Two sequences with gaps, and the group ids."""
    X = walk(60)
    X[[0, 17, 18, 41], [0, 1, 2, 0]] = np.nan
    return X, np.repeat(["a", "b"], [30, 30])


@every
def test_a_sequence_of_gaps_alone_stays_one(kind):
    X = np.vstack([walk(30), np.full((3, 3), np.nan), walk(30, seed=1)])
    found = surrogates(X, kind, groups=np.repeat([0, 1, 2], [30, 3, 30]))
    np.testing.assert_array_equal(np.isnan(found).all(axis=1), np.isnan(X).any(axis=1))


def test_a_seed_below_zero_is_refused_by_name():
    with pytest.raises(ValueError, match="'random_state' parameter of surrogates must be an int"):
        surrogates(walk(), random_state=-1)


def as_set(rows):
    return sorted(map(tuple, rows))


@every
def test_shape_seed_and_input(kind):
    X = walk()
    before = X.copy()
    first = surrogates(X, kind, random_state=3)
    assert first.shape == X.shape
    assert first.dtype == np.float64
    np.testing.assert_array_equal(X, before)
    np.testing.assert_array_equal(first, surrogates(X, kind, random_state=3))
    assert not np.array_equal(first, surrogates(X, kind, random_state=4))
    assert not np.allclose(first, X)


@every
def test_gaps_stay_and_sequences_do_not_mix(kind):
    X, groups = gappy()
    Y = surrogates(X, kind, groups=groups, random_state=1)
    np.testing.assert_array_equal(np.isnan(Y).all(axis=1), np.isnan(X).any(axis=1))
    assert not np.isnan(Y[~np.isnan(X).any(axis=1)]).any()
    # Whatever happens in the second sequence does not reach the first.
    other = X.copy()
    other[30:] *= 100.0
    changed = surrogates(other, kind, groups=groups, random_state=1)
    np.testing.assert_array_equal(changed[:30], Y[:30])
    assert not np.array_equal(changed[31:41], Y[31:41])


@pytest.mark.parametrize("kind", ["permutation", "blocks"])
def test_permutations_keep_the_rows_of_each_sequence(kind):
    X, groups = gappy()
    Y = surrogates(X, kind, groups=groups, random_state=2)
    for part in (slice(0, 30), slice(30, 60)):
        valid = ~np.isnan(X[part]).any(axis=1)
        assert as_set(Y[part][valid]) == as_set(X[part][valid])
        assert not np.array_equal(Y[part][valid], X[part][valid])


def test_every_order_is_equally_likely():
    X = np.arange(3.0).reshape(-1, 1)
    seen = [tuple(surrogates(X, random_state=seed).ravel()) for seed in range(1200)]
    counts = [seen.count(order) for order in set(seen)]
    assert len(counts) == 6
    # Of 1200 draws 200 are expected of each, with a standard deviation of 13.
    assert 140 < min(counts) < max(counts) < 260


@pytest.mark.parametrize("length", [1, 2, 5, 12])
def test_blocks_are_kept_whole(length):
    X = np.arange(60.0).reshape(-1, 1)
    Y = surrogates(X, "blocks", block_length=length, random_state=0).ravel()
    borders = np.flatnonzero(np.diff(Y) != 1)
    pieces = np.split(Y, borders + 1)
    # Two blocks that happen to meet in the old order look like one.
    inner = [len(p) for p in pieces if p[0] != 0 and p[-1] != 59]
    assert all(n % length == 0 for n in inner)
    assert len(pieces) > 60 / length / 2


def test_a_block_ends_at_a_gap():
    # Runs of 4, 3 and 5 rows and longer blocks: three blocks at least, and none over a gap. So
    # 3 is followed by 5 in some surrogates and by 9 in others, not always by the same.
    X = np.arange(14.0).reshape(-1, 1)
    X[[4, 8]] = np.nan
    followed = set()
    for seed in range(60):
        Y = surrogates(X, "blocks", block_length=1000, random_state=seed).ravel()
        rows = Y[~np.isnan(Y)]
        assert sorted(rows) == [0, 1, 2, 3, 5, 6, 7, 9, 10, 11, 12, 13]
        followed |= {b for a, b in pairwise(rows) if a == 3}
    assert followed >= {5.0, 9.0}


def test_the_first_cut_moves():
    X = np.arange(40.0).reshape(-1, 1)
    kept = np.ones(39, dtype=bool)
    for seed in range(200):
        Y = surrogates(X, "blocks", block_length=10, random_state=seed).ravel()
        together = set(pairwise(Y))
        kept &= [(i, i + 1) in together for i in range(39)]
    assert not kept.any()


@pytest.mark.parametrize("n_rows", [4, 5, 20, 31])
@pytest.mark.parametrize("kind", ["phases", "joint-phases"])
def test_phases_keep_the_amplitudes(kind, n_rows):
    X = walk(n_rows)
    Y = surrogates(X, kind, random_state=5)
    assert np.isrealobj(Y)
    for x, y in zip(X.T, Y.T, strict=True):
        np.testing.assert_allclose(
            naive.amplitudes(y), naive.amplitudes(x), rtol=1e-9, atol=1e-9 * n_rows
        )
    np.testing.assert_allclose(Y.mean(axis=0), X.mean(axis=0), rtol=1e-12)


def test_each_stretch_has_its_own_spectrum():
    X, groups = gappy()
    for kind in ("phases", "joint-phases"):
        Y = surrogates(X, kind, groups=groups, random_state=5)
        for start, stop in [(1, 17), (19, 30), (30, 41), (42, 60)]:
            np.testing.assert_allclose(
                naive.amplitudes(Y[start:stop, 0]), naive.amplitudes(X[start:stop, 0]), atol=1e-8
            )


@pytest.mark.parametrize("n_rows", [20, 31])
def test_joint_phases_keep_the_cross_spectra_and_phases_do_not(n_rows):
    X = walk(n_rows)
    expected = naive.cross_spectrum(X[:, 0], X[:, 1])
    joint = surrogates(X, "joint-phases", random_state=5)
    found = naive.cross_spectrum(joint[:, 0], joint[:, 1])
    np.testing.assert_allclose(found, expected, atol=1e-9 * np.abs(expected).max())
    apart = surrogates(X, "phases", random_state=5)
    found = naive.cross_spectrum(apart[:, 0], apart[:, 1])
    assert np.abs(found - expected)[1:].max() > 0.1 * np.abs(expected)[1:].max()


@pytest.mark.parametrize("kind", ["permutation", "blocks", "joint-phases"])
def test_the_basis_does_not_matter(kind):
    X, groups = gappy()
    mixing = np.random.default_rng(8).normal(size=(3, 3))
    options = {"groups": groups, "random_state": 9}
    np.testing.assert_allclose(
        surrogates(X @ mixing, kind, **options), surrogates(X, kind, **options) @ mixing, rtol=1e-9
    )


def test_phases_part_the_channels():
    X = walk(2001)[:, [0, 0]]
    Y = surrogates(X, "phases", random_state=0)
    assert np.corrcoef(Y.T)[0, 1] < 0.3  # of about 220 independent samples: four deviations


def test_iaaft_keeps_the_values_and_nearly_the_spectrum():
    X = walk(500)
    Y = surrogates(X, "iaaft", random_state=0)
    np.testing.assert_array_equal(np.sort(Y, axis=0), np.sort(X, axis=0))

    def distance(Z):
        of_x, of_z = (np.abs(np.fft.rfft(A - A.mean(axis=0), axis=0)) for A in (X, Z))
        return np.linalg.norm(of_x - of_z, axis=0) / np.linalg.norm(of_x, axis=0)

    shuffled = np.random.default_rng(0).permuted(X, axis=0)
    assert (distance(Y) < 0.05).all()
    assert (distance(shuffled) > 0.4).all()


@pytest.mark.parametrize("kind", FOURIER)
def test_fourier_makes_a_linear_process_of_chaos(kind):
    y = np.empty(1000)
    y[0] = 0.3
    for t in range(999):
        y[t + 1] = 4 * y[t] * (1 - y[t])

    def surprise(z):
        return np.corrcoef(np.square(z[:-1] - z.mean()), z[1:])[0, 1]

    surrogate = surrogates(y[:, None], kind, random_state=0).ravel()
    assert surprise(y) < -0.9
    assert abs(surprise(surrogate)) < 0.15


@every
def test_a_constant_column_stays(kind):
    X = walk(30)
    X[:, 1] = 0.1
    np.testing.assert_allclose(surrogates(X, kind, random_state=0)[:, 1], 0.1, rtol=1e-14)


@pytest.mark.parametrize("kind", FOURIER)
def test_short_stretches_stay(kind):
    X = walk(30)
    X[3] = np.nan
    Y = surrogates(X, kind, random_state=0)
    np.testing.assert_array_equal(Y[:3], X[:3])
    assert not np.allclose(Y[4:], X[4:])


@every
def test_nothing_to_randomise(kind):
    X = walk(8)
    with pytest.raises(SurrogateError, match=r"no sequence can be permuted|longest stretch has 1"):
        surrogates(X, kind, groups=np.arange(8))


def test_wrong_input():
    X = walk()
    with pytest.raises(SurrogateError, match=r"kind='phase' is no kind.*'permutation'.*'iaaft'"):
        surrogates(X, "phase")
    with pytest.raises(SurrogateError, match=r"block_length=5 is for kind='blocks' only.*'iaaft'"):
        surrogates(X, "iaaft", block_length=5)
    with pytest.raises(ValueError, match=r"'block_length' parameter of surrogates"):
        surrogates(X, "blocks", block_length=0)
    for groups in (np.arange(61), None):
        for seed in range(5):  # whatever the first cut is
            with pytest.raises(SurrogateError, match=r"two blocks of 61 rows \(n_samples=61\)"):
                surrogates(X, "blocks", block_length=61, groups=groups, random_state=seed)
    surrogates(X, "blocks", block_length=60)
    with pytest.raises(GroupsError):
        surrogates(X, groups=[1, 2])


def test_every_kind_says_what_it_asks():
    assert len({kind.question for kind in KINDS.values()}) == len(KINDS)
    for kind in KINDS.values():
        assert kind.question.endswith("?")
        assert kind.keeps
        assert kind.destroys


def test_circles_are_closed_for_the_fourier_kinds_only():
    X = np.arange(12.0).reshape(-1, 1)
    X[5] = np.nan
    series = check_sequences(X, np.repeat([0, 1], [9, 3]))
    closed, groups = close_circles(X, series, "iaaft", 2)
    # The stretches 6, 7, 8 and 9, 10, 11 are too short to be randomised.
    assert closed.ravel().tolist() == [0, 1, 2, 3, 4, 0, 1, 6, 7, 8, 9, 10, 11]
    assert groups.tolist() == [0] * 7 + [1] * 3 + [2] * 3
    open_, _ = close_circles(X, series, "blocks", 2)
    assert open_.ravel().tolist() == [0, 1, 2, 3, 4, 6, 7, 8, 9, 10, 11]


def test_a_bridge_is_drawn_given_both_ends():
    A, Q = np.array([[0.5, 0.3], [-0.2, 0.6]]), np.array([[1.0, 0.3], [0.3, 0.5]])
    ends = np.array([[3.0, -2.0], [1.0, 4.0]])
    process, random = _Autoregression(A, Q), np.random.default_rng(0)
    drawn = np.array([process.bridge(ends, 4, random) for _ in range(4000)])
    assert drawn.shape[1:] == (4, 2)
    mean, covariance = naive.bridge(A, Q, *ends, 4)
    # Standard errors are about 0.015 of the mean and 0.02 of the covariance.
    np.testing.assert_allclose(drawn.mean(axis=0), mean, atol=0.07)
    np.testing.assert_allclose(np.cov(drawn.reshape(4000, -1).T), covariance, atol=0.1)


@pytest.mark.parametrize("n_steps", [1, 2, 7, 12])
def test_what_a_process_spreads_to_is_a_sum_over_its_steps(n_steps):
    random = np.random.default_rng(n_steps)
    A, root = random.normal(size=(2, 3, 3)) / 2
    Q = root @ root.T
    powers = [np.linalg.matrix_power(A, i) for i in range(n_steps)]
    expected = sum(power @ Q @ power.T for power in powers)
    np.testing.assert_allclose(_Autoregression(A, Q).spread(n_steps), expected, rtol=1e-12)


def test_memory_lasts_until_a_twentieth_is_left():
    lasts = [
        _Autoregression(np.array([[a]]), np.eye(1)).memory for a in (0.0, 0.5, -0.9, 0.999, 1.1)
    ]
    # 0.5 to the power of 5, and 0.9 to that of 29, are the first below 0.05.
    assert lasts == [1, 5, 29, 2995, np.inf]


@pytest.mark.parametrize("kind", FOURIER)
def test_the_data_is_in_the_ring_as_it_was(kind):
    # Two sequences: one with gaps of 1, 2 and 40 rows, and one of three rows.
    X = lfilter([1], [1, -0.7], np.random.default_rng(0).normal(size=(203, 2)), axis=0)
    X[[50, 70, 71, *range(100, 140)]] = np.nan
    series = check_sequences(X, np.repeat([7, 3], [200, 3]))
    rows, rings = bridge_ends(series, kind, np.random.default_rng(0))
    times = np.flatnonzero(series.reach(ahead=1))
    centred = X - series.samples.mean(axis=0)
    fit = (
        _Autoregression.of_all_channels
        if kind == "joint-phases"
        else _Autoregression.of_each_channel
    )
    memory = int(fit(centred[times], centred[times + 1], 0.0).memory)
    assert 2 < memory < 40
    ring = rows[rings == 0]
    assert np.all(np.isfinite(ring))
    # What was missing is there now, but of the long gap only as much as is remembered.
    place = 0
    for part, length in ((X[:50], 1), (X[51:70], 2), (X[72:100], memory), (X[140:200], memory)):
        np.testing.assert_array_equal(ring[place : place + len(part)], part)
        place += len(part) + length
    assert len(ring) == place
    np.testing.assert_array_equal(rows[rings == 1], X[200:])  # no ring at all


def test_bridges_of_kinds_that_part_the_channels_are_apart():
    random = np.random.default_rng(0)
    before = random.normal(size=(500, 2))
    after = before[:, ::-1] + 0.5 * before + random.normal(size=(500, 2))
    each = _Autoregression.of_each_channel(before, after, 0.0)
    for j in (0, 1):
        alone = _Autoregression.of_all_channels(before[:, [j]], after[:, [j]], 0.0)
        np.testing.assert_allclose(each.transition[j, j], alone.transition[0, 0])
        np.testing.assert_allclose(each.noise[j, j], alone.noise[0, 0])
    assert each.transition[0, 1] == each.noise[1, 0] == 0.0
    constant = _Autoregression.of_each_channel(np.zeros((9, 1)), np.zeros((9, 1)), 3.0)
    assert constant.bridge(np.full((2, 1), 3.0), 2, random).tolist() == [[3.0], [3.0]]


@pytest.mark.parametrize("kind", FOURIER)
def test_a_series_that_explodes_is_bridged_like_a_walk(kind):
    random = np.random.default_rng(0)
    X = np.exp(0.1 * np.arange(3000))[:, None] * (1 + 0.01 * random.normal(size=(3000, 2)))
    rows, _ = bridge_ends(check_sequences(X), kind, random)
    assert np.all(np.isfinite(rows))
    assert np.abs(rows).max() < 100 * np.abs(X).max()


def test_a_bridge_is_no_longer_than_the_sequence():
    X = walk(60).cumsum(axis=0)  # which remembers longer than it lasts
    rows, _ = bridge_ends(check_sequences(X), "joint-phases", np.random.default_rng(0))
    assert len(rows) == 120


def test_a_bridge_needs_enough_steps_to_know_the_process():
    X = walk(9, 5)
    rows, _ = bridge_ends(check_sequences(X), "joint-phases", np.random.default_rng(0))
    np.testing.assert_array_equal(rows, X)


def test_a_bridge_has_no_rank_of_its_own():
    X = walk(200)
    X[:, 2] = X[:, 0] - X[:, 1]
    rows, _ = bridge_ends(check_sequences(X), "joint-phases", np.random.default_rng(0))
    assert len(rows) > 205
    np.testing.assert_allclose(rows[:, 2], rows[:, 0] - rows[:, 1], atol=1e-9)
