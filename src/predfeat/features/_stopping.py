"""When an iteration ends: policies that look at the iterations so far."""

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

# A space that turns by more degrees each time is still looking for a feature, unless it comes
# back to within so many degrees of one of the last few.
_STILL_LOOKING = 45.0
_BACK_AGAIN = 5.0


class StopPolicy(Protocol):
    """Tells after every iteration whether it was the last one."""

    def __call__(self, iterations: Sequence[Iteration], /) -> bool:
        """Return whether to stop, given all iterations so far."""


def never(iterations: Sequence[Iteration]) -> bool:
    """Do not stop before the last iteration allowed."""
    return False


def either(*policies: StopPolicy) -> StopPolicy:
    """Stop as soon as one of several policies says so."""
    return lambda iterations: any(policy(iterations) for policy in policies)


@dataclass(frozen=True)
class Settled:
    """Stop when neither the objective nor the feature space has got anywhere lately.

    Neighbour sets flip from one iteration to the next, so that there is no fixed point: the
    feature spaces wander within some angle of each other, or go to and fro between two or three
    that each lead to the next. So each space is compared with the last `patience` ones, and the
    smallest angle counts. The iteration has settled when, over the last `patience` iterations,
    neither the objective nor that angle was better than before. But a space that still turns by
    more than 45 degrees each time, and does not come back to within 5 degrees of where it was,
    is looking for a feature, however long it has done so: that is no floor.

    Attributes
    ----------
    tol : float
        The share by which the objective must fall to count as better; the angle must fall by ten
        times that share. 0 never stops.
    patience : int
        Iterations without improvement.
    """

    tol: float = 1e-3
    patience: int = 5

    def __call__(self, iterations: Sequence[Iteration], /) -> bool:
        """Return whether to stop, given all iterations so far."""
        # The first iteration searches another space, and has no angle: it is no standard.
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
        """Tell whether the best of the last `patience` values is better than the best before."""
        if len(values) <= self.patience:
            return True
        before, lately = values[: -self.patience].min(), values[-self.patience :].min()
        return bool(lately < (1.0 - share) * before)


class BestIteration:
    """An observer that keeps the best iteration, by a score of its directions; lower is better.

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
        """Return the policy to stop when the last `patience` iterations were not better."""
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
