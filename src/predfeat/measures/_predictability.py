"""The paper's measure, eq. (2): how much the next step varies between similar states."""

from __future__ import annotations

from typing import Any, Literal, overload

from predfeat._compat import validate_parameter_constraints, whole_number
from predfeat._typing import ArrayLike, FloatArray
from predfeat.measures._left_open import MEASURE_CONSTRAINTS, left_open
from predfeat.neighbors import CENTER_CONSTRAINTS

__all__ = ["predictability"]


@overload
def predictability(
    Y: Any,
    n_lags: int = ...,
    n_neighbors: int = ...,
    *,
    horizon: int = ...,
    groups: ArrayLike | None = ...,
    relative: bool = ...,
    per_component: Literal[False] = ...,
    ddof: int = ...,
    theiler: int = ...,
    engine: str = ...,
    n_jobs: int | None = ...,
) -> float: ...
@overload
def predictability(
    Y: Any,
    n_lags: int = ...,
    n_neighbors: int = ...,
    *,
    horizon: int = ...,
    groups: ArrayLike | None = ...,
    relative: bool = ...,
    per_component: Literal[True],
    ddof: int = ...,
    theiler: int = ...,
    engine: str = ...,
    n_jobs: int | None = ...,
) -> FloatArray: ...
def predictability(
    Y: Any,
    n_lags: int = 1,
    n_neighbors: int = 10,
    *,
    horizon: int = 1,
    groups: ArrayLike | None = None,
    relative: bool = False,
    per_component: bool = False,
    ddof: int = 0,
    theiler: int = 0,
    n_centers: int | str | None = "auto",
    engine: str = "auto",
    n_jobs: int | None = None,
) -> float | FloatArray:
    r"""Lower is better: the variance of the next step that similar states leave open.

    .. math:: \mathrm{trace} \, \langle \mathrm{cov}\{ y_{i+H} : i \in K_t \} \rangle_t

    with :math:`K_t` the state at t and its nearest neighbours (eq. (2) of the paper, whose q is
    `n_neighbors` here, and which looks H = 1 step ahead). Neighbours are searched among the states
    that have a successor, so that every neighbourhood has q + 1 points.

    Parameters
    ----------
    Y : array-like of shape (n_rows, n_features) or (n_rows,)
        Features in time order; rows with a NaN are gaps.
    n_lags : int, default=1
        Samples in a state, p.
    n_neighbors : int, default=10
        Neighbours of each state, q.
    horizon : int, default=1
        How many steps ahead the successor lies, H. In data sampled fast, the next step hardly
        differs from the last, and nearly everything predicts it.
    groups : array-like of shape (n_rows,), optional
        Ids of the sequences.
    relative : bool, default=False
        Divide by the variance of Y (each feature's own with `per_component`): the share left to
        chance. It is 0 for a constant.
    per_component : bool, default=False
        Return one value per feature; they add up to the total (if not relative).
    ddof : int, default=0
        The covariance of q + 1 points is divided by q + 1 - ddof.
    theiler : int, default=0
        Leave out neighbours of the same sequence at most that many rows away.
    n_centers : int, "auto" or None, default="auto"
        How many states ask for their neighbours, as in `left_open`.
    engine, n_jobs
        As in `predfeat.nearest_neighbors`.

    Returns
    -------
    float, or ndarray of shape (n_features,)

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.measures import predictability
    >>> t = np.arange(500)
    >>> noise = np.random.default_rng(0).normal(size=500)
    >>> wave = np.sqrt(2) * np.sin(0.1 * t)
    >>> predictability(wave, n_lags=2) < 0.01
    True
    >>> 0.8 < predictability(noise, n_lags=2) < 1.0
    True

    A mean over ten steps predicts the next one, but not the one that shares no step with it:

    >>> slow = np.convolve(noise, np.ones(10), mode="valid")
    >>> predictability(slow, relative=True) < 0.3
    True
    >>> predictability(slow, relative=True, horizon=10) > 0.8
    True
    """
    validate_parameter_constraints(
        {
            **MEASURE_CONSTRAINTS,
            "n_centers": CENTER_CONSTRAINTS["n_centers"],
            "ddof": [whole_number(0, 1)],
        },
        {
            "n_neighbors": n_neighbors,
            "n_lags": n_lags,
            "horizon": horizon,
            "theiler": theiler,
            "n_centers": n_centers,
            "engine": engine,
            "n_jobs": n_jobs,
            "ddof": ddof,
        },
        caller_name="predictability",
    )
    found = left_open(
        Y,
        n_lags,
        n_neighbors,
        horizon=horizon,
        groups=groups,
        theiler=theiler,
        n_centers=n_centers,
        engine=engine,
        n_jobs=n_jobs,
    )
    if relative:
        return found.shares(ddof) if per_component else found.share(ddof)
    return found.variances(ddof) if per_component else found.total(ddof)
