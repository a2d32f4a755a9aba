"""The share left open by similar states in nested spaces: a statistic of single features."""

from __future__ import annotations

from typing import Any

import numpy as np

from predfeat._compat import StrOptions, validate_parameter_constraints
from predfeat._typing import ArrayLike, FloatArray
from predfeat.exceptions import TooFewStatesError
from predfeat.measures._input import as_features, moderate
from predfeat.measures._left_open import MEASURE_CONSTRAINTS, count_pairs, summed_scatter
from predfeat.neighbors import search
from predfeat.series import States, fewer_rows

__all__ = ["STEPS", "nested_shares"]

STEPS = ("both", "next")


def nested_shares(
    Y: Any,
    n_lags: int = 1,
    n_neighbors: int = 10,
    *,
    horizon: int = 1,
    groups: ArrayLike | None = None,
    theiler: int = 0,
    steps: str = "both",
    engine: str = "auto",
    n_jobs: int | None = None,
) -> FloatArray:
    r"""Lower is better: the share of each feature's variance left open, in the best nested space.

    This is `left_open(Y).shares()`, where noise has 1, with two differences that matter when
    features are judged one by one.

    - *Both* steps next to a state count: the value is the mean of the shares left open of the step
      after and of the step before. Predictability belongs to a space. Within it, one direction may
      only serve to predict another, and its own next step may be pure chance (the first column of
      :math:`(\xi_t, \xi_{t-1})`). But then the others reveal what it was before.
    - The spaces of states are nested. For feature number j they are the feature alone, the first j
      features, the first j + 1, and so on up to all; the smallest share counts. A feature may need
      another one to form a state, while noise features, which come last, make neighbours less
      similar.

    A minimum is biased: compare it with that of surrogates, as `predfeat.significance` does.

    Parameters
    ----------
    Y : array-like of shape (n_rows, n_features) or (n_rows,), or Sequences
        Features in time order, best first; rows with a NaN are gaps.
    n_lags : int, default=1
        Samples in a state, p.
    n_neighbors : int, default=10
        Neighbours of each state, q.
    horizon : int, default=1
        How many steps after a state, and before it, its two steps lie, H.
    groups : array-like of shape (n_rows,), optional
        Ids of the sequences.
    theiler : int, default=0
        Leave out neighbours of the same sequence at most that many rows away.
    steps : {"both", "next"}, default="both"
        Which steps count.
    engine, n_jobs
        As in `predfeat.nearest_neighbors`.

    Returns
    -------
    ndarray of shape (n_features,)

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.measures import nested_shares
    >>> noise = np.random.default_rng(0).normal(size=(801, 2))
    >>> Y = np.column_stack([noise[1:, 0], noise[:-1, 0], noise[1:, 1]])
    >>> nested_shares(Y, steps="next").round(1)
    array([1., 0., 1.])
    >>> nested_shares(Y).round(1)
    array([0.5, 0.5, 1. ])
    """
    validate_parameter_constraints(
        {**MEASURE_CONSTRAINTS, "steps": [StrOptions(set(STEPS))]},
        {
            "n_lags": n_lags,
            "n_neighbors": n_neighbors,
            "horizon": horizon,
            "theiler": theiler,
            "steps": steps,
            "engine": engine,
            "n_jobs": n_jobs,
        },
        caller_name="nested_shares",
    )
    given = as_features(Y, groups)
    features, _ = moderate(given)  # a share has no unit, but distances of states do
    # Neighbours are searched among the states that have all the requested steps.
    shifts = [horizon] if steps == "next" else [horizon, -(n_lags - 1 + horizon)]
    times = features.times(max(n_lags - 1, -min(shifts)), horizon, shorten=fewer_rows(horizon))
    _refuse_few_states(len(times), n_neighbors)
    variances = features.samples.var(axis=0)

    def shares(columns: slice) -> FloatArray:
        near = given.with_rows(np.ascontiguousarray(given.rows[:, columns]))
        states = States(near, times, n_lags)
        table = search(states, n_neighbors, theiler=theiler, engine=engine, n_jobs=n_jobs)
        scatter = summed_scatter(features.with_rows(features.rows[:, columns]), table, shifts)
        left = np.diag(scatter).clip(min=0.0) / (len(shifts) * count_pairs(table, ddof=1))
        whole = variances[columns]
        share: FloatArray = np.divide(left, whole, out=np.zeros_like(whole), where=whole > 0)
        return share

    smallest = shares(slice(0, 1))
    for n in range(2, features.n_columns + 1):
        smallest = np.append(smallest, shares(slice(n - 1, n)))
        smallest = np.minimum(smallest, shares(slice(0, n)))
    return smallest


def _refuse_few_states(n_states: int, n_neighbors: int) -> None:
    if n_states < n_neighbors + 1:
        raise TooFewStatesError(
            f"n_neighbors={n_neighbors} needs at least {n_neighbors + 1} states with a step before "
            f"and after them, but there are {n_states}. Use at most "
            f"n_neighbors={max(n_states - 1, 0)}, fewer lags or more data."
        )
