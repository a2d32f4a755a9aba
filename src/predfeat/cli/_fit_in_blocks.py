"""Files that `predfeat fit` does not read at once, and the cluster that reads them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

__all__ = ["Cluster", "choose_in_blocks", "connected", "recording_of", "rows_in_blocks"]

Cluster = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        metavar="ADDRESS|local",
        help="Read and search on a Dask cluster: the address of its scheduler, or one worker for "
        "each core of this machine. For long .npy and .parquet files, and sfa, pfa or gpfa.",
        show_default=False,
    ),
]

# More columns are reduced by a rule that looks at the whole series.
_MOST_COLUMNS = 50


@contextmanager
def connected(cluster: str | None) -> Iterator[Any]:
    """Yield the client of a cluster; None if none is wanted."""
    if cluster is None:
        yield None
        return
    from predfeat.series import open_cluster

    with open_cluster(cluster) as client:
        yield client


def rows_in_blocks(
    files: list[Path],
    reading: dict[str, Any],
    model: Any,
    given: dict[str, Any],
    others: dict[str, Any],
    client: Any,
) -> Any:
    """Return the rows of files that are read block by block; None if they are read at once.

    Tables are read at once unless the columns are named: which of them are data is otherwise
    decided by looking at all rows.
    """
    problem = _why_at_once(files, reading, others, client is not None)
    if problem is None:
        from predfeat.series import is_large, open_rows

        # A folder, or several files: each is a sequence.
        several = len(files) > 1 or files[0].is_dir()
        if several and "group" in reading:
            problem = "each of several files is a sequence already. Leave --group out"
        else:
            rows = open_rows(
                files if len(files) > 1 else files[0],
                columns=reading.get("columns"),
                groups=reading.get("group"),
                by_file=several,
                client=client,
            )
            if not is_large(rows.n_rows):
                problem = f"{rows.n_rows} rows are few enough to be read at once"
            elif not model.takes_blocks(rows.n_rows):
                problem = (
                    "the method, with these parameters, needs all rows at once. sfa, pfa, and gpfa "
                    "with its defaults do not"
                )
            elif "pca_components" not in given and rows.n_columns > _MOST_COLUMNS:
                problem = (
                    f"of {rows.n_columns} columns some principal components are kept, whose number "
                    "is chosen with all rows. Give --pca-components, such as 0.99, or none"
                )
            else:
                return rows
    if client is not None:
        raise typer.BadParameter(f"{problem}.", param_hint="--cluster")
    return None


def _why_at_once(
    files: list[Path], reading: dict[str, Any], others: dict[str, Any], is_wanted: bool
) -> str | None:
    kinds = {_kind(file) for file in files}
    used = [option for option, value in others.items() if value is not None]
    known = {"columns", "group"} if kinds == {".parquet"} else set()
    odd = sorted(set(reading) - known)
    if kinds not in ({".npy"}, {".parquet"}):
        return "it is for .npy and .parquet files"
    if used or odd:
        name = used[0] if used else f"--{odd[0].replace('_', '-')}"
        return f"{name} needs all rows at once. Leave one of the two out"
    if kinds == {".parquet"} and "columns" not in reading and not is_wanted:
        return "the columns are not named"
    return None


def _kind(path: Path) -> str:
    if not path.is_dir():
        return path.suffix.lower()
    kinds = {file.suffix.lower() for file in path.iterdir() if file.is_file()}
    return kinds.pop() if len(kinds) == 1 else ""


def recording_of(rows: Any, files: list[Path]) -> Any:
    """Return what is known of the rows as a recording, whose values are not there."""
    import numpy as np

    from predfeat.datasets import Recording

    rows_have_names = rows.has_names
    names = rows.names if rows_have_names else [f"column {i + 1}" for i in range(rows.n_columns)]
    rows.has_names = False  # other commands give arrays to the model, which have no names
    source = files[0].name if len(files) == 1 else f"{len(files)} files"
    return Recording(np.broadcast_to(0.0, rows.shape), tuple(names), source)


def choose_in_blocks(model: Any, given: dict[str, Any], rows: Any) -> None:
    """Set the number of features by the rule of `compare`, if it was not given."""
    from predfeat.experiments import choose_n_components
    from predfeat.series import check_blocks
    from predfeat.whitening import fit_whitening

    if "n_components" not in given:
        whitening = fit_whitening(check_blocks(rows), model.pca_components, warn=False)
        model.set_params(n_components=choose_n_components(whitening.rank))
