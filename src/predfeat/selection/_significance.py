"""How many features are real: the whole fit repeated on surrogates."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from numbers import Integral, Real
from types import CodeType
from typing import Any, Self

import numpy as np
from sklearn.base import clone
from threadpoolctl import threadpool_limits

from predfeat._compat import Interval, StrOptions, validate_parameter_constraints
from predfeat._typing import ArrayLike, BoolArray, FloatArray, IntArray
from predfeat._version import __version__
from predfeat.exceptions import (
    ConstantColumnsWarning,
    ReturningGroupWarning,
    SignificanceError,
)
from predfeat.selection._parallel import results_in_order
from predfeat.selection._rings import bridge_ends, close_rings
from predfeat.selection._surrogates import FOURIER_KINDS, KINDS, check_kind, surrogates
from predfeat.selection._variance_left import STEPS, variance_left
from predfeat.series import Sequences, check_matrix, check_sequences

__all__ = ["Significance", "significance"]

Statistic = Callable[[FloatArray, IntArray], ArrayLike]


@dataclass(frozen=True, eq=False)
class Significance:
    """Which features stand out from those that the same method finds in surrogates.

    Attributes
    ----------
    statistics : ndarray of shape (n_features,)
        Of each feature of the data, lower is better.
    surrogate_statistics : ndarray of shape (n_surrogates, n_features)
        The same of every surrogate's features.
    kind : str
        The kind of surrogate, one of `KINDS`.
    alpha : float
        The level: the chance, at most, of finding a feature where there is none.
    method : str
        The model, with its parameters.
    setting : str
        A fingerprint of the data, the model, the kind, the statistic and the seed. Surrogates of
        the same setting are the same, and can be added to.
    """

    statistics: FloatArray
    surrogate_statistics: FloatArray
    kind: str
    alpha: float
    method: str
    setting: str

    @property
    def n_surrogates(self) -> int:
        """Number of surrogates."""
        return len(self.surrogate_statistics)

    @property
    def question(self) -> str:
        """What the significant features answer with yes."""
        return KINDS[self.kind].question

    @property
    def p_values(self) -> FloatArray:
        """The adjusted p-value of each feature.

        The share of series, the data counted among its surrogates, whose *best* feature is at
        least as good as this one. As the best of all is compared, the chance that *any* feature
        of a series like the surrogates has a p-value of at most alpha is at most alpha.
        """
        best = self.surrogate_statistics.min(axis=1)
        as_good = np.sum(best[:, None] <= self.statistics, axis=0)
        p_values: FloatArray = (1 + as_good) / (1 + self.n_surrogates)
        return p_values

    @property
    def significant(self) -> BoolArray:
        """Which features have a p-value of at most alpha."""
        # Counts are compared, or the rounding of 0.05 · 20 could decide.
        counts = np.rint(self.p_values * (1 + self.n_surrogates))
        return np.asarray(counts <= self.alpha * (1 + self.n_surrogates) * (1 + 1e-12))

    @property
    def n_significant(self) -> int:
        """How many features, from the first one on, are significant without an exception.

        A significant feature that stands after one that is not is marked in `significant`, but
        does not count here: this is the number of features to keep.
        """
        return int(np.logical_and.accumulate(self.significant).sum())

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain numbers, strings and lists, for a JSON file."""
        return {
            "kind": self.kind,
            "question": self.question,
            "keeps": KINDS[self.kind].keeps,
            "method": self.method,
            "alpha": self.alpha,
            "n_significant": self.n_significant,
            "p_values": self.p_values.tolist(),
            "statistics": self.statistics.tolist(),
            "surrogate_statistics": self.surrogate_statistics.tolist(),
            "setting": self.setting,
        }

    @classmethod
    def from_dict(cls, plain: dict[str, Any]) -> Self:
        """Return what `as_dict` wrote down."""
        statistics = np.asarray(plain["statistics"], dtype=np.float64)
        return cls(
            statistics,
            np.asarray(plain["surrogate_statistics"], dtype=np.float64).reshape(
                -1, len(statistics)
            ),
            plain["kind"],
            plain["alpha"],
            plain["method"],
            plain["setting"],
        )

    def __str__(self) -> str:
        n, n_features = self.n_significant, len(self.statistics)
        lines = [
            f"{self.question} {_answer(n, n_features)}",
            f"{self.method} was fitted to the data and to {self.n_surrogates} surrogates, which "
            f"keep {KINDS[self.kind].keeps}. A feature counts as real when of all these series, "
            f"the data included, at most {100 * self.alpha:.3g} % have a best feature as good as "
            "it. Lower is better:",
        ]
        best = np.sort(self.surrogate_statistics.min(axis=1))
        if len(best):
            lines.append(f"  surrogates' best  {best[0]:.3f} … {best[-1]:.3f}")
        for j, (value, p) in enumerate(zip(self.statistics, self.p_values, strict=True)):
            mark = "real" if j < n else ("out of order" if self.significant[j] else "")
            lines.append(f"  feature {j + 1:<9} {value:.3f}  p = {p:.3g}  {mark}".rstrip())
        return "\n".join(lines)


