"""Methods compared on one recording, from the file's rows to the best method's features."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.base import clone

from predfeat._typing import FloatArray, IntArray
from predfeat.datasets import Recording
from predfeat.exceptions import ConstantColumnsWarning, NoSpectrumError
from predfeat.experiments._comparison import standard_methods
from predfeat.experiments._defaults import choose_methods, choose_n_components, choose_pca
from predfeat.experiments._other_lags import count_states, measure_other_lags, predicted_elsewhere
from predfeat.experiments._outcome import MethodRuns, Protocol, Study
from predfeat.experiments._splits import (
    TRAIN_SHARE,
    Split,
    blocked_splits,
    shortest_piece,
    spread_sequences,
)
from predfeat.features import METHODS, RandomFeatures
from predfeat.measures import predictability
from predfeat.series import Sequences, check_sequences, find_states
from predfeat.whitening import fit_whitening

__all__ = ["compare_on_recording"]

# A share left to chance that is larger by so much is another place, not another sample.
_ASTRAY = 0.05


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
    max_train: int = 5_000,
    max_test: int = 2_500,
    max_fit: int = 10_000,
    random_state: int = 0,
    n_jobs: int | None = None,
    on_progress: Callable[[int, int], None] | None = None,
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
        Names are those of `standard_methods`; by default all of them, but ForeCA only where it
        would not take minutes. On request also "AutoFeatures", which takes as long as all others
        several times.
    n_components : int, optional
        Features. By default 3, but fewer than there are independent directions: features that
        fill the whole space are the same for every method.
    n_lags : int, optional
        Of the methods that know it, and of the measure. By default 1, and the features that the
        best method found are measured with more lags, too: see `Study.other_lags`.
    horizon, n_neighbors : int
        Of the methods that know them, and of the measure.
    pca_components : int, float, None or "auto"
        What to keep before whitening. "auto": everything, but of sounds, videos and tables of
        more than 50 columns 99 % of the variance, at most 100 principal components and at most
        one for every ten rows to learn from.
        Estimators given as `methods` keep their own.
    n_repetitions : int
        Training and test parts to draw; fewer where there are not so many different ones.
    max_train, max_test, max_fit : int
        Rows at most, of a training part, a test part, and the last fit.
    random_state : int
        The seed of the splits and of the methods.
    n_jobs : int, optional
        Threads of the neighbour search; nothing but the time depends on it.
    on_progress : callable, optional
        Called after every fit with the number of fits done and that of all.

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
    values = recording.values
    series = check_sequences(values, recording.groups, name="the recording")
    asked_lags, n_lags = n_lags, 1 if n_lags is None else n_lags
    # The whole must do for what its parts have to: states with a successor, enough of them.
    find_states(series, n_lags, n_neighbors=n_neighbors, horizon=horizon)
    fitted_rows, fitted_groups = spread_sequences(
        series, max_fit, shortest=shortest_piece(n_lags, horizon)
    )
    whole = check_sequences(values[fitted_rows], fitted_groups)
    n_train = min(max_train, int(TRAIN_SHARE * series.valid.sum()))
    pca: int | float | None
    if isinstance(pca_components, str):
        pca = choose_pca(recording, whole, n_train)
    else:
        pca = pca_components
    whitening = fit_whitening(whole, pca, warn=False)
    rank = whitening.rank
    n_components = choose_n_components(rank) if n_components is None else n_components
    whitening.require(n_components)
    standard = standard_methods(
        n_components,
        n_lags=n_lags,
        horizon=horizon,
        n_neighbors=n_neighbors,
        random_state=random_state,
        n_jobs=n_jobs,
    )
    auto = METHODS["auto"]
    on_request = {
        auto.name: auto.build(
            n_components=n_components,
            n_lags=n_lags,
            horizon=horizon,
            n_neighbors=n_neighbors,
            n_jobs=n_jobs,
        )
    }
    chosen, left_out = choose_methods(methods, standard, on_request, pca, n_train, rank)
    n_needed = max(method.n_components for method in chosen.values())
    splits = blocked_splits(
        series,
        n_repetitions,
        n_lags=n_lags,
        horizon=horizon,
        max_train=max_train,
        max_test=max_test,
        seed=random_state,
        usable=lambda split: _is_usable(split, series, n_lags, horizon, n_neighbors, n_needed, pca),
    )
    protocol = Protocol(
        n_components=n_components,
        n_lags=n_lags,
        horizon=horizon,
        n_neighbors=n_neighbors,
        pca_components=pca,
        rank=rank,
        seed=random_state,
        splits=splits,
        max_train=max_train,
        max_test=max_test,
        max_fit=max_fit,
        fitted_rows=fitted_rows,
        fitted_groups=fitted_groups,
    )
    runs = _run(chosen, left_out, values, series, protocol, n_jobs, on_progress)
    study = Study(recording, series, protocol, runs, left_out)
    best = _held_up(study.best, values, protocol, n_jobs)
    measured = {"n_lags": n_lags, "horizon": horizon, "n_neighbors": n_neighbors}
    predicted = [
        predicted_elsewhere(model, split, values, series, **measured)
        for model, split in zip(best.models, splits, strict=True)
    ]
    other_lags = []
    if asked_lags is None:
        other_lags = measure_other_lags(
            best.models, splits, values, series, **measured, predicted=predicted, n_jobs=n_jobs
        )
    return replace(
        study,
        runs=[best if run is study.best else run for run in runs],
        other_lags=other_lags,
        predicted=predicted,
    )


def _held_up(
    best: MethodRuns, values: FloatArray, protocol: Protocol, n_jobs: int | None
) -> MethodRuns:
    """Return the best method with the model of a repetition where the last fit went astray."""
    rows, groups = protocol.fitted_rows, protocol.fitted_groups

    def share(model: Any) -> float:
        return predictability(
            model.transform(values[rows]),
            protocol.n_lags,
            protocol.n_neighbors,
            horizon=protocol.horizon,
            groups=groups,
            relative=True,
            ddof=1,
            n_jobs=n_jobs,
        )

    if share(best.model) <= max(best.test_share) + _ASTRAY:
        return best
    shares = [share(model) for model in best.models]
    repetition = int(np.argmin(shares))
    if shares[repetition] > share(best.model) - _ASTRAY:
        return best
    return replace(best, model=best.models[repetition], repetition=repetition)


def _is_usable(
    split: Split,
    series: Sequences,
    n_lags: int,
    horizon: int,
    n_neighbors: int,
    n_components: int,
    pca_components: int | float | None,
) -> bool:
    """Tell whether both parts have enough states, and the training part enough directions."""
    for rows in (split.train, split.test):
        if count_states(series, rows, n_lags, horizon) <= n_neighbors:
            return False
    train = check_sequences(series.rows[split.train][series.valid[split.train]])
    return fit_whitening(train, pca_components, warn=False).rank >= n_components


def _run(
    methods: Mapping[str, Any],
    left_out: dict[str, str],
    values: FloatArray,
    series: Sequences,
    protocol: Protocol,
    n_jobs: int | None,
    on_progress: Callable[[int, int], None] | None,
) -> list[MethodRuns]:
    """Fit every method on every split, and then on the whole."""
    runs = {name: MethodRuns(name, clone(method)) for name, method in methods.items()}
    n_done, n_fits = 0, len(runs) * (len(protocol.splits) + 1)
    for repetition, split in enumerate([*protocol.splits, None]):
        for name in list(runs):
            run = runs[name]
            try:
                if split is None:
                    run.fit_seconds.append(
                        _fit(run.model, values[protocol.fitted_rows], protocol.fitted_groups)
                    )
                else:
                    model = _reseeded(clone(methods[name]), protocol.seed, repetition)
                    _repeat(run, model, split, values, series.sequence_first, protocol, n_jobs)
            except NoSpectrumError as error:
                left_out[name] = str(error)
                del runs[name]
            n_done += 1
            if on_progress is not None:
                on_progress(n_done, n_fits)
    if not runs:
        raise NoSpectrumError("; ".join(left_out.values()))
    return list(runs.values())


def _repeat(
    run: MethodRuns,
    model: Any,
    split: Split,
    values: FloatArray,
    groups: IntArray,
    protocol: Protocol,
    n_jobs: int | None,
) -> None:
    """Fit on one training part and measure on it and on the test part."""
    run.models.append(model)
    run.seconds.append(_fit(model, values[split.train], groups[split.train]))
    for rows, scores, shares in (
        (split.train, run.train, run.train_share),
        (split.test, run.test, run.test_share),
    ):
        features = model.transform(values[rows])
        measure = partial(
            predictability,
            features,
            protocol.n_lags,
            protocol.n_neighbors,
            horizon=protocol.horizon,
            groups=groups[rows],
            n_jobs=n_jobs,
        )
        scores.append(measure())
        shares.append(measure(relative=True, ddof=1))


def _fit(model: Any, values: FloatArray, groups: IntArray) -> float:
    """Fit a model and return the seconds it took."""
    started = perf_counter()
    with warnings.catch_warnings():
        # Known from the whole recording, and not worth a word in every repetition.
        warnings.simplefilter("ignore", ConstantColumnsWarning)
        model.fit(values, groups=groups)
    return perf_counter() - started


def _reseeded(model: Any, seed: int, repetition: int) -> Any:
    """Give the baseline other features in every repetition: one draw of them is no level."""
    if isinstance(model, RandomFeatures):
        words = np.random.SeedSequence((seed, repetition)).generate_state(1)
        model.set_params(random_state=int(words[0]))
    return model
