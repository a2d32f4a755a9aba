"""The record of a run of iterations, and the average of its last feature spaces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from predfeat._threads import one_blas_thread
from predfeat._typing import FloatArray
from predfeat.features._embedding import smallest_directions
from predfeat.features._mean_space import mean_space
from predfeat.graph import GraphContext, ProjectedLaplacian

__all__ = ["Iteration", "Run", "averaged", "next_iteration"]

# Each feature space is compared with this many before it.
_REMEMBERED = 5


@dataclass(frozen=True)
class Iteration:
    """What one iteration found.

    Attributes
    ----------
    number : int
        Counted from 1.
    directions : ndarray of shape (n_columns, n_components)
        Unit columns in white space.
    eigenvalues : ndarray of shape (n_components,)
    angle : float
        Largest angle to the previous feature space, in degrees; NaN for the first.
    return_angle : float
        Angle to the nearest of the previous five feature spaces, in degrees; NaN for the first.
    seconds : float
        How long it took.
    """

    number: int
    directions: FloatArray
    eigenvalues: FloatArray
    angle: float
    return_angle: float
    seconds: float


@dataclass(frozen=True)
class Run:
    """A run of iterations from start to end.

    Attributes
    ----------
    iterations : tuple of Iteration
    graph : ProjectedLaplacian
        The graph of the last iteration.
    context : GraphContext, optional
        What that graph was made of, to project it onto other columns of the same rows; None if the
        run was cut.
    """

    iterations: tuple[Iteration, ...]
    graph: ProjectedLaplacian
    context: GraphContext | None = None

    @property
    def directions(self) -> FloatArray:
        """The directions of the last iteration."""
        return self.iterations[-1].directions

    @property
    def eigenvalues(self) -> FloatArray:
        """The eigenvalues of the last iteration."""
        return self.iterations[-1].eigenvalues

    def until(self, number: int, graph: ProjectedLaplacian) -> Run:
        """Return the run as if it had ended with an earlier iteration, given that one's graph."""
        return replace(self, iterations=self.iterations[:number], graph=graph, context=None)

    def history(self) -> dict[str, FloatArray]:
        """Return the eigenvalues, angles and seconds as arrays with one row per iteration."""
        return {
            "eigenvalues": np.array([each.eigenvalues for each in self.iterations]),
            "angle": np.array([each.angle for each in self.iterations]),
            "seconds": np.array([each.seconds for each in self.iterations]),
        }


def averaged(run: Run, n_iterations: int, *, normalized: bool) -> tuple[FloatArray, FloatArray]:
    """Average the last feature spaces of a run; return its directions and their eigenvalues.

    Some neighbours change from one iteration to the next, and the spaces change with them.
    Averaging several spaces removes most of that variation.

    Parameters
    ----------
    run : Run
    n_iterations : int
        How many of the last iterations to average; at most half of them are used.
    normalized : bool
        As in the settings of the run.

    Returns
    -------
    directions : ndarray of shape (n_columns, n_components)
        Sorted by eigenvalue.
    eigenvalues : ndarray of shape (n_components,)
        From the graph of the last iteration.
    """
    n_iterations = min(n_iterations, len(run.iterations) // 2)
    if n_iterations <= 1:
        return run.directions, run.eigenvalues
    with one_blas_thread(len(run.directions)):
        basis = mean_space([each.directions for each in run.iterations[-n_iterations:]])
        within = run.graph.within(basis)
        pairs = smallest_directions(within, basis.shape[1], normalized=normalized)
        return basis @ pairs.vectors, pairs.values


def next_iteration(
    before: Sequence[Iteration], directions: FloatArray, eigenvalues: FloatArray, seconds: float
) -> Iteration:
    """Return the next iteration, compared with those before it."""
    basis = np.linalg.qr(directions)[0]
    angles = [
        _largest_angle(np.linalg.qr(each.directions)[0], basis) for each in before[-_REMEMBERED:]
    ]
    return Iteration(
        len(before) + 1,
        directions,
        eigenvalues,
        angles[-1] if angles else float("nan"),
        min(angles, default=float("nan")),
        seconds,
    )


def _largest_angle(before: FloatArray, now: FloatArray) -> float:
    """Return the largest angle between the spaces of two orthonormal bases, in degrees."""
    shared = before.T @ now
    # The sine is accurate for small angles, the cosine for large ones.
    sine = np.linalg.norm(now - before @ shared, ord=2)
    cosine = np.linalg.svd(shared, compute_uv=False)[-1]
    return float(np.degrees(np.arctan2(sine, cosine)))
