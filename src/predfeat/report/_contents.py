"""A study as plain numbers, lists and text: exactly what the page shows."""

from __future__ import annotations

import platform
from importlib import metadata
from typing import Any

import numpy as np

import predfeat
from predfeat._typing import FloatArray, IntArray
from predfeat.experiments import MethodRuns, Study, paired_test
from predfeat.features import linear_method
from predfeat.measures import subspace_angles
from predfeat.report._feature_contents import (
    features_contents,
    loadings_contents,
    spectra_contents,
)
from predfeat.report._loadings import (
    correlations,
    relative,
    responses,
)
from predfeat.report._quality import describe_data
from predfeat.report._schema import LOWEST_SKILL
from predfeat.report._sentence import about_as_good, doubt, sentence, verdict
from predfeat.report._traces import plain
from predfeat.selection import Diagnosis, Significance

__all__ = ["SCHEMA", "results_of", "with_findings"]

SCHEMA = 1

_NO_INFLUENCE = {"n_jobs", "verbose"}  # parameters that do not change the result
_LIBRARIES = ("numpy", "scipy", "scikit-learn", "numba")
_EIGENVALUES = {
    "SFA": "mean squared step (slowness)",
    "PFA": "error of linear prediction",
    "GPFA": "eigenvalue λ of the graph",
    "LPP": "eigenvalue λ of the graph",
    "ForeCA": "forecastability Ω (higher is better)",
    "DCA": "information of the first features together, in nats (higher is better)",
    "DescentFeatures": "share left open between similar states",
}


def results_of(
    study: Study,
    command: str | None = None,
    *,
    significance: Significance | None = None,
    tested_rows: int = 0,
    diagnosis: Diagnosis | None = None,
) -> dict[str, Any]:
    """Return a study's results as plain dicts, lists, numbers and text, ready for JSON.

    Everything but the run times (keys `seconds` and `fit_seconds`) depends on the recording, the
    options and the seed alone. What each key means is in docs/results-format.md.

    Parameters
    ----------
    study : Study
    command : str, optional
        The exact command that gave these results, to be shown.
    significance : Significance, optional
        A test of the best method's features.
    tested_rows : int, optional
        The number of rows tested.
    diagnosis : Diagnosis, optional
        Of the best method's model, on the rows it learned from.

    Returns
    -------
    dict

    Examples
    --------
    >>> from predfeat.datasets import Recording, hidden_lorenz
    >>> from predfeat.experiments import compare_on_recording
    >>> from predfeat.report import results_of
    >>> X, _ = hidden_lorenz(600, random_state=0)
    >>> recording = Recording(X, tuple(f"channel {i}" for i in range(10)), "lorenz")
    >>> study = compare_on_recording(recording, ["random", "SFA"], n_repetitions=6)
    >>> results = results_of(study)
    >>> [method["name"] for method in results["methods"]]
    ['random', 'SFA']
    >>> results["sentence"]
    'The 3 most predictable features, found by SFA, leave ... % of their variance to chance; ...'
    """
    best = study.best
    features = study.features
    fitted = study.protocol.fitted_rows
    signals = {
        run.method: _without_gaps(run.model.transform(study.recording.values[fitted]))
        for run in study.runs
    }
    fitted_samples = _without_gaps(study.recording.values[fitted])
    found = responses(study)
    if found is None:
        loadings = shares = correlations(fitted_samples, signals[best.method])
    else:
        loadings, shares = found.responses, relative(found.responses)
    results = {
        "schema": SCHEMA,
        **_headline(study),
        "data": describe_data(study.recording, study.series, study.protocol.rank),
        "protocol": _protocol(study),
        "methods": [_method(run, best) for run in study.runs],
        "left_out": [{"name": n, "reason": reason} for n, reason in study.left_out.items()],
        "features": features_contents(study, features, shares),
        "spectra": spectra_contents(study, features),
        "loadings": loadings_contents(study, loadings, features, found),
        "angles": _angles(signals),
        "eigenvalues": [shown for run in study.runs if (shown := _eigenvalues(run))],
        # Of the methods whose features turn until they settle.
        "history": [
            _history(run) for run in study.runs if "angle" in getattr(run.model, "history_", ())
        ],
        "versions": _versions(),
        "seed": study.protocol.random_state,
        "command": command,
        "ahead": _ahead(study),
        "significance": None,
        "diagnosis": None,
    }
    return with_findings(
        results, study, significance=significance, tested_rows=tested_rows, diagnosis=diagnosis
    )


