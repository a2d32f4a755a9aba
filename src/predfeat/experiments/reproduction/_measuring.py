"""One fit and the measurements of its features: what a worker process does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from time import process_time

from predfeat._typing import FloatArray
from predfeat.datasets import predictable_noise
from predfeat.experiments.reproduction._ledger import Measured, Result
from predfeat.experiments.reproduction._methods import TRUTH, estimator_of
from predfeat.experiments.reproduction._sources import Part, Source
from predfeat.experiments.reproduction._specification import DataPoint, Fit
from predfeat.features import GPFA
from predfeat.measures import left_open
from predfeat.series import check_sequences
from predfeat.whitening import fit_whitening

__all__ = ["measure_fit"]


@dataclass(frozen=True)
class _WhiteParts:
    train: Part
    test: Part


# The last parts used: tasks come ordered by repetition, so that the next one mostly needs the
# same, and one pair bounds the memory.
_kept: dict[Fit, _WhiteParts] = {}


def measure_fit(source: Source, fit: Fit, points: Sequence[DataPoint]) -> list[Result]:
    """Fit a method once, and measure its features at every point.

    Parameters
    ----------
    source : Source
    fit : Fit
    points : list of DataPoint
        All of this fit.

    Returns
    -------
    list of Result
    """
    if fit.method == TRUTH:
        parts, seconds = _true_dimensions(source, fit), 0.0
    else:
        parts, seconds = _features(source, fit)
    return [Result(point, _measure(parts[point.part], point), seconds) for point in points]


def _features(source: Source, fit: Fit) -> tuple[dict[str, Part], float]:
    _warm_up()
    white = _white_parts(source, fit)
    model = estimator_of(fit)
    started = process_time()  # one thread: the time a quiet machine would take, on any
    model.fit(white.train.rows, groups=white.train.groups)
    seconds = process_time() - started
    return {
        "train": Part(model.transform(white.train.rows), white.train.groups),
        "test": Part(model.transform(white.test.rows), white.test.groups),
    }, seconds


@cache
def _warm_up() -> None:
    """Load the compiled search of neighbours, once in a process: it belongs to no fit's time."""
    GPFA(max_iter=2).fit(predictable_noise(200, random_state=0))


def _white_parts(source: Source, fit: Fit) -> _WhiteParts:
    """Return both parts in the white space of the training part."""
    same = replace(fit, method="", settings=())
    if same not in _kept:
        _kept.clear()
        train, test = source.parts(fit)
        whitening = fit_whitening(
            check_sequences(train.rows, train.groups), fit.pca_components, warn=False
        )
        _kept[same] = _WhiteParts(
            *(
                Part((part.rows - whitening.mean) @ whitening.directions, part.groups)
                for part in (train, test)
            )
        )
    return _kept[same]


def _true_dimensions(source: Source, fit: Fit) -> dict[str, Part]:
    """Return the two predictable columns themselves, scaled as whitening would."""
    train, test = source.parts(fit)
    known = train.rows[:, :2]
    centre, spread = known.mean(axis=0), known.std(axis=0)
    return {
        "train": Part((known - centre) / spread, train.groups),
        "test": Part((test.rows[:, :2] - centre) / spread, test.groups),
    }


def _measure(features: Part, point: DataPoint) -> Measured:
    rows: FloatArray = features.rows[:, : point.n_components]
    found = left_open(rows, point.n_lags, point.n_neighbors, groups=features.groups)
    return Measured(found.total(), found.share(ddof=0))
