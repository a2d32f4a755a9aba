"""Descent over spaces: only the space counts, and the minimum is that of the eigenproblem."""

import numpy as np
import pytest

from predfeat.solvers import minimize_over_spaces, smallest_eigenpairs


def trace_of(matrix):
    return lambda basis: (float(np.trace(basis.T @ matrix @ basis)), 2 * matrix @ basis)


@pytest.mark.parametrize("n_directions", [1, 3])
def test_the_smallest_trace_is_that_of_the_smallest_eigenvalues(n_directions, seed):
    random = np.random.default_rng(seed)
    root = random.normal(size=(6, 6))
    matrix = root @ root.T + np.diag(np.arange(6.0))
    start = random.normal(size=(6, n_directions))
    found = minimize_over_spaces(trace_of(matrix), start, max_iter=500, ftol=1e-15)
    pairs = smallest_eigenpairs(matrix, n_directions)
    # A value is known to the last digits, the directions to the square root of that.
    assert found.value == pytest.approx(pairs.values.sum(), rel=1e-9)
    cosines = np.linalg.svd(pairs.vectors.T @ found.directions, compute_uv=False)
    assert cosines.min() > 1 - 1e-6
    np.testing.assert_allclose(
        found.directions.T @ found.directions, np.eye(n_directions), atol=1e-12
    )


def test_values_fall_and_no_step_stays_at_the_start():
    matrix = np.diag([3.0, 1.0, 2.0])
    start = np.array([[1.0], [0.5], [0.2]])
    values = [
        minimize_over_spaces(trace_of(matrix), start, max_iter=n).value for n in (1, 2, 5, 50)
    ]
    at_start = trace_of(matrix)(start / np.linalg.norm(start))[0]
    assert at_start > values[0] >= values[1] >= values[2] >= values[3]
    assert values[3] == pytest.approx(1.0, abs=1e-6)
