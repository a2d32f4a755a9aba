"""Options that several commands share, each described once."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, get_args

import typer

from predfeat._method_options import METHOD_OPTIONS, MethodOption
from predfeat.cli._methods import WORDS, complete_method

__all__ = [
    "DataFiles",
    "Force",
    "Horizon",
    "Jobs",
    "Json",
    "LARGEST_SEED",
    "MOST",
    "MOST_FITS",
    "MOST_JOBS",
    "Methods",
    "NLags",
    "NNeighbors",
    "OPTION_KINDS",
    "PREPARATION",
    "PcaComponents",
    "Processes",
    "Quiet",
    "Seed",
    "count_or_share",
    "reads_a_file",
    "sets_parameters",
]

# The largest counts, numbers of fits, processors and (scikit-learn's) seeds. Without these limits a
# number with too many digits fails only after the work is done, or exhausts the memory.
MOST = 2**31 - 1
MOST_FITS = 10**6
MOST_JOBS = 1024
LARGEST_SEED = 2**32 - 1

DataFiles = Annotated[
    list[Path],
    typer.Argument(
        help="The series: a table (.csv, .tsv, .txt, .xlsx, .parquet, .feather, .json, .jsonl; "
        "text also compressed), arrays (.npy, .npz, .mat, .nc), .edf, a sound or a video. Several "
        "files, a folder or a quoted pattern give one sequence per file. - reads a text table from "
        "standard input.",
        show_default=False,
        metavar="FILES...",
    ),
]


def _count(parameter: str) -> Any:
    return typer.Option(min=1, max=MOST, help=METHOD_OPTIONS[parameter].sentence)


NLags = Annotated[int, _count("n_lags")]
Horizon = Annotated[int, _count("horizon")]
NNeighbors = Annotated[int, _count("n_neighbors")]
PcaComponents = Annotated[
    str | None,
    typer.Option(help=METHOD_OPTIONS["pca_components"].sentence, show_default=False),
]
Methods = Annotated[
    list[str] | None,
    typer.Option(
        "--methods",
        "-m",
        metavar="METHOD",
        help=f"Methods to compare, among {', '.join(WORDS)}: a,b or one option each. "
        "Default: all except auto, which tries them all itself.",
        autocompletion=complete_method,
    ),
]
Seed = Annotated[
    int,
    typer.Option(
        "--random-state",
        "--seed",
        min=0,
        max=LARGEST_SEED,
        help="Seed of all random numbers; the same seed gives the same results.",
    ),
]
Jobs = Annotated[
    int,
    typer.Option(
        min=-MOST_JOBS,
        max=MOST_JOBS,
        help="Processors to use (-1: all). The results do not depend on it.",
    ),
]
Processes = Annotated[
    int,
    typer.Option(min=-MOST_JOBS, max=MOST_JOBS, help="Processes (-1: as many as processors)."),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")]


def _silence(wanted: bool) -> bool:
    if wanted:
        warnings.simplefilter("ignore")  # undone when the command ends
    return wanted


Quiet = Annotated[
    bool,
    typer.Option("--quiet", "-q", help="Print only errors.", callback=_silence),
]
Force = Annotated[bool, typer.Option("--force", "-f", help="Replace existing files.")]

_TABLES, _SOUNDS, _VIDEOS = "Tables", "Sounds", "Videos"
_PREPARING = "Preparation, in this order"


def _option(kind: Any, panel: str, text: str, *names: str) -> tuple[Any, Any]:
    option = typer.Option(
        *names,
        help=text,
        rich_help_panel=panel,
        show_default=False,
        max=MOST if kind == int | None else None,
    )
    return Annotated[kind, option], None


# The options of `predfeat.datasets.read`, by its names.
_READING: dict[str, tuple[Any, Any]] = {
    "columns": _option(
        list[str] | None, _TABLES, "Columns to read: a,b or one option each.", "--columns", "-c"
    ),
    "keep": _option(
        list[str] | None,
        _TABLES,
        "Columns to read although they would be left out, as counters, calendar columns or mostly "
        "empty columns: a,b or one option each.",
    ),
    "exclude": _option(list[str] | None, _TABLES, "Columns to leave out: a,b or one option each."),
    "time": _option(str | None, _TABLES, "Column of time stamps."),
    "group": _option(str | None, _TABLES, "Column that identifies the sequences."),
    "missing": _option(
        list[str] | None,
        _TABLES,
        "Cells that stand for a missing value, such as -999: a,b or one option each.",
    ),
    "jumps": _option(
        str | None,
        _TABLES,
        "What jumps in the time stamps are (videos, too): gaps or ignore. Default: gaps, except "
        "for weekends and holidays between working days.",
    ),
    "day_first": _option(
        bool | None,
        _TABLES,
        "Whether 1/2/2012 is 1 February or 2 January, if the file does not show it.",
        "--day-first/--month-first",
    ),
    "header": _option(
        bool | None,
        _TABLES,
        "Whether the first row holds the column names.",
        "--header/--no-header",
    ),
    "delimiter": _option(str | None, _TABLES, "Character between cells."),
    "sheet": _option(str | None, _TABLES, "Sheet of an .xlsx file (default: the first)."),
    "key": _option(
        str | None, _TABLES, "Array, variable or table of an .npz, .mat, .nc or .json file."
    ),
    "rate": _option(float | None, _SOUNDS, "Resample to this many samples per second."),
    "spectrum": _option(str | None, _SOUNDS, "complex (default) or log-magnitude."),
    "frame": _option(int | None, _SOUNDS, "Samples in a frame (512)."),
    "hop": _option(int | None, _SOUNDS, "Samples from frame to frame (256)."),
    "height": _option(int | None, _VIDEOS, "Scale frames to this many rows of pixels."),
    "width": _option(int | None, _VIDEOS, "Scale frames to this many columns of pixels."),
    "window": _option(
        tuple[int, int, int, int] | None,
        _VIDEOS,
        "Part of the frame to keep: top left height width.",
    ),
}

# The options of `predfeat.datasets.prepare`, by its names.
_PREPARATION: dict[str, tuple[Any, Any]] = {
    "every": _option(int | None, _PREPARING, "Keep every n-th row of each sequence."),
    "detrend": _option(
        bool | None,
        _PREPARING,
        "Remove the linear trend of each column, in each sequence.",
        "--detrend/--no-detrend",
    ),
    "difference": _option(
        bool | None,
        _PREPARING,
        "Replace each column by its change from row to row.",
        "--difference/--no-difference",
    ),
    "delays": _option(
        int | None, _PREPARING, "Append this many preceding rows to each row, as more columns."
    ),
}
PREPARATION = tuple(_PREPARATION)
# The type that each of them must have in a model's notes.
OPTION_KINDS = {
    name: get_args(annotated)[0] for name, (annotated, _) in {**_READING, **_PREPARATION}.items()
}


def reads_a_file(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command with a parameter `reading` the options of `read` and `prepare`.

    The command receives the given ones as a dict.
    """
    return _gathering(command, "reading", {**_READING, **_PREPARATION})


