"""Every method fitted to every part of a recording, in parallel if that pays."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from predfeat._processes import shared_work
from predfeat._threads import as_in_a_worker
from predfeat._typing import FloatArray
from predfeat.exceptions import ConstantColumnsWarning, ManyColumnsWarning, NoSpectrumError
from predfeat.experiments._outcome import MethodRuns, Protocol
from predfeat.experiments._scores import Measure, Rows, Score
from predfeat.features import GPFA, LinearFeatures, RandomFeatures
from predfeat.series import Sequences, check_matrix, check_sequences
from predfeat.splits import Split, count_states
from predfeat.whitening import Whitening, fit_whitening

__all__ = ["TimedWhitening", "UsableSplits", "run_methods"]


class TimedWhitening(NamedTuple):
    """A whitening, and the seconds it took to fit."""

    whitening: Whitening
    seconds: float

    @classmethod
    def of(cls, rows: Rows, pca_components: int | float | None) -> TimedWhitening:
        """Whiten rows as a fit would, but without a warning about constant columns.

        They are known from the whole recording; a warning in every repetition would be noise.
        """
        started = perf_counter()
        matrix = check_matrix(rows.values, min_rows=2)
        series = check_sequences(matrix, rows.groups)
        with as_in_a_worker():
            whitening = fit_whitening(
                series, pca_components, warn=False, resolution=matrix.resolution
            )
        return cls(whitening, perf_counter() - started)


class UsableSplits:
    """Tells which splits have enough states in both parts, and enough directions to learn from.

    The directions are those of white space. The whitenings computed to count them are kept for the
    fits, as long as together they take no more memory than the recording.
    """

    def __init__(
        self,
        values: FloatArray,
        series: Sequences,
        measure: Measure,
        pca_components: int | float | None,
        n_components: int,
        whole: TimedWhitening,
    ):
        self._values, self._series = values, series
        self._measure, self._pca, self._n_components = measure, pca_components, n_components
        self._kept: list[tuple[Split | None, TimedWhitening]] = [(None, whole)]
        self._room = values.nbytes

    def __call__(self, split: Split) -> bool:
        """Tell whether a split can be used."""
        p, horizon = self._measure.n_lags, self._measure.horizon
        for rows in (split.train, split.test):
            if count_states(self._series, rows, p, horizon) <= self._measure.n_neighbors:
                return False
        train = Rows(self._values[split.train], self._series.sequence_first[split.train])
        timed = TimedWhitening.of(train, self._pca)
        if timed.whitening.rank < self._n_components:
            return False
        n_bytes = timed.whitening.directions.nbytes + timed.whitening.patterns.nbytes
        if n_bytes <= self._room:
            self._room -= n_bytes
            self._kept.append((split, timed))
        return True

    def whitening_of(self, split: Split | None) -> TimedWhitening | None:
        """Return the whitening of a split's training part, or of the whole, if it was kept."""
        return next((timed for of, timed in self._kept if of is split), None)


@dataclass(frozen=True)
class _Part:
    """Rows to learn from, rows to test on (none for the last fit), and the whitening."""

    train: Rows
    test: Rows | None
    pca_components: int | float | None
    whitening: TimedWhitening | None


@dataclass(frozen=True)
class _Fitted:
    """What one method found in one part."""

    model: Any
    seconds: float
    train: Score | None = None
    test: Score | None = None


# By method; the reason if a method found no spectrum.
_Found = dict[str, _Fitted | str]


def run_methods(
    methods: Mapping[str, Any],
    values: FloatArray,
    series: Sequences,
    protocol: Protocol,
    usable: UsableSplits,
    n_jobs: int | None,
    on_progress: Callable[[float, float], None] | None,
) -> tuple[list[MethodRuns], dict[str, str]]:
    """Fit every method on every split and on the whole; return the runs and those left out."""
    pieces = _Pieces(methods, values, series, protocol, usable, n_jobs)
    n_fits, n_done = len(methods) * len(pieces), 0

    def tell(n_more: int = 1) -> None:
        nonlocal n_done
        n_done += n_more
        if on_progress is not None:
            on_progress(n_done, n_fits)

    found: list[_Found] = []
    here = partial(_fit_part, after_fit=tell)
    with shared_work(_fit_part, pieces, pieces.sizes, n_jobs, here=here) as finished:
        for of_part in finished:
            found.append(of_part)
            if n_done < len(methods) * len(found):  # a worker reports no progress while it fits
                tell(len(methods))
    return _gathered(methods, pieces.in_order_of_splits(found))


