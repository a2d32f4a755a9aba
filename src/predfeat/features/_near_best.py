"""A choice by scores that are not to be taken to the last digit."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["first_near_best"]


def first_near_best(scores: Mapping[str, float], share: float) -> str:
    """Return the first name whose score is at most so much larger than the smallest one.

    Examples
    --------
    >>> from predfeat.features._near_best import first_near_best
    >>> first_near_best({"simple": 1.02, "clever": 1.0, "odd": 1.3}, share=0.05)
    'simple'
    """
    good = (1 + share) * min(scores.values())
    return next(name for name, score in scores.items() if score <= good)
