"""How much of the next step similar states leave open: one neighbour search, many numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from predfeat._compat import WINDOW, validate_parameter_constraints, whole_number
from predfeat._typing import ArrayLike, FloatArray, IntArray
from predfeat.graph import projected_laplacian, shifted_neighborhoods
from predfeat.measures._input import as_features, as_sequences, in_given_units, moderate
from predfeat.neighbors import (
    CENTER_CONSTRAINTS,
    SEARCH_CONSTRAINTS,
    NeighborTable,
    choose_centers,
    fewest_candidates,
    search,
)
from predfeat.series import Sequences, find_states

__all__ = [
    "MEASURE_CONSTRAINTS",
    "LeftOpen",
    "available_neighbors",
    "count_pairs",
    "left_open",
    "neighbors_with_successor",
    "summed_scatter",
]

# The parameters of a search, and how far ahead the measure looks.
MEASURE_CONSTRAINTS: dict[str, list[Any]] = {
    **SEARCH_CONSTRAINTS,
    "horizon": [whole_number(1)],
}

_USUAL_NEIGHBORS = 10
_STATES_AT_ONCE = 1 << 12


def left_open(
    Y: Any,
    n_lags: int = 1,
    n_neighbors: int | None = 10,
    *,
    horizon: int = 1,
    groups: ArrayLike | None = None,
    theiler: int = 0,
    n_centers: int | str | None = "auto",
    random_state: int = 0,
    engine: str = "auto",
    n_jobs: int | None = None,
) -> LeftOpen:
    """Measure how much of the next step similar states leave open, in one neighbour search.

    A state and its nearest neighbours form a neighbourhood. If the state determines what follows,
    the successors of a neighbourhood lie close together; if it says nothing about it, they vary as
    much as the features do. Neighbours are searched among the states that have a successor, so
    every neighbourhood has the same number of points.

    Parameters
    ----------
    Y : array-like of shape (n_rows, n_features) or (n_rows,), or Sequences
        Features in time order; rows with a NaN are gaps.
    n_lags : int, default=1
        Samples in a state, p.
    n_neighbors : int or None, default=10
        Neighbours of each state, q. None takes as many as `available_neighbors` finds: ten, or
        fewer if there are not enough states.
    horizon : int, default=1
        How many steps ahead the successor lies, H.
    groups : array-like of shape (n_rows,), optional
        Ids of the sequences. `Sequences` have their own.
    theiler : int, default=0
        Leave out neighbours of the same sequence at most that many rows away.
    n_centers : int, "auto" or None, default="auto"
        How many states ask for their neighbours, each among all states. None means all. "auto"
        means all up to 50 000 states, and beyond that a sample; see
        `predfeat.neighbors.count_centers`.
    random_state : int, default=0
        Seed of that sample.
    engine, n_jobs
        As in `predfeat.nearest_neighbors`.

    Returns
    -------
    LeftOpen
        Variances, shares and the typical variance, all from the same neighbours.

    See Also
    --------
    predictability : one of these numbers, as defined in the paper.
    nested_shares : shares that judge the features one by one.

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.measures import left_open
    >>> noise = np.random.default_rng(0).normal(size=2000)
    >>> found = left_open(np.column_stack([np.sin(0.1 * np.arange(2000)), noise]))
    >>> found.shares().round(1)  # of each feature's own variance
    array([0., 1.])
    >>> round(found.share(), 1)  # the wave has a third of all variance
    0.7
    >>> round(found.total(), 1)  # eq. (2): nearly all of the noise, which has variance 1
    0.9
    """
    validate_parameter_constraints(
        {**MEASURE_CONSTRAINTS, **CENTER_CONSTRAINTS, "n_neighbors": [whole_number(1), None]},
        {
            "n_neighbors": n_neighbors,
            "n_lags": n_lags,
            "horizon": horizon,
            "theiler": theiler,
            "n_centers": n_centers,
            "random_state": random_state,
            "engine": engine,
            "n_jobs": n_jobs,
        },
        caller_name="left_open",
    )
    features = as_features(Y, groups)
    if n_neighbors is None:
        # If there are none, the search for one raises an error that says why.
        n_neighbors = max(
            1, available_neighbors(features, n_lags, horizon=horizon, theiler=theiler)
        )
    states = find_states(features, n_lags, n_neighbors=n_neighbors, horizon=horizon)
    centers = choose_centers(states, n_centers, random_state)
    table = search(
        centers, n_neighbors, library=states, theiler=theiler, engine=engine, n_jobs=n_jobs
    )
    return LeftOpen(features, table, horizon)


@dataclass(frozen=True, eq=False)
class LeftOpen:
    r"""How much the next step varies between similar states, as `left_open` finds it.

    Everything follows from the covariance of the successors of a neighbourhood, averaged over all
    neighbourhoods,

    .. math:: \langle \mathrm{cov}\{ y_{i+H} : i \in K_t \} \rangle_t

    with :math:`K_t` the state at t and its nearest neighbours. Each covariance of q + 1 points is
    divided by q + 1 - ddof. With ddof=0 the trace is eq. (2) of the paper. With ddof=1 there is no
    bias, however few neighbours there are: noise leaves a share of 1 open.

    Attributes
    ----------
    features : Sequences
        The features that were measured.
    neighbors : NeighborTable
        The neighbours of the states that have a successor, among these states: of all, or of the
        sample that was drawn.
    horizon : int
        How many steps ahead the successor lies, H.
    """

    features: Sequences
    neighbors: NeighborTable
    horizon: int = 1

    def variances(self, ddof: int = 0) -> FloatArray:
        """Return the variance of each feature that is left open, of shape (n_features,)."""
        return in_given_units(self._scaled_variances(ddof), self._exponents, "variance left open")

    def total(self, ddof: int = 0) -> float:
        """Return the sum of the variances; with ddof=0 it is eq. (2), the paper's measure."""
        return float(self.variances(ddof).sum())

    def shares(self, ddof: int = 1) -> FloatArray:
        """Return the share of each feature's variance that is left open, of shape (n_features,).

        It is 0 for a constant.
        """
        left, whole = self._scaled_variances(ddof), self._whole  # a share has no unit
        share: FloatArray = np.divide(left, whole, out=np.zeros_like(left), where=whole > 0)
        return share

    def share(self, ddof: int = 1) -> float:
        """Return the share of the features' total variance that is left open.

        It is 0 for constants.
        """
        whole, exponents = self._whole, self._exponents
        if np.any(whole > 0):  # only the relative sizes of the features matter
            exponents = exponents - exponents[whole > 0].max()
        variance = float(in_given_units(whole, exponents, "variance").sum())
        left = in_given_units(self._scaled_variances(ddof), exponents, "variance left open")
        return float(left.sum()) / variance if variance > 0 else 0.0

    @cached_property
    def by_state(self) -> FloatArray:
        """The variance left open around each state, of shape (n_states,).

        It is summed over the features, with ddof=0, so its mean is `total()`.
        """
        rows, times, indices = self._scaled.rows, self.neighbors.times, self.neighbors.indices
        variances = np.empty(len(times))
        for start in range(0, len(times), _STATES_AT_ONCE):
            part = slice(start, start + _STATES_AT_ONCE)
            states = np.column_stack([times[part], indices[part]])
            around = rows[states + self.horizon].var(axis=1)
            variances[part] = in_given_units(around, self._exponents, "variance left open").sum(
                axis=1
            )
        return variances

    @property
    def typical(self) -> float:
        """The variance left open around a typical state, ddof=0: the squared mean deviation.

        The mean variance, eq. (2), is dominated by the loudest moments, if a series has any. They
        count for less in the mean of the standard deviations, whose square this is. If all moments
        are alike, both are the same.
        """
        return float(np.sqrt(self.by_state).mean() ** 2)

    def _scaled_variances(self, ddof: int) -> FloatArray:
        if ddof not in (0, 1):
            raise ValueError(
                f"ddof={ddof!r} must be 0, to divide by the number of points as in eq. (2), or 1, "
                "to divide by one less."
            )
        return self._scatter / count_pairs(self.neighbors, ddof)

    @cached_property
    def _scatter(self) -> FloatArray:
        scatter = summed_scatter(self._scaled, self.neighbors, [self.horizon])
        return np.diag(scatter).clip(min=0.0)

    @cached_property
    def _moderate(self) -> tuple[Sequences, IntArray]:
        return moderate(self.features)

    @property
    def _scaled(self) -> Sequences:
        return self._moderate[0]

    @property
    def _exponents(self) -> IntArray:
        return self._moderate[1]

    @cached_property
    def _whole(self) -> FloatArray:
        """The variance of each feature, in the units of the variances left open."""
        return np.asarray(self._scaled.samples.var(axis=0))


