"""An experiment of the paper as one page, with its figures and tables as files beside it."""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from markupsafe import Markup

from predfeat._files import write_whole
from predfeat.experiments.reproduction import (
    LABELS,
    TRUTH,
    Outcome,
    RecordingSource,
    Row,
    SignedRank,
    results_csv,
    signed_rank_csv,
    signed_rank_table,
    summary_csv,
    times_csv,
)
from predfeat.report._panels_figure import draw_outcome, figure_bytes
from predfeat.report._svg import number
from predfeat.report._templates import filled, fingerprint, open_templates, source_of

__all__ = ["write_reproduction"]

_TITLES = {
    "toy": "Which methods find the predictable noise?",
    "audio": "Which methods find predictable features in sound?",
    "visual": "Which methods find predictable features in moving pictures?",
}
_CAPTIONS = {
    "predictability": "Predictability of the features of the test data",
    "share": "The same relative to the variance of the features there",
    "seconds": "Processor time of one fit, on one thread",
}
_SIGNIFICANCE_LEVEL = 0.01  # as in the paper


def write_reproduction(
    outcomes: Sequence[Outcome], folder: Path, *, command: str, quick: bool = False
) -> list[Path]:
    """Write figures (PNG and SVG), tables (CSV) and the page of one experiment.

    Files of these names are replaced, each as a whole.

    Parameters
    ----------
    outcomes : list of Outcome
        One for each data set of the experiment.
    folder : path
    command : str
        The command that the page shows.
    quick : bool
        Whether this was the small version; the names of its files say so.

    Returns
    -------
    list of path
        The files, the page first.
    """
    experiment = outcomes[0].setup.experiment
    stem = f"quick-{experiment}" if quick else experiment
    files: dict[str, bytes] = {}
    parts = []
    for outcome in outcomes:
        name = f"{stem}-{_slug(outcome.setup.source.name)}"
        figures = {}
        for measure in ("predictability", "share", "seconds"):
            if measure == "seconds" and not outcome.setup.times:
                continue
            figure = draw_outcome(outcome, measure)
            figures[measure] = figure_bytes(figure, "svg")
            files[f"{name}-{measure}.svg"] = figures[measure]
            files[f"{name}-{measure}.png"] = figure_bytes(figure, "png")
        files[f"{name}.csv"] = results_csv(outcome).encode("utf-8")
        files[f"{name}-summary.csv"] = summary_csv(outcome).encode("utf-8")
        files[f"{name}-seconds.csv"] = times_csv(outcome).encode("utf-8")
        parts.append(_part(outcome, figures))
    tests = signed_rank_table(outcomes)
    files[f"{stem}-signed-rank.csv"] = signed_rank_csv(tests).encode("utf-8")
    page = _page(experiment, outcomes, parts, tests, command, quick)
    files = {f"{stem}.html": page.encode("utf-8"), **files}
    for name, contents in files.items():
        with write_whole(folder / name, overwrite=True) as stream:
            stream.write(contents)
    return [folder / name for name in files]


def _page(
    experiment: str,
    outcomes: Sequence[Outcome],
    parts: list[dict[str, Any]],
    tests: list[SignedRank],
    command: str,
    quick: bool,
) -> str:
    pages = open_templates()
    style = source_of(pages, "report.css")
    return filled(
        pages,
        "reproduction.html.j2",
        style=Markup(style),
        style_hash=fingerprint(style),
        version=outcomes[0].version,
        title=_TITLES[experiment],
        experiment=experiment.capitalize(),
        quick=quick,
        parts=parts,
        tests=_test_groups(tests),
        level=_SIGNIFICANCE_LEVEL,
        overlap=any(isinstance(o.setup.source, RecordingSource) for o in outcomes),
        command=command,
        facts=[
            ("Version", f"predfeat {outcomes[0].version}"),
            ("Seed", str(outcomes[0].setup.random_state)),
            *[(f"Data, {o.setup.source.name}", o.setup.source.fingerprint) for o in outcomes],
        ],
    )


