"""The container: a zip file whose bytes depend only on its content.

Members are stored one after the other with fixed dates, and are not compressed (random-looking
floats do not shrink). The same content therefore gives the same bytes with every Python and zlib,
any zip program can unpack it, and sizes cannot lie. Reading needs no interpretation: a reader that
knows the names and sizes knows every byte of the container in advance and compares.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO

import numpy as np

from predfeat.exceptions import ModelFileError

__all__ = [
    "MAX_FILE_BYTES",
    "FIRST_NAME",
    "ArchiveReader",
    "archive_size",
    "damaged",
    "write_archive",
]

MAX_FILE_BYTES = 2**30  # far below 4 GiB, where zip files need another format
FIRST_NAME = "model.json"

_VERSION = 20  # PKZIP 2.0, enough for stored members
_UNIX = 3 << 8
_MODE = 0o100644 << 16  # a regular file, writable by its owner and readable by all
_DATE = 1 << 5 | 1  # 1 January 1980, the earliest date in zip
_LOCAL = struct.Struct("<4sHHHHHLLLHH")
_CENTRAL = struct.Struct("<4sHHHHHHLLLHHHHHLL")
_END = struct.Struct("<4sHHHHLLH")

Chunk = bytes | memoryview


def damaged(what: str) -> ModelFileError:
    """Return the error for a file that `save` cannot have written in this form."""
    return ModelFileError(
        f"{what}. The file is damaged, changed, or was not written by predfeat.save: copy it again "
        "from its source, or fit and save the model anew."
    )


@dataclass(frozen=True)
class _Entry:
    name: str
    size: int
    checksum: int

    @property
    def _shared(self) -> tuple[int, ...]:
        """Fields that appear both before the member and in the directory."""
        return (_VERSION, 0, 0, 0, _DATE, self.checksum, self.size, self.size, len(self.name), 0)

    def local(self) -> bytes:
        """Return the bytes that precede the member."""
        return _LOCAL.pack(b"PK\x03\x04", *self._shared) + self.name.encode("ascii")

    def central(self, offset: int) -> bytes:
        """Return the member's entry in the directory."""
        rest = (0, 0, 0, _MODE, offset)
        fields = _CENTRAL.pack(b"PK\x01\x02", _UNIX | _VERSION, *self._shared, *rest)
        return fields + self.name.encode("ascii")


def _directory(entries: Sequence[_Entry]) -> bytes:
    """Return the bytes that follow all members."""
    lines, offset = b"", 0
    for entry in entries:
        lines += entry.central(offset)
        offset += len(entry.local()) + entry.size
    count = len(entries)
    return lines + _END.pack(b"PK\x05\x06", 0, 0, count, count, len(lines), offset, 0)


def archive_size(sizes: dict[str, int]) -> int:
    """Return the size in bytes of a whole file, given the names and sizes of its members."""
    per_name = sum(2 * len(name) for name in sizes)
    per_entry = len(sizes) * (_LOCAL.size + _CENTRAL.size)
    return sum(sizes.values()) + per_name + per_entry + _END.size


def _checksum(chunks: Sequence[Chunk]) -> int:
    value = 0
    for chunk in chunks:
        value = zlib.crc32(chunk, value)
    return value


def write_archive(stream: BinaryIO, members: dict[str, list[Chunk]]) -> None:
    """Write members, each a list of byte chunks, in the given order."""
    entries = []
    for name, chunks in members.items():
        entry = _Entry(name, sum(len(chunk) for chunk in chunks), _checksum(chunks))
        stream.write(entry.local())
        for chunk in chunks:
            stream.write(chunk)
        entries.append(entry)
    stream.write(_directory(entries))


class ArchiveReader:
    """Read the members of a file in order, allocating no more than the file really holds.

    Parameters
    ----------
    stream : binary stream
    file_size : int
        The file's real size. Every size stated in the file is checked against it.
    """

    def __init__(self, stream: BinaryIO, file_size: int):
        if file_size > MAX_FILE_BYTES:
            raise ModelFileError(
                f"it has {file_size} bytes, and a model file at most {MAX_FILE_BYTES}. It is none, "
                "or not one that predfeat.save wrote."
            )
        self._stream = stream
        self._file_size = file_size
        self._entries: list[_Entry] = []

    def read_first(self, max_size: int) -> bytes:
        """Return the member that describes the others. Only its size is trusted, if it is small.

        The rest of the file is not read.
        """
        start = self._stream.read(_LOCAL.size)
        if len(start) < _LOCAL.size or not start.startswith(b"PK\x03\x04"):
            raise damaged("it does not begin as a model file does")
        size = _LOCAL.unpack(start)[7]
        if size > min(max_size, self._file_size):
            raise damaged(
                f"its description states {size} bytes, more than the file has or the {max_size} "
                "that are allowed"
            )
        name = self._stream.read(len(FIRST_NAME))
        content = self._stream.read(size)
        self._accept(FIRST_NAME, start + name, [content], size)
        return content

    def expect_size(self, sizes: dict[str, int]) -> None:
        """Refuse the file unless its length matches the given members."""
        expected = archive_size(sizes)
        if self._file_size != expected:
            raise damaged(f"it has {self._file_size} bytes, but what it describes takes {expected}")

    def read_into(self, name: str, start: bytes, values: np.ndarray[Any, Any]) -> None:
        """Fill an array from the next member, which must be named `name` and begin with `start`."""
        size = len(start) + values.nbytes
        before = self._stream.read(_LOCAL.size + len(name))
        found = self._stream.read(len(start))
        buffer = values.data.cast("B")
        n_read = self._stream.readinto(buffer)  # type: ignore[attr-defined]
        if found != start or n_read != values.nbytes:
            raise damaged(f"its member {name} is not what the file describes")
        self._accept(name, before, [found, buffer], size)

    def finish(self) -> None:
        """Refuse the file unless its directory matches the members read."""
        expected = _directory(self._entries)
        # Read one byte more than expected, to check that nothing follows.
        if self._stream.read(len(expected) + 1) != expected:
            raise damaged("its directory is not the one that belongs to its members")

    def _accept(self, name: str, before: bytes, chunks: list[Chunk], size: int) -> None:
        entry = _Entry(name, size, _checksum(chunks))
        if sum(len(chunk) for chunk in chunks) != size or before != entry.local():
            raise damaged(f"its member {name} is incomplete, renamed or altered")
        self._entries.append(entry)
