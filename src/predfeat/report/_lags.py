"""Whether more lags would predict more, and the horizon, in words."""

from __future__ import annotations

from typing import Any

import numpy as np

from predfeat._typing import FloatArray
from predfeat.report._sentence import BACKED, SMALL_DIFFERENCE, percent

__all__ = ["better_lags", "horizon_of", "lags_sentence", "what_comes"]

# A mean gain must exceed this many standard errors: repetitions on one recording overlap.
_STANDARD_ERRORS = 2.0


def horizon_of(results: dict[str, Any]) -> int:
    """Return the number of steps predicted ahead; files of earlier versions lack it."""
    return int(results["protocol"].get("horizon", 1))


def what_comes(results: dict[str, Any]) -> str:
    """Return what is predicted."""
    horizon = horizon_of(results)
    return "the next step" if horizon == 1 else f"what comes {horizon} steps later"


def better_lags(results: dict[str, Any]) -> dict[str, Any] | None:
    """Return the measurement with more lags that leaves significantly less to chance, if any.

    The number of lags is chosen on the training parts alone, and its share left to chance is
    measured on the test parts: chosen on these, the best of several would look too good. Among
    numbers that are about equally good, the smallest is taken. The share of the test parts that
    similar states of the training parts predict must have grown, too, by at least half as much.
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
    """Tell whether a mean over repetitions is significantly above zero."""
    return bool(gains.mean() > _STANDARD_ERRORS * gains.std(ddof=1) / np.sqrt(len(gains)))


def lags_sentence(results: dict[str, Any]) -> str:
    """Return what more lags would gain, if the gain is significant."""
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
        f"{results['protocol']['n_lags']}: run the comparison again with it."
    )
