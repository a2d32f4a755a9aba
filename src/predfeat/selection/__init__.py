"""Stage 8, is it real: surrogate series, and features tested against them."""

from predfeat.selection._significance import Significance, significance, variance_left
from predfeat.selection._surrogates import KINDS, SurrogateKind, surrogates

__all__ = [
    "KINDS",
    "Significance",
    "SurrogateKind",
    "significance",
    "surrogates",
    "variance_left",
]
