"""How many features are real: the whole fit is repeated on surrogates."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from numbers import Real
from types import CodeType
from typing import Any

import numpy as np
from sklearn.base import clone

from predfeat._compat import SEED, Interval, validate_parameter_constraints, whole_number
from predfeat._processes import finished_work
from predfeat._threads import as_in_a_worker
from predfeat._typing import ArrayLike, FloatArray, IntArray
from predfeat._version import __version__
from predfeat.exceptions import (
    ConstantColumnsWarning,
    OtherSettingError,
    ReturningGroupWarning,
    SignificanceError,
)
from predfeat.selection._circular_bridging import bridge_ends, close_circles
from predfeat.selection._significance_result import Significance
from predfeat.selection._statistic import NestedShares, Statistic
from predfeat.selection._surrogates import FOURIER_KINDS, kind_and_block_length, surrogates
from predfeat.series import Sequences, check_matrix, check_sequences

__all__ = ["significance"]


def significance(
    model: Any,
    X: Any,
    *,
    groups: ArrayLike | None = None,
    n_surrogates: int = 99,
    kind: str | tuple[str, int] = "permutation",
    statistic: NestedShares | Statistic = NestedShares(),  # noqa: B008 (frozen)
    alpha: float = 0.05,
    random_state: int = 0,
    n_jobs: int | None = None,
    previous: Significance | None = None,
    on_progress: Callable[[int, int], None] | None = None,
    on_part: Callable[[Significance], None] | None = None,
) -> Significance:
    """Test how many of a method's features are real.

    A method that looks for the most predictable features finds some even in noise. Here the whole
    fit is repeated, with the same parameters, on surrogates of the data (see `surrogates`). A
    feature is real if it is better than the best feature of nearly all of them.

    Parameters
    ----------
    model : estimator
        GPFA, SFA, PFA, ForeCA or any other with `fit(X, groups=…)` and `transform`. It need not be
        fitted; clones of it are.
    X : array-like of shape (n_rows, n_columns)
        Rows in time order; a row with a NaN is a gap.
    groups : array-like of shape (n_rows,), optional
        Ids of the sequences.
    n_surrogates : int, default=99
        p-values are multiples of 1 / (n_surrogates + 1). The level is exactly alpha if alpha is
        such a multiple, and lower otherwise.
    kind : str or ("blocks", int), default="permutation"
        One of `KINDS`; each answers a different question. ("blocks", 20) sets the number of rows
        in a block, see `block_length` in `surrogates`.
    statistic : NestedShares or callable
        What makes a feature good, lower is better: `nested_shares`, with the parameters that a
        `NestedShares` holds; or any function of the features and their groups (a number for each
        stretch without a gap) that returns one number for each feature.
    alpha : float, default=0.05
        The family-wise level.
    random_state : int, default=0
        The seed. Each surrogate has its own, derived from this one and its number, so a larger
        test extends a smaller one.
    n_jobs : int or None, default=None
        Processes. The result does not depend on it.
    previous : Significance, optional
        An earlier result for the same data, model, kind, statistic and seed, whose surrogates are
        reused.
    on_progress : callable, optional
        Called with the number of surrogates done and the total, at the start and after each.
    on_part : callable, optional
        Called after each surrogate with the result so far, which may be kept (`as_dict`) and
        later be given as `previous` to continue an interrupted run.

    Returns
    -------
    Significance

    Raises
    ------
    SignificanceError
        There are too few surrogates for alpha, or the statistic does not return one finite number
        for each feature.
    OtherSettingError
        `previous` has another setting.
    SurrogateError
        No surrogate can be made of the data.

    Notes
    -----
    The Fourier kinds treat every sequence as circular. Rows drawn from a linear process fill its
    gaps and lead from its last row back to the first: as many as the process remembers, at most
    as many as the sequence has. Surrogates are made from this circle, and the data is measured on
    it. Its statistics therefore differ a little from those of the data itself. With many short
    sequences, a good part is not data, which costs power but causes no false finding.

    If the answer to the question is no, the chance of any finding is alpha: exactly for the kinds
    that permute, nearly for the Fourier kinds. If some features are real this is no longer exact:
    the others are compared with the best features of surrogates without real ones.
    benchmarks/quality/significance.py measures both.

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
    >>> significance(model, X, n_surrogates=19, kind="joint-phases").n_significant
    0
    """
    _check(model, n_surrogates, kind, statistic, alpha, random_state)
    task = _task(model, X, groups, kind, statistic, random_state)
    result = task.start(alpha) if previous is None else _taken_up(previous, task.setting(), alpha)
    result = replace(result, surrogate_statistics=result.surrogate_statistics[:n_surrogates])
    tell = on_progress or (lambda done, total: None)
    tell(result.n_surrogates, n_surrogates)
    numbers = [(number,) for number in range(result.n_surrogates, n_surrogates)]
    with finished_work(task.measure_surrogate, numbers, n_jobs) as finished:
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
    """Everything a process needs to measure a surrogate, except its number."""

    model: Any
    values: FloatArray
    groups: ArrayLike | None
    series: Sequences
    kind: str
    statistic: NestedShares | Statistic
    block_length: int | None
    random_state: int

    @property
    def horizon(self) -> int:
        """How many steps ahead the statistic looks: its own number, or else the model's."""
        looks = self.statistic if isinstance(self.statistic, NestedShares) else NestedShares()
        return looks.horizon_for(self.model)

    def start(self, alpha: float) -> Significance:
        """Measure the data itself, before any surrogate."""
        with as_in_a_worker():
            statistics = self.measure(self.values)
        method = " ".join(repr(self.model).split())
        nothing = np.empty((0, len(statistics)))
        return Significance(statistics, nothing, self.kind, alpha, method, self.setting())

    def measure(self, values: FloatArray) -> FloatArray:
        """Fit a clone to a series, and return its features' statistics."""
        model = clone(self.model)
        reach = getattr(model, "n_lags", 1) - 1 + self.horizon
        rows, groups = close_circles(values, self.series, self.kind, reach)
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
        if isinstance(self.statistic, NestedShares):
            return self.statistic.measure(model, features, groups)
        return self.statistic(features, groups)

    def measure_surrogate(self, number: int) -> FloatArray:
        """Make the surrogate of the given number and measure it."""
        seed = np.random.SeedSequence(self.random_state, spawn_key=(number,))
        with warnings.catch_warnings():
            # They were given for the data, and hold for its surrogates as well.
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
        """Return a fingerprint of everything that determines the statistics."""
        digest = hashlib.sha256(np.ascontiguousarray(self.values).tobytes())
        own = self.statistic if isinstance(self.statistic, NestedShares) else None
        named = own.steps if own is not None else _name(self.statistic)  # type: ignore[arg-type]
        parameters = sorted(
            (key, _in_full(value))
            for key, value in self.model.get_params().items()
            if key not in ("n_jobs", "verbose")
        )
        groups = None if self.groups is None else np.asarray(self.groups).tolist()
        told = (
            __version__,  # another version may compute something else
            self.values.shape,
            str(self.values.dtype),
            groups,
            type(self.model).__qualname__,
            parameters,
            self.kind,
            named,
            self.horizon,
            (own or NestedShares()).n_neighbors,
            self.block_length,
            int(self.random_state),
        )
        digest.update(repr(told).encode())
        return digest.hexdigest()[:32]