def available_neighbors(
    Y: Any,
    n_lags: int = 1,
    *,
    at_most: int | None = _USUAL_NEIGHBORS,
    horizon: int = 1,
    groups: ArrayLike | None = None,
    theiler: int = 0,
) -> int:
    """Return how many neighbours every state can have, but no more than the usual ten.

    This is the rule for data of any length: ten neighbours, or fewer if there are not enough
    states. To compare two series, use the same number for both: the smaller of the two.

    Parameters
    ----------
    Y : array-like of shape (n_rows, n_features) or (n_rows,), or Sequences
        Features in time order; rows with a NaN are gaps.
    n_lags : int, default=1
        Samples in a state, p.
    at_most : int or None, default=10
        The largest number to return. None sets no limit.
    horizon : int, default=1
        Count only states that have a sample this many rows ahead. With 0 all states count.
    groups : array-like of shape (n_rows,), optional
        Ids of the sequences.
    theiler : int, default=0
        Leave out neighbours of the same sequence at most that many rows away.

    Returns
    -------
    int
        0 if some state has no possible neighbour, or there is no state.

    Examples
    --------
    >>> from predfeat.measures import available_neighbors
    >>> available_neighbors([1.0, 2.0, 3.0, 4.0, 5.0])  # 4 of them have a successor
    3
    >>> available_neighbors([1.0, 2.0, 3.0, 4.0, 5.0], theiler=1, horizon=0)
    2
    >>> available_neighbors(range(100)), available_neighbors(range(100), at_most=None)
    (10, 98)
    """
    validate_parameter_constraints(
        {
            "n_lags": [whole_number(1)],
            "at_most": [whole_number(0), None],
            "horizon": [whole_number(0)],
            "theiler": [WINDOW],
        },
        {"n_lags": n_lags, "at_most": at_most, "horizon": horizon, "theiler": theiler},
        caller_name="available_neighbors",
    )
    features = as_sequences(Y, groups)
    if not features.reach(back=n_lags - 1, ahead=horizon).any():
        return 0
    states = find_states(features, n_lags, n_neighbors=0, horizon=horizon)
    available = fewest_candidates(states, theiler)
    return available if at_most is None else min(at_most, available)


