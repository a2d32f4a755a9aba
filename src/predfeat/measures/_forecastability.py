"""ForeCA's measure."""

from __future__ import annotations

from typing import Any

import numpy as np

from predfeat._typing import ArrayLike, FloatArray
from predfeat.exceptions import NoSpectrumError
from predfeat.measures._input import as_features, moderate
from predfeat.measures._spectra import power_spectra, segment_transforms, spectral_entropy

__all__ = ["forecastability"]


def forecastability(Y: Any, *, groups: ArrayLike | None = None) -> FloatArray:
    r"""Higher is better: Ω, how far the spectrum is from that of white noise, between 0 and 1.

    .. math:: \Omega(y) = 1 + \sum_\lambda f(\lambda) \log_{2F} f(\lambda)

    with f the spectrum over the 2F frequencies other than 0, summing to one. The spectrum is
    estimated by weighted overlapped segment averaging, as in the R package ForeCA 0.2.6, whose
    values (in percent) this reproduces.

    Parameters
    ----------
    Y : array-like of shape (n_rows, n_features) or (n_rows,)
        Features in time order; rows with a NaN are gaps, which have no weight. No segment of the
        estimate crosses a sequence boundary.
    groups : array-like of shape (n_rows,), optional
        Ids of the sequences.

    Returns
    -------
    ndarray of shape (n_features,)

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.measures import forecastability
    >>> rng = np.random.default_rng(0)
    >>> Y = np.column_stack([np.sin(0.5 * np.arange(700)), rng.normal(size=700)])
    >>> forecastability(Y).round(1)
    array([0.5, 0. ])
    """
    features, _ = moderate(as_features(Y, groups))
    samples = features.samples
    flat = np.flatnonzero(
        samples.max(axis=0, initial=-np.inf) <= samples.min(axis=0, initial=np.inf)
    )
    if flat.size:
        raise NoSpectrumError(
            f"feature(s) {', '.join(map(str, flat[:10]))} are constant: they have no spectrum. "
            "Drop them."
        )
    return 1.0 - spectral_entropy(power_spectra(segment_transforms(features)))
