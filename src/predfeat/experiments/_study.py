"""Methods compared on one recording, from the file's rows to the best method's features."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from predfeat._method_names import ON_REQUEST, understood_word
from predfeat._threads import as_in_a_worker
from predfeat._typing import FloatArray, IntArray
from predfeat.datasets import Recording
from predfeat.experiments._ahead import measure_ahead
from predfeat.experiments._comparison import standard_methods
from predfeat.experiments._defaults import choose_methods, choose_n_components, choose_pca
from predfeat.experiments._other_lags import (
    feature_parts,
    measure_other_lags,
    predicted_elsewhere,
)
from predfeat.experiments._outcome import Limits, MethodRuns, Protocol, Study
from predfeat.experiments._repetitions import TimedWhitening, UsableSplits, run_methods
from predfeat.experiments._scores import Measure, Rows
from predfeat.features import METHODS, find_method, linear_method
from predfeat.series import Sequences, check_sequences, find_states
from predfeat.splits import TRAIN_SHARE, blocked_splits, shortest_piece, spread_sequences, take

__all__ = ["compare_on_recording"]

# How much more the last fit may leave to chance than the worst test: a larger excess is not due to
# the sample, but to a search that ended in a worse optimum.
_LARGEST_EXCESS = 0.05


def compare_on_recording(
    recording: Recording,
    methods: Mapping[str, Any] | Sequence[str] | None = None,
    *,
    n_components: int | None = None,
    n_lags: int | None = None,
    horizon: int = 1,
    n_neighbors: int = 10,
    pca_components: int | float | str | None = "auto",
    n_repetitions: int = 10,
    limits: Limits | None = None,
    random_state: int = 0,
    n_jobs: int | None = None,
    on_progress: Callable[[float, float], None] | None = None,
) -> Study:
    """Compare methods on one recording, and fit each of them to the whole.

    In every repetition the methods learn from one part of the recording, and the predictability
    of their features is measured on another part (see `blocked_splits`). In the end each is
    fitted once more on all rows, or on `max_fit` rows spread evenly over a longer recording;
    where that fit of the best method leaves more to chance than any of its tests did, the best
    of its models so far is kept instead.

    Parameters
    ----------
    recording : Recording
    methods : dict of estimators, or list of names, optional
        Names are those of `standard_methods`; by default all of them, but ForeCA only if it
        would not take minutes. "DCA" and "AutoFeatures" can be requested by name; the latter
        takes several times as long as all others together. So can methods on an expanded series,
        such as "GPFA (2) + quadratic": these see as many principal components as leave ten rows for
        each expanded direction.
    n_components : int, optional
        Features. By default 3, but fewer than there are independent directions: features that
        fill the whole space are the same for every method.
    n_lags : int, optional
        Of the methods that have it, and of the measure. By default 1, and the features of the best
        method are also measured with more lags: see `Study.other_lags`.
    horizon, n_neighbors : int
        Of the methods that have them, and of the measure.
    pca_components : int, float, None or "auto"
        What to keep before whitening. "auto": everything, but for sounds, videos and tables of
        more than 50 columns 99 % of the variance, at most 100 principal components and at most
        one for every ten rows to learn from.
        Estimators given as `methods` keep their own.
    n_repetitions : int
        Training and test parts to draw; fewer if there are not that many different ones.
    limits : Limits, optional
        The most rows of a training part, a test part, and the last fit.
    random_state : int
        Seed of the splits and of the methods.
    n_jobs : int, optional
        Processes for the repetitions, if there is enough work for them, and threads of the
        neighbour search. Only the time depends on it.
    on_progress : callable, optional
        Called with the number of fits done and that of all: after every fit, or after every
        repetition that another process has done.

    Returns
    -------
    Study

    Examples
    --------
    >>> from predfeat.datasets import Recording, hidden_lorenz
    >>> from predfeat.experiments import compare_on_recording
    >>> X, _ = hidden_lorenz(1000, random_state=0)
    >>> names = tuple(f"channel {i}" for i in range(10))
    >>> recording = Recording(X, names, "lorenz")
    >>> study = compare_on_recording(recording, ["random", "GPFA (2)"], n_repetitions=3)
    >>> study.best.method
    'GPFA (2)'
    >>> study.features.shape
    (1000, 3)
    """
    measure = Measure(1 if n_lags is None else n_lags, horizon, n_neighbors)
    with as_in_a_worker():
        whole = _Whole.of(recording, measure, pca_components, limits or Limits())
    n_components = choose_n_components(whole.rank) if n_components is None else n_components
    whole.timed.whitening.require(n_components)
    chosen, left_out = choose_methods(
        methods,
        *_known_methods(methods, n_components, measure, random_state, n_jobs),
        whole.pca_components,
        whole.n_train,
        whole.rank,
    )
    n_needed = max(linear_method(method).n_components for method in chosen.values())
    usable = UsableSplits(
        recording.values, whole.series, measure, whole.pca_components, n_needed, whole.timed
    )
    protocol = _protocol(whole, measure, n_components, n_repetitions, random_state, usable)
    runs, failed = run_methods(
        chosen, recording.values, whole.series, protocol, usable, n_jobs, on_progress
    )
    study = Study(recording, whole.series, protocol, runs, {**left_out, **failed})
    return _judged(study, other_lags=n_lags is None, n_jobs=n_jobs)


@dataclass(frozen=True)
class _Whole:
    """The recording before it is split: its rows of the last fit, and their whitening."""

    series: Sequences
    rows: IntArray
    groups: IntArray
    n_train: int
    limits: Limits
    pca_components: int | float | None
    timed: TimedWhitening

    @property
    def rank(self) -> int:
        """Dimensions of white space."""
        return self.timed.whitening.rank

    @classmethod
    def of(
        cls,
        recording: Recording,
        measure: Measure,
        pca_components: int | float | str | None,
        limits: Limits,
    ) -> _Whole:
        series = check_sequences(recording.values, recording.groups, name="the recording")
        # The whole must have what its parts need: enough states with a successor.
        n_lags, horizon = measure.n_lags, measure.horizon
        find_states(series, n_lags, n_neighbors=measure.n_neighbors, horizon=horizon)
        rows, groups = spread_sequences(
            series, limits.max_fit, shortest=shortest_piece(n_lags, horizon)
        )
        fitted = Rows(recording.values[rows], groups)
        n_train = min(limits.max_train, int(TRAIN_SHARE * series.valid.sum()))
        pca: int | float | None
        if isinstance(pca_components, str):
            pca = choose_pca(recording, take(series, rows, pieces=groups), n_train)
        else:
            pca = pca_components
        timed = TimedWhitening.of(fitted, pca)
        return cls(series, rows, groups, n_train, limits, pca, timed)


def _protocol(
    whole: _Whole,
    measure: Measure,
    n_components: int,
    n_repetitions: int,
    random_state: int,
    usable: UsableSplits,
) -> Protocol:
    limits = whole.limits
    splits = blocked_splits(
        whole.series,
        n_repetitions,
        n_lags=measure.n_lags,
        horizon=measure.horizon,
        max_train=limits.max_train,
        max_test=limits.max_test,
        random_state=random_state,
        usable=usable,
    )
    return Protocol(
        n_components=n_components,
        n_lags=measure.n_lags,
        horizon=measure.horizon,
        n_neighbors=measure.n_neighbors,
        pca_components=whole.pca_components,
        rank=whole.rank,
        random_state=random_state,
        splits=splits,
        max_train=limits.max_train,
        max_test=limits.max_test,
        max_fit=limits.max_fit,
        fitted_rows=whole.rows,
        fitted_groups=whole.groups,
    )


def _known_methods(
    wanted: Mapping[str, Any] | Sequence[str] | None,
    n_components: int,
    measure: Measure,
    random_state: int,
    n_jobs: int | None,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the methods that are run by default, and those on request.

    Methods on an expanded series are many, so that only those are built that are wanted.
    """
    same: dict[str, Any] = {
        "n_lags": measure.n_lags,
        "horizon": measure.horizon,
        "n_neighbors": measure.n_neighbors,
        "n_jobs": n_jobs,
    }
    standard = standard_methods(n_components, **same, random_state=random_state)
    others = [METHODS[word] for word in ON_REQUEST]
    others += [find_method(name) for name in wanted or () if "+" in name and understood_word(name)]
    same |= {"n_components": n_components, "random_state": random_state}
    return standard, {other.name: other.build(**same) for other in others}


