"""The compiled kernel of the search in a library: flat arrays, the caller's buffers, no checks.

Importing this module compiles; `_library_tiles` imports it when the engine is used.
"""

from __future__ import annotations

from predfeat._jit import compiled
from predfeat._typing import AnyArray, IntArray
from predfeat.neighbors._kernels import CHUNK, insert

__all__ = ["CHUNK", "scan_library"]

_WORDS = CHUNK // 8


@compiled
def scan_library(
    base: AnyArray,
    row_start: int,
    column_start: int,
    excluded_first: IntArray,
    excluded_stop: IntArray,
    limits: AnyArray,
    distances: AnyArray,
    positions: AnyArray,
    marks: AnyArray,
    words: AnyArray,
) -> None:
    """Offer the states of a tile to the candidate lists of its queries.

    Parameters
    ----------
    base : float32 array
        Squared distances of the queries from row_start on to the states from column_start on.
    excluded_first, excluded_stop : int arrays
        For every query, the range of positions that may not be its neighbours.
    limits : float32 array, shape (n_queries,)
        A candidate's distance must be below its query's limit, which falls as the list fills.
    distances, positions : arrays of shape (n_queries, n_kept)
        The candidate lists, sorted.
    marks, words : buffers as wide as the tile, padded to whole chunks with zeros
        uint8, and uint64 over the same memory.
    """
    height, width = base.shape
    n_kept = distances.shape[1]
    for r in range(height):
        query = row_start + r
        limit = limits[query]
        along = base[r]
        for c in range(width):
            marks[c] = along[c] < limit
        first, stop = excluded_first[query], excluded_stop[query]
        for chunk in range((width + CHUNK - 1) // CHUNK):
            word = chunk * _WORDS
            if words[word] | words[word + 1] | words[word + 2] | words[word + 3] == 0:
                continue
            for c in range(chunk * CHUNK, min((chunk + 1) * CHUNK, width)):
                position = column_start + c
                if along[c] < limit and (position < first or position >= stop):
                    insert(distances[query], positions[query], along[c], position)
                    limit = min(limit, distances[query, n_kept - 1])
        limits[query] = limit
