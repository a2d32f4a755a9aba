"""From who is similar to which samples belong together: successors and predecessors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from predfeat._typing import AnyArray, FloatArray, IntArray
from predfeat.neighbors import NeighborTable
from predfeat.series import Sequences

__all__ = ["Neighborhoods", "find_neighborhoods", "future_neighborhoods", "past_neighborhoods"]


@dataclass(frozen=True)
class Neighborhoods:
    """Groups of samples that should lie close to each other, each around a centre.

    Attributes
    ----------
    centers : ndarray of int, shape (n_neighborhoods,)
        The node in the middle of each neighbourhood; no two neighbourhoods share it.
    members : sparse array of shape (n_neighborhoods, n_rows)
        1 where a node belongs to the neighbourhood, the centre not counted.
    weights : ndarray of shape (n_neighborhoods,), optional
        What every edge of a neighbourhood counts; 1 without.
    """

    centers: IntArray
    members: Any
    weights: FloatArray | None = None


def find_neighborhoods(
    table: NeighborTable, series: Sequences, n_lags: int, *, past: bool = True, horizon: int = 1
) -> list[Neighborhoods]:
    """Return the future neighbourhoods and, with `past`, the past ones.

    Parameters
    ----------
    table : NeighborTable
        The nearest states of every state.
    series : Sequences
        The samples the states were made of.
    n_lags : int
        Samples in a state, p.
    past : bool
        Whether predecessors are to lie close as well.
    horizon : int
        How many rows ahead of a state its successor lies, H; its predecessor lies as many before
        the state's oldest sample.

    Returns
    -------
    list of Neighborhoods

    Examples
    --------
    >>> from predfeat import nearest_neighbors
    >>> from predfeat.graph import find_neighborhoods
    >>> from predfeat.series import check_sequences
    >>> X = [[0.0], [5.0], [0.5], [5.2]]
    >>> table = nearest_neighbors(X, n_neighbors=1)
    >>> future, past = find_neighborhoods(table, check_sequences(X), n_lags=1)
    >>> future.centers.tolist()  # the successors of the states at rows 0, 1 and 2
    [1, 2, 3]
    """
    terms = [future_neighborhoods(table, series, horizon)]
    if past:
        terms.append(past_neighborhoods(table, series, n_lags, horizon))
    return terms


def future_neighborhoods(
    table: NeighborTable, series: Sequences, horizon: int = 1
) -> Neighborhoods:
    """Return for every state with a successor, `horizon` rows on, those of its neighbours."""
    return _shifted(table, series, horizon)


def past_neighborhoods(
    table: NeighborTable, series: Sequences, n_lags: int, horizon: int = 1
) -> Neighborhoods:
    """Return for every state with a predecessor those of its neighbours.

    It lies `horizon` rows before the state's oldest sample, n_lags - 1 rows back: in reversed time
    that sample is the newest one, and the predecessor lies as far ahead as the successor does now.
    """
    return _shifted(table, series, -(n_lags - 1 + horizon))


def _shifted(table: NeighborTable, series: Sequences, shift: int) -> Neighborhoods:
    # A row has a node when the shifted row is a sample of its own run: no edge leaves a run.
    has_node = series.reach(back=max(-shift, 0), ahead=max(shift, 0))
    used = has_node[table.times]
    centers = table.times[used] + shift
    neighbors = table.indices[used]
    present = has_node[neighbors]
    index_type = np.int32 if present.size < np.iinfo(np.int32).max else np.int64
    first = np.zeros(len(centers) + 1, dtype=index_type)
    np.cumsum(present.sum(axis=1), out=first[1:])
    nodes: AnyArray = neighbors[present].astype(index_type)
    nodes += shift
    del neighbors, present  # S × k numbers, no longer needed
    members = sparse.csr_array(
        (np.ones(len(nodes)), nodes, first), shape=(len(centers), series.n_rows)
    )
    return Neighborhoods(centers, members)
