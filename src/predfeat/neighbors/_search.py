"""The single entry point through which all engines are called."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from predfeat._threads import count_threads
from predfeat._typing import FloatArray, IntArray
from predfeat.exceptions import DimensionError
from predfeat.neighbors._crowded import search_crowded
from predfeat.neighbors._crowds import find_crowds
from predfeat.neighbors._exclusion import Exclusion, find_exclusion
from predfeat.neighbors._question import Question
from predfeat.neighbors._registry import AUTO, choose_engine, find_engine
from predfeat.neighbors._table import NeighborTable
from predfeat.series import Sequences, States

__all__ = ["LARGEST_EXPONENT", "Answer", "answered", "search"]

# Of two in the largest number that is squared: far from overflow, and numbers down to 1e-298 of it
# still have squares that do not vanish.
LARGEST_EXPONENT = 480


def search(
    states: States,
    n_neighbors: int,
    *,
    library: States | None = None,
    theiler: int = 0,
    engine: str = AUTO,
    n_jobs: int | None = None,
    guess: IntArray | None = None,
) -> NeighborTable:
    """Find the nearest states of every state, as defined in `nearest_neighbors`.

    Parameters
    ----------
    states : States
        The queries.
    n_neighbors : int
        Neighbours per state.
    library : States, optional
        The states that may be neighbours, with the same number of lags and columns. None means the
        queries themselves. In a library of the same series (the same `Sequences` object), a state
        itself and its Theiler window are excluded; in one of another series, nothing is.
    theiler : int, default=0
        Rows excluded before and after each state.
    engine : str, default="auto"
        One of `ENGINES`.
    n_jobs : int, optional
        Threads.
    guess : ndarray of int, optional
        The indices of a table of the same states with the same library and `theiler`, such as
        that of the previous iteration. It may make the search quicker, and never changes the
        result of an exact engine.

    Returns
    -------
    NeighborTable
        `indices` are rows of the library's series.

    Examples
    --------
    >>> from predfeat.neighbors import search
    >>> from predfeat.series import check_sequences, find_states
    >>> old = find_states(check_sequences([[0.0], [1.0], [5.0]]), n_lags=1, n_neighbors=0)
    >>> new = find_states(check_sequences([[4.0], [0.2]]), n_lags=1, n_neighbors=0)
    >>> search(new, 1, library=old).indices.ravel().tolist()
    [2, 0]
    """
    library = states if library is None else library
    _refuse_unlike(states, library, theiler)
    if engine != AUTO:
        find_engine(engine, takes_library=library is not states)
    excluded = find_exclusion(states, library, n_neighbors, theiler)
    found = answered(states, library, n_neighbors, excluded, engine, n_jobs, guess)
    # In place: for many states, these are the largest arrays of a whole fit.
    squared = found.squared
    distances = np.ldexp(np.sqrt(squared, out=squared), -found.exponent, out=squared)
    return NeighborTable(states.times, library.times[found.positions], distances)


@dataclass(frozen=True, eq=False)
class Answer:
    """What an engine found.

    Attributes
    ----------
    positions : ndarray of int, shape (n_queries, n_neighbors)
        Positions in the library, nearest first.
    squared : ndarray of float, shape (n_queries, n_neighbors)
        Squared distances, times 2^(2 exponent).
    exponent : int
    query_places, library_places : ndarray of int
        By which ties were broken; see `Question`.
    """

    positions: IntArray
    squared: FloatArray
    exponent: int
    query_places: IntArray
    library_places: IntArray


def answered(
    states: States,
    library: States,
    n_neighbors: int,
    excluded: Exclusion,
    engine: str = AUTO,
    n_jobs: int | None = None,
    guess: IntArray | None = None,
) -> Answer:
    """Find the nearest states that are not excluded; every query has enough of them."""
    queries, scaled, exponent = _well_scaled(states, library)
    library_crowds = find_crowds(scaled)
    query_crowds = library_crowds if queries is scaled else find_crowds(queries)
    n_threads = count_threads(n_jobs)
    ask = partial(_ask, engine, n_threads)
    places = query_crowds.places, library_crowds.places
    question = Question(queries, scaled, n_neighbors, excluded, *places, guess)
    if library_crowds.are_larger_than(n_neighbors):
        positions, squared = search_crowded(question, query_crowds, library_crowds, n_threads, ask)
    else:
        positions, squared = ask(question)
    return Answer(positions, squared, exponent, *places)


def _ask(engine: str, n_threads: int, question: Question) -> tuple[IntArray, FloatArray]:
    if engine == AUTO:
        engine = choose_engine(question.queries, question.library)
    return find_engine(engine).search(question, n_threads)


def _refuse_unlike(states: States, library: States, theiler: int) -> None:
    n_columns, n_others = states.series.n_columns, library.series.n_columns
    if n_columns != n_others:
        raise DimensionError(
            f"the states have {n_columns} columns, but the library has {n_others}. Distances are "
            "between states with the same columns, in the same order."
        )
    if states.n_lags != library.n_lags:
        raise ValueError(
            f"the states have n_lags={states.n_lags}, but the library has "
            f"n_lags={library.n_lags}. Use the same for both."
        )
    if theiler and states.series is not library.series:
        raise ValueError(
            f"theiler={theiler} excludes rows of the same sequence, but the library is another "
            "series, so none of its rows is near in time. Leave theiler at 0."
        )


def _well_scaled(queries: States, library: States) -> tuple[States, States, int]:
    """Return both sides times 2^exponent, such that squares stay in the range of floats.

    A power of two changes no digit. The largest value becomes about 2^480: its square is far
    from overflow, and values down to 1e-298 of it still have squares that do not vanish.
    """
    largest = max(_largest(queries.series), _largest(library.series))
    exponent = LARGEST_EXPONENT - int(np.frexp(largest)[1])
    series = _times_power(library.series, exponent)
    scaled = States(series, library.times, library.n_lags)
    if queries is library:
        return scaled, scaled, exponent
    if queries.series is not library.series:
        series = _times_power(queries.series, exponent)
    return States(series, queries.times, queries.n_lags), scaled, exponent


def _largest(series: Sequences) -> float:
    return float(np.abs(series.rows).max(initial=0.0))


def _times_power(series: Sequences, exponent: int) -> Sequences:
    return series.with_rows(np.ldexp(series.rows, exponent))
