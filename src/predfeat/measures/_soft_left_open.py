"""What similar states leave open, as a smooth function of the features, with its gradient."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import ceil
from numbers import Real
from types import ModuleType
from typing import Any

import numpy as np

from predfeat._compat import Interval, StrOptions, validate_parameter_constraints, whole_number
from predfeat._jit import is_available
from predfeat._threads import count_threads, map_blocks
from predfeat._typing import ArrayLike, FloatArray, IntArray
from predfeat.exceptions import DimensionError, RankError
from predfeat.measures._input import as_features
from predfeat.measures._left_open import MEASURE_CONSTRAINTS
from predfeat.neighbors import fewest_candidates, search
from predfeat.series import Sequences, find_states

__all__ = [
    "SoftLeftOpen",
    "SoftNeighborhoods",
    "power_mean",
    "soft_left_open",
    "soft_neighborhoods",
]

# A variance is never taken to be less than this share of the features' own: the logarithm of
# equal successors, zero, has no end. It stands for a deviation of a thousandth.
SMALLEST_SHARE = 1e-6
# Each block of states adds to a gradient of its own, so there are few blocks, and as many
# whatever the number of threads: the sums have a fixed order.
_MAX_BLOCKS, _MIN_STATES_IN_BLOCK = 8, 1024


@dataclass(frozen=True)
class SoftNeighborhoods:
    r"""Which states are compared with each state, and how fast their weights fall.

    The weight of member i in the neighbourhood of state t is

    .. math:: w_{ti} \propto \exp(-d_{ti}^2 / b_t)

    with d the distance of the states in the features at hand, and b the bandwidth.

    Attributes
    ----------
    times : ndarray of int, shape (n_states,)
        The row of each state.
    members : ndarray of int, shape (n_states, n_members)
        The rows of the states that it is compared with, never itself.
    bandwidths : ndarray of shape (n_states,)
        b of each state, in squared units of the features.
    n_lags, horizon : int
        Samples in a state, and steps from a state to its successor.
    """

    times: IntArray
    members: IntArray
    bandwidths: FloatArray
    n_lags: int
    horizon: int


class SoftLeftOpen:
    """What soft neighbourhoods leave open; see `soft_left_open`.

    Attributes
    ----------
    value : float
        The objective; lower is better.
    by_state : ndarray of shape (n_states,)
        The variance left open around each state, summed over the features.
    """

    def __init__(self, value: float, by_state: FloatArray, differentiate: Callable[[], FloatArray]):
        self.value, self.by_state, self._differentiate = value, by_state, differentiate

    @cached_property
    def gradient(self) -> FloatArray:
        """The derivative of the value by every number of the features, computed when asked for.

        For features Y = Z A, the derivative by A is Z.T @ gradient.
        """
        return self._differentiate()


def soft_neighborhoods(
    Y: Any,
    n_lags: int = 1,
    n_neighbors: int = 10,
    *,
    horizon: int = 1,
    groups: ArrayLike | None = None,
    theiler: int = 0,
    every: int = 1,
    engine: str = "auto",
    n_jobs: int | None = None,
    guess: IntArray | None = None,
) -> SoftNeighborhoods:
    """Find the states that each state is compared with: twice as many as `n_neighbors`.

    The bandwidth of a neighbourhood is the mean squared distance of its `n_neighbors` nearest
    states. In few dimensions the weights of the others vanish before the last; in many, all
    distances are nearly the same, and so are the weights.

    Parameters
    ----------
    Y : array-like of shape (n_rows, n_features) or (n_rows,), or Sequences
        Features in time order; rows with a NaN are gaps.
    n_lags : int, default=1
        Samples in a state, p.
    n_neighbors : int, default=10
        Neighbours that set the bandwidth, k. Twice as many, or all if there are fewer, are members.
    horizon : int, default=1
        How many steps ahead the successor lies, H.
    groups : array-like of shape (n_rows,), optional
        Ids of the sequences.
    theiler : int, default=0
        Leave out states of the same sequence at most that many rows away.
    every : int, default=1
        Of the nearest states, take only every n-th, until there are as many as usual:
        neighbourhoods are wider, and the objective costs the same.
    engine, n_jobs
        As in `predfeat.nearest_neighbors`.
    guess : ndarray of int, optional
        The members of earlier neighbourhoods, to search faster.

    Returns
    -------
    SoftNeighborhoods

    Examples
    --------
    >>> from predfeat.measures import soft_neighborhoods
    >>> soft_neighborhoods([0.0, 1.0, 3.0, 6.0, 10.0], n_neighbors=1).members.tolist()
    [[1, 2], [0, 2], [1, 0], [2, 1]]
    """
    validate_parameter_constraints(
        {**MEASURE_CONSTRAINTS, "every": [whole_number(1)]},
        {
            "n_neighbors": n_neighbors,
            "n_lags": n_lags,
            "horizon": horizon,
            "theiler": theiler,
            "every": every,
            "engine": engine,
            "n_jobs": n_jobs,
        },
        caller_name="soft_neighborhoods",
    )
    features = as_features(Y, groups)
    states = find_states(features, n_lags, n_neighbors=n_neighbors, horizon=horizon)
    # If not even `n_neighbors` are there, the search raises an error that says so.
    n_nearest = min(2 * n_neighbors * every, fewest_candidates(states, theiler))
    table = search(
        states,
        max(n_nearest, n_neighbors * every),
        theiler=theiler,
        engine=engine,
        n_jobs=n_jobs,
        guess=guess,
    )
    chosen = slice(every - 1, None, every)
    squared = np.square(table.distances[:, chosen])
    members = np.ascontiguousarray(table.indices[:, chosen])
    bandwidths = squared[:, :n_neighbors].mean(axis=1)
    return SoftNeighborhoods(table.times, members, bandwidths, n_lags, horizon)


def soft_left_open(
    Y: Any,
    neighborhoods: SoftNeighborhoods,
    *,
    power: float = 2,
    form: str = "trace",
    relative: bool = False,
    groups: ArrayLike | None = None,
    n_jobs: int | None = None,
) -> SoftLeftOpen:
    r"""Measure what similar states leave open, with soft weights, and differentiate it.

    Around each state, the successors of the members scatter about its own:

    .. math:: C_t = \frac12 \sum_i w_{ti} (y_{t+H} - y_{i+H}) (y_{t+H} - y_{i+H})^T

    Half of the squared difference of two values that have nothing to do with each other is their
    variance, so noise leaves exactly its variance open, however few members there are. The
    objective is the mean over states of (tr C)^{q/2}, with q the power. The weights follow the
    features: the gradient knows that moving the features changes which states are similar.
    Members and bandwidths are those of the neighbourhoods, and do not move.

    Parameters
    ----------
    Y : array-like of shape (n_rows, n_features) or (n_rows,), or Sequences
        Features in time order; rows with a NaN are gaps.
    neighborhoods : SoftNeighborhoods
        Those of these features, or of nearby ones of the same series.
    power : float, default=2
        q. 2 is the mean variance, eq. (1) of the paper; 1 the mean deviation, in which loud moments
        count for less; 0 the mean of ½ log tr C, the information that is missing, in nats. For
        powers below 2, C has a floor of 1e-6 of the features' own variance.
    form : {"trace", "determinant"}, default="trace"
        With power=0, "determinant" takes ½ log det C instead: up to a constant, the entropy of
        the next step if it is Gaussian around each state.
    relative : bool, default=False
        Divide C by the features' own variance, or with "determinant" by their covariance. Noise
        then has the value 1, or 0 as a logarithm.
    groups : array-like of shape (n_rows,), optional
        Ids of the sequences.
    n_jobs : int, optional
        Threads. The result does not depend on it.

    Returns
    -------
    SoftLeftOpen

    See Also
    --------
    left_open : the same with hard neighbourhoods, as the paper measures it.

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.measures import soft_left_open, soft_neighborhoods
    >>> x = [0.3]
    >>> for _ in range(999):
    ...     x.append(3.9 * x[-1] * (1 - x[-1]))
    >>> noise = np.random.default_rng(0).normal(size=1000)
    >>> for y in (x, noise):
    ...     print(round(soft_left_open(y, soft_neighborhoods(y), relative=True).value, 1))
    0.0
    1.0
    """
    validate_parameter_constraints(
        {
            "power": [Interval(Real, 0, 2, closed="both")],
            "form": [StrOptions({"trace", "determinant"})],
            "relative": ["boolean"],
            "n_jobs": MEASURE_CONSTRAINTS["n_jobs"],
        },
        {"power": power, "form": form, "relative": relative, "n_jobs": n_jobs},
        caller_name="soft_left_open",
    )
    features = as_features(Y, groups)
    _refuse_mismatch(features, neighborhoods, power, form)
    blocks = _Blocks(features, neighborhoods, whole=form == "determinant", n_jobs=n_jobs)
    scatter = blocks.weigh()
    own = _Own.of(features)
    if form == "determinant":
        value, metric, of_own = _log_determinant(scatter, own, relative)
    else:
        value, metric, of_own = _power_of_trace(scatter[:, 0, 0], own, power, relative)

    def differentiate() -> FloatArray:
        gradient = blocks.pull(metric)
        gradient[features.valid] += 2.0 / own.n_samples * (own.centred @ of_own)
        return gradient

    return SoftLeftOpen(value, np.trace(scatter, axis1=1, axis2=2), differentiate)


class _Blocks:
    """The neighbourhoods in a few blocks, for several threads."""

    def __init__(
        self, features: Sequences, around: SoftNeighborhoods, whole: bool, n_jobs: int | None
    ):
        self.rows, self.around = np.ascontiguousarray(features.rows), around
        n_states = len(around.times)
        size = features.n_columns if whole else 1
        self.scatter = np.empty((n_states, size, size))
        self.weights = np.empty(around.members.shape)
        n_blocks = min(_MAX_BLOCKS, ceil(n_states / _MIN_STATES_IN_BLOCK))
        bounds = np.linspace(0, n_states, n_blocks + 1).astype(int).tolist()
        self.blocks = [slice(*ends) for ends in pairwise(bounds)]
        self.n_threads = count_threads(n_jobs)

    def weigh(self) -> FloatArray:
        def work(block: slice) -> None:
            self._kernels().weigh_members(
                *self._arguments(block), self.weights[block], self.scatter[block]
            )

        map_blocks(work, self.blocks, self.n_threads)
        return self.scatter

    def pull(self, metric: FloatArray) -> FloatArray:
        def work(block: slice) -> FloatArray:
            onto = np.zeros(self.rows.shape)
            self._kernels().add_pulls(
                *self._arguments(block), self.weights[block], metric[block], onto
            )
            return onto

        first, *others = map_blocks(work, self.blocks, self.n_threads)
        for other in others:
            first += other
        return first

    def _arguments(self, block: slice) -> tuple[Any, ...]:
        around = self.around
        members, bandwidths = around.members[block], around.bandwidths[block]
        return (
            self.rows, around.times[block], members, bandwidths, around.n_lags, around.horizon
        )  # fmt: skip

    @staticmethod
    def _kernels() -> ModuleType:
        if is_available():
            from predfeat.measures import _soft_kernels

            return _soft_kernels
        from predfeat.measures import _soft_arrays

        return _soft_arrays


@dataclass(frozen=True)
class _Own:
    """The features' own variation, which the objective is relative to."""

    centred: FloatArray
    covariance: FloatArray

    @classmethod
    def of(cls, features: Sequences) -> _Own:
        centred = features.samples - features.samples.mean(axis=0)
        return cls(centred, centred.T @ centred / len(centred))

    @property
    def n_samples(self) -> int:
        return len(self.centred)

    @property
    def variance(self) -> float:
        return float(np.trace(self.covariance))


