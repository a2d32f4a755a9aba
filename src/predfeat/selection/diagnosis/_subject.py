"""What is diagnosed: a fitted model and its data, at every stage."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sklearn.base import clone

from predfeat._typing import FloatArray
from predfeat.exceptions import RankError
from predfeat.features import GPFA, LinearFeatures, embed
from predfeat.measures import available_neighbors
from predfeat.neighbors import NeighborTable, search
from predfeat.series import Sequences, find_states
from predfeat.whitening import Whitening, fit_whitening

__all__ = [
    "Subject",
    "refitted",
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
        Seed of everything random here.
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
        available = available_neighbors(
            self.series, self.n_lags, at_most=int(asked), horizon=0, theiler=self.theiler
        )
        return max(1, available)

    @property
    def n_components(self) -> int:
        """Features, M."""
        return len(self.model.components_)

    @property
    def searches(self) -> bool:
        """Whether the method connects what surrounds similar states, and nothing else."""
        return isinstance(self.model, GPFA) and self.model.terms is None

    def has(self, parameter: str) -> bool:
        """Return whether the model has a parameter, so that advice can name it."""
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
        return self.model.transform_series(self.series)

    @cached_property
    def test_features(self) -> Sequences | None:
        """The features of the other data."""
        return None if self.test is None else self.model.transform_series(self.test)

    @cached_property
    def first_space(self) -> Sequences:
        """Where the first neighbours are searched; the features for methods that search none."""
        if not isinstance(self.model, GPFA):
            return self.features
        # A model file of an earlier version does not record what init="auto" chose.
        start = getattr(self.model, "init_", self.model.init)
        if isinstance(start, str) and start == "auto":
            start = "input"
        try:
            self.whitening.require(1)
            return self.model.first_space(self.white, self.whitening, start, self._n_between)
        except RankError:  # X is other data, in which the start has no variance
            return self.features

    @cached_property
    def first_neighbors(self) -> NeighborTable:
        """The neighbours of the first iteration."""
        return self._search(self.first_space) if self.searches else self.neighbors

    @cached_property
    def space(self) -> Sequences:
        """Where one more iteration would search: the features, or as many as `n_intermediate`.

        The model does not keep intermediate features beyond its own; they are computed again from
        the graph of its features.
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
        found = embed(self.white, space, table, model.settings, n_pairs)
        return found.eigenvalues, found.directions


def refitted(
    model: LinearFeatures, series: Sequences, resolution: float, **changes: Any
) -> LinearFeatures:
    """Return the same method, perhaps with other parameters, fitted to other data.

    `fit` is not used, as it would not know the original precision of the numbers.
    """
    again: LinearFeatures = clone(model).set_params(**changes)
    return again.fit_series(series, resolution=resolution)
