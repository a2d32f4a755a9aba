"""Compressed files, opened as the bytes that were compressed."""

from __future__ import annotations

import gzip
import importlib
import io
import struct
import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from predfeat.datasets._limits import DIRECTORY_BYTES
from predfeat.datasets._opening import library
from predfeat.exceptions import DataFileError, MissingLibraryError

__all__ = [
    "COMPRESSED",
    "STREAM_ERRORS",
    "only_member",
    "open_archive",
    "uncompressed",
    "without_compression",
]

COMPRESSED = (".gz", ".bz2", ".xz", ".zst")
STREAM_ERRORS = (
    EOFError, OSError, zlib.error, UnicodeError, zipfile.BadZipFile,
    RuntimeError,  # of zipfile: a compression it does not know, a password
)  # fmt: skip
_LONGEST_MAGIC = 6
_LONGEST_END = 2**16 + 22  # of an archive: a comment, and what stands before it


def without_compression(name: str) -> str:
    """Return a file's name without what its compression added.

    Examples
    --------
    >>> from predfeat.datasets._compressed import without_compression
    >>> without_compression("weather.csv.gz")
    'weather.csv'
    """
    for suffix in COMPRESSED:
        if name.lower().endswith(suffix):
            return name[: -len(suffix)]
    return name


def uncompressed(binary: io.BufferedReader, source: str) -> io.BufferedReader:
    """Return what is compressed in a stream of bytes: by its first bytes, else by its name."""
    start, name = binary.peek(_LONGEST_MAGIC)[:_LONGEST_MAGIC], source.lower()
    opened: Any
    if start[:2] == b"\x1f\x8b" or name.endswith(".gz"):
        return io.BufferedReader(gzip.GzipFile(fileobj=binary))
    # Not all builds of Python have the next two.
    if start[:3] == b"BZh" or name.endswith(".bz2"):
        opened = _of_python("bz2").BZ2File(binary)
    elif start[:6] == b"\xfd7zXZ\x00" or name.endswith(".xz"):
        opened = _of_python("lzma").LZMAFile(binary)
    elif start[:4] == b"\x28\xb5\x2f\xfd" or name.endswith(".zst"):
        arrow = library("pyarrow", extra="tables", what="reading .zst")
        opened = arrow.CompressedInputStream(arrow.PythonFile(binary, mode="r"), "zstd")
    else:
        return binary
    return io.BufferedReader(_Readable(opened))


def _of_python(module: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise MissingLibraryError(
            f"this Python was built without {module}: unpack the file first."
        ) from error


class _Readable(io.RawIOBase):
    """A stream whose errors about damaged bytes, of whichever class, are of one class."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            found = self._stream.read(len(buffer))
        except MemoryError:
            raise
        except Exception as error:
            raise OSError(str(error)) from error
        buffer[: len(found)] = found
        return len(found)


def open_archive(path: Path) -> zipfile.ZipFile:
    """Open a .zip archive whose directory is no larger than allowed: it is read as a whole."""
    DIRECTORY_BYTES.check(_directory_size(path), path.name)
    return zipfile.ZipFile(path)


def _directory_size(path: Path) -> int:
    """Return the bytes of an archive's directory as its end states them, 0 where it has none."""
    with path.open("rb") as file:
        size = file.seek(0, io.SEEK_END)
        file.seek(max(0, size - _LONGEST_END))
        end = file.read()
        at = end.rfind(b"PK\x05\x06")
        if at < 0 or at + 16 > len(end):
            return 0
        (stated,) = struct.unpack_from("<L", end, at + 12)
        if stated == 0xFFFFFFFF and end[at - 20 : at].startswith(b"PK\x06\x07"):
            # Of a large archive the numbers stand in a record before, which this one points to.
            (where,) = struct.unpack_from("<Q", end, at - 12)
            file.seek(min(where, size))
            record = file.read(48)
            (stated,) = struct.unpack_from("<Q", record, 40) if len(record) == 48 else (0,)
        return int(stated)


def only_member(path: Path, suffixes: Sequence[str]) -> str:
    """Return the name of the one table in a .zip archive."""
    try:
        with open_archive(path) as archive:
            # Not `is_dir`, which cannot be asked of a name without a letter.
            listed = [name for name in archive.namelist() if not name.endswith("/")]
    except DataFileError:
        raise
    except (*STREAM_ERRORS, ValueError) as error:
        raise DataFileError(
            f"{path.name} cannot be read as a .zip archive: it is damaged, cut short or of another "
            f"kind ({error})."
        ) from error
    shown = [
        name
        for name in listed
        if not name.startswith("__MACOSX/") and not name.rsplit("/", 1)[-1].startswith(".")
    ]
    tables = [name for name in shown if name.lower().endswith(tuple(suffixes))]
    if len(tables) == 1:
        return tables[0]
    some = ", ".join(map(repr, (tables or shown)[:10]))
    if tables:
        raise DataFileError(
            f"{path.name} holds {len(tables)} tables: {some}. Unpack it and give the folder."
        )
    raise DataFileError(
        f"{path.name} holds no text table ({some or 'nothing at all'}). An archive must hold "
        f"one file that ends in {', '.join(suffixes)}: unpack it and give the files."
    )
