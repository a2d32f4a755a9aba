"""Machine code on disk that is checked before use, and compiled again if it is damaged.

numba keeps an index (.nbi) and the code (.nbc) of every kernel, both pickled, and trusts what it
finds: a damaged file would end every fit with an unpickling error or, worse, be executed. Here each
file ends with a digest of its content, which numba itself does not read. A file that does not match
its digest is never unpickled; the kernel is compiled and the file replaced.

A digest is not a signature: anyone who may write to the folder can run code in a process that loads
from it, as with Python's own __pycache__.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from numba.core.caching import FunctionCache, IndexDataCacheFile

from predfeat._warnings import warn
from predfeat.exceptions import KernelCacheWarning

__all__ = ["CheckedCache"]

_MARK = b"predfeat:sha256:"
_TRAILER_LENGTH = len(_MARK) + hashlib.sha256().digest_size

_has_warned = False


class CheckedCache(FunctionCache):
    """numba's cache of one kernel, in which no problem with a file is an error."""

    def __init__(self, kernel: Any) -> None:
        super().__init__(kernel)
        files = self._cache_file
        self._cache_file = _CheckedFiles(
            cache_path=self._cache_path,
            filename_base=self._impl.filename_base,
            source_stamp=files._source_stamp,
        )

    def load_overload(self, *given: Any) -> Any:
        """Return the machine code, or None if there is none that can be used."""
        try:
            return super().load_overload(*given)
        except Exception as error:  # an unpickler may raise anything
            _warn_once(self._cache_file._index_path, error)
            return None

    def save_overload(self, *given: Any) -> None:
        """Keep the machine code, if that is possible."""
        try:
            super().save_overload(*given)
        except Exception as error:
            _warn_once(self._cache_file._index_path, error)


class _CheckedFiles(IndexDataCacheFile):
    """The two files of a kernel."""

    def _load_index(self) -> dict[Any, str]:
        try:
            _check(self._index_path)
            overloads = super()._load_index()
            if isinstance(overloads, dict):
                return overloads
            raise ValueError("it is not an index")
        except FileNotFoundError:
            return {}
        except Exception as error:
            _warn_once(self._index_path, error)
            return {}  # so that it is written again

    def _load_data(self, name: str) -> Any:
        path = self._data_path(name)
        try:
            _check(path)
            return super()._load_data(name)
        except FileNotFoundError:
            raise  # removed by another process; numba then compiles it
        except Exception as error:
            _warn_once(path, error)
            raise FileNotFoundError(path) from error

    @contextmanager
    def _open_for_write(self, path: str) -> Iterator[Any]:
        with super()._open_for_write(path) as stream:
            signed = _DigestingStream(stream)
            yield signed
            stream.write(_MARK + signed.digest.digest())


class _DigestingStream:
    """A stream that computes a digest of what is written to it."""

    def __init__(self, stream: Any) -> None:
        self.stream = stream
        self.digest = hashlib.sha256()

    def write(self, content: Any) -> int:
        self.digest.update(content)
        return int(self.stream.write(content))


def _check(path: str) -> None:
    """Refuse a file that does not match its digest; files written by numba alone have none."""
    content = Path(path).read_bytes()
    if content[-_TRAILER_LENGTH : -_TRAILER_LENGTH + len(_MARK)] == _MARK:
        written = content[-_TRAILER_LENGTH + len(_MARK) :]
        if hashlib.sha256(memoryview(content)[:-_TRAILER_LENGTH]).digest() != written:
            raise ValueError("its content has changed since it was written")


def _warn_once(path: str, error: Exception) -> None:
    """Warn once per process: if one file is damaged, others may be."""
    global _has_warned
    if _has_warned:
        return
    _has_warned = True
    reason = str(error) or type(error).__name__
    warn(
        f"compiled code cannot be kept in {path} or loaded from there ({reason}), and is compiled "
        f"again. If this warning keeps appearing, delete the .nbi and .nbc files in "
        f"{os.path.dirname(path)}, or set NUMBA_CACHE_DIR to a writable folder.",
        KernelCacheWarning,
    )
