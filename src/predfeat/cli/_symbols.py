"""Words and other symbols: how they are read, fitted and transformed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from predfeat._method_options import METHOD_OPTIONS
from predfeat.cli._data import read_recording
from predfeat.cli._options import MOST
from predfeat.cli._terminal import progress_bar

__all__ = ["RARE", "MinCount", "SymbolColumn", "fit_symbols", "means_symbols", "symbols_like"]

# What stands for all symbols that are too rare to say where they belong.
RARE = "(rare)"
_PANEL = "Words and other symbols"
_N_SHOWN = 5

SymbolColumn = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="Fit to the symbols in this column of a table, as the words of a text are.",
        rich_help_panel=_PANEL,
        show_default=False,
    ),
]
MinCount = Annotated[
    int,
    typer.Option(
        min=1,
        max=MOST,
        help=f"Symbols that occur less often become one, {RARE}.",
        rich_help_panel=_PANEL,
    ),
]


def means_symbols(method: str) -> bool:
    """Tell whether a method as typed is the one for symbols."""
    return method.strip().casefold() in ("symbols", "symbolfeatures")


def fit_symbols(
    files: list[Path],
    column: str | None,
    reading: dict[str, Any],
    parameters: Mapping[str, Any],
    min_count: int,
    *,
    jobs: int,
    quiet: bool,
) -> tuple[Any, Any, list[str]]:
    """Fit `SymbolFeatures` to the words of texts, or to a column of tables.

    Returns
    -------
    model : SymbolFeatures
    recording : Recording
        Its only annotation holds the symbols.
    said : list of str
        What there is to say about the model.
    """
    model = _estimator(parameters, jobs)
    recording = _read(files, column, reading, quiet=quiet)
    (symbols,) = recording.annotations.values()
    counts = Counter(symbol for symbol in symbols if symbol is not None)
    common = {symbol for symbol, n in counts.items() if n >= min_count}
    n_rare, kept = len(counts) - len(common), _only(symbols, common)
    if "n_components" not in parameters:
        n_followers = _count_followers(kept, recording.groups, model.n_lags)
        model.set_params(n_components=max(1, min(3, n_followers - 1)))
    with progress_bar("fitting SymbolFeatures", quiet=quiet):
        model.fit(kept, groups=recording.groups)
    said = [f"{len(model.symbols_)} different symbols in {len(symbols)} rows"]
    if n_rare:
        said[0] += f"; {n_rare} that occur less than {min_count} times became one, {RARE}"
    several = f"the {model.n_lags} symbols before leave"
    before = "the symbol before leaves" if model.n_lags == 1 else several
    shares = ", ".join(f"{value:.2f}" for value in model.eigenvalues_)
    said.append(f"{before} {shares} of the features open, in the data itself")
    return model, recording, said + _nearest(model)


def symbols_like(
    data: dict[str, Any], model: Any, files: list[Path], reading: dict[str, Any], quiet: bool
) -> tuple[Any, list[Any]]:
    """Read symbols as those that a model was fitted to; also return them with rare ones replaced.

    `data` comes from `known_data`.
    """
    options = {**data.get("reading", {}), **reading}
    recording = _read(files, data.get("symbols") or None, options, quiet=quiet)
    (symbols,) = recording.annotations.values()
    known = set(model.symbols_)
    return recording, _only(symbols, known) if RARE in known else list(symbols)


def _estimator(parameters: Mapping[str, Any], jobs: int) -> Any:
    from predfeat.features import SymbolFeatures

    known = SymbolFeatures().get_params()
    for name in parameters:
        if name not in known:
            options = [o.option for n, o in METHOD_OPTIONS.items() if n in known]
            raise typer.BadParameter(
                f"SymbolFeatures has no such parameter. It has {', '.join(options)}.",
                param_hint=METHOD_OPTIONS[name].option,
            )
    return SymbolFeatures(**{**parameters, "n_jobs": jobs})


def _read(files: list[Path], column: str | None, reading: dict[str, Any], *, quiet: bool) -> Any:
    from dataclasses import replace

    from predfeat.datasets import read_words

    if column is None:
        if reading:
            raise typer.BadParameter(
                "it is an option for tables, but the words of a text are read. For a table, name "
                "the column with --symbols.",
                param_hint=f"--{next(iter(reading)).replace('_', '-')}",
            )
        with progress_bar(f"reading {files[0].name}", quiet=quiet):
            return read_words(files)
    if "columns" in reading:
        raise typer.BadParameter(
            "only the column of symbols is read. Leave it out.", param_hint="--columns"
        )
    only = {**reading, "columns": [], "annotations": {"symbols": [column]}}
    recording = read_recording(files, only, quiet=quiet)
    cells = recording.annotations["symbols"]
    return replace(recording, annotations={column: _as_texts(cells)})


def _as_texts(cells: Any) -> Any:
    """Return symbols as text, so that they are the same in a file that holds only numbers."""
    import numpy as np

    if cells.dtype.kind == "O":
        return cells
    texts = np.empty(len(cells), dtype=object)
    texts[:] = [
        None if cell != cell else str(int(cell)) if cell.is_integer() else repr(cell)
        for cell in cells.tolist()
    ]
    return texts


def _only(symbols: Any, common: set[Any]) -> list[Any]:
    return [symbol if symbol is None or symbol in common else RARE for symbol in symbols]


def _count_followers(symbols: list[Any], groups: Any, n_lags: int) -> int:
    """Return how many different symbols stand after a whole context."""
    last = range(n_lags, len(symbols))
    within = last if groups is None else (i for i in last if groups[i] == groups[i - n_lags])
    return len({symbols[i] for i in within} - {None})


def _nearest(model: Any) -> list[str]:
    """Return a line for each of the most frequent symbols: those with the most similar features."""
    import numpy as np

    lines = []
    names = [str(symbol) for symbol in model.symbols_]
    for i in [i for i, name in enumerate(names) if name != RARE][:_N_SHOWN]:
        distances = np.linalg.norm(model.vectors_ - model.vectors_[i], axis=1)
        order = [j for j in np.argsort(distances, kind="stable") if j != i and names[j] != RARE]
        if order:
            lines.append(f"nearest to {names[i]}: {', '.join(names[j] for j in order[:_N_SHOWN])}")
    return lines
