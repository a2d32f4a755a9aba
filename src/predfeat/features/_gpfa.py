"""Graph-based predictable feature analysis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np

from predfeat._compat import JOBS, POSITIVE, WINDOW, Interval, StrOptions
from predfeat._logging import tell
from predfeat._progress import following
from predfeat._threads import one_blas_thread
from predfeat._typing import ArrayLike, FloatArray
from predfeat.exceptions import RankError
from predfeat.features._base import LinearFeatures
from predfeat.features._best_start import best_start
from predfeat.features._block_graphs import BlockGraphs, is_plain
from predfeat.features._contradictions import refuse_contradictions
from predfeat.features._descent import Objective, descend, sorted_by_share
from predfeat.features._earlier_fit import earlier_fit_aside
from predfeat.features._embedding import Embedding, GraphSettings
from predfeat.features._ignored_target import used_annotations
from predfeat.features._iteration import Observer, iterate, repeated
from predfeat.features._memory_needed import refuse_too_large
from predfeat.features._run import Iteration, Run, averaged
from predfeat.features._search_recall import search_recall
from predfeat.features._similar_states import FirstNeighbors
from predfeat.features._starts import (
    BLOCK_STARTS,
    STARTS,
    given_directions,
    start_directions,
    start_in_blocks,
)
from predfeat.features._stopping import Settled, StopPolicy
from predfeat.graph import GRAPHS, Different, EdgeTerm, Future, Past, is_fixed
from predfeat.measures import left_open
from predfeat.neighbors import (
    CENTER_CONSTRAINTS,
    ENGINES,
    Metric,
    NeighborTable,
    count_centers,
    is_exact,
    is_neighbors,
)
from predfeat.series import (
    Annotations,
    Blocks,
    Matrix,
    Sequences,
    check_matrix,
    fewer_rows,
)
from predfeat.whitening import Whitening

__all__ = ["GPFA"]


class GPFA(LinearFeatures):
    r"""Graph-based predictable feature analysis (not Gaussian-process factor analysis).

    Finds the features whose next step varies least between similar states, however nonlinear the
    dynamics. A state is the last p samples in white space. Similar states should have similar
    successors, so the successors (and predecessors) of neighbouring states are connected in a
    graph. The features are the smallest solutions of

    .. math:: Z^T L Z \, a = \lambda \, Z^T D Z \, a

    where L and D are the graph's Laplacian and degrees. The neighbour search is then repeated in
    the feature space, and so on.

    With `horizon` H, the successor of a state is the sample H steps ahead. Its predecessor is the
    sample H steps before its oldest one, so a series reversed in time has the same graph.

    Parameters
    ----------
    n_components : int, default=2
        Number of features, M.
    n_lags : int, default=1
        Samples in a state, p: how far back the next step depends on the past.
    horizon : int, default=1
        How many steps ahead to predict, H. Use more than 1 for data sampled so fast that it
        hardly changes in one step.
    n_neighbors : int, default=10
        Neighbours of each state, k.
    graph : {"star", "full"}, default="star"
        "full" is GPFA (1), which connects all pairs in a neighbourhood; "star" is GPFA (2), which
        connects its centre to the others. Both cost the same here.
    past : bool, default=True
        Also connect the predecessors of similar states.
    terms : sequence of edge terms or None, default=None
        What to connect, if not the paper's two: any of `Future`, `Past`, `Adjacent`, `Local`,
        `SameLabel`, `SimilarValue` and `Different` of `predfeat.graph`, each with a weight, or
        terms of your own. They replace `graph` and `past`: [Future("full"), Past("full")] is
        GPFA (1).
    normalized : bool, default=True
        Normalise by the degrees (the generalized eigenproblem above), or use L alone.
    weighting : {"equal", "inverse_spread"}, default="equal"
        The weight of each neighbourhood. "equal" is the paper's choice: all weigh the same, so
        those from loud moments, where samples lie far apart, dominate. "inverse_spread" weights
        each by the inverse of its spread in the space where neighbours are searched. This
        minimises the mean spread instead of the mean squared spread, and works best with
        normalized=False, because degrees favour crowded regions.
    max_iter : int, default=50
        Maximum number of iterations, R.
    tol : float, default=1e-3
        Stop when, over 5 iterations, the objective has not fallen by this share and the angle to
        the nearest of the last 5 feature spaces has not fallen by ten times this share. (The
        iteration continues while each space is more than 45 degrees from the last, unless the
        same few spaces alternate.) 0 runs exactly `max_iter` iterations.
    init : str, array or neighbours, default="input"
        Where to search the first neighbours: in white space ("input"), in the feature space of
        another method ("pca", "sfa", "slow_fast", "pfa" or "foreca"; "slow_fast" takes the
        slowest and the fastest directions), or in that of a given projection of shape
        (n_columns, any number). Neighbours that were found elsewhere can be given as well: a
        `NeighborTable`, a sparse graph as `KNeighborsTransformer` returns it, or a tuple of row
        numbers and distances; see `predfeat.neighbors.check_neighbors`. "auto"
        iterates from each named start except
        ForeCA's. From each run it keeps the iteration whose training features are the most
        predictable by eq. (2) with 10 neighbours (with weighting="inverse_spread", by the squared
        mean of the standard deviations in it). On recordings this is often an early one. A run
        ends after 8 iterations in a row without improvement. Among the runs within 10 % of the
        best, the first in this order is kept. "auto" costs three to eight times as much. With
        weighting="inverse_spread", "slow_fast" did better than "auto" on sound recordings.
    metric : str or callable, default="euclidean"
        How the first neighbours are compared, with init="input". "euclidean" compares samples in
        white space. Any other name that `sklearn.metrics.pairwise_distances` knows, or a function
        of two rows, compares the rows of X as they are given; squared distances are added over the
        lags. Later neighbours are always Euclidean ones among the features.
    n_averaged : int, default=1
        How many final feature spaces to average (at most half of `n_iter_`). Some neighbours
        change from one iteration to the next, and the spaces change with them. 1 is the paper's
        algorithm; 10 removes most of that variation.
    refine : bool, default=False
        Descend from the result on what similar states leave open, with the full gradient; see
        `predfeat.features.descend`. The iteration itself is no descent: it ignores that moving the
        features changes which states are similar.
    n_intermediate : int or None, default=None
        Number of features to search neighbours in between iterations; by default `n_components`.
    pca_components : int, float or None, default=None
        Principal components to keep before whitening: a count, a share of variance, or all.
    theiler : int, default=0
        Exclude neighbours in the same sequence that are at most this many rows away.
    n_centers : int, "auto" or None, default="auto"
        How many states ask for their neighbours, each among all states. None means all. "auto"
        means all up to 50 000 states, and beyond that a sample, so that time grows with the number
        of rows, not with its square; see `predfeat.neighbors.count_centers`. With actions, with
        another metric, and for neighbours that are given, all states ask.
    random_state : int, default=0
        Seed of that sample.
    engine : {"auto", "tree", "tiles", "blockwise", "ivf"}, default="auto"
        The neighbour-search engine; see `predfeat.nearest_neighbors`. "ivf" is approximate.
    n_jobs : int or None, default=None
        Threads for the neighbour search. They do not affect the result. (With more than 256
        columns, its last digits can depend on the number of BLAS threads, which is not set here.)
    verbose : int, default=0
        1 logs a line for each iteration to the logger "predfeat".

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_columns)
        The features are (X - mean_) @ components_.T, most predictable first. They have unit
        variance on the training data.
    mean_ : ndarray of shape (n_columns,)
    eigenvalues_ : ndarray of shape (n_components,)
        λ of each feature, from the graph of the last iteration that was kept. With refine=True,
        the share of each feature's variance that similar states leave open.
    history_ : dict of ndarray
        For each iteration: its `eigenvalues`, its largest `angle` (degrees) to the previous
        feature space (NaN for the first), and the `seconds` it took.
    init_ : str
        With init="auto", the start that was kept.
    start_scores_ : dict of str to float
        With init="auto", the score of the training features from each start; lower is better.
    recall_ : float
        With an approximate engine, the share of the true neighbours that it finds of a sample of
        200 states: in the space of the first search or among the features, where it is lower.
    n_iter_ : int
        Number of iterations; with init="auto", up to the one that was kept.
    patterns_ : ndarray of shape (n_components, n_columns)
        How each feature appears in the inputs: the rows of the least-squares inverse.
    rank_ : int
        Dimension of white space.

    References
    ----------
    B. Weghenkel, A. Fischer and L. Wiskott, Graph-based predictable feature analysis,
    Machine Learning 106, 2017, doi:10.1007/s10994-017-5632-x.

    Examples
    --------
    Two of ten noisy dimensions are together half predictable from the previous step:

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
        "terms": ["array-like", None],
        "normalized": ["boolean"],
        "weighting": [StrOptions({"equal", "inverse_spread"})],
        "max_iter": [POSITIVE],
        "tol": [Interval(Real, 0, None, closed="left")],
        "init": [StrOptions({*STARTS, "auto"}), "array-like", "sparse matrix", NeighborTable],
        "metric": [str, callable],
        "n_averaged": [POSITIVE],
        "refine": ["boolean"],
        "n_intermediate": [POSITIVE, None],
        "theiler": [WINDOW],
        **CENTER_CONSTRAINTS,
        "engine": [StrOptions(ENGINES)],
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
        terms: Sequence[EdgeTerm] | None = None,
        normalized: bool = True,
        weighting: str = "equal",
        max_iter: int = 50,
        tol: float = 1e-3,
        init: Any = "input",
        metric: Metric = "euclidean",
        n_averaged: int = 1,
        refine: bool = False,
        n_intermediate: int | None = None,
        pca_components: int | float | None = None,
        theiler: int = 0,
        n_centers: int | str | None = "auto",
        random_state: int = 0,
        engine: str = "auto",
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.n_components = n_components
        self.n_lags = n_lags
        self.horizon = horizon
        self.n_neighbors = n_neighbors
        self.graph = graph
        self.past = past
        self.terms = terms
        self.normalized = normalized
        self.weighting = weighting
        self.max_iter = max_iter
        self.tol = tol
        self.init = init
        self.metric = metric
        self.n_averaged = n_averaged
        self.refine = refine
        self.n_intermediate = n_intermediate
        self.pca_components = pca_components
        self.theiler = theiler
        self.n_centers = n_centers
        self.random_state = random_state
        self.engine = engine
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        groups: ArrayLike | None = None,
        actions: ArrayLike | None = None,
        rewards: ArrayLike | None = None,
    ) -> Self:
        """Find the features of a training series.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_columns), Dask array or Rows
            Rows in time order. A row that holds a NaN is a gap. More than 50 000 rows are read
            block by block where a sample of centres asks, with the Euclidean metric, no other
            terms than `Future` and `Past`, no actions, refine=False, and an `init` other than
            "auto", "foreca" or neighbours.
        y : array-like of shape (n_rows,) or (n_rows, n_targets), optional
            Labels or values for terms such as `SameLabel`; None or NaN where they are not known.
            Without such a term, y is ignored, as in the other methods.
        groups : array-like of shape (n_rows,), optional
            One id per row: consecutive rows of one id form a sequence, and nothing ever reaches
            from one sequence into another. By default all rows are one sequence.
        actions : array-like of shape (n_rows,) or (n_rows, n_numbers), optional
            What was done between each row and the next; None or NaN where that is not known, as in
            the last row of an episode. Kinds of actions are text or whole numbers: only states
            with the same action are neighbours. Quantities are other numbers, or a matrix with a
            column for each: they count as part of the state, scaled to unit variance. With a
            horizon of several steps, only the action right after the state counts.
        rewards : array-like of shape (n_rows,), optional
            For terms with of="rewards".

        Returns
        -------
        self
            A fit that fails or is interrupted keeps the results of an earlier one.
        """
        self.check_parameters()
        with earlier_fit_aside(self):
            used = self.annotations_used
            has_actions = actions is not None and "actions" in used
            given: Matrix | Blocks
            if has_actions:
                refuse_too_large(X, self.get_params(deep=False))
                given = check_matrix(X, estimator=self, min_rows=2)
            else:
                given = self._given(X, groups)
            n_rows = given.n_rows if isinstance(given, Blocks) else len(given.values)
            told = {"y": y, "groups": groups, "actions": actions, "rewards": rewards}
            annotations = used_annotations(used, n_rows, type(self).__name__, **told)
            if isinstance(given, Blocks):
                self._fit_blocks(given)
                return self
            series, whitening = self._whitened(given, groups)
            white = whitening.apply(series)
            self._fit_white(white, whitening, annotations=annotations, series=series)
        return self

    def _known(self, series: Sequences) -> dict[str, Any]:
        return {"series": series}

    def check_parameters(self) -> None:
        """Raise an error if a parameter has an invalid type or value."""
        super().check_parameters()
        for term in self.terms if self.terms is not None else ():
            if isinstance(term, type) or not isinstance(term, EdgeTerm):
                raise ValueError(
                    "terms must hold edge terms such as Future() and Past() of predfeat.graph, "
                    f"but one is {term!r}."
                )
        if isinstance(self.metric, str) and self.metric == "precomputed":
            raise ValueError(
                'metric="precomputed" is not possible: give the neighbours as init instead, as a '
                "sparse graph of distances or as row numbers and distances."
            )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = "y" in self.annotations_used
        return tags

    def find_directions(
        self,
        white: Sequences,
        whitening: Whitening,
        *,
        annotations: Annotations | None = None,
        series: Sequences | None = None,
        space: Sequences | None = None,
    ) -> FloatArray:
        """Iterate from the requested start; see `LinearFeatures.find_directions`.

        Parameters
        ----------
        white : Sequences
            The training data in white space.
        whitening : Whitening
            The map to white space.
        annotations : Annotations, optional
            Labels, actions and rewards of the rows.
        series : Sequences, optional
            The training data as given, which a `metric` compares.
        space : Sequences, optional
            Where init="input" searches the first neighbours, if not in white space: the series
            before an expansion. A given projection is replaced by it as well.

        Returns
        -------
        ndarray of shape (rank, n_components)
        """
        run = self.find_run(white, whitening, annotations=annotations, series=series, space=space)
        directions, self.eigenvalues_ = self._averaged(run)
        self.history_, self.n_iter_ = run.history(), len(run.iterations)
        if self.refine:
            directions, self.eigenvalues_ = self._refined(white, directions)
        if not is_exact(self.engine):
            spaces = self._searched(white, whitening, run, space)
            self.recall_ = search_recall(spaces, self.settings)
        return directions

    def find_run(
        self,
        white: Sequences,
        whitening: Whitening,
        *,
        annotations: Annotations | None = None,
        series: Sequences | None = None,
        space: Sequences | None = None,
    ) -> Run:
        """Iterate from the requested start, and return the whole run.

        Parameters
        ----------
        white, whitening, annotations, series, space
            As in `find_directions`.

        Returns
        -------
        Run
        """
        white.state_times(self.n_lags, self.horizon)  # checks that some state has a successor
        self._refuse_many_intermediate(whitening)
        parameters = self.get_params(deep=False)
        refuse_contradictions(parameters, self._terms, annotations, series)
        if self._tries_starts:
            return self._best_run(white, whitening, space)
        start = self._start(white, whitening, self.init, space)
        first = self._first_neighbors(series)
        return self._run(white, start, Settled(self.tol), annotations=annotations, first=first)

    def _start(
        self, white: Sequences, whitening: Whitening, start: Any, given: Sequences | None
    ) -> Sequences:
        """Return where the first neighbours are searched; `given` takes the place of the input."""
        other = isinstance(start, str) and start != "input"
        return self.first_space(white, whitening, start) if other or given is None else given

    def _searched(
        self, white: Sequences, whitening: Whitening, run: Run, space: Sequences | None
    ) -> list[Sequences]:
        """Return the spaces of the first search, if it was Euclidean, and after the last one."""
        spaces = [white.with_rows(white.rows @ run.directions)]
        if self.metric == "euclidean" and not is_neighbors(self.init):
            start = self.init_ if self._tries_starts else self.init
            spaces.append(self._start(white, whitening, start, space))
        return spaces

    def takes_blocks(self, n_rows: int) -> bool:
        """See `LinearFeatures.takes_blocks`."""
        is_named = isinstance(self.init, str) and self.init in BLOCK_STARTS
        return (
            count_centers(n_rows, self.n_centers) < n_rows
            and (is_named or not (isinstance(self.init, str) or is_neighbors(self.init)))
            and all(map(is_plain, self._terms))
            and self.metric == "euclidean"
            and not self.refine
        )

    def find_directions_in_blocks(self, blocks: Blocks, whitening: Whitening) -> FloatArray:
        """See `LinearFeatures.find_directions_in_blocks`."""
        blocks.check_times(self.n_lags - 1, self.horizon, shorten=fewer_rows(self.horizon))
        self._refuse_many_intermediate(whitening)
        refuse_contradictions(self.get_params(deep=False), self._terms, None, None)
        settings = self.settings
        if blocks.rows.is_elsewhere:
            settings = replace(settings, n_jobs=1)  # a cluster has its own number of threads
        with one_blas_thread(whitening.rank):
            start = start_in_blocks(
                self.init, blocks, whitening, self._n_between, self.n_lags, self.horizon
            )
            run = repeated(
                BlockGraphs(blocks, whitening, start, settings).embedded,
                self.n_components,
                n_intermediate=self.n_intermediate,
                max_iter=self.max_iter,
                stop=Settled(self.tol),
                observer=self._told,
            )
        directions, self.eigenvalues_ = self._averaged(run)
        self.history_, self.n_iter_ = run.history(), len(run.iterations)
        return directions

    def _told(self, iteration: Iteration, _: Embedding) -> None:
        tell(self._in_words(iteration), self.verbose)

    def _refined(self, white: Sequences, directions: FloatArray) -> tuple[FloatArray, FloatArray]:
        objective = Objective(
            n_lags=self.n_lags,
            horizon=self.horizon,
            n_neighbors=self.n_neighbors,
            theiler=self.theiler,
            engine=self.engine,
            n_jobs=self.n_jobs,
        )
        with following(None):  # the iterations have been counted to the last
            lowest = descend(white, directions, objective, widths=(1,)).directions
            return sorted_by_share(white, lowest, objective)

    @property
    def settings(self) -> GraphSettings:
        """How this method connects samples, for `embed` and `iterate`."""
        return GraphSettings(
            n_lags=self.n_lags,
            horizon=self.horizon,
            n_neighbors=self.n_neighbors,
            terms=self._terms,
            normalized=self.normalized,
            weighting=self.weighting,
            theiler=self.theiler,
            n_centers=self.n_centers,
            random_state=self.random_state,
            engine=self.engine,
            n_jobs=self.n_jobs,
        )

    def first_space(
        self,
        white: Sequences,
        whitening: Whitening,
        start: str | ArrayLike | None = None,
        n_directions: int | None = None,
    ) -> Sequences:
        """Return the series in which the first neighbours are searched.

        Parameters
        ----------
        white : Sequences
            The series in white space.
        whitening : Whitening
            The map to white space.
        start : str or array-like, optional
            Any value of `init` except "auto"; by default `init` itself.
        n_directions : int, optional
            Number of directions for a start from another method; by default as many as between
            iterations.

        Returns
        -------
        Sequences
        """
        start = self.init if start is None else start
        if (isinstance(start, str) and start == "input") or is_neighbors(start):
            return white
        if isinstance(start, str):
            n_directions = self._n_between if n_directions is None else n_directions
            directions = start_directions(start, white, n_directions, self.n_lags, self.horizon)
        else:
            directions = given_directions(start, whitening)
        return white.with_rows(white.rows @ directions)

    def _run(
        self,
        white: Sequences,
        space: Sequences,
        stop: StopPolicy,
        observer: Observer | None = None,
        **known: Any,
    ) -> Run:
        def observe(iteration: Iteration, embedding: Embedding) -> None:
            self._told(iteration, embedding)
            if observer is not None:
                observer(iteration, embedding)

        return iterate(
            white,
            space,
            self.settings,
            self.n_components,
            n_intermediate=self.n_intermediate,
            max_iter=self.max_iter,
            stop=stop,
            observer=observe,
            **known,
        )

    def _averaged(self, run: Run) -> tuple[FloatArray, FloatArray]:
        return averaged(run, self.n_averaged, normalized=self.normalized)

    def _best_run(self, white: Sequences, whitening: Whitening, space: Sequences | None) -> Run:
        """Iterate from every start, and return the run with the most predictable features."""

        def run_from(start: str, stop: StopPolicy, observer: Observer) -> Run:
            return self._run(white, self._start(white, whitening, start, space), stop, observer)

        def directions_of(run: Run) -> FloatArray:
            return self._averaged(run)[0]

        best = best_start(run_from, partial(self._left_open, white), directions_of, self.tol)
        self.init_, self.start_scores_ = best.name, best.scores
        return best.run

    def _left_open(self, white: Sequences, directions: FloatArray) -> float:
        """Return the score that the best run minimises."""
        features = white.with_rows(white.rows @ directions)
        found = left_open(features, self.n_lags, None, horizon=self.horizon, n_jobs=self.n_jobs)
        if self.weighting == "inverse_spread":
            return found.typical
        return float(found.by_state.mean())

    @property
    def _terms(self) -> tuple[EdgeTerm, ...]:
        if self.terms is not None:
            return tuple(self.terms)
        return (Future(self.graph), Past(self.graph)) if self.past else (Future(self.graph),)

    @property
    def annotations_used(self) -> set[str]:
        """Which of y, actions and rewards the terms use; actions decide what is similar."""
        used = {getattr(term, "of", "") for term in self._terms} - {""}
        if any(not is_fixed(term) or isinstance(term, Different) for term in self._terms):
            used.add("actions")
        return used

    @property
    def _tries_starts(self) -> bool:
        return isinstance(self.init, str) and self.init == "auto"

    def _first_neighbors(self, series: Sequences | None) -> FirstNeighbors | None:
        if is_neighbors(self.init):
            return FirstNeighbors(given=self.init)
        if self.metric == "euclidean":
            return None
        return FirstNeighbors(metric=self.metric, series=series)

    @property
    def _n_between(self) -> int:
        return self.n_components if self.n_intermediate is None else self.n_intermediate

    def _refuse_many_intermediate(self, whitening: Whitening) -> None:
        if self._n_between > whitening.rank:
            raise RankError(
                f"n_intermediate={self._n_between} is more than the rank {whitening.rank} of the "
                "data."
            )

    def _in_words(self, iteration: Iteration) -> str:
        turned = "" if np.isnan(iteration.angle) else f"angle {iteration.angle:.3g}°, "
        return (
            f"GPFA, iteration {iteration.number}/{self.max_iter}: objective "
            f"{iteration.eigenvalues.sum():.6g}, {turned}{iteration.seconds:.3g} s"
        )
