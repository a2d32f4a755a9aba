"""Stage 7, the estimators: GPFA and the methods it is compared with, over one small base."""

from predfeat.features._base import LinearFeatures
from predfeat.features._duration import ExpectedTime, expected_time
from predfeat.features._foreca import ForeCA
from predfeat.features._gpfa import GPFA
from predfeat.features._methods import METHODS, Method, find_method, name_of
from predfeat.features._pfa import PFA
from predfeat.features._random import RandomFeatures
from predfeat.features._sfa import SFA

__all__ = [
    "GPFA",
    "SFA",
    "PFA",
    "ForeCA",
    "RandomFeatures",
    "LinearFeatures",
    "METHODS",
    "Method",
    "find_method",
    "name_of",
    "ExpectedTime",
    "expected_time",
]
