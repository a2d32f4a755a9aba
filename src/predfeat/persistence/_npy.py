"""One array as the content of a .npy file, whose first bytes follow from its description."""

from __future__ import annotations

import struct

import numpy as np

from predfeat._typing import FloatArray

__all__ = ["DTYPE", "contiguous", "npy_start", "order_of"]

DTYPE = "<f8"  # estimators keep only float64; little-endian on every machine
_ALIGNMENT = 64


def order_of(array: FloatArray) -> str:
    """Return "F" for an array stored column by column in memory, else "C".

    The order affects the last bits: matrix products of the same numbers in another layout are
    summed in another order.
    """
    return "F" if array.flags.f_contiguous and not array.flags.c_contiguous else "C"


def contiguous(array: FloatArray) -> memoryview:
    """Return an array's bytes, in the order given by `order_of`."""
    plain = np.asarray(array, dtype=DTYPE).ravel(order="F" if order_of(array) == "F" else "C")
    return plain.data.cast("B")


def npy_start(shape: tuple[int, ...], order: str) -> bytes:
    """Return the bytes that precede the numbers in a .npy file of version 1.0.

    It is written here, not by NumPy, so that the same array gives the same bytes with every NumPy
    version, and so that text from a file is never evaluated.
    """
    fields = f"{{'descr': '{DTYPE}', 'fortran_order': {order == 'F'}, 'shape': {shape}, }}"
    fixed = len(b"\x93NUMPY\x01\x00") + struct.calcsize("<H")
    padding = -(fixed + len(fields) + 1) % _ALIGNMENT
    text = fields.encode("ascii") + b" " * padding + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text
