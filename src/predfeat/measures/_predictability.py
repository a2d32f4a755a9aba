"""The paper's measure, eq. (2): how much the next step varies between similar states."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any, Literal, overload

import numpy as np

from predfeat._compat import Interval, validate_parameter_constraints, whole_number
from predfeat._typing import ArrayLike, FloatArray
from predfeat.graph import projected_laplacian, shifted_neighborhoods
from predfeat.measures._given import given_features, in_given_units, moderate
from predfeat.neighbors import SEARCH_CONSTRAINTS, NeighborTable, search
from predfeat.series import Sequences, find_states

__all__ = [
    "VarianceLeftOpen",
    "conditional_covariance",
    "neighbors_with_successor",
    "predictability",
    "variance_left_open",
]

_STATES_AT_ONCE = 1 << 12


@overload
def predictability(
    Y: Any,
    n_lags: int = ...,
    n_neighbors: int = ...,
    *,
    horizon: int = ...,
    groups: ArrayLike | None = ...,
    relative: bool = ...,
    per_component: Literal[False] = ...,
    ddof: int = ...,
    theiler: int = ...,
    method: str = ...,
    n_jobs: int | None = ...,
) -> float: ...
@overload
def predictability(
    Y: Any,
    n_lags: int = ...,
    n_neighbors: int = ...,
    *,
    horizon: int = ...,
    groups: ArrayLike | None = ...,
    relative: bool = ...,
    per_component: Literal[True],
    ddof: int = ...,
    theiler: int = ...,
    method: str = ...,
    n_jobs: int | None = ...,
) -> FloatArray: ...
def predictability(
    Y: Any,
    n_lags: int = 1,
    n_neighbors: int = 10,
    *,
    horizon: int = 1,
    groups: ArrayLike | None = None,
    relative: bool = False,
    per_component: bool = False,
    ddof: int = 0,
    theiler: int = 0,
    method: str = "auto",
    n_jobs: int | None = None,
) -> float | FloatArray:
    r"""Lower is better: the variance of the next step that similar states leave open.

    .. math:: \mathrm{trace} \, \langle \mathrm{cov}\{ y_{i+H} : i \in K_t \} \rangle_t

    with :math:`K_t` the state at t and its nearest neighbours (eq. (2) of the paper, whose q is
    `n_neighbors` here, and which looks H = 1 step ahead). Neighbours are searched among the states
    that have a successor, so that every neighbourhood has q + 1 points.

    Parameters
    ----------
    Y : array-like of shape (n_rows, n_features) or (n_rows,)
        Features in time order; rows with a NaN are gaps.
    n_lags : int, default=1
        Samples in a state, p.
    n_neighbors : int, default=10
        Neighbours of each state, q.
    horizon : int, default=1
        How many steps ahead the successor lies, H. Of data sampled fast the next step is hardly
        another one, and nearly everything predicts it.
    groups : array-like of shape (n_rows,), optional
        Ids of the sequences.
    relative : bool, default=False
        Divide by the variance of Y (each feature's own with `per_component`): the share left to
        chance. A constant has 0.
    per_component : bool, default=False
        Return one value per feature; they add up to the whole (if not relative).
    ddof : int, default=0
        The covariance of q + 1 points is divided by q + 1 - ddof.
    theiler : int, default=0
        Leave out neighbours of the same sequence at most that many rows away.
    method, n_jobs
        As in `predfeat.nearest_neighbors`.

    Returns
    -------
    float, or ndarray of shape (n_features,)

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.measures import predictability
    >>> t = np.arange(500)
    >>> noise = np.random.default_rng(0).normal(size=500)
    >>> wave = np.sqrt(2) * np.sin(0.1 * t)
    >>> predictability(wave, n_lags=2) < 0.01
    True
    >>> 0.8 < predictability(noise, n_lags=2) < 1.0
    True

    A mean over ten steps tells the next one, but nothing about the one that shares none of them:

    >>> slow = np.convolve(noise, np.ones(10), mode="valid")
    >>> predictability(slow, relative=True) < 0.3
    True
    >>> predictability(slow, relative=True, horizon=10) > 0.8
    True
    """
    validate_parameter_constraints(
        {
            **SEARCH_CONSTRAINTS,
            "method": SEARCH_CONSTRAINTS["engine"],
            "horizon": [whole_number(1)],
            "ddof": [Interval(Integral, 0, 1, closed="both")],
        },
        {
            "n_neighbors": n_neighbors,
            "n_lags": n_lags,
            "horizon": horizon,
            "theiler": theiler,
            "method": method,
            "n_jobs": n_jobs,
            "ddof": ddof,
        },
        caller_name="predictability",
    )
    features = given_features(Y, groups)
    table = neighbors_with_successor(
        features, n_lags, n_neighbors, theiler, method, n_jobs, horizon=horizon
    )
    features, exponents = moderate(features)
    left = np.diag(conditional_covariance(features, table, ddof, horizon)).clip(min=0.0)
    whole = features.samples.var(axis=0)
    if relative and per_component:
        exponents = np.zeros_like(exponents)  # a share has no unit
    elif relative and np.any(whole > 0):
        # A share of the sum: only how the features compare counts.
        exponents = exponents - exponents[whole > 0].max()
    left = in_given_units(left, exponents, "predictability")
    if not per_component:
        whole = in_given_units(whole, exponents, "variance").sum(keepdims=True)
        left = left.sum(keepdims=True)
    if relative:
        left = np.divide(left, whole, out=np.zeros_like(left), where=whole > 0)
    return left if per_component else float(left[0])


@dataclass(frozen=True)
class VarianceLeftOpen:
    """How much the next sample varies around similar states: the mean, and for a typical state.

    The mean is eq. (2). It is mostly about the loudest moments, where a series has any: they count
    for less in the squared mean of the standard deviations. Where all moments are alike, both are
    the same.
    """

    mean: float
    typical: float


def variance_left_open(
    features: Sequences, n_lags: int, n_jobs: int | None = None, *, horizon: int = 1
) -> VarianceLeftOpen:
    """Measure features that were checked, with 10 neighbours or what states there are.

    For methods that judge their own features.
    """
    table = _ten_neighbors(features, n_lags, horizon, n_jobs)
    variances = np.empty(len(table.times))
    for start in range(0, len(table.times), _STATES_AT_ONCE):
        part = slice(start, start + _STATES_AT_ONCE)
        states = np.column_stack([table.times[part], table.indices[part]])
        variances[part] = features.rows[states + horizon].var(axis=1).sum(axis=1)
    return VarianceLeftOpen(float(variances.mean()), float(np.sqrt(variances).mean() ** 2))


def _ten_neighbors(
    features: Sequences, n_lags: int, horizon: int, n_jobs: int | None
) -> NeighborTable:
    n_states = len(features.state_times(n_lags, horizon))
    n_neighbors = max(1, min(10, n_states - 1))
    return neighbors_with_successor(features, n_lags, n_neighbors, n_jobs=n_jobs, horizon=horizon)


def neighbors_with_successor(
    features: Sequences,
    n_lags: int,
    n_neighbors: int,
    theiler: int = 0,
    method: str = "auto",
    n_jobs: int | None = None,
    *,
    horizon: int = 1,
) -> NeighborTable:
    """Return the neighbours of every state that has a successor, among those states."""
    states = find_states(features, n_lags, n_neighbors=n_neighbors, horizon=horizon)
    return search(states, n_neighbors, theiler=theiler, engine=method, n_jobs=n_jobs)


def conditional_covariance(
    features: Sequences, table: NeighborTable, ddof: int, horizon: int = 1
) -> FloatArray:
    """Return the covariance of the successors of a neighbourhood, averaged over all.

    The sum of the neighbourhoods' scatter matrices, each times its m points, is the projected
    Laplacian of the full graph: no array of neighbourhoods × points × features is needed.
    """
    n_points = table.indices.shape[1] + 1
    centred = features.rows - features.samples.mean(axis=0)  # scatter ignores the mean
    successors = shifted_neighborhoods(table, features, horizon, graph="full")
    scatter = projected_laplacian([successors], centred)
    mean: FloatArray = scatter.laplacian / (len(table.times) * n_points * (n_points - ddof))
    return mean
