"""From forecasts of features to forecasts of the columns they were found in."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from predfeat._typing import FloatArray
from predfeat.features import LinearFeatures
from predfeat.series import Sequences

__all__ = ["ChannelMap", "channel_map"]

_SMALLEST_ERROR = 1e-12


@dataclass(frozen=True)
class ChannelMap:
    """How features appear in the columns, and what they leave out.

    Attributes
    ----------
    center : ndarray of shape (n_columns,)
        Added to the reconstruction.
    patterns : ndarray of shape (n_features, n_columns)
        The rows of the least-squares inverse.
    left_out : ndarray of shape (n_columns,)
        Root mean square of what the features cannot reconstruct.
    scale : ndarray of shape (n_steps, n_columns)
        By how much errors exceed what is expected without it.
    """

    center: FloatArray
    patterns: FloatArray
    left_out: FloatArray
    scale: FloatArray

    def forecast(self, mean: FloatArray, expected: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Turn a forecast of features into one of columns, with its expected error.

        The errors of the features, and what they leave out, are taken as uncorrelated; `scale` and
        the calibration make up for where they are not.
        """
        variance = np.square(expected) @ np.square(self.patterns) + np.square(self.left_out)
        return self.center + mean @ self.patterns, self.scale * np.sqrt(variance)


def channel_map(features: LinearFeatures, series: Sequences, n_steps: int) -> ChannelMap:
    """Return the map from a model's features to columns, its scale still 1.

    Parameters
    ----------
    features : LinearFeatures
        Fitted.
    series : Sequences
        Rows to measure on what the features leave out.
    n_steps : int
        How many steps ahead is forecast, H.

    Returns
    -------
    ChannelMap
    """
    samples = series.samples
    found = (samples - features.mean_) @ features.components_.T
    left = samples - features.mean_ - found @ features.patterns_
    smallest = _SMALLEST_ERROR * np.maximum(samples.std(axis=0), _SMALLEST_ERROR)
    left_out = np.maximum(np.sqrt(np.square(left).mean(axis=0)), smallest)
    scale = np.ones((n_steps, series.n_columns))
    return ChannelMap(features.mean_, features.patterns_, left_out, scale)
