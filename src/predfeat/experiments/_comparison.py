"""All methods on the same training and test data, in several repetitions."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sized
from dataclasses import asdict, dataclass
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.base import clone

from predfeat._method_names import ON_REQUEST
from predfeat._typing import FloatArray
from predfeat.datasets import predictable_noise
from predfeat.features import METHODS
from predfeat.measures import predictability

__all__ = [
    "Comparison",
    "MethodResult",
    "compare_methods",
    "compare_on_predictable_noise",
    "standard_methods",
]


@dataclass(frozen=True)
class MethodResult:
    """One method's results over all repetitions.

    Attributes
    ----------
    method : str
    predictability : list of float
        Of the features of the test data, one value per repetition. Lower is better.
    seconds : list of float
        Time of each fit.
    """

    method: str
    predictability: list[float]
    seconds: list[float]

    @property
    def mean(self) -> float:
        """Mean test predictability."""
        return float(np.mean(self.predictability))

    @property
    def spread(self) -> float:
        """Standard deviation of the test predictability over the repetitions."""
        ddof = 1 if len(self.predictability) > 1 else 0
        return float(np.std(self.predictability, ddof=ddof))


@dataclass(frozen=True)
class Comparison:
    """Results of several methods, on the same data.

    Attributes
    ----------
    results : list of MethodResult
    n_lags, n_neighbors : int
        Of the measure.
    data : dict
        What the methods were compared on.
    horizon : int
        Of the measure.
    """

    results: list[MethodResult]
    n_lags: int
    n_neighbors: int
    data: dict[str, Any]
    horizon: int = 1

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain lists and numbers, ready for JSON."""
        return asdict(self)


def standard_methods(
    n_components: int = 2,
    *,
    n_lags: int = 1,
    horizon: int = 1,
    n_neighbors: int = 10,
    random_state: int = 0,
    n_jobs: int | None = None,
) -> dict[str, Any]:
    """Return the paper's methods, by the names of its figures.

    Parameters
    ----------
    n_components, n_lags, horizon, n_neighbors : int
        As in `predfeat.GPFA`, for all methods that have them.
    random_state : int
        Seed of the random features and of ForeCA's random starts.
    n_jobs : int or None
        Threads of GPFA's neighbour search.

    Returns
    -------
    dict of estimators

    Examples
    --------
    >>> from predfeat.experiments import standard_methods
    >>> list(standard_methods())
    ['random', 'SFA', 'PFA', 'ForeCA', 'GPFA (1)', 'GPFA (2)']
    """
    options = {
        "n_components": n_components,
        "n_lags": n_lags,
        "horizon": horizon,
        "n_neighbors": n_neighbors,
        "random_state": random_state,
        "n_jobs": n_jobs,
    }
    paper = [method for word, method in METHODS.items() if word not in ON_REQUEST]
    return {method.name: method.build(**options) for method in paper}


def compare_methods(
    methods: Mapping[str, Any],
    splits: Iterable[tuple[FloatArray, FloatArray]],
    *,
    n_lags: int = 1,
    horizon: int = 1,
    n_neighbors: int = 10,
    data: dict[str, Any] | None = None,
    on_progress: Callable[[float, float], None] | None = None,
) -> Comparison:
    """Fit every method on each training part and measure its features of the test part.

    Parameters
    ----------
    methods : dict of estimators
        They are cloned; the given ones stay unfitted.
    splits : iterable of (train, test)
        One pair of matrices per repetition; may be a generator.
    n_lags, horizon, n_neighbors : int
        Of the measure, `predfeat.measures.predictability`.
    data : dict, optional
        A description of the data, kept with the results.
    on_progress : callable, optional
        Called after every fit with the number of fits done and the total, which is infinite for a
        generator.

    Returns
    -------
    Comparison

    Examples
    --------
    >>> from predfeat import SFA, RandomFeatures
    >>> from predfeat.datasets import predictable_noise
    >>> from predfeat.experiments import compare_methods
    >>> X = predictable_noise(200, random_state=0)
    >>> methods = {"SFA": SFA(), "random": RandomFeatures(random_state=0)}
    >>> comparison = compare_methods(methods, [(X[:150], X[150:])])
    >>> [result.method for result in comparison.results]
    ['SFA', 'random']
    """
    results = {name: MethodResult(name, [], []) for name in methods}
    n_done, n_fits = 0, len(methods) * len(splits) if isinstance(splits, Sized) else math.inf
    for train, test in splits:
        for name, method in methods.items():
            model = clone(method)
            started = perf_counter()
            model.fit(train)
            results[name].seconds.append(perf_counter() - started)
            features = model.transform(test)
            results[name].predictability.append(
                predictability(features, n_lags, n_neighbors, horizon=horizon)
            )
            n_done += 1
            if on_progress is not None:
                on_progress(n_done, n_fits)
    return Comparison(list(results.values()), n_lags, n_neighbors, dict(data or {}), horizon)


def compare_on_predictable_noise(
    methods: Mapping[str, Any],
    *,
    n_repetitions: int = 20,
    n_train: int = 700,
    n_test: int = 100,
    n_features: int = 10,
    n_neighbors: int = 10,
    random_state: int = 0,
    on_progress: Callable[[float, float], None] | None = None,
) -> Comparison:
    """Compare methods on the paper's toy data, drawn anew for each repetition.

    A last result, "true dimensions", is that of the two predictable columns themselves, each
    scaled to unit variance on the training part: what a perfect method would score.

    Parameters
    ----------
    methods : dict of estimators
    n_repetitions, n_train, n_test, n_features : int
        Number of repetitions, and size of the data.
    n_neighbors : int
        Of the measure.
    random_state : int
        Seed: repetition i draws its data from (random_state, i).
    on_progress : callable, optional
        As in `compare_methods`.

    Returns
    -------
    Comparison

    Examples
    --------
    >>> from predfeat import GPFA, RandomFeatures
    >>> from predfeat.experiments import compare_on_predictable_noise
    >>> methods = {"GPFA": GPFA(), "random": RandomFeatures(random_state=0)}
    >>> found, random, true = compare_on_predictable_noise(methods, n_repetitions=2).results
    >>> true.mean - 0.1 < found.mean < random.mean - 0.5
    True
    """
    splits = [
        _toy_split(random_state, repetition, n_train, n_test, n_features)
        for repetition in range(n_repetitions)
    ]
    comparison = compare_methods(
        methods,
        splits,
        n_neighbors=n_neighbors,
        data={
            "name": "predictable noise",
            "n_train": n_train,
            "n_test": n_test,
            "n_features": n_features,
            "seed": random_state,
        },
        on_progress=on_progress,
    )
    truth = [
        predictability(
            (test[:, :2] - train[:, :2].mean(axis=0)) / train[:, :2].std(axis=0),
            n_neighbors=n_neighbors,
        )
        for train, test in splits
    ]
    comparison.results.append(MethodResult("true dimensions", truth, [0.0] * n_repetitions))
    return comparison


def _toy_split(
    random_state: int, repetition: int, n_train: int, n_test: int, n_features: int
) -> tuple[FloatArray, FloatArray]:
    entropy = np.random.SeedSequence((random_state, repetition))
    random = np.random.RandomState(np.random.MT19937(entropy))
    train = predictable_noise(n_train, n_features, random_state=random)
    return train, predictable_noise(n_test, n_features, random_state=random)
