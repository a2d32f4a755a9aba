"""What is looked at: a fitted model and its data, at every stage of the way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.base import clone

from predfeat._typing import FloatArray
from predfeat.exceptions import RankError
from predfeat.features import GPFA
from predfeat.features._base import LinearFeatures
from predfeat.measures._predictability import conditional_covariance, neighbors_with_successor
from predfeat.neighbors import NeighborTable, search
from predfeat.neighbors._exclusion import fewest_candidates
from predfeat.series import Sequences, check_sequences, find_states
from predfeat.whitening import Whitening, fit_whitening

__all__ = [
    "Subject",
    "features_of",
    "left_open",
    "measuring_neighbors",
    "neighbors_left",
    "refitted",
    "rows_of",
]

# For methods without neighbours, as in `predictability`.
_DEFAULT_NEIGHBORS = 10


@dataclass(frozen=True)
class Subject:
    """A fitted model with its training data, and perhaps other data.

    Attributes
    ----------
    model : LinearFeatures
    series : Sequences
        The training data.
    names : list of str
        Its columns.
    resolution : float
        Relative rounding error of the numbers given.
    test : Sequences or None
        Other data.
    n_jobs : int or None
        Threads of the neighbour searches.
    seed : int
        Of everything random here.
    after_fit : callable
        Called after every fit that a check needs.
    """

    model: LinearFeatures
    series: Sequences
    names: list[str]
    resolution: float
    test: Sequences | None
    n_jobs: int | None
    seed: int
    after_fit: Callable[[], None] = lambda: None

    @property
    def n_lags(self) -> int:
        """Samples in a state, p."""
        return int(getattr(self.model, "n_lags", 1))

    @property
    def horizon(self) -> int:
        """Steps ahead that are predicted, H."""
        return int(getattr(self.model, "horizon", 1))

    @property
    def theiler(self) -> int:
        """Rows that the neighbour search leaves out."""
        return int(getattr(self.model, "theiler", 0))

    @cached_property
    def n_neighbors(self) -> int:
        """Neighbours of each state, k: the model's, or those of the measures."""
        asked = getattr(self.model, "n_neighbors", _DEFAULT_NEIGHBORS)
        return max(1, min(int(asked), neighbors_left(self.series, self.n_lags, self.theiler)))

    @property
    def n_components(self) -> int:
        """Features, M."""
        return len(self.model.components_)

    @property
    def searches(self) -> bool:
        """Whether the method itself searches neighbours."""
        return isinstance(self.model, GPFA)

    def has(self, parameter: str) -> bool:
        """Tell whether the model has a parameter, so that it can be advised."""
        return parameter in self.model.get_params(deep=False)

    def search_in_less(self, place: str, later: str) -> str:
        """Advise to search neighbours in fewer dimensions, in the first search or a later one."""
        last = (
            "or a start from few features (`init='sfa'` or `init='pfa'`)"
            if place == "first"
            else later
        )
        return (
            "Search in fewer dimensions: a smaller `pca_components`, fewer lags "
            f"(`n_lags`, now {self.n_lags}), {last}."
        )

    @cached_property
    def whitening(self) -> Whitening:
        """The map into white space."""
        return fit_whitening(
            self.series, self.model.pca_components, warn=False, resolution=self.resolution
        )

    @cached_property
    def white(self) -> Sequences:
        """The training data in white space."""
        return self.whitening.apply(self.series)

    @cached_property
    def features(self) -> Sequences:
        """The features of the training data."""
        return features_of(self.model, self.series)

    @cached_property
    def test_features(self) -> Sequences | None:
        """The features of the other data."""
        return None if self.test is None else features_of(self.model, self.test)

    @cached_property
    def first_space(self) -> Sequences:
        """Where the first neighbours are searched; the features for methods that search none."""
        if not isinstance(self.model, GPFA):
            return self.features
        # A model of an earlier version's file does not know what init="auto" chose.
        start = getattr(self.model, "init_", self.model.init)
        if isinstance(start, str) and start == "auto":
            start = "input"
        try:
            self.whitening.require(1)
            return self.model._first_space(self.white, self.whitening, self._n_between, start)
        except RankError:  # X is other data, of which the start sees nothing
            return self.features

    @cached_property
    def first_neighbors(self) -> NeighborTable:
        """The neighbours of the first iteration."""
        return self._search(self.first_space) if self.searches else self.neighbors

    @cached_property
    def space(self) -> Sequences:
        """Where one more iteration would search: the features, or as many as `n_intermediate`.

        Features between iterations that are no features of the model are not kept by it: the
        graph of the features gives them again.
        """
        n_between = self._n_between
        if n_between <= self.n_components:
            return self.features.with_rows(self.features.rows[:, :n_between])
        vectors = self._embedded(self.features, self._search(self.features), n_between)[1]
        return self.white.with_rows(self.white.rows @ vectors)

    @cached_property
    def neighbors(self) -> NeighborTable:
        """The neighbours in that space."""
        return self._search(self.space)

    @cached_property
    def spectrum(self) -> tuple[FloatArray, FloatArray]:
        """Eigenvalues and vectors of the graph of `neighbors`, for GPFA."""
        return self._embedded(self.space, self.neighbors, self.whitening.rank)

    @property
    def _n_between(self) -> int:
        n_between = getattr(self.model, "n_intermediate", None)
        if n_between is None:
            return self.n_components
        # Other data than the model's may have fewer directions.
        return min(int(n_between), max(self.n_components, self.whitening.rank))

    def _search(self, space: Sequences) -> NeighborTable:
        states = find_states(space, self.n_lags, n_neighbors=self.n_neighbors)
        return search(states, self.n_neighbors, theiler=self.theiler, n_jobs=self.n_jobs)

    def _embedded(
        self, space: Sequences, table: NeighborTable, n_pairs: int
    ) -> tuple[FloatArray, FloatArray]:
        model: Any = self.model
        pairs = model._embed(self.white, space, table, n_pairs)
        return pairs.values, pairs.vectors


