"""Which p, k and M: a cross-validated surface, and the simplest setting that is as good as any."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.base import clone
from threadpoolctl import threadpool_limits

from predfeat._compat import Interval, validate_parameter_constraints
from predfeat._typing import ArrayLike, FloatArray
from predfeat.exceptions import LeftOutWarning, NoSpectrumError, RankError, TooFewStatesError
from predfeat.features import GPFA, PFA, SFA, ForeCA
from predfeat.features._base import POSITIVE
from predfeat.neighbors._exclusion import fewest_candidates
from predfeat.selection._folds import Fold, purged_folds
from predfeat.selection._held_out import predicted_shares
from predfeat.selection._parallel import results_in_order
from predfeat.selection._paths import surface_directions
from predfeat.selection._surface import Setting, Surface, standard_error
from predfeat.series import Sequences, check_matrix, check_sequences, find_states
from predfeat.whitening import Whitening, fit_whitening

__all__ = ["Choice", "choose", "choose_method"]

# Fewer standard errors above zero than this, and nothing was predicted.
_SURELY = 2.0


@dataclass(frozen=True)
class Choice:
    """The surface over p, k and M, and what follows from it.

    Attributes
    ----------
    method : str
        Name of the method.
    estimator : estimator
        The method, with the parameters that were not varied.
    surface : Surface
        The scores of all settings in all folds.
    best : Setting
        The highest mean.
    chosen : Setting
        The simplest setting that is as good, by one standard error: see `Surface.simplest`.
    confirmed : Setting or None
        The chosen setting, scored by fits of its own.
    kind : {"sequences", "blocks"}
        What was left out in each fold.
    rank : int
        Dimension of the data in the folds' training parts, the smallest: M can be no larger.
    """

    method: str
    estimator: Any
    surface: Surface
    best: Setting
    chosen: Setting
    confirmed: Setting | None
    kind: str
    rank: int

    @property
    def parameters(self) -> dict[str, int]:
        """The chosen values of the parameters that the method has; SFA and ForeCA have no lags."""
        chosen = {"n_components": self.chosen.n_components}
        if isinstance(self.estimator, GPFA | PFA):
            chosen["n_lags"] = self.chosen.n_lags
        if isinstance(self.estimator, GPFA):
            chosen["n_neighbors"] = self.chosen.n_neighbors
        return chosen

    @property
    def found_nothing(self) -> bool:
        """Whether even the chosen setting does not surely predict anything."""
        return self.chosen.predicted <= _SURELY * self.chosen.error

    @property
    def remarks(self) -> list[str]:
        """What to be careful about, in sentences."""
        if self.found_nothing:
            return [
                "Nothing was predicted in data that was held out: the choice means nothing. Give "
                "more rows, or other columns."
            ]
        undecided = self.surface.undecided()
        return [
            remark
            for name, tried in self.surface.tried().items()
            if name != "n_neighbors" and len(tried) > 1
            for remark in self._remarks_on(name, tried, undecided[name])
        ]

    def _remarks_on(
        self, name: str, tried: tuple[int, ...], good: tuple[int, ...]
    ) -> Iterator[str]:
        chosen = getattr(self.chosen, name)
        if good == tried:
            yield (
                f"The data cannot tell {name}: every value tried is within one standard error of "
                f"the best. {_taken(chosen == tried[0])} was taken."
            )
        elif name == "n_components" and chosen == self.rank:
            yield (
                f"n_components={chosen} is the dimension of the data: every direction adds to what "
                "is predicted, and there is none to leave out."
            )
        elif chosen == tried[-1]:
            yield f"{name}={chosen} is the largest value tried: try larger ones."

    def __str__(self) -> str:
        lines = [f"{self.method}, {self.chosen}"]
        if self.best != self.chosen:
            lines.append(f"Best of all, but not by more than its standard error: {self.best}")
        if self.confirmed is not None:
            lines.append(
                f"Fits with just this setting predict {self.confirmed.predicted:.3g} "
                f"± {self.confirmed.error:.2g}."
            )
        return "\n".join([*lines, *self.remarks])


def choose(
    X: Any,
    groups: ArrayLike | None = None,
    *,
    n_lags: Sequence[int] = (1, 2, 3, 4, 5),
    n_neighbors: Sequence[int] = (2, 5, 10, 20, 30),
    n_components: Sequence[int] = tuple(range(1, 11)),
    graph: str | None = None,
    method: Any = GPFA,
    n_folds: int = 5,
    n_measured: int = 10,
    confirm: bool = True,
    n_jobs: int | None = None,
    on_progress: Callable[[int, int], None] | None = None,
) -> Choice:
    """Choose p, k and M by purged blocked cross-validation.

    Every setting is scored by how much of held-out data it predicts: for each state of a fold's
    test part, the successors of the most similar states of its training part are averaged, and
    the share of variance that this predicts is summed over the features. A real feature adds to
    that sum, and one that is noise takes away, so that the sum is highest at the true number.

    Parameters
    ----------
    X : array-like of shape (n_rows, n_columns)
        Rows in time order; rows with a NaN are gaps.
    groups : array-like of shape (n_rows,), optional
        Ids of the sequences. Of at least three, whole ones are left out in turn; otherwise blocks
        of rows, with max(n_lags) + 1 rows around them that belong to neither part.
    n_lags, n_neighbors, n_components : sequence of int
        The values of p, k and M to try. Values of M above the rank of the data are left out, and
        values of k for which there are too few states.
    graph : {"full", "star"}, optional
        Of GPFA.
    method : estimator or its class, default=GPFA
        GPFA, SFA, PFA or ForeCA; an instance says the parameters that are not varied.
    n_folds : int, default=5
    n_measured : int, default=10
        Neighbours of the measure, q.
    confirm : bool, default=True
        Score the chosen setting by fits of its own, too.
    n_jobs : int, optional
        Processes; results are the same for any number.
    on_progress : callable, optional
        Called with the number of parts done and of all.

    Returns
    -------
    Choice

    Examples
    --------
    >>> from predfeat.selection import choose
    >>> from predfeat.datasets import predictable_noise
    >>> X = predictable_noise(1000, 6, random_state=0)
    >>> choice = choose(X, n_lags=(1, 2), n_neighbors=(5, 10), n_components=(1, 2, 3, 4))
    >>> choice.chosen.n_lags, choice.chosen.n_components
    (1, 2)
    """
    template = _template(method, graph)
    validate_parameter_constraints(
        {"n_folds": [Interval(Integral, 2, None, closed="left")], "n_measured": [POSITIVE]},
        {"n_folds": n_folds, "n_measured": n_measured},
        caller_name="choose",
    )
    matrix = check_matrix(X, min_rows=2)
    series = check_sequences(matrix, groups)
    lags, components = _values("n_lags", n_lags), _values("n_components", n_components)
    has_neighbors = isinstance(template, GPFA)
    neighbors = _values("n_neighbors", n_neighbors) if has_neighbors else (0,)
    folds = purged_folds(series, n_folds, gap=lags[-1] + 1)
    white = [
        _WhiteFold.of(fold, series, template.pca_components, matrix.resolution) for fold in folds
    ]
    rank = min(part.train.n_columns for part in white)
    components = _within_rank(components, rank)
    _refuse_few_states(white, lags[-1], n_measured)
    if has_neighbors:
        _refuse_many_between(template, rank)
        neighbors = _within_states(neighbors, white, lags[-1], template.theiler)

    pieces = [
        (template, part, p, neighbors, components, n_measured) for part in white for p in lags
    ]
    scores = _gather(pieces, n_jobs, on_progress)
    surface = Surface(
        lags,
        neighbors,
        components,
        np.array(scores).reshape(len(folds), len(lags), len(neighbors), len(components)),
    )
    chosen = surface.simplest()
    return Choice(
        method=_name(template),
        estimator=template,
        surface=surface,
        best=surface.best(),
        chosen=chosen,
        confirmed=_confirmed(template, chosen, white, n_measured) if confirm else None,
        kind=folds[0].kind,
        rank=rank,
    )


def choose_method(
    X: Any, groups: ArrayLike | None = None, *, methods: Sequence[Any], **options: Any
) -> list[Choice]:
    """Choose the method, too: each with its own best setting, on the same folds.

    Parameters
    ----------
    X, groups
        As in `choose`.
    methods : sequence of estimators or their classes
        One that cannot be fitted, such as ForeCA where no stretch is long enough for a spectrum,
        is left out with a `LeftOutWarning`.
    **options
        Passed on to `choose`; `graph` is for GPFA only.

    Returns
    -------
    list of Choice
        The method whose chosen setting predicts most, in fits of its own where these were asked
        for, comes first.
    """
    graph = options.pop("graph", None)
    templates = [
        _template(method, graph if _is_gpfa(method) else None) for method in _as_list(methods)
    ]
    choices, left_out = [], []
    for template in templates:
        try:
            choices.append(choose(X, groups, method=template, **options))
        except NoSpectrumError as error:
            left_out.append((template, error))
    if not choices:
        raise left_out[0][1]
    for template, reason in left_out:
        warnings.warn(f"{template!r} was left out: {reason}", LeftOutWarning, stacklevel=2)
    return sorted(choices, key=lambda choice: -(choice.confirmed or choice.chosen).predicted)


def _as_list(methods: Sequence[Any]) -> list[Any]:
    found = list(methods)
    if not found:
        raise ValueError("methods is empty: give at least one, such as GPFA or SFA().")
    return found


def _is_gpfa(method: Any) -> bool:
    return isinstance(method, GPFA) or (isinstance(method, type) and issubclass(method, GPFA))


def _name(template: Any) -> str:
    """Return the method's name, with the paper's number of GPFA's graph."""
    kind = type(template).__name__
    return f"{kind} ({1 if template.graph == 'full' else 2})" if _is_gpfa(template) else kind


