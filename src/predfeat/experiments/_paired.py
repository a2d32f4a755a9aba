"""Whether two methods differ, judged over the same repetitions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

__all__ = ["PairedTest", "paired_test"]

# With fewer, the two-sided test cannot give a p-value below 5 %.
FEWEST_PAIRS = 6


@dataclass(frozen=True)
class PairedTest:
    """A method compared with the best one, repetition by repetition.

    Attributes
    ----------
    n_repetitions : int
    n_worse : int
        Repetitions in which the method was worse than the best one.
    difference : float
        Median of its score minus the best one's.
    p_value : float or None
        Of the two-sided Wilcoxon signed-rank test; None with fewer than six repetitions that
        differ, which are too few for the test.
    """

    n_repetitions: int
    n_worse: int
    difference: float
    p_value: float | None


def paired_test(scores: Sequence[float], best: Sequence[float]) -> PairedTest:
    """Compare two methods' scores over the same repetitions, lower being better.

    Repetitions on one recording overlap, and the best method was chosen by the same scores: the
    p-value is smaller than it would be for as many recordings.

    Parameters
    ----------
    scores, best : sequence of float
        One score per repetition.

    Returns
    -------
    PairedTest

    Examples
    --------
    >>> from predfeat.experiments import paired_test
    >>> paired_test([3, 4, 5, 6, 7, 8], [1, 1, 1, 1, 1, 1])
    PairedTest(n_repetitions=6, n_worse=6, difference=4.5, p_value=0.03125)
    """
    difference = np.asarray(scores, dtype=float) - np.asarray(best, dtype=float)
    n_different = int(np.count_nonzero(difference))
    p_value = None
    if n_different >= FEWEST_PAIRS:
        p_value = float(stats.wilcoxon(difference[difference != 0]).pvalue)
    return PairedTest(
        len(difference), int(np.sum(difference > 0)), float(np.median(difference)), p_value
    )
