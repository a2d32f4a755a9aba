"""How far ahead the features can be predicted: skill against the number of steps, in words too."""

from __future__ import annotations

from typing import Any

import numpy as np

from predfeat.report._figure_forecast import skill_lines
from predfeat.report._forecast import predictability_horizon

__all__ = ["ahead_part"]


def ahead_part(results: dict[str, Any]) -> dict[str, Any] | None:
    """Return the text and the picture, or None where nothing was measured."""
    ahead = results.get("ahead")
    if ahead is None:
        return None
    means = {name: np.mean(ahead[name], axis=0) for name in ahead}
    horizons = {
        name: predictability_horizon([np.array(each, dtype=float) for each in ahead[name]])
        for name in ahead
    }
    lines = [
        ("persistence", means["persistence"].tolist(), "c0"),
        ("linear autoregression", means["linear"].tolist(), "c2"),
        ("similar states", means["similar_states"].tolist(), "c1"),
    ]
    return {
        "words": _in_words(horizons, len(means["linear"])),
        "figure": skill_lines(
            lines,
            "Skill of predictions of the features, by steps ahead.",
            horizons["similar_states"],
        ),
    }


def _in_words(horizons: dict[str, int], n_steps: int) -> str:
    similar, linear = horizons["similar_states"], horizons["linear"]
    if max(similar, linear) == 0:
        return "Not even the next step is predicted better than by the mean."
    if similar == linear:
        return (
            f"Similar states and a linear autoregression predict the features better than their "
            f"mean {_reach(similar, n_steps)}."
        )
    return (
        f"Similar states predict the features better than their mean {_reach(similar, n_steps)}, "
        f"a linear autoregression {_reach(linear, n_steps)}."
    )


def _reach(horizon: int, n_steps: int) -> str:
    if horizon == 0:
        return "not even one step ahead"
    steps = "one step ahead" if horizon == 1 else f"{horizon} steps ahead"
    return f"{steps} or more" if horizon == n_steps else f"up to {steps}"
