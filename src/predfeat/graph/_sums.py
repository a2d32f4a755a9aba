"""The sums of neighbourhoods: most of the work of projecting a graph."""

from __future__ import annotations

from typing import Any

from predfeat._jit import is_loaded
from predfeat._typing import FloatArray

__all__ = ["add_member_sums"]


def add_member_sums(
    members: Any, first: int, last: int, rows: FloatArray, onto: FloatArray
) -> None:
    """Add to every row of `onto` the sum of the members of one neighbourhood.

    Where compiled code is in memory it does the same in the same order, to the same bits, with
    less going to and fro.

    Parameters
    ----------
    members : sparse array of shape (n_neighborhoods, n_rows), csr
        1 where a node belongs to the neighbourhood.
    first, last : int
        Neighbourhoods first … last - 1 are summed.
    rows : ndarray of shape (n_rows, n_columns), C order
    onto : ndarray of shape (last - first, n_columns)
    """
    if not is_loaded():
        onto += members[first:last] @ rows
        return
    from predfeat.graph._kernels import add_members

    add_members(members.indptr[first : last + 1], members.indices, rows, onto)
