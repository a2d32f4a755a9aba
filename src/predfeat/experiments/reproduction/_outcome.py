"""An experiment run, and its results as tables."""

from __future__ import annotations

import csv
import io
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from predfeat._version import __version__
from predfeat.exceptions import LedgerError
from predfeat.experiments.reproduction._ledger import Ledger, Measured
from predfeat.experiments.reproduction._runner import compute
from predfeat.experiments.reproduction._setup import (
    LABELS,
    PanelPoint,
    Setup,
    panel_points,
    repeat_points,
)

__all__ = ["Outcome", "Row", "results_csv", "run_setup", "summary_csv", "times_csv"]

_COLUMNS = ("experiment", "data", "panel", "parameter", "value", "method", "repetition")


@dataclass(frozen=True)
class Row:
    """One line of the tidy table.

    Attributes
    ----------
    place : PanelPoint
        Panel, value, method and repetition.
    measured : Measured
    seconds : float
        Of the fit.
    """

    place: PanelPoint
    measured: Measured
    seconds: float


@dataclass(frozen=True)
class Outcome:
    """All results of an experiment on one data set.

    Attributes
    ----------
    setup : Setup
    n_repeats : int
        K of PFA, given or chosen.
    rows : list of Row
        In the order of panels, values, methods and repetitions.
    version : str
        Of the library that computed them.
    """

    setup: Setup
    n_repeats: int
    rows: list[Row]
    version: str = __version__


def run_setup(
    setup: Setup,
    ledger: Ledger,
    n_repetitions: int,
    *,
    n_repetitions_of_others: int | None = None,
    n_jobs: int = 1,
    on_progress: Callable[[int, int], None] | None = None,
) -> Outcome:
    """Compute what the ledger lacks of an experiment, and return all of its results.

    Parameters
    ----------
    setup : Setup
    ledger : Ledger
    n_repetitions : int
    n_repetitions_of_others : int, optional
        Of the panels other than the central one; the same by default.
    n_jobs : int, default=1
        Processes.
    on_progress : callable, optional

    Returns
    -------
    Outcome

    Examples
    --------
    >>> import tempfile
    >>> from dataclasses import replace
    >>> from predfeat.experiments.reproduction import Ledger, Panel, run_setup, toy_setup
    >>> small = replace(toy_setup(quick=True), panels=(Panel("a", "n_train", (100, 200)),))
    >>> with tempfile.TemporaryDirectory() as folder, Ledger(f"{folder}/ledger.sqlite") as ledger:
    ...     outcome = run_setup(small, ledger, 1)
    >>> len(outcome.rows) == 2 * len(small.methods)
    True
    """
    n_repeats = _choose_repeats(setup, ledger, n_jobs, on_progress)
    places = list(panel_points(setup, n_repeats, n_repetitions, n_repetitions_of_others))
    points = [place.point for place in places]
    compute(points, setup.source, ledger, n_jobs=n_jobs, on_progress=on_progress)
    measured, seconds = ledger.find(points), ledger.seconds(points)
    if not measured.keys() & seconds.keys() >= {*points}:
        raise LedgerError(
            f"{ledger.path} has lost recorded results or their times: it is damaged. "
            "Give another folder."
        )
    rows = [Row(place, measured[place.point], seconds[place.point]) for place in places]
    return Outcome(setup, n_repeats, rows, ledger.version)


def _choose_repeats(
    setup: Setup,
    ledger: Ledger,
    n_jobs: int,
    on_progress: Callable[[int, int], None] | None,
) -> int:
    """Return PFA's K: among several, the one with the best features on the training parts."""
    if len(setup.n_repeats) == 1:
        return setup.n_repeats[0]
    candidates = repeat_points(setup)
    points = [point for some in candidates.values() for point in some]
    compute(points, setup.source, ledger, n_jobs=n_jobs, on_progress=on_progress)
    found = ledger.find(points)
    means = {
        n_repeats: float(np.mean([found[point].predictability for point in some]))
        for n_repeats, some in candidates.items()
    }
    return min(means, key=lambda n_repeats: (means[n_repeats], n_repeats))


def results_csv(outcome: Outcome) -> str:
    """Return the tidy table: one line for each panel, value, method and repetition.

    It holds nothing that depends on the machine's speed: the same specifications give the same
    bytes, however often the run was stopped and with however many processes.

    Parameters
    ----------
    outcome : Outcome

    Returns
    -------
    str
    """
    return _table(
        outcome,
        ("predictability", "share"),
        lambda row: (repr(row.measured.predictability), repr(row.measured.share)),
    )


def times_csv(outcome: Outcome) -> str:
    """Return the seconds of every fit, in the order of the tidy table.

    Parameters
    ----------
    outcome : Outcome

    Returns
    -------
    str
    """
    return _table(outcome, ("seconds",), lambda row: (f"{row.seconds:.6f}",))


def summary_csv(outcome: Outcome) -> str:
    """Return what the figures draw: one line for each panel, value and method.

    Means and standard deviations over the repetitions, and the median time of a fit; to four
    digits, so that the table is small.

    Parameters
    ----------
    outcome : Outcome

    Returns
    -------
    str
    """
    rows: dict[tuple[str, str, int, str], list[Row]] = defaultdict(list)
    for row in outcome.rows:
        place = row.place
        key = (place.panel.letter, LABELS[place.panel.parameter], place.value, place.method)
        rows[key].append(row)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    measures = ("predictability", "share")
    writer.writerow(
        ["panel", "parameter", "value", "method", "repetitions"]
        + [f"{measure}_{part}" for measure in measures for part in ("mean", "sd")]
        + ["seconds_median"]
    )
    for key, some in rows.items():
        numbers = []
        for measure in measures:
            values = [getattr(row.measured, measure) for row in some]
            numbers += [np.mean(values), np.std(values, ddof=1) if len(values) > 1 else np.nan]
        numbers.append(np.median([row.seconds for row in some]))
        writer.writerow([*key, len(some), *(f"{float(number):.4g}" for number in numbers)])
    return text.getvalue()


def _table(
    outcome: Outcome, names: tuple[str, ...], values: Callable[[Row], tuple[str, ...]]
) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*_COLUMNS, *names])
    for row in outcome.rows:
        place = row.place
        writer.writerow(
            [
                outcome.setup.experiment,
                outcome.setup.source.name,
                place.panel.letter,
                LABELS[place.panel.parameter],
                place.value,
                place.method,
                place.repetition,
                *values(row),
            ]
        )
    return text.getvalue()
