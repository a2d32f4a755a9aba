"""Features of symbols whose next symbol is predictable."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from predfeat._compat import JOBS, POSITIVE, Interval, StrOptions
from predfeat._logging import tell
from predfeat._typing import AnyArray, ArrayLike, FloatArray, IntArray
from predfeat._warnings import warn
from predfeat.exceptions import (
    DisconnectedSymbolsWarning,
    RankError,
    UnknownSymbolsWarning,
)
from predfeat.features._earlier_fit import earlier_fit_aside
from predfeat.features._ignored_target import check_ignored_target
from predfeat.features._run import Iteration
from predfeat.features._stopping import Settled
from predfeat.features._symbol_iteration import SymbolRun, iterate_symbols
from predfeat.neighbors import ENGINES
from predfeat.series import NO_SYMBOL, Symbols, as_objects, check_symbols, find_symbols

__all__ = ["SymbolFeatures"]

_MOST_NAMED = 5


class SymbolFeatures(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    r"""Features of symbols, such as words, chosen so that the next symbol's are predictable.

    A linear map of one-hot symbols is a free vector for each symbol. As in `GPFA`, what follows
    similar states should be similar; here a state is a context, the p symbols before a symbol, and
    similar means equal. With N the table of contexts by next symbols, n its row sums and D its
    column sums, the features are the smallest solutions of

    .. math:: (D - N^T \mathrm{diag}(1/n) N) \, v = \lambda \, D \, v

    beside the constant one. That is correspondence analysis of N, with λ = 1 − σ².

    Contexts of several symbols back off to shorter ones: each sample counts under the longest of
    its contexts, of at most p symbols, that it shares with another sample that shares no longer
    one, because a context that occurs once has no second successor to compare its own with.

    With `n_neighbors`, the features so found are the start of GPFA's iteration: contexts lie where
    the features of their p symbols say, the successors of a context and its k nearest others are
    connected, the problem is solved again, and so on.

    Parameters
    ----------
    n_components : int, default=2
        Number of features, M.
    n_lags : int, default=1
        Symbols in a context, p.
    n_neighbors : int or None, default=None
        Other contexts in each neighbourhood, k, each counted as often as it occurs. None stays
        with equal contexts and does not iterate.
    max_iter : int, default=50
        Maximum number of iterations, R. The first has equal contexts; without `n_neighbors` it is
        the only one.
    tol : float, default=1e-3
        Stop iterating when neither the objective nor the angle between successive feature spaces
        has improved by this share for some iterations; see `predfeat.features.Settled`. 0 always
        runs `max_iter`.
    engine : {"auto", "tree", "tiles", "blockwise"}, default="auto"
        The neighbour-search engine; see `predfeat.nearest_neighbors`.
    n_jobs : int or None, default=None
        Threads for the neighbour search. They do not affect the result.
    verbose : int, default=0
        1 logs a line for each iteration to the logger "predfeat".

    Attributes
    ----------
    symbols_ : ndarray of object, shape (n_symbols,)
        The symbols that follow some context, the most frequent first; of equally frequent ones,
        the one that appears first. Their names and types have no influence on this order.
    counts_ : ndarray of int, shape (n_symbols,)
        How often each symbol follows a context.
    vectors_ : ndarray of shape (n_symbols, n_components)
        The features of each symbol, most predictable first. Over the training data, they have mean
        0 and variance 1. The largest number of each feature is positive.
    eigenvalues_ : ndarray of shape (n_components,)
        λ of each feature: 0 if the context determines it, 1 if it says nothing about it.
    history_ : dict of ndarray
        For each iteration: its `eigenvalues`, its largest `angle` (degrees) to the previous
        feature space (NaN for the first), and the `seconds` it took.
    n_iter_ : int
        Number of iterations.

    See Also
    --------
    GPFA : The same for numbers.

    Notes
    -----
    Symbols that hardly occur can dominate: if "Dumpty" only follows "Humpty", and nothing else
    does, a feature that tells the two from all others is predicted without error. Replace rare
    symbols by a common one before fitting.

    References
    ----------
    B. Weghenkel, A. Fischer and L. Wiskott, Graph-based predictable feature analysis,
    Machine Learning 106, 2017, doi:10.1007/s10994-017-5632-x.

    Examples
    --------
    Words of two kinds; one of each kind follows one of the other, at random:

    >>> import numpy as np
    >>> from predfeat import SymbolFeatures
    >>> random = np.random.default_rng(0)
    >>> kinds = [["the", "a"], ["dog", "cat", "cow"]]
    >>> words = [random.choice(kinds[t % 2]).item() for t in range(200)]
    >>> model = SymbolFeatures(n_components=1).fit(words)
    >>> for symbol, vector in zip(model.symbols_, model.vectors_, strict=True):
    ...     print(symbol, vector.round())
    a [1.]
    the [1.]
    cow [-1.]
    cat [-1.]
    dog [-1.]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_components": [POSITIVE],
        "n_lags": [POSITIVE],
        "n_neighbors": [POSITIVE, None],
        "max_iter": [POSITIVE],
        "tol": [Interval(Real, 0, None, closed="left")],
        "engine": [StrOptions(ENGINES)],
        "n_jobs": [JOBS, None],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        n_lags: int = 1,
        n_neighbors: int | None = None,
        max_iter: int = 50,
        tol: float = 1e-3,
        engine: str = "auto",
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.n_components = n_components
        self.n_lags = n_lags
        self.n_neighbors = n_neighbors
        self.max_iter = max_iter
        self.tol = tol
        self.engine = engine
        self.n_jobs = n_jobs
        self.verbose = verbose

    def check_parameters(self) -> None:
        """Raise an error if a parameter has an invalid type or value."""
        self._validate_params()

    def fit(self, X: Any, y: Any = None, *, groups: ArrayLike | None = None) -> Self:
        """Find the features of all symbols of a training series.

        Parameters
        ----------
        X : sequence of hashable values, or array-like of shape (n_rows,) or (n_rows, 1)
            One symbol for each row, in time order. Symbols are the same if Python says so: 1 and
            1.0 are, 1 and "1" are not. None and NaN are gaps, across which nothing reaches.
        y : ignored
            As for the other methods.
        groups : array-like of shape (n_rows,), optional
            One id per row: consecutive rows of one id form a sequence, and no context reaches from
            one sequence into another. By default all rows are one sequence.

        Returns
        -------
        self
            A fit that fails or is interrupted keeps the results of an earlier one.
        """
        self.check_parameters()
        with earlier_fit_aside(self):
            symbols = check_symbols(X)
            check_ignored_target(y, groups, len(symbols.numbers), type(self).__name__)
            times = symbols.sequences(groups).times(back=self.n_lags)
            numbers = self._numbers_by_count(symbols, times)
            self._refuse_few_symbols()
            run = self._run(numbers, times)
            _warn_disconnected(run.blocks, self.symbols_, self.n_components)
            self.vectors_, self.eigenvalues_ = run.vectors, run.eigenvalues
            self.history_, self.n_iter_ = run.history(), len(run.iterations)
        return self

    def _numbers_by_count(self, symbols: Symbols, times: IntArray) -> IntArray:
        """Number the symbols by how often they follow a context; those that never do come last."""
        counts = np.bincount(symbols.numbers[times], minlength=len(symbols.distinct))
        order = np.argsort(-counts, kind="stable")
        number = np.empty(len(order), dtype=np.intp)
        number[order] = np.arange(len(order))
        n_followers = int(np.count_nonzero(counts))
        self.counts_ = counts[order[:n_followers]].astype(np.int64)
        self.symbols_ = as_objects([symbols.distinct[i] for i in order[:n_followers]])
        return np.where(symbols.numbers == NO_SYMBOL, NO_SYMBOL, number[symbols.numbers])

    def _refuse_few_symbols(self) -> None:
        n_symbols = len(self.symbols_)
        if n_symbols <= self.n_components:
            shown = ", ".join(map(repr, self.symbols_[:_MOST_NAMED]))
            raise RankError(
                f"n_components={self.n_components} needs at least {self.n_components + 1} "
                f"different symbols that follow others, but there are {n_symbols} ({shown}). Use "
                f"{f'at most n_components={n_symbols - 1}' if n_symbols > 1 else 'other data'}."
            )

    def _run(self, numbers: IntArray, times: IntArray) -> SymbolRun:
        def observe(iteration: Iteration) -> None:
            tell(self._in_words(iteration), self.verbose)

        return iterate_symbols(
            numbers,
            times,
            self.n_components,
            n_lags=self.n_lags,
            n_neighbors=self.n_neighbors,
            max_iter=self.max_iter,
            stop=Settled(self.tol),
            observer=observe,
            engine=self.engine,
            n_jobs=self.n_jobs,
        )

    def transform(self, X: Any) -> FloatArray:
        """Look up the features of every row's symbol.

        Parameters
        ----------
        X : sequence of hashable values, or array-like of shape (n_rows,) or (n_rows, 1)

        Returns
        -------
        ndarray of shape (n_rows, n_components)
            NaN for missing symbols and, with an `UnknownSymbolsWarning`, for symbols that followed
            no context in the training data.
        """
        check_is_fitted(self)
        symbols = check_symbols(X)
        known = {symbol: number for number, symbol in enumerate(self.symbols_)}
        numbers = find_symbols(symbols, known)
        _warn_unknown(symbols, numbers)
        # One more row, for those without a number: -1 is the last.
        vectors = np.vstack([self.vectors_, np.full(self._n_features_out, np.nan)])
        return np.asarray(vectors[numbers])

    @property
    def _n_features_out(self) -> int:
        return int(self.vectors_.shape[1])

    def _in_words(self, iteration: Iteration) -> str:
        turned = "" if np.isnan(iteration.angle) else f"angle {iteration.angle:.3g}°, "
        return (
            f"SymbolFeatures, iteration {iteration.number}: objective "
            f"{iteration.eigenvalues.sum():.6g}, {turned}{iteration.seconds:.3g} s"
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.one_d_array = True
        tags.input_tags.two_d_array = False
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.input_tags.allow_nan = True
        return tags


def _warn_disconnected(blocks: IntArray, symbols: AnyArray, n_components: int) -> None:
    n_blocks = int(blocks.max()) + 1
    if n_blocks <= n_components + 1:
        return
    smallest = symbols[blocks == n_blocks - 1]
    shown = ", ".join(map(repr, smallest[:_MOST_NAMED])) + (
        ", …" if len(smallest) > _MOST_NAMED else ""
    )
    warn(
        f"the {len(symbols)} symbols fall into {n_blocks} groups that share no context (the "
        f"smallest: {shown}). Contexts tell the groups apart without error, so each feature "
        f"(n_components={n_components}) sets one of the largest groups apart and does nothing "
        "else. Replace rare symbols by a common one, use shorter contexts (n_lags) or more data; "
        f"or ask for at least n_components={n_blocks - 1}.",
        DisconnectedSymbolsWarning,
    )


def _warn_unknown(symbols: Symbols, numbers: IntArray) -> None:
    rows = np.flatnonzero((numbers == NO_SYMBOL) & (symbols.numbers != NO_SYMBOL))
    if not rows.size:
        return
    distinct, first = np.unique(symbols.numbers[rows], return_index=True)
    unknown = tuple(symbols.distinct[i] for i in distinct)
    named = zip(unknown[:_MOST_NAMED], rows[first], strict=False)
    shown = ", ".join(f"{symbol!r} (row {row})" for symbol, row in named)
    more = ", …" if len(unknown) > _MOST_NAMED else ""
    message = (
        f"{rows.size} of {len(numbers)} rows hold {len(unknown)} symbol(s) that followed no "
        f"context in the training data: {shown}{more}. Their features are NaN. Fit to data that "
        "holds them, or replace them by a known symbol."
    )
    warn(UnknownSymbolsWarning(message, unknown))
