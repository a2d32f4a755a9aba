"""Nonlinear features: a linear method in an expanded space."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    clone,
)
from sklearn.utils.validation import check_is_fitted

from predfeat._compat import POSITIVE, SEED, HasMethods, Interval, RealNotInt
from predfeat._typing import ArrayLike, FloatArray
from predfeat.exceptions import ExpansionError
from predfeat.expansions import Expansion, Identity, check_expansion, refuse_many_columns
from predfeat.features._base import LinearFeatures, check_linear_method, predicted_score
from predfeat.features._earlier_fit import earlier_fit_aside
from predfeat.features._gpfa import GPFA
from predfeat.features._ignored_target import used_annotations
from predfeat.features._layers import Layer, LayerPlan, expanded_rows, fit_layers, rows_at_once
from predfeat.series import Annotations, Sequences, check_matrix, refuse_overflow
from predfeat.whitening import Whitening

__all__ = ["Expanded", "linear_method"]

# Enough for later layers to combine, and their quadratic expansion has 65 columns.
_FEATURES_BETWEEN = 10


class Expanded(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """A linear method in an expanded space, which makes its features nonlinear in the input.

    The input is whitened, expanded and whitened again, and the method is fitted to the result. GPFA
    searches its first neighbours in the white input, not among the expanded columns.

    With several layers, the features of each layer are whitened and expanded again. GPFA embeds the
    same graph once more in every later layer: the neighbourhoods of the first one are kept, and
    only the functions become richer. Other methods are fitted anew in each layer.

    There is no `inverse_transform`: a nonlinear feature leaves many inputs possible, and the best
    linear guess would be close to the mean. `sensitivity` says what a feature responds to.

    Parameters
    ----------
    estimator : estimator or None, default=None
        GPFA, SFA, PFA, ForeCA or another of predfeat's linear methods, with its parameters; it is
        cloned. Its `pca_components` apply to the input. None is `GPFA()`.
    expansion : str, Expansion or transformer, default="quadratic"
        "quadratic", "cubic", "kernel" (Gaussian, by 100 landmarks), "fourier" (200 random Fourier
        features), "identity", an object of `predfeat.expansions` such as `Polynomial(4)`, or a
        transformer of scikit-learn's that treats every row alone.
    n_layers : int, default=1
        How often to expand. With "identity", every number of layers is the plain method.
    layer_components : int or None, default=None
        How many features each layer but the last hands on. None is 10, or `n_components` of the
        method if that is more.
    expanded_components : int, float or None, default=None
        Principal components of the expanded columns to keep: a count, a share of variance, or all.
        Fewer protect against features that fit chance.
    ridge : float, default=0.0
        Learn as if each expanded column had noise of its own with this share of its variance. This
        protects against directions in which the expanded columns hardly vary.
    random_state : int, default=0
        Seed of that noise.

    Attributes
    ----------
    estimator_ : estimator
        The method, fitted to the columns of the last layer. `history_` and `eigenvalues_` are also
        available here.
    layers_ : tuple of Layer
        The maps before it; empty for the identity.

    References
    ----------
    L. Wiskott and T. Sejnowski, Slow feature analysis: unsupervised learning of invariances,
    Neural Computation 14(4), 2002, for the quadratic expansion.
    H. Sprekeler, On the relation of slow feature analysis and Laplacian eigenmaps, Neural
    Computation 23(12), 2011, for graphs and layers.

    Examples
    --------
    An amplitude that is predictable, of two channels that are not:

    >>> import numpy as np
    >>> from predfeat import GPFA, Expanded
    >>> from predfeat.datasets import hidden_amplitude
    >>> X, amplitude = hidden_amplitude(1500, 3, random_state=0)
    >>> model = Expanded(GPFA(n_components=1), "quadratic").fit(X)
    >>> bool(abs(np.corrcoef(model.transform(X)[:, 0], amplitude)[0, 1]) > 0.95)
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimator": [object],  # see `check_linear_method`
        "expansion": [str, Expansion, HasMethods(["fit", "transform"])],
        "n_layers": [POSITIVE],
        "layer_components": [POSITIVE, None],
        "expanded_components": [POSITIVE, Interval(RealNotInt, 0, 1, closed="neither"), None],
        "ridge": [Interval(Real, 0, None, closed="left")],
        "random_state": [SEED],
    }

    # As in `LinearFeatures`: scikit-learn's Pipeline.score passes one of None.
    __metadata_request__score: ClassVar[dict[str, None]] = {"sample_weight": None}

    def __init__(
        self,
        estimator: LinearFeatures | None = None,
        expansion: Any = "quadratic",
        *,
        n_layers: int = 1,
        layer_components: int | None = None,
        expanded_components: int | float | None = None,
        ridge: float = 0.0,
        random_state: int = 0,
    ):
        self.estimator = estimator
        self.expansion = expansion
        self.n_layers = n_layers
        self.layer_components = layer_components
        self.expanded_components = expanded_components
        self.ridge = ridge
        self.random_state = random_state

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
        X : array-like of shape (n_rows, n_columns)
            Rows in time order. A row that holds a NaN is a gap.
        y : array-like of shape (n_rows,) or (n_rows, n_targets), optional
            For terms of GPFA that use labels or values; ignored by other methods, as in theirs.
        groups : array-like of shape (n_rows,), optional
            One id per row: consecutive rows of one id form a sequence, and nothing ever reaches
            from one sequence into another. By default all rows are one sequence.
        actions, rewards : array-like of shape (n_rows,), optional
            For GPFA; see `GPFA.fit`. Actions are not expanded.

        Returns
        -------
        self
            A fit that fails or is interrupted keeps the results of an earlier one.
        """
        self.check_parameters()
        with earlier_fit_aside(self):
            matrix = check_matrix(X, estimator=self, min_rows=2)
            model = self._method()
            n_rows = len(matrix.values)
            used = model.annotations_used if isinstance(model, GPFA) else None
            told = {"y": y, "groups": groups, "actions": actions, "rewards": rewards}
            annotations = used_annotations(used, n_rows, type(self).__name__, **told)
            series, whitening = model._whitened(matrix, groups)
            white = whitening.apply(series)
            expansion = check_expansion(self.expansion)
            is_plain = type(expansion) is Identity
            known = _known(model, series, white, whitening, annotations, is_plain)
            if is_plain:
                model.fit_white(white, whitening, **known)
                self.layers_: tuple[Layer, ...] = ()
            else:
                plan = self._plan(expansion, matrix.resolution)
                self.layers_ = fit_layers(model, white, whitening, plan, known)
            self.estimator_ = model
        return self

    def _method(self) -> LinearFeatures:
        method: LinearFeatures = clone(linear_method(self))
        return method

    def _plan(self, expansion: Expansion, resolution: float) -> LayerPlan:
        n_between = _FEATURES_BETWEEN if self.layer_components is None else self.layer_components
        return LayerPlan(
            expansion,
            self.n_layers,
            n_between,
            self.expanded_components,
            float(self.ridge),
            self.random_state,
            resolution,
        )

    def check_parameters(self) -> None:
        """Raise an error if a parameter, or one of the method's, has an invalid type or value."""
        self._validate_params()
        check_linear_method(self.estimator, "estimator")
        expansion = check_expansion(self.expansion)
        model = self._method()
        model.check_parameters()
        if self.n_layers > 1 and type(expansion) is not Identity and isinstance(model, GPFA):
            for name, value in (("init", "auto"), ("refine", True)):
                given = getattr(model, name)
                if isinstance(given, type(value)) and given == value:
                    raise ExpansionError(
                        f"{name}={value!r} does not go with n_layers={self.n_layers}: later layers "
                        "embed the graph of the first one again, and this one chooses by its own "
                        "features. Use n_layers=1, or another "
                        f"{'start' if name == 'init' else 'value'}."
                    )
        if isinstance(model.pca_components, int | np.integer):
            refuse_many_columns(expansion, int(model.pca_components))

    @property
    def n_lags(self) -> int:
        """Samples in a state: those of the method, or 1."""
        return int(getattr(linear_method(self), "n_lags", 1))

    @property
    def horizon(self) -> int:
        """Steps ahead to predict: those of the method, or 1."""
        return int(getattr(linear_method(self), "horizon", 1))

    @property
    def eigenvalues_(self) -> FloatArray:
        """The method's eigenvalues, if it has any."""
        values: FloatArray = self._fitted.eigenvalues_
        return values

    @property
    def history_(self) -> dict[str, FloatArray]:
        """The method's history, if it has one; with several layers, that of the first."""
        history: dict[str, FloatArray] = self._fitted.history_
        return history

    @property
    def rank_(self) -> int:
        """Dimension of the last white space."""
        return int(self._fitted.rank_)

    @property
    def _fitted(self) -> Any:
        if "estimator_" not in vars(self):
            raise AttributeError(f"this {type(self).__name__} is not fitted yet.")
        return self.estimator_

    @property
    def _n_features_out(self) -> int:
        return self.estimator_._n_features_out

    def transform(self, X: Any) -> FloatArray:
        """Extract the features of every row.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_columns)

        Returns
        -------
        ndarray of shape (n_rows, n_components)
            Rows with a NaN stay NaN.
        """
        check_is_fitted(self)
        values = check_matrix(X, estimator=self, reset=False).values
        gaps = np.isnan(values).any(axis=1)
        if not gaps.any():
            return self._features(values)
        features = np.full((len(values), self._n_features_out), np.nan)
        features[~gaps] = self._features(values[~gaps])
        return features

    def transform_series(self, series: Sequences) -> Sequences:
        """Extract the features of a checked series, without further checks.

        Parameters
        ----------
        series : Sequences
            With the columns that the model was fitted to.

        Returns
        -------
        Sequences
            The features, with the same sequences and gaps as the series.
        """
        check_is_fitted(self)
        rows = self._features(series.rows)
        rows[~series.valid] = 0.0
        return series.with_rows(rows)

    def _features(self, rows: FloatArray) -> FloatArray:
        """Return the features of rows without a gap, some at a time if they are expanded."""
        if not self.layers_:
            return self._linear(rows)
        height = rows_at_once(self.layers_)
        parts = [
            self._linear(expanded_rows(self.layers_, rows[start : start + height]))
            for start in range(0, len(rows), height)
        ]
        return np.concatenate(parts) if parts else np.empty((0, self._n_features_out))

    def _linear(self, rows: FloatArray) -> FloatArray:
        with np.errstate(over="ignore", invalid="ignore"):
            features: FloatArray = (rows - self.estimator_.mean_) @ self.estimator_.components_.T
        refuse_overflow(features, "features", of="X")
        return features

    def score(self, X: Any, y: Any = None, *, groups: ArrayLike | None = None) -> float:
        """Return how many features' worth of variance is predicted in X: higher is better.

        As the methods' own scores; see `GPFA.score`.

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
            At most `n_components` of the method.
        """
        return predicted_score(self, X, y, groups)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        if isinstance(self.estimator, LinearFeatures):
            tags.target_tags.required = self.estimator.__sklearn_tags__().target_tags.required
        return tags


def linear_method(model: Any) -> Any:
    """Return the method whose parameters decide: that of an `Expanded`, or the model itself.

    Parameters
    ----------
    model : estimator

    Returns
    -------
    estimator
        Not a copy, so that parameters can be set.

    Examples
    --------
    >>> from predfeat import PFA, Expanded
    >>> from predfeat.features import linear_method
    >>> linear_method(Expanded(PFA())), linear_method(PFA())
    (PFA(), PFA())
    """
    if not isinstance(model, Expanded):
        return model
    return GPFA() if model.estimator is None else model.estimator


def _known(
    model: LinearFeatures,
    series: Sequences,
    white: Sequences,
    whitening: Whitening,
    annotations: Annotations,
    plain: bool,
) -> dict[str, Any]:
    """Return what `find_directions` of the method can use besides the expanded series."""
    known = model._known(series)
    if isinstance(model, GPFA):
        known["annotations"] = annotations
        other_method = isinstance(model.init, str) and model.init not in ("input", "auto")
        if not plain and not other_method:
            start = "input" if isinstance(model.init, str) else model.init
            known["space"] = model.first_space(white, whitening, start)
    return known
