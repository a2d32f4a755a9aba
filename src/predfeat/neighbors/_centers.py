"""Which states ask for their neighbours: all of them, or a sample if there are very many."""

from __future__ import annotations

from typing import Any

import numpy as np

from predfeat._compat import POSITIVE, StrOptions, whole_number
from predfeat._typing import IntArray
from predfeat.series import States

__all__ = ["CENTER_CONSTRAINTS", "choose_centers", "count_centers", "draw_positions"]

# All states are centres as long as that compares no more pairs than this many states do.
_EXACT_STATES = 50_000
# What is averaged over centres has an error that falls with the root of their number, however many
# states there are: that of this many is a seventieth of the error of one.
_FEWEST_CENTERS = 5_000

CENTER_CONSTRAINTS: dict[str, list[Any]] = {
    "n_centers": [POSITIVE, StrOptions({"auto"}), None],
    "random_state": [whole_number(0)],
}


def count_centers(n_states: int, n_centers: int | str | None = "auto") -> int:
    """Return how many states ask for their neighbours.

    Parameters
    ----------
    n_states : int
        All states.
    n_centers : int, "auto" or None, default="auto"
        How many are wanted; None means all. "auto" means all up to 50 000 states. Beyond, it is as
        many as compare the same number of pairs, but at least 5000.

    Returns
    -------
    int

    Examples
    --------
    >>> from predfeat.neighbors import count_centers
    >>> [count_centers(n) for n in (1_000, 50_000, 100_000, 500_000, 10_000_000)]
    [1000, 50000, 25000, 5000, 5000]
    >>> count_centers(5_000, 800), count_centers(500, 800), count_centers(10**6, None)
    (800, 500, 1000000)
    """
    if n_centers is None:
        return n_states
    if isinstance(n_centers, str):
        n_centers = max(_EXACT_STATES**2 // max(n_states, 1), _FEWEST_CENTERS)
    return min(int(n_centers), n_states)


def choose_centers(
    states: States, n_centers: int | str | None = "auto", random_state: int = 0
) -> States:
    """Draw the states that ask for their neighbours.

    The states are divided into as many parts as centres are wanted, equally long, and one is drawn
    from each: no stretch of time is left out, and no period is met again and again.

    Parameters
    ----------
    states : States
    n_centers : int, "auto" or None, default="auto"
        As in `count_centers`.
    random_state : int, default=0
        Seed.

    Returns
    -------
    States
        The same object if all states are centres.

    Examples
    --------
    >>> from predfeat.neighbors import choose_centers
    >>> from predfeat.series import check_sequences, find_states
    >>> states = find_states(check_sequences([[0.0]] * 100), n_lags=1, n_neighbors=0)
    >>> (choose_centers(states, 4).times // 25).tolist()
    [0, 1, 2, 3]
    >>> choose_centers(states) is states
    True
    """
    n_states = len(states)
    n_drawn = count_centers(n_states, n_centers)
    if n_drawn == n_states:
        return states
    drawn = draw_positions(n_states, n_drawn, random_state)
    return States(states.series, states.times[drawn], states.n_lags)


def draw_positions(n_states: int, n_drawn: int, random_state: int = 0) -> IntArray:
    """Return the positions of the states that `choose_centers` draws.

    Examples
    --------
    >>> from predfeat.neighbors import draw_positions
    >>> (draw_positions(100, 4) // 25).tolist()
    [0, 1, 2, 3]
    """
    borders = np.arange(n_drawn + 1) * n_states // n_drawn
    drawn: IntArray = np.random.default_rng(random_state).integers(borders[:-1], borders[1:])
    return drawn
