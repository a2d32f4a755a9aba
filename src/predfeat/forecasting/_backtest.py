"""A forecaster judged on rows that it could not know, several times over."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from predfeat._typing import ArrayLike
from predfeat.exceptions import ForecastError
from predfeat.forecasting._evaluation import Evaluation, mean_evaluation
from predfeat.forecasting._forecaster import Forecaster
from predfeat.series import check_matrix, check_sequences

__all__ = ["Backtest", "backtest"]


@dataclass(frozen=True)
class Backtest:
    """How a forecaster did in several blocks of rows, each fitted to the rows before.

    Attributes
    ----------
    blocks : tuple of Evaluation
        The earliest first.
    mean : Evaluation
        Over all of them, weighted by their numbers of forecasts.
    starts : tuple of int
        The first row of each block.
    """

    blocks: tuple[Evaluation, ...]
    mean: Evaluation
    starts: tuple[int, ...]


def backtest(
    forecaster: Forecaster,
    X: Any,
    *,
    groups: ArrayLike | None = None,
    n_blocks: int = 3,
    train_share: float = 0.5,
    channels: bool = False,
) -> Backtest:
    """Fit a forecaster to the rows before each of several blocks, and evaluate it on the block.

    Features, choice and calibration are all found anew from the rows before the block.

    Parameters
    ----------
    forecaster : Forecaster
        It is copied, not changed.
    X : array-like of shape (n_rows, n_columns)
        Rows in time order.
    groups : array-like of shape (n_rows,), optional
        Ids of the sequences.
    n_blocks : int, default=3
        How many blocks to cut the later rows into.
    train_share : float, default=0.5
        Share of the rows before the first block.
    channels : bool, default=False
        Judge the forecasts of the input's columns instead of the features.

    Returns
    -------
    Backtest

    Raises
    ------
    ForecastError
        A block is too short for a forecast.

    Examples
    --------
    >>> from predfeat import Forecaster, SFA
    >>> from predfeat.datasets import predictable_noise
    >>> from predfeat.forecasting import backtest
    >>> X = predictable_noise(1500, 4, random_state=0)
    >>> found = backtest(Forecaster(SFA(), n_steps=5), X)
    >>> len(found.blocks), found.mean.skill().shape
    (3, (5,))
    """
    matrix = check_matrix(X)
    check_sequences(matrix, groups)  # ids that do not fit the rows are refused here
    n_rows = len(matrix.values)
    if n_blocks < 1 or not 0 < train_share < 1:
        raise ValueError(
            f"n_blocks={n_blocks} and train_share={train_share} are not possible. Give at least "
            "one block, and a share between 0 and 1."
        )
    edges = np.linspace(round(train_share * n_rows), n_rows, n_blocks + 1).astype(int)
    ids = None if groups is None else np.asarray(groups)
    blocks = []
    for start, stop in pairwise(map(int, edges)):
        if stop - start < forecaster.n_steps + 1:
            raise ForecastError(
                f"{n_rows} rows leave blocks of {stop - start} rows to forecast, but n_steps="
                f"{forecaster.n_steps} needs more. Use fewer blocks (n_blocks) or steps (n_steps)."
            )
        # Not a clone, which would forget features that are fitted already.
        model = Forecaster(**forecaster.get_params(deep=False))
        model.fit(matrix.values[:start], groups=None if ids is None else ids[:start])
        part = None if ids is None else ids[start:stop]
        blocks.append(model.evaluate(matrix.values[start:stop], groups=part, channels=channels))
    return Backtest(tuple(blocks), mean_evaluation(blocks), tuple(map(int, edges[:-1])))
