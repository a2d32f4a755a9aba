"""A forecast as plain results, and as one page: fans, skill and attained coverage."""

from __future__ import annotations

from typing import Any

import numpy as np
from markupsafe import Markup

from predfeat._typing import FloatArray
from predfeat._version import __version__
from predfeat.forecasting import Backtest, Forecast, skill
from predfeat.report._figure_forecast import coverage_chart, fan_charts, skill_chart
from predfeat.report._sentence import percent
from predfeat.report._templates import filled, fingerprint, open_templates, source_of

__all__ = [
    "forecast_results",
    "judged_sentences",
    "predictability_horizon",
    "render_forecast",
]

# Rows before the forecast that are shown with it, for each step ahead.
_RECENT_PER_STEP, _FEWEST_RECENT = 3, 40
# A difference of skill that is worth a sentence.
_CLEARLY = 0.02


def forecast_results(
    forecast: Forecast,
    recent: FloatArray,
    *,
    source: str,
    command: str,
    how: str,
    times: list[str] | None = None,
    backtest: Backtest | None = None,
) -> dict[str, Any]:
    """Return a forecast as plain numbers, strings and lists, for a JSON file or a page.

    Parameters
    ----------
    forecast : Forecast
    recent : ndarray of shape (n_rows, n_columns)
        What came before, of the same columns; NaN in gaps. The last rows are kept.
    source : str
        Name of the data.
    command : str
        The command that gave these results.
    how : str
        What was forecast from, in words.
    times : list of str, optional
        Time stamps of the steps.
    backtest : Backtest, optional
        How good such forecasts were.

    Returns
    -------
    dict
    """
    n_recent = max(_RECENT_PER_STEP * forecast.n_steps, _FEWEST_RECENT)
    return {
        "schema": 1,
        "version": __version__,
        "source": source,
        "command": command,
        "how": how,
        "n_steps": forecast.n_steps,
        "level": forecast.level,
        "joint": forecast.joint,
        "columns": list(forecast.names),
        "times": times,
        "recent": _plain(np.asarray(recent)[-n_recent:]),
        "mean": _plain(forecast.mean),
        "lower": _plain(forecast.lower),
        "upper": _plain(forecast.upper),
        "backtest": None if backtest is None else _backtest_results(backtest),
    }


def _plain(values: FloatArray) -> list[list[float | None]]:
    return [[float(x) if np.isfinite(x) else None for x in row] for row in values.tolist()]


def _backtest_results(found: Backtest) -> dict[str, Any]:
    mean = found.mean

    def skills(against: str) -> list[float | None]:
        return _plain(mean.skill(against)[None])[0]

    of_mean = mean.climatology.sum(axis=1)
    return {
        "n_blocks": len(found.blocks),
        "n_forecasts": mean.n_forecasts,
        "skill": skills("climatology"),
        "skill_of_linear": _plain(skill(mean.linear.sum(axis=1), of_mean)[None])[0],
        "skill_of_persistence": _plain(skill(mean.persistence.sum(axis=1), of_mean)[None])[0],
        "coverage": mean.coverage.mean(axis=1).tolist(),
        "coverage_of_steps": mean.features_coverage.tolist(),
        "coverage_of_paths": mean.path_coverage,
        "predicted_for": predictability_horizon([block.skill() for block in found.blocks]),
    }


def predictability_horizon(skills: list[FloatArray]) -> int:
    """Return how many steps ahead more is predicted than by the mean, without a break.

    A step counts if its mean skill over several parts of the data is more than two standard
    errors above 0; of a single part, if it is above 0.

    Parameters
    ----------
    skills : list of ndarray of shape (n_steps,)
        Skill against climatology in each part.

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.report import predictability_horizon
    >>> predictability_horizon([np.array([0.9, 0.4, 0.0]), np.array([0.8, 0.5, -0.1])])
    2
    """
    each = np.array(skills)
    limit = np.zeros(each.shape[1])
    if len(each) > 1:
        limit = 2 * each.std(axis=0, ddof=1) / np.sqrt(len(each))
    beyond = np.flatnonzero(~(each.mean(axis=0) > limit))
    return int(beyond[0]) if beyond.size else each.shape[1]


def render_forecast(results: dict[str, Any]) -> str:
    """Return the page of a forecast.

    Parameters
    ----------
    results : dict
        From `forecast_results`.

    Returns
    -------
    str
        HTML, complete in itself.
    """
    pages = open_templates()
    style = source_of(pages, "report.css")
    backtest = results["backtest"]
    return filled(
        pages,
        "forecast.html.j2",
        results=results,
        style=Markup(style),
        style_hash=fingerprint(style),
        title=_title(results),
        lead=_unbroken(_lead(results)),
        fans=fan_charts(results),
        skill=skill_chart(results) if backtest else None,
        coverage=coverage_chart(results) if backtest else None,
        judged=list(map(_unbroken, judged_sentences(results))),
        level=percent(results["level"]),
    )


def _unbroken(sentence: str) -> str:
    return sentence.replace(" %", "\N{NO-BREAK SPACE}%")


def _title(results: dict[str, Any]) -> str:
    n_columns, n_steps = len(results["columns"]), results["n_steps"]
    steps = "the next step" if n_steps == 1 else f"the next {n_steps} steps"
    columns = "1 column" if n_columns == 1 else f"{n_columns} columns"
    return f"{steps.capitalize()} of {columns}"


def _lead(results: dict[str, Any]) -> str:
    what = {
        "each": "Each interval should contain its number",
        "features": "The intervals of a step should contain all of its numbers together",
        "path": "The intervals should contain all numbers of the forecast together",
    }[results["joint"]]
    return f"{results['how']} {what} with a probability of {percent(results['level'])}."


def judged_sentences(results: dict[str, Any]) -> list[str]:
    """Return what the back-test found, in sentences."""
    found = results["backtest"]
    if found is None:
        return []
    ahead = found["predicted_for"]
    n_steps = results["n_steps"]
    if ahead == 0:
        reach = "No step was predicted better than by the mean."
    elif ahead == n_steps:
        reach = f"All {n_steps} steps were predicted better than by the mean."
    else:
        first = "The first step was" if ahead == 1 else f"The first {ahead} steps were"
        reach = f"{first} predicted better than by the mean; beyond, this is not certain."
    n_blocks = found["n_blocks"]
    coverage = [x for x in found["coverage"] if x is not None]
    return [
        reach + _simpler_and_better(found),
        f"In {n_blocks} blocks of later rows, each forecast from the rows before it "
        f"({found['n_forecasts']} forecasts), {percent(float(np.mean(coverage)))} of the numbers "
        f"lay in their interval of {percent(results['level'])} "
        f"({percent(min(coverage))} to {percent(max(coverage))} at single steps).",
    ]


def _simpler_and_better(found: dict[str, Any]) -> str:
    """Say at how many steps simpler forecasts had the higher skill, if they clearly had."""
    said = []
    for name, key in (
        ("linear autoregression alone", "skill_of_linear"),
        ("the newest value", "skill_of_persistence"),
    ):
        pairs = [(a, b) for a, b in zip(found[key], found["skill"], strict=True)
                 if a is not None and b is not None]  # fmt: skip
        n_better = sum(a > b + _CLEARLY for a, b in pairs)
        if n_better:
            said.append(f"{name} at {n_better} of {len(pairs)}")
    return f" Simpler forecasts were better: {', '.join(said)}." if said else ""