def features_of(model: LinearFeatures, series: Sequences) -> Sequences:
    """Return the features as sequences, gaps where the series has them."""
    rows = (series.rows - model.mean_) @ model.components_.T
    rows[~series.valid] = 0.0
    return series.with_rows(rows)


def refitted(
    model: LinearFeatures, series: Sequences, resolution: float, **changes: Any
) -> LinearFeatures:
    """Return the same method, perhaps with other parameters, fitted to other data.

    Not by `fit`, which would check again what was checked, warn again of what was warned of, and
    no longer know in which type the numbers came.
    """
    again: LinearFeatures = clone(model).set_params(**changes)
    whitening = fit_whitening(series, again.pca_components, warn=False, resolution=resolution)
    whitening.require(again.n_components)
    again._keep(whitening, again._find_projection(whitening.apply(series), whitening))
    return again


def rows_of(series: Sequences, rows: Any, pieces: Any = None) -> Sequences:
    """Return some rows of a series; rows of different `pieces` are different sequences.

    Rows that lie next to each other afterwards but did not before must be of different pieces.
    """
    values = np.where(series.valid[:, None], series.rows, np.nan)[rows]
    _, ids = np.unique(
        np.column_stack(
            [series.sequence_first[rows], np.zeros(len(values)) if pieces is None else pieces]
        ),
        axis=0,
        return_inverse=True,
    )
    return check_sequences(values, ids.reshape(-1))


def neighbors_left(series: Sequences, n_lags: int, theiler: int = 0, *, horizon: int = 0) -> int:
    """Return how many neighbours every state can have outside its Theiler window, perhaps none.

    With a `horizon`, of the states that have a sample so many rows ahead, among them.

    Examples
    --------
    >>> from predfeat.selection.diagnosis._subject import neighbors_left
    >>> from predfeat.series import check_sequences
    >>> series = check_sequences([[1.0], [2.0], [3.0], [4.0], [5.0]])
    >>> neighbors_left(series, n_lags=1), neighbors_left(series, n_lags=1, theiler=1)
    (4, 2)
    """
    if not series.reach(back=n_lags - 1, ahead=horizon).any():
        return 0
    states = find_states(series, n_lags, n_neighbors=0, horizon=horizon)
    return fewest_candidates(states, theiler)


def measuring_neighbors(
    series: Sequences, n_lags: int, theiler: int = 0, *, horizon: int = 1
) -> int:
    """Return with how many neighbours `left_open` can measure: ten, or what there are."""
    return min(_DEFAULT_NEIGHBORS, neighbors_left(series, n_lags, theiler, horizon=horizon))


def left_open(
    features: Sequences,
    n_lags: int,
    *,
    horizon: int = 1,
    theiler: int = 0,
    n_neighbors: int | None = None,
    n_jobs: int | None = None,
) -> FloatArray:
    """Return for each feature the share of its variance that similar states leave open.

    That is `predictability` relative to each feature's own variance, with covariances that divide
    by one point less than there are: noise then has 1 however few neighbours there are. By
    default there are `measuring_neighbors`; where that is none, it is an error.
    """
    if n_neighbors is None:
        n_neighbors = measuring_neighbors(features, n_lags, theiler, horizon=horizon)
    table = neighbors_with_successor(
        features, n_lags, max(1, n_neighbors), theiler, n_jobs=n_jobs, horizon=horizon
    )
    open_variance = np.diag(conditional_covariance(features, table, 1, horizon)).clip(min=0.0)
    whole = features.samples.var(axis=0)
    share: FloatArray = np.divide(
        open_variance, whole, out=np.zeros_like(open_variance), where=whole > 0
    )
    return share