class _Pieces(Sequence[tuple[Any, ...]]):
    """The arguments of `_fit_part` for every part, created on demand.

    The whole, which takes longest, comes second: so it is not the last task, with all other
    workers idle.
    """

    def __init__(
        self,
        methods: Mapping[str, Any],
        values: FloatArray,
        series: Sequences,
        protocol: Protocol,
        usable: UsableSplits,
        n_jobs: int | None,
    ):
        self._methods, self._values, self._series = methods, values, series
        self._protocol, self._usable, self._n_jobs = protocol, usable, n_jobs
        n_splits = len(protocol.splits)
        self._order: list[int | None] = [0, None, *range(1, n_splits)]
        whole = len(protocol.fitted_rows)
        self.sizes = [
            whole if n is None else len(protocol.splits[n].train) + len(protocol.splits[n].test)
            for n in self._order
        ]

    def __len__(self) -> int:
        return len(self._order)

    def __getitem__(self, number: Any) -> Any:
        repetition = self._order[number]
        methods = {name: clone(method) for name, method in self._methods.items()}
        if repetition is not None:
            methods = {
                name: _reseeded(method, self._protocol.random_state, repetition)
                for name, method in methods.items()
            }
        return methods, self._part(repetition), self._protocol.measure, self._n_jobs

    def _part(self, repetition: int | None) -> _Part:
        protocol, pca = self._protocol, self._protocol.pca_components
        if repetition is None:
            whole = Rows(self._values[protocol.fitted_rows], protocol.fitted_groups)
            return _Part(whole, None, pca, self._usable.whitening_of(None))
        split = protocol.splits[repetition]
        train, test = (
            Rows(self._values[rows], self._series.sequence_first[rows])
            for rows in (split.train, split.test)
        )
        return _Part(train, test, pca, self._usable.whitening_of(split))

    def in_order_of_splits(self, found: Sequence[_Found]) -> list[_Found]:
        """Return the results of the splits, followed by that of the whole."""
        return [found[0], *found[2:], found[1]]


def _gathered(
    methods: Mapping[str, Any], found: Sequence[_Found]
) -> tuple[list[MethodRuns], dict[str, str]]:
    runs: list[MethodRuns] = []
    left_out: dict[str, str] = {}
    for name in methods:
        of_method = [of_part[name] for of_part in found]
        reason = next((fitted for fitted in of_method if isinstance(fitted, str)), None)
        if reason is not None:
            left_out[name] = reason
            continue
        *repeated, whole = [fitted for fitted in of_method if isinstance(fitted, _Fitted)]
        train = [fitted.train for fitted in repeated if fitted.train is not None]
        test = [fitted.test for fitted in repeated if fitted.test is not None]
        runs.append(
            MethodRuns(
                name,
                whole.model,
                test=[score.predictability for score in test],
                train=[score.predictability for score in train],
                test_share=[score.share for score in test],
                train_share=[score.share for score in train],
                seconds=[fitted.seconds for fitted in repeated],
                fit_seconds=[whole.seconds],
                models=[fitted.model for fitted in repeated],
            )
        )
    if not runs:
        raise NoSpectrumError("; ".join(left_out.values()))
    return runs, left_out


def _fit_part(
    methods: Mapping[str, Any],
    part: _Part,
    measure: Measure,
    n_jobs: int | None,
    after_fit: Callable[[], None] | None = None,
) -> _Found:
    """Fit every method to one part, and measure its features there and in the test part."""
    fits = _Fits(part)
    found: _Found = {}
    for name, model in methods.items():
        try:
            seconds = fits.fit(model)
        except NoSpectrumError as error:
            found[name] = str(error)
        else:
            scores = [
                measure.score(rows.features(model), n_jobs)
                for rows in (part.train, part.test)
                if part.test is not None and rows is not None
            ]
            found[name] = _Fitted(model, seconds, *scores)
        if after_fit is not None:
            after_fit()
    return found


class _Fits:
    """Fits to the same rows, which are whitened once for all methods."""

    def __init__(self, part: _Part):
        self._rows = part.train
        self._series = check_sequences(*part.train)
        self._series.times(ahead=1)  # a series without two samples in a row has no dynamics
        self._white: dict[Any, tuple[TimedWhitening, Sequences]] = {}
        if part.whitening is not None:
            self._keep(part.pca_components, part.whitening)

    def fit(self, model: Any) -> float:
        """Fit a model; return the seconds it would have taken alone, with its own whitening."""
        if type(model).fit not in (LinearFeatures.fit, GPFA.fit):  # it may do more than ours do
            started = perf_counter()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConstantColumnsWarning)
                warnings.simplefilter("ignore", ManyColumnsWarning)  # the test parts will tell
                model.fit(self._rows.values, groups=self._rows.groups)
            return perf_counter() - started
        model.check_parameters()
        if model.pca_components not in self._white:
            self._keep(model.pca_components, TimedWhitening.of(self._rows, model.pca_components))
        timed, white = self._white[model.pca_components]
        started = perf_counter()
        known = {"series": self._series} if isinstance(model, GPFA) else {}
        model.fit_white(white, timed.whitening, **known)
        return timed.seconds + perf_counter() - started

    def _keep(self, pca_components: Any, timed: TimedWhitening) -> None:
        started = perf_counter()
        white = timed.whitening.apply(self._series)
        seconds = timed.seconds + perf_counter() - started
        self._white[pca_components] = TimedWhitening(timed.whitening, seconds), white


def _reseeded(model: Any, random_state: int, repetition: int) -> Any:
    """Give the baseline different features in every repetition: one draw is no reference."""
    if isinstance(model, RandomFeatures):
        words = np.random.SeedSequence((random_state, repetition)).generate_state(1)
        model.set_params(random_state=int(words[0]))
    return model
