"""Names for the array types that pass between the stages."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.intp]
BoolArray: TypeAlias = NDArray[np.bool_]
AnyArray: TypeAlias = NDArray[Any]

__all__ = ["ArrayLike", "FloatArray", "IntArray", "BoolArray", "AnyArray"]
