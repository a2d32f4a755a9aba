"""`diagnose`, the one call."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import count
from typing import Any

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from predfeat._typing import ArrayLike
from predfeat.features import LinearFeatures
from predfeat.selection.diagnosis._connectivity import check_connectivity
from predfeat.selection.diagnosis._covariance import (
    check_conditioning,
    check_rank,
    check_samples,
)
from predfeat.selection.diagnosis._crowding import (
    check_equal_states,
    check_neighbor_count,
    check_sequences_lengths,
    check_sparse_states,
)
from predfeat.selection.diagnosis._findings import Diagnosis, Finding
from predfeat.selection.diagnosis._halves import N_FITS, check_halves
from predfeat.selection.diagnosis._iteration import check_iteration
from predfeat.selection.diagnosis._loudness import check_loudness
from predfeat.selection.diagnosis._motion import check_drift, check_slowness
from predfeat.selection.diagnosis._neighborhoods import check_adjacent, check_hubs
from predfeat.selection.diagnosis._spectral_gap import check_spectral_gap
from predfeat.selection.diagnosis._subject import Subject
from predfeat.series import check_matrix, check_sequences

__all__ = ["diagnose"]

# In the order of the stages: among findings of equal severity, earlier ones may cause later ones.
_CHECKS: tuple[Callable[[Subject], Iterator[Finding]], ...] = (
    check_rank,
    check_conditioning,
    check_samples,
    check_loudness,
    check_sequences_lengths,
    check_equal_states,
    check_neighbor_count,
    check_sparse_states,
    check_hubs,
    check_adjacent,
    check_connectivity,
    check_iteration,
    check_spectral_gap,
    check_halves,
    check_slowness,
    check_drift,
)

# Steps that take time: fits to halves, a fit with one more feature, and the rest (about one fit).
_STEPS = N_FITS + 2

# Share of a column's range by which its mean may differ from the model's.
_MEAN_TOLERANCE = 1e-6


def diagnose(
    model: LinearFeatures,
    X: Any,
    *,
    groups: ArrayLike | None = None,
    X_test: Any = None,
    groups_test: ArrayLike | None = None,
    names: Sequence[str] | None = None,
    n_jobs: int | None = None,
    random_state: int | np.random.RandomState | None = 0,
    on_progress: Callable[[int, int], None] | None = None,
) -> Diagnosis:
    """Look for what may be wrong with a fit, and advise what to change.

    Costs about as much as a few fits: GPFA is fitted again to halves of the data, and once with
    one more feature.

    Parameters
    ----------
    model : GPFA, SFA, PFA, ForeCA, RandomFeatures or AutoFeatures
        Fitted.
    X : array-like of shape (n_rows, n_columns)
        The data it was fitted on; rows with a NaN are gaps.
    groups : array-like of shape (n_rows,), optional
        Ids of the sequences.
    X_test : array-like of shape (n_test_rows, n_columns), optional
        Other data, to measure the features on. Without it, halves of X are held out.
    groups_test : array-like of shape (n_test_rows,), optional
        Ids of its sequences.
    names : sequence of str, optional
        Names of the columns, if X has none.
    n_jobs : int, optional
        Threads of the neighbour searches, and processes for fits that take long. The
        result does not depend on it.
    random_state : int, RandomState or None, default=0
        The seed for the halves and for simulated comparisons.
    on_progress : callable, optional
        Called with the number of steps done and the total, at the start, after each fit and at the
        end.

    Returns
    -------
    Diagnosis
        Its `findings`, the most severe first. Print it to read them.

    Examples
    --------
    A column that repeats another one:

    >>> import numpy as np
    >>> from predfeat import GPFA
    >>> from predfeat.datasets import predictable_noise
    >>> from predfeat.selection import diagnose
    >>> X = predictable_noise(2000, 5, random_state=0)
    >>> X = np.column_stack([X, X[:, 0]])
    >>> diagnosis = diagnose(GPFA(n_components=2).fit(X), X)
    >>> diagnosis.names
    ('rank-deficient',)
    >>> print(diagnosis.findings[0].advice)
    Drop the columns that repeat others, or keep fewer directions: `pca_components=5` or less.
    >>> diagnosis.findings[0].parameters
    {'pca_components': 5}
    """
    if not isinstance(model, LinearFeatures):
        raise TypeError(
            "model must be a fitted GPFA, SFA, PFA, ForeCA, RandomFeatures or AutoFeatures, but it "
            f"is {model!r}. For a pipeline, give its last step and the data that reaches it."
        )
    check_is_fitted(model)
    if X_test is None and groups_test is not None:
        raise ValueError("groups_test was given without X_test; give both or neither.")
    matrix = check_matrix(X, estimator=model, reset=False, min_rows=2)
    if names is not None and len(names) != len(matrix.names):
        raise ValueError(f"names has {len(names)} entries, but X has {len(matrix.names)} columns.")
    tell = on_progress or (lambda n_done, n_all: None)
    n_fitted = count(1)
    subject = Subject(
        model=model,
        series=check_sequences(matrix, groups),
        names=matrix.names if names is None else list(names),
        resolution=matrix.resolution,
        test=None if X_test is None else _other_data(model, X_test, groups_test),
        n_jobs=n_jobs,
        seed=int(check_random_state(random_state).randint(2**31 - 1)),
        after_fit=lambda: tell(next(n_fitted), _STEPS),
    )
    tell(0, _STEPS)
    findings = [*_not_the_training_data(subject)]
    for check in _CHECKS:
        findings += check(subject)
    tell(_STEPS, _STEPS)
    n_rows, n_columns = matrix.values.shape
    title = f"{type(model).__name__}, {n_rows} rows of {n_columns} columns"
    return Diagnosis.of(findings, title)


def _other_data(model: LinearFeatures, X_test: Any, groups_test: ArrayLike | None) -> Any:
    matrix = check_matrix(X_test, name="X_test", estimator=model, reset=False, min_rows=2)
    return check_sequences(matrix, groups_test, name="X_test")


def _not_the_training_data(subject: Subject) -> Iterator[Finding]:
    """Compare the mean with the one stored in the model."""
    samples = subject.series.samples
    spread = np.ptp(samples, axis=0)
    off = np.abs(samples.mean(axis=0) - subject.model.mean_)
    largest = float(np.max(off / np.where(spread > 0, spread, 1.0), initial=0.0))
    rounding = float(subject.resolution * np.abs(samples).max(initial=0.0))
    if largest <= _MEAN_TOLERANCE or float(off.max()) <= 8 * rounding:
        return
    yield Finding(
        "other-data",
        "warning",
        f"The means of X differ from the model's by up to {largest:.2g} of their range.",
        "X is not the data the model was fitted on: findings about whitening, neighbours and the "
        "fit do not describe the model's own fit.",
        "Give the training data as X and other data as X_test; or fit the model to X.",
        {"mean_difference": largest},
    )
