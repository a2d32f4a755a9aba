"""Spectral regression: embed the graph's nodes, then regress their values on the rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from predfeat._compat import (
    JOBS,
    POSITIVE,
    WINDOW,
    HasMethods,
    Interval,
    RealNotInt,
    StrOptions,
)
from predfeat._threads import one_blas_thread
from predfeat._typing import ArrayLike, BoolArray, FloatArray, IntArray
from predfeat._warnings import warn
from predfeat.exceptions import DisconnectedGraphWarning, RankError
from predfeat.features._base import predicted_score
from predfeat.features._earlier_fit import earlier_fit_aside
from predfeat.features._embedding import (
    GraphSettings,
    SimilarStates,
    find_neighbors,
    graph_context,
    smallest_directions,
)
from predfeat.features._ignored_target import check_ignored_target
from predfeat.features._node_regression import Regression, least_squares, regress
from predfeat.graph import (
    GRAPHS,
    Future,
    Neighborhoods,
    Past,
    connect,
    explicit_graph,
    projected_laplacian,
)
from predfeat.neighbors import ENGINES
from predfeat.series import Sequences, check_matrix, check_sequences, refuse_overflow
from predfeat.solvers import NodeEmbedding, count_solutions, embed_nodes, fix_signs
from predfeat.whitening import Whitening, fit_whitening

__all__ = ["SpectralRegression"]


class SpectralRegression(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    r"""GPFA by spectral regression: features may be any function of the rows, or use few channels.

    GPFA asks which linear maps of the rows lie closest together along its graph. Spectral
    regression splits that in two. The graph's nodes are embedded as they are, a number for each
    sample,

    .. math:: L y = \lambda D y

    and then the numbers of the samples are regressed on their rows. Of the functions so found, the
    linear combinations that lie closest together are the features; with them as the space of
    similarity, the graph is made again, as in GPFA.

    Parameters
    ----------
    n_components : int, default=2
        Number of features, M.
    regressor : regressor or None, default=None
        Any of scikit-learn's, or `FewChannels` for features of few channels. It sees the channels
        with mean 0 and variance 1, and targets of variance 1. None means least squares, in white
        space and with the smallest weights there.
    n_embedded : int or None, default=None
        How many solutions of the graph are regressed. None means 20 + 10 M. Few samples' numbers
        are functions of the rows, so that M are too few unless there are as many columns as rows.
    n_lags, horizon, n_neighbors, graph, past, normalized, theiler, engine, n_jobs
        As in `GPFA`. All states ask for their neighbours.
    max_iter : int, default=5
        How often the graph is made: first from neighbours in white space, then from those among
        the features.
    pieces : {"all", "largest"}, default="all"
        What to do with a graph of several pieces that no edge joins. Its first solutions have the
        eigenvalue 0, and tell pieces apart. "all" keeps them, with a warning. "largest" embeds the
        largest piece alone, and the regression is fitted to its samples.
    pca_components : int, float or None, default=None
        Principal components to keep before whitening: a count, a share of variance, or all.

    Attributes
    ----------
    mean_, scale_ : ndarray of shape (n_columns,)
        Mean and standard deviation of the channels (1 for constant ones).
    regressor_ : regressor
        The fitted regressor; only if one was given.
    components_ : ndarray of shape (n_components, n_columns)
        The features are (X - mean_) @ components_.T. Only with least squares and regressors that
        have `coef_`.
    eigenvalues_ : ndarray of shape (n_components,)
        λ of each feature on the last graph.
    r2_ : ndarray of shape (n_components,)
        How much of the variance of the nodes' numbers each feature explains, on the training rows.
    n_iter_ : int
        How often the graph was made: `max_iter`.
    n_pieces_ : int
        Connected pieces of the last graph that was embedded.
    output_mean_, output_weights_ : ndarray of shape (n_outputs,), (n_outputs, n_components)
        How features follow from what the regressor predicts.

    See Also
    --------
    GPFA : The eigenproblem itself.
    sparsify : Few channels for any model that is fitted already.

    Notes
    -----
    With least squares and as many independent columns as samples, all numbers of the nodes are
    linear maps of the rows, and the features are those of GPFA's eigenproblem. So they are with
    as many solutions as columns. Otherwise they only come near: prefer `GPFA`, unless there are
    thousands of columns, whose eigenproblem takes time, or the regressor is what you want.

    A flexible regressor learns the training samples' numbers by heart, and its features look
    predictable on these rows alone: judge them on others.

    References
    ----------
    D. Cai, X. He and J. Han, Spectral regression for efficient regularized subspace learning,
    ICCV 2007, doi:10.1109/ICCV.2007.4408855.

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.datasets import predictable_noise
    >>> from predfeat.features import FewChannels, SpectralRegression
    >>> X = predictable_noise(700, random_state=0)
    >>> model = SpectralRegression(n_components=2, regressor=FewChannels(2)).fit(X)
    >>> np.flatnonzero(np.any(model.components_ != 0, axis=0))  # of ten, two are predictable
    array([0, 1])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_components": [POSITIVE],
        "regressor": [HasMethods(["fit", "predict"]), None],
        "n_embedded": [POSITIVE, None],
        "n_lags": [POSITIVE],
        "horizon": [POSITIVE],
        "n_neighbors": [POSITIVE],
        "graph": [StrOptions(set(GRAPHS))],
        "past": ["boolean"],
        "normalized": ["boolean"],
        "max_iter": [POSITIVE],
        "pieces": [StrOptions({"all", "largest"})],
        "pca_components": [POSITIVE, Interval(RealNotInt, 0, 1, closed="neither"), None],
        "theiler": [WINDOW],
        "engine": [StrOptions(ENGINES)],
        "n_jobs": [JOBS, None],
    }

    # As in LinearFeatures: scikit-learn's Pipeline.score passes on a sample_weight of None.
    __metadata_request__score: ClassVar[dict[str, None]] = {"sample_weight": None}

    def __init__(
        self,
        n_components: int = 2,
        *,
        regressor: Any = None,
        n_embedded: int | None = None,
        n_lags: int = 1,
        horizon: int = 1,
        n_neighbors: int = 10,
        graph: str = "star",
        past: bool = True,
        normalized: bool = True,
        max_iter: int = 5,
        pieces: str = "all",
        pca_components: int | float | None = None,
        theiler: int = 0,
        engine: str = "auto",
        n_jobs: int | None = None,
    ):
        self.n_components = n_components
        self.regressor = regressor
        self.n_embedded = n_embedded
        self.n_lags = n_lags
        self.horizon = horizon
        self.n_neighbors = n_neighbors
        self.graph = graph
        self.past = past
        self.normalized = normalized
        self.max_iter = max_iter
        self.pieces = pieces
        self.pca_components = pca_components
        self.theiler = theiler
        self.engine = engine
        self.n_jobs = n_jobs

    def check_parameters(self) -> None:
        """Raise an error if a parameter has an invalid type or value."""
        self._validate_params()

    def fit(self, X: Any, y: Any = None, *, groups: ArrayLike | None = None) -> Self:
        """Find the features of a training series.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_columns)
            Rows in time order. A row that holds a NaN is a gap.
        y : ignored
            As in the other methods.
        groups : array-like of shape (n_rows,), optional
            Ids of the sequences; by default all rows are one.

        Returns
        -------
        self
            A fit that fails or is interrupted keeps the results of an earlier one.
        """
        self.check_parameters()
        with earlier_fit_aside(self):
            matrix = check_matrix(X, estimator=self, min_rows=2)
            check_ignored_target(y, groups, len(matrix.values), type(self).__name__)
            series = check_sequences(matrix, groups)
            series.state_times(self.n_lags, self.horizon)  # checks that some state has a successor
            whitening = fit_whitening(
                series, self.pca_components, names=matrix.names, resolution=matrix.resolution
            )
            whitening.require(self.n_components)
            self.mean_ = whitening.mean
            varies = np.any(whitening.directions != 0, axis=1)
            self.scale_ = np.where(varies, series.samples.std(axis=0), 1.0)
            with one_blas_thread(whitening.rank):
                chosen = self._iterate(_Data.of(series, whitening, self.scale_))
                self._keep(chosen, series.valid)
        return self

    @property
    def settings(self) -> GraphSettings:
        """How samples are connected; see `GPFA.settings`."""
        terms = (Future(self.graph), Past(self.graph)) if self.past else (Future(self.graph),)
        return GraphSettings(
            n_lags=self.n_lags,
            horizon=self.horizon,
            n_neighbors=self.n_neighbors,
            terms=terms,
            normalized=self.normalized,
            theiler=self.theiler,
            engine=self.engine,
            n_jobs=self.n_jobs,
        )

    def _iterate(self, data: _Data) -> _Chosen:
        """Return what the last step from a space of similarity to features has chosen."""
        space = data.white
        for _ in range(self.max_iter):
            neighbors = find_neighbors(space, self.settings)
            context = graph_context(data.white, space, SimilarStates(neighbors), self.settings)
            terms = connect(self.settings.terms, context)
            nodes = self._embedded(terms)
            if self.pieces == "largest":
                terms = [_among(term, nodes.nodes) for term in terms]
            functions = self._regression(data, nodes.nodes, nodes.values).outputs
            combinations = self._closest(terms, functions, nodes.nodes)
            features = functions @ combinations
            space = data.white.with_rows(features)
        _warn_disconnected(nodes, self.n_components)
        self.n_iter_, self.n_pieces_ = self.max_iter, nodes.n_pieces
        # The features are functions of the rows already. Fitting them, not the nodes' numbers once
        # more, makes one function of each; what cannot be regressed has no say in it.
        final = self._regression(data, nodes.nodes, _of_variance_1(features[nodes.nodes]))
        return _Chosen(terms, _of_variance_1(nodes.values @ combinations), final, nodes.nodes)

    def _embedded(self, terms: list[Neighborhoods]) -> NodeEmbedding:
        """Return the smallest solutions of the graph, scaled to variance 1."""
        n_wanted = 20 + 10 * self.n_components if self.n_embedded is None else self.n_embedded
        graph, only = explicit_graph(terms), self.pieces == "largest"
        n_most = max(self.n_components, min(n_wanted, count_solutions(graph, largest_only=only)))
        found = embed_nodes(graph, n_most, normalized=self.normalized, largest_only=only)
        return replace(found, values=_of_variance_1(found.values))

    def _regression(self, data: _Data, nodes: IntArray, targets: FloatArray) -> Regression:
        if self.regressor is None:
            return least_squares(data.white, data.whitening, nodes, targets)
        return regress(self.regressor, data.channels, nodes, targets)

    def _closest(
        self, terms: list[Neighborhoods], functions: FloatArray, nodes: IntArray
    ) -> FloatArray:
        """Return the combinations of functions that lie closest together along the graph."""
        whitening = fit_whitening(check_sequences(functions[nodes]), warn=False)
        if whitening.rank < self.n_components:
            raise RankError(
                f"n_components={self.n_components} is more than the {whitening.rank} independent "
                f"functions that regressor={self.regressor} found. Use fewer features, more "
                "embedded solutions (n_embedded) or a regressor that is less restricted."
            )
        white = (functions - whitening.mean) @ whitening.directions
        graph = projected_laplacian(terms, white)
        pairs = smallest_directions(graph, self.n_components, normalized=self.normalized)
        combinations: FloatArray = whitening.directions @ pairs.vectors
        return combinations

    def _keep(self, chosen: _Chosen, valid: BoolArray) -> None:
        """Scale the features to variance 1 and sort them by λ."""
        found = chosen.regression
        spread = found.outputs[valid].std(axis=0)
        if not np.all(spread > 0):
            raise RankError(
                f"regressor={self.regressor} predicts a constant for {np.sum(spread == 0)} of "
                f"n_components={self.n_components} features. Restrict it less, or use fewer."
            )
        around = (found.outputs - found.outputs[chosen.nodes].mean(axis=0)) / spread
        graph = projected_laplacian(chosen.terms, around)
        values = np.diag(graph.laplacian)
        values = values / np.diag(graph.degree) if self.normalized else values
        order = np.argsort(values, kind="stable")
        # The largest weight is positive; without weights, the largest output.
        signs = fix_signs((found.outputs if found.weights is None else found.weights).T)
        self.output_weights_ = np.diag(signs / spread)[:, order]
        self.output_mean_ = found.offset
        self.eigenvalues_ = values[order]
        self.r2_ = _explained(chosen.targets, found.outputs[chosen.nodes])[order]
        if found.regressor is not None:
            self.regressor_ = found.regressor
        if found.weights is not None:
            scale = 1.0 if self.regressor is None else self.scale_[:, None]
            self.components_ = (found.weights / scale @ self.output_weights_).T

    @property
    def _n_features_out(self) -> int:
        return len(self.eigenvalues_)

    def transform(self, X: Any) -> FloatArray:
        """Extract the features of every row.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_columns)

        Returns
        -------
        ndarray of shape (n_rows, n_components)
            Rows with a NaN are NaN.
        """
        check_is_fitted(self)
        values = check_matrix(X, estimator=self, reset=False).values
        valid = ~np.isnan(values).any(axis=1)
        features = np.full((len(values), self._n_features_out), np.nan)
        if not valid.any():
            return features
        with np.errstate(over="ignore", invalid="ignore"):
            around = values[valid] - self.mean_
            if hasattr(self, "components_"):
                features[valid] = around @ self.components_.T
            else:
                outputs = np.asarray(self.regressor_.predict(around / self.scale_))
                outputs = outputs.reshape(len(around), -1) - self.output_mean_
                features[valid] = outputs @ self.output_weights_
        refuse_overflow(features[valid], "features", of="X")
        return features

    def score(self, X: Any, y: Any = None, *, groups: ArrayLike | None = None) -> float:
        """Return how many features' worth of variance is predicted in X; see `GPFA.score`.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_columns)
        y : ignored
            As in `fit`.
        groups : array-like of shape (n_rows,), optional
            Ids of the sequences.

        Returns
        -------
        float
            At most `n_components`; higher is better.
        """
        return predicted_score(self, X, y, groups)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


