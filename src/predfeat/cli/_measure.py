"""`predfeat measure`: how predictable given series are, by every measure."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Annotated, Any

import typer

from predfeat.cli._data import read_recording
from predfeat.cli._model_features import model_features
from predfeat.cli._options import (
    DataFiles,
    Horizon,
    Jobs,
    Json,
    NLags,
    NNeighbors,
    Quiet,
    reads_a_file,
)
from predfeat.cli._terminal import say, short_name, show_json, show_table
from predfeat.cli._wording import in_options

__all__ = ["measure"]

_MOST_ROWS_SHOWN = 30
_MOST_REASONS_SHOWN = 3


@reads_a_file
def measure(
    reading: dict[str, Any],
    files: DataFiles,
    model: Annotated[
        Path | None,
        typer.Option(help="Measure the features that this model extracts from the data."),
    ] = None,
    n_lags: NLags = 1,
    horizon: Horizon = 1,
    n_neighbors: NNeighbors = 10,
    jobs: Jobs = -1,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Measure how predictable, slow and forecastable each column is, and all of them together.

    For example:

        predfeat measure features.csv --n-lags 2

        predfeat measure today.csv --model model.predfeat --json
    """
    import numpy as np

    if model is None:
        recording = read_recording(files, reading, quiet=quiet)
        values, names = np.asarray(recording.values, dtype=np.float64), list(recording.names)
    else:
        recording, values, names = model_features(model, files, reading, quiet=quiet)
    near = {"n_lags": n_lags, "horizon": horizon, "n_neighbors": n_neighbors, "n_jobs": jobs}
    table, missing = _measures(values, names, recording.groups, near)
    for reason in missing[:_MOST_REASONS_SHOWN]:
        say(f"note: some measures cannot be computed: {in_options(reason)}", quiet=quiet)
    if as_json:
        found = {"source": recording.source, "horizon": horizon, "measures": table}
        show_json(found)
    elif not quiet:
        _show(recording.source, horizon, table)


def _measures(
    values: Any, names: list[str], groups: Any, near: dict[str, Any]
) -> tuple[list[dict[str, Any]], list[str]]:
    """Return a row of measures per column, one for all columns, and why some are missing."""
    from predfeat import measures
    from predfeat.exceptions import DataError

    missing: dict[str, None] = {}

    def number(measured: Callable[[], Any]) -> float | None:
        try:
            found = float(measured())
        except DataError as error:  # a constant column has no spectrum, a short one no states
            missing[str(error)] = None
            return None
        return found if found == found and abs(found) != float("inf") else None

    def figures(columns: Any) -> dict[str, float | None]:
        given: dict[str, Any] = {"groups": groups}
        ahead = {"n_lags": near["n_lags"], "horizon": near["horizon"]}
        # One neighbour search for both measures; an error is reported for each.
        left_open = cache(partial(measures.left_open, columns, **given, **near))
        return {
            "predictability": number(lambda: left_open().total()),
            "left_to_chance": number(lambda: left_open().share()),
            "slowness": number(lambda: measures.slowness(columns, **given).mean()),
            "autoregression_error": number(
                partial(measures.autoregression_error, columns, **given, **ahead)
            ),
            "forecastability": number(lambda: measures.forecastability(columns, **given).mean()),
            "predictive_information": number(
                partial(measures.predictive_information, columns, **given, **near)
            ),
        }

    parts = [(name, values[:, [i]]) for i, name in enumerate(names)]
    if len(names) > 1:
        parts.append(("all together", values))
    return [{"column": name, **figures(columns)} for name, columns in parts], list(missing)


def _show(source: str, horizon: int, rows: list[dict[str, Any]]) -> None:
    shown = rows if len(rows) <= _MOST_ROWS_SHOWN + 1 else [*rows[:_MOST_ROWS_SHOWN], rows[-1]]
    cells_of: list[list[str]] = []
    for row in shown:
        share = row["left_to_chance"]
        cells = [
            row["predictability"], row["slowness"], row["autoregression_error"],
            row["forecastability"], row["predictive_information"],
        ]  # fmt: skip
        text = ["–" if cell is None else f"{cell:.4g}" for cell in cells]
        text.insert(1, "–" if share is None else f"{share:.1%}")
        cells_of.append([short_name(row["column"]), *text])
    if len(shown) < len(rows):
        cells_of.append([f"… {len(rows) - len(shown)} more: --json"])
    show_table(
        f"Measures of {source}",
        cells_of,
        heads=[
            "column", "eq. (2)", "left to chance", "slowness", "linear error", "forecastability",
            "information",
        ],
        caption=("" if horizon == 1 else f"Predicted {horizon} steps ahead. ")
        + "Left to chance: share of variance that the past does not predict. Slowness: mean "
        "squared step. Linear error: variance left by a linear recursion. For these, lower is "
        "better; for forecastability (0 to 1) and predictive information (nats), higher is better.",
    )  # fmt: skip
