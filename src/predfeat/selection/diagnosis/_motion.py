"""How the features move: by a law or just slowly, and whether they are stationary."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.signal import lfilter

from predfeat._typing import FloatArray, IntArray
from predfeat.measures import available_neighbors, left_open
from predfeat.selection.diagnosis._findings import Finding, by_degree
from predfeat.selection.diagnosis._memory import LAGS, held_out_autoregressions
from predfeat.selection.diagnosis._subject import Subject
from predfeat.series import Sequences

__all__ = [
    "autocorrelation",
    "autoregressive_twin",
    "check_drift",
    "check_slowness",
    "drift_of",
]

# Above this correlation of successive steps, a feature is slow: persistence alone explains half of
# its variance (ρ²).
_SLOW_CORRELATION = 0.7
# To be more than slow, a feature must leave open less than this share of what an AR(1) does, or an
# autoregression on more values less than this share of what the last one alone does.
_MAX_ERROR_RATIO = 0.9

# Factor, up or down, between the variance elsewhere and in the training data. Halves of 2000 rows
# of a stationary oscillator that remembers 50 steps already differ by up to 1.5.
_VARIANCE_WARNING, _VARIANCE_PROBLEM = 2.0, 4.0
# Squared distance of the means in units of the variance: at 1 they are a standard deviation apart.
# A bistable system that rarely switches reaches 0.4 between halves; a trend has 12.
_SHIFT_WARNING, _SHIFT_PROBLEM = 1.0, 4.0

# Share of its start that a simulated process may still remember.
_START_MEMORY = 1e-3
# Used instead of zero if a feature never changes.
_MIN_BOUND = 1e-12


def autocorrelation(features: Sequences) -> FloatArray:
    """Return the correlation of each feature with its own next step.

    Examples
    --------
    >>> from predfeat.selection.diagnosis._motion import autocorrelation
    >>> from predfeat.series import check_sequences
    >>> autocorrelation(check_sequences([[1.0], [-1.0], [1.0], [-1.0]]))
    array([-1.])
    """
    times = features.times(ahead=1)
    now, then = features.rows[times], features.rows[times + 1]
    now, then = now - now.mean(axis=0), then - then.mean(axis=0)
    size = np.sqrt((now**2).sum(axis=0) * (then**2).sum(axis=0))
    correlation: FloatArray = np.divide(
        (now * then).sum(axis=0), size, out=np.zeros_like(size), where=size > 0
    )
    return correlation


def autoregressive_twin(features: Sequences, seed: int) -> Sequences:
    """Return independent AR(1) processes of the same autocorrelations, with the same gaps.

    Features that are slow and nothing else look like these.
    """
    random = np.random.default_rng(seed)
    coefficients = autocorrelation(features).clip(-0.9999, 0.9999)
    n_rows = features.n_rows
    columns = []
    for a in coefficients.tolist():
        settling = 1 if a == 0 else int(np.ceil(np.log(_START_MEMORY) / np.log(abs(a)))) + 1
        shocks = np.sqrt(1 - a**2) * random.standard_normal(n_rows + settling)
        columns.append(lfilter([1.0], [1.0, -a], shocks)[settling:])
    rows = np.column_stack(columns)
    rows[~features.valid] = 0.0
    return features.with_rows(rows)


def _bound(features: Sequences) -> FloatArray:
    """Return 1 - ρ², the share of its variance that an AR(1) leaves open."""
    bound: FloatArray = np.maximum(1.0 - autocorrelation(features) ** 2, _MIN_BOUND)
    return bound


def check_slowness(subject: Subject) -> Iterator[Finding]:
    """Compare what features leave open with what an AR(1) of the same slowness does."""
    if subject.horizon > 1:  # slowness is about the next step
        return
    features = subject.features
    rho = autocorrelation(features)
    if not np.any(rho > _SLOW_CORRELATION):
        return
    if available_neighbors(features, subject.n_lags, theiler=subject.theiler) == 0:
        return

    def shares(of: Sequences) -> FloatArray:
        return left_open(
            of, subject.n_lags, None, theiler=subject.theiler, n_jobs=subject.n_jobs
        ).shares()

    left = shares(features)
    twin = autoregressive_twin(features, subject.seed)
    # An AR(1) leaves 1 - ρ² open, but estimates from distant neighbours are larger. The twins, of
    # the same length and number, show by how much.
    inflation = shares(twin) / _bound(twin)
    left_by_twin = _bound(features) * inflation
    slow = np.flatnonzero((rho > _SLOW_CORRELATION) & (left > _MAX_ERROR_RATIO * left_by_twin))
    if slow.size == 0:
        return
    # States of few values may miss information in the past, so autoregressions on held-out rows
    # are checked before anything is reported.
    errors = held_out_autoregressions(features.with_rows(features.rows[:, slow]))
    if errors is None or np.isnan(errors[0]).any():
        return
    only = np.nanmin(errors, axis=0) > _MAX_ERROR_RATIO * errors[0]
    if only.any():
        yield _only_slow(subject, rho, left, left_by_twin, slow[only], errors[0][only])
    now = sum(n_lags <= subject.n_lags for n_lags in LAGS) - 1
    gain = errors[now + 1 :] / errors[now]
    more = ~only & (np.nan_to_num(gain, nan=np.inf).min(axis=0, initial=np.inf) <= _MAX_ERROR_RATIO)
    if more.any():
        best, most = np.unravel_index(np.nanargmin(np.where(more, gain, np.inf)), gain.shape)
        yield _more_lags(
            subject, slow[more], int(slow[most]), LAGS[now], LAGS[now + 1 + best],
            float(errors[now, most]), float(errors[now + 1 + best, most]),
        )  # fmt: skip


def _only_slow(
    subject: Subject,
    rho: FloatArray,
    left: FloatArray,
    left_by_twin: FloatArray,
    slow: IntArray,
    errors: FloatArray,
) -> Finding:
    place = int(np.argmax(rho[slow]))
    worst = slow[place]
    all_of = len(slow) == len(rho)
    return Finding(
        "only-slow",
        "note",
        f"{_which(slow, len(rho))} leave{'' if len(slow) > 1 else 's'} no less open than an "
        f"AR(1) process of the same autocorrelation (feature {worst + 1}: {rho[worst]:.3f}, "
        f"1 - ρ² = {1 - rho[worst] ** 2:.2g}; {left[worst]:.2g} left open "
        f"against {left_by_twin[worst]:.2g} for the AR(1)), and on rows held out up to {LAGS[-1]} "
        "of their last values predict them hardly better than the last one alone.",
        "These features are predictable because they change slowly, and for no other visible "
        "reason: nothing that was tried predicts them clearly better than the present value.",
        ("SFA finds such features faster. " if subject.searches else "")
        + (
            f"If more was expected, try other lags (`n_lags`, now {subject.n_lags})"
            + (", exclude adjacent neighbours (`theiler`)" if subject.has("theiler") else "")
            + ("." if all_of else ", or fewer features (`n_components`).")
            if subject.has("n_lags")
            else "If more was expected, try GPFA with more lags, or another `n_components`."
        ),
        {
            "n_slow": len(slow),
            "n_features": len(rho),
            "autocorrelation": float(rho[worst]),
            "bound": float(1 - rho[worst] ** 2),
            "left_open": float(left[worst]),
            "left_open_by_ar1": float(left_by_twin[worst]),
            "held_out_ar1": float(errors[place]),
        },
    )


def _more_lags(
    subject: Subject,
    slow: IntArray,
    feature: int,
    few: int,
    n_lags: int,
    error_of_few: float,
    error: float,
) -> Finding:
    now = "the present value is" if few == 1 else f"the last {few} values are"
    return Finding(
        "more-lags",
        "note",
        f"{_which(slow, subject.n_components)} "
        f"change{'' if len(slow) > 1 else 's'} slowly, but {now} not all that "
        f"{'their' if len(slow) > 1 else 'its'} past tells: on rows held out, an autoregression on "
        f"the last {n_lags} values of feature {feature + 1} leaves "
        f"{error:.2g} of its variance open, on the last {'value' if few == 1 else few} "
        f"{error_of_few:.2g}.",
        f"States of {subject.n_lags} row{'s' * (subject.n_lags != 1)} do not hold what makes these "
        "features predictable: they are more predictable than the measure says.",
        f"Try more lags: `n_lags={n_lags}` (now {subject.n_lags})."
        if subject.has("n_lags")
        else f"Try `PFA(n_lags={n_lags})` or `GPFA(n_lags={n_lags})`.",
        {
            "n_slow": len(slow),
            "feature": feature + 1,
            "n_lags": n_lags,
            "held_out": error,
            "held_out_now": error_of_few,
        },
    )


def _which(features: IntArray, n_all: int) -> str:
    if n_all == 1:
        return "The feature"
    numbers = ", ".join(str(i + 1) for i in features)
    return f"Of {n_all} features, number{'s' * (len(features) > 1)} {numbers}"


def drift_of(one: FloatArray, other: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return each feature's ratio of variances and squared distance of means.

    The distance is in units of the mean of both variances.

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.selection.diagnosis._motion import drift_of
    >>> drift_of(np.array([[1.0], [-1.0]]), np.array([[5.0], [1.0]]))
    (array([4.]), array([3.6]))
    """
    before, after = one.var(axis=0), other.var(axis=0)
    floor = 1e-12 * np.maximum(np.maximum(before, after), 1e-300)
    ratio: FloatArray = (after + floor) / (before + floor)
    apart = np.square(other.mean(axis=0) - one.mean(axis=0))
    moved: FloatArray = apart / np.maximum((before + after) / 2, 1e-300)
    return ratio, moved


