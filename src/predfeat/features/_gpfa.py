"""Graph-based predictable feature analysis."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real
from time import perf_counter
from typing import Any, ClassVar

import numpy as np

from predfeat._compat import JOBS, WINDOW, Interval, StrOptions
from predfeat._threads import one_blas_thread, watching
from predfeat._typing import ArrayLike, FloatArray, IntArray
from predfeat.exceptions import RankError
from predfeat.features._base import POSITIVE, LinearFeatures
from predfeat.features._convergence import IterationHistory
from predfeat.features._mean_space import mean_space
from predfeat.features._near_best import first_near_best
from predfeat.features._starts import STARTS, TRIED, given_directions, start_directions
from predfeat.graph import (
    GRAPHS,
    ProjectedLaplacian,
    calmed,
    find_neighborhoods,
    projected_laplacian,
)
from predfeat.measures import left_open
from predfeat.neighbors import METHODS, NeighborTable, search
from predfeat.series import Sequences, find_states
from predfeat.solvers import Eigenpairs, smallest_eigenpairs
from predfeat.whitening import Whitening

__all__ = ["GPFA"]

# Starts whose features differ by less than this share, on the training data, are equally good.
EQUAL_STARTS = 0.1
# With init="auto" an iteration ends when so many in a row found no better features.
LOOK_AHEAD = 8


class GPFA(LinearFeatures):
    r"""Graph-based predictable feature analysis (not Gaussian-process factor analysis).

    Finds the features whose next step varies least between similar states, however nonlinear the
    law that moves them. States (the last p samples in white space) that are near each other
    should have successors that are near each other: their successors (and predecessors) are
    connected in a graph, and the features are the smallest solutions of

    .. math:: Z^T L Z \, a = \lambda \, Z^T D Z \, a

    with L and D the graph's Laplacian and degrees. Then neighbours are searched again, now among
    the features, and so on.

    With `horizon` H the successor of a state is the sample H steps ahead. Its predecessor is then
    the sample H steps before its oldest one: read backwards in time, a series has the same graph.

    Parameters
    ----------
    n_components : int, default=2
        Number of features, M.
    n_lags : int, default=1
        Samples in a state, p: how far back the next step depends on the past.
    horizon : int, default=1
        How many steps ahead to predict, H. More than 1 is for data sampled so fast that the next
        step is hardly another one.
    n_neighbors : int, default=10
        Neighbours of each state, k.
    graph : {"star", "full"}, default="star"
        "full" is GPFA (1), which connects all pairs of a neighbourhood; "star" is GPFA (2), which
        connects its centre with the others. Both cost the same here.
    past : bool, default=True
        Also connect the predecessors of similar states.
    normalized : bool, default=True
        Normalise with the degrees (the generalized eigenproblem above) or not (L alone).
    weighting : {"equal", "calm"}, default="equal"
        "equal" is the paper's: all neighbourhoods count the same, and those of loud moments, where
        samples lie far apart, decide. "calm" lets each count by the inverse of its spread in the
        space in which neighbours are searched, so that the mean spread is minimised instead of
        the mean squared one. Best with normalized=False: degrees favour crowded places.
    max_iter : int, default=50
        Iterations at most, R.
    tol : float, default=1e-3
        Stop when, over 5 iterations, the objective did not fall by this share, nor the angle to
        the nearest of the last 5 feature spaces by ten times it (but not while each one is more
        than 45 degrees from the last, unless they go to and fro between the same few). 0 runs
        exactly `max_iter` iterations.
    init : {"input", "pca", "sfa", "extremes", "pfa", "foreca", "auto"} or array, default="input"
        Where the first neighbours are searched: in white space, in the feature space of another
        method ("extremes" are the slowest and the fastest directions alike), or in that of a given
        projection of shape (n_columns, any number). "auto" iterates from each but ForeCA's, and
        keeps of each run the iteration whose features of the training data are the most
        predictable, by eq. (2) with 10 neighbours (with weighting="calm", by the squared mean of
        the standard deviations in it): on recordings that is often an early one. It stops when 8
        in a row were not better. Of the runs it keeps the best; of those within 10 % of it, the
        first in this order. Three to eight times the cost. With weighting="calm", "extremes" did
        better than "auto" on recordings of sound.
    n_averaged : int, default=1
        Iterations at the end (at most half of `n_iter_`) whose feature spaces are averaged: from
        one to the next some neighbours change, and the spaces with them. 1 is the paper's
        algorithm; 10 takes most of that out.
    n_intermediate : int or None, default=None
        Features to search neighbours in between iterations; by default `n_components`.
    pca_components : int, float or None, default=None
        Principal components to keep before whitening: a count, a share of variance, or all.
    theiler : int, default=0
        Exclude neighbours of the same sequence at most that many rows away.
    neighbors_method : {"auto", "tree", "tiles", "blockwise"}, default="auto"
        The engine of the neighbour search; see `predfeat.nearest_neighbors`.
    n_jobs : int or None, default=None
        Threads of the neighbour search. The result does not depend on it. (With more than 256
        columns, its last digits can depend on the number of BLAS threads, which is not set here.)
    verbose : int, default=0
        1 prints a line for each iteration.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_columns)
        The features are (X - mean_) @ components_.T, most predictable first. They have unit
        variance on the training data.
    mean_ : ndarray of shape (n_columns,)
    eigenvalues_ : ndarray of shape (n_components,)
        λ of each feature, with the graph of the last iteration (of the one that was kept).
    history_ : dict of ndarray
        For every iteration the `eigenvalues`, the largest `angle` (degrees) to the feature space
        before it (NaN for the first), and the `seconds` it took.
    init_ : str
        With init="auto", the start that was kept.
    start_scores_ : dict of str to float
        With init="auto", the training features' predictability from each start.
    n_iter_ : int
        Iterations done; with init="auto", up to the one that was kept.
    patterns_ : ndarray of shape (n_components, n_columns)
        How each feature shows in the inputs: the rows of the least-squares way back.
    rank_ : int
        Dimension of white space.

    References
    ----------
    B. Weghenkel, A. Fischer and L. Wiskott, Graph-based predictable feature analysis,
    Machine Learning 106, 2017, doi:10.1007/s10994-017-5632-x.

    Examples
    --------
    Two of ten noisy dimensions together are half predictable from the step before:

    >>> import numpy as np
    >>> from predfeat import GPFA
    >>> from predfeat.datasets import predictable_noise
    >>> X = predictable_noise(700, random_state=0)
    >>> model = GPFA(n_components=2, n_lags=1, n_neighbors=10).fit(X)
    >>> share = np.square(model.components_).sum(axis=0)
    >>> bool(share[:2].sum() / share.sum() > 0.95)
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **LinearFeatures._parameter_constraints,
        "n_lags": [POSITIVE],
        "horizon": [POSITIVE],
        "n_neighbors": [POSITIVE],
        "graph": [StrOptions(set(GRAPHS))],
        "past": ["boolean"],
        "normalized": ["boolean"],
        "weighting": [StrOptions({"equal", "calm"})],
        "max_iter": [POSITIVE],
        "tol": [Interval(Real, 0, None, closed="left")],
        "init": [StrOptions({*STARTS, "auto"}), "array-like"],
        "n_averaged": [POSITIVE],
        "n_intermediate": [POSITIVE, None],
        "theiler": [WINDOW],
        "neighbors_method": [StrOptions(set(METHODS))],
        "n_jobs": [JOBS, None],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        n_lags: int = 1,
        horizon: int = 1,
        n_neighbors: int = 10,
        graph: str = "star",
        past: bool = True,
        normalized: bool = True,
        weighting: str = "equal",
        max_iter: int = 50,
        tol: float = 1e-3,
        init: str | ArrayLike = "input",
        n_averaged: int = 1,
        n_intermediate: int | None = None,
        pca_components: int | float | None = None,
        theiler: int = 0,
        neighbors_method: str = "auto",
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.n_components = n_components
        self.n_lags = n_lags
        self.horizon = horizon
        self.n_neighbors = n_neighbors
        self.graph = graph
        self.past = past
        self.normalized = normalized
        self.weighting = weighting
        self.max_iter = max_iter
        self.tol = tol
        self.init = init
        self.n_averaged = n_averaged
        self.n_intermediate = n_intermediate
        self.pca_components = pca_components
        self.theiler = theiler
        self.neighbors_method = neighbors_method
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _find_projection(self, white: Sequences, whitening: Whitening) -> FloatArray:
        white.state_times(self.n_lags, self.horizon)  # at least one state has a successor
        n_between = self._count_between(whitening)
        if isinstance(self.init, str) and self.init == "auto":
            run = self._best_run(white, whitening, n_between)
        else:
            run = self._run(white, self._first_space(white, whitening, n_between), n_between)
        self.eigenvalues_ = run.eigenvalues
        self.history_, self.n_iter_ = run.history.as_dict(), len(run.history.angles)
        return run.projection

    def _run(
        self, white: Sequences, space: Sequences, n_between: int, *, best_kept: bool = False
    ) -> GPFARun:
        """Iterate from a space until the features settle; keep the last ones, or the best."""
        history = IterationHistory()
        latest: deque[FloatArray] = deque(maxlen=self.n_averaged)
        neighbors: IntArray | None = None
        kept: _Step | None = None
        with one_blas_thread(white.n_columns):
            for n_done in range(1, self.max_iter + 1):
                started = perf_counter()
                with watching(self._search_observer(n_done)):
                    projected, neighbors = self._iterate(white, space, neighbors)
                pairs = self._solve(projected, max(n_between, self.n_components))
                latest.append(pairs.vectors[:, : self.n_components])
                values = pairs.values[: self.n_components]
                history.record(values, latest[-1], perf_counter() - started)
                self._report(history)
                left_open = self._left_open(white, latest[-1]) if best_kept else 0.0
                if kept is None or not best_kept or left_open < kept.left_open:
                    kept = _Step(n_done, list(latest), values, projected, left_open)
                in_vain = self.tol > 0 and n_done - kept.number >= LOOK_AHEAD
                if in_vain or history.has_settled(self.tol):
                    break
                space = white.with_rows(white.rows @ pairs.vectors[:, :n_between])
            assert kept is not None  # max_iter is positive
            return self._finished(kept, history)

    def _finished(self, kept: _Step, history: IterationHistory) -> GPFARun:
        history = history.until(kept.number)
        n_averaged = min(self.n_averaged, kept.number // 2)
        last = kept.spaces[-1]
        if n_averaged <= 1:
            return GPFARun(last, kept.eigenvalues, history, last)
        return GPFARun(*self._averaged(kept.spaces[-n_averaged:], kept.projected), history, last)

    def _averaged(
        self, spaces: list[FloatArray], projected: ProjectedLaplacian
    ) -> tuple[FloatArray, FloatArray]:
        """Return directions in the middle of several spaces, and their eigenvalues."""
        basis = mean_space(spaces)
        within = ProjectedLaplacian(
            basis.T @ projected.laplacian @ basis, basis.T @ projected.degree @ basis
        )
        pairs = self._solve(within, self.n_components)
        return basis @ pairs.vectors, pairs.values

    def _best_run(self, white: Sequences, whitening: Whitening, n_between: int) -> GPFARun:
        """Iterate from every start, and return the run with the most predictable features."""
        runs = {}
        for start in TRIED:
            space = self._first_space(white, whitening, n_between, start)
            runs[start] = self._run(white, space, n_between, best_kept=True)
        self.start_scores_ = {
            start: self._left_open(white, run.projection) for start, run in runs.items()
        }
        self.init_ = first_near_best(self.start_scores_, EQUAL_STARTS)
        return runs[self.init_]

    def _left_open(self, white: Sequences, directions: FloatArray) -> float:
        """Judge features by what the runs are to minimise."""
        features = white.with_rows(white.rows @ directions)
        found = left_open(features, self.n_lags, None, horizon=self.horizon, n_jobs=self.n_jobs)
        return found.typical if self.weighting == "calm" else float(found.by_state.mean())

    def _iterate(
        self, white: Sequences, space: Sequences, guess: IntArray | None
    ) -> tuple[ProjectedLaplacian, IntArray]:
        """Search neighbours in a space, and connect the samples.

        The neighbours found are returned, too: they are a good guess for the next search.
        """
        table = search(
            find_states(space, self.n_lags, n_neighbors=self.n_neighbors),
            self.n_neighbors,
            theiler=self.theiler,
            method=self.neighbors_method,
            n_jobs=self.n_jobs,
            guess=guess,
        )
        return self._connect(white, space, table), table.indices

    def _embed(
        self, white: Sequences, space: Sequences, table: NeighborTable, n_directions: int
    ) -> Eigenpairs:
        """Connect the samples that follow states which are similar in a space, and embed them."""
        return self._solve(self._connect(white, space, table), n_directions)

    def _connect(
        self, white: Sequences, space: Sequences, table: NeighborTable
    ) -> ProjectedLaplacian:
        terms = find_neighborhoods(table, white, self.n_lags, past=self.past, horizon=self.horizon)
        if self.weighting == "calm":
            terms = calmed(terms, space.rows, self.graph)
        return projected_laplacian(terms, white.rows, self.graph)

    def _solve(self, projected: ProjectedLaplacian, n_directions: int) -> Eigenpairs:
        degree = projected.degree if self.normalized else None
        return smallest_eigenpairs(projected.laplacian, n_directions, degree)

    def _count_between(self, whitening: Whitening) -> int:
        n_between = self.n_components if self.n_intermediate is None else self.n_intermediate
        if n_between > whitening.rank:
            raise RankError(
                f"n_intermediate={n_between} is more than the rank {whitening.rank} of the data."
            )
        return n_between

    def _first_space(
        self,
        white: Sequences,
        whitening: Whitening,
        n_between: int,
        start: str | ArrayLike | None = None,
    ) -> Sequences:
        """Return the series in which the first neighbours are searched."""
        start = self.init if start is None else start
        if isinstance(start, str) and start == "input":
            return white
        if isinstance(start, str):
            directions = start_directions(start, white, n_between, self.n_lags, self.horizon)
        else:
            directions = given_directions(start, whitening)
        return white.with_rows(white.rows @ directions)

    # Called with the number of iterations done, and during a search with a part of the next one:
    # for whoever shows progress.
    _after_iteration: Callable[[float], None] | None = None

    def _search_observer(self, number: int) -> Callable[[int, int], None] | None:
        """Return what follows the search of an iteration of that number."""
        after, furthest = self._after_iteration, 0.0
        if after is None:
            return None

        def observe(n_done: int, n_all: int) -> None:
            # What a search leaves open another one may find: that is not one step back. And after
            # the last step there is still the graph to do.
            nonlocal furthest
            furthest = max(furthest, n_done / (n_all + 1))
            after(number - 1 + furthest)

        return observe

    def _report(self, history: IterationHistory) -> None:
        if self._after_iteration is not None:
            self._after_iteration(len(history.angles))
        if self.verbose:
            angle = history.angles[-1]
            turned = "" if np.isnan(angle) else f"angle {angle:.3g}°, "
            print(
                f"[GPFA] iteration {len(history.angles)}/{self.max_iter}: "
                f"objective {history.eigenvalues[-1].sum():.6g}, "
                f"{turned}{history.seconds[-1]:.3g} s",
                flush=True,
            )


@dataclass(frozen=True)
class _Step:
    """An iteration that may be kept: the spaces that end with it, and what they leave open."""

    number: int
    spaces: list[FloatArray]
    eigenvalues: FloatArray
    projected: ProjectedLaplacian
    left_open: float


@dataclass(frozen=True)
class GPFARun:
    """What an iteration led to, and the directions of its last step, not averaged."""

    projection: FloatArray
    eigenvalues: FloatArray
    history: IterationHistory
    last: FloatArray
