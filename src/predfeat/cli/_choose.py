"""`predfeat choose`: which p, k and M, by cross-validation on a recording."""

from __future__ import annotations

import json
import re
import shlex
import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from predfeat.cli._data import read_recording
from predfeat.cli._methods import WORDS, complete_method, understand_method
from predfeat.cli._options import (
    MOST,
    DataFiles,
    Force,
    Horizon,
    Json,
    PcaComponents,
    Processes,
    Quiet,
    count_or_share,
    reads_a_file,
)
from predfeat.cli._outputs import refuse_unwritable, writing
from predfeat.cli._terminal import (
    Cell,
    Styled,
    paragraphs,
    progress_bar,
    say,
    show_json,
    show_table,
)
from predfeat.cli._wording import in_options

__all__ = ["choose"]

_FILES = ("choice.html", "choice.json")


# Random features have no setting to choose, and AutoFeatures chooses by itself.
_TUNABLE = tuple(word for word in WORDS if word not in ("random", "auto"))


def _values(text: str) -> Any:
    return typer.Option(help=f"{text} to try, such as 1-5 or 2,5,10.")


_Out = Annotated[
    Path,
    typer.Option("--out", "-o", help="Folder for " + " and ".join(_FILES) + ".", file_okay=False),
]
_Method = Annotated[
    str,
    typer.Option(
        "--method",
        "-m",
        metavar="METHOD",
        help=f"Method to choose the setting for: {', '.join(_TUNABLE)}.",
        autocompletion=complete_method,
    ),
]


@reads_a_file
def choose(
    reading: dict[str, Any],
    files: DataFiles,
    out: _Out = Path("predfeat-out"),
    method: _Method = "gpfa2",
    n_lags: Annotated[str, _values("Samples in a state, p,")] = "1-5",
    horizon: Horizon = 1,
    n_neighbors: Annotated[str, _values("GPFA: neighbours of each state, k,")] = "2,5,10,20,30",
    n_components: Annotated[str, _values("Features, M,")] = "1-10",
    pca_components: PcaComponents = None,
    folds: Annotated[
        int, typer.Option(min=2, max=MOST, help="Parts to hold out, one after the other.")
    ] = 5,
    max_rows: Annotated[
        int,
        typer.Option(
            min=50,
            max=MOST,
            help="Use at most this many rows, in blocks spread over the recording.",
        ),
    ] = 5_000,
    jobs: Processes = -1,
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Choose p, k and M by how much of the held-out data each setting predicts.

    Picks the simplest setting within one standard error of the best, and writes a page with the
    scores of all settings.

    For example:

        predfeat choose weather.csv

        predfeat choose trials.csv --group trial --n-lags 1-8 --method sfa
    """
    from predfeat.features import METHODS
    from predfeat.selection import choose as choose_setting

    tried: dict[str, Any] = {
        "n_lags": _numbers(n_lags, "--n-lags"),
        "n_neighbors": _numbers(n_neighbors, "--n-neighbors"),
        "n_components": _numbers(n_components, "--n-components"),
    }
    kind = understand_method(method, "--method", _TUNABLE)
    paths = {name: out / name for name in _FILES}
    refuse_unwritable(paths.values(), force=force, data=files)
    recording = read_recording(files, reading, quiet=quiet)
    reach = max(tried["n_lags"]) + horizon
    values, groups, pca = _spread(recording, max_rows, reach, pca_components)
    with progress_bar("choosing", quiet=quiet) as progress:
        choice = choose_setting(
            values,
            groups=groups,
            **tried,
            horizon=horizon,
            method=METHODS[kind].build(pca_components=pca),
            n_folds=folds,
            n_jobs=jobs,
            on_progress=progress,
        )
    if len(values) < len(recording.values):
        choice = replace(choice, kind="blocks")  # of rows, whose numbers stood for sequences
    results = _write(choice, recording.source, paths, force)
    if as_json:
        show_json(results)
    elif not quiet:
        _show(choice, recording.source)
        said = [in_options(str(choice)).split("\n")]
        if len(values) < len(recording.values):
            rows = f"{len(values)} of {len(recording.values)} rows"
            said.append([f"{rows} were used: --max-rows uses more."])
        say(*paragraphs(*said, [f"Open {paths['choice.html']}"]))


def _write(choice: Any, source: str, paths: dict[str, Path], force: bool) -> dict[str, Any]:
    """Write the page and the results, and return the results."""
    from predfeat.report import choice_results, render_choice

    results = choice_results(choice, source, shlex.join(["predfeat", *sys.argv[1:]]))
    with writing(paths["choice.json"], force=force) as stream:
        stream.write((json.dumps(results, indent=1, allow_nan=False) + "\n").encode())
    with writing(paths["choice.html"], force=force) as stream:
        stream.write(render_choice(choice, results).encode())
    return results


def _numbers(text: str, option: str) -> tuple[int, ...]:
    """Parse lists such as 1-5, 2,5,10 or 1-3,10."""
    found: list[int] = []
    for part in text.split(","):
        bounds = re.fullmatch(r"\s*(\d{1,6})\s*(?:-\s*(\d{1,6})\s*)?", part)
        if bounds is None:
            raise typer.BadParameter(
                f"{text!r} is not a list of whole numbers such as 1-5 or 2,5,10.", param_hint=option
            )
        first, last = int(bounds[1]), int(bounds[2] or bounds[1])
        if not 1 <= first <= last or last - first >= 1000:
            raise typer.BadParameter(
                f"{part.strip()!r} must be an ascending range that starts at 1 or more.",
                param_hint=option,
            )
        found += range(first, last + 1)
    return tuple(found)


def _spread(
    recording: Any, max_rows: int, gap: int, pca_components: str | None
) -> tuple[Any, Any, Any]:
    """Return the rows to use, their sequences, and how many principal components to keep.

    A long recording is reduced to blocks, which are held out whole. Rows are left out between
    them, so that no state lies in two blocks.
    """
    from predfeat.experiments import choose_pca
    from predfeat.series import check_sequences
    from predfeat.splits import shortest_piece, spread_sequences, take

    series = check_sequences(recording.values, recording.groups, name="the recording")
    rows, groups = spread_sequences(series, max_rows, gap, shortest=shortest_piece(gap))
    values = recording.values[rows]
    if pca_components is not None:
        return values, groups, count_or_share(pca_components)
    return values, groups, choose_pca(recording, take(series, rows, pieces=groups), len(rows))


def _show(choice: Any, source: str) -> None:
    surface = choice.surface
    best: dict[tuple[int, int], Any] = {}
    for setting in sorted(surface.settings(), key=lambda s: s.predicted):
        best[setting.n_lags, setting.n_components] = setting
    rows: list[list[Cell]] = []
    for p in surface.n_lags:
        rows.append([str(p)])
        for m in surface.n_components:
            text = f"{best[p, m].predicted:.2f} ± {best[p, m].error:.2f}"
            chosen = (p, m) == (choice.chosen.n_lags, choice.chosen.n_components)
            rows[-1].append(Styled(text, "bold reverse") if chosen else text)
    show_table(
        f"{choice.method}: variance of {source} predicted, in features",
        rows,
        heads=["p", *(f"M = {m}" for m in surface.n_components)],
        caption=("" if choice.horizon == 1 else f"{choice.horizon} steps ahead. ")
        + "On held-out data, at the best k; higher is better. Mean ± standard error over "
        f"{len(surface.scores)} folds, from fits that share work.",
    )
