"""The toy experiment: predictable noise."""

from __future__ import annotations

from dataclasses import replace

from predfeat.experiments.reproduction._methods import METHODS, TRUTH, Parameters
from predfeat.experiments.reproduction._setup import Panel, Setup
from predfeat.experiments.reproduction._sources import NoiseSource

__all__ = ["toy_setup"]

_PAPER = Setup(
    experiment="toy",
    source=NoiseSource(),
    panels=(
        Panel("a", "n_train", (100, 200, 300, 400, 500, 600, 700, 800)),
        Panel("b", "n_columns", (2, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100)),
        Panel("c", "n_neighbors", (2, 5, 10, 15, 20, 25, 30)),
    ),
    defaults=Parameters(
        n_lags=1,
        n_neighbors=10,
        n_measured=10,
        n_train=700,
        max_iter=50,
        n_components=2,
        n_columns=10,
    ),
    methods=(*METHODS, TRUTH),
    n_test=100,
    pca_components=None,
    n_repeats=(0,),
    tested_components=(2,),
    times=True,
)


def toy_setup(*, quick: bool = False, random_state: int = 0) -> Setup:
    """Return the paper's experiment on predictable noise.

    Parameters
    ----------
    quick : bool, default=False
        Three values in each panel and few iterations: to see that everything works.
    random_state : int, default=0
        The seed of the data that is drawn.

    Returns
    -------
    Setup

    Examples
    --------
    >>> from predfeat.experiments.reproduction import toy_setup
    >>> setup = toy_setup()
    >>> [(panel.letter, panel.parameter, panel.values[-1]) for panel in setup.panels]
    [('a', 'n_train', 800), ('b', 'n_columns', 100), ('c', 'n_neighbors', 30)]
    """
    if not quick:
        return replace(_PAPER, random_state=random_state)
    return replace(
        _PAPER,
        random_state=random_state,
        panels=(
            Panel("a", "n_train", (100, 400, 700)),
            Panel("b", "n_columns", (2, 10, 30)),
            Panel("c", "n_neighbors", (2, 10, 30)),
        ),
        defaults=replace(_PAPER.defaults, max_iter=10),
    )
