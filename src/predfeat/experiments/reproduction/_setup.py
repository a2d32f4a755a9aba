"""An experiment on one data set: its panels, its defaults, and the points they ask for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from predfeat.experiments.reproduction._methods import TRUTH, Parameters, settings_of
from predfeat.experiments.reproduction._sources import Source
from predfeat.experiments.reproduction._specification import DataPoint, Fit

__all__ = ["LABELS", "Panel", "PanelPoint", "Setup", "main_panel", "panel_points", "repeat_points"]

# How the paper writes each parameter.
LABELS = {
    "n_lags": "p",
    "n_neighbors": "k",
    "n_measured": "q",
    "n_train": "S_train",
    "max_iter": "R",
    "n_components": "M",
    "n_columns": "N",
}


@dataclass(frozen=True)
class Panel:
    """One figure of the paper: the results against one parameter, the others at their defaults.

    Attributes
    ----------
    letter : str
    parameter : str
        A field of `Parameters`.
    values : tuple of int
    exact : bool, default=False
        Whether GPFA does all R iterations, even if the experiment lets it stop early.
    """

    letter: str
    parameter: str
    values: tuple[int, ...]
    exact: bool = False

    def parameters(self, defaults: Parameters, value: int) -> Parameters:
        """Return the parameters at one of the values."""
        changed = replace(defaults, **{self.parameter: value})
        return replace(changed, tol=0.0) if self.exact else changed


@dataclass(frozen=True)
class Setup:
    """An experiment on one data set.

    Attributes
    ----------
    experiment : {"toy", "audio", "visual"}
    source : Source
    panels : tuple of Panel
    defaults : Parameters
    methods : tuple of str
    n_test : int
        S_test.
    pca_components : float or None
    n_repeats : tuple of int
        Candidates for PFA's K; where there are several, the one with the best features of the
        training parts of the first repetitions is taken.
    tested_components : tuple of int
        M of the significance tests.
    times : bool
        Whether to draw run times, too.
    random_state : int
        The data of repetition i is drawn from (random_state, i).
    """

    experiment: str
    source: Source
    panels: tuple[Panel, ...]
    defaults: Parameters
    methods: tuple[str, ...]
    n_test: int
    pca_components: float | None
    n_repeats: tuple[int, ...]
    tested_components: tuple[int, ...]
    times: bool = False
    random_state: int = 0

    @property
    def n_ordered(self) -> int:
        """The most features that any panel asks for."""
        return self._most("n_components")

    @property
    def n_drawn(self) -> int:
        """The most rows to learn from that any panel asks for."""
        return self._most("n_train")

    def _most(self, parameter: str) -> int:
        asked = [value for panel in self.panels if panel.parameter == parameter
                 for value in panel.values]  # fmt: skip
        return int(max([getattr(self.defaults, parameter), *asked]))

    def point(
        self, method: str, parameters: Parameters, repetition: int, n_repeats: int, part: str
    ) -> DataPoint:
        """Return the data point of a method at some parameters."""
        # One fit serves all M of the methods whose features come one after the other. The toy
        # experiment has one M only.
        settings = () if method == TRUTH else settings_of(
            method, parameters, n_ordered=self.n_ordered, n_repeats=n_repeats,
            repetition=repetition,
        )  # fmt: skip
        fit = Fit(
            experiment=self.experiment,
            data=self.source.name,
            fingerprint=self.source.fingerprint,
            n_columns=parameters.n_columns,
            n_train=parameters.n_train,
            n_test=self.n_test,
            n_drawn=self.n_drawn if self.pca_components else parameters.n_train,
            pca_components=self.pca_components,
            method=method,
            settings=settings,
            repetition=repetition,
            seed=self.random_state,
        )
        return DataPoint(
            fit, parameters.n_components, parameters.n_lags, parameters.n_measured, part
        )


@dataclass(frozen=True)
class PanelPoint:
    """A data point and its place in a panel."""

    panel: Panel
    value: int
    method: str
    repetition: int
    point: DataPoint


def main_panel(setup: Setup) -> Panel:
    """Return the panel of the central results: the last one, f in the paper."""
    return setup.panels[-1]


def panel_points(
    setup: Setup, n_repeats: int, n_repetitions: int, n_repetitions_of_others: int | None = None
) -> Iterator[PanelPoint]:
    """Yield the points of all panels, in the order of the tidy table.

    Parameters
    ----------
    setup : Setup
    n_repeats : int
        PFA's K.
    n_repetitions : int
    n_repetitions_of_others : int, optional
        Of the panels other than the central one; the same by default.

    Yields
    ------
    PanelPoint
    """
    for panel in setup.panels:
        for value in panel.values:
            parameters = panel.parameters(setup.defaults, value)
            for method in setup.methods:
                n_here = n_repetitions
                if n_repetitions_of_others is not None and panel != main_panel(setup):
                    n_here = n_repetitions_of_others
                for repetition in range(n_here):
                    point = setup.point(method, parameters, repetition, n_repeats, "test")
                    yield PanelPoint(panel, value, method, repetition, point)


def repeat_points(setup: Setup, n_repetitions: int = 3) -> dict[int, Sequence[DataPoint]]:
    """Return the points that decide between candidates for PFA's K.

    They are measured on training parts, at the default parameters, and always on those of the
    same repetitions: however many others follow, K stays the same.

    Parameters
    ----------
    setup : Setup
    n_repetitions : int

    Returns
    -------
    dict of list of DataPoint
    """
    return {
        n_repeats: [
            setup.point("PFA", setup.defaults, repetition, n_repeats, "train")
            for repetition in range(n_repetitions)
        ]
        for n_repeats in setup.n_repeats
    }