def _part(outcome: Outcome, figures: dict[str, bytes]) -> dict[str, Any]:
    rows = _method_rows(outcome)
    name = outcome.setup.source.name
    return {
        "id": f"data-{_slug(name)}",
        "name": name,
        "description": outcome.setup.source.description,
        "finding": _finding(rows),
        "methods": rows,
        "figures": [
            {
                "data": base64.b64encode(figure).decode("ascii"),
                "alt": f"{_CAPTIONS[measure]}, {name}, in panels over the parameters; the same "
                "numbers are in the table of results beside this page.",
                "caption": f"{_CAPTIONS[measure]}: mean and standard deviation over "
                f"{_repetitions(outcome)} repetition(s). {_fixed(outcome)}",
            }
            for measure, figure in figures.items()
        ],
    }


def _method_rows(outcome: Outcome) -> list[dict[str, Any]]:
    """Return what each method reached at the default parameters."""
    at_defaults: dict[str, dict[int, Row]] = {}
    for row in outcome.rows:
        place = row.place
        if place.value == getattr(outcome.setup.defaults, place.panel.parameter):
            at_defaults.setdefault(place.method, {})[place.repetition] = row
    rows = []
    for method, found in at_defaults.items():
        values = [row.measured.predictability for row in found.values()]
        shares = [row.measured.share for row in found.values()]
        seconds = float(np.median([row.seconds for row in found.values()]))
        rows.append(
            {
                "name": method,
                "mean": float(np.mean(values)),
                "mean_share": float(np.mean(shares)),
                "predictability": _with_spread(values),
                "share": _with_spread(shares),
                "seconds": "known" if method == TRUTH else f"{number(seconds)} s",
            }
        )
    best = min((_mean(row) for row in rows if row["name"] != TRUTH), default=float("nan"))
    return [{**row, "best": _mean(row) == best} for row in rows]


def _mean(row: dict[str, Any]) -> float:
    return float(row["mean"])


def _finding(rows: list[dict[str, Any]]) -> str:
    found = [row for row in rows if row["name"] != TRUTH]
    if not found:
        return "No panel holds the default parameters."
    by_value = min(found, key=_mean)
    by_share = min(found, key=lambda row: row["mean_share"])
    said = (
        f"At the defaults {by_value['name']} has the lowest predictability value "
        f"({by_value['predictability']})"
    )
    if by_share["name"] == by_value["name"]:
        return f"{said}, and also the smallest share left to chance ({by_value['share']})."
    return (
        f"{said}, but {by_share['name']} has the smallest share left to chance "
        f"({by_share['share']})."
    )


def _with_spread(values: list[float]) -> str:
    spread = float(np.std(values, ddof=1)) if len(values) > 1 else 0.0
    return f"{np.mean(values):.3f} ± {spread:.3f}"


def _repetitions(outcome: Outcome) -> str:
    counts = sorted(
        {
            1 + max(row.place.repetition for row in outcome.rows if row.place.panel == panel)
            for panel in {row.place.panel for row in outcome.rows}
        }
    )
    return " or ".join(map(str, counts))


def _fixed(outcome: Outcome) -> str:
    defaults = outcome.setup.defaults
    named = [f"{label} = {getattr(defaults, name)}" for name, label in LABELS.items()]
    return (
        "Parameters that are not varied: "
        f"{', '.join(named)}, S_test = {outcome.setup.n_test} and K = {outcome.n_repeats}. "
        "Slight shifts along the axis separate the bars."
    )


def _test_groups(tests: list[SignedRank]) -> list[dict[str, Any]]:
    groups: dict[str, list[dict[str, Any]]] = {}
    measures = {"predictability": "eq. (2)", "share": "relative to the variance"}
    for test in tests:
        title = f"{test.data}, M = {test.n_components}, {measures[test.measure]}"
        clear = test.p_corrected is not None and test.p_corrected <= _SIGNIFICANCE_LEVEL
        groups.setdefault(title, []).append(
            {
                "name": f"{test.method} and {test.other}",
                "better": f"{test.n_better} of {test.n_repetitions}",
                "difference": number(test.mean_difference),
                "effect": number(test.effect),
                "p": number(test.p_value),
                "corrected": number(test.p_corrected),
                "best": clear and test.mean_difference < 0,
            }
        )
    return [{"title": title, "rows": rows} for title, rows in groups.items()]


def _slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "data"
