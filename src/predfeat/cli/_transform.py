"""`predfeat transform`: a model and new data give features."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from predfeat.cli._model_features import model_features
from predfeat.cli._options import DataFiles, Force, Quiet, reads_a_file
from predfeat.cli._outputs import refuse_unwritable, writing
from predfeat.cli._row_by_row import transform_rows
from predfeat.cli._terminal import raw_output, say

__all__ = ["ModelFile", "transform"]

ModelFile = Annotated[
    Path, typer.Argument(help="A model file written by compare or fit.", show_default=False)
]


@reads_a_file
def transform(
    reading: dict[str, Any],
    model: ModelFile,
    files: DataFiles,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            help="File to write: .csv, .tsv, .npy or .parquet; - prints CSV. Default: "
            "features.csv, and - for standard input.",
            show_default=False,
        ),
    ] = None,
    force: Force = False,
    quiet: Quiet = False,
) -> None:
    """Extract a model's features from data, keeping time stamps and groups.

    Files are read as the model's training data was; columns are matched by name. The
    features of several files go into one table, with a column that names the file.

    From standard input to standard output, rows are answered one by one as they come, without an
    end if need be.

    For example:

        predfeat transform model.predfeat today.csv --out today-features.csv

        predfeat transform model.predfeat 'trials/*.csv' --out trials-features.csv

        tail -n +1 -f today.csv | predfeat transform model.predfeat -
    """
    from predfeat.datasets import WRITABLE_SUFFIXES, write_features

    from_stream = list(map(str, files)) == ["-"]
    if out is None:
        out = Path("-" if from_stream else "features.csv")
    if from_stream and str(out) == "-" and transform_rows(model, reading):
        return
    to_screen = str(out) == "-"
    suffix = ".csv" if to_screen else out.suffix.lower()
    if suffix not in WRITABLE_SUFFIXES:
        raise typer.BadParameter(
            f"{out} must end in one of {', '.join(WRITABLE_SUFFIXES)}.", param_hint="--out"
        )
    if not to_screen:
        refuse_unwritable([out], force=force, data=files, read=[model])
    recording, features, names = model_features(model, files, reading, quiet=quiet)
    if to_screen:
        write_features(raw_output(), features, names, recording=recording)
        return
    with writing(out, force=force) as stream:
        write_features(stream, features, names, suffix=suffix, recording=recording)
    say(f"{features.shape[1]} feature(s) of {recording.source}: {out}", quiet=quiet)
