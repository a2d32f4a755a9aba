"""Is the number of features arbitrary?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from predfeat._typing import FloatArray
from predfeat.exceptions import DataError
from predfeat.features import GPFA, PFA, SFA, ForeCA
from predfeat.selection.diagnosis._findings import Finding
from predfeat.selection.diagnosis._subject import Subject, refitted

__all__ = ["check_spectral_gap", "relative_gaps"]

# If the next feature is worse by less than this share, their order depends on the sample: a
# variance has a relative error of √(2/S), 4 % for 1500 samples, the difference of two 5 %, and
# twice that is not unusual.
_MIN_GAP = 0.1
# Values below this are zero to rounding.
_ZERO_ROUNDING = 1e-12
# ForeCA finds features one after the other, so only this many more are computed.
_N_MORE_OF_FORECA = 3
# Starting where the fit ended, with one more feature, needs few steps.
_MAX_STEPS = 15


def relative_gaps(values: FloatArray) -> FloatArray:
    """Return by which share each ascending value is below the next; 0 where both are zero.

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.selection.diagnosis._spectral_gap import relative_gaps
    >>> relative_gaps(np.array([0.0, 0.0, 0.1, 0.4]))
    array([0.  , 1.  , 0.75])
    """
    lower, upper = values[:-1], values[1:]
    gaps: FloatArray = np.divide(
        upper - lower, upper, out=np.zeros(len(lower)), where=np.abs(upper) > _ZERO_ROUNDING
    )
    return gaps


def check_spectral_gap(subject: Subject) -> Iterator[Finding]:
    """Compare the last feature with the one that was not taken."""
    n_components, rank = subject.n_components, subject.model.rank_
    if n_components >= rank:
        if rank > 1:
            yield _everything(subject)
        return
    try:
        values = _one_more(subject)
    except DataError:
        # The graph covers too few directions, which `check_connectivity` reports; or X is other
        # data, too short for the method, which `check_halves` reports.
        values = None
    subject.after_fit()
    if values is None:
        return
    gaps = _gaps(values)
    gap = float(gaps[n_components - 1])
    if gap > _MIN_GAP:
        return
    best = int(np.argmax(gaps)) + 1
    last, following = values[n_components - 1], values[n_components]
    elsewhere = (
        f"The largest gap is after feature {best} ({gaps[best - 1]:.0%}): try "
        f"`n_components={best}`."
        if gaps[best - 1] > _MIN_GAP
        else "There is no clear gap anywhere: any `n_components` is arbitrary; compare several on "
        "held-out data."
    )
    yield Finding(
        "no-gap",
        "warning",
        f"Feature {n_components} ({last:.4g}) and the next one, which was not taken "
        f"({following:.4g}), differ by {gap:.1%} only.",
        "If features are equally good, so is any mixture of them: which ones were taken is "
        "chance, and another sample gives others.",
        elsewhere,
        {
            "gap": gap,
            "last": float(last),
            "next": float(following),
            "largest_gap_after": best,
            "largest_gap": float(gaps[best - 1]),
        },
    )


def _gaps(values: FloatArray) -> FloatArray:
    """Return by which share each feature is better than the next, also where more is better."""
    falls = values[0] > values[-1]
    return relative_gaps(values[::-1])[::-1] if falls else relative_gaps(values)


def _everything(subject: Subject) -> Finding:
    n_components = subject.n_components
    return Finding(
        "nothing-selected",
        "note",
        f"{n_components} features are the whole rank of the data.",
        "All directions are kept, so that the features as a whole are the data itself, rotated: "
        "only their order says something.",
        f"Use fewer than {n_components} features (`n_components`)"
        + (", or a larger `pca_components`." if subject.model.pca_components is not None else "."),
        {"n_components": n_components, "rank": subject.model.rank_},
    )


def _one_more(subject: Subject) -> FloatArray | None:
    """Return the method's criterion for more features than it has, best first."""
    model: Any = subject.model
    rank = min(model.rank_, subject.whitening.rank)  # X may be other data, with fewer directions
    if subject.n_components >= rank:
        return None
    if isinstance(model, GPFA):
        return _one_more_of_gpfa(subject, rank)
    if isinstance(model, ForeCA):
        more: Any = refitted(
            model,
            subject.series,
            subject.resolution,
            n_components=min(subject.n_components + _N_MORE_OF_FORECA, rank),
        )
        # One after the other: a later one can be better only because an earlier one was missed.
        values: FloatArray = np.sort(more.omega_)[::-1]
        return values
    if isinstance(model, SFA | PFA):
        more = refitted(model, subject.series, subject.resolution, n_components=rank)
        return np.asarray(more.eigenvalues_)
    return None


def _one_more_of_gpfa(subject: Subject, rank: int) -> FloatArray:
    """Continue the iteration with one more feature.

    Neighbours are searched among the features, which by construction makes these look better than
    any other direction: the next one must get the same chance.
    """
    model: Any = subject.model
    _, vectors = subject.spectrum
    between = min(max(subject.n_components + 1, model.n_intermediate or 0), rank)
    more: Any = refitted(
        model,
        subject.series,
        subject.resolution,
        n_components=rank,  # all of them, to find the largest gap
        n_intermediate=between,
        init=subject.whitening.directions @ vectors[:, :between],
        metric="euclidean",  # others are for init="input"
        max_iter=min(_MAX_STEPS, model.max_iter),
        n_jobs=subject.n_jobs,
        verbose=0,
    )
    return np.asarray(more.eigenvalues_)
