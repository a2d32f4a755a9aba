"""Before a reader reads: is the file there, is the library there, will the series fit?"""

from __future__ import annotations

import errno
import importlib
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from predfeat._memory import available_memory, in_words
from predfeat.datasets._limits import NESTING
from predfeat.exceptions import DataFileError, MissingLibraryError

__all__ = ["Progress", "check_file", "check_fits", "damage", "library", "memory_errors_explained"]

Progress = Callable[[float], None]  # called with the share that is done, from 0 to 1

_SHARE = 0.5  # of the free memory: fitting needs room in addition to the series
# Messages of C and C++ libraries that do not raise MemoryError.
_NO_MEMORY = (
    "bad_alloc",
    "out of memory",
    "cannot allocate",
    "unable to allocate",
    "malloc failed",
)


def check_file(path: Path) -> None:
    """Raise unless `path` is a file with something in it."""
    try:
        if path.is_dir():
            raise DataFileError(f"{path} is a folder. Give a file.")
        if not path.exists():
            raise DataFileError(f"there is no file {path}. Check the name and the folder.")
        # Before it is opened: opening a pipe would wait for a writer, and a device has no end.
        if not path.is_file():
            raise DataFileError(
                f"{path} is a pipe or a device, not a file. A text table is read from standard "
                f"input as well: predfeat compare - < {path.name}"
            )
        if path.stat().st_size == 0:
            raise DataFileError(f"{path.name} is empty (0 bytes).")
        with path.open("rb"):
            pass
    except OSError as error:
        raise DataFileError(f"{path} cannot be opened: {error.strerror or error}.") from error
    except ValueError as error:
        if isinstance(error, DataFileError):
            raise
        raise DataFileError(f"{str(path)!r} is not a valid file name: {error}.") from error


def library(name: str, *, extra: str, what: str) -> Any:
    """Import an optional library, or say which extra installs it."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise MissingLibraryError(
            f'{what} needs the library {name}: pip install "predfeat[{extra}]"'
        ) from error


@contextmanager
def damage(source: str, kind: str) -> Iterator[None]:
    """Turn any error of a parser about broken bytes into a `DataFileError`.

    Only calls of the library that parses the file belong inside. Parsers of damaged files raise
    nearly every class there is, so that a list of them would never be complete.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about the file's age or oddities: not the user's
            yield
    except (DataFileError, MemoryError):
        raise
    except RecursionError as error:
        raise NESTING.error(source, "too many") from error
    except Exception as error:
        if _is_about_memory(error):
            raise MemoryError(str(error)) from error
        why = " ".join(str(error).split()) or type(error).__name__
        if len(why) > 200:
            why = why[:200] + "…"
        raise DataFileError(
            f"{source} cannot be read as {kind}: it is damaged, cut short or of another kind "
            f"({why})."
        ) from error


def check_fits(source: str, n_bytes: int, advice: str) -> None:
    """Raise if a series of that size would leave too little memory to work with."""
    available = available_memory()
    if available is not None and n_bytes > _SHARE * available:
        raise DataFileError(
            f"{source} needs {in_words(n_bytes)} of memory, but with {in_words(available)} free "
            f"at most {in_words(int(_SHARE * available))} can be used. {advice}"
        )


@contextmanager
def memory_errors_explained(source: str, advice: str) -> Iterator[None]:
    """Turn memory that ran out while a file was read into a `DataFileError`.

    Most sizes are known beforehand and checked by `check_fits`; this is for the others.
    """
    try:
        yield
    except MemoryError as error:
        raise DataFileError(f"{source} needs more memory than is available. {advice}") from error


def _is_about_memory(error: Exception) -> bool:
    """Tell whether a library ran out of memory, in whatever class it says so."""
    if isinstance(error, OSError) and error.errno == errno.ENOMEM:
        return True
    return any(words in str(error).lower() for words in _NO_MEMORY)
