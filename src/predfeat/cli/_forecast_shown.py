"""What `predfeat forecast` shows: tables of the forecast and its back-test, and how it was made."""

from __future__ import annotations

import math
from typing import Any

from predfeat.cli._terminal import Cell, say, short_name, show_table

__all__ = ["how_it_was_made", "show_forecast", "what_goes_on", "with_interval"]

# Fewer beside long time stamps: lines of 80 characters hold no more.
_MOST_COLUMNS_SHOWN, _MOST_BESIDE_TIMES, _LONG_TIME = 4, 3, 12


def how_it_was_made(fitted: Any) -> str:
    from predfeat.forecasting import KINDS
    from predfeat.report import percent

    shares = {kind: fitted.predictor.share_of(kind) for kind in KINDS}
    words = {
        "analogue": "the futures of similar states",
        "linear": "linear autoregression",
        "mean": "the mean",
    }
    said = [f"{words[kind]} ({percent(share)})" for kind, share in shares.items() if share > 0]
    if fitted.features is None:
        what = "all columns"
    else:
        n_features = fitted.features.components_.shape[0]
        what = f"{n_features} feature{'s' * (n_features > 1)} of {type(fitted.features).__name__}"
    return f"Forecast from {what}, by {', '.join(said[::-1])}."


def what_goes_on(recording: Any) -> str:
    groups = [] if recording.groups is None else recording.groups.tolist()
    n_sequences = len(set(groups))
    if n_sequences < 2:
        return ""
    return f" The last of {n_sequences} sequences goes on: {short_name(str(groups[-1]))}."


def show_forecast(results: dict[str, Any]) -> None:
    from predfeat.report import judged_sentences, percent

    names, times = results["columns"], results["times"] or [""]
    n_shown = _MOST_BESIDE_TIMES if len(times[-1]) > _LONG_TIME else _MOST_COLUMNS_SHOWN
    rows: list[list[Cell]] = []
    for h in range(results["n_steps"]):
        when = results["times"][h] if results["times"] else f"+{h + 1}"
        cells = [
            with_interval(
                results["mean"][h][i], (results["upper"][h][i] - results["lower"][h][i]) / 2
            )
            for i in range(min(len(names), n_shown))
        ]
        rows.append([when, *cells])
    left = len(names) - n_shown
    more = f" {left} more column(s): --out, --json." if left > 0 else ""
    show_table(
        f"What comes after {results['source']}",
        rows,
        heads=["time" if results["times"] else "step",
               *map(short_name, names[:n_shown])],
        caption=f"Mean ± half of the interval for {percent(results['level'])}. "
                f"{results['how']}{more}",
    )  # fmt: skip
    found = results["backtest"]
    if found is None:
        return
    at = sorted({h for h in (1, 2, 5, 10, 20, 50, 100) if h <= results["n_steps"]}
                | {results["n_steps"]})  # fmt: skip

    def cells_of(key: str) -> list[str]:
        return ["–" if found[key][h - 1] is None else f"{found[key][h - 1]:.2f}" for h in at]

    show_table(
        "Back-test on later rows",
        [
            ["skill", *cells_of("skill")],
            ["of linear autoregression", *cells_of("skill_of_linear")],
            ["of persistence", *cells_of("skill_of_persistence")],
            ["coverage", *cells_of("coverage")],
        ],
        heads=["steps ahead", *map(str, at)],
        caption="Skill: share of the mean squared error of the mean that is avoided.",
    )
    say("", *judged_sentences(results))


def with_interval(mean: float, half: float) -> str:
    """Write a number and half of its interval with as many decimals as the interval deserves.

    Examples
    --------
    >>> from predfeat.cli._forecast_shown import with_interval
    >>> with_interval(12.3071, 1.92), with_interval(-0.01, 3.0), with_interval(61250.0, 412.3)
    ('12.3 ± 1.9', '0.0 ± 3.0', '61250 ± 412')
    """
    if not 1e-5 <= half < 1e6 or abs(mean) >= 1e8:
        return f"{mean:.4g} ± {half:.2g}"
    decimals = max(0, 1 - math.floor(math.log10(half)))
    return f"{mean:z.{decimals}f} ± {half:.{decimals}f}"
