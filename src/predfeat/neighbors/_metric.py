"""Neighbours by any metric between samples, for the first search."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from predfeat._progress import ticker
from predfeat._typing import AnyArray, FloatArray, IntArray
from predfeat.exceptions import MetricError
from predfeat.neighbors._crowds import find_crowds, steps_ahead
from predfeat.neighbors._exclusion import find_exclusion
from predfeat.neighbors._search import LARGEST_EXPONENT
from predfeat.neighbors._table import NeighborTable
from predfeat.series import States

__all__ = ["Metric", "search_by_metric"]

Metric = str | Callable[[FloatArray, FloatArray], float]

_NUMBERS_AT_ONCE = 1 << 22  # distances of one block


def search_by_metric(
    states: States,
    n_neighbors: int,
    metric: Metric,
    *,
    theiler: int = 0,
    guess: IntArray | None = None,
) -> NeighborTable:
    """Find the nearest states by a metric of scikit-learn's, or a function of two samples.

    The squared distance of two states is the sum over their samples of the squared distances that
    the metric gives. All pairs are compared, block by block.

    Parameters
    ----------
    states : States
    n_neighbors : int
    metric : str or callable
        A name that `sklearn.metrics.pairwise_distances` knows, or a function of two rows. It is
        called with the row of the state that asks first, and need not be symmetric.
    theiler : int, default=0
        Rows excluded before and after each state.
    guess : ignored
        For the interface of `search`.

    Returns
    -------
    NeighborTable

    Raises
    ------
    MetricError
        The metric is unknown, fails, or returns something that is no distance.

    Examples
    --------
    >>> from predfeat.neighbors import search_by_metric
    >>> from predfeat.series import check_sequences, find_states
    >>> series = check_sequences([[0.0, 1.0], [0.0, 3.0], [2.0, 2.0], [5.0, 5.0]])
    >>> states = find_states(series, n_lags=1, n_neighbors=1)
    >>> search_by_metric(states, 1, "cosine").indices.ravel().tolist()
    [1, 0, 3, 2]
    """
    excluded = find_exclusion(states, states, n_neighbors, theiler)
    places = find_crowds(states).places
    n_states, n_lags = len(states), states.n_lags
    indices = np.empty((n_states, n_neighbors), dtype=np.intp)
    distances = np.empty((n_states, n_neighbors))
    samples, number = np.unique(
        (states.times[:, None] - np.arange(n_lags)).ravel(), return_inverse=True
    )
    lagged = number.reshape(n_states, n_lags)  # where each state's samples are among them
    height = max(1, _NUMBERS_AT_ONCE // len(samples))
    starts = range(0, n_states, height)
    tick = ticker(len(starts))
    for start in starts:
        asking = slice(start, min(start + height, n_states))
        squared, exponent = _squared_distances(states, samples, lagged, asking, metric)
        for row, (first, stop) in enumerate(
            zip(excluded.first[asking], excluded.stop[asking], strict=True)
        ):
            squared[row, first:stop] = np.inf
        positions = _nearest(squared, n_neighbors, places, asking)
        indices[asking] = states.times[positions]
        found = np.sqrt(np.take_along_axis(squared, positions, axis=1))
        distances[asking] = np.ldexp(found, -exponent)
        tick()
    return NeighborTable(states.times, indices, distances)


def _squared_distances(
    states: States, samples: IntArray, lagged: IntArray, asking: slice, metric: Metric
) -> tuple[FloatArray, int]:
    """Return the squared distances of some states to all, summed over the lags.

    Before they are squared, distances are multiplied by two to the exponent that is returned too:
    that changes no digit, and squares stay in the range of floats.
    """
    own, place = np.unique(lagged[asking], return_inverse=True)
    place = place.reshape(lagged[asking].shape)
    rows = states.series.rows
    measured = _measured(rows[samples[own]], rows[samples], metric)
    exponent = LARGEST_EXPONENT - int(np.frexp(measured.max())[1])
    of_samples = np.square(np.ldexp(measured, exponent))
    squared = np.zeros((len(place), len(lagged)))
    for lag in range(states.n_lags):
        squared += of_samples[np.ix_(place[:, lag], lagged[:, lag])]
    return squared, exponent


def _measured(left: FloatArray, right: FloatArray, metric: Metric) -> AnyArray:
    from sklearn.metrics import pairwise_distances  # a slow import, for few

    name = metric if isinstance(metric, str) else getattr(metric, "__name__", repr(metric))
    try:
        distances = np.asarray(pairwise_distances(left, right, metric=metric), dtype=np.float64)
    except Exception as error:
        raise MetricError(
            f"metric={name!r} failed: {str(error).rstrip('.')}. Give a name that "
            "sklearn.metrics.pairwise_distances knows, or a function of two rows that returns "
            "their distance."
        ) from error
    bad = np.argwhere(~(distances >= 0.0) | np.isinf(distances))
    if bad.size:
        value = distances[tuple(bad[0])]
        raise MetricError(
            f"metric={name!r} returned {value} for two rows. Distances must be finite numbers "
            "that are not negative."
        )
    return distances


def _nearest(squared: FloatArray, n_neighbors: int, places: IntArray, asking: slice) -> IntArray:
    """Return the positions of the nearest states; of tied ones, those next on the circle."""
    limit = np.partition(squared, n_neighbors - 1, axis=1)[:, n_neighbors - 1]
    owner, candidates = np.nonzero(squared <= limit[:, None])
    steps = steps_ahead(places[asking][owner], places[candidates])
    order = np.lexsort((candidates, steps, squared[owner, candidates], owner))
    first = np.searchsorted(owner, np.arange(len(squared)))
    best: IntArray = candidates[order[first[:, None] + np.arange(n_neighbors)]]
    return best
