"""The contract between neighbour search and everything after it."""

from __future__ import annotations

from dataclasses import dataclass

from predfeat._typing import FloatArray, IntArray

__all__ = ["NeighborTable"]


@dataclass(frozen=True)
class NeighborTable:
    """The k nearest neighbours of every state, in its own series or in a library.

    Attributes
    ----------
    times : ndarray of int, shape (n_states,)
        Row of each state's newest sample, ascending.
    indices : ndarray of int, shape (n_states, k)
        Rows of the neighbours' newest samples, nearest first: rows of the same series, or of the
        library if one was searched. Each state has its own order of tied neighbours, which depends
        only on row numbers and on which states are equal. The state itself is never among them.
    distances : ndarray of float, shape (n_states, k)
        Euclidean distances between the states.
    """

    times: IntArray
    indices: IntArray
    distances: FloatArray
