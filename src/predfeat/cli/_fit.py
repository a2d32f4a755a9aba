"""`predfeat fit`: one method on a whole recording, kept as a model file."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from predfeat._progress import following
from predfeat.cli._data import read_recording
from predfeat.cli._methods import WORDS, complete_method, understand_method
from predfeat.cli._notes import data_notes
from predfeat.cli._options import (
    LARGEST_SEED,
    MOST,
    DataFiles,
    Force,
    Jobs,
    PcaComponents,
    Quiet,
    count_or_share,
    reads_a_file,
)
from predfeat.cli._outputs import refuse_unwritable
from predfeat.cli._terminal import in_words, progress_bar, say, short_name, show
from predfeat.cli._wording import advice_in_options, in_options
from predfeat.exceptions import ConstantColumnsWarning

__all__ = ["fit"]


_LISTED = 10
# A fit that takes longer, in seconds, is worth a word before it starts.
_LONG_FIT = 60
_FEWER_ROWS = 20_000


@reads_a_file
def fit(
    reading: dict[str, Any],
    files: DataFiles,
    out: Annotated[Path, typer.Option(help="The model file to write.")] = Path("model.predfeat"),
    method: Annotated[
        str,
        typer.Option(
            "--method",
            "-m",
            metavar="METHOD",
            help=f"What to fit: {', '.join(WORDS)}; gpfa alone goes by --graph.",
            autocompletion=complete_method,
        ),
    ] = "gpfa",
    n_components: Annotated[
        int | None,
        typer.Option(min=1, max=MOST, help="Features to find, M (2).", show_default=False),
    ] = None,
    pca_components: PcaComponents = None,
    n_lags: Annotated[
        int | None,
        typer.Option(
            max=MOST, help="GPFA, PFA, auto: samples in a state, p (1).", show_default=False
        ),
    ] = None,
    horizon: Annotated[
        int | None,
        typer.Option(
            max=MOST, help="GPFA, PFA, auto: steps ahead to predict, H (1).", show_default=False
        ),
    ] = None,
    n_neighbors: Annotated[
        int | None,
        typer.Option(
            max=MOST, help="GPFA, auto: neighbours of each state, k (10).", show_default=False
        ),
    ] = None,
    graph: Annotated[
        str | None, typer.Option(help="GPFA: star (default) or full.", show_default=False)
    ] = None,
    init: Annotated[
        str | None,
        typer.Option(
            help="GPFA: input (default), pca, sfa, slow_fast, pfa, foreca or auto.",
            show_default=False,
        ),
    ] = None,
    max_iter: Annotated[
        int | None,
        typer.Option(
            max=MOST, help="GPFA (50), ForeCA (100): iterations at most.", show_default=False
        ),
    ] = None,
    theiler: Annotated[
        int | None,
        typer.Option(
            max=MOST,
            help="GPFA, auto: rows around a state where no neighbour is sought (0).",
            show_default=False,
        ),
    ] = None,
    n_averaged: Annotated[
        int | None,
        typer.Option(
            max=MOST, help="GPFA: last iterations to average over (1).", show_default=False
        ),
    ] = None,
    n_intermediate: Annotated[
        int | None,
        typer.Option(
            max=MOST, help="GPFA: features between the iterations (M).", show_default=False
        ),
    ] = None,
    past: Annotated[
        bool | None,
        typer.Option(help="GPFA: also compare what came before (yes).", show_default=False),
    ] = None,
    normalized: Annotated[
        bool | None,
        typer.Option(help="GPFA: normalise with the degrees (yes).", show_default=False),
    ] = None,
    weighting: Annotated[
        str | None,
        typer.Option(
            help="GPFA: equal (default) or inverse_spread, where loud moments count less.",
            show_default=False,
        ),
    ] = None,
    random_state: Annotated[
        int | None,
        typer.Option(min=0, max=LARGEST_SEED, help="ForeCA, random: seed.", show_default=False),
    ] = None,
    criterion: Annotated[
        str | None,
        typer.Option(
            help="auto: scores candidates by balanced (default), typical, training or validation.",
            show_default=False,
        ),
    ] = None,
    max_rows: Annotated[
        int | None,
        typer.Option(
            min=10,
            max=MOST,
            help="Rows at most, in blocks spread evenly over the recording (all).",
            show_default=False,
        ),
    ] = None,
    diagnosis: Annotated[
        bool,
        typer.Option(
            "--diagnosis", help="Then look for what may be wrong, and say what to change."
        ),
    ] = False,
    jobs: Jobs = -1,
    force: Force = False,
    quiet: Quiet = False,
) -> None:
    """Fit one method to all of a recording, and keep the model.

    Options carry the names of the library's parameters; one that the method does not know is an
    error. Of sounds, videos and tables of more than 50 columns as many principal components are
    kept as by `predfeat compare`.

    For example:

        predfeat fit weather.csv --n-components 3 --n-lags 2

        predfeat fit weather.csv --n-components 3 --diagnosis

        predfeat fit weather.csv --method auto --n-components 3

        predfeat fit song.flac --method sfa --pca-components 50 --out song.predfeat
    """
    refuse_unwritable([out], force=force, data=files)
    given = {
        "n_components": n_components, "n_lags": n_lags, "n_neighbors": n_neighbors,
        "graph": graph, "init": init, "max_iter": max_iter, "theiler": theiler,
        "n_averaged": n_averaged, "n_intermediate": n_intermediate, "past": past,
        "normalized": normalized, "weighting": weighting, "random_state": random_state,
        "criterion": criterion, "horizon": horizon,
    }  # fmt: skip
    parameters: dict[str, Any] = {n: value for n, value in given.items() if value is not None}
    model = _estimator(method, parameters, jobs)
    wanted = count_or_share(pca_components)
    recording = read_recording(files, reading, quiet=quiet)
    values, groups = _rows_to_fit(model, recording, max_rows)
    model.set_params(
        pca_components=wanted if pca_components else _few_directions(recording, values, groups)
    )
    if not quiet:
        _say_how_long(model, values, groups)
    with (
        progress_bar(f"fitting {type(model).__name__}", quiet=quiet) as progress,
        following(progress),
        _constant_columns_by_name(recording, quiet=quiet),
    ):
        model.fit(values, groups=groups)
    from predfeat.persistence import save

    out.parent.mkdir(parents=True, exist_ok=True)
    save(model, out, notes=data_notes(recording, reading), overwrite=force)
    n_features = model.components_.shape[0]
    of = "" if values is recording.values else f"{len(values)} of {len(recording.values)} rows of "
    say(
        f"{type(model).__name__}: {n_features} feature(s) of {of}{recording.source}, kept in {out}",
        quiet=quiet,
    )
    if model.pca_components is not None and not pca_components:
        say(
            f"  {model.rank_} principal components of {len(recording.names)} columns were used; "
            "--pca-components none uses all",
            quiet=quiet,
        )
    _say_who_won(model, quiet=quiet)
    if diagnosis and not quiet:
        _diagnose(model, recording.names, values, groups, jobs)


def _rows_to_fit(model: Any, recording: Any, max_rows: int | None) -> tuple[Any, Any]:
    """Return all rows and their sequences, or so many of them in blocks."""
    if max_rows is None or len(recording.values) <= max_rows:
        return recording.values, recording.groups
    from predfeat.series import check_sequences
    from predfeat.splits import shortest_piece, spread_sequences

    series = check_sequences(recording.values, recording.groups, name="the recording")
    shortest = shortest_piece(getattr(model, "n_lags", 1), getattr(model, "horizon", 1))
    rows, groups = spread_sequences(series, max_rows, shortest=shortest)
    return recording.values[rows], groups


def _few_directions(recording: Any, values: Any, groups: Any) -> int | float | None:
    """Return what to keep of a recording of many columns before whitening."""
    from predfeat.experiments import choose_pca
    from predfeat.series import check_sequences

    series = check_sequences(values, groups, name="the recording")
    return choose_pca(recording, series, int(series.valid.sum()))


def _say_how_long(model: Any, values: Any, groups: Any) -> None:
    """Say before a long fit how long it will take, and what takes less."""
    from predfeat.features import expected_time

    expected = expected_time(model, values, groups)
    if expected is None or expected.seconds < _LONG_FIT:
        return
    steps = ""
    if expected.per_iteration is not None:
        each = in_words(expected.per_iteration)
        steps = f" ({each} for each of at most {model.max_iter} iterations; --max-iter takes fewer)"
    sooner = f"--max-rows {_FEWER_ROWS} fits to so many rows, spread over the recording"
    sooner += "; --every 10 keeps one row in ten, where sampling is fast"
    if steps and isinstance(model.init, str) and model.init == "input":
        sooner += "; --init sfa or pca searches the first neighbours in fewer dimensions"
    say(
        f"note: fitting {type(model).__name__} to {len(values)} rows may take "
        f"{in_words(expected.seconds)}{steps}. Sooner: {sooner}. Ctrl-C stops it."
    )


def _say_who_won(model: Any, *, quiet: bool) -> None:
    if hasattr(model, "best_candidate_"):
        kept, scores, words = model.best_candidate_, dict(model.scores_), ""
    elif hasattr(model, "init_"):
        kept, scores, words = model.init_, dict(model.start_scores_), "from "
    else:
        return
    least = scores.pop(kept)
    say(f"  kept: {words}{kept}, {least:.4g}", quiet=quiet)
    for name in sorted(scores, key=lambda name: scores[name])[:2]:
        less = float(f"{scores[name]:.4g}") < float(f"{least:.4g}")
        why = ": less, but by so little that the first in line is kept" if less else ""
        say(f"  next: {words}{name}, {scores[name]:.4g}{why}", quiet=quiet)


@contextmanager
def _constant_columns_by_name(recording: Any, *, quiet: bool) -> Iterator[None]:
    """Say in the file's words which columns are constant: the model sees numbers only."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", ConstantColumnsWarning)
        show_others = warnings.showwarning

        def tell(message: Any, *details: Any, **named: Any) -> None:
            if not isinstance(message, ConstantColumnsWarning):
                show_others(message, *details, **named)
                return
            names = [recording.names[i] for i in message.columns]
            shown = ", ".join(map(short_name, names[:_LISTED])) + (
                ", …" if len(names) > _LISTED else ""
            )
            n_columns = len(recording.names)
            say(
                f"note: {len(names)} of {n_columns} column(s) are constant and were left out: "
                f"{shown}",
                quiet=quiet,
            )

        warnings.showwarning = tell
        yield