def _task(
    model: Any,
    X: Any,
    groups: ArrayLike | None,
    given_kind: str | tuple[str, int],
    statistic: NestedShares | Statistic,
    random_state: int,
) -> _Task:
    """Check the data, and close its sequences to circles for the Fourier kinds."""
    kind, block_length = kind_and_block_length(given_kind)
    matrix = check_matrix(X, min_rows=2)
    series = check_sequences(matrix, groups)  # raises or warns once
    values = matrix.values
    if kind in FOURIER_KINDS:
        # A key of two numbers, which no surrogate has.
        seed = np.random.SeedSequence(random_state, spawn_key=(0, 0))
        values, groups = bridge_ends(series, kind, np.random.default_rng(seed))
        series = check_sequences(values, groups)
    values = values.astype(_type_of(matrix.resolution), copy=False)
    return _Task(model, values, groups, series, kind, statistic, block_length, random_state)


def _in_full(value: Any) -> str:
    """Return a parameter in full; the repr of a large array is abbreviated."""
    if isinstance(value, np.ndarray):
        return f"{value.dtype} {value.shape} {np.ascontiguousarray(value).tobytes().hex()}"
    return repr(value)


def _name(statistic: Statistic) -> str:
    """Return what distinguishes a function from others, as far as possible."""
    name = f"{statistic.__module__}.{getattr(statistic, '__qualname__', repr(statistic))}"
    code = getattr(statistic, "__code__", None)
    if code is None:
        return name
    # The repr of a nested function contains its address, which changes from run to run.
    constants = [value for value in code.co_consts if not isinstance(value, CodeType)]
    return f"{name} {code.co_code.hex()} {constants!r} {code.co_names!r}"


def _type_of(resolution: float) -> type[np.floating[Any]]:
    """Return the dtype X had: a fit must not take what it cannot resolve for signal."""
    for coarse in (np.float16, np.float32):
        if resolution == float(np.finfo(coarse).eps):
            return coarse
    return np.float64


def _check(
    model: Any,
    n_surrogates: int,
    kind: str | tuple[str, int],
    statistic: NestedShares | Statistic,
    alpha: float,
    random_state: int,
) -> None:
    if isinstance(model, type) or not (hasattr(model, "fit") and hasattr(model, "transform")):
        raise SignificanceError(
            f"model must be an estimator with fit and transform, such as GPFA(n_components=5), "
            f"but it is {model!r}."
        )
    validate_parameter_constraints(
        {
            "n_surrogates": [whole_number(1)],
            "statistic": [NestedShares, callable],
            "alpha": [Interval(Real, 0, 1, closed="neither")],
            "random_state": [SEED],
        },
        {
            "n_surrogates": n_surrogates,
            "statistic": statistic,
            "alpha": alpha,
            "random_state": random_state,
        },
        caller_name="significance",
    )
    kind_and_block_length(kind)
    (statistic if isinstance(statistic, NestedShares) else NestedShares()).check()
    _refuse_bad_horizon(model)
    needed = int(np.ceil(1 / alpha - 1e-9)) - 1
    if n_surrogates < needed:
        raise SignificanceError(
            f"with n_surrogates={n_surrogates} the smallest p-value is "
            f"{1 / (n_surrogates + 1):.3g}: nothing could be significant at alpha={alpha}. Use at "
            f"least {needed} surrogates."
        )


def _refuse_bad_horizon(model: Any) -> None:
    validate_parameter_constraints(
        {"horizon": [whole_number(1)]},
        {"horizon": getattr(model, "horizon", 1)},
        caller_name=type(model).__name__,
    )


def _taken_up(previous: Significance, setting: str, alpha: float) -> Significance:
    """Return an earlier result to extend, if it has the same setting."""
    if previous.setting != setting:
        raise OtherSettingError(
            f"previous has another setting: {previous.method} on {previous.kind!r} surrogates, "
            "with other data, parameters, statistic or seed than given now. Give the same as then "
            "(n_surrogates, alpha and n_jobs may differ), or leave previous out."
        )
    return replace(previous, alpha=alpha)
