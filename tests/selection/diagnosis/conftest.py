"""Small series of every layout, with their neighbours, for the twins."""

from types import SimpleNamespace

import numpy as np
import pytest

import naive
from predfeat import nearest_neighbors
from predfeat.series import check_sequences

SERIES = {
    "one sequence": ([60], 0, 1),
    "sequences": ([20, 1, 25, 3, 15], 0, 2),
    "sequences and gaps": ([30, 20, 12], 6, 2),
}


@pytest.fixture(params=SERIES)
def given(request):
    lengths, n_gaps, p = SERIES[request.param]
    rows, groups = naive.random_series(3, lengths, n_columns=2, n_gaps=n_gaps)
    rows = np.cumsum(np.nan_to_num(rows), axis=0) + 0 * rows  # slow, so that some are adjacent
    return SimpleNamespace(
        X=rows,
        groups=groups,
        p=p,
        series=check_sequences(rows, groups),
        table=nearest_neighbors(rows, n_neighbors=4, n_lags=p, groups=groups),
    )
