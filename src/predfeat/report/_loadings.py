"""What a feature is made of, in the terms of the recording: columns, frequencies or pixels."""

from __future__ import annotations

from typing import Any

import numpy as np

from predfeat._typing import FloatArray, IntArray
from predfeat.datasets import Image, Layout, Recording, Spectrum
from predfeat.experiments import Study
from predfeat.features import Expanded, Sensitivity, sensitivity
from predfeat.report._traces import plain

__all__ = [
    "correlations",
    "describe_loadings",
    "frames_at",
    "frequency_profile",
    "relative",
    "responses",
    "smaller_image",
]

_LARGEST_COLUMNS = 12
_LARGEST_SIDE = 64
_DIGITS = 4


def correlations(samples: FloatArray, features: FloatArray) -> FloatArray:
    """Return the correlation of every feature with every column; 0 with constant columns.

    Parameters
    ----------
    samples : ndarray of shape (n_rows, n_columns)
    features : ndarray of shape (n_rows, n_features)

    Returns
    -------
    ndarray of shape (n_features, n_columns)
    """
    columns, signals = _unit(samples), _unit(features)
    return signals.T @ columns


def responses(study: Study) -> Sensitivity | None:
    """Return what nonlinear features respond to; None if the features are linear.

    Parameters
    ----------
    study : Study

    Returns
    -------
    Sensitivity or None
    """
    if not isinstance(study.model, Expanded):
        return None
    return sensitivity(study.model, study.recording.values)


def relative(responses: FloatArray) -> FloatArray:
    """Return each feature's responses as shares of its largest: other than correlations, they have
    no scale of their own.

    Parameters
    ----------
    responses : ndarray of shape (n_features, n_columns)

    Returns
    -------
    ndarray of shape (n_features, n_columns)
    """
    largest = responses.max(axis=1, keepdims=True)
    shares: FloatArray = responses / np.where(largest > 0, largest, 1.0)
    return shares


def _unit(values: FloatArray) -> FloatArray:
    centred = values - values.mean(axis=0)
    peak = np.abs(values).max(axis=0, initial=0.0)
    lengths = np.linalg.norm(centred, axis=0)
    present = lengths > 1e-12 * peak * np.sqrt(len(values))
    unit: FloatArray = np.divide(centred, lengths, out=np.zeros_like(centred), where=present)
    return unit


def describe_loadings(
    layout: Layout, names: tuple[str, ...], loadings: FloatArray, weights: FloatArray | None
) -> dict[str, Any]:
    """Return the loadings in the form that suits the columns.

    Parameters
    ----------
    layout : Channels, Spectrum or Image
    names : tuple of str
        Of the columns.
    loadings : ndarray of shape (n_features, n_columns)
        Correlations of the columns with the features, or what nonlinear features respond to.
    weights : ndarray of shape (n_features, n_columns) or None
        With which the features are read from the columns; nonlinear features have none.

    Returns
    -------
    dict
        "kind" is "columns", "frequencies" or "images"; see docs/results-format.md.
    """
    if isinstance(layout, Spectrum):
        frequencies, profiles = frequency_profile(layout, loadings)
        return {
            "kind": "frequencies",
            "frequencies": plain(frequencies, 6),
            "profiles": plain(profiles, _DIGITS),
        }
    if isinstance(layout, Image):
        shape = (layout.height, layout.width)
        return {
            "kind": "images",
            "filters": [] if weights is None else _images(weights, shape),
            "patterns": _images(loadings, shape),
        }
    return {
        "kind": "columns",
        "n_columns": len(names),
        "features": [_largest_columns(row, names) for row in loadings],
    }


def _images(rows: FloatArray, shape: tuple[int, int]) -> list[Any]:
    return [plain(smaller_image(row.reshape(shape)), _DIGITS) for row in rows]


def _largest_columns(loadings: FloatArray, names: tuple[str, ...]) -> list[dict[str, Any]]:
    order = np.argsort(-np.abs(loadings), kind="stable")[:_LARGEST_COLUMNS]
    return [{"name": names[i], "loading": plain(loadings[i], _DIGITS)} for i in order]


def frames_at(recording: Recording, rows: IntArray) -> list[Any]:
    """Return frames of the recording, to be put beside what features are made of.

    What is there to be seen where a feature is high, or low.
    """
    layout = recording.layout
    assert isinstance(layout, Image)
    return _images(recording.values[rows].astype(np.float64), (layout.height, layout.width))


def frequency_profile(layout: Spectrum, loadings: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the distinct frequencies and each feature's loading there.

    Real and imaginary parts of one frequency are one thing: the root of their squares' sum.
    """
    frequencies, place = np.unique(layout.frequencies, return_inverse=True)
    squares = np.zeros((len(loadings), len(frequencies)))
    for column, where in enumerate(place):
        squares[:, where] += loadings[:, column] ** 2
    return frequencies, np.sqrt(squares)


def smaller_image(image: FloatArray) -> FloatArray:
    """Average blocks of pixels so that neither side has more than 64."""
    for axis in (0, 1):
        n_pixels = image.shape[axis]
        if n_pixels > _LARGEST_SIDE:
            starts = np.arange(_LARGEST_SIDE) * n_pixels // _LARGEST_SIDE
            counts = np.diff(np.append(starts, n_pixels))
            sums = np.add.reduceat(image, starts, axis=axis)
            image = sums / (counts[:, None] if axis == 0 else counts)
    return image
