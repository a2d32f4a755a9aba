"""Do the results generalise: are the features of another half the same, and as predictable?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from predfeat._processes import shared_work
from predfeat._typing import FloatArray
from predfeat.exceptions import DataError, EmptyColumnError
from predfeat.features import LinearFeatures, RandomFeatures
from predfeat.measures import available_neighbors, left_open, subspace_angles
from predfeat.selection.diagnosis._findings import Finding, by_degree
from predfeat.selection.diagnosis._subject import (
    Subject,
    refitted,
)
from predfeat.series import Sequences
from predfeat.splits import block_halves, take

__all__ = ["N_FITS", "check_halves", "turned_share"]

# Each split gives two halves that share no row.
_SPLITS = 2
N_FITS = 2 * _SPLITS

# How far the halves' spaces are turned from each other, 0 for the same and 1 for two at random.
# The fit to all the data is about half as far from the truth (a quarter in squares) as two halves
# are from each other.
_TURNED_WARNING, _TURNED_PROBLEM = 0.2, 0.5
# Share of the predictability (variance not left open) that is lost on other data.
_LOST_WARNING, _LOST_PROBLEM = 0.2, 0.5
# With more than this share of variance left open on other data, nothing was found.
_MAX_LEFT_OPEN = 0.95


def turned_share(angles: FloatArray, dimension: int) -> float:
    """Return how far two spaces are turned: 0 for the same, about 1 for two drawn at random.

    That is the mean of sin² of the principal angles, divided by its expectation 1 - M/N for
    random M-dimensional spaces in N dimensions.

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.selection.diagnosis._halves import turned_share
    >>> round(turned_share(np.array([90.0, 0.0]), dimension=4), 6)
    1.0
    """
    if len(angles) >= dimension:
        return 0.0
    return float(np.mean(np.sin(np.radians(angles)) ** 2) / (1.0 - len(angles) / dimension))


def check_halves(subject: Subject) -> Iterator[Finding]:
    """Fit halves of the data; compare the features, and their predictability elsewhere.

    Elsewhere is the other half, or the test data if given.
    """
    if isinstance(subject.model, RandomFeatures):  # which learns nothing
        return
    turned: list[FloatArray] = []
    scores: list[tuple[float, float]] = []
    try:
        halves = _deal_halves(subject)
        fitted = _fit_all(subject, halves)
        for n in range(0, len(halves), 2):
            parts, models = halves[n : n + 2], fitted[n : n + 2]
            turned.append(_angles(subject, models))
            if subject.test is None:
                scores += [_scores(subject, models[i], parts[i], parts[1 - i]) for i in (0, 1)]
    except DataError as error:
        yield _cannot(subject, error)
    else:
        yield from _unstable(subject, np.array(turned))
        if subject.test is None:
            yield from _overfitted(subject, np.array(scores))
    if subject.test is not None:
        yield from _on_test_data(subject, subject.test)


def _on_test_data(subject: Subject, test: Sequences) -> Iterator[Finding]:
    """Compare with the test data, if it has as many neighbours as the training data."""
    needed = _measuring_neighbors(subject, subject.series)
    if needed == 0:  # the training data is too short, whatever the test data
        return
    try:
        left = _neighbors_of_both(subject, *_same_size(subject.series, test))
    except EmptyColumnError:  # nothing but gaps in the middle
        left = 0
    if left < needed:
        yield _short_test_data(subject, min(subject.series.n_rows, test.n_rows), left, needed)
        return
    score = _scores(subject, subject.model, subject.series, test)
    yield from _overfitted(subject, np.array([score]))


def _deal_halves(subject: Subject) -> list[Sequences]:
    """Return the halves of all splits, the two of a split next to each other."""
    random = np.random.default_rng(subject.seed)
    return [
        half
        for _ in range(_SPLITS)
        for half in block_halves(
            subject.series, subject.n_lags, horizon=subject.horizon, random_state=random
        ).parts(subject.series)
    ]


def _fit_all(subject: Subject, parts: list[Sequences]) -> list[LinearFeatures]:
    """Fit the method to every part, side by side where that pays."""
    changes: dict[str, Any] = {}
    if subject.has("verbose"):
        changes["verbose"] = 0
    if subject.has("n_jobs"):
        changes["n_jobs"] = subject.n_jobs
    models = []
    pieces = [(subject.model, part, subject.resolution, changes) for part in parts]
    sizes = [part.n_rows for part in parts]
    with shared_work(_refit, pieces, sizes, subject.n_jobs) as finished:
        for model in finished:
            subject.after_fit()
            models.append(model)
    return models


def _refit(
    model: LinearFeatures, part: Sequences, resolution: float, changes: dict[str, Any]
) -> LinearFeatures:
    return refitted(model, part, resolution, **changes)


def _angles(subject: Subject, models: list[LinearFeatures]) -> FloatArray:
    """Return the angles between the features on all the data."""
    return subspace_angles(models[0].components_.T, models[1].components_.T, subject.series.samples)


def _scores(
    subject: Subject, model: LinearFeatures, train: Sequences, test: Sequences
) -> tuple[float, float]:
    """Return the mean share left open, on training and on other data of the same size.

    With more states, neighbours are nearer and less is left open: the sizes and the numbers of
    neighbours must be equal.
    """
    parts = _same_size(train, test)
    n_neighbors = _neighbors_of_both(subject, *parts)
    shares = [
        left_open(
            model.transform_series(part),
            subject.n_lags,
            max(1, n_neighbors),  # if there are none, the search for one raises the error
            horizon=subject.horizon,
            theiler=subject.theiler,
            n_jobs=subject.n_jobs,
        ).shares()
        for part in parts
    ]
    return float(shares[0].mean()), float(shares[1].mean())


def _neighbors_of_both(subject: Subject, one: Sequences, other: Sequences) -> int:
    return min(_measuring_neighbors(subject, of) for of in (one, other))


def _measuring_neighbors(subject: Subject, series: Sequences) -> int:
    return available_neighbors(
        series, subject.n_lags, horizon=subject.horizon, theiler=subject.theiler
    )


def _same_size(one: Sequences, other: Sequences) -> tuple[Sequences, Sequences]:
    n_rows = min(one.n_rows, other.n_rows)
    return _middle(one, n_rows), _middle(other, n_rows)


def _middle(series: Sequences, n_rows: int) -> Sequences:
    start = (series.n_rows - n_rows) // 2
    return series if n_rows == series.n_rows else take(series, slice(start, start + n_rows))


def _cannot(subject: Subject, error: DataError) -> Finding:
    return Finding(
        "cannot-split",
        "problem",
        f"The method cannot be fitted to half of the data, or measured there: {error}",
        "It is unknown whether the features hold on other data; with so few samples that is "
        "doubtful.",
        "Use more data, or ask for less: `pca_components`, "
        + ("`n_lags`, " if subject.has("n_lags") else "")
        + ("`n_neighbors`, " if subject.has("n_neighbors") else "")
        + "`n_components`.",
        {"n_samples": int(subject.series.valid.sum())},
    )


def _short_test_data(subject: Subject, n_rows: int, left: int, needed: int) -> Finding:
    p, theiler = subject.n_lags, subject.theiler
    less = [f"fewer lags (`n_lags`, now {p})"] * (p > 1)
    less += [f"a narrower window (`theiler`, now {theiler})"] * (theiler > 0)
    return Finding(
        "short-test-data",
        "warning",
        f"Of the test data {n_rows} rows can be compared with as many of the training data. There "
        f"some state has {f'only {left}' if left else 'none'} of the {needed} neighbours that "
        "measuring needs.",
        "It is unknown whether the features are as predictable on the test data.",
        "Give more test data, or no X_test: halves of X are held out then."
        + (f" Fitted with {' or '.join(less)}, the model needs less." if less else ""),
        {"n_rows": n_rows, "n_neighbors": left, "n_needed": needed},
    )


def _unstable(subject: Subject, angles: FloatArray) -> Iterator[Finding]:
    rank = subject.model.rank_
    turned = float(np.mean([turned_share(of, rank) for of in angles]))
    severity = by_degree(turned, _TURNED_WARNING, _TURNED_PROBLEM)
    if severity is None:
        return
    largest, mean = float(angles.max(axis=1).mean()), float(angles.mean())
    steadier = ", or average over more neighbours (`n_neighbors`)" if subject.searches else ""
    yield Finding(
        "unstable",
        severity,
        f"Features found in two halves of the data are {mean:.0f} degrees apart on average, "
        f"{largest:.0f} for the worst: {turned:.0%} of what two random choices would be.",
        "Another recording of the same length would give other features; do not interpret their "
        "loadings.",
        f"Use more data, another number of features (`n_components`, now {subject.n_components}), "
        f"fewer dimensions (`pca_components`; now {rank}){steadier}.",
        {"turned": turned, "mean_angle": mean, "largest_angle": largest},
    )


def _overfitted(subject: Subject, scores: FloatArray) -> Iterator[Finding]:
    train, test = scores.mean(axis=0).tolist()
    where = "the test data" if subject.test is not None else "the other half of the data"
    values = {"train": train, "test": test, "lost": 0.0}
    if train < 1.0:
        values["lost"] = lost = (test - train) / (1.0 - train)
        severity = by_degree(lost, _LOST_WARNING, _LOST_PROBLEM)
        if severity is not None and 1.0 - train > 1.0 - _MAX_LEFT_OPEN:
            larger = (
                f", or a larger `n_neighbors` (now {subject.n_neighbors})"
                if subject.searches
                else ""
            )
            yield Finding(
                "overfitting",
                severity,
                f"On the training data the features leave {train:.0%} of their variance open, on "
                f"{where} {test:.0%}: {min(lost, 1.0):.0%} of the predictability is lost.",
                "Part of what was found is due to chance in the training data.",
                f"Use fewer dimensions (`pca_components`; now {subject.model.rank_}), fewer "
                f"features (`n_components`, now {subject.n_components}) or more data{larger}.",
                values,
            )
    if test > _MAX_LEFT_OPEN:
        lags = (
            f" Other lags (`n_lags`, now {subject.n_lags}) may show it,"
            if subject.has("n_lags")
            else " GPFA or PFA with more lags may show it,"
        )
        yield Finding(
            "unpredictable",
            "warning",
            f"On {where} the features leave {test:.0%} of their variance open (noise: 100%).",
            "The features are no more predictable than noise.",
            f"There may be nothing to find in these data.{lags} or fewer features "
            f"(`n_components`, now {subject.n_components}).",
            values,
        )