def with_findings(
    results: dict[str, Any],
    study: Study,
    *,
    significance: Significance | None = None,
    tested_rows: int = 0,
    diagnosis: Diagnosis | None = None,
) -> dict[str, Any]:
    """Return results with later findings added; everything else is unchanged.

    Parameters
    ----------
    results : dict
        From `results_of`, for the same study.
    study : Study
    significance, tested_rows, diagnosis : optional
        As in `results_of`. What is not given stays unchanged.

    Returns
    -------
    dict

    Examples
    --------
    >>> from predfeat.datasets import Recording, hidden_lorenz
    >>> from predfeat.experiments import compare_on_recording
    >>> from predfeat.report import results_of, with_findings
    >>> from predfeat.selection import diagnose
    >>> X, _ = hidden_lorenz(600, random_state=0)
    >>> recording = Recording(X, tuple(f"channel {i}" for i in range(10)), "lorenz")
    >>> study = compare_on_recording(recording, ["random", "SFA"], n_repetitions=2)
    >>> results = results_of(study)
    >>> rows, groups = study.learned_from
    >>> found = diagnose(study.model, X[rows], groups=groups)
    >>> with_findings(results, study, diagnosis=found) == results_of(study, diagnosis=found)
    True
    """
    found: dict[str, Any] = {}
    if significance is not None:
        found["significance"] = _tested(significance, tested_rows)
    if diagnosis is not None:
        found["diagnosis"] = _diagnosed(diagnosis, study)
    return {**results, **found}


def _tested(significance: Significance, n_rows: int) -> dict[str, Any]:
    found = significance.as_dict()
    return {
        **{key: found[key] for key in ("kind", "question", "keeps", "method", "alpha")},
        "n_rows": n_rows,
        "n_significant": found["n_significant"],
        "p_values": plain(found["p_values"]),
        "statistics": plain(found["statistics"]),
        "surrogate_best": plain(significance.surrogate_statistics.min(axis=1)),
    }


def _diagnosed(diagnosis: Diagnosis, study: Study) -> dict[str, Any]:
    rows, _ = study.learned_from
    return {
        "method": study.best.method,
        "n_rows": len(rows),
        "findings": [
            {
                **finding,
                "values": {
                    name: value if isinstance(value, int) else plain(value)
                    for name, value in finding["values"].items()
                },
            }
            for finding in diagnosis.as_dict()["findings"]
        ],
    }


def _without_gaps(features: FloatArray) -> FloatArray:
    samples = features[~np.isnan(features).any(axis=1)]
    centred: FloatArray = samples - samples.mean(axis=0)
    return centred


def _headline(study: Study) -> dict[str, Any]:
    best = study.best
    share = float(np.mean(best.test_share))
    randoms = [run for run in study.runs if run.method == "random"]
    random_share = float(np.mean(randoms[0].test_share)) if randoms else None
    against = None
    if randoms and randoms[0] is not best:
        against = paired_test(randoms[0].test_share, best.test_share)
    n_components = linear_method(best.model).n_components
    samples = study.series.samples
    varying = int(np.sum(samples.max(axis=0) > samples.min(axis=0)))
    kind = verdict(
        share, random_share, against, nothing_to_choose=n_components == study.protocol.rank
    )
    return {
        "sentence": sentence(
            kind,
            best.method,
            n_components,
            share,
            random_share,
            horizon=study.protocol.horizon,
            n_columns=varying,
        )
        + doubt(share, float(np.mean(study.predicted))),
        "verdict": kind,
        "as_good": [
            run.method
            for run in study.runs
            if run is not best
            and about_as_good(
                paired_test(run.test_share, best.test_share),
                float(np.mean(run.test_share)) - share,
            )
        ],
    }