def power_mean(variances: FloatArray, power: float, whole: float) -> float:
    """Return the mean of variances to the power of `power` / 2, or of ½ log with power=0.

    For powers below 2 each variance has a floor, a millionth of the whole variance.
    """
    floored = variances + _floor(power) * whole
    return float(0.5 * np.log(floored).mean() if power == 0 else (floored ** (power / 2)).mean())


def _floor(power: float) -> float:
    return SMALLEST_SHARE if power < 2 else 0.0


def _power_of_trace(
    variances: FloatArray, own: _Own, power: float, relative: bool
) -> tuple[float, FloatArray, FloatArray]:
    """Return the mean power, and its derivatives by each scatter and by the own covariance."""
    whole = own.variance
    if (relative or power == 0) and not whole > 0:
        raise RankError("the features are constant: nothing is left open, and nothing is known.")
    value = power_mean(variances, power, whole)
    floor = _floor(power)
    floored = variances + floor * whole
    slopes = 0.5 / floored if power == 0 else power / 2 * floored ** (power / 2 - 1)
    of_whole = floor * slopes.mean()
    if relative and power == 0:
        value, of_whole = value - 0.5 * np.log(whole), of_whole - 0.5 / whole
    elif relative:
        unit = whole ** (-power / 2)
        of_whole = unit * (of_whole - power / 2 * value / whole)
        value, slopes = unit * value, unit * slopes
    metric = slopes[:, None, None] / len(variances)
    return float(value), metric, of_whole * np.eye(own.covariance.shape[0])


