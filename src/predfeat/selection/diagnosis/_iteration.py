"""Has GPFA's iteration settled?"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from predfeat.features import GPFA
from predfeat.selection.diagnosis._findings import Finding, by_degree
from predfeat.selection.diagnosis._subject import Subject

__all__ = ["check_iteration"]

# How many of the last angles count, as in GPFA's own stopping rule.
_N_LAST_ANGLES = 5
# On noisy data, successive spaces settle at 0.5 to 3 degrees from each other; 10 is beyond that.
# Above 45, GPFA itself considers a feature as still missing.
_ANGLE_WARNING, _ANGLE_PROBLEM = 10.0, 45.0


def check_iteration(subject: Subject) -> Iterator[Finding]:
    """Check the angles between the feature spaces of the last iterations."""
    model = subject.model
    if not isinstance(model, GPFA) or model.n_iter_ < 2:
        return
    angle = float(np.median(model.history_["angle"][1:][-_N_LAST_ANGLES:]))
    severity = by_degree(angle, _ANGLE_WARNING, _ANGLE_PROBLEM)
    if severity is None:
        return
    values = {"angle": angle, "n_iter": model.n_iter_, "max_iter": model.max_iter}
    if model.n_iter_ >= model.max_iter:
        yield Finding(
            "not-settled",
            severity,
            f"After all {model.max_iter} iterations the features still turn by {angle:.0f} degrees "
            "each time.",
            "The result is where the iteration happened to be cut off.",
            f"Allow more iterations: `max_iter={max(50, 2 * model.max_iter)}`. If that does not "
            "help, keep more features between the iterations (`n_intermediate`), start elsewhere "
            "(`init='sfa'` or `init='pfa'`), or average over more neighbours (`n_neighbors`).",
            values,
        )
        return
    if hasattr(model, "init_"):  # init="auto" keeps the best iteration, settled or not
        return
    yield Finding(
        "to-and-fro",
        "warning",
        f"The iteration stopped after {model.n_iter_} steps while the features still turned by "
        f"{angle:.0f} degrees: it goes to and fro between a few spaces that each lead to the "
        "next.",
        "Which of these spaces is the result depends on where the iteration stopped.",
        f"Let all of them take part: raise `n_intermediate` or `n_components` (now "
        f"{subject.n_components}), or average them (`n_averaged=10`); more neighbours "
        f"(`n_neighbors={2 * model.n_neighbors}`) steady it, too.",
        values,
    )