def _answer(n_significant: int, n_features: int) -> str:
    if n_features == 1:
        return "Yes: the feature stands out." if n_significant else "No: it does not stand out."
    if n_significant == 0:
        return f"No: none of the {n_features} features stands out."
    if n_significant == n_features:
        return f"Yes: all {n_features} features stand out; with more n_components, more may."
    which = "feature stands" if n_significant == 1 else f"{n_significant} features stand"
    return f"Yes: of {n_features}, the first {which} out."


def significance(
    model: Any,
    X: Any,
    groups: ArrayLike | None = None,
    n_surrogates: int = 99,
    kind: str = "permutation",
    *,
    statistic: str | Statistic = "both",
    n_neighbors: int = 10,
    block_length: int | None = None,
    alpha: float = 0.05,
    n_jobs: int | None = None,
    random_state: int = 0,
    previous: Significance | None = None,
    on_progress: Callable[[int, int], None] | None = None,
    on_part: Callable[[Significance], None] | None = None,
) -> Significance:
    """Test how many of a method's features are real.

    A method that looks for the most predictable features finds some in noise, too. Here the whole
    fit is repeated, with the same parameters, on surrogates of the data (see `surrogates`); a
    feature is real when it is better than the best that is found in nearly all of them.

    Parameters
    ----------
    model : estimator
        GPFA, SFA, PFA, ForeCA or another with `fit(X, groups=…)` and `transform`. It need not be
        fitted, and is not: its clones are.
    X : array-like of shape (n_rows, n_columns)
        Rows in time order; a row with a NaN is a gap.
    groups : array-like of shape (n_rows,), optional
        Ids of the sequences.
    n_surrogates : int, default=99
        p-values are multiples of 1 / (n_surrogates + 1). The level is exactly alpha when alpha is
        such a multiple, below it otherwise.
    kind : str, default="permutation"
        One of `KINDS`; each answers another question.
    statistic : {"both", "next"} or callable, default="both"
        What makes a feature good, lower is better: `variance_left` of both steps next to a state
        or of the next one only; or any function of the features and their groups (a number for
        each stretch without a gap) that returns one number for each feature.
    n_neighbors : int, default=10
        Neighbours in `variance_left`.
    block_length : int, optional
        For kind "blocks", see `surrogates`.
    alpha : float, default=0.05
        The family-wise level.
    n_jobs : int or None, default=None
        Processes. The result does not depend on it.
    random_state : int, default=0
        The seed. Each surrogate has its own that follows from this one and its number, so that
        more surrogates extend fewer.
    previous : Significance, optional
        Of the same data, model, kind, statistic and seed: its surrogates are not done again.
    on_progress : callable, optional
        Called with the number of surrogates done and of all, at the start and after each.
    on_part : callable, optional
        Called after each surrogate with the result so far, which may be kept (`as_dict`) and
        later be given as `previous`: so an interrupted run goes on where it was.

    Returns
    -------
    Significance

    Raises
    ------
    SignificanceError
        There are too few surrogates for alpha, `previous` is of another setting, or a statistic
        is not one finite number for each feature.
    SurrogateError
        No surrogate can be made of the data.

    Notes
    -----
    The Fourier kinds take every sequence for a ring. Rows drawn from a linear process fill its
    gaps, and lead from its last row back to the first: as many as the process remembers, at most
    as many as there are. Surrogates are made of, and the data is measured on, the ring. Its
    statistics so differ a little from those of the data as it is; and of many short sequences a
    good part is not data, which costs power, but makes no false finding.

    In a series for which the question's answer is no, the chance of any finding is alpha: of the
    kinds that permute exactly, of the Fourier kinds nearly.
    Beside real features this is no longer exact: the others are compared with the best features
    of surrogates in which there are no real ones. benchmarks/significance.py measures both.

    Examples
    --------
    Two dimensions of the toy data are predictable, but no more than a linear process is:

    >>> from predfeat import GPFA
    >>> from predfeat.datasets import predictable_noise
    >>> from predfeat.selection import significance
    >>> X = predictable_noise(300, 5, random_state=0)
    >>> model = GPFA(n_components=3, max_iter=10)
    >>> result = significance(model, X, n_surrogates=19)
    >>> result.p_values.round(2)[:2]
    array([0.05, 0.05])
    >>> result.n_significant
    2
    >>> print(str(result).splitlines()[0])
    Is there any order in time? Yes: of 3, the first 2 features stand out.
    >>> significance(model, X, n_surrogates=19, kind="joint phases").n_significant
    0
    """
    _check(model, n_surrogates, kind, statistic, n_neighbors, block_length, alpha, random_state)
    matrix = check_matrix(X, min_rows=2)
    series = check_sequences(matrix, groups)  # says what is wrong, or warns, once
    values = matrix.values
    if kind in FOURIER_KINDS:
        # A key of two numbers, as no surrogate has.
        seed = np.random.SeedSequence(random_state, spawn_key=(0, 0))
        values, groups = bridge_ends(series, kind, np.random.default_rng(seed))
        series = check_sequences(values, groups)
    values = values.astype(_type_of(matrix.resolution), copy=False)
    task = _Task(
        model, values, groups, series, kind, statistic, n_neighbors, block_length, random_state
    )
    setting = task.setting()
    tell = on_progress or (lambda n_done, n_all: None)
    if previous is None:
        with threadpool_limits(1):
            statistics = task.measure(values)
        method = " ".join(repr(model).split())
        nothing = np.empty((0, len(statistics)))
        result = Significance(statistics, nothing, kind, alpha, method, setting)
    else:
        _refuse_other(previous, setting)
        result = replace(
            previous,
            surrogate_statistics=previous.surrogate_statistics[:n_surrogates],
            alpha=alpha,
        )
    tell(result.n_surrogates, n_surrogates)
    numbers = [(number,) for number in range(result.n_surrogates, n_surrogates)]
    with results_in_order(task.measure_surrogate, numbers, n_jobs) as finished:
        for one in finished:
            result = replace(
                result, surrogate_statistics=np.vstack([result.surrogate_statistics, one])
            )
            if on_part is not None:
                on_part(result)
            tell(result.n_surrogates, n_surrogates)
    return result


