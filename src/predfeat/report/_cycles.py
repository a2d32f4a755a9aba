"""How long the cycles of features last, as numbers for the results and as words."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from predfeat._typing import FloatArray
from predfeat.datasets import Spectrum
from predfeat.experiments import Study
from predfeat.measures import periods
from predfeat.report._loadings import frequency_profile
from predfeat.report._svg import number
from predfeat.report._traces import frequency_axis, plain

__all__ = ["as_long_as_known", "cycle_name", "cycles_of", "is_clear", "lasting", "loudness"]

_SECONDS = {"seconds": 1.0, "minutes": 60.0, "hours": 3_600.0, "days": 86_400.0}
# Periods of the sun and the calendar are named, if they are known precisely enough.
_NAMED_PERIODS = (("daily", 86_400.0), ("weekly", 7 * 86_400.0), ("yearly", 365.2425 * 86_400.0))
_LARGEST_NAMED_RESOLUTION = 0.2  # of the period
# A cycle with a smaller share of the variance says little about a feature.
_SMALLEST_SHARE = 0.1
# Units, their length, and from how many seconds on they are used.
_DISPLAY_UNITS = (
    ("days", 86_400.0, 172_800.0),
    ("hours", 3_600.0, 7_200.0),
    ("minutes", 60.0, 120.0),
    ("s", 1.0, 0.9),
)


def cycles_of(study: Study, features: FloatArray, loadings: FloatArray) -> list[dict[str, Any]]:
    """Return the cycle of each of the best method's features, or that there is none.

    A tone turns the phase of its spectra from frame to frame, at a rate that depends on the
    frames' distance as much as on the tone. For features of such spectra, the cycle of their
    loudness is measured instead.

    Parameters
    ----------
    study : Study
    features : ndarray of shape (n_rows, n_features)
        Of every row; gaps are NaN.
    loadings : ndarray of shape (n_features, n_columns)
        Correlations of the columns with them.

    Returns
    -------
    list of dict
        `period`, `resolution`, `share` and `slower_than`, each a number or None, the `unit` of the
        times, and what they are `of`: "feature" or "loudness".
    """
    layout = study.recording.layout
    of = "feature"
    if isinstance(layout, Spectrum) and "imaginary" in layout.parts:
        of, features = "loudness", loudness(layout, study.recording.values, loadings)
    _, unit, per_row = frequency_axis(study.recording)
    # Only ForeCA chooses directions by their spectrum.
    kept = getattr(study.model, "best_candidate_", type(study.model).__name__)
    found = periods(
        features,
        groups=study.series.sequence_first,
        n_directions=study.protocol.rank if str(kept).startswith("ForeCA") else 1,
    )
    return [
        {
            "period": plain(per_row * found.period[i], 6),
            "resolution": plain(per_row * found.resolution[i], 3),
            "share": plain(found.share[i], 3),
            "slower_than": plain(per_row * found.slower_than[i], 3),
            "unit": unit,
            "of": of,
        }
        for i in range(features.shape[1])
    ]


def loudness(layout: Spectrum, values: FloatArray, loadings: FloatArray) -> FloatArray:
    """Return how loud the frequencies of each feature are, whatever their phase.

    Parameters
    ----------
    layout : Spectrum
    values : ndarray of shape (n_rows, n_columns)
    loadings : ndarray of shape (n_features, n_columns)

    Returns
    -------
    ndarray of shape (n_rows, n_features)
        The root of the frequencies' power, each as a multiple of its own mean, weighted by their
        squared loading.

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.datasets import Spectrum
    >>> layout = Spectrum(np.array([440.0, 440.0]), ("real", "imaginary"))
    >>> loudness(layout, np.array([[3.0, 4.0], [5.0, 0.0]]), np.array([[1.0, 0.0]]))
    array([[1.],
           [1.]])
    """
    frequencies, profiles = frequency_profile(layout, loadings)
    place = np.searchsorted(frequencies, layout.frequencies)
    squares = np.square(values, dtype=np.float64)
    mean = np.bincount(place, np.nanmean(squares, axis=0), len(frequencies))
    weights = np.divide(profiles**2, mean, out=np.zeros_like(profiles), where=mean > 0)
    loud: FloatArray = np.sqrt(squares @ weights[:, place].T)
    return loud


def cycle_name(cycle: dict[str, Any]) -> str:
    """Return a few words for a cycle; none where there is none.

    Examples
    --------
    >>> cycle_name({"period": 371.0, "resolution": 46.0, "slower_than": None, "unit": "days"})
    'yearly cycle'
    >>> cycle_name({"period": 1.0023, "resolution": 0.017, "slower_than": None, "unit": "seconds"})
    'cycle of 1.00 s'
    >>> cycle_name({"period": None, "resolution": None, "slower_than": 487.0, "unit": "days"})
    'slower than 490 days'
    """
    name = _name(cycle)
    if name and cycle.get("of") == "loudness":
        return f"loudness {'' if 'slower' in name else 'with a '}{name}"
    return name


def is_clear(cycle: dict[str, Any]) -> bool:
    """Tell whether there is a cycle with a notable share of the variance."""
    share = cycle.get("share")  # absent in older results
    return cycle["period"] is not None and (share is None or share >= _SMALLEST_SHARE)


def _name(cycle: dict[str, Any]) -> str:
    if is_clear(cycle):
        period, resolution = cycle["period"], cycle["resolution"] or 0.0
        seconds = _SECONDS.get(cycle["unit"])
        if seconds is not None and resolution <= _LARGEST_NAMED_RESOLUTION * period:
            for name, length in _NAMED_PERIODS:
                if abs(period * seconds - length) <= resolution * seconds:
                    return f"{name} cycle"
        return f"cycle of {lasting(period, resolution, cycle['unit'])}"
    if cycle["slower_than"] is not None:
        slower = cycle["slower_than"]
        return f"slower than {lasting(slower, slower / 10, cycle['unit'])}"
    return ""


def lasting(time: float, resolution: float, unit: str) -> str:
    """Write a time with its unit, to the digits that are known.

    Examples
    --------
    >>> lasting(366.2, 46.0, "days"), lasting(0.0301, 0.0002, "seconds")
    ('370 days', '30.1 ms')
    """
    if unit in _SECONDS:
        time, resolution = time * _SECONDS[unit], resolution * _SECONDS[unit]
        unit, length = next(
            ((name, length) for name, length, least in _DISPLAY_UNITS if time >= least),
            ("ms", 1e-3),
        )
        time, resolution = time / length, resolution / length
    return f"{as_long_as_known(time, resolution)} {unit}"


def as_long_as_known(value: float, resolution: float) -> str:
    """Write a number to the digits that are known.

    Examples
    --------
    >>> as_long_as_known(366.2, 46.0), as_long_as_known(1.0023, 0.017), as_long_as_known(7.0, 0.0)
    ('370', '1.00', '7')
    """
    if not resolution > 0:
        return number(value)
    place = math.floor(math.log10(resolution))
    # The first digit is always shown.
    place = min(place, math.floor(math.log10(abs(value)))) if value else place
    rounded = round(value / 10.0**place) * 10.0**place
    text = f"{rounded:,.{max(0, -place)}f}"
    return text.replace(",", "\N{NO-BREAK SPACE}")
