"""Features of different models, put beside each other: which is which, and how they did."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from predfeat._typing import FloatArray, IntArray
from predfeat.experiments import Protocol, Study
from predfeat.measures import left_open
from predfeat.report._loadings import correlations
from predfeat.report._traces import trace_of

__all__ = ["all_methods", "feature_shares", "held_out_shares", "match"]

# A recording of at most this many rows is shown whole, otherwise its first rows.
_MOST_ROWS_WHOLE, _ROWS_OF_LONGER = 3_000, 1_000
_MOST_BINS = 300
_DIGITS = 3


def match(features: FloatArray, others: FloatArray) -> tuple[IntArray, FloatArray]:
    """Find for each feature the one of another model that resembles it most, each once.

    Parameters
    ----------
    features : ndarray of shape (n_rows, n_features)
    others : ndarray of shape (n_rows, n_others)
        Of the same rows; those with a NaN do not count.

    Returns
    -------
    order : ndarray of int
        Columns of `others`: first those that go with the features, one by one, then the rest.
    signs : ndarray of shape (n_others,)
        1, or -1 where the other one runs the other way.

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.report._matching import match
    >>> features = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
    >>> match(features, np.column_stack([-features[:, 1], features[:, 0]]))
    (array([1, 0]), array([ 1., -1.]))
    """
    there = ~(np.isnan(features).any(axis=1) | np.isnan(others).any(axis=1))
    found = correlations(others[there], features[there])
    mine, theirs = linear_sum_assignment(-np.abs(found))
    rest = np.setdiff1d(np.arange(others.shape[1]), theirs)
    order = np.concatenate([theirs, rest])
    signs = np.ones(len(order))
    signs[: len(mine)] = np.where(found[mine, theirs] < 0, -1.0, 1.0)
    return order, signs


def held_out_shares(study: Study) -> FloatArray:
    """Return what each feature of the best method leaves to chance on rows not learned from.

    In every repetition the method found its own features. On the test part, they are matched with
    the features of the kept model by their correlation, and the shares of matching features are
    averaged. So they refer to the same data as the method's own share.

    Parameters
    ----------
    study : Study

    Returns
    -------
    ndarray of shape (n_features,)
        NaN where a feature had no counterpart that varied.
    """
    protocol, values = study.protocol, study.recording.values
    n_features = len(study.model.get_feature_names_out())
    shares = np.full((len(protocol.splits), n_features), np.nan)
    for i, (split, model) in enumerate(zip(protocol.splits, study.best.models, strict=True)):
        found = model.transform(values[split.test])
        order, _ = match(study.model.transform(values[split.test]), found)
        left = feature_shares(found, protocol, study.series.sequence_first[split.test])
        n_paired = min(n_features, len(order))
        shares[i, :n_paired] = left[order[:n_paired]]
    counted = (~np.isnan(shares)).sum(axis=0)
    mean: FloatArray = np.divide(
        np.nansum(shares, axis=0), counted, out=np.full(n_features, np.nan), where=counted > 0
    )
    return mean


def feature_shares(features: FloatArray, protocol: Protocol, groups: IntArray) -> FloatArray:
    """Return what each feature leaves to chance on the rows given, as the methods are judged."""
    return left_open(
        features,
        protocol.n_lags,
        protocol.n_neighbors,
        horizon=protocol.horizon,
        groups=groups,
    ).shares()


def all_methods(study: Study, n_features: int) -> dict[str, Any]:
    """Return the features of every method over the same rows, similar ones in the same place.

    Parameters
    ----------
    study : Study
    n_features : int
        Of each method at most.

    Returns
    -------
    dict
        `n_rows` from the first on, and of each of `methods` its `name` and `traces`, in the order
        and with the signs of the best method's.
    """
    n_rows = len(study.recording.values)
    n_rows = n_rows if n_rows <= _MOST_ROWS_WHOLE else _ROWS_OF_LONGER
    values = study.recording.values
    best = study.features
    methods = []
    for run in sorted(study.runs, key=lambda run: float(np.mean(run.test_share))):
        features = best if run is study.best else run.model.transform(values)
        order, signs = match(best, features)
        shown = signs * features[:n_rows, order]
        traces = [
            trace_of(column, min(n_rows, _MOST_BINS), _DIGITS) for column in shown.T[:n_features]
        ]
        methods.append({"name": run.method, "traces": traces})
    return {"n_rows": n_rows, "methods": methods}
