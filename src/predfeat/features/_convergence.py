"""When the iteration has stopped getting anywhere."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from predfeat._typing import FloatArray

__all__ = ["IterationHistory"]

_STILL_LOOKING = 45.0
_BACK_AGAIN = 5.0


@dataclass
class IterationHistory:
    """What happened in each iteration, and whether it still improves.

    Neighbour sets flip from one iteration to the next, so that there is no fixed point: the
    feature spaces wander within some angle of each other, or go to and fro between two or three
    that each lead to the next. So each space is compared with the last `patience` ones, and the
    smallest angle counts. The iteration has settled when, over the last `patience` iterations,
    neither the objective nor that angle was better than before. But a space that still turns by
    more than 45 degrees each time, and does not come back to within 5 degrees of where it was,
    is looking for a feature, however long it has done so: that is no floor.
    """

    patience: int = 5
    eigenvalues: list[FloatArray] = field(default_factory=list)
    angles: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    _spaces: list[FloatArray] = field(default_factory=list)
    _nearest: list[float] = field(default_factory=list)

    def record(self, eigenvalues: FloatArray, space: FloatArray, seconds: float) -> None:
        """Add one iteration that found the space of the given columns."""
        basis = np.linalg.qr(space)[0]
        angles = [_largest_angle(before, basis) for before in self._spaces]
        self.angles.append(angles[-1] if angles else float("nan"))
        self._nearest.append(min(angles, default=float("nan")))
        self._spaces = [*self._spaces, basis][-self.patience :]
        self.eigenvalues.append(eigenvalues)
        self.seconds.append(seconds)

    def has_settled(self, tol: float) -> bool:
        """Tell whether to stop; never with tol=0."""
        if tol == 0 or len(self.angles) == 1:
            return False
        lately = slice(max(1, len(self.angles) - self.patience), None)
        turned, returned = np.median(self.angles[lately]), np.median(self._nearest[lately])
        if turned > _STILL_LOOKING and returned > _BACK_AGAIN:
            return False
        objectives = np.sum(self.eigenvalues, axis=1)
        # The first iteration searches another space, and has no angle: it is no standard.
        return not (
            _still_improves(objectives[1:], tol, self.patience)
            or _still_improves(np.array(self._nearest[1:]), 10 * tol, self.patience)
        )

    def until(self, n_iterations: int) -> IterationHistory:
        """Return the history of so many iterations only."""
        return IterationHistory(
            self.patience,
            self.eigenvalues[:n_iterations],
            self.angles[:n_iterations],
            self.seconds[:n_iterations],
        )

    def as_dict(self) -> dict[str, FloatArray]:
        """Return arrays with one row per iteration."""
        return {
            "eigenvalues": np.array(self.eigenvalues),
            "angle": np.array(self.angles),
            "seconds": np.array(self.seconds),
        }


def _still_improves(values: FloatArray, tol: float, patience: int) -> bool:
    """Tell whether the best of the last `patience` values is better than the best before."""
    if len(values) <= patience:
        return True
    before, lately = values[:-patience].min(), values[-patience:].min()
    return bool(lately < (1.0 - tol) * before)


def _largest_angle(before: FloatArray, now: FloatArray) -> float:
    """Return the largest angle between the spaces of two orthonormal bases, in degrees."""
    shared = before.T @ now
    # The sine is exact for small angles, the cosine for large ones.
    sine = np.linalg.norm(now - before @ shared, ord=2)
    cosine = np.linalg.svd(shared, compute_uv=False)[-1]
    return float(np.degrees(np.arctan2(sine, cosine)))
