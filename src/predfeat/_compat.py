"""The only place that imports private parts of scikit-learn and joblib.

If a release moves one of them, this is the file to change.
"""

from numbers import Integral
from typing import Any

from joblib._parallel_backends import LokyBackend
from sklearn.utils._param_validation import (
    HasMethods,
    Interval,
    RealNotInt,
    StrOptions,
    validate_parameter_constraints,
)

__all__ = [
    "HasMethods",
    "Interval",
    "JOBS",
    "LokyBackend",
    "POSITIVE",
    "RealNotInt",
    "SEED",
    "StrOptions",
    "WINDOW",
    "validate_parameter_constraints",
    "whole_number",
]

# Every index type holds it, and sums and products of a few such numbers stay within 64 bits.
_LARGEST_COUNT = 2**31 - 1


class _WholeNumbers(Interval):
    """An interval of whole numbers without True and False, which Python takes for 1 and 0."""

    def __init__(self, least: int, most: int | None) -> None:
        super().__init__(Integral, least, most, closed="left" if most is None else "both")

    def is_satisfied_by(self, val: Any) -> bool:
        return not isinstance(val, bool) and bool(super().is_satisfied_by(val))


def whole_number(least: int, most: int | None = _LARGEST_COUNT) -> Interval:
    """Return the constraint for a whole number from `least` to `most`; None is no end."""
    return _WholeNumbers(least, most)


POSITIVE = whole_number(1)

# Threads or processes, counted from the end where negative: no machine has more processors, and a
# hundred thousand threads would take a minute to start and all memory.
JOBS = whole_number(-1024, 1024)

# NumPy takes a seed of any size.
SEED = whole_number(0, None)

# Rows excluded around a state: any number beyond the length of the series excludes all.
WINDOW = whole_number(0, None)
