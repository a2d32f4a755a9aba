"""The memory that reading an HDF5 dataset takes besides its numbers."""

from __future__ import annotations

import math
from typing import Any

__all__ = ["chunk_bytes"]

# While a dataset is read, each chunk, stored or not, also has an entry in HDF5's own lists:
# 63 million of them took 22.6 GB.
_BYTES_PER_ENTRY = 400


def chunk_bytes(dataset: Any) -> int:
    """Return the bytes that chunks take while a dataset is read: an entry each, and one unpacked.

    A dataset that is not chunked, or not HDF5, takes none.
    """
    chunks = getattr(dataset, "chunks", None)
    if not chunks:
        return 0
    n_chunks = math.prod(
        -(-int(length) // int(side)) for length, side in zip(dataset.shape, chunks, strict=True)
    )
    return int(dataset.dtype.itemsize) * math.prod(map(int, chunks)) + _BYTES_PER_ENTRY * n_chunks
