"""Results as one HTML file that needs nothing else."""

from __future__ import annotations

import json
from typing import Any

from markupsafe import Markup

from predfeat.report._contents import SCHEMA
from predfeat.report._figure_ahead import ahead_part
from predfeat.report._figure_features import lanes, loading_panels, spectrum_panels
from predfeat.report._figure_images import image_panels
from predfeat.report._figure_inside import coverage_strip, eigenvalue_panels, history_panels
from predfeat.report._figure_methods import method_panels
from predfeat.report._figure_scores import angle_map, method_rows, run_times, score_strips
from predfeat.report._figure_significance import significance_part
from predfeat.report._findings import findings_part
from predfeat.report._lags import lags_sentence, what_comes
from predfeat.report._schema import check_results
from predfeat.report._templates import filled, fingerprint, open_templates, source_of
from predfeat.report._words import also_good, data_facts, data_line, protocol_sentences

__all__ = ["render"]


def render(results: dict[str, Any]) -> str:
    """Return the report as one HTML page, from results alone.

    The page loads nothing from anywhere, follows the reader's light or dark setting, and names in
    it (of files, columns and methods) are shown as text, whatever they hold.

    Parameters
    ----------
    results : dict
        From `results_of`, or read back from the JSON it was written to.

    Returns
    -------
    str

    Raises
    ------
    ResultsError
        Where the results are not as docs/results-format.md says; the message names the key.

    Examples
    --------
    >>> from predfeat.report import render
    >>> render({"schema": 1, "sentence": 3})
    Traceback (most recent call last):
        ...
    predfeat.exceptions.ResultsError: results: sentence must be text, but it is 3.
    """
    check_results(results, SCHEMA)
    pages = open_templates()
    of_pictures = results["loadings"]["kind"] == "images"
    style = source_of(pages, "report.css")
    # One script element: the page allows by its hash what it runs.
    script = "".join(source_of(pages, name) for name in ("report.js", "export.js"))
    return filled(
        pages,
        "report.html.j2",
        results=results,
        style=Markup(style),
        script=Markup(script),
        style_hash=fingerprint(style),
        script_hash=fingerprint(script),
        traces=_embedded(results["features"]),
        headline=_two_parts(results),
        line=data_line(results),
        also=also_good(results),
        more_lags=lags_sentence(results),
        what_comes=what_comes(results),
        rows=method_rows(results),
        protocol=protocol_sentences(results),
        facts=data_facts(results),
        strips=score_strips(results),
        ahead=ahead_part(results),
        tested=significance_part(results),
        diagnosed=findings_part(results),
        feature_lanes=lanes(results, "feature"),
        channel_lanes=lanes(results, "channel"),
        spectra=spectrum_panels(results) if results["spectra"] else [],
        loadings=image_panels(results) if of_pictures else loading_panels(results),
        side_by_side=method_panels(results),
        nothing_to_choose=results["verdict"] == "nothing to choose",
        angles=angle_map(results),
        eigenvalues=eigenvalue_panels(results),
        history=history_panels(results),
        coverage=coverage_strip(results),
        times=run_times(results),
    )


def _two_parts(results: dict[str, Any]) -> tuple[str, str]:
    """Return the sentence's first part and, where the verdict needs two, the second."""
    sentence = results["sentence"].replace(" %", "\N{NO-BREAK SPACE}%")
    if results["verdict"] in ("found", "no baseline", "nothing to choose"):
        return sentence, ""
    first, stop, second = sentence.partition(". ")
    return first + stop.rstrip(), second


def _embedded(data: Any) -> Markup:
    """Return JSON that cannot end the script element it stands in."""
    text = json.dumps(data, allow_nan=False, separators=(",", ":"))
    for character, code in (("<", "\\u003c"), (">", "\\u003e"), ("&", "\\u0026")):
        text = text.replace(character, code)
    return Markup(text)
