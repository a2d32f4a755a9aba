"""The only place that imports private parts of scikit-learn.

When a release moves one of them, this is the file to mend.
"""

from sklearn.utils._param_validation import (
    Interval,
    RealNotInt,
    StrOptions,
    validate_parameter_constraints,
)

__all__ = ["Interval", "RealNotInt", "StrOptions", "validate_parameter_constraints"]
