"""One method for all places of an image: shared weights over receptive fields."""

from __future__ import annotations

from inspect import signature
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin, clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from predfeat._compat import POSITIVE, SEED, HasMethods, StrOptions
from predfeat._memory import available_memory, in_words
from predfeat._typing import ArrayLike, FloatArray, IntArray
from predfeat.exceptions import DataError
from predfeat.features._earlier_fit import earlier_fit_aside
from predfeat.features._ignored_target import check_ignored_target
from predfeat.features._patch_grid import PatchGrid, patch_grid
from predfeat.features._sfa import SFA
from predfeat.series import Matrix, Sequences, check_matrix, check_sequences, refuse_overflow

__all__ = ["Patches"]

# With n_positions="auto", the patches of a fit hold at most this many numbers: half a gigabyte.
_MOST_NUMBERS = 1 << 26
# The patches, their copy in white space, and what a method makes of it.
_COPIES = 3


class Patches(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """One method for all patches of an image, with the same weights everywhere.

    Rows are flattened images: frames of video, or spectra, which are lines of frequencies. The
    method is fitted to what all patches show over time, each place a sequence of its own.
    `transform` gives the features of every patch, again as an image, whose pixels are the places
    and hold M numbers each. So layers can be stacked: with SFA that is hierarchical slow feature
    analysis. A plain method makes the last step of such a `Pipeline`.

    The mean of each pixel is removed first. Otherwise the slowest features would only tell places
    with different, but constant background apart.

    Parameters
    ----------
    estimator : estimator or None, default=None
        The method: one of predfeat's, or any transformer. If its `fit` takes no groups, it sees
        rows without order. None means `SFA()`.
    image_shape : int, (int, int), (int, int, int) or None, default=None
        The image: a line of pixels, (height, width), or (height, width, numbers at each pixel).
        The numbers of one pixel stand together, and pixels row by row. None means one line.
    patch : int, (int, int) or None, default=None
        Height and width of a patch. An int means a square, or that many pixels of a line. None
        means the whole image.
    stride : int, (int, int) or None, default=None
        Steps down and across from one patch to the next. Every pixel must be in some patch: a
        stride that leaves a margin or spaces is refused. None means patches side by side.
    n_positions : int, "auto" or None, default="auto"
        How many places take part in the fit, at most; they are drawn at random. None means all.
        "auto" means all whose patches hold 67 million numbers together, which is half a gigabyte.
    random_state : int, default=0
        Seed of that draw.

    Attributes
    ----------
    estimator_ : estimator
        The fitted method.
    mean_ : ndarray of shape (n_columns,)
        The mean image.
    output_shape_ : (int, int, int)
        The image that `transform` returns: places down and across, and features of each. It is
        the `image_shape` of the next layer.
    positions_ : ndarray of int
        The places that took part in the fit.

    See Also
    --------
    patch_grid : Where the patches lie; it tells the output's shape before a fit.
    predfeat.series.delay : Joins several rows, for patches in time and frequency.

    Notes
    -----
    A fit holds positions × rows × columns of a patch in memory, about three times. Delayed rows
    are lines of an image as well: after `X = delay(spectra, 3)`, (4, n_frequencies) is the shape,
    and patch=(4, 16) has four steps of 16 frequencies.

    A linear method in patches stays linear, and so does a stack of layers. Nonlinear features need
    an expansion inside, for example a pipeline of scikit-learn's `PolynomialFeatures` and `SFA`
    (with its metadata routing enabled, so that groups reach the method).

    Examples
    --------
    Two layers and a last step:

    >>> import numpy as np
    >>> from predfeat import GPFA, SFA
    >>> from predfeat.features import Patches
    >>> from sklearn.pipeline import make_pipeline
    >>> t, pixels = np.arange(400)[:, None], np.arange(64)
    >>> X = np.random.default_rng(0).normal(size=(400, 64))
    >>> X += 2 * np.sin(0.05 * t + pixels % 8)
    >>> model = make_pipeline(
    ...     Patches(SFA(3), image_shape=(8, 8), patch=4, stride=2),
    ...     Patches(SFA(3), image_shape=(3, 3, 3), patch=2, stride=1),
    ...     GPFA(2, n_neighbors=5),
    ... )
    >>> model.fit_transform(X).shape, model[0].output_shape_, model[1].output_shape_
    ((400, 2), (3, 3, 3), (2, 2, 3))
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimator": [HasMethods(["fit", "transform"]), None],
        "image_shape": [POSITIVE, tuple, list, None],
        "patch": [POSITIVE, tuple, list, None],
        "stride": [POSITIVE, tuple, list, None],
        "n_positions": [POSITIVE, StrOptions({"auto"}), None],
        "random_state": [SEED],
    }

    def __init__(
        self,
        estimator: Any = None,
        *,
        image_shape: int | tuple[int, ...] | None = None,
        patch: int | tuple[int, int] | None = None,
        stride: int | tuple[int, int] | None = None,
        n_positions: int | str | None = "auto",
        random_state: int = 0,
    ):
        self.estimator = estimator
        self.image_shape = image_shape
        self.patch = patch
        self.stride = stride
        self.n_positions = n_positions
        self.random_state = random_state

    def check_parameters(self) -> None:
        """Raise an error if a parameter has an invalid type or value."""
        self._validate_params()

    def fit(self, X: Any, y: Any = None, *, groups: ArrayLike | None = None) -> Self:
        """Fit the method to the patches of a training series.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_columns)
            Flattened images in time order. A row that holds a NaN is a gap, at every place.
        y : ignored
            As in the methods.
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
            series.times()  # at least one sample
            grid = self._grid(series.n_columns)
            self.mean_ = _mean_image(series.samples)
            self.positions_ = self._drawn(grid, series.n_rows)
            self.estimator_ = self._fitted(matrix, series, grid)
            first = series.rows[series.valid][:1, grid.columns[0]] - self.mean_[grid.columns[0]]
            n_features = np.asarray(self.estimator_.transform(first)).shape[1]
            self.output_shape_ = (*grid.shape, int(n_features))
        return self

    def _grid(self, n_columns: int) -> PatchGrid:
        return patch_grid(n_columns, self.image_shape, self.patch, self.stride)

    def _drawn(self, grid: PatchGrid, n_rows: int) -> IntArray:
        """Return the places that take part in the fit, in order."""
        n_numbers = max(1, n_rows * grid.columns.shape[1])
        if self.n_positions == "auto":
            n_drawn = max(1, _MOST_NUMBERS // n_numbers)
        else:
            n_drawn = grid.n_patches if self.n_positions is None else int(self.n_positions)
        n_drawn = min(n_drawn, grid.n_patches)
        needed, free = 8 * _COPIES * n_drawn * n_numbers, available_memory()
        if free is not None and needed > free:
            raise DataError(
                f"the patches of {n_drawn} place(s) in {n_rows} rows take about "
                f"{in_words(needed)} of memory, and {in_words(free)} are free. Fit to fewer places "
                "(n_positions), fewer rows or smaller patches."
            )
        if n_drawn == grid.n_patches:
            return np.arange(n_drawn)
        random = check_random_state(self.random_state)
        return np.sort(random.choice(grid.n_patches, n_drawn, replace=False))

    def _fitted(self, matrix: Matrix, series: Sequences, grid: PatchGrid) -> Any:
        """Return the method, fitted to the chosen patches one below the other."""
        estimator = SFA() if self.estimator is None else clone(self.estimator)
        parameters = signature(estimator.fit).parameters.values()
        if any(each.name == "groups" or each.kind is each.VAR_KEYWORD for each in parameters):
            kept = np.arange(series.n_rows)
            known = {"groups": _ids(series, len(self.positions_))}
        else:
            kept, known = np.flatnonzero(series.valid), {}
        # In the precision of the data, so that its rounding is not taken for signal.
        narrow = matrix.resolution >= np.finfo(np.float32).eps
        columns = grid.columns[self.positions_]
        patches = np.empty(
            (len(columns), len(kept), columns.shape[1]), np.float32 if narrow else None
        )
        for patch, of_patch in zip(patches, columns, strict=True):
            patch[:] = matrix.values[np.ix_(kept, of_patch)] - self.mean_[of_patch]
        return estimator.fit(patches.reshape(-1, columns.shape[1]), **known)

    def transform(self, X: Any) -> FloatArray:
        """Extract the features of every patch of every row.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_columns)

        Returns
        -------
        ndarray of shape (n_rows, product of `output_shape_`)
            Flattened images of shape `output_shape_`; rows with a NaN are NaN.
        """
        check_is_fitted(self)
        values = check_matrix(X, estimator=self, reset=False).values
        grid, valid = self._grid(values.shape[1]), ~np.isnan(values).any(axis=1)
        features = np.full((len(values), grid.n_patches, self.output_shape_[2]), np.nan)
        if valid.any():
            with np.errstate(over="ignore"):
                images = values[valid] - self.mean_
            refuse_overflow(images, "deviations from the mean image", of="X")
            for number, columns in enumerate(grid.columns):
                features[valid, number] = self.estimator_.transform(images[:, columns])
        return features.reshape(len(values), -1)

    @property
    def _n_features_out(self) -> int:
        return int(np.prod(self.output_shape_))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


def _mean_image(samples: FloatArray) -> FloatArray:
    """Return the mean of each pixel; that of a constant one exactly, so that nothing is left."""
    lowest = samples.min(axis=0)
    mean: FloatArray = np.where(lowest == samples.max(axis=0), lowest, samples.mean(axis=0))
    return mean


def _ids(series: Sequences, n_positions: int) -> IntArray:
    """Return an id for each sequence at each place."""
    first = series.sequence_first
    ids: IntArray = (first + series.n_rows * np.arange(n_positions)[:, None]).ravel()
    return ids
