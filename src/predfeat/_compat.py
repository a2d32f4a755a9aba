"""The only place that imports private parts of scikit-learn and joblib.

If a release moves one of them, this is the file to change.
"""

from numbers import Integral

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

# Threads or processes, counted from the end where negative: no machine has more processors, and a
# hundred thousand threads would take a minute to start and all memory.
JOBS = Interval(Integral, -1024, 1024, closed="both")


# NumPy takes a seed of any size.
SEED = Interval(Integral, 0, None, closed="left")

# Rows excluded around a state: any number beyond the length of the series excludes all.
WINDOW = Interval(Integral, 0, None, closed="left")


def whole_number(least: int) -> Interval:
    """Return the constraint for a parameter that counts something: from `least` to 2³¹ - 1."""
    return Interval(Integral, least, _LARGEST_COUNT, closed="both")


POSITIVE = whole_number(1)