def check_drift(subject: Subject) -> Iterator[Finding]:
    """Compare variance and mean with other data, or the second half with the first."""
    features = subject.features.samples
    if subject.test_features is not None:
        one, other = features, subject.test_features.samples
        where, before = "on the test data", "on the training data"
    else:
        middle = len(features) // 2
        one, other = features[:middle], features[middle:]
        where, before = "in the second half of the data", "in the first"
    if len(one) < 2 or len(other) < 2:
        return
    ratio, moved = drift_of(one, other)
    factor = np.exp(np.abs(np.log(ratio)))
    by_variance = by_degree(float(factor.max()), _VARIANCE_WARNING, _VARIANCE_PROBLEM)
    by_mean = by_degree(float(moved.max()), _SHIFT_WARNING, _SHIFT_PROBLEM)
    if by_variance is None and by_mean is None:
        return
    worst = int(np.argmax(factor)) if by_variance is not None else int(np.argmax(moved))
    yield Finding(
        "drift",
        "problem" if "problem" in (by_variance, by_mean) else "warning",
        f"Feature {worst + 1} has {ratio[worst]:.2g} times the variance {where} that it has "
        f"{before}; its mean moved by {np.sqrt(moved[worst]):.2g} standard deviations.",
        "The series is not stationary. Predictability in absolute units, eq. (2), then "
        "misleads: a feature that shrinks looks predictable, and a trend is slow by itself.",
        "Measure with `predictability(relative=True)`. Remove trends, or take differences "
        "instead of levels; fit to stationary parts, or cut the directions that drift "
        f"(`pca_components`; now {subject.model.rank_}).",
        {
            "variance_ratio": float(ratio[worst]),
            "mean_shift": float(np.sqrt(moved[worst])),
            "feature": worst + 1,
        },
    )
