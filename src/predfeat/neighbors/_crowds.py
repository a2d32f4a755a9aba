"""Crowds: states that are equal to the last bit, and the order in which tied states are taken.

Silence, counts, and clipped or quantised sensors give thousands of equal states, all tied. A rule
by row number would give all of them the same k neighbours, and every measurement around them would
be about those k rows. So every state has a place on a circle. Among states tied at the border, a
state takes the ones that come next after its own place. Members of a crowd are spread evenly over
the circle, in an order shuffled by a hash of their rows: each of them is then a neighbour as often
as any other, which independent draws could not guarantee. Crowds are rotated against each other by
a hash as well.

Queries from another series get the places they would have among themselves: equal ones are also
spread evenly, and draw different states from a library. In a series that searches a copy of itself,
every state finds its own copy first, and then what it finds in its own series.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from predfeat._typing import AnyArray, IntArray
from predfeat.series import States

__all__ = ["CIRCLE", "Crowds", "find_crowds", "steps_ahead"]

CIRCLE = 1 << 32  # number of places


@dataclass(frozen=True)
class Crowds:
    """Which states are equal, and where they stand on the circle.

    Attributes
    ----------
    places : ndarray of int, shape (n_states,)
        Place of each state on the circle, below `CIRCLE`.
    number : ndarray of int, shape (n_states,)
        The crowd of each state; crowds are numbered as they first appear.
    first : ndarray of int, shape (n_crowds,)
        Position of each crowd's first member.
    members : ndarray of int, shape (n_states,)
        Positions of all states, crowd after crowd, each in its order round the circle.
    start, size : ndarray of int, shape (n_crowds,)
        Where each crowd's members begin among them, and how many there are.
    turn : ndarray of int, shape (n_crowds,)
        Place of each crowd's first member on the circle.
    """

    places: IntArray
    number: IntArray
    first: IntArray
    members: IntArray
    start: IntArray
    size: IntArray
    turn: IntArray

    def __len__(self) -> int:
        return len(self.first)

    def are_larger_than(self, n_neighbors: int) -> bool:
        """Tell whether states have, on average, more equal states than `n_neighbors`.

        A search among all states would then mostly visit equal ones.
        """
        return bool(np.square(self.size.astype(float)).sum() > len(self.number) * (n_neighbors + 1))

    @cached_property
    def places_in_time(self) -> IntArray:
        """Crowd and position of every state as one number, ascending."""
        by_position = np.argsort(self.number, kind="stable")
        keys: IntArray = self.number[by_position] * len(self.number) + by_position
        return keys

    def count_between(self, crowd: IntArray, first: IntArray, stop: IntArray) -> IntArray:
        """Return how many members of a crowd have positions first … stop - 1."""
        n_states = len(self.number)
        begin, end = (
            np.searchsorted(self.places_in_time, crowd * n_states + edge) for edge in (first, stop)
        )
        counts: IntArray = end - begin
        return counts

    def next_rank(self, crowd: IntArray, place: IntArray) -> IntArray:
        """Return the rank of a crowd's first member at or after a place."""
        ahead = (place - self.turn[crowd]) % CIRCLE
        rank: IntArray = -(-ahead * self.size[crowd] // CIRCLE) % self.size[crowd]
        return rank


def find_crowds(states: States) -> Crowds:
    """Find the equal states, and give every state its place on the circle."""
    shuffled = _hashed(states.times)
    numbered = _numbered_states(states)
    if numbered is None:
        everyone = np.arange(len(states))
        alone = np.ones(len(states), dtype=np.intp)
        return Crowds(shuffled, everyone, everyone, everyone, everyone, alone, shuffled)
    first, number = _by_appearance(numbered)
    size = np.bincount(number)
    start = np.cumsum(size) - size
    members = np.lexsort((shuffled, number))
    rank = np.empty(len(states), dtype=np.int64)
    rank[members] = np.arange(len(states)) - start[number[members]]
    turn = shuffled[first]
    places = (turn[number] + rank * CIRCLE // size[number]) % CIRCLE
    return Crowds(places, number, first, members, start, size, turn)


def steps_ahead(place: IntArray, other: IntArray) -> IntArray:
    """Return how many steps round the circle it takes from a place to each other place."""
    steps: IntArray = (other - place) % CIRCLE
    return steps


def _hashed(rows: IntArray) -> IntArray:
    """Mix row numbers so that their order is lost (the finaliser of SplitMix64, upper half)."""
    mixed = rows.astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return ((mixed ^ (mixed >> np.uint64(31))) >> np.uint64(32)).astype(np.int64)


def _by_appearance(number: IntArray) -> tuple[IntArray, IntArray]:
    """Return the first member of every crowd, and the crowds numbered as they first appear."""
    _, first, inverse = np.unique(number, return_index=True, return_inverse=True)
    order = np.argsort(first)
    renumbered = np.empty_like(order)
    renumbered[order] = np.arange(len(order))
    return first[order], renumbered[inverse]


def _numbered_states(states: States) -> IntArray | None:
    """Return equal numbers for equal states only; None if all states differ.

    Equal samples get equal numbers; windows of two numbers are numbered in turn, windows of four
    from these, and so on up to the largest power of two within p lags. Two such windows, which may
    overlap, form a state. So nothing is embedded, and long states cost little more than short
    ones.
    """
    numbers = _numbered_rows(states)
    if numbers is None:
        return None
    length = 1
    while 2 * length <= states.n_lags:
        numbers = _paired(numbers, length)
        length *= 2
    if length < states.n_lags:
        numbers = _paired(numbers, states.n_lags - length)
    return numbers[states.times]


def _numbered_rows(states: States) -> IntArray | None:
    """Return equal numbers for equal rows; None if the states' newest rows all differ.

    Rows are distinguished by a fingerprint. If two different rows ever have the same one, they
    are compared number by number.
    """
    rows = np.ascontiguousarray(states.series.rows + 0.0)  # -0 + 0 is 0: both zeros are equal
    factors = 2 * _hashed(np.arange(rows.shape[1])).astype(np.uint64) + np.uint64(1)
    bits = rows.view(np.uint64)
    # The upper half of the bits, where small whole numbers differ, must reach the lower half.
    prints = ((bits ^ (bits >> np.uint64(32))) * factors).sum(axis=1, dtype=np.uint64)
    newest = np.sort(prints[states.times])
    if not np.any(newest[1:] == newest[:-1]):
        return None
    _, first, numbers = np.unique(prints, return_index=True, return_inverse=True)
    if not np.array_equal(rows[first[numbers]], rows, equal_nan=True):
        numbers = _numbered(rows.view(np.dtype((np.void, rows.shape[1] * rows.itemsize)))[:, 0])
    return numbers.astype(np.int64)


def _paired(numbers: IntArray, distance: int) -> IntArray:
    """Number the pairs of each row and the row `distance` before it, if there is one."""
    earlier = numbers[np.maximum(np.arange(len(numbers)) - distance, 0)]
    return _numbered(numbers * len(numbers) + earlier)


def _numbered(values: AnyArray) -> IntArray:
    numbers: IntArray = np.unique(values, return_inverse=True)[1]
    return numbers.astype(np.int64)
