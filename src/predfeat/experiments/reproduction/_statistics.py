"""The paper's table of signed-rank tests, with effect sizes and a correction for their number."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.stats import rankdata

from predfeat.experiments._paired import paired_test
from predfeat.experiments.reproduction._outcome import Outcome
from predfeat.features import METHODS

__all__ = ["SignedRank", "holm", "rank_biserial", "signed_rank_csv", "signed_rank_table"]

_TESTED_METHODS = tuple(METHODS[word].name for word in ("gpfa1", "gpfa2"))
_OTHER_METHODS = tuple(METHODS[word].name for word in ("sfa", "pfa", "foreca"))


@dataclass(frozen=True)
class SignedRank:
    """GPFA compared with another method, over the same repetitions.

    Attributes
    ----------
    data : str
    n_components : int
        M.
    measure : {"predictability", "share"}
        Eq. (2), or the same divided by the variance.
    method, other : str
    n_repetitions, n_better : int
        Repetitions, and those in which `method` was better.
    mean_difference : float
        Mean of the method's measure minus the other's: negative if it is better.
    effect : float
        Rank-biserial correlation: 1 if the method is better in all repetitions, -1 if it is
        worse in all.
    p_value : float or None
        Of the two-sided Wilcoxon signed-rank test; None with too few repetitions.
    p_corrected : float or None
        After Holm, over all tests of the table with the same measure.
    """

    data: str
    n_components: int
    measure: str
    method: str
    other: str
    n_repetitions: int
    n_better: int
    mean_difference: float
    effect: float
    p_value: float | None
    p_corrected: float | None = None


def signed_rank_table(outcomes: Sequence[Outcome]) -> list[SignedRank]:
    """Compare GPFA (1) and (2) with SFA, PFA and ForeCA on every data set.

    Parameters
    ----------
    outcomes : list of Outcome
        Of one experiment.

    Returns
    -------
    list of SignedRank
    """
    table: list[SignedRank] = []
    for measure in ("predictability", "share"):
        rows = [
            _compare(outcome, n_components, measure, method, other)
            for outcome in outcomes
            for n_components in outcome.setup.tested_components
            for method in _TESTED_METHODS
            for other in _OTHER_METHODS
        ]
        corrected = holm([row.p_value for row in rows])
        table += [
            replace(row, p_corrected=value) for row, value in zip(rows, corrected, strict=True)
        ]
    return table


def _compare(
    outcome: Outcome, n_components: int, measure: str, method: str, other: str
) -> SignedRank:
    own = _scores(outcome, method, n_components, measure)
    others = _scores(outcome, other, n_components, measure)
    difference = np.subtract(own, others)
    # In this order, so that "worse" counts the repetitions that the method won.
    test = paired_test(others, own)
    return SignedRank(
        data=outcome.setup.source.name,
        n_components=n_components,
        measure=measure,
        method=method,
        other=other,
        n_repetitions=test.n_repetitions,
        n_better=test.n_worse,
        mean_difference=float(difference.mean()),
        effect=rank_biserial(-difference),
        p_value=test.p_value,
    )


def _scores(outcome: Outcome, method: str, n_components: int, measure: str) -> list[float]:
    """Return a method's results at the defaults with M features, by repetition."""
    defaults = replace(outcome.setup.defaults, n_components=n_components)
    found: dict[int, float] = {}
    for row in outcome.rows:
        place = row.place
        if place.method != method:
            continue
        if place.panel.parameters(outcome.setup.defaults, place.value) == defaults:
            found[place.repetition] = float(getattr(row.measured, measure))
    return [found[repetition] for repetition in sorted(found)]


def rank_biserial(
    differences: Sequence[float] | np.ndarray[tuple[int], np.dtype[np.float64]],
) -> float:
    """Return the rank-biserial correlation of paired differences.

    The ranks of the sizes of the differences that are positive, minus those of the negative ones,
    as a share of all; differences of zero are left out, as in the signed-rank test.

    Parameters
    ----------
    differences : sequence of float

    Returns
    -------
    float
        Between -1 and 1; 0 where nothing differs.

    Examples
    --------
    >>> from predfeat.experiments.reproduction import rank_biserial
    >>> rank_biserial([1.0, 2.0, 3.0]), rank_biserial([1.0, 2.0, -3.0])
    (1.0, 0.0)
    """
    values = np.asarray(differences, dtype=float)
    values = values[values != 0]
    if len(values) == 0:
        return 0.0
    ranks = rankdata(np.abs(values))
    return float(np.sum(np.sign(values) * ranks) / ranks.sum())


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Return p-values corrected for their number, after Holm.

    The smallest is multiplied by their number n, the next by n - 1 and so on; none is smaller than
    one before it, or larger than 1. Tests without a p-value (None) do not count.

    Parameters
    ----------
    p_values : sequence of float or None

    Returns
    -------
    list of float or None

    Examples
    --------
    >>> from predfeat.experiments.reproduction import holm
    >>> holm([0.25, 0.125, None, 0.5])
    [0.5, 0.375, None, 0.5]
    """
    order = sorted(
        (i for i, value in enumerate(p_values) if value is not None),
        key=lambda i: p_values[i] or 0.0,
    )
    corrected: list[float | None] = [None] * len(p_values)
    largest = 0.0
    for place, i in enumerate(order):
        largest = max(largest, min(1.0, (len(order) - place) * (p_values[i] or 0.0)))
        corrected[i] = largest
    return corrected


def signed_rank_csv(table: Sequence[SignedRank]) -> str:
    """Return the table as text, one line for each test.

    Parameters
    ----------
    table : list of SignedRank

    Returns
    -------
    str
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    names = list(SignedRank.__dataclass_fields__)
    writer.writerow(names)
    for row in table:
        values = [getattr(row, name) for name in names]
        writer.writerow(["" if value is None else value for value in values])
    return text.getvalue()
