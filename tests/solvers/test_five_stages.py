"""The first five stages in a row are the whole method, as the naive twin has it."""

import numpy as np
import pytest

import naive
from predfeat import GPFA
from predfeat.graph import Future, GraphContext, Past, connect, projected_laplacian
from predfeat.neighbors import search
from predfeat.series import check_sequences, find_states
from predfeat.solvers import fix_signs, smallest_eigenpairs
from predfeat.whitening import fit_whitening

# Five stages of rounding, in an eigenproblem whose gaps are of order 0.01.
ROUNDING = 1e-8


def staged(X, groups, p, k, M, R, graph, past, normalized):
    """Return the projection from the library's stages, one after the other."""
    series = check_sequences(X, groups)
    whitening = fit_whitening(series)
    white = whitening.apply(series)
    space = white
    terms = [Future(graph), Past(graph)] if past else [Future(graph)]
    for _ in range(R):
        table = search(find_states(space, p, n_neighbors=k), k)
        context = GraphContext(white=white, space=space, neighbors=table, n_lags=p)
        projected = projected_laplacian(connect(terms, context), white.rows)
        denominator = projected.degree if normalized else None
        pairs = smallest_eigenpairs(projected.laplacian, M, b=denominator)
        space = white.with_rows(white.rows @ pairs.vectors)
    columns = whitening.directions @ pairs.vectors
    return columns * fix_signs(columns.T)


CASES = [
    {"p": 1, "k": 3, "graph": "star", "past": True, "normalized": True},
    {"p": 1, "k": 3, "graph": "full", "past": True, "normalized": True},
    {"p": 3, "k": 4, "graph": "star", "past": True, "normalized": True},
    {"p": 2, "k": 4, "graph": "full", "past": False, "normalized": True},
    {"p": 2, "k": 3, "graph": "star", "past": False, "normalized": False},
    {"p": 2, "k": 3, "graph": "full", "past": True, "normalized": False},
]


def mixed_series(seed, lengths=(45, 35), n_gaps=3):
    """Return a smooth and several noisy signals, mixed, with an offset."""
    X, groups = naive.random_series(seed, lengths, 4, n_gaps)
    X[:, 0] += 2 * np.sin(np.arange(len(X)) / 3)
    mixing = np.random.default_rng(seed + 1).normal(size=(4, 4))
    return X @ mixing + 3.0, groups


@pytest.mark.parametrize("case", CASES, ids=lambda case: "-".join(map(str, case.values())))
@pytest.mark.parametrize("R", [1, 3])
def test_stages_are_the_naive_method(case, R):
    X, groups = mixed_series(0)
    expected = naive.gpfa(X, groups, M=2, R=R, **case)
    found = staged(X, groups, M=2, R=R, **case)
    np.testing.assert_allclose(found, expected, atol=ROUNDING * np.abs(expected).max())


@pytest.mark.parametrize("case", CASES[:3], ids=lambda case: "-".join(map(str, case.values())))
def test_the_estimator_is_the_naive_method(case):
    X, groups = mixed_series(1)
    expected = naive.gpfa(X, groups, M=2, R=2, **case)
    model = GPFA(
        2,
        n_lags=case["p"],
        n_neighbors=case["k"],
        graph=case["graph"],
        past=case["past"],
        normalized=case["normalized"],
        max_iter=2,
        tol=0,
    ).fit(X, groups=groups)
    np.testing.assert_allclose(
        model.components_.T, expected, atol=ROUNDING * np.abs(expected).max()
    )


def test_naive_whitening_is_white():
    # The twin is checked on its own definition: a wrong twin would pass wrong code.
    X, _ = mixed_series(2)
    _, _, Z = naive.whiten(X)
    Z = Z[~np.isnan(Z).any(axis=1)]
    np.testing.assert_allclose(Z.mean(axis=0), 0.0, atol=1e-12)
    np.testing.assert_allclose(Z.T @ Z / len(Z), np.eye(4), atol=1e-12)


def test_naive_solutions_solve():
    rng = np.random.default_rng(3)
    factor = rng.normal(size=(4, 6))
    A, B = np.diag([1.0, 2.0, 3.0, 4.0]), factor @ factor.T
    values, vectors = naive.smallest_solutions(A, B, 4)
    np.testing.assert_allclose(A @ vectors, B @ vectors * values, atol=1e-10)
    assert np.all(np.diff(values) > 0)
    # None is left out: A - σB has as many negative squares as there are solutions below σ.
    for n_below, middle in enumerate((values[1:] + values[:-1]) / 2, start=1):
        assert np.linalg.slogdet(A - middle * B)[0] == (-1) ** n_below
    fewer = naive.smallest_solutions(A, B, 2)
    np.testing.assert_array_equal(fewer[0], values[:2])
    np.testing.assert_array_equal(fewer[1], vectors[:, :2])


def test_naive_solutions_lie_in_the_range():
    A, B = np.diag([5.0, 3.0, 1.0]), np.diag([1.0, 2.0, 0.0])
    values, vectors = naive.smallest_solutions(A, B, 2)
    np.testing.assert_allclose(values, [1.5, 5.0])
    np.testing.assert_allclose(np.abs(vectors), [[0, 1], [1, 0], [0, 0]], atol=1e-12)
    assert naive.smallest_solutions(A, None, 1)[0] == pytest.approx(1.0)
