"""Machine code on disk that is checked before it is used, and made anew where it is damaged.

numba keeps, for every kernel, an index (.nbi) and the code (.nbc), both pickled, and takes what it
finds on trust: a damaged file would end every fit with an error of the unpickler, or worse, be run.
Here each file ends with a digest of what stands before it, which numba itself does not read. A file
that does not fit its digest is never unpickled; the kernel is compiled and the file replaced.

A digest is no signature: who may write into the folder may have code run by who loads from it, as
with Python's own __pycache__.
"""

from __future__ import annotations

import hashlib
import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from numba.core.caching import FunctionCache, IndexDataCacheFile

from predfeat.exceptions import KernelCacheWarning

__all__ = ["CheckedCache"]

_MARK = b"predfeat:sha256:"
_END = len(_MARK) + hashlib.sha256().digest_size

_is_told = False


class CheckedCache(FunctionCache):
    """numba's cache of one kernel, in which nothing that goes wrong with a file is an error."""

    def __init__(self, kernel: Any) -> None:
        super().__init__(kernel)
        files = self._cache_file
        self._cache_file = _CheckedFiles(
            cache_path=self._cache_path,
            filename_base=self._impl.filename_base,
            source_stamp=files._source_stamp,
        )

    def load_overload(self, *given: Any) -> Any:
        """Return the machine code, None if there is none that can be used."""
        try:
            return super().load_overload(*given)
        except Exception as error:  # an unpickler may raise anything
            _tell(self._cache_file._index_path, error)
            return None

    def save_overload(self, *given: Any) -> None:
        """Keep the machine code, if that is possible."""
        try:
            super().save_overload(*given)
        except Exception as error:
            _tell(self._cache_file._index_path, error)


class _CheckedFiles(IndexDataCacheFile):
    """The two files of a kernel."""

    def _load_index(self) -> dict[Any, str]:
        try:
            _check(self._index_path)
            overloads = super()._load_index()
            if isinstance(overloads, dict):
                return overloads
            raise ValueError("it is no index")
        except FileNotFoundError:
            return {}
        except Exception as error:
            _tell(self._index_path, error)
            return {}  # so that it is written anew

    def _load_data(self, name: str) -> Any:
        path = self._data_path(name)
        try:
            _check(path)
            return super()._load_data(name)
        except FileNotFoundError:
            raise  # removed by somebody; numba compiles it then
        except Exception as error:
            _tell(path, error)
            raise FileNotFoundError(path) from error

    @contextmanager
    def _open_for_write(self, path: str) -> Iterator[Any]:
        with super()._open_for_write(path) as stream:
            signed = _Signed(stream)
            yield signed
            stream.write(_MARK + signed.digest.digest())


class _Signed:
    """A stream that takes a digest of what is written to it."""

    def __init__(self, stream: Any) -> None:
        self.stream = stream
        self.digest = hashlib.sha256()

    def write(self, content: Any) -> int:
        self.digest.update(content)
        return int(self.stream.write(content))


def _check(path: str) -> None:
    """Refuse a file that does not fit its digest; one of numba's own has none."""
    content = Path(path).read_bytes()
    if content[-_END : -_END + len(_MARK)] == _MARK:
        written = content[-_END + len(_MARK) :]
        if hashlib.sha256(memoryview(content)[:-_END]).digest() != written:
            raise ValueError("its content has changed since it was written")


def _tell(path: str, error: Exception) -> None:
    """Say once in a process what is wrong: where one file is damaged, others may be."""
    global _is_told
    if _is_told:
        return
    _is_told = True
    reason = str(error) or type(error).__name__
    warnings.warn(
        f"compiled code cannot be kept in {path} or loaded from there ({reason}), and is compiled "
        f"anew. If that is said again and again, delete the .nbi and .nbc files in "
        f"{os.path.dirname(path)}, or set NUMBA_CACHE_DIR to a folder that can be written.",
        KernelCacheWarning,
        stacklevel=2,
    )
