"""Which symbols follow which contexts: the tables that `SymbolFeatures` analyses.

A context is the n_lags symbols before a symbol. Symbols that follow the same context, or similar
ones, should have similar features, so each row of a table is a neighbourhood.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from predfeat._typing import FloatArray, IntArray
from predfeat.exceptions import TooFewStatesError
from predfeat.neighbors import search
from predfeat.series import check_sequences, find_states

__all__ = ["Contexts", "equal_contexts", "shared_contexts", "similar_contexts"]


@dataclass(frozen=True)
class Contexts:
    """Contexts and how often each symbol follows them.

    Attributes
    ----------
    symbols : ndarray of int, shape (n_contexts, n_lags)
        The symbols of each context, newest first.
    table : sparse array of shape (n_contexts, n_symbols)
        How often each symbol follows each context.
    """

    symbols: IntArray
    table: Any


def equal_contexts(numbers: IntArray, times: IntArray, n_lags: int, n_symbols: int) -> Contexts:
    """Count what follows each context of full length.

    Parameters
    ----------
    numbers : ndarray of int, shape (n_rows,)
        The symbols, as numbers.
    times : ndarray of int
        The rows of symbols that have n_lags symbols before them.
    n_lags : int
        Symbols in a context, p.
    n_symbols : int
        Columns of the table: the symbols that occur at these times have smaller numbers.

    Returns
    -------
    Contexts

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.features import equal_contexts
    >>> found = equal_contexts(np.array([0, 1, 0, 1, 1]), np.arange(1, 5), 1, 2)
    >>> found.symbols.ravel(), found.table.toarray()
    (array([0, 1]), array([[0., 2.], [1., 1.]]))
    """
    labels = np.zeros(len(times), dtype=np.intp)
    for lag in range(1, n_lags + 1):
        labels = _extended(labels, numbers[times - lag])
    first = np.unique(labels, return_index=True)[1]
    symbols = numbers[times[first][:, None] - np.arange(1, n_lags + 1)]
    return Contexts(symbols, _counted(labels, numbers[times], n_symbols))


def shared_contexts(numbers: IntArray, times: IntArray, n_lags: int, n_symbols: int) -> Any:
    """Count what follows each context that is long, but not so long that it occurs only once.

    A context that occurs once has no second successor to compare its own with. So each sample
    counts under the longest of its contexts that it shares with another sample that shares no
    longer one; a context of one symbol is not shortened.

    Parameters
    ----------
    numbers, times, n_lags, n_symbols
        As in `equal_contexts`.

    Returns
    -------
    sparse array of shape (n_contexts, n_symbols)
        Every sample counts once.

    Examples
    --------
    The pair (0, 1) occurs twice. The three others occur once, and two of them end with 0:

    >>> import numpy as np
    >>> from predfeat.features import shared_contexts
    >>> numbers = np.array([0, 1, 0, 0, 1, 1, 0])
    >>> shared_contexts(numbers, np.arange(2, 7), 2, 2).toarray()
    array([[1., 1.], [1., 1.], [1., 0.]])
    """
    of_length = [np.zeros(len(times), dtype=np.intp)]
    for lag in range(1, n_lags + 1):
        of_length.append(_extended(of_length[-1], numbers[times - lag]))
    rows = np.full(len(times), -1)
    n_rows = 0
    for length in range(n_lags, 0, -1):
        open_ones = np.flatnonzero(rows < 0)
        labels = _renumbered(of_length[length][open_ones])
        is_shared = (np.bincount(labels) > 1)[labels] | (length == 1)
        kept = _renumbered(labels[is_shared])
        rows[open_ones[is_shared]] = n_rows + kept
        n_rows += int(kept.max(initial=-1)) + 1
    return _counted(rows, numbers[times], n_symbols)


def similar_contexts(
    contexts: Contexts,
    vectors: FloatArray,
    n_neighbors: int,
    *,
    engine: str = "auto",
    n_jobs: int | None = None,
) -> Any:
    """Average what follows each context with what follows those most similar in the features.

    A context lies where the vectors of its symbols say. Its neighbourhood is the context and its
    k nearest others; each weighs as often as it occurs. A context with a symbol that has no vector
    is its own neighbourhood.

    Parameters
    ----------
    contexts : Contexts
    vectors : ndarray of shape (n_symbols, n_components)
        The symbols' present features; symbols with larger numbers have none.
    n_neighbors : int
        Other contexts in each neighbourhood, k.
    engine, n_jobs
        As in `predfeat.nearest_neighbors`.

    Returns
    -------
    sparse array of shape (n_contexts, n_symbols)
        In each row the successors of a neighbourhood, scaled to the sum that the context has in
        `contexts.table`.

    Examples
    --------
    Symbols 0 and 1 have similar features, so what follows them is averaged; the nearest of 2 is 1:

    >>> import numpy as np
    >>> from predfeat.features import equal_contexts, similar_contexts
    >>> contexts = equal_contexts(np.array([0, 1, 2, 0, 2, 1, 0]), np.arange(1, 7), 1, 3)
    >>> similar_contexts(contexts, np.array([[0.0], [0.1], [1.0]]), 1).toarray()
    array([[0.5, 0.5, 1. ], [0.5, 0.5, 1. ], [1. , 0.5, 0.5]])
    """
    n_contexts = len(contexts.symbols)
    placed = np.flatnonzero((contexts.symbols < len(vectors)).all(axis=1))
    if len(placed) <= n_neighbors:
        raise TooFewStatesError(
            f"n_neighbors={n_neighbors} needs at least {n_neighbors + 1} different contexts, but "
            f"with n_lags={contexts.symbols.shape[1]} there are {len(placed)}. Use at most "
            f"n_neighbors={max(len(placed) - 1, 0)}, longer contexts (n_lags) or more data."
        )
    space = vectors[contexts.symbols[placed]].reshape(len(placed), -1)
    states = find_states(check_sequences(space), 1, n_neighbors=n_neighbors)
    found = search(states, n_neighbors, engine=engine, n_jobs=n_jobs)
    centres = np.concatenate([np.arange(n_contexts), np.repeat(placed, n_neighbors)])
    members = np.concatenate([np.arange(n_contexts), placed[found.indices.ravel()]])
    joined = sparse.csr_array(
        (np.ones(len(centres)), (centres, members)), shape=(n_contexts, n_contexts)
    )
    occurrences = contexts.table.sum(axis=1)
    weights = sparse.diags_array(occurrences / (joined @ occurrences))
    return sparse.csr_array(weights @ (joined @ contexts.table))


def _extended(labels: IntArray, numbers: IntArray) -> IntArray:
    """Return labels that are equal where both the labels and the numbers are."""
    # Both are smaller than the number of rows, so that the product stays within 64 bits.
    return _renumbered(labels * (int(numbers.max(initial=0)) + 1) + numbers)


def _renumbered(labels: IntArray) -> IntArray:
    return np.unique(labels, return_inverse=True)[1].reshape(-1)


def _counted(rows: IntArray, columns: IntArray, n_columns: int) -> Any:
    """Return how often each pair occurs."""
    shape = int(rows.max(initial=-1)) + 1, n_columns
    return sparse.csr_array((np.ones(len(rows)), (rows, columns)), shape=shape)
