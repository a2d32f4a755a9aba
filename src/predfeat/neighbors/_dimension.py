"""How many dimensions the states really fill, estimated from a few of them."""

from __future__ import annotations

import numpy as np

from predfeat.neighbors._ranking import squared_distances
from predfeat.series import States

__all__ = ["intrinsic_dimension"]

_QUERIES, _OTHERS, _NEIGHBORS = 48, 512, 12


def intrinsic_dimension(states: States) -> float:
    """Estimate the dimension that a KD-tree would have to cope with.

    Around each of a few states, the number of others within a distance grows with its d-th power;
    the maximum-likelihood estimate of d uses the 12 nearest among a few hundred others. So it is
    the dimension at the scale of these neighbours, which decides how many leaves of a tree are
    visited. It is at most the number of coordinates, which is also the answer if no estimate is
    possible, as when states coincide.
    """
    others = np.unique(np.linspace(0, len(states) - 1, _OTHERS).astype(np.intp))
    queries = others[:: max(1, len(others) // _QUERIES)]
    pairs = np.broadcast_arrays(queries[:, None], others)
    squared = squared_distances(states, states, pairs[0].reshape(-1), pairs[1].reshape(-1))
    squared = squared.reshape(len(queries), len(others))
    squared[pairs[0] == pairs[1]] = np.inf
    n_neighbors = min(_NEIGHBORS, len(others) - 1)
    nearest = np.sort(np.partition(squared, n_neighbors - 1, axis=1)[:, :n_neighbors], axis=1)
    apart = nearest[:, 0] > 0
    if n_neighbors < 2 or not apart.any():
        return float(states.dimension)
    # log(r_k / r_j) is exponentially distributed with rate d.
    spacing = 0.5 * np.log(nearest[apart, -1:] / nearest[apart, :-1])
    mean = float(spacing.mean())
    return min(float(states.dimension), 1.0 / mean) if mean > 0 else float(states.dimension)
