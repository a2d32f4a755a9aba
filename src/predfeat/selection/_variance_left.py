"""How predictable each single feature is: a statistic to compare with that of surrogates."""

from __future__ import annotations

from typing import Any

import numpy as np

from predfeat._compat import WINDOW, StrOptions, validate_parameter_constraints, whole_number
from predfeat._typing import ArrayLike, FloatArray
from predfeat.exceptions import TooFewStatesError
from predfeat.graph import find_neighborhoods, projected_laplacian
from predfeat.measures._input import as_features, moderate
from predfeat.neighbors import search
from predfeat.series import States, fewer_rows

__all__ = ["STEPS", "variance_left"]

STEPS = ("both", "next")


def variance_left(
    Y: Any,
    n_lags: int = 1,
    *,
    horizon: int = 1,
    groups: ArrayLike | None = None,
    n_neighbors: int = 10,
    theiler: int = 0,
    steps: str = "both",
) -> FloatArray:
    r"""Lower is better: the share of each feature's variance that similar states leave open.

    As `predfeat.measures.predictability` (relative, per component, ddof=1, so that noise has 1),
    with two differences that matter when features are judged one by one.

    - *Both* steps next to a state count: the mean of the shares that similar states leave open of
      the step after them and of the step before. What is predictable is a space. Within it one
      direction may only serve to predict another, and its own next step be pure chance (the first
      column of :math:`(\xi_t, \xi_{t-1})`): but then the others tell what it was before.
    - The states are those of the feature alone, of the first j features (j its number), of the
      first j + 1, and so on up to all; the smallest share counts. A feature may need another one
      for a state, and features of noise, which come last, make neighbours less similar.

    A minimum is biased, of course: this is a statistic to be compared with that of surrogates.

    Parameters
    ----------
    Y : array-like of shape (n_rows, n_features)
        Features in time order, best first; rows with a NaN are gaps.
    n_lags : int, default=1
        Samples in a state, p.
    horizon : int, default=1
        How many steps after a state, and before it, its two steps lie, H.
    groups : array-like of shape (n_rows,), optional
        Ids of the sequences.
    n_neighbors : int, default=10
        Neighbours of each state, q.
    theiler : int, default=0
        Leave out neighbours of the same sequence at most that many rows away.
    steps : {"both", "next"}, default="both"
        Which steps count.

    Returns
    -------
    ndarray of shape (n_features,)

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.selection import variance_left
    >>> noise = np.random.default_rng(0).normal(size=(801, 2))
    >>> Y = np.column_stack([noise[1:, 0], noise[:-1, 0], noise[1:, 1]])
    >>> variance_left(Y, steps="next").round(1)
    array([1., 0., 1.])
    >>> variance_left(Y).round(1)
    array([0.5, 0.5, 1. ])
    """
    positive = whole_number(1)
    validate_parameter_constraints(
        {
            "n_lags": [positive],
            "horizon": [positive],
            "n_neighbors": [positive],
            "theiler": [WINDOW],
            "steps": [StrOptions(set(STEPS))],
        },
        {
            "n_lags": n_lags,
            "horizon": horizon,
            "n_neighbors": n_neighbors,
            "theiler": theiler,
            "steps": steps,
        },
        caller_name="variance_left",
    )
    given = as_features(Y, groups)
    features, _ = moderate(given)  # a share has no unit, but distances of states do
    # Neighbours are searched among the states that have all the steps asked for.
    back = n_lags - 1 + (horizon if steps == "both" else 0)
    times = features.times(back, horizon, shorten=fewer_rows(horizon))
    _refuse_few_states(len(times), n_neighbors)
    variances = features.samples.var(axis=0)

    def left(columns: slice) -> FloatArray:
        near = given.with_rows(np.ascontiguousarray(given.rows[:, columns]))
        table = search(States(near, times, n_lags), n_neighbors, theiler=theiler)
        some = features.with_rows(features.rows[:, columns])
        neighborhoods = find_neighborhoods(
            table, some, n_lags, past=steps == "both", horizon=horizon
        )
        # The scatter of each neighbourhood times its points is the full graph's Laplacian.
        centred = some.rows - some.samples.mean(axis=0)
        scatter = np.diag(projected_laplacian(neighborhoods, centred, "full").laplacian)
        n_pairs = len(neighborhoods) * len(times) * (n_neighbors + 1) * n_neighbors
        whole = variances[columns]
        share: FloatArray = np.zeros_like(whole)
        np.divide(scatter.clip(min=0.0) / n_pairs, whole, out=share, where=whole > 0)
        return share

    smallest = left(slice(0, 1))
    for n in range(2, features.n_columns + 1):
        smallest = np.append(smallest, left(slice(n - 1, n)))
        smallest = np.minimum(smallest, left(slice(0, n)))
    return smallest


def _refuse_few_states(n_states: int, n_neighbors: int) -> None:
    if n_states < n_neighbors + 1:
        raise TooFewStatesError(
            f"n_neighbors={n_neighbors} needs at least {n_neighbors + 1} states with a step before "
            f"and after them, but there are {n_states}. Use at most "
            f"n_neighbors={max(n_states - 1, 0)}, fewer lags or more data."
        )
