"""What it takes to read a dataset of HDF5, beside its numbers."""

from __future__ import annotations

import math
from typing import Any

__all__ = ["chunk_bytes"]

# Beside its numbers each chunk has an entry in HDF5's own lists while a dataset is read, stored or
# not: 63 million of them took 22.6 GB.
_BYTES_PER_ENTRY = 400


def chunk_bytes(dataset: Any) -> int:
    """Return the bytes that a dataset's chunks take while it is read: an entry each, one unpacked.

    What is not in chunks, or not of HDF5, takes none.
    """
    chunks = getattr(dataset, "chunks", None)
    if not chunks:
        return 0
    n_chunks = math.prod(
        -(-int(length) // int(side)) for length, side in zip(dataset.shape, chunks, strict=True)
    )
    return int(dataset.dtype.itemsize) * math.prod(map(int, chunks)) + _BYTES_PER_ENTRY * n_chunks
