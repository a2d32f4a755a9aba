"""Do a few loud moments dominate?"""

from __future__ import annotations

from collections.abc import Iterator
from math import exp, lgamma

import numpy as np

from predfeat._typing import FloatArray
from predfeat.features import GPFA
from predfeat.selection.diagnosis._findings import Finding
from predfeat.selection.diagnosis._subject import Subject

__all__ = ["check_loudness", "evenness"]

# Chaotic, oscillating and noisy processes have 0.99 or more, recordings of sound 0.7 to 0.85.
_MIN_EVENNESS = 0.9
_LOUDEST_SHARE = 0.05
# With fewer samples, the loudest are too few to mean anything.
_FEWEST_SAMPLES = 100


def evenness(white: FloatArray) -> float:
    """Return the squared mean length of white samples divided by their mean squared length.

    Relative to independent normal numbers: 1 if no sample is louder than by chance, towards 0 if
    few samples hold all the variance.

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.selection.diagnosis._loudness import evenness
    >>> noise = np.random.default_rng(0).normal(size=(5000, 4))
    >>> round(evenness(noise), 2)
    1.0
    >>> noise[::20] *= 10  # a click now and then
    >>> round(evenness(noise), 2)
    0.36
    """
    n_columns = white.shape[1]
    lengths = np.linalg.norm(white, axis=1)
    of_normal = 2 / n_columns * exp(2 * (lgamma((n_columns + 1) / 2) - lgamma(n_columns / 2)))
    return float(lengths.mean() ** 2 / np.mean(lengths**2) / of_normal)


def check_loudness(subject: Subject) -> Iterator[Finding]:
    """Compare the lengths of the white samples with those of noise."""
    model = subject.model
    if isinstance(model, GPFA) and model.weighting == "inverse_spread":
        return
    white = subject.white.samples
    if len(white) < _FEWEST_SAMPLES or white.shape[1] == 0:
        return
    even = evenness(white)
    if even > _MIN_EVENNESS:
        return
    squares = np.sort(np.einsum("ij,ij->i", white, white))[::-1]
    weighted = (
        "`weighting='inverse_spread'`, `normalized=False` and `init='slow_fast'`"
        if isinstance(model, GPFA)
        else "`GPFA(weighting='inverse_spread', normalized=False, init='slow_fast')`"
    )
    held = float(squares[: round(_LOUDEST_SHARE * len(squares))].sum() / squares.sum())
    yield Finding(
        "loud-moments",
        "note",
        f"The loudest {_LOUDEST_SHARE:.0%} of the samples hold {held:.0%} of the variance.",
        "These moments dominate the variances: they decide which features are found, and a feature "
        "may look predictable elsewhere only because it is silent there.",
        f"Compare with {weighted}, which lets loud moments count less, and measure with "
        "`predictability(relative=True)`.",
        {"evenness": even, "held_by_loudest": held},
    )
