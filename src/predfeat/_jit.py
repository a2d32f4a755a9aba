"""How kernels are compiled. Only this module and `_jit_cache`, which stores them, name numba.

Kernels are functions over flat arrays that also run, slowly, as plain Python. Nothing here imports
numba until a kernel is needed, so `import predfeat` stays light. Callers ask `is_available`, and
use plain NumPy if numba is missing.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

__all__ = ["compiled", "compiled_strictly", "is_available", "is_loaded", "loading_seconds"]

Kernel = TypeVar("Kernel", bound=Callable[..., Any])

# Sums may be reordered and contracted; infinities keep their meaning because they serve as limits.
_FAST_MATH = {"reassoc", "contract", "nsz", "arcp"}

_any_loaded = False


def is_available() -> bool:
    """Tell whether kernels can be compiled here."""
    try:
        return find_spec("numba") is not None
    except ValueError:  # it was blocked in sys.modules
        return False


def is_loaded() -> bool:
    """Tell whether kernels have been compiled, or loaded from disk, in this process."""
    return _any_loaded


def loading_seconds() -> float:
    """Return about how long it takes to load or compile the kernels."""
    machine_code = Path(__file__).parent.glob("*/__pycache__/*.nbi")
    return 1.0 if any(machine_code) else 10.0


def compiled_strictly(kernel: Kernel) -> Kernel:
    """Compile a kernel whose sums must round as written, whatever calls it."""
    return _compile(kernel, fast_math=False)


def compiled(kernel: Kernel) -> Kernel:
    """Compile a kernel whose sums may be reordered."""
    return _compile(kernel, fast_math=_FAST_MATH)


def _compile(kernel: Kernel, fast_math: Any) -> Kernel:
    """Compile without the interpreter lock, and keep the machine code on disk.

    If no folder for the machine code is writable, each process compiles it again. Damaged files
    are detected (`_jit_cache`) and replaced.
    """
    global _any_loaded
    from numba import njit

    from predfeat._jit_cache import CheckedCache

    _any_loaded = True
    options: Any = {
        "nogil": True,
        "fastmath": fast_math,
        "error_model": "numpy",
        "boundscheck": False,
    }
    result: Kernel = njit(**options)(kernel)
    # njit(cache=True) does the same with its own cache, which is read at the first call.
    with suppress(RuntimeError):
        result._cache = CheckedCache(kernel)  # type: ignore[attr-defined]
    return result
