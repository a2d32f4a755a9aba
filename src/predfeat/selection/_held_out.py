"""How much of new data the past of old data predicts."""

from __future__ import annotations

import numpy as np
from sklearn.neighbors import NearestNeighbors

from predfeat._typing import FloatArray
from predfeat.series import Sequences, find_states

__all__ = ["predicted_shares"]


def predicted_shares(
    train: Sequences, test: Sequences, n_lags: int, n_neighbors: int = 10, *, horizon: int = 1
) -> FloatArray:
    r"""Return the share of each feature's next step that similar training states predict.

    .. math:: 1 - \frac{\sum_t (y_{t+H} - \hat y_{t+H})^2}{\sum_t (y_{t+H} - \bar y)^2}

    over the states t of the test part that have a successor. The prediction is the mean of the
    successors of the q nearest states of the training part, and the mean in the denominator is
    the training part's. White noise has -1/q: predicting it is worse than not to. That is what
    makes features comparable in number: one that is noise takes away, one that is not adds.

    Parameters
    ----------
    train, test : Sequences
        Features of both parts.
    n_lags : int
        Samples in a state, p.
    n_neighbors : int, default=10
        q.
    horizon : int, default=1
        How many steps ahead the successor lies, H.

    Returns
    -------
    ndarray of shape (n_features,)
        At most 1. A feature that is constant in the test part has 0.

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.selection import predicted_shares
    >>> from predfeat.series import check_sequences
    >>> wave = check_sequences(np.sin(0.1 * np.arange(900))[:, None])
    >>> again = check_sequences(np.sin(0.1 * np.arange(300))[:, None])
    >>> predicted_shares(wave, again, n_lags=2)[0] > 0.99
    np.True_
    """
    library = find_states(train, n_lags, n_neighbors=n_neighbors - 1, horizon=horizon)
    asked = find_states(test, n_lags, n_neighbors=0, horizon=horizon)
    search = NearestNeighbors(n_neighbors=n_neighbors).fit(library.embed())
    nearest = search.kneighbors(asked.embed(), return_distance=False)
    successors = train.rows[library.times + horizon]
    predicted = successors[nearest].mean(axis=1)
    actual = test.rows[asked.times + horizon]
    left = np.square(actual - predicted).sum(axis=0)
    whole = np.square(actual - train.samples.mean(axis=0)).sum(axis=0)
    shares: FloatArray = 1.0 - np.divide(left, whole, out=np.ones_like(left), where=whole > 0)
    return shares
