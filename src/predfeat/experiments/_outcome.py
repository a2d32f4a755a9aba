"""The result of a comparison on one recording: its protocol and the runs of each method."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from predfeat._typing import FloatArray, IntArray
from predfeat.datasets import Recording
from predfeat.experiments._ahead import Ahead
from predfeat.experiments._other_lags import OtherLags
from predfeat.experiments._scores import Measure
from predfeat.series import Sequences
from predfeat.splits import Split

__all__ = ["Limits", "MethodRuns", "Protocol", "Study"]


@dataclass(frozen=True)
class Limits:
    """The most rows of a long recording that a comparison uses.

    Attributes
    ----------
    max_train, max_test : int
        Of the training and the test part of a repetition.
    max_fit : int
        Of the last fit, spread evenly.

    Examples
    --------
    >>> from predfeat.experiments import Limits
    >>> Limits(max_train=1000)
    Limits(max_train=1000, max_test=2500, max_fit=10000)
    """

    max_train: int = 5_000
    max_test: int = 2_500
    max_fit: int = 10_000


@dataclass(frozen=True)
class Protocol:
    """How the methods were compared.

    Attributes
    ----------
    n_components, n_lags, horizon, n_neighbors : int
    pca_components : int, float or None
    rank : int
        Dimensions of white space, on the rows of the last fit.
    random_state : int
        Seed of the splits and of the methods.
    splits : list of Split
        The rows of every repetition.
    max_train, max_test, max_fit : int
        The most rows of a training part, a test part, and the last fit.
    fitted_rows, fitted_groups : ndarray of int
        Rows of the last fit, and the sequence of each.
    """

    n_components: int
    n_lags: int
    horizon: int
    n_neighbors: int
    pca_components: int | float | None
    rank: int
    random_state: int
    splits: list[Split]
    max_train: int
    max_test: int
    max_fit: int
    fitted_rows: IntArray
    fitted_groups: IntArray

    @property
    def measure(self) -> Measure:
        """How features are measured."""
        return Measure(self.n_lags, self.horizon, self.n_neighbors)


@dataclass(frozen=True)
class MethodRuns:
    """One method in all repetitions, and fitted to the whole.

    Attributes
    ----------
    method : str
    test, train : list of float
        `predfeat.measures.predictability` of the features of each test and training part.
    test_share, train_share : list of float
        The same as a share of the features' variance there: what is left to chance. With
        `ddof=1`, so that pure noise has 1 on average.
    seconds : list of float
        Of each fit.
    model : estimator
        Fitted on the rows of the last fit, or that of a repetition; see `repetition`.
    repetition : int or None
        None if the model is that of the last fit. An iterative search may give a worse result there
        than on a part of the same rows; the model of the best method is then that of the
        repetition given here, which leaves less to chance on the rows of the last fit.
    models : list of estimator
        Of the repetitions.
    fit_seconds : list of float
        Of the last fit, one number.
    """

    method: str
    model: Any
    test: list[float] = field(default_factory=list)
    train: list[float] = field(default_factory=list)
    test_share: list[float] = field(default_factory=list)
    train_share: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    fit_seconds: list[float] = field(default_factory=list)
    models: list[Any] = field(default_factory=list)
    repetition: int | None = None


@dataclass(frozen=True)
class Study:
    """Methods compared on a recording.

    Attributes
    ----------
    recording : Recording
    series : Sequences
        Its rows, cut into sequences.
    protocol : Protocol
    runs : list of MethodRuns
    left_out : dict of str
        Methods that were not run, with the reason.
    other_lags : list of OtherLags
        The features that the best method found in the repetitions, measured with more lags; empty
        if the number of lags was given.
    predicted : list of float
        For every repetition, the share of the best method's features in the test part that similar
        states of the training part predict; negative if their mean would predict better.
    ahead : Ahead or None
        How far ahead these features can be predicted; None if the sequences are too short.
    """

    recording: Recording
    series: Sequences
    protocol: Protocol
    runs: list[MethodRuns]
    left_out: dict[str, str]
    other_lags: list[OtherLags] = field(default_factory=list)
    predicted: list[float] = field(default_factory=list)
    ahead: Ahead | None = None

    @property
    def best(self) -> MethodRuns:
        """The method whose test features leave the smallest share to chance, on average."""
        return min(self.runs, key=lambda run: float(np.mean(run.test_share)))

    @property
    def model(self) -> Any:
        """The best method, fitted; see `MethodRuns.model`."""
        return self.best.model

    @property
    def learned_from(self) -> tuple[IntArray, IntArray]:
        """The rows that `model` was fitted to, and the sequence of each."""
        protocol, repetition = self.protocol, self.best.repetition
        if repetition is None:
            return protocol.fitted_rows, protocol.fitted_groups
        rows = protocol.splits[repetition].train
        return rows, self.series.sequence_first[rows]

    @property
    def features(self) -> FloatArray:
        """The best method's features of every row; gaps are NaN."""
        features: FloatArray = self.model.transform(self.recording.values)
        return features
