"""The eigenproblem: solutions solve it, smallest first, columns of unit length."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import linalg

import naive
from predfeat.exceptions import RankError
from predfeat.solvers import fix_signs, smallest_eigenpairs

# Rounding of a product and a factorisation of small matrices, relative to their norm.
ROUNDING = 1e-10


def positive_matrix(rng, n, rank):
    """Return a random positive semi-definite matrix of the given rank, norm about n."""
    factor = rng.normal(size=(n, rank))
    return factor @ factor.T


several = settings(max_examples=40, deadline=None)


@several
@given(seed=st.integers(0, 10**6), n=st.integers(1, 8), data=st.data())
def test_standard_problem(seed, n, data):
    n_pairs = data.draw(st.integers(1, n))
    A = positive_matrix(np.random.default_rng(seed), n, n)
    pairs = smallest_eigenpairs(A, n_pairs)
    assert pairs.values.shape == (n_pairs,)
    assert pairs.vectors.shape == (n, n_pairs)
    scale = ROUNDING * max(np.abs(A).max(), 1.0)
    np.testing.assert_allclose(A @ pairs.vectors, pairs.vectors * pairs.values, atol=scale)
    np.testing.assert_allclose(pairs.vectors.T @ pairs.vectors, np.eye(n_pairs), atol=ROUNDING)
    # Ascending, and none smaller was left out.
    np.testing.assert_allclose(pairs.values, np.linalg.eigvalsh(A)[:n_pairs], atol=scale)


@several
@given(seed=st.integers(0, 10**6), n=st.integers(1, 8), data=st.data())
def test_generalized_problem(seed, n, data):
    n_pairs = data.draw(st.integers(1, n))
    rng = np.random.default_rng(seed)
    A = positive_matrix(rng, n, n)
    B = positive_matrix(rng, n, n + 2) + 0.1 * np.eye(n)
    pairs = smallest_eigenpairs(A, n_pairs, b=B)
    residual = A @ pairs.vectors - B @ pairs.vectors * pairs.values
    scale = max(np.abs(A).max(), np.abs(B).max() * max(pairs.values.max(), 1.0))
    np.testing.assert_allclose(residual, 0.0, atol=ROUNDING * scale)
    np.testing.assert_allclose(np.linalg.norm(pairs.vectors, axis=0), 1.0, rtol=1e-12)
    assert np.all(np.diff(pairs.values) >= 0)
    # B has a condition of at most some thousand, and λ is of order A over B.
    expected, _ = naive.smallest_solutions(A, B, n)
    tolerance = ROUNDING * max(expected.max(), 1.0)
    np.testing.assert_allclose(pairs.values, expected[:n_pairs], atol=tolerance)
    # The value of a solution is the quotient of its two forms.
    quotient = np.diag(pairs.vectors.T @ A @ pairs.vectors) / np.diag(
        pairs.vectors.T @ B @ pairs.vectors
    )
    np.testing.assert_allclose(pairs.values, quotient, atol=tolerance)
    gram = pairs.vectors.T @ B @ pairs.vectors
    off_diagonal = gram - np.diag(np.diag(gram))
    np.testing.assert_allclose(off_diagonal, 0.0, atol=ROUNDING * np.abs(B).max() * n)


def test_identity_is_no_denominator():
    A = positive_matrix(np.random.default_rng(0), 5, 5)
    plain, divided = smallest_eigenpairs(A, 3), smallest_eigenpairs(A, 3, b=np.eye(5))
    np.testing.assert_allclose(plain.values, divided.values, atol=1e-12)
    overlap = np.abs(np.sum(plain.vectors * divided.vectors, axis=0))
    np.testing.assert_allclose(overlap, 1.0, atol=1e-10)


@several
@given(seed=st.integers(0, 10**6), n=st.integers(2, 8), data=st.data())
def test_singular_denominator_is_solved_in_its_range(seed, n, data):
    rank = data.draw(st.integers(1, n - 1))
    rng = np.random.default_rng(seed)
    basis = linalg.qr(rng.normal(size=(n, n)))[0][:, :rank]
    # A graph that never leaves a subspace: both forms see that subspace only.
    A_inside = positive_matrix(rng, rank, rank)
    B_inside = positive_matrix(rng, rank, rank + 3) + 0.1 * np.eye(rank)
    pairs = smallest_eigenpairs(basis @ A_inside @ basis.T, rank, b=basis @ B_inside @ basis.T)
    expected, _ = naive.smallest_solutions(A_inside, B_inside, rank)
    tolerance = 1e-8 * max(expected.max(), 1.0)  # the null space is only found to rounding
    np.testing.assert_allclose(pairs.values, expected, atol=tolerance)
    outside = pairs.vectors - basis @ (basis.T @ pairs.vectors)
    np.testing.assert_allclose(outside, 0.0, atol=1e-6)
    np.testing.assert_allclose(np.linalg.norm(pairs.vectors, axis=0), 1.0, rtol=1e-12)
    with pytest.raises(RankError, match=f"{rank + 1} features.* only {rank} of {n} directions"):
        smallest_eigenpairs(basis @ A_inside @ basis.T, rank + 1, b=basis @ B_inside @ basis.T)


def test_nothing_is_connected():
    message = "1 features are asked for, but the graph connects samples along only 0 of 3"
    with pytest.raises(RankError, match=message):
        smallest_eigenpairs(np.zeros((3, 3)), 1, b=np.zeros((3, 3)))


def test_denominators_of_any_size():
    A = positive_matrix(np.random.default_rng(1), 4, 4)
    B = positive_matrix(np.random.default_rng(2), 4, 8)
    expected = smallest_eigenpairs(A, 2, b=B)
    for size in (1e-30, 1e30):
        scaled = smallest_eigenpairs(A * size, 2, b=B * size)
        np.testing.assert_allclose(scaled.values, expected.values, rtol=1e-9)


def test_arguments_are_not_modified():
    A = positive_matrix(np.random.default_rng(3), 4, 4)
    B = positive_matrix(np.random.default_rng(4), 4, 8)
    kept = A.copy(), B.copy()
    smallest_eigenpairs(A, 2)
    smallest_eigenpairs(A, 2, b=B)
    np.testing.assert_array_equal(A, kept[0])
    np.testing.assert_array_equal(B, kept[1])


@several
@given(seed=st.integers(0, 10**6), n_components=st.integers(1, 5), n_columns=st.integers(1, 6))
def test_signs_make_the_largest_loading_positive(seed, n_components, n_columns):
    components = np.random.default_rng(seed).normal(size=(n_components, n_columns))
    signs = fix_signs(components)
    assert set(signs.tolist()) <= {1.0, -1.0}
    fixed = components * signs[:, None]
    for row in fixed:
        assert row[np.argmax(np.abs(row))] > 0
    # Whatever signs came in, the same go out, and a second time changes nothing.
    np.testing.assert_array_equal(fix_signs(-components), -signs)
    np.testing.assert_array_equal(fix_signs(fixed), 1.0)


def test_sign_of_equal_loadings_and_of_none():
    assert fix_signs(np.array([[-2.0, 2.0], [2.0, -2.0]])).tolist() == [-1.0, 1.0]
    assert fix_signs(np.zeros((1, 3))).tolist() == [1.0]


@pytest.mark.parametrize("n_pairs", [1, 6, 60])
def test_large_problems(n_pairs):
    # Here the other solutions are skipped, unless many are asked for.
    n, random = 520, np.random.default_rng(0)
    A, B = positive_matrix(random, n, 2 * n), positive_matrix(random, n, 3 * n)
    pairs = smallest_eigenpairs(A, n_pairs, B)
    scale = ROUNDING * np.abs(A).max()
    np.testing.assert_allclose(A @ pairs.vectors, B @ pairs.vectors * pairs.values, atol=scale)
    np.testing.assert_allclose(np.linalg.norm(pairs.vectors, axis=0), 1.0)
    smallest = linalg.eigh(A, B, eigvals_only=True)[:n_pairs]
    np.testing.assert_allclose(pairs.values, smallest, rtol=1e-8)


@pytest.mark.parametrize("share", [0.0, 1e-13, 1e-7])
def test_large_problems_with_a_nearly_singular_b(share):
    # A direction without edges is left out, in which λ would be 0/0; 1e-7 is no such direction.
    n, random = 520, np.random.default_rng(1)
    Q, _ = np.linalg.qr(random.normal(size=(n, n)))
    seen, values = np.ones(n), random.uniform(0.5, 1.5, n)
    seen[0], values[0] = share, 0.01 * share
    A, B = (Q * values) @ Q.T, (Q * seen) @ Q.T
    pairs = smallest_eigenpairs((A + A.T) / 2, 3, (B + B.T) / 2)
    expected = np.sort(values[1:])[:3] if share < 1e-12 else np.sort(values / seen)[:3]
    # One part in 1e7 of B is known to nine digits.
    np.testing.assert_allclose(pairs.values, expected, rtol=1e-6)
