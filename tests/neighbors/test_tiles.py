"""The compiled engine: many tiles, many threads, and what it does when it cannot be sure."""

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
import predfeat.neighbors._tiles as tiles
from engines import needs_numba
from predfeat import nearest_neighbors
from predfeat.neighbors import search
from predfeat.series import States, check_sequences, find_states

pytestmark = needs_numba


def assert_same(left, right):
    np.testing.assert_array_equal(left.times, right.times)
    np.testing.assert_array_equal(left.indices, right.indices)
    np.testing.assert_array_equal(left.distances, right.distances)


@pytest.fixture(scope="module")
def small_tiles():
    """Cut even small data into many tiles, so that their borders are met everywhere."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tiles, "_TILE", (5, 11))
        patch.setattr(tiles, "_LARGE_TILE", (13, 7))
        patch.setattr(tiles, "_LONG_LAGS", 12)
        patch.setattr(tiles, "_STATES_AT_ONCE", 9)
        yield


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    lengths=st.lists(st.integers(20, 60), min_size=1, max_size=3),
    n_columns=st.integers(1, 4),
    n_gaps=st.sampled_from([0, 2]),
    kind=st.sampled_from(["normal", "lattice", "offset", "scales", "outlier", "float32"]),
    p=st.sampled_from([1, 2, 3, 8, 9, 12, 17]),
    k=st.integers(1, 6),
    theiler=st.sampled_from([0, 1, 7]),
    n_jobs=st.sampled_from([1, 3]),
)
def test_many_tiles(small_tiles, seed, lengths, n_columns, n_gaps, kind, p, k, theiler, n_jobs):
    X, groups = naive.random_series(seed, lengths, n_columns, n_gaps, kind)
    options = {"n_neighbors": k, "n_lags": p, "groups": groups, "theiler": theiler}
    try:
        expected = nearest_neighbors(X, engine="blockwise", **options)
    except ValueError as error:
        with pytest.raises(type(error)):
            nearest_neighbors(X, engine="tiles", **options)
        return
    assert_same(nearest_neighbors(X, engine="tiles", n_jobs=n_jobs, **options), expected)


@pytest.mark.parametrize(("n_columns", "p"), [(6, 3), (3, 10), (2, 70)])
def test_tiles_of_full_size(n_columns, p):
    X, groups = naive.random_series(1, [1500, 1300], n_columns, n_gaps=10)
    options = {"n_neighbors": 7, "n_lags": p, "groups": groups, "theiler": 2}
    expected = nearest_neighbors(X, engine="blockwise", **options)
    one = nearest_neighbors(X, engine="tiles", n_jobs=1, **options)
    two = nearest_neighbors(X, engine="tiles", n_jobs=2, **options)
    assert_same(one, expected)
    assert_same(two, expected)


@pytest.mark.parametrize("kind", ["normal", "lattice"])
def test_a_guess_never_changes_the_result(kind):
    X, groups = naive.random_series(4, [800, 700], 4, n_gaps=5, kind=kind)
    states = find_states(check_sequences(X, groups), 3, n_neighbors=5)
    expected = search(states, 5, theiler=1, engine="tiles")
    other = states.series.with_rows(np.random.default_rng(5).normal(size=X.shape))
    poor = search(States(other, states.times, 3), 5, theiler=1, engine="blockwise")
    for guess in (expected, poor):
        found = search(states, 5, theiler=1, engine="tiles", guess=guess.indices)
        assert_same(found, expected)


def count_second_searches(monkeypatch, X, **options):
    counts = []

    def spy(question, n_threads):
        counts.append(len(question.queries))
        return blockwise(question, n_threads)

    blockwise = tiles.search_blockwise
    monkeypatch.setattr(tiles, "search_blockwise", spy)
    nearest_neighbors(X, engine="tiles", **options)
    return sum(counts)


@pytest.mark.parametrize("p", [2, 20])
def test_ordinary_data_needs_no_second_search(monkeypatch, p):
    X = np.random.default_rng(2).normal(size=(2000, 10))
    assert count_second_searches(monkeypatch, X, n_neighbors=10, n_lags=p) == 0


@pytest.mark.parametrize("p", [3, 40])
def test_limits_from_neighbors_in_time_are_not_too_low(monkeypatch, p):
    # On a smooth path the first limits are the final ones; a loud moment passes through their
    # running sums. A limit that is too low would not be wrong, but every state would be unsure.
    X = np.sin(np.arange(2000)[:, None] * [0.01, 0.013, 0.017])
    X[700] += 100
    assert count_second_searches(monkeypatch, X, n_neighbors=10, n_lags=p) <= 2 * p


def test_what_float32_cannot_tell_is_searched_again(monkeypatch):
    # All distances are far below the rounding of float32 beside the two far clusters.
    X = (
        np.random.default_rng(3).normal(size=(300, 2))
        + np.where(np.arange(300) % 2, 1e9, -1e9)[:, None]
    )
    assert count_second_searches(monkeypatch, X, n_neighbors=3) == 300


PROGRAM = """
import sys
{before}
import numpy as np
from predfeat import GPFA
X = np.random.default_rng(0).normal(size=(3000, 5))
X[1:, 0] += X[:-1, 1]
model = GPFA(1, n_neighbors=3, n_lags=2, max_iter=1).fit(X)
print("numba" in sys.modules and sys.modules["numba"] is not None)
print(" ".join(map(repr, model.components_[0].tolist())))
"""


def run_program(before="", **environment):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(before=before)],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, **environment},
    )
    assert done.returncode == 0, done.stderr
    used, components = done.stdout.splitlines()
    return used == "True", np.array([float(number) for number in components.split()])


def test_without_numba_the_fit_is_the_same():
    used, with_numba = run_program()
    assert used
    used, without = run_program("sys.modules['numba'] = None")
    assert not used
    np.testing.assert_allclose(with_numba, without, rtol=1e-9)


def test_a_cache_that_cannot_be_written_does_no_harm(tmp_path):
    # A file where the folder should be: nobody, not even root, can write into it.
    blocked = tmp_path / "blocked"
    blocked.write_text("")
    # Only there, and not in the folder beside the source or the user's, to which numba goes on.
    used, components = run_program(
        NUMBA_CACHE_DIR=str(blocked / "cache"),
        NUMBA_CACHE_LOCATOR_CLASSES="UserProvidedCacheLocator",
    )
    assert used
    np.testing.assert_allclose(components, run_program()[1], rtol=1e-12)
