"""How long a fit will take, and how far it is: estimates from few rows, steps that are told."""

import numpy as np
import pytest

from engines import ENGINES
from predfeat import GPFA, SFA, AutoFeatures, DescentFeatures
from predfeat._progress import following, ticker
from predfeat._threads import map_blocks
from predfeat.features import _duration, expected_time
from predfeat.features._duration import extrapolated


@pytest.mark.parametrize(("linear", "square"), [(2e-4, 0.0), (0.0, 3e-8), (2e-4, 3e-8)])
def test_a_time_is_a_line_and_a_square(linear, square):
    short, long, whole = (linear * n + square * n**2 for n in (1000, 2000, 90_000))
    assert extrapolated([short], [long], 1000, 90_000)[0] == pytest.approx(whole)


@pytest.mark.parametrize(("short", "long"), [(0.2, 0.1), (0.1, 9.0)])
def test_noise_makes_no_time_negative_and_none_grow_faster_than_the_square(short, long):
    least, most = long * 50, long * 50**2
    assert least <= extrapolated([short], [long], 1000, 100_000)[0] <= most * (1 + 1e-12)


def test_iterations_are_counted_to_the_last(monkeypatch):
    asked = []

    def timed(trial, values, ids, n_rows):
        asked.append((n_rows, trial.max_iter, len(values) == len(ids)))
        return np.array([5e-3, 1e-3]) * n_rows

    monkeypatch.setattr(_duration, "_timed", timed)
    model = GPFA(max_iter=11)
    expected = expected_time(model, np.zeros((64_000, 2)), groups=np.zeros(64_000))
    assert asked == [(4000, 2, True), (4000, 2, True), (8000, 2, True)]
    assert expected.per_iteration == pytest.approx(64)
    assert expected.seconds == pytest.approx(320 + 10 * 64)
    assert model.max_iter == 11


@pytest.mark.parametrize(
    "model",
    [GPFA(max_iter=4), GPFA(max_iter=3, init="auto"), SFA(), DescentFeatures(1, n_starts=1)],
)
def test_of_every_method(model, monkeypatch):
    monkeypatch.setattr(_duration, "_MIN_TRIAL_ROWS", 100)
    X = np.random.default_rng(0).normal(size=(500, 3))
    expected = expected_time(model, X, groups=np.repeat([0, 1], 250))
    assert expected.seconds > 0
    assert (expected.per_iteration is not None) == isinstance(model, GPFA)
    assert expected_time(model, X[:400]) is None
    X[200:300] = np.nan  # nothing but gaps in the middle
    assert expected_time(model, X) is None


@pytest.mark.parametrize("method", ENGINES)
def test_progress_is_told_within_an_iteration_and_never_goes_back(method, monkeypatch):
    monkeypatch.setattr("predfeat.neighbors._tree._PAIRS_AT_ONCE", 1 << 10)
    monkeypatch.setattr("predfeat.neighbors._blockwise._TILE_NUMBERS", 1 << 16)
    monkeypatch.setattr("predfeat.neighbors._blockwise._MANY_QUERIES", 64)
    monkeypatch.setattr("predfeat.neighbors._tiles._TILE", (64, 64))
    X = np.random.default_rng(0).normal(size=(600, 2))
    model, seen = GPFA(1, max_iter=2, tol=0, engine=method, n_jobs=1), []
    with following(lambda done, total: seen.append(done)):
        told = model.fit(X).components_
    assert seen == sorted(seen)
    assert {1, 2} <= set(seen)
    for n_done in (0, 1):
        assert len([each for each in seen if n_done < each < n_done + 1]) > 3
    plain = GPFA(1, max_iter=2, tol=0, engine=method, n_jobs=1).fit(X)
    np.testing.assert_array_equal(plain.components_, told)


@pytest.mark.parametrize(
    "model", [DescentFeatures(2, n_starts=2), AutoFeatures(1), GPFA(1, refine=True)]
)
def test_progress_of_many_searches_never_goes_back(model):
    X, seen = np.random.default_rng(0).normal(size=(300, 4)), []
    with following(lambda done, total: seen.append((done, total))):
        model.fit(X)
    assert len({total for _, total in seen}) == 1
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    assert len({done for done, _ in seen}) > 5


def test_nobody_is_told_who_does_not_follow():
    seen = []
    with following(lambda *counts: seen.append(counts)):
        ticker(2)()
        with following(None):
            ticker(1)()
    ticker(1)()
    assert seen == [(1, 2)]


def test_what_fails_lets_the_others_stop_before_they_are_waited_for():
    rest = iter(range(10**12))  # years
    is_over = []

    def work(thread):
        if thread == 0:
            raise KeyboardInterrupt
        for _ in rest:
            if is_over:
                return

    with pytest.raises(KeyboardInterrupt):
        map_blocks(work, [0, 1], 2, on_failure=lambda: is_over.append(True))
