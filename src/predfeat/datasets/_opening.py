"""Before a reader reads: is the file there, is the library there, will the series fit?"""

from __future__ import annotations

import importlib
import os
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from predfeat.exceptions import DataFileError, MissingLibraryError

__all__ = ["Progress", "check_file", "check_fits", "damage", "library"]

Progress = Callable[[float], None]

_SHARE = 0.5  # of the memory that is free: fitting needs room beside the series itself


def check_file(path: Path) -> None:
    """Raise unless `path` is a file with something in it."""
    try:
        if path.is_dir():
            raise DataFileError(f"{path} is a folder. Give one file.")
        if not path.exists():
            raise DataFileError(f"there is no file {path}. Check the name and the folder.")
        if path.is_file() and path.stat().st_size == 0:
            raise DataFileError(f"{path.name} is empty (0 bytes).")
        with path.open("rb"):
            pass
    except OSError as error:
        raise DataFileError(f"{path} cannot be opened: {error.strerror or error}.") from error
    except ValueError as error:
        if isinstance(error, DataFileError):
            raise
        raise DataFileError(f"{str(path)!r} is no file name: {error}.") from error


def library(name: str, *, extra: str, what: str) -> Any:
    """Import an optional library, or say which extra brings it."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise MissingLibraryError(
            f'{what} needs the library {name}: pip install "predfeat[{extra}]"'
        ) from error


@contextmanager
def damage(source: str, kind: str) -> Iterator[None]:
    """Turn whatever a parser says about broken bytes into a `DataFileError`.

    Only calls of the library that parses the file belong inside. Parsers of damaged files raise
    nearly every class there is, so that a list of them would never be complete.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about the file's age or oddities: not the user's
            yield
    except DataFileError:
        raise
    except Exception as error:
        why = " ".join(str(error).split()) or type(error).__name__
        if len(why) > 200:
            why = why[:200] + "…"
        raise DataFileError(
            f"{source} cannot be read as {kind}: it is damaged, cut short or of another kind "
            f"({why})."
        ) from error


def check_fits(source: str, n_bytes: int, advice: str) -> None:
    """Raise when a series of that size would not leave room to work in."""
    available = available_memory()
    if available is not None and n_bytes > _SHARE * available:
        raise DataFileError(
            f"{source} needs {_in_words(n_bytes)} of memory, but with {_in_words(available)} free "
            f"at most {_in_words(int(_SHARE * available))} can be used. {advice}"
        )


def available_memory() -> int | None:
    """Return the bytes of memory that can be had now, None where the system does not tell."""
    try:
        with open("/proc/meminfo", encoding="ascii") as lines:
            for line in lines:
                if line.startswith("MemAvailable:"):
                    return int(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        pass
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None


def _in_words(n_bytes: int) -> str:
    size = float(n_bytes)
    for unit in ("bytes", "kB", "MB", "GB"):
        if size < 1000:
            return f"{size:.3g} {unit}"
        size /= 1000
    return f"{size:.3g} TB"