@dataclass(frozen=True)
class _Task:
    """All that a process needs to know to measure a surrogate, but its number."""

    model: Any
    values: FloatArray
    groups: ArrayLike | None
    series: Sequences
    kind: str
    statistic: str | Statistic
    n_neighbors: int
    block_length: int | None
    random_state: int

    def measure(self, values: FloatArray) -> FloatArray:
        """Fit a clone to a series, and return its features' statistics."""
        model = clone(self.model)
        rows, groups = close_rings(values, self.series, self.kind, getattr(model, "n_lags", 1))
        model.fit(rows, groups=groups)
        features = np.asarray(model.transform(rows), dtype=np.float64)
        statistics = np.asarray(self._judge(model, features, groups), dtype=np.float64)
        if statistics.shape != (features.shape[1],) or not np.all(np.isfinite(statistics)):
            raise SignificanceError(
                f"the statistic must be one finite number for each of {features.shape[1]} "
                f"features, but it is {statistics!r}. Return an array of that length."
            )
        return statistics

    def _judge(self, model: Any, features: FloatArray, groups: IntArray) -> ArrayLike:
        if not isinstance(self.statistic, str):
            return self.statistic(features, groups)
        return variance_left(
            features,
            getattr(model, "n_lags", 1),
            groups=groups,
            n_neighbors=self.n_neighbors,
            theiler=getattr(model, "theiler", 0),
            steps=self.statistic,
        )

    def measure_surrogate(self, number: int) -> FloatArray:
        """Make a surrogate of that number and measure it."""
        seed = np.random.SeedSequence(self.random_state, spawn_key=(number,))
        with warnings.catch_warnings():
            # They were said of the data, and hold for its surrogates as well.
            warnings.simplefilter("ignore", ConstantColumnsWarning)
            warnings.simplefilter("ignore", ReturningGroupWarning)
            surrogate = surrogates(
                self.values,
                self.kind,
                groups=self.groups,
                block_length=self.block_length,
                random_state=seed,
            )
            return self.measure(surrogate.astype(self.values.dtype, copy=False))

    def setting(self) -> str:
        """Return a fingerprint of all that the statistics follow from."""
        digest = hashlib.sha256(np.ascontiguousarray(self.values).tobytes())
        named = self.statistic if isinstance(self.statistic, str) else _name(self.statistic)
        parameters = sorted(
            (key, _told(value))
            for key, value in self.model.get_params().items()
            if key not in ("n_jobs", "verbose")
        )
        groups = None if self.groups is None else np.asarray(self.groups).tolist()
        told = (
            __version__,  # another one may compute something else
            self.values.shape,
            str(self.values.dtype),
            groups,
            type(self.model).__qualname__,
            parameters,
            self.kind,
            named,
            self.n_neighbors,
            self.block_length,
            int(self.random_state),
        )
        digest.update(repr(told).encode())
        return digest.hexdigest()[:32]


