"""Which states are similar: in features, by the same action, by another metric, or as given."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from predfeat._typing import FloatArray
from predfeat.features._embedding import GraphSettings, SimilarStates, find_neighbors
from predfeat.neighbors import (
    Metric,
    check_neighbors,
    search_beside_values,
    search_by_metric,
    search_within_classes,
)
from predfeat.series import Annotations, Classes, Sequences, States, find_states

__all__ = ["FirstNeighbors", "find_similar_states"]


@dataclass(frozen=True, eq=False)
class FirstNeighbors:
    """Where the neighbours of the first iteration come from, if not from a Euclidean search.

    Attributes
    ----------
    metric : str or callable, optional
        Another metric between the rows of `series`.
    series : Sequences, optional
        The rows that the metric compares: the series as it was given, before whitening.
    given : NeighborTable, sparse array or tuple, optional
        Neighbours that were found elsewhere; see `predfeat.neighbors.check_neighbors`.
    """

    metric: Metric | None = None
    series: Sequences | None = None
    given: Any = None


def find_similar_states(
    space: Sequences,
    settings: GraphSettings,
    *,
    annotations: Annotations | None = None,
    first: FirstNeighbors | None = None,
    guess: SimilarStates | None = None,
) -> SimilarStates:
    """Find the neighbours of every state in a space.

    With actions, the neighbours of a state are states that the same action led out of, for the
    successors, and states that the same action led to, for the predecessors. Actions that are
    quantities stand beside the state's samples instead, scaled to unit variance.

    Parameters
    ----------
    space : Sequences
        Where distances are measured, unless `first` says otherwise.
    settings : GraphSettings
    annotations : Annotations, optional
        Its actions are used.
    first : FirstNeighbors, optional
        For the first iteration.
    guess : SimilarStates, optional
        Those of the previous iteration, to search faster.

    Returns
    -------
    SimilarStates
    """
    k, p = settings.n_neighbors, settings.n_lags
    if first is not None and first.given is not None:
        states = find_states(space, p, n_neighbors=k)
        return SimilarStates(check_neighbors(first.given, states, k))
    options: dict[str, Any] = {"theiler": settings.theiler}
    if first is not None and first.metric is not None and first.series is not None:
        space = first.series
        options["by"] = partial(search_by_metric, metric=first.metric)
    else:
        options.update(engine=settings.engine, n_jobs=settings.n_jobs)
    if annotations is not None and annotations.actions is not None:
        return _with_actions(space, settings, annotations, options, guess)
    if "by" in options:
        states = find_states(space, p, n_neighbors=k)
        return SimilarStates(options.pop("by")(states, k, **options))
    rows = None if guess is None else guess.future.indices
    return SimilarStates(find_neighbors(space, settings, guess=rows))


def _with_actions(
    space: Sequences,
    settings: GraphSettings,
    annotations: Annotations,
    options: dict[str, Any],
    guess: SimilarStates | None,
) -> SimilarStates:
    k = settings.n_neighbors
    states = find_states(space, settings.n_lags, n_neighbors=k)
    before = (None, None) if guess is None else (guess.future, guess.past)
    tables = []
    # The action that follows the state, and the one that led to its oldest sample.
    for lag, table in zip((0, settings.n_lags), before, strict=True):
        hint = None if table is None else table.indices
        if annotations.has_discrete_actions:
            actions = annotations.classes("actions")
            codes = _before(actions.codes, states, lag, -1)
            tables.append(
                search_within_classes(
                    states, Classes(codes, actions.names), k, guess=hint, **options
                )
            )
        else:
            values = _before(_scaled(annotations.numbers("actions")), states, lag, np.nan)
            tables.append(search_beside_values(states, values, k, guess=hint, **options))
    return SimilarStates(*tables)


def _before(values: Any, states: States, lag: int, nothing: float) -> Any:
    """Return the value some rows before each state; nothing if that is another run's."""
    reaches = states.series.reach(back=lag)[states.times]
    taken = values[np.maximum(states.times - lag, 0)].copy()
    taken[~reaches] = nothing
    return taken


def _scaled(actions: FloatArray) -> FloatArray:
    """Return actions with unit variance, as the samples of white space have.

    A column that is constant stays as it is, up to its mean.
    """
    scaled = actions.copy()
    for column in scaled.T:
        known = column[~np.isnan(column)]
        largest = np.abs(known).max(initial=0.0)
        if largest > 0.0:
            column /= largest  # so that squares stay in the range of floats
            known = known / largest
            column -= known.mean()
            spread = known.std()
            # Of equal numbers, only rounding is left.
            column /= spread if spread > np.finfo(np.float64).eps else 1.0
    return scaled