def _judged(study: Study, *, other_lags: bool, n_jobs: int | None) -> Study:
    """Add the further measurements of the best method's features."""
    protocol, values = study.protocol, study.recording.values
    best = _with_reliable_model(study.best, values, protocol, n_jobs)
    parts = feature_parts(best.models, protocol.splits, values, study.series)
    predicted = [predicted_elsewhere(part, protocol.measure) for part in parts]
    others = []
    if other_lags:
        others = measure_other_lags(
            parts,
            protocol.splits,
            study.series,
            protocol.measure,
            predicted=predicted,
            n_jobs=n_jobs,
        )
    runs = [best if run is study.best else run for run in study.runs]
    ahead = measure_ahead(parts, protocol.measure, n_jobs=n_jobs)
    return replace(study, runs=runs, other_lags=others, predicted=predicted, ahead=ahead)


def _with_reliable_model(
    best: MethodRuns, values: FloatArray, protocol: Protocol, n_jobs: int | None
) -> MethodRuns:
    """Return the best method, with the model of a repetition if the last fit is much worse."""
    fitted = Rows(values[protocol.fitted_rows], protocol.fitted_groups)

    def share(model: Any) -> float:
        return protocol.measure.share(fitted.features(model), n_jobs)

    of_last_fit = share(best.model)
    if of_last_fit <= max(best.test_share) + _LARGEST_EXCESS:
        return best
    shares = [share(model) for model in best.models]
    repetition = int(np.argmin(shares))
    if shares[repetition] > of_last_fit - _LARGEST_EXCESS:
        return best
    return replace(best, model=best.models[repetition], repetition=repetition)
