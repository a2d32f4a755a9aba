"""What the experiments on recordings have in common: six panels, and their quick form."""

from __future__ import annotations

from dataclasses import replace

from predfeat.experiments.reproduction._methods import METHODS, Parameters
from predfeat.experiments.reproduction._setup import Panel, Setup
from predfeat.experiments.reproduction._sources import RecordingSource
from predfeat.features import GPFA

__all__ = ["N_TEST", "N_TRAIN", "QUICK_ROWS", "recorded_setup"]

N_TRAIN, N_TEST = 10_000, 5_000
_QUICK_TRAIN, _QUICK_TEST = 600, 300
QUICK_ROWS = 1200  # enough for both parts, and for other places in every repetition


def recorded_setup(
    experiment: str,
    source: RecordingSource,
    *,
    n_lags: int,
    n_neighbors: int,
    lags: tuple[int, ...],
    neighbors: tuple[int, ...],
    components: tuple[int, ...],
    tested_components: tuple[int, ...],
    n_repeats: tuple[int, ...],
    quick: bool,
    random_state: int,
) -> Setup:
    """Return the panels a to f over p, k, q, S_train, R and M.

    Parameters
    ----------
    experiment : {"audio", "visual"}
    source : RecordingSource
    n_lags, n_neighbors : int
        The paper's p and k for these data.
    lags, neighbors, components : tuple of int
        Values of panels a, b and f.
    tested_components : tuple of int
        M of the significance tests.
    n_repeats : tuple of int
        Candidates for PFA's K.
    quick : bool
        Few rows, few iterations, three values in each panel.
    random_state : int

    Returns
    -------
    Setup
    """
    defaults = Parameters(
        n_lags=n_lags,
        n_neighbors=n_neighbors,
        n_measured=10,
        n_train=N_TRAIN,
        max_iter=50,
        n_components=5,
        n_columns=source.values.shape[1],
        # 50 iterations on 10 000 rows, a thousand times: the fit stops early if the features stay
        # the same, or alternate between two spaces. Panel e does all iterations.
        tol=GPFA().tol,
    )
    setup = Setup(
        experiment=experiment,
        source=source,
        panels=(
            Panel("a", "n_lags", lags),
            Panel("b", "n_neighbors", neighbors),
            Panel("c", "n_measured", (2, 5, 10, 15, 20, 30)),
            Panel("d", "n_train", (1000, 2000, 5000, 10_000)),
            Panel("e", "max_iter", (1, 2, 5, 10, 20, 50), exact=True),
            Panel("f", "n_components", components),
        ),
        defaults=defaults,
        methods=METHODS,
        n_test=N_TEST,
        pca_components=0.99,
        n_repeats=n_repeats,
        tested_components=tested_components,
        random_state=random_state,
    )
    if quick:
        setup = _small(setup)
    source.require(setup.n_drawn, setup.n_test)
    return setup


def _small(setup: Setup) -> Setup:
    """Return the quick form of a setup."""
    p, k = setup.defaults.n_lags, setup.defaults.n_neighbors
    return replace(
        setup,
        panels=(
            Panel("a", "n_lags", tuple(sorted({1, p, p + 1}))),
            Panel("b", "n_neighbors", tuple(sorted({2, k, 2 * k}))),
            Panel("c", "n_measured", (2, 10, 20)),
            Panel("d", "n_train", (200, 400, _QUICK_TRAIN)),
            Panel("e", "max_iter", (1, 2, 5), exact=True),
            Panel("f", "n_components", (1, 3, 5)),
        ),
        defaults=replace(setup.defaults, n_train=_QUICK_TRAIN, max_iter=5),
        n_test=_QUICK_TEST,
        n_repeats=setup.n_repeats[:2],
        tested_components=(5,),
    )
