"""The sums of neighbourhoods: most of the work of projecting a graph."""

from __future__ import annotations

from predfeat._jit import is_loaded
from predfeat._typing import FloatArray
from predfeat.graph._neighborhoods import Neighborhoods

__all__ = ["add_member_sums"]


def add_member_sums(
    term: Neighborhoods, first: int, last: int, rows: FloatArray, onto: FloatArray
) -> None:
    """Add to every row of `onto` the weighted sum of the members of one neighbourhood.

    If compiled code is in memory, it sums in the same order as SciPy but passes over memory less
    often. If all members have weight 1, the bits are the same as well.

    Parameters
    ----------
    term : Neighborhoods
    first, last : int
        Neighbourhoods first … last - 1 are summed.
    rows : ndarray of shape (n_rows, n_columns), C order
    onto : ndarray of shape (last - first, n_columns)
    """
    members = term.members
    if not is_loaded():
        onto += members[first:last] @ rows
        return
    from predfeat.graph._kernels import add_members, add_weighted_members

    starts = members.indptr[first : last + 1]
    if term.has_unit_members:
        add_members(starts, members.indices, rows, onto)
    else:
        add_weighted_members(starts, members.indices, members.data, rows, onto)
