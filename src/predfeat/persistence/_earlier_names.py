"""Names that earlier versions used for parameters, their values and fitted attributes.

A model file keeps the names of the version that wrote it. This module updates them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from predfeat.persistence._header import ModelHeader

__all__ = ["with_current_names"]

_PARAMETERS = {
    "GPFA": {"neighbors_method": "engine"},
}
# Parameters that are gone: AutoFeatures has one criterion.
_GONE = {"AutoFeatures": ("judge", "criterion")}
_VALUES: dict[tuple[str, str], dict[str, str]] = {
    ("GPFA", "weighting"): {"calm": "inverse_spread"},
    ("GPFA", "init"): {"extremes": "slow_fast"},
}
_FITTED = {"AutoFeatures": {"winner_": "best_candidate_"}}
# Fitted attributes that contain names of starts: a single name, or a score for each.
_STARTS = {"GPFA": ("init_", "start_scores_")}


def with_current_names(header: ModelHeader) -> ModelHeader:
    """Return a header as this version would have written it."""
    estimator = header.estimator
    renamed = _PARAMETERS.get(estimator, {})
    parameters = {
        renamed.get(name, name): value
        for name, value in header.parameters.items()
        if name not in _GONE.get(estimator, ())
    }
    for name, value in parameters.items():
        if isinstance(value, str):
            parameters[name] = _VALUES.get((estimator, name), {}).get(value, value)
    attributes = _FITTED.get(estimator, {})
    fitted = {attributes.get(name, name): value for name, value in header.fitted.items()}
    for name in _STARTS.get(estimator, ()):
        if name in fitted:
            fitted[name] = _with_current_starts(fitted[name], _VALUES[estimator, "init"])
    return replace(header, parameters=parameters, fitted=fitted)


def _with_current_starts(fact: Any, starts: dict[str, str]) -> Any:
    if isinstance(fact, str):
        return starts.get(fact, fact)
    if isinstance(fact, dict):
        return {starts.get(name, name): score for name, score in fact.items()}
    return fact
