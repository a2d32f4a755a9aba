"""When to stop iterating: policies that look at the iterations so far."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from predfeat._typing import FloatArray
from predfeat.features._embedding import Embedding
from predfeat.features._run import Iteration, Run
from predfeat.graph import ProjectedLaplacian

__all__ = ["BestIteration", "Settled", "StopPolicy", "either", "never"]

# A space that turns by more than _STILL_LOOKING degrees each time is still searching, unless it
# comes back to within _BACK_AGAIN degrees of one of the last few.
_STILL_LOOKING = 45.0
_BACK_AGAIN = 5.0


class StopPolicy(Protocol):
    """Decides after every iteration whether to stop."""

    def __call__(self, iterations: Sequence[Iteration], /) -> bool:
        """Return whether to stop, given all iterations so far."""


def never(iterations: Sequence[Iteration]) -> bool:
    """Run until the maximum number of iterations."""
    return False


def either(*policies: StopPolicy) -> StopPolicy:
    """Stop as soon as one of several policies says so."""
    return lambda iterations: any(policy(iterations) for policy in policies)


@dataclass(frozen=True)
class Settled:
    """Stop when neither the objective nor the feature space has made progress lately.

    Neighbour sets change from one iteration to the next, so there is no fixed point: the feature
    spaces wander within some angle of each other, or cycle among two or three. So each space is
    compared with the last five, and the smallest angle counts. The iteration has settled when
    neither the objective nor that angle has improved over the last `patience` iterations. The
    exception is a space that still turns by more than 45 degrees each time and does not come back
    to within 5 degrees of where it was: it is still searching, however long that takes.

    Attributes
    ----------
    tol : float
        The objective must fall by this share to count as improved, and the angle by ten times
        this share. 0 never stops.
    patience : int
        Number of iterations without improvement before stopping.
    """

    tol: float = 1e-3
    patience: int = 5

    def __call__(self, iterations: Sequence[Iteration], /) -> bool:
        """Return whether to stop, given all iterations so far."""
        # The first iteration searches another space and has no angle, so it is not compared.
        later = iterations[1:]
        if self.tol == 0 or not later:
            return False
        angles = np.array([each.angle for each in later])
        returns = np.array([each.return_angle for each in later])
        turned = np.median(angles[-self.patience :])
        returned = np.median(returns[-self.patience :])
        if turned > _STILL_LOOKING and returned > _BACK_AGAIN:
            return False
        objectives = np.sum([each.eigenvalues for each in later], axis=1)
        return not (
            self._still_improves(objectives, self.tol)
            or self._still_improves(returns, 10 * self.tol)
        )

    def _still_improves(self, values: FloatArray, share: float) -> bool:
        """Return whether the best of the last `patience` values beats the best before them."""
        if len(values) <= self.patience:
            return True
        before, lately = values[: -self.patience].min(), values[-self.patience :].min()
        return bool(lately < (1.0 - share) * before)


class BestIteration:
    """An observer that keeps the iteration whose directions score best; lower is better.

    Parameters
    ----------
    score : callable
        Takes directions, returns a number.
    """

    def __init__(self, score: Callable[[FloatArray], float]):
        self._score = score
        self._kept: tuple[int, float, ProjectedLaplacian] | None = None

    def __call__(self, iteration: Iteration, embedding: Embedding) -> None:
        """Compare an iteration with the best one so far."""
        score = self._score(iteration.directions)
        if self._kept is None or score < self._kept[1]:
            self._kept = iteration.number, score, embedding.graph

    def not_for(self, patience: int) -> StopPolicy:
        """Return a policy that stops after `patience` iterations in a row without improvement."""
        return lambda iterations: len(iterations) - self._best[0] >= patience

    def end_of(self, run: Run) -> Run:
        """Return the observed run as if it had ended with its best iteration."""
        number, _, graph = self._best
        return run.until(number, graph)

    @property
    def _best(self) -> tuple[int, float, ProjectedLaplacian]:
        if self._kept is None:
            raise RuntimeError("no iteration was observed: give this as observer to iterate.")
        return self._kept
