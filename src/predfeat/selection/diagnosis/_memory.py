"""How much better a feature's past predicts its next step than its present value alone."""

from __future__ import annotations

import numpy as np

from predfeat._typing import FloatArray, IntArray
from predfeat.exceptions import ShortSequencesError, SplitError
from predfeat.measures import autoregression_error
from predfeat.series import Sequences
from predfeat.splits import purged_folds

__all__ = ["LAGS", "held_out_autoregressions"]

# Two values show where a feature is going; more of them average out noise in the last one.
LAGS = (1, 2, 5, 10)
_FOLDS = 4


def held_out_autoregressions(features: Sequences) -> FloatArray | None:
    """Return the error of linear prediction of each feature from its own last values.

    Coefficients are fitted to one part of the rows and tested on another that neither touches nor
    overlaps it; each row is tested once.

    Parameters
    ----------
    features : Sequences

    Returns
    -------
    ndarray of shape (len(LAGS), n_features), or None
        Mean squared errors as shares of each feature's variance, for 1, 2, 5 and 10 last values;
        NaN if no stretch is long enough, None if there are too few rows to hold any out.

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.selection.diagnosis._memory import held_out_autoregressions
    >>> from predfeat.series import check_sequences
    >>> wave = check_sequences(np.sin(0.1 * np.arange(400))[:, None])
    >>> one, two, *_ = held_out_autoregressions(wave)[:, 0]
    >>> bool(one > 0.005 and two < 1e-6)
    True
    """
    try:
        folds = purged_folds(features, _FOLDS, gap=max(LAGS) + 1)
    except SplitError:
        return None
    errors = np.zeros((len(LAGS), features.n_columns))
    n_tested = np.zeros((len(LAGS), 1))
    for fold in folds:
        train, test = (_with_gaps(part) for part in fold.parts(features))
        for i, n_lags in enumerate(LAGS):
            try:
                found = [
                    autoregression_error(
                        test[0][:, [j]],
                        n_lags,
                        groups=test[1],
                        fit_on=train[0][:, [j]],
                        fit_groups=train[1],
                    )
                    for j in range(features.n_columns)
                ]
            except ShortSequencesError:
                continue
            errors[i] += len(test[0]) * np.array(found)
            n_tested[i] += len(test[0])
    variance = features.samples.var(axis=0)
    share: FloatArray = np.divide(
        errors, n_tested * variance, out=np.full_like(errors, np.nan), where=n_tested * variance > 0
    )
    return share


def _with_gaps(part: Sequences) -> tuple[FloatArray, IntArray]:
    return np.where(part.valid[:, None], part.rows, np.nan), part.sequence_first
