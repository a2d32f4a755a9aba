"""How far back and how far ahead, in words: what more lags would show, and the horizon."""

from __future__ import annotations

from typing import Any

import numpy as np

from predfeat._typing import FloatArray
from predfeat.report._sentence import BACKED, SMALL_DIFFERENCE, percent

__all__ = ["better_lags", "horizon_of", "lags_sentence", "what_comes"]

# So many standard errors of the mean difference: repetitions on one recording overlap.
_SURELY = 2.0


def horizon_of(results: dict[str, Any]) -> int:
    """Return how many steps ahead was predicted; files of earlier versions do not say."""
    return int(results["protocol"].get("horizon", 1))


def what_comes(results: dict[str, Any]) -> str:
    """Return what is predicted."""
    horizon = horizon_of(results)
    return "the next step" if horizon == 1 else f"what comes {horizon} steps later"


def better_lags(results: dict[str, Any]) -> dict[str, Any] | None:
    """Return the measurement with more lags that leaves surely less to chance, if there is one.

    Which number of lags is decided by the training parts alone, and what it leaves to chance is
    measured on the test parts: chosen by these, the best of several would look too good. Of
    numbers that are about equally good the smallest is taken. What similar states of the training
    parts predict of the test parts must have grown, too, by half as much at the least.
    """
    others = results["protocol"].get("other_lags") or []
    others = [each for each in others if "predicted_gain" in each]  # not in older files
    best = next(method for method in results["methods"] if method["best"])
    if not others:
        return None
    least = min(np.mean(each["train_share"]) for each in others)
    if np.mean(best["train_share"]) <= least:
        return None
    other: dict[str, Any] = next(
        each for each in others if np.mean(each["train_share"]) <= least + SMALL_DIFFERENCE
    )
    less_left = np.subtract(best["test_share"], other["test_share"])
    more_predicted = np.array(other["predicted_gain"])
    if len(less_left) < 2 or less_left.mean() <= SMALL_DIFFERENCE:
        return None
    backed = more_predicted.mean() >= BACKED * less_left.mean()
    return other if backed and _is_sure(less_left) and _is_sure(more_predicted) else None


def _is_sure(gains: FloatArray) -> bool:
    """Tell whether a mean over repetitions is more than luck."""
    return bool(gains.mean() > _SURELY * gains.std(ddof=1) / np.sqrt(len(gains)))


def lags_sentence(results: dict[str, Any]) -> str:
    """Return what more lags would give, where it is surely something."""
    other = better_lags(results)
    if other is None:
        return ""
    best = next(method for method in results["methods"] if method["best"])
    now, then = (percent(float(np.mean(each["test_share"]))) for each in (best, other))
    one = results["protocol"]["n_components"] == 1
    return (
        f"With p = {other['n_lags']} (--n-lags {other['n_lags']}) "
        f"{'the same feature leaves' if one else 'the same features leave'} {then} to chance "
        f"instead of {now}, as states of {other['n_lags']} rows tell more than states of "
        f"{results['protocol']['n_lags']}: compare again with that."
    )