def neighbors_with_successor(
    features: Sequences,
    n_lags: int,
    n_neighbors: int,
    theiler: int = 0,
    engine: str = "auto",
    n_jobs: int | None = None,
    *,
    horizon: int = 1,
) -> NeighborTable:
    """Return the neighbours of every state that has a successor, among those states."""
    states = find_states(features, n_lags, n_neighbors=n_neighbors, horizon=horizon)
    return search(states, n_neighbors, theiler=theiler, engine=engine, n_jobs=n_jobs)


def summed_scatter(features: Sequences, table: NeighborTable, shifts: Sequence[int]) -> FloatArray:
    """Return the sum over neighbourhoods of the scatter matrix times the number of points.

    A neighbourhood holds the samples that lie `shift` rows after (before, if negative) a state and
    its neighbours, for each of the shifts. The sum is the projected Laplacian of the full graph: no
    array of neighbourhoods × points × features is needed. Divided by `count_pairs` of each shift,
    it is the mean covariance.
    """
    terms = [shifted_neighborhoods(table, features, shift, graph="full") for shift in shifts]
    centred = features.rows - features.samples.mean(axis=0)  # scatter ignores the mean
    return projected_laplacian(terms, centred).laplacian


def count_pairs(table: NeighborTable, ddof: int) -> int:
    """Return the divisor of `summed_scatter` of one shift: S m (m - ddof) for m points each."""
    n_points = int(table.indices.shape[1]) + 1
    return len(table.times) * n_points * (n_points - ddof)