def _log_determinant(
    scatter: FloatArray, own: _Own, relative: bool
) -> tuple[float, FloatArray, FloatArray]:
    """Return the mean of ½ log det, and its derivatives by each scatter and by the covariance."""
    sign, whole = np.linalg.slogdet(own.covariance)
    if not sign > 0:
        raise RankError(
            "the features are linearly dependent, so that no determinant of their covariance "
            'exists. Use form="trace", or features of full rank.'
        )
    floored = scatter + SMALLEST_SHARE * own.covariance
    value = 0.5 * float(np.linalg.slogdet(floored)[1].mean())
    metric = np.asarray(0.5 / len(scatter) * np.linalg.inv(floored), dtype=np.float64)
    of_own = SMALLEST_SHARE * metric.sum(axis=0)
    if relative:
        value, of_own = value - 0.5 * float(whole), of_own - 0.5 * np.linalg.inv(own.covariance)
    return value, metric, of_own


def _refuse_mismatch(
    features: Sequences, neighborhoods: SoftNeighborhoods, power: float, form: str
) -> None:
    if form == "determinant" and power != 0:
        raise ValueError(
            f'form="determinant" measures information, with power=0, but power={power}.'
        )
    times = neighborhoods.times
    last = int(times.max(initial=-1)) + neighborhoods.horizon
    if last >= features.n_rows:
        raise DimensionError(
            f"the neighbourhoods belong to a series of at least {last + 1} rows, but Y has "
            f"{features.n_rows}. Use neighbourhoods of the same series."
        )
