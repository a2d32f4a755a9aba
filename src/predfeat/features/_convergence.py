"""When the iteration has stopped getting anywhere."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from predfeat._typing import FloatArray

__all__ = ["IterationHistory"]

_STILL_LOOKING = 45.0


@dataclass
class IterationHistory:
    """What happened in each iteration, and whether it still improves.

    Neighbour sets flip from one iteration to the next, so that there is no fixed point: the angle
    between successive feature spaces falls to a floor and stays there. The iteration has
    settled when, over the last `patience` iterations, neither the objective nor the angle was
    better than before. A space that still turns by more than 45 degrees is looking for a feature,
    however long it has done so: that is no floor.
    """

    patience: int = 5
    eigenvalues: list[FloatArray] = field(default_factory=list)
    angles: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)

    def record(self, eigenvalues: FloatArray, angle: float, seconds: float) -> None:
        """Add one iteration."""
        self.eigenvalues.append(eigenvalues)
        self.angles.append(angle)
        self.seconds.append(seconds)

    def has_settled(self, tol: float) -> bool:
        """Tell whether to stop; never with tol=0."""
        if tol == 0:
            return False
        if np.median(self.angles[-self.patience :]) > _STILL_LOOKING:
            return False
        objectives = np.sum(self.eigenvalues, axis=1)
        # The first iteration searches another space, and has no angle: it is no standard.
        return not (
            _still_improves(objectives[1:], tol, self.patience)
            or _still_improves(np.array(self.angles[1:]), 10 * tol, self.patience)
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
