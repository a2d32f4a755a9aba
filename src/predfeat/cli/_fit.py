"""`predfeat fit`: one method on a whole recording, kept as a model file."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Annotated, Any

import typer

from predfeat._method_names import EXPANSION_NAMES
from predfeat._method_options import METHOD_OPTIONS
from predfeat._progress import following
from predfeat.cli._annotations import (
    Action,
    Label,
    LabelWeight,
    Reward,
    RewardWeight,
    add_terms,
    arguments_of_fit,
    effects_in_words,
    named_columns,
)
from predfeat.cli._data import read_recording
from predfeat.cli._expansions import (
    chosen_expansion,
    expanded_model,
    refuse_with_expansion,
    responses_in_words,
)
from predfeat.cli._fit_in_blocks import (
    Cluster,
    choose_in_blocks,
    connected,
    recording_of,
    rows_in_blocks,
)
from predfeat.cli._fit_told import (
    called,
    constant_columns_by_name,
    say_how_long,
    say_what_was_fitted,
    say_who_won,
    show_diagnosis,
)
from predfeat.cli._methods import WORDS, complete_method, understand_method
from predfeat.cli._notes import data_notes
from predfeat.cli._options import (
    MOST,
    DataFiles,
    Force,
    Jobs,
    Quiet,
    reads_a_file,
    sets_parameters,
)
from predfeat.cli._outputs import refuse_unwritable
from predfeat.cli._symbols import MinCount, SymbolColumn, fit_symbols, means_symbols
from predfeat.cli._terminal import progress_bar, say

__all__ = ["fit"]


@reads_a_file
@sets_parameters("fit")
def fit(
    reading: dict[str, Any],
    parameters: dict[str, Any],
    files: DataFiles,
    out: Annotated[Path, typer.Option("--out", "-o", help="The model file to write.")] = Path(
        "model.predfeat"
    ),
    method: Annotated[
        str,
        typer.Option(
            "--method",
            "-m",
            metavar="METHOD",
            help=f"Method to fit: {', '.join(WORDS)}; for gpfa, --graph chooses the graph. symbols "
            "fits to the words of a text.",
            autocompletion=complete_method,
        ),
    ] = "gpfa",
    max_rows: Annotated[
        int | None,
        typer.Option(
            min=10,
            max=MOST,
            help="Fit to at most this many rows, in blocks spread over the recording (all).",
            show_default=False,
        ),
    ] = None,
    diagnosis: Annotated[
        bool,
        typer.Option("--diagnosis", help="Check the fit for problems, and suggest what to change."),
    ] = False,
    label: Label = None,
    label_weight: LabelWeight = 1.0,
    action: Action = None,
    reward: Reward = None,
    reward_weight: RewardWeight = 1.0,
    symbols: SymbolColumn = None,
    min_count: MinCount = 10,
    expansion: Annotated[
        str | None,
        typer.Option(
            metavar="EXPANSION",
            help=f"Fit to functions of the columns: {', '.join(EXPANSION_NAMES)}. The features are "
            "nonlinear then.",
            show_default=False,
        ),
    ] = None,
    layers: Annotated[
        int | None,
        typer.Option(
            min=1, max=100, help="How often to expand, with --expansion (1).", show_default=False
        ),
    ] = None,
    jobs: Jobs = -1,
    cluster: Cluster = None,
    force: Force = False,
    quiet: Quiet = False,
) -> None:
    """Fit one method to all of a recording, and keep the model.

    Options have the names of the library's parameters; an option that the method does not have is
    an error. The defaults are those of `predfeat compare`: 3 features, or fewer if the data has
    fewer directions; sounds, videos and tables of more than 50 columns are reduced to some
    principal components.

    For example:

        predfeat fit weather.csv --n-components 3 --n-lags 2

        predfeat fit weather.csv --n-components 3 --diagnosis

        predfeat fit weather.csv --method auto --n-components 3

        predfeat fit machine.csv --label mode --label-weight 2

        predfeat fit robot.csv --group episode --action command --reward score

        predfeat fit book.txt --n-components 10

        predfeat fit weather.csv --expansion quadratic

        predfeat fit song.flac --method sfa --pca-components 50 -o song.predfeat

        predfeat fit years.parquet -c wind -c rain --cluster tcp://10.0.0.1:8786
    """
    refuse_unwritable([out], force=force, data=files)
    others = {"--label": label, "--action": action, "--reward": reward, "--max-rows": max_rows,
              "--diagnosis": diagnosis or None, "--expansion": expansion,
              "--layers": layers}  # fmt: skip
    if cluster is not None and (symbols is not None or means_symbols(method)):
        raise typer.BadParameter("it does not go with symbols.", param_hint="--cluster")
    if symbols is not None or means_symbols(method) or _is_text(files, method, reading):
        _refuse_with_symbols(method, others)
        _fit_symbols(
            files, symbols, reading, parameters, min_count, out, jobs=jobs, force=force, quiet=quiet
        )
        return
    method, expansion = chosen_expansion(method, expansion, layers)
    if expansion is not None:
        refuse_with_expansion({"--diagnosis": diagnosis})
    model, others["--expansion"] = _estimator(method, parameters, jobs), expansion
    with connected(cluster) as client:
        rows = rows_in_blocks(files, reading, model, parameters, others, client)
        if rows is not None:
            _fit_in_blocks(model, rows, files, reading, parameters, out, force=force, quiet=quiet)
            return
    columns = named_columns(model, label, action, reward)
    if columns and diagnosis:
        raise typer.BadParameter(
            f"it fits the method to parts of the data without --{next(iter(columns))}. Leave one "
            "of the two out.",
            param_hint="--diagnosis",
        )
    read = {**reading, "annotations": columns} if columns else reading
    recording = read_recording(files, read, quiet=quiet)
    add_terms(model, recording.annotations, {"label": label_weight, "reward": reward_weight})
    values, groups, annotations = _rows_to_fit(model, recording, max_rows)
    _choose_what_was_not_given(model, parameters, recording, values, groups)
    if expansion is not None:
        model = expanded_model(model, expansion, layers, parameters, values, groups)
    if not quiet:
        say_how_long(model, values, groups)
    with (
        progress_bar(f"fitting {called(model)}", quiet=quiet) as progress,
        following(progress),
        constant_columns_by_name(recording, quiet=quiet),
    ):
        model.fit(values, groups=groups, **arguments_of_fit(annotations))
    effects = effects_in_words(model, values, groups, annotations, columns)
    from predfeat.persistence import save

    out.parent.mkdir(parents=True, exist_ok=True)
    responses = responses_in_words(model, recording)
    notes = data_notes(recording, reading, effects, responses=responses)
    save(model, out, notes=notes, overwrite=force)
    if not quiet:
        say_what_was_fitted(model, recording, len(values), out, "pca_components" in parameters)
        say_who_won(model)
        for sentence in (*effects, *responses):
            say(f"  {sentence}")
    if diagnosis and not quiet:
        show_diagnosis(model, recording.names, values, groups, jobs)


def _fit_in_blocks(
    model: Any,
    rows: Any,
    files: list[Path],
    reading: dict[str, Any],
    given: dict[str, Any],
    out: Path,
    *,
    force: bool,
    quiet: bool,
) -> None:
    from predfeat.persistence import save

    recording = recording_of(rows, files)
    choose_in_blocks(model, given, rows)
    with (
        progress_bar(f"fitting {type(model).__name__}", quiet=quiet) as progress,
        following(progress),
        constant_columns_by_name(recording, quiet=quiet),
    ):
        model.fit(rows)
    out.parent.mkdir(parents=True, exist_ok=True)
    save(model, out, notes=data_notes(recording, reading), overwrite=force)
    if not quiet:
        say_what_was_fitted(model, recording, rows.n_rows, out, "pca_components" in given)


def _is_text(files: list[Path], method: str, reading: dict[str, Any]) -> bool:
    """Tell whether a .txt file is no table but a text, where nothing speaks of a table."""
    from predfeat.datasets import holds_words, read
    from predfeat.exceptions import DataFileError

    if method != "gpfa" or reading or [file.suffix.lower() for file in files] != [".txt"]:
        return False
    if not files[0].is_file() or not holds_words(files[0]):
        return False
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            read(files[0])
    except DataFileError:
        return True
    return False


def _refuse_with_symbols(method: str, others: dict[str, Any]) -> None:
    if not means_symbols(method) and method != "gpfa":
        raise typer.BadParameter(
            f"{method} does not take symbols. Leave one of the two out.", param_hint="--symbols"
        )
    for option, value in others.items():
        if value is not None:
            raise typer.BadParameter("it does not go with symbols.", param_hint=option)


def _fit_symbols(
    files: list[Path],
    column: str | None,
    reading: dict[str, Any],
    parameters: dict[str, Any],
    min_count: int,
    out: Path,
    *,
    jobs: int,
    force: bool,
    quiet: bool,
) -> None:
    from predfeat.persistence import save

    model, recording, said = fit_symbols(
        files, column, reading, parameters, min_count, jobs=jobs, quiet=quiet
    )
    out.parent.mkdir(parents=True, exist_ok=True)
    save(model, out, notes=data_notes(recording, reading, symbols=column or ""), overwrite=force)
    n_features = model.vectors_.shape[1]
    say(
        f"SymbolFeatures: {n_features} feature(s) of {recording.source}, kept in {out}", quiet=quiet
    )
    for line in said:
        say(f"  {line}", quiet=quiet)


def _choose_what_was_not_given(
    model: Any, given: dict[str, Any], recording: Any, values: Any, groups: Any
) -> None:
    """Set the number of principal components and of features by the rules of `compare`."""
    from predfeat.experiments import choose_n_components, choose_pca
    from predfeat.series import check_sequences
    from predfeat.whitening import fit_whitening

    if {"pca_components", "n_components"} <= set(given):
        return
    series = check_sequences(values, groups, name="the recording")
    if "pca_components" not in given:
        n_rows = int(series.valid.sum())
        model.set_params(pca_components=choose_pca(recording, series, n_rows))
    if "n_components" not in given:
        rank = fit_whitening(series, model.pca_components, warn=False).rank
        model.set_params(n_components=choose_n_components(rank))


def _rows_to_fit(model: Any, recording: Any, max_rows: int | None) -> tuple[Any, Any, Any]:
    """Return the rows to fit to, all of them or blocks of them, their sequences and annotations."""
    if max_rows is None or len(recording.values) <= max_rows:
        return recording.values, recording.groups, recording.annotations
    from predfeat.series import check_sequences
    from predfeat.splits import shortest_piece, spread_sequences

    series = check_sequences(recording.values, recording.groups, name="the recording")
    shortest = shortest_piece(getattr(model, "n_lags", 1), getattr(model, "horizon", 1))
    rows, groups = spread_sequences(series, max_rows, shortest=shortest)
    annotations = {role: found[rows] for role, found in recording.annotations.items()}
    return recording.values[rows], groups, annotations


def _estimator(method: str, given: dict[str, Any], jobs: int) -> Any:
    from predfeat.features import METHODS

    parameters = dict(given)
    meant = METHODS[understand_method(method, "--method")]
    # "gpfa" without a number takes its graph from --graph.
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
                f"{', '.join(o.option for n, o in METHOD_OPTIONS.items() if n in known)}.",
                param_hint=METHOD_OPTIONS[name].option,
            )
    if "n_jobs" in known:
        parameters["n_jobs"] = jobs
    return kind(**parameters)
