"""Methods that need nothing but moments can be fitted piece by piece, and in parts."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from functools import reduce
from typing import Any, ClassVar, Self, TypeVar

from sklearn.base import clone

from predfeat._memory import available_memory, in_words
from predfeat._threads import one_blas_thread
from predfeat._typing import ArrayLike, FloatArray
from predfeat._warnings import warn
from predfeat.exceptions import NewStartWarning, RankError, StreamError
from predfeat.features._base import LinearFeatures
from predfeat.features._earlier_fit import earlier_fit_aside
from predfeat.features._ignored_target import check_ignored_target
from predfeat.features._in_blocks import white_dynamics
from predfeat.features._stream import MOST_STEPS, Counted, Stream
from predfeat.series import Blocks, check_matrix, check_sequences
from predfeat.whitening import Whitening, warn_of_constant_columns, whitening_from_moments

__all__ = ["StreamingFeatures", "merge"]

# Sums, those of a piece, and both together.
_COPIES = 3

_COLUMNS = ("n_features_in_", "feature_names_in_")


class StreamingFeatures(LinearFeatures):
    """Base of the methods that have `partial_fit` and can be merged.

    A method says what it counts (`counted`) and which directions follow from it
    (`find_directions_in_moments`). Pieces, their borders and the whitening are taken care of here.
    """

    # The names of those parameters that decide what is counted.
    counted_parameters: ClassVar[tuple[str, ...]]

    stream_: Stream

    def partial_fit(self, X: Any, y: Any = None, *, groups: ArrayLike | None = None) -> Self:
        """Take in the next rows of a series that comes in pieces.

        After any number of pieces of any size, the features are those of one `fit` to all their
        rows, up to rounding. Only sums and the last few rows are kept. While there is too little
        data for the features asked for, the model counts as not fitted.

        Rounding matters where directions hardly vary; `predfeat.whitening.whitening_from_moments`
        says how much.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_columns)
            The next rows in time order, at least one. A row that holds a NaN is a gap.
        y : ignored
            As in `fit`.
        groups : array-like of shape (n_rows,), optional
            One id per row, as in `fit`, with every piece or with none. A piece that begins with
            the last id of the piece before goes on with its last sequence. Without groups all
            pieces are one sequence. Which ids came earlier is not kept: one that returns in a
            later piece begins a new sequence, without the warning that `fit` gives.

        Returns
        -------
        self
            A call that fails or is interrupted leaves the model as it was.

        Raises
        ------
        StreamError
            A parameter that decides what is counted was changed since the last piece, or the
            sums would not fit into the memory.

        Warns
        -----
        NewStartWarning
            The model was fitted by `fit`, which keeps no statistics: it starts anew.

        Examples
        --------
        >>> import numpy as np
        >>> from predfeat import SFA
        >>> X = np.random.default_rng(0).normal(size=(1000, 4))
        >>> model = SFA()
        >>> for piece in np.array_split(X, 30):
        ...     model = model.partial_fit(piece)
        >>> np.allclose(model.components_, SFA().fit(X).components_)
        True
        """
        self.check_parameters()
        self._refuse_other_statistics()
        with earlier_fit_aside(self) as earlier:
            is_first = "stream_" not in earlier
            if not is_first:
                _set_columns(self, earlier)
            matrix = check_matrix(X, estimator=self, reset=is_first)
            check_ignored_target(y, groups, len(matrix.values), type(self).__name__)
            piece = check_sequences(matrix, groups, is_part=True)
            if is_first and "components_" in earlier:
                _warn_of_new_start(type(self).__name__)
            stream = earlier.get("stream_") or self._empty_stream(piece.n_columns)
            was_fitted = not is_first and "components_" in earlier
            # Pieces are many and small, so that waiting for BLAS's other threads is most of the
            # time where these are not free.
            with one_blas_thread(stream.largest_width):
                self.stream_ = stream.advanced(piece, self.counted(), matrix.resolution)
                self._find_in_stream(matrix.names, was_fitted=was_fitted)
        return self

    def _empty_stream(self, n_columns: int) -> Stream:
        method = type(self).__name__
        for name, value in self._counted_now().items():
            if value > MOST_STEPS:
                raise StreamError(
                    f"{name}={value} is more than partial_fit of {method} can count. Use at most "
                    f"{name}={MOST_STEPS}."
                )
        widths = [kind.n_blocks * n_columns for kind in self.counted()]
        needed, free = 8 * _COPIES * sum(width**2 for width in widths), available_memory()
        if free is not None and needed > free:
            raise StreamError(
                f"what partial_fit of {method} counts for {n_columns} columns takes "
                f"{in_words(needed)} of memory, with {self._counted_now()}, and {in_words(free)} "
                "are free. Use fewer columns, lags or steps, or fit, which keeps less."
            )
        return Stream.empty(self.counted(), n_columns, self._counted_now())

    def _find_in_stream(self, names: list[str], *, was_fitted: bool) -> None:
        """Find the directions, or leave the model unfitted if there is too little data yet.

        What was enough once can only cease to be so if numbers of another size came, and `fit`
        would refuse that, too. Columns that have not varied yet are reported once, with the
        first features.
        """
        stream = self.stream_
        if self.n_components > stream.samples.n_columns:
            raise RankError(
                f"n_components={self.n_components} is more than the {stream.samples.n_columns} "
                f"columns of the data. Use at most n_components={stream.samples.n_columns}."
            )
        if not stream.has_dynamics:
            return
        whitening = whitening_from_moments(
            stream.samples, self.pca_components, names=names, resolution=stream.resolution
        )
        if whitening.rank < self.n_components and not was_fitted:
            return
        whitening.require(self.n_components)
        if not was_fitted:
            warn_of_constant_columns(stream.samples, names)
        moments = stream.white_dynamics(self.counted(), whitening)
        self._keep(whitening, self.find_directions_in_moments(moments))

    def _counted_now(self) -> dict[str, int]:
        return {name: int(getattr(self, name)) for name in self.counted_parameters}

    def _refuse_other_statistics(self) -> None:
        if not hasattr(self, "stream_"):
            return
        for name, value in self._counted_now().items():
            earlier = self.stream_.parameters[name]
            if earlier != value:
                raise StreamError(
                    f"{name} is {value}, but the earlier pieces were counted with "
                    f"{name}={earlier}, and what was not counted then is lost. Set it back, "
                    f"model.set_params({name}={earlier}), or start anew with a clone."
                )

    def __sklearn_is_fitted__(self) -> bool:
        # While there is too little data, there are columns and statistics but no features.
        return hasattr(self, "components_")

    def takes_blocks(self, n_rows: int) -> bool:
        """See `LinearFeatures.takes_blocks`."""
        return True

    def find_directions_in_blocks(self, blocks: Blocks, whitening: Whitening) -> FloatArray:
        """See `LinearFeatures.find_directions_in_blocks`."""
        dynamics = white_dynamics(blocks, whitening, self.counted())
        return self.find_directions_in_moments(dynamics)

    @abstractmethod
    def counted(self) -> tuple[Counted, ...]:
        """Return what is counted in every run of rows."""

    @abstractmethod
    def find_directions_in_moments(self, moments: tuple[FloatArray, ...]) -> FloatArray:
        """Return the directions of white space that this method selects, from moments.

        Other results, such as eigenvalues, are stored as attributes.

        Parameters
        ----------
        moments : tuple of ndarray
            For each of what is `counted`, its mean outer product in white space.

        Returns
        -------
        ndarray of shape (rank, n_components)
            Unit columns, the best first.
        """


Streaming = TypeVar("Streaming", bound=StreamingFeatures)


def merge(models: Iterable[Streaming]) -> Streaming:
    """Return the model of all the data that several models were fitted to.

    Each model has sequences of its own: nothing reaches from the rows of one to those of the
    next. The result is that of one `fit` to the rows of all, up to rounding, with groups that
    tell the models' sequences apart. It has come to the end of all of them, so rows given to its
    `partial_fit` begin a new sequence.

    Parameters
    ----------
    models : iterable of SFA or of PFA
        Built by `partial_fit`, with the same parameters and columns. They are not changed. Their
        order matters to rounding alone.

    Returns
    -------
    SFA or PFA
        A new model.

    Raises
    ------
    StreamError
        There is no model, or the models do not belong together; the message says why.

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat import SFA, merge
    >>> X = np.random.default_rng(0).normal(size=(1000, 4))
    >>> days = np.repeat([0, 1], 500)
    >>> model = merge([SFA().partial_fit(X[days == day]) for day in (0, 1)])
    >>> np.allclose(model.components_, SFA().fit(X, groups=days).components_)
    True
    """
    parts = list(models)
    if not parts:
        raise StreamError("merge needs at least one model, and got none.")
    for number, part in enumerate(parts):
        _refuse_odd_part(part, parts[0], number)
    merged: Streaming = clone(parts[0])
    _set_columns(merged, vars(parts[0]))
    n_columns = merged.n_features_in_
    streams = [part.stream_ for part in parts]
    merged.stream_ = reduce(Stream.combined, streams, merged._empty_stream(n_columns))
    names = [str(name) for name in getattr(merged, "feature_names_in_", ())]
    merged._find_in_stream(names or [f"x{i}" for i in range(n_columns)], was_fitted=False)
    return merged


def _warn_of_new_start(method: str) -> None:
    warn(
        f"this {method} was fitted by fit, which keeps no statistics to go on from: partial_fit "
        "starts anew, and the rows given to fit have no part in the features. Give them to "
        "partial_fit, too.",
        NewStartWarning,
    )


def _set_columns(model: StreamingFeatures, known: Mapping[str, Any]) -> None:
    """Give a model the count and the names of the columns that are known."""
    for name in _COLUMNS:
        if name in known:
            setattr(model, name, known[name])


def _refuse_odd_part(part: Any, first: Any, number: int) -> None:
    """Refuse a model that has no statistics, or not those of the first one's kind."""
    method = type(part).__name__
    if not isinstance(part, StreamingFeatures):
        raise StreamError(
            f"model {number} is a {method}, which cannot be merged. Models that partial_fit built "
            "can: SFA and PFA."
        )
    if not hasattr(part, "stream_"):
        how = "was fitted by fit, which keeps none" if hasattr(part, "components_") else "is new"
        raise StreamError(
            f"model {number} has no statistics to merge: it {how}. Build each model with "
            "partial_fit, which takes all rows at once, too."
        )
    if type(part) is not type(first):
        raise StreamError(
            f"model {number} is a {method} and model 0 a {type(first).__name__}. Merge models of "
            "one class."
        )
    part._refuse_other_statistics()
    others = first.get_params(deep=False)
    for name, value in part.get_params(deep=False).items():
        if value != others[name]:
            raise StreamError(
                f"model {number} has {name}={value!r} and model 0 {name}={others[name]!r}. Merge "
                "models with the same parameters."
            )
    _refuse_other_columns(part, first, number)


def _refuse_other_columns(part: Any, first: Any, number: int) -> None:
    if part.n_features_in_ != first.n_features_in_:
        raise StreamError(
            f"model {number} has {part.n_features_in_} columns and model 0 "
            f"{first.n_features_in_}. Merge models of the same columns."
        )
    names, others = _names(part), _names(first)
    if names != others:
        raise StreamError(
            f"the columns of model {number} are {_listed(names)} and those of model 0 "
            f"{_listed(others)}. Merge models of the same columns in the same order."
        )


def _names(model: Any) -> list[Any] | None:
    names = getattr(model, "feature_names_in_", None)
    return None if names is None else list(names)


def _listed(names: list[Any] | None) -> str:
    if names is None:
        return "without names"
    return ", ".join(map(repr, names[:10])) + (", …" if len(names) > 10 else "")
