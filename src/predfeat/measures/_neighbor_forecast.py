"""How much of the next step the successors of similar states predict."""

from __future__ import annotations

import numpy as np

from predfeat._typing import FloatArray
from predfeat.measures._input import column_exponents, scaled_columns
from predfeat.neighbors import choose_centers, search
from predfeat.series import Sequences, find_states

__all__ = ["predicted_shares"]


def predicted_shares(
    train: Sequences,
    test: Sequences | None,
    n_lags: int,
    n_neighbors: int = 10,
    *,
    horizon: int = 1,
    theiler: int = 0,
    n_centers: int | str | None = None,
    random_state: int = 0,
    engine: str = "auto",
    n_jobs: int | None = None,
) -> FloatArray:
    r"""Return the share of each feature's next step that similar states predict. Higher is better.

    .. math:: 1 - \frac{\sum_t (y_{t+H} - \hat y_{t+H})^2}{\sum_t (y_{t+H} - \bar y)^2}

    over the states t of the test part that have a successor. The prediction is the mean of the
    successors of the q nearest states of the training part, and the mean in the denominator is
    the training part's. Without a test part, every state of the training part is predicted from
    the others (leave-one-out). White noise has -1/q: predicting it is worse than not predicting
    it. So sets of different size can be compared: noise features subtract, others add.

    Parameters
    ----------
    train : Sequences
        Features of the part that predicts.
    test : Sequences or None
        Features of the part that is predicted. None, or `train` itself: leave-one-out.
    n_lags : int
        Samples in a state, p.
    n_neighbors : int, default=10
        q.
    horizon : int, default=1
        How many steps ahead the successor lies, H.
    theiler : int, default=0
        In leave-one-out, states of the same sequence at most this many rows away do not predict
        each other.
    n_centers : int, "auto" or None, default=None
        How many states of the test part to predict; None for all. See
        `predfeat.neighbors.count_centers`.
    random_state : int, default=0
        Seed of that sample.
    engine : str, default="auto"
        Engine of the neighbour search; see `predfeat.nearest_neighbors`.
    n_jobs : int, optional
        Threads of the neighbour search.

    Returns
    -------
    ndarray of shape (n_features,)
        At most 1. A feature that is constant in the test part has 0.

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.measures import predicted_shares
    >>> from predfeat.series import check_sequences
    >>> wave = check_sequences(np.sin(0.1 * np.arange(900))[:, None])
    >>> again = check_sequences(np.sin(0.1 * np.arange(300))[:, None])
    >>> predicted_shares(wave, again, n_lags=2)[0] > 0.99
    np.True_
    >>> predicted_shares(wave, None, n_lags=2, theiler=30)[0] > 0.99
    np.True_
    """
    test = train if test is None else test
    within = test is train
    # Without a test part, each state needs this many others.
    library = find_states(train, n_lags, n_neighbors=n_neighbors * within, horizon=horizon)
    asked = library if within else find_states(test, n_lags, n_neighbors=0, horizon=horizon)
    asked = choose_centers(asked, n_centers, random_state)
    table = search(
        asked, n_neighbors, library=library, theiler=theiler, engine=engine, n_jobs=n_jobs
    )
    # A share has no unit, but squares of huge and tiny numbers exceed the range of float64.
    exponents = np.maximum(column_exponents(train), column_exponents(test))
    train, test = (scaled_columns(part, exponents) for part in (train, test))
    predicted = train.rows[table.indices + horizon].mean(axis=1)
    actual = test.rows[table.times + horizon]
    left = np.square(actual - predicted).sum(axis=0)
    whole = np.square(actual - train.samples.mean(axis=0)).sum(axis=0)
    shares: FloatArray = 1.0 - np.divide(left, whole, out=np.ones_like(left), where=whole > 0)
    return shares