def _protocol(study: Study) -> dict[str, Any]:
    protocol = study.protocol
    splits = protocol.splits
    return {
        "kind": splits[0].kind,
        "n_repetitions": len(splits),
        "train_rows": [len(split.train) for split in splits],
        "test_rows": [len(split.test) for split in splits],
        "fitted_rows": len(protocol.fitted_rows),
        "max_train": protocol.max_train,
        "max_test": protocol.max_test,
        "max_fit": protocol.max_fit,
        "n_components": protocol.n_components,
        "n_lags": protocol.n_lags,
        "horizon": protocol.horizon,
        "n_neighbors": protocol.n_neighbors,
        "pca_components": protocol.pca_components,
        "is_cut": any(split.is_cut for split in splits),
        "train_sequences": [_count_sequences(study, split.train) for split in splits],
        "test_sequences": [_count_sequences(study, split.test) for split in splits],
        "predicted_share": plain(study.predicted),
        "other_lags": [
            {
                "n_lags": other.n_lags,
                "train_share": plain(other.train_share),
                "test_share": plain(other.test_share),
                "predicted_gain": plain(other.predicted_gain),
            }
            for other in study.other_lags
        ],
    }


def _ahead(study: Study) -> dict[str, Any] | None:
    """Return the skill of every repetition by steps ahead, not below the lowest that is kept."""
    if study.ahead is None:
        return None
    names = ("similar_states", "linear", "persistence")
    skills = {name: np.maximum(getattr(study.ahead, name), LOWEST_SKILL) for name in names}
    return {name: [plain(each) for each in found] for name, found in skills.items()}


def _count_sequences(study: Study, rows: IntArray) -> int:
    return len(np.unique(study.series.sequence_first[rows]))


def _method(run: MethodRuns, best: MethodRuns) -> dict[str, Any]:
    paired = None
    if run is not best:
        test = paired_test(run.test_share, best.test_share)
        paired = {
            "n_worse": test.n_worse,
            "difference": test.difference,
            "p_value": test.p_value,
        }
    parameters = {
        name: value if isinstance(value, int | float | str | bool | None) else repr(value)
        for name, value in sorted(run.model.get_params().items())
        if name.removeprefix("estimator__") not in _NO_INFLUENCE
    }
    return {
        "name": run.method,
        "class": type(run.model).__name__,
        "parameters": parameters,
        "kept": getattr(run.model, "best_candidate_", None),
        "best": run is best,
        "test_share": plain(run.test_share),
        "train_share": plain(run.train_share),
        "test_predictability": plain(run.test),
        "train_predictability": plain(run.train),
        "paired": paired,
        "seconds": plain(run.seconds, 4),
        "fit_seconds": plain(run.fit_seconds[0], 4),
    }


def _angles(signals: dict[str, FloatArray]) -> dict[str, Any]:
    """Principal angles between what the methods extract from the same rows."""
    names = list(signals)
    return {
        "methods": names,
        "degrees": [
            [plain(subspace_angles(signals[a], signals[b]), 4) for b in names[:i]]
            for i, a in enumerate(names)
        ],
    }


def _eigenvalues(run: MethodRuns) -> dict[str, Any] | None:
    attributes = ("eigenvalues_", "omega_", "predictive_information_", "shares_")
    values = next((getattr(run.model, a) for a in attributes if hasattr(run.model, a)), None)
    if values is None:
        return None
    name = type(linear_method(run.model)).__name__
    return {
        "method": run.method,
        "meaning": _EIGENVALUES.get(name, "eigenvalue"),
        "values": plain(values, 6),
    }


def _history(run: MethodRuns) -> dict[str, Any]:
    history = run.model.history_
    return {
        "method": run.method,
        "objective": plain(history["eigenvalues"].sum(axis=1), 6),
        "angle": plain(history["angle"], 4),
        "seconds": plain(history["seconds"], 3),
    }


def _versions() -> dict[str, str]:
    versions = {"predfeat": predfeat.__version__, "python": platform.python_version()}
    for library in _LIBRARIES:
        try:
            versions[library] = metadata.version(library)
        except metadata.PackageNotFoundError:
            versions[library] = "not installed"
    return versions