def _diagnose(model: Any, names: Any, values: Any, groups: Any, jobs: int) -> None:
    from predfeat.selection import diagnose

    with progress_bar("diagnosing") as progress:
        found = diagnose(
            model,
            values,
            groups,
            names=names,
            n_jobs=jobs,
            on_progress=progress,
        )
    show(*str(_spoken(found)).split("\n"))
    if any("relative=" in finding.advice for finding in found.findings):
        show("", "What is called left to chance is measured with relative=True.")


def _spoken(diagnosis: Any) -> Any:
    """Return a diagnosis that speaks of options instead of parameters."""
    return replace(
        diagnosis,
        findings=tuple(
            replace(
                finding,
                summary=in_options(finding.summary),  # which may hold a message of the library
                advice=advice_in_options(finding.advice),
            )
            for finding in diagnosis.findings
        ),
    )


def _estimator(method: str, parameters: dict[str, Any], jobs: int) -> Any:
    from predfeat.features import METHODS

    meant = METHODS[understand_method(method, "--method")]
    # Without a number, GPFA has the graph that --graph says.
    fixed = {} if method.strip().casefold() == "gpfa" else meant.parameters
    for name, value in fixed.items():
        if parameters.setdefault(name, value) != value:
            raise typer.BadParameter(
                f"{meant.name} is {meant.estimator.__name__} with --{name} {value}, but "
                f"--{name} {parameters[name]} was given.",
                param_hint="--method",
            )
    kind, known = meant.estimator, meant.parameter_names
    for name in parameters:
        if name not in known:
            raise typer.BadParameter(
                f"{kind.__name__} has no such parameter. It has "
                f"{', '.join('--' + n.replace('_', '-') for n in known if n in _TYPED)}.",
                param_hint="--" + name.replace("_", "-"),
            )
    if "n_jobs" in known:
        parameters["n_jobs"] = jobs
    return kind(**parameters)


_TYPED = (
    "n_components", "pca_components", "n_lags", "n_neighbors", "graph", "init", "max_iter",
    "theiler", "n_averaged", "n_intermediate", "past", "normalized", "weighting", "random_state",
    "criterion", "horizon",
)  # fmt: skip
