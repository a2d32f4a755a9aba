"""Descent: move a feature space downhill on what similar states leave open."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from time import perf_counter

import numpy as np

from predfeat._threads import one_blas_thread
from predfeat._typing import FloatArray, IntArray
from predfeat.graph import projected_laplacian, shifted_neighborhoods
from predfeat.measures import (
    SoftLeftOpen,
    SoftNeighborhoods,
    left_open,
    power_mean,
    soft_left_open,
    soft_neighborhoods,
)
from predfeat.neighbors import NeighborTable
from predfeat.series import Sequences
from predfeat.solvers import minimize_over_spaces, smallest_eigenpairs

__all__ = [
    "WIDTHS",
    "Descent",
    "DescentStep",
    "Objective",
    "descend",
    "lowest",
    "mean_scatter",
    "sorted_by_share",
]

# From neighbourhoods that are four times as wide to the narrow ones.
WIDTHS = (4, 1)
# Within fixed neighbourhoods a few steps get most of the way; then the neighbourhoods are old.
_STEPS_BETWEEN_SEARCHES = 8
# A step that makes things worse with new neighbourhoods is halved this many times.
_HALVINGS = 3


@dataclass(frozen=True)
class Objective:
    """What to minimise: the soft measure of `predfeat.measures.soft_left_open`, and its settings.

    Attributes
    ----------
    n_lags, horizon : int
        Samples in a state, and steps from a state to its successor.
    n_neighbors : int
        Neighbours that set the width of a neighbourhood, k.
    power : float
        2 for variance, 1 for deviation, 0 for information.
    form : {"trace", "determinant"}
        With power=0, of log tr or log det.
    theiler : int
        Leave out states of the same sequence at most that many rows away.
    every : int
        Take every n-th of the nearest states: wider neighbourhoods, smoother objective.
    engine : str
        The neighbour-search engine.
    n_jobs : int or None
        Threads.
    """

    n_lags: int = 1
    horizon: int = 1
    n_neighbors: int = 10
    power: float = 2
    form: str = "trace"
    theiler: int = 0
    every: int = 1
    engine: str = "auto"
    n_jobs: int | None = None

    def possible(self, white: Sequences, widths: Sequence[int]) -> list[int]:
        """Return the widths with which every state has enough others to compare with."""
        n_states = len(white.state_times(self.n_lags, self.horizon))
        around = 2 * min(self.theiler, n_states) + 1
        return [
            every
            for every in widths
            if every == 1 or n_states >= 2 * self.n_neighbors * every + around
        ]

    def neighborhoods(
        self, features: Sequences, guess: IntArray | None = None
    ) -> SoftNeighborhoods:
        """Find the neighbourhoods of some features."""
        return soft_neighborhoods(
            features,
            self.n_lags,
            self.n_neighbors,
            horizon=self.horizon,
            theiler=self.theiler,
            every=self.every,
            engine=self.engine,
            n_jobs=self.n_jobs,
            guess=guess,
        )

    def measure(
        self, features: Sequences, neighborhoods: SoftNeighborhoods | None = None
    ) -> SoftLeftOpen:
        """Measure features, by default in their own neighbourhoods."""
        if neighborhoods is None:
            neighborhoods = self.neighborhoods(features)
        return soft_left_open(
            features, neighborhoods, power=self.power, form=self.form, n_jobs=self.n_jobs
        )

    def judge(self, features: Sequences) -> float:
        """Measure features with hard neighbourhoods, as the paper does; lower is better.

        Soft neighbourhoods are what is descended on, and so look a little better than they are.
        The hard measure of the determinant would need many neighbours: it stays soft.
        """
        if self.form == "determinant":
            return self.measure(features).value
        found = left_open(
            features,
            self.n_lags,
            self.n_neighbors,
            horizon=self.horizon,
            theiler=self.theiler,
            engine=self.engine,
            n_jobs=self.n_jobs,
        )
        return power_mean(found.by_state, self.power, float(features.samples.var(axis=0).sum()))


@dataclass(frozen=True)
class DescentStep:
    """The directions between two neighbour searches, and what their features leave open.

    Attributes
    ----------
    directions : ndarray of shape (n_columns, n_components)
        Orthonormal.
    value : float
        The objective, in the features' own neighbourhoods.
    every : int
        The width: every n-th of the nearest states was taken.
    seconds : float
        How long the step took.
    """

    directions: FloatArray
    value: float
    every: int
    seconds: float


@dataclass(frozen=True)
class Descent:
    """A descent from start to end.

    Attributes
    ----------
    steps : tuple of DescentStep
        The first is the start. Within one `every`, the values fall.
    """

    steps: tuple[DescentStep, ...]

    @property
    def directions(self) -> FloatArray:
        """Where it ended."""
        return self.steps[-1].directions

    @property
    def value(self) -> float:
        """The objective where it ended."""
        return self.steps[-1].value

    def history(self) -> dict[str, FloatArray]:
        """Return the values, widths and seconds as arrays with one entry per step."""
        return {
            "value": np.array([step.value for step in self.steps]),
            "every": np.array([float(step.every) for step in self.steps]),
            "seconds": np.array([step.seconds for step in self.steps]),
        }


@dataclass(frozen=True)
class _Point:
    """Directions with their own neighbourhoods, and the value there."""

    directions: FloatArray
    neighborhoods: SoftNeighborhoods
    value: float


def descend(
    white: Sequences,
    directions: FloatArray,
    objective: Objective | None = None,
    *,
    widths: Sequence[int] = WIDTHS,
    max_iter: int = 20,
    tol: float = 1e-3,
    observer: Callable[[DescentStep], None] | None = None,
) -> Descent:
    """Move a feature space downhill until it no longer gets better.

    Each iteration searches the neighbourhoods of the features and takes a few quasi-Newton steps
    over the Grassmannian, on which only the space counts and not its basis, with the full gradient
    of the objective. What counts is the value in new neighbourhoods: where that is not better, the
    iteration takes half of the way, or a quarter, or ends.

    Parameters
    ----------
    white : Sequences
        The series in white space.
    directions : ndarray of shape (n_columns, n_components)
        Where to start.
    objective : Objective, optional
        What to minimise.
    widths : sequence of int, default=(4, 1)
        Descend with each of these values of `Objective.every` in turn. Wide neighbourhoods have
        wide valleys, narrow ones see fine detail. Widths that leave too few states to compare
        with are left out, except 1.
    max_iter : int, default=20
        Iterations at most with each width.
    tol : float, default=1e-3
        End when an iteration lowers the objective by less than this share (with power=0, by less
        than half this number of nats, which is the same).
    observer : callable, optional
        Called with every `DescentStep`.

    Returns
    -------
    Descent

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.datasets import predictable_noise
    >>> from predfeat.features import descend
    >>> from predfeat.series import check_sequences
    >>> from predfeat.whitening import fit_whitening
    >>> series = check_sequences(predictable_noise(1000, 4, random_state=0))
    >>> white = fit_whitening(series).apply(series)
    >>> found = descend(white, np.eye(4)[:, 1:3])
    >>> found.steps[0].value > found.value
    True
    """
    objective = Objective() if objective is None else objective
    steps: list[DescentStep] = []

    def keep(point: _Point, width: int, started: float) -> None:
        steps.append(DescentStep(point.directions, point.value, width, perf_counter() - started))
        if observer is not None:
            observer(steps[-1])

    with one_blas_thread(white.n_columns):
        here = np.linalg.qr(directions)[0]
        for width in objective.possible(white, widths):
            started = perf_counter()
            wide = replace(objective, every=width)
            point = _point_at(white, here, wide)
            keep(point, width, started)
            for _ in range(max_iter):
                started = perf_counter()
                lower = _next_point(white, point, wide)
                if lower is None:
                    break
                fall = _share_fallen(point.value, lower.value, objective.power)
                point = lower
                keep(point, width, started)
                if fall < tol:
                    break
            here = point.directions
    return Descent(tuple(steps))


def _point_at(
    white: Sequences, directions: FloatArray, objective: Objective, near: _Point | None = None
) -> _Point:
    features = white.with_rows(white.rows @ directions)
    guess = None if near is None else near.neighborhoods.members
    neighborhoods = objective.neighborhoods(features, guess)
    return _Point(directions, neighborhoods, objective.measure(features, neighborhoods).value)


def _next_point(white: Sequences, point: _Point, objective: Objective) -> _Point | None:
    """Return a lower point, or None if none is found."""
    target = _minimum_nearby(white, point, objective)
    # The basis of the target that is nearest to that of the point.
    left, _, right = np.linalg.svd(target.T @ point.directions)
    way = target @ (left @ right) - point.directions
    for halving in range(_HALVINGS + 1):
        somewhere = np.linalg.qr(point.directions + way / 2**halving)[0]
        found = _point_at(white, somewhere, objective, near=point)
        if found.value < point.value:
            return found
    return None


def _minimum_nearby(white: Sequences, point: _Point, objective: Objective) -> FloatArray:
    """Return the directions to which some steps lead in fixed neighbourhoods."""

    def value_and_slope(basis: FloatArray) -> tuple[float, FloatArray]:
        found = objective.measure(white.with_rows(white.rows @ basis), point.neighborhoods)
        return found.value, white.rows.T @ found.gradient

    return minimize_over_spaces(
        value_and_slope, point.directions, max_iter=_STEPS_BETWEEN_SEARCHES
    ).directions


def _share_fallen(before: float, after: float, power: float) -> float:
    if power == 0:
        return 2.0 * (before - after)
    return (before - after) / before if before > 0 else 0.0


def lowest(white: Sequences, descents: Sequence[Descent], objective: Objective) -> Descent:
    """Return the descent whose features are the best by the hard measure."""
    if len(descents) == 1:
        return descents[0]

    def judged(descent: Descent) -> float:
        return objective.judge(white.with_rows(white.rows @ descent.directions))

    with one_blas_thread(white.n_columns):
        return min(descents, key=judged)


def sorted_by_share(
    white: Sequences, directions: FloatArray, objective: Objective
) -> tuple[FloatArray, FloatArray]:
    """Return the axes of a feature space, the most predictable first, with the shares left open.

    The axes are those of the mean covariance that is left open, so no other axes of the space
    have a first feature that is more predictable.
    """
    basis = np.linalg.qr(directions)[0]
    features = white.with_rows(white.rows @ basis)
    around = objective.neighborhoods(features)
    pairs = smallest_eigenpairs(mean_scatter(features, around), basis.shape[1])
    return basis @ pairs.vectors, pairs.values


def mean_scatter(series: Sequences, around: SoftNeighborhoods) -> FloatArray:
    """Return the mean covariance that neighbourhoods leave open, with equal weights.

    It is the projected Laplacian of the edges that GPFA (2) has between successors.
    """
    table = NeighborTable(around.times, around.members, np.zeros(around.members.shape))
    edges = shifted_neighborhoods(table, series, around.horizon, graph="star")
    scatter: FloatArray = projected_laplacian([edges], series.rows).laplacian
    return scatter / (2.0 * around.members.size)
