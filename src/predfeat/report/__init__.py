"""The report: a study as plain results and as one HTML page; the paper's figures."""

from predfeat.report._choice import choice_results, render_choice
from predfeat.report._contents import SCHEMA, results_of, with_findings
from predfeat.report._descriptions import numbered
from predfeat.report._findings import parameters_as_options
from predfeat.report._forecast import (
    forecast_results,
    judged_sentences,
    predictability_horizon,
    render_forecast,
)
from predfeat.report._lags import lags_sentence, what_comes
from predfeat.report._page import render
from predfeat.report._plot import plot
from predfeat.report._quality import describe_data
from predfeat.report._reproduction import write_reproduction
from predfeat.report._schema import check_results
from predfeat.report._sentence import percent
from predfeat.report._words import what_was_cut

__all__ = [
    "results_of",
    "with_findings",
    "render",
    "check_results",
    "describe_data",
    "parameters_as_options",
    "SCHEMA",
    "write_reproduction",
    "choice_results",
    "render_choice",
    "forecast_results",
    "judged_sentences",
    "predictability_horizon",
    "render_forecast",
    "percent",
    "lags_sentence",
    "what_comes",
    "what_was_cut",
    "plot",
    "numbered",
]
