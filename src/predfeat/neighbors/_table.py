"""The contract between neighbour search and everything after it."""

from __future__ import annotations

from dataclasses import dataclass

from predfeat._typing import FloatArray, IntArray

__all__ = ["NeighborTable"]


@dataclass(frozen=True)
class NeighborTable:
    """For every state its k nearest others, in its own series or in a library.

    Attributes
    ----------
    times : ndarray of int, shape (n_states,)
        Row of each state's newest sample, ascending.
    indices : ndarray of int, shape (n_states, k)
        Rows of the neighbours' newest samples, nearest first: of the same series, or of the
        library's where one was searched. Tied ones are in an order of their own for each state,
        which depends on nothing but row numbers and which states are equal. The state itself is
        never among them.
    distances : ndarray of float, shape (n_states, k)
        Euclidean distances between the states.
    """

    times: IntArray
    indices: IntArray
    distances: FloatArray
