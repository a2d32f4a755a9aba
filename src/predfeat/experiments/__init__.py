"""Stage 11, methods compared on data."""

from predfeat.experiments._comparison import (
    Comparison,
    MethodResult,
    compare_methods,
    compare_on_predictable_noise,
    standard_methods,
)

__all__ = [
    "Comparison",
    "MethodResult",
    "compare_methods",
    "compare_on_predictable_noise",
    "standard_methods",
]
