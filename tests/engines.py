"""The registered engines of the neighbour search; some need what is not installed everywhere."""

import pytest

from predfeat._jit import is_available
from predfeat.neighbors import engines

needs_numba = pytest.mark.skipif(not is_available(), reason="numba is not installed")


def _named(engine):
    missing = pytest.mark.skipif(not engine.is_available(), reason=f"{engine.needs} is missing")
    return pytest.param(engine.name, marks=missing)


# What promises to return what brute force returns.
ENGINES = ["auto", *(_named(engine) for engine in engines() if engine.is_exact)]
LIBRARY_ENGINES = [
    "auto",
    *(_named(engine) for engine in engines() if engine.is_exact and engine.takes_library),
]
