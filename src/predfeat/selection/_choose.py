"""Choose p, k and M: a cross-validated surface, and the simplest setting as good as any."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.base import clone

from predfeat._compat import POSITIVE, validate_parameter_constraints, whole_number
from predfeat._processes import finished_work
from predfeat._threads import as_in_a_worker
from predfeat._typing import ArrayLike, FloatArray
from predfeat._warnings import warn
from predfeat.exceptions import LeftOutWarning, NoSpectrumError, RankError, TooFewStatesError
from predfeat.features import GPFA, PFA, SFA, ForeCA, name_of
from predfeat.measures import predicted_shares
from predfeat.neighbors import fewest_candidates
from predfeat.selection._choice import Choice
from predfeat.selection._surface import Setting, Surface, standard_error
from predfeat.selection._warm_started_grid import surface_directions
from predfeat.series import Sequences, check_matrix, check_sequences, find_states, what_follows
from predfeat.splits import Split, purged_folds
from predfeat.whitening import Whitening, fit_whitening

__all__ = ["choose", "choose_method"]


def choose(
    X: Any,
    *,
    groups: ArrayLike | None = None,
    n_lags: Sequence[int] = (1, 2, 3, 4, 5),
    n_neighbors: Sequence[int] = (2, 5, 10, 20, 30),
    n_components: Sequence[int] = tuple(range(1, 11)),
    horizon: int | None = None,
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
    that sum and a feature of noise subtracts from it, so the sum is highest at the true number.

    Parameters
    ----------
    X : array-like of shape (n_rows, n_columns)
        Rows in time order; rows with a NaN are gaps.
    groups : array-like of shape (n_rows,), optional
        Ids of the sequences. With at least three, whole sequences are held out in turn; otherwise
        blocks of rows, with max(n_lags) + horizon rows around them that belong to neither part.
    n_lags, n_neighbors, n_components : sequence of int
        The values of p, k and M to try. Values of M above the rank of the data, and values of k
        for which there are too few states, are left out.
    horizon : int, optional
        How many steps ahead to predict, H, in the measure and in the method if it has a horizon.
        By default the method's own, or 1.
    method : estimator or its class, default=GPFA
        GPFA, SFA, PFA or ForeCA. An instance sets the parameters that are not varied, such as
        `GPFA(graph="full")`.
    n_folds : int, default=5
    n_measured : int, default=10
        Neighbours that the measure uses, q.
    confirm : bool, default=True
        Also score the chosen setting by separate fits.
    n_jobs : int, optional
        Processes; results are the same for any number.
    on_progress : callable, optional
        Called with the number of parts done and the total.

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
    template = _template(method)
    validate_parameter_constraints(
        {"n_folds": [whole_number(2)], "n_measured": [POSITIVE]},
        {"n_folds": n_folds, "n_measured": n_measured},
        caller_name="choose",
    )
    horizon = _set_horizon(template, horizon)
    matrix = check_matrix(X, min_rows=2)
    series = check_sequences(matrix, groups)
    lags, components = _values("n_lags", n_lags), _values("n_components", n_components)
    has_neighbors = isinstance(template, GPFA)
    neighbors = _values("n_neighbors", n_neighbors) if has_neighbors else (0,)
    folds = purged_folds(series, n_folds, gap=lags[-1] + horizon)
    white = [
        _WhiteFold.of(fold, series, template.pca_components, matrix.resolution) for fold in folds
    ]
    rank = min(part.train.n_columns for part in white)
    components = _within_rank(components, rank)
    measure = _Measure(n_measured, horizon)
    _refuse_few_states(white, lags[-1], measure)
    if has_neighbors:
        _refuse_many_between(template, rank)
        neighbors = _within_states(neighbors, white, lags[-1], template.theiler)

    pieces = [(template, part, p, neighbors, components, measure) for part in white for p in lags]
    scores = _gather(pieces, n_jobs, on_progress)
    surface = Surface(
        lags,
        neighbors,
        components,
        np.array(scores).reshape(len(folds), len(lags), len(neighbors), len(components)),
    )
    chosen = surface.simplest()
    return Choice(
        method=name_of(template),
        estimator=template,
        surface=surface,
        best=surface.best(),
        chosen=chosen,
        confirmed=_confirmed(template, chosen, white, measure) if confirm else None,
        kind=folds[0].kind,
        rank=rank,
        horizon=horizon,
    )


def choose_method(
    X: Any, *, groups: ArrayLike | None = None, methods: Sequence[Any], **options: Any
) -> list[Choice]:
    """Choose the method as well: each with its own best setting, on the same folds.

    Parameters
    ----------
    X, groups
        As in `choose`.
    methods : sequence of estimators or their classes
        A method that cannot be fitted, such as ForeCA when no stretch is long enough for a
        spectrum, is left out with a `LeftOutWarning`.
    **options
        Passed on to `choose`.

    Returns
    -------
    list of Choice
        Ordered by what the chosen setting predicts (in separate fits if `confirm`), the most
        first.
    """
    templates = [_template(method) for method in _as_list(methods)]
    if options.get("horizon") is None:
        options["horizon"] = _shared_horizon(templates)
    choices, left_out = [], []
    for template in templates:
        try:
            choices.append(choose(X, groups=groups, method=template, **options))
        except NoSpectrumError as error:
            left_out.append((template, error))
    if not choices:
        raise left_out[0][1]
    for template, reason in left_out:
        warn(f"{template!r} was left out: {reason}", LeftOutWarning)
    return sorted(choices, key=lambda choice: -(choice.confirmed or choice.chosen).predicted)


def _as_list(methods: Sequence[Any]) -> list[Any]:
    found = list(methods)
    if not found:
        raise ValueError("methods is empty: give at least one, such as GPFA or SFA().")
    return found


@dataclass(frozen=True)
class _Measure:
    """How many neighbours predict, and how many steps ahead."""

    n_neighbors: int
    horizon: int


@dataclass(frozen=True)
class _WhiteFold:
    """Both parts of a fold in the white space of its training part."""

    train: Sequences
    test: Sequences
    whitening: Whitening

    @classmethod
    def of(
        cls, fold: Split, series: Sequences, pca_components: Any, resolution: float
    ) -> _WhiteFold:
        train, test = fold.parts(series)
        whitening = fit_whitening(train, pca_components, warn=False, resolution=resolution)
        return cls(whitening.apply(train), whitening.apply(test), whitening)

    def score(self, directions: FloatArray, n_lags: int, measure: _Measure) -> float:
        train = self.train.with_rows(self.train.rows @ directions)
        test = self.test.with_rows(self.test.rows @ directions)
        shares = predicted_shares(train, test, n_lags, measure.n_neighbors, horizon=measure.horizon)
        return float(shares.sum())


def _scores(
    template: Any,
    part: _WhiteFold,
    n_lags: int,
    neighbors: tuple[int, ...],
    components: tuple[int, ...],
    measure: _Measure,
) -> FloatArray:
    """Return the scores of one fold and one p, shape (k values, M values)."""
    found = surface_directions(template, part.train, part.whitening, n_lags, neighbors, components)
    return np.array(
        [[part.score(found[k, m], n_lags, measure) for m in components] for k in neighbors]
    )


def _gather(
    pieces: list[tuple[Any, ...]],
    n_jobs: int | None,
    on_progress: Callable[[int, int], None] | None,
) -> list[FloatArray]:
    tell = on_progress or (lambda done, whole: None)
    tell(0, len(pieces))
    scores = []
    with finished_work(_scores, pieces, n_jobs) as finished:
        for one in finished:
            scores.append(one)
            tell(len(scores), len(pieces))
    return scores


def _confirmed(
    template: Any, chosen: Setting, white: list[_WhiteFold], measure: _Measure
) -> Setting:
    """Score the chosen setting by a separate fit in every fold."""
    model = clone(template).set_params(n_components=chosen.n_components)
    if hasattr(model, "n_lags"):
        model.set_params(n_lags=chosen.n_lags)
    if chosen.n_neighbors:
        model.set_params(n_neighbors=chosen.n_neighbors)
    with as_in_a_worker():
        found = [model.find_directions(part.train, part.whitening) for part in white]
        scores = np.array(
            [
                part.score(directions, chosen.n_lags, measure)
                for part, directions in zip(white, found, strict=True)
            ]
        )
    return replace(chosen, predicted=float(scores.mean()), error=float(standard_error(scores)))


def _template(method: Any) -> Any:
    template = method() if isinstance(method, type) else clone(method)
    if not isinstance(template, (GPFA, SFA, PFA, ForeCA)):
        raise TypeError(f"method must be GPFA, SFA, PFA or ForeCA, but is {template!r}.")
    template.check_parameters()
    return template


def _set_horizon(template: Any, horizon: int | None) -> int:
    """Return how many steps ahead to predict, and set it in the method if it has a horizon."""
    has_own = hasattr(template, "horizon")
    if horizon is None:
        return int(template.horizon) if has_own else 1
    validate_parameter_constraints(
        {"horizon": [POSITIVE]}, {"horizon": horizon}, caller_name="choose"
    )
    if has_own:
        template.set_params(horizon=horizon)
    return int(horizon)


def _shared_horizon(templates: list[Any]) -> int | None:
    """Return how many steps ahead the methods predict, None if none of them has a horizon."""
    horizons = sorted({int(each.horizon) for each in templates if hasattr(each, "horizon")})
    if len(horizons) > 1:
        raise ValueError(
            f"methods predict {' and '.join(map(str, horizons))} steps ahead, which cannot be "
            "compared. Set horizon to one number for all."
        )
    return horizons[0] if horizons else None


def _values(name: str, values: Sequence[int] | int) -> tuple[int, ...]:
    """Return the distinct values to try, ascending."""
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
            else "no setting can be tried: all columns are constant in one of the folds' "
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
    # If even the smallest is too large, the search reports how many are possible.
    return tuple(k for k in neighbors if k <= fewest) or neighbors[:1]


def _refuse_few_states(white: list[_WhiteFold], n_lags: int, measure: _Measure) -> None:
    fewest = min(len(part.train.state_times(n_lags, measure.horizon)) for part in white)
    if measure.n_neighbors > fewest:
        raise TooFewStatesError(
            f"n_measured={measure.n_neighbors} needs as many states with "
            f"{what_follows(measure.horizon)} in the training part "
            f"of every fold, but one has {fewest}. Use at most n_measured={fewest}, fewer lags or "
            "more rows."
        )
