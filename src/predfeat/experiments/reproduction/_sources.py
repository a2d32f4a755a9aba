"""Where the numbers of an experiment come from: a generator, or rows of a recording."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from predfeat._typing import FloatArray
from predfeat.datasets import predictable_noise
from predfeat.exceptions import SplitError
from predfeat.experiments.reproduction._specification import Fit
from predfeat.splits import random_windows

__all__ = ["NoiseSource", "Part", "RecordingSource", "Source"]

# Rows between training and test part: more than any p, and more than frames of a sound overlap.
_GAP_ROWS = 20


@dataclass(frozen=True)
class Part:
    """Rows in time order, with the ids of their sequences.

    Attributes
    ----------
    rows : ndarray of shape (n_rows, n_columns)
    groups : ndarray of shape (n_rows,) or None
    """

    rows: FloatArray
    groups: np.ndarray[Any, Any] | None = None


class Source(Protocol):
    """What the experiments ask of data."""

    @property
    def name(self) -> str:
        """The name of the data in figures."""

    @property
    def description(self) -> str:
        """What the data is, in a sentence."""

    @property
    def fingerprint(self) -> str:
        """A text that changes with the data."""

    def parts(self, fit: Fit) -> tuple[Part, Part]:
        """Return the training and the test part of a repetition."""


@dataclass(frozen=True)
class NoiseSource:
    """The paper's predictable noise, drawn anew for each repetition."""

    name: str = "predictable noise"
    description: str = (
        "Two of the columns are successive values of one white noise, the others are white noise: "
        "half of the variance of the two follows from the step before, and nothing else does."
    )
    fingerprint: str = "predictable noise, 1"

    def parts(self, fit: Fit) -> tuple[Part, Part]:
        """Draw a training and a test series."""
        entropy = np.random.SeedSequence((fit.seed, fit.repetition))
        random = np.random.RandomState(np.random.MT19937(entropy))
        train = predictable_noise(fit.n_train, fit.n_columns, random_state=random)
        return Part(train), Part(predictable_noise(fit.n_test, fit.n_columns, random_state=random))


@dataclass(frozen=True)
class RecordingSource:
    """A recording: the parts are two windows at random places, which never touch.

    Attributes
    ----------
    name, description : str
    values : ndarray of shape (n_rows, n_columns)
    groups : ndarray of shape (n_rows,) or None
        Ids of the sequences.
    fingerprint : str
        Of the values; computed by default.

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.experiments.reproduction import RecordingSource
    >>> source = RecordingSource("steps", "The numbers 0, 1, 2, …", np.arange(500.0)[:, None])
    >>> source.require(300, 150)
    >>> source.require(300, 200)
    Traceback (most recent call last):
        ...
    predfeat.exceptions.SplitError: steps has 500 rows, but 300 to learn from, 200 to measure on
    and 20 between them are needed: 520. Give a longer recording.
    """

    name: str
    description: str
    values: FloatArray
    groups: np.ndarray[Any, Any] | None = None
    fingerprint: str = field(default="")

    def __post_init__(self) -> None:
        if not self.fingerprint:
            digest = hashlib.sha256(str(self.values.shape).encode("ascii"))
            digest.update(np.ascontiguousarray(self.values).data)
            if self.groups is not None:
                digest.update("\n".join(map(str, self.groups.tolist())).encode("utf-8"))
            object.__setattr__(self, "fingerprint", digest.hexdigest()[:16])

    def require(self, n_train: int, n_test: int) -> None:
        """Raise if the recording is too short for its two parts."""
        needed = n_train + n_test + _GAP_ROWS
        if len(self.values) < needed:
            raise SplitError(
                f"{self.name} has {len(self.values)} rows, but {n_train} to learn from, {n_test} "
                f"to measure on and {_GAP_ROWS} between them are needed: {needed}. Give a longer "
                "recording."
            )

    def parts(self, fit: Fit) -> tuple[Part, Part]:
        """Return the two windows of a repetition."""
        self.require(fit.n_drawn, fit.n_test)
        random = np.random.default_rng((fit.seed, fit.repetition))
        split = random_windows(
            len(self.values), fit.n_drawn, fit.n_test, _GAP_ROWS, random_state=random
        )
        return self._part(split.train[: fit.n_train]), self._part(split.test)

    def _part(self, rows: np.ndarray[Any, np.dtype[np.intp]]) -> Part:
        window = slice(int(rows[0]), int(rows[-1]) + 1)
        # A copy: the recording may be a file mapped into memory.
        values = np.array(self.values[window], dtype=np.float64, order="C")
        return Part(values, None if self.groups is None else np.array(self.groups[window]))
