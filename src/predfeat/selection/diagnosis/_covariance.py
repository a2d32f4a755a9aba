"""Rank, conditioning, and whether there are enough samples to estimate a covariance."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from predfeat._typing import BoolArray, FloatArray
from predfeat.features import PFA
from predfeat.selection.diagnosis._findings import Finding, by_degree
from predfeat.selection.diagnosis._subject import Subject
from predfeat.series import Sequences
from predfeat.whitening import RANK_TOLERANCE

__all__ = [
    "check_conditioning",
    "check_rank",
    "check_samples",
    "column_kinds",
    "principal_variances",
]

# Ratio of the largest to the smallest variance; whitening amplifies the weakest direction relative
# to the strongest by its root. A 10-bit recording has rounding noise of 1e-6 of its variance, so
# directions amplified a thousandfold are likely noise; 1e9 is the noise of 15 bits.
_CONDITION_WARNING, _CONDITION_PROBLEM = 1e6, 1e9

# With S / N samples per dimension the variances of pure noise appear to spread between
# (1 ± √(N/S))²: a factor of 2.5 at 20, of 7 at 5.
_SAMPLES_PER_DIMENSION, _FEWEST_PER_DIMENSION = 20.0, 5.0

_MAX_LISTED = 5
_MAX_NAME_LENGTH = 100  # characters of a listed name
_CORRELATION_ROUNDING = 1e-9


def column_kinds(samples: FloatArray) -> tuple[BoolArray, BoolArray]:
    """Tell which columns are constant, and which repeat an earlier one (up to scale and shift).

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.selection.diagnosis._covariance import column_kinds
    >>> constant, repeated = column_kinds(np.array([[1.0, 7.0, -2.0], [2.0, 7.0, -4.0]]))
    >>> constant.tolist(), repeated.tolist()
    ([False, True, False], [False, False, True])
    """
    size = np.abs(samples).max(axis=0, initial=0.0)
    centred = _unit_peaks(samples - samples.mean(axis=0))
    constant = np.ptp(samples, axis=0) <= 8 * np.finfo(np.float64).eps * size
    length = np.sqrt(np.einsum("ij,ij->j", centred, centred))
    unit = centred / np.where(constant | (length == 0), np.inf, length)
    alike = np.abs(unit.T @ unit) > 1.0 - _CORRELATION_ROUNDING
    return constant, np.asarray(np.triu(alike, 1).any(axis=0) & ~constant)


def _unit_peaks(centred: FloatArray) -> FloatArray:
    """Return columns whose largest value is 1, so that squares stay in the range of floats."""
    peaks = np.abs(centred).max(axis=0, initial=0.0)
    scaled: FloatArray = centred / np.where(peaks > 0, peaks, 1.0)
    return scaled


def principal_variances(series: Sequences) -> FloatArray:
    """Return the variances along the principal axes, descending, as shares of the largest.

    Each column counts in units of its own spread, as whitening without a PCA cut sees them.
    """
    samples = series.samples
    centred = _unit_peaks(samples - samples.mean(axis=0))
    spread = centred.std(axis=0)
    centred /= np.where(spread > 0, spread, 1.0)
    smaller = centred.T if centred.shape[0] >= centred.shape[1] else centred
    variances = np.linalg.eigvalsh(smaller @ smaller.T)[::-1]
    shares: FloatArray = variances.clip(min=0.0) / (variances[0] or 1.0)
    return shares


def check_rank(subject: Subject) -> Iterator[Finding]:
    """Look for columns that add nothing."""
    model, series = subject.model, subject.series
    n_columns, rank = series.n_columns, model.rank_
    asked = model.pca_components
    expected = min(n_columns, asked) if isinstance(asked, int | np.integer) else n_columns
    if isinstance(asked, float) or rank >= expected:
        return
    constant, repeated = column_kinds(series.samples)
    kinds = [
        (constant, "constant"),
        (repeated, "the same as another one except for scale and shift"),
    ]
    said = [
        f"{int(of.sum())} {kind} ({_listed(of, subject.names)})" for of, kind in kinds if of.any()
    ]
    others = n_columns - rank - int(constant.sum()) - int(repeated.sum())
    if others > 0 and asked is None:
        said.append(f"{others} a mixture of the others, to rounding")
    only_constant = rank + int(constant.sum()) == n_columns
    yield Finding(
        "rank-deficient",
        "note" if only_constant else "warning",
        f"The {n_columns} columns have only {rank} independent directions. "
        + (f"Of the columns, {', '.join(said)}." if said else ""),
        "The missing directions were left out, which does not harm the features. But a feature's "
        "loadings can be shared among equal columns in many ways, and directions that are only "
        "nearly dependent are amplified to unit variance.",
        f"Drop the columns that repeat others, or keep fewer directions: `pca_components={rank}` "
        "or less.",
        {
            "rank": rank,
            "n_columns": n_columns,
            "n_constant": int(constant.sum()),
            "n_repeated": int(repeated.sum()),
        },
    )


def _listed(chosen: BoolArray, names: list[str]) -> str:
    of = [names[i] for i in np.flatnonzero(chosen)]
    shown = (
        name if len(name) <= _MAX_NAME_LENGTH else f"{name[:_MAX_NAME_LENGTH]}…"
        for name in of[:_MAX_LISTED]
    )
    return ", ".join(shown) + (", …" if len(of) > _MAX_LISTED else "")


def check_conditioning(subject: Subject) -> Iterator[Finding]:
    """Check how much whitening amplifies the weakest direction."""
    own_units = subject.model.pca_components is not None
    if own_units:
        kept = subject.whitening.explained_variance
        kept = kept / kept.max(initial=0.0)
    else:
        kept = principal_variances(subject.series)[: subject.model.rank_]
    kept = kept[kept > RANK_TOLERANCE]
    if len(kept) < 2:
        return
    condition = float(kept[0] / kept[-1])
    severity = by_degree(condition, _CONDITION_WARNING, _CONDITION_PROBLEM)
    if severity is None:
        return
    sound = max(1, int((kept > 1.0 / _CONDITION_WARNING).sum()))
    scaled = "" if own_units else " (of columns scaled to unit variance)"
    yield Finding(
        "ill-conditioned",
        severity,
        f"The variances of the {len(kept)} principal directions span "
        f"{np.log10(condition):.1f} decades.",
        f"Whitening amplifies the weakest direction {np.sqrt(condition):.0f} times more than the "
        "strongest: rounding and measurement noise become as large as the signal.",
        f"Cut the weak directions: `pca_components={sound}`{scaled} keeps those above 1e-6 of the "
        "largest variance; `pca_components=0.999` keeps that share of it.",
        {"condition": condition, "n_sound": sound, "rank": len(kept)},
    )


def check_samples(subject: Subject) -> Iterator[Finding]:
    """Compare the number of samples with the number of parameters to be estimated."""
    model = subject.model
    n_pairs = int(subject.series.reach(ahead=1).sum())
    # What one equation of the method has to estimate: a direction, or PFA's regression.
    n_parameters = model.rank_ * (subject.n_lags if isinstance(model, PFA) else 1)
    per = n_pairs / n_parameters
    severity = by_degree(1 / per, 1 / _SAMPLES_PER_DIMENSION, 1 / _FEWEST_PER_DIMENSION)
    if severity is None:
        return
    enough = max(1, int(n_pairs / _SAMPLES_PER_DIMENSION * model.rank_ / n_parameters))
    of = "dimension" if n_parameters == model.rank_ else "coefficient of the linear recursion"
    yield Finding(
        "few-samples",
        severity,
        f"There are {n_pairs} steps for {n_parameters} {of}s, {per:.1f} for each.",
        "With so few, some direction of pure noise looks predictable by chance, and the method "
        "will find it.",
        f"Use more data, or fewer dimensions: `pca_components={enough}` leaves "
        f"{_SAMPLES_PER_DIMENSION:.0f} for each"
        + (", or fewer lags (`n_lags`)." if isinstance(model, PFA) else "."),
        {"n_steps": n_pairs, "n_parameters": n_parameters, "samples_per_parameter": per},
    )