def sets_parameters(name: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command with a parameter `parameters` the options of the methods' parameters.

    The command of this name receives the given ones, as a dict of the library's values.
    """
    options = {
        option.parameter: (_method_option(option), None)
        for option in METHOD_OPTIONS.values()
        if name in option.commands
    }

    def give(command: Callable[..., None]) -> Callable[..., None]:
        @wraps(command)
        def understanding(parameters: dict[str, Any], **given: Any) -> None:
            if "pca_components" in parameters:
                share = count_or_share(parameters["pca_components"])
                parameters = {**parameters, "pca_components": share}
            command(parameters=parameters, **given)

        return _gathering(understanding, "parameters", options)

    return give


def _method_option(option: MethodOption) -> Any:
    spellings = [option.option, *option.other]
    if option.kind is bool:
        spellings = [f"{option.option}/{option.advised}"]
    most = LARGEST_SEED if option.parameter == "random_state" else MOST
    declared = typer.Option(
        *spellings,
        help=option.help,
        show_default=False,
        min=option.at_least,
        max=most if option.kind is int else None,
    )
    return Annotated[option.kind | None, declared]


def _gathering(
    command: Callable[..., None], parameter: str, options: dict[str, tuple[Any, Any]]
) -> Callable[..., None]:
    """Replace one parameter of a command by options; it receives the given ones as a dict."""
    own = inspect.signature(command, eval_str=True)
    kept = [p for name, p in own.parameters.items() if name != parameter]
    added = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)
        for name, (kind, default) in options.items()
    ]

    @wraps(command)
    def run(**given: Any) -> None:
        gathered = {name: given.pop(name) for name in options}
        found = {name: value for name, value in gathered.items() if value is not None}
        command(**{parameter: found}, **given)

    parameters = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in kept] + added
    run.__signature__ = own.replace(parameters=parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {p.name: p.annotation for p in parameters}
    return run


def count_or_share(given: str | None) -> int | float | None:
    """Parse the value of `--pca-components`."""
    if given is None or given.lower() == "none":
        return None
    for kind in (int, float):
        try:
            number = kind(given)
        except ValueError:
            continue
        if number <= MOST:
            return number
    raise typer.BadParameter(
        f"{given!r} is neither a count such as 50, nor a share of variance such as 0.99, nor none.",
        param_hint="--pca-components",
    )
