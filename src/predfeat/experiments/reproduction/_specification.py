"""What exactly a number in a figure is the result of."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from typing import TypeAlias

__all__ = ["DataPoint", "Fit", "Setting", "canonical_json", "key_of"]

Setting: TypeAlias = str | int | float | None


@dataclass(frozen=True)
class Fit:
    """One method fitted to one training part: everything its result depends on.

    Attributes
    ----------
    experiment : {"toy", "audio", "visual"}
    data : str
        Name of the data set.
    fingerprint : str
        Of the data set's numbers, or of the generator that makes them.
    n_columns : int
        Input dimensions, N.
    n_train, n_test : int
        Rows to learn from and to measure on.
    n_drawn : int
        Rows of the training window that was drawn; the first `n_train` of them are used, so that
        repetitions with fewer rows to learn from are measured on the same test rows.
    pca_components : float or None
        Share of the variance that a PCA keeps before whitening.
    method : str
        Name of the method, as in `estimator_of`.
    settings : tuple of (str, value)
        The method's parameters, by name, in alphabetical order.
    repetition, seed : int
        The data is drawn from (seed, repetition).
    """

    experiment: str
    data: str
    fingerprint: str
    n_columns: int
    n_train: int
    n_test: int
    n_drawn: int
    pca_components: float | None
    method: str
    settings: tuple[tuple[str, Setting], ...]
    repetition: int
    seed: int


@dataclass(frozen=True)
class DataPoint:
    """One measurement of one fit's features.

    It does not say which panel it is for: the same numbers appear in several (every panel holds
    the defaults), and are computed once.

    Attributes
    ----------
    fit : Fit
    n_components : int
        Features measured, M: the first ones of those that were fitted.
    n_lags, n_neighbors : int
        Of the measure, p and q.
    part : {"test", "train"}
        The rows measured on.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from predfeat.experiments.reproduction import DataPoint, Fit, key_of
    >>> fit = Fit("toy", "noise", "", 10, 700, 100, 700, None, "SFA", (("n_components", 2),), 0, 0)
    >>> point = DataPoint(fit, n_components=2, n_lags=1, n_neighbors=10)
    >>> key_of(point, "0.1.0") == key_of(replace(point), "0.1.0")
    True
    >>> key_of(point, "0.1.0") == key_of(point, "0.2.0")
    False
    """

    fit: Fit
    n_components: int
    n_lags: int
    n_neighbors: int
    part: str = "test"


def canonical_json(point: DataPoint | Fit) -> str:
    """Return a specification as JSON with one spelling only.

    Parameters
    ----------
    point : DataPoint or Fit

    Returns
    -------
    str

    Examples
    --------
    >>> from predfeat.experiments.reproduction import Fit, canonical_json
    >>> fit = Fit("toy", "noise", "", 10, 700, 100, 700, None, "SFA", (("n_components", 2),), 0, 0)
    >>> canonical_json(fit)[:46]
    '{"data":"noise","experiment":"toy","fingerprin'
    """
    return json.dumps(
        asdict(point), sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )


def key_of(point: DataPoint, version: str) -> str:
    """Return the name of a result: another specification or library version has another one.

    Parameters
    ----------
    point : DataPoint
    version : str
        Of the library that computed the result.

    Returns
    -------
    str
        64 hexadecimal digits.
    """
    text = f"{version}\n{canonical_json(point)}"
    return hashlib.sha256(text.encode("utf-8")).hexdigest()