@dataclass(frozen=True)
class _Data:
    """The training rows, in white space and with channels of variance 1."""

    white: Sequences
    whitening: Whitening
    channels: Sequences

    @classmethod
    def of(cls, series: Sequences, whitening: Whitening, scale: FloatArray) -> _Data:
        channels = (series.rows - whitening.mean) / scale
        channels[~series.valid] = 0.0
        return cls(whitening.apply(series), whitening, series.with_rows(channels))


@dataclass(frozen=True)
class _Chosen:
    """The last graph, the numbers of its nodes that were chosen, and functions of the rows."""

    terms: list[Neighborhoods]
    targets: FloatArray
    regression: Regression
    nodes: IntArray


def _among(term: Neighborhoods, nodes: IntArray) -> Neighborhoods:
    """Return the neighbourhoods around some rows; edges never leave a piece of the graph."""
    kept = np.isin(term.centers, nodes)
    weights = None if term.weights is None else term.weights[kept]
    return Neighborhoods(term.centers[kept], term.members[kept], weights, graph=term.graph)


def _of_variance_1(values: FloatArray) -> FloatArray:
    around = values - values.mean(axis=0)
    scaled: FloatArray = around / np.sqrt(np.mean(np.square(around), axis=0))
    return scaled


def _explained(targets: FloatArray, outputs: FloatArray) -> FloatArray:
    """Return the squared correlation of each target and its output."""
    products = np.mean(_of_variance_1(targets) * _of_variance_1(outputs), axis=0)
    shares: FloatArray = np.square(products).clip(max=1.0)
    return shares


def _warn_disconnected(nodes: NodeEmbedding, n_components: int) -> None:
    if nodes.n_pieces == 1:
        return
    sizes = np.bincount(nodes.pieces)
    warn(
        f"the graph of {len(nodes.nodes)} rows falls into {nodes.n_pieces} pieces that no edge "
        f"joins (the largest of {sizes[0]} rows, the smallest of {sizes[-1]}). Up to "
        f"{nodes.n_pieces - 1} of n_components={n_components} features only tell pieces apart. "
        'Use more neighbours, or pieces="largest".',
        DisconnectedGraphWarning,
    )