def _taken(is_smallest: bool) -> str:
    return "The smallest" if is_smallest else "What makes the smallest state (p·M numbers)"


@dataclass(frozen=True)
class _WhiteFold:
    """Both parts of a fold in the white space of its training part."""

    train: Sequences
    test: Sequences
    whitening: Whitening

    @classmethod
    def of(
        cls, fold: Fold, series: Sequences, pca_components: Any, resolution: float
    ) -> _WhiteFold:
        train, test = fold.parts(series)
        whitening = fit_whitening(train, pca_components, warn=False, resolution=resolution)
        moved = (test.rows - whitening.mean) @ whitening.directions
        moved[~test.valid] = 0.0
        return cls(whitening.apply(train), test.with_rows(moved), whitening)

    def score(self, directions: FloatArray, n_lags: int, n_measured: int) -> float:
        train = self.train.with_rows(self.train.rows @ directions)
        test = self.test.with_rows(self.test.rows @ directions)
        return float(predicted_shares(train, test, n_lags, n_measured).sum())


def _scores(
    template: Any,
    part: _WhiteFold,
    n_lags: int,
    neighbors: tuple[int, ...],
    components: tuple[int, ...],
    n_measured: int,
) -> FloatArray:
    """Return the scores of one fold and one p, shape (k values, M values)."""
    found = surface_directions(template, part.train, part.whitening, n_lags, neighbors, components)
    return np.array(
        [[part.score(found[k, m], n_lags, n_measured) for m in components] for k in neighbors]
    )


