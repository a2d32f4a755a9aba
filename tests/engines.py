"""The engines of the neighbor search, of which one needs the compiler."""

import pytest

from predfeat._jit import is_available
from predfeat.neighbors import METHODS

needs_numba = pytest.mark.skipif(not is_available(), reason="numba is not installed")

ENGINES = [
    pytest.param(method, marks=needs_numba) if method == "tiles" else method for method in METHODS
]
