"""A choice by scores that are only accurate to a tolerance."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["first_within_tolerance"]


def first_within_tolerance(scores: Mapping[str, float], tolerance: float) -> str:
    """Return the first name whose score is within a share `tolerance` of the smallest one.

    Examples
    --------
    >>> from predfeat.features import first_within_tolerance
    >>> first_within_tolerance({"simple": 1.02, "clever": 1.0, "odd": 1.3}, tolerance=0.05)
    'simple'
    """
    good = (1 + tolerance) * min(scores.values())
    return next(name for name, score in scores.items() if score <= good)