def _gather(
    pieces: list[tuple[Any, ...]],
    n_jobs: int | None,
    on_progress: Callable[[int, int], None] | None,
) -> list[FloatArray]:
    tell = on_progress or (lambda done, whole: None)
    tell(0, len(pieces))
    scores = []
    with results_in_order(_scores, pieces, n_jobs) as finished:
        for one in finished:
            scores.append(one)
            tell(len(scores), len(pieces))
    return scores


def _confirmed(template: Any, chosen: Setting, white: list[_WhiteFold], n_measured: int) -> Setting:
    """Score the chosen setting by a fit of its own in every fold."""
    model = clone(template).set_params(n_components=chosen.n_components)
    if hasattr(model, "n_lags"):
        model.set_params(n_lags=chosen.n_lags)
    if chosen.n_neighbors:
        model.set_params(n_neighbors=chosen.n_neighbors)
    with threadpool_limits(1):
        found = [model._find_projection(part.train, part.whitening) for part in white]
        scores = np.array(
            [
                part.score(directions, chosen.n_lags, n_measured)
                for part, directions in zip(white, found, strict=True)
            ]
        )
    return replace(chosen, predicted=float(scores.mean()), error=float(standard_error(scores)))


def _template(method: Any, graph: str | None) -> Any:
    template = method() if isinstance(method, type) else clone(method)
    if not isinstance(template, (GPFA, SFA, PFA, ForeCA)):
        raise TypeError(f"method must be GPFA, SFA, PFA or ForeCA, but is {template!r}.")
    if graph is not None:
        if not isinstance(template, GPFA):
            raise ValueError(f"graph={graph!r}: {type(template).__name__} has no graph.")
        template.set_params(graph=graph)
    template._validate_params()
    return template


def _values(name: str, values: Sequence[int] | int) -> tuple[int, ...]:
    """Return the values to try, ascending, each once."""
    given: list[Any] = [values] if isinstance(values, int | np.integer) else list(values)
    if not given or not all(isinstance(v, Integral) and int(v) >= 1 for v in given):
        raise ValueError(f"{name} must be positive whole numbers to try, but is {given}.")
    return tuple(sorted({int(value) for value in given}))


def _within_rank(components: tuple[int, ...], rank: int) -> tuple[int, ...]:
    possible = tuple(m for m in components if m <= rank)
    if not possible:
        raise RankError(
            f"n_components={list(components)} are all more than the rank {rank} of the data in "
            f"the folds' training parts. Use values up to {rank}."
            if rank
            else "there is nothing to choose: all columns are constant in one of the folds' "
            "training parts. Give other columns or rows, or ask for fewer folds."
        )
    return possible


def _refuse_many_between(template: GPFA, rank: int) -> None:
    if template.n_intermediate is not None and template.n_intermediate > rank:
        raise RankError(
            f"n_intermediate={template.n_intermediate} is more than the rank {rank} of the data in "
            f"the folds' training parts. Use values up to {rank}, or None."
        )


def _within_states(
    neighbors: tuple[int, ...], white: list[_WhiteFold], n_lags: int, theiler: int
) -> tuple[int, ...]:
    """Leave out the values of k for which a training part has too few states."""
    fewest = min(
        fewest_candidates(find_states(part.train, n_lags, n_neighbors=0), theiler) for part in white
    )
    # Where even the smallest is too large, the search says how many there may be.
    return tuple(k for k in neighbors if k <= fewest) or neighbors[:1]


def _refuse_few_states(white: list[_WhiteFold], n_lags: int, n_measured: int) -> None:
    fewest = min(len(part.train.times(back=n_lags - 1, ahead=1)) for part in white)
    if n_measured > fewest:
        raise TooFewStatesError(
            f"n_measured={n_measured} needs as many states with a successor in the training part "
            f"of every fold, but one has {fewest}. Use at most n_measured={fewest}, fewer lags or "
            "more rows."
        )
