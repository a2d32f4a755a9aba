"""Names of arrays: a path from the model to the attribute, as `pipeline.steps[0]` would have it.

A model that holds others gives each a prefix, and below that an array has the name that it has in a
file of its own: `mean_`, `estimator_.mean_`, `steps.0.estimator_.mean_`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TypeVar

__all__ = ["FITTED", "GIVEN", "is_repeatable", "own_name", "step_prefix", "with_prefix", "within"]

T = TypeVar("T")

FITTED = "estimator_."  # before the arrays of the fitted method that a model holds
GIVEN = "estimator."  # before the arrays of its parameter `estimator`

_STEP = re.compile(r"steps\.[0-9]+\.")
_SECONDS = "history_.seconds"


def step_prefix(number: int) -> str:
    """Return what stands before the arrays of a step of a pipeline."""
    return f"steps.{number}."


def own_name(name: str) -> str:
    """Return an array's name in a file of the fitted model that it belongs to.

    Examples
    --------
    >>> from predfeat.persistence._array_names import own_name
    >>> own_name("steps.0.estimator_.history_.angle"), own_name("history_.angle")
    ('history_.angle', 'history_.angle')
    """
    return _of_step(name).removeprefix(FITTED)


def is_repeatable(name: str) -> bool:
    """Tell whether an array is a result of training, and comes out the same each time.

    Parameters are no results, and the time that an iteration takes is never the same.
    """
    return _of_step(name).split(".")[0].endswith("_") and own_name(name) != _SECONDS


def with_prefix(prefix: str, arrays: Mapping[str, T]) -> dict[str, T]:
    """Return arrays under their names in the file of a model that holds theirs."""
    return {prefix + name: array for name, array in arrays.items()}


def within(prefix: str, arrays: Mapping[str, T]) -> dict[str, T]:
    """Return the arrays of what a model holds under a prefix, under their own names."""
    return {
        name.removeprefix(prefix): array
        for name, array in arrays.items()
        if name.startswith(prefix)
    }


def _of_step(name: str) -> str:
    """Return a name without the step, which the arrays of a single model do not have."""
    match = _STEP.match(name)
    return name if match is None else name[match.end() :]
