"""The matrices in a .mat file of version 5 to 7.

The format is MATLAB's "MAT-File Level 5". SciPy reads it too, but ends the process on some damaged
files; here every size is compared with the bytes that are there.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from predfeat._typing import AnyArray
from predfeat.datasets._opening import check_fits
from predfeat.exceptions import DataFileError

__all__ = ["NUMBERS", "Matrix", "matrices"]

_HEADER = 128  # bytes: a text, the version, and two letters for the order of bytes
_MATRIX, _COMPRESSED = 14, 15
_TYPES = {
    1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 9: "f8", 12: "i8", 13: "u8",
}  # fmt: skip
_CLASSES = {
    1: "cell", 2: "struct", 3: "object", 4: "char", 5: "sparse", 6: "double", 7: "single",
    8: "int8", 9: "uint8", 10: "int16", 11: "uint16", 12: "int32", 13: "uint32", 14: "int64",
    15: "uint64", 16: "function", 17: "object",
}  # fmt: skip
_DTYPES = {
    "double": "f8", "single": "f4", "int8": "i1", "uint8": "u1", "int16": "i2", "uint16": "u2",
    "int32": "i4", "uint32": "u4", "int64": "i8", "uint64": "u8",
}  # fmt: skip
NUMBERS = frozenset(_DTYPES)
_COMPLEX = 0x0800
_ADVICE = "Save fewer variables in it."


@dataclass(frozen=True)
class Matrix:
    """One variable of the file.

    Attributes
    ----------
    name, kind : str
        `kind` is MATLAB's class, such as "double" or "struct".
    shape : tuple of int
    content : bytes
        What follows its name.
    order : str
        Of bytes, "<" or ">".
    is_complex : bool
    """

    name: str
    kind: str
    shape: tuple[int, ...]
    content: bytes
    order: str
    is_complex: bool

    def array(self) -> AnyArray:
        """Return the numbers; only for the kinds in `NUMBERS`."""
        if self.is_complex:
            raise DataFileError(
                f"{self.name!r} holds complex numbers: save its real and imaginary parts."
            )
        kind, raw, _ = _element(self.content, 0, self.order)
        n_numbers = 1
        for length in self.shape:
            n_numbers *= length
        # MATLAB may keep whole doubles in fewer bytes.
        stored = np.frombuffer(raw, dtype=self.order + _TYPES[kind])
        if len(stored) != n_numbers:
            raise DataFileError(
                f"{self.name!r} should hold {n_numbers} numbers, but holds {len(stored)}."
            )
        return stored.astype(_DTYPES[self.kind]).reshape(self.shape, order="F")


def matrices(content: bytes, source: str) -> Iterator[Matrix]:
    """Yield all variables of a file.

    Raises
    ------
    DataFileError, KeyError, ValueError, struct.error, zlib.error
        When the bytes are not what they should be.
    """
    order = {b"IM": "<", b"MI": ">"}.get(content[126:128])
    if order is None:
        raise DataFileError(
            f"{source} is not a .mat file of version 5 to 7.3. In MATLAB, save('x.mat', 'X', '-v7')"
            " writes one."
        )
    at = _HEADER
    while at < len(content):
        kind, raw, at = _element(content, at, order)
        if kind == _COMPRESSED:
            kind, raw, _ = _element(_inflated(raw, source), 0, order)
        if kind == _MATRIX:
            found = _matrix(raw, order)
            if found.name:  # what has no name is MATLAB's own
                yield found


def _inflated(raw: bytes, source: str) -> bytes:
    stream = zlib.decompressobj()
    parts = [stream.decompress(raw, 2**24)]
    while stream.unconsumed_tail:
        # Thrice: in parts, put together, and as the variable that is cut out of them.
        check_fits(source, 3 * sum(map(len, parts)), _ADVICE)
        parts.append(stream.decompress(stream.unconsumed_tail, 2**24))
    if not stream.eof:
        raise ValueError("a compressed variable is cut short")
    return b"".join(parts)


def _element(content: bytes, at: int, order: str) -> tuple[int, bytes, int]:
    """Return the type of an element, its bytes, and where the next one begins."""
    first, second = struct.unpack_from(f"{order}II", content, at)
    if first >> 16:  # up to four bytes stand in the tag itself
        kind, n_bytes, start, after = first & 0xFFFF, first >> 16, at + 4, at + 8
        if n_bytes > 4:
            raise ValueError("a small element is too large")
    else:
        kind, n_bytes, start = first, second, at + 8
        # All but compressed elements end at multiples of eight bytes.
        after = start + n_bytes + (0 if kind == _COMPRESSED else -n_bytes % 8)
    if start + n_bytes > len(content):
        raise ValueError(f"{n_bytes} bytes are announced, but {len(content) - start} are there")
    return kind, content[start : start + n_bytes], after


def _matrix(raw: bytes, order: str) -> Matrix:
    _, flags, at = _element(raw, 0, order)
    (word,) = struct.unpack_from(f"{order}I", flags)
    kind = _CLASSES.get(word & 0xFF, "unknown")
    if kind in ("function", "object", "unknown"):
        return Matrix("an object", "object", (), b"", order, False)
    _, lengths, at = _element(raw, at, order)
    shape = tuple(int(n) for n in np.frombuffer(lengths, dtype=f"{order}i4"))
    if any(n < 0 for n in shape):
        raise ValueError(f"a matrix has the shape {shape}")
    _, name, at = _element(raw, at, order)
    return Matrix(name.decode("latin-1"), kind, shape, raw[at:], order, bool(word & _COMPLEX))
