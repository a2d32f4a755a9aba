"""How many of the true neighbours a table holds."""

from __future__ import annotations

import numpy as np

from predfeat.exceptions import DimensionError
from predfeat.neighbors._search import search
from predfeat.neighbors._table import NeighborTable
from predfeat.series import States

__all__ = ["recall"]

# Two neighbours whose distances agree to this share are tied, and either is a true one.
_TIE = 1e-9


def recall(
    table: NeighborTable,
    states: States,
    *,
    library: States | None = None,
    theiler: int = 0,
    n_queries: int = 200,
    random_state: int = 0,
    n_jobs: int | None = None,
) -> float:
    """Return the share of the true neighbours that a table holds, from a sample of its states.

    Higher is better; exact engines have 1. For a sample of the states, the neighbours are searched
    exactly. Those of the table that are no farther than the k-th of these are true ones.

    Parameters
    ----------
    table : NeighborTable
        What an approximate engine found.
    states : States
        The states that were searched, or more: the table's are found among them.
    library : States, optional
        The library that was searched, if not `states`.
    theiler : int, default=0
        The window of that search.
    n_queries : int, default=200
        How many states to search exactly; at most as many as the table has.
    random_state : int, default=0
        Seed of the sample.
    n_jobs : int, optional
        Threads.

    Returns
    -------
    float
        With 200 queries and 10 neighbours, its standard error is usually below 0.02.

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.neighbors import NeighborTable, recall, search
    >>> from predfeat.series import check_sequences, find_states
    >>> X = np.random.default_rng(0).normal(size=(300, 2))
    >>> states = find_states(check_sequences(X), n_lags=1, n_neighbors=4)
    >>> found = search(states, 4)
    >>> recall(found, states)
    1.0

    Half of the neighbours replaced by others that are farther away:

    >>> farther = search(states, 12)
    >>> columns = [0, 1, 10, 11]
    >>> half = NeighborTable(
    ...     found.times, farther.indices[:, columns], farther.distances[:, columns]
    ... )
    >>> recall(half, states)
    0.5
    """
    library = states if library is None else library
    if not np.isin(table.times, states.times).all():
        raise DimensionError(
            "the table holds states that are not among the given ones. Give the states that were "
            "searched."
        )
    n_asked = min(n_queries, len(table.times))
    drawn = np.random.default_rng(random_state).choice(len(table.times), n_asked, replace=False)
    drawn.sort()
    asking = States(states.series, table.times[drawn], states.n_lags)
    n_neighbors = table.distances.shape[1]
    exact = search(asking, n_neighbors, library=library, theiler=theiler, n_jobs=n_jobs)
    farthest = exact.distances[:, -1:] * (1.0 + _TIE)
    return float(np.mean(table.distances[drawn] <= farthest))