def _told(value: Any) -> str:
    """Return a parameter in full; what is printed of a large array is not all of it."""
    if isinstance(value, np.ndarray):
        return f"{value.dtype} {value.shape} {np.ascontiguousarray(value).tobytes().hex()}"
    return repr(value)


def _name(statistic: Statistic) -> str:
    """Return what tells a function from others, as far as that can be known."""
    name = f"{statistic.__module__}.{getattr(statistic, '__qualname__', repr(statistic))}"
    code = getattr(statistic, "__code__", None)
    if code is None:
        return name
    # Functions within it are printed with their place in memory, which is another one next time.
    constants = [value for value in code.co_consts if not isinstance(value, CodeType)]
    return f"{name} {code.co_code.hex()} {constants!r} {code.co_names!r}"


def _type_of(resolution: float) -> type[np.floating[Any]]:
    """Return the type X came in: what it can not resolve, a fit must not take for signal."""
    for coarse in (np.float16, np.float32):
        if resolution == float(np.finfo(coarse).eps):
            return coarse
    return np.float64


def _check(
    model: Any,
    n_surrogates: int,
    kind: str,
    statistic: str | Statistic,
    n_neighbors: int,
    block_length: int | None,
    alpha: float,
    random_state: int,
) -> None:
    if isinstance(model, type) or not (hasattr(model, "fit") and hasattr(model, "transform")):
        raise SignificanceError(
            f"model must be an estimator with fit and transform, such as GPFA(n_components=5), "
            f"but it is {model!r}."
        )
    positive = Interval(Integral, 1, None, closed="left")
    validate_parameter_constraints(
        {
            "n_surrogates": [positive],
            "statistic": [StrOptions(set(STEPS)), callable],
            "n_neighbors": [positive],
            "alpha": [Interval(Real, 0, 1, closed="neither")],
            "random_state": [Interval(Integral, 0, None, closed="left")],
        },
        {
            "n_surrogates": n_surrogates,
            "statistic": statistic,
            "n_neighbors": n_neighbors,
            "alpha": alpha,
            "random_state": random_state,
        },
        caller_name="significance",
    )
    check_kind(kind, block_length)
    needed = int(np.ceil(1 / alpha - 1e-9)) - 1
    if n_surrogates < needed:
        raise SignificanceError(
            f"with n_surrogates={n_surrogates} the smallest p-value is "
            f"{1 / (n_surrogates + 1):.3g}: nothing could be significant at alpha={alpha}. Use at "
            f"least {needed} surrogates."
        )


def _refuse_other(previous: Significance, setting: str) -> None:
    if previous.setting != setting:
        raise SignificanceError(
            f"previous is of another setting: {previous.method} on {previous.kind!r} surrogates, "
            "with other data, parameters, statistic or seed than given now. Give the same as then "
            "(n_surrogates, alpha and n_jobs may differ), or leave previous out."
        )
