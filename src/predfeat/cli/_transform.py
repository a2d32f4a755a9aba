"""`predfeat transform`: a model and new data give features."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from predfeat.cli._model_features import model_features
from predfeat.cli._options import DataFiles, Force, Quiet, reads_a_file
from predfeat.cli._outputs import refuse_unwritable, writing
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
        Path,
        typer.Option(
            "--out", "-o", help="File to write: .csv, .tsv, .npy or .parquet; - prints CSV."
        ),
    ] = Path("features.csv"),
    force: Force = False,
    quiet: Quiet = False,
) -> None:
    """Extract a model's features from data, keeping time stamps and groups.

    Files are read as the model's training data was; columns are matched by name. The
    features of several files go into one table, with a column that names the file.

    For example:

        predfeat transform model.predfeat today.csv --out today-features.csv

        predfeat transform model.predfeat 'trials/*.csv' --out trials-features.csv

        predfeat transform model.predfeat - --out - < today.csv
    """
    from predfeat.datasets import WRITABLE_SUFFIXES, write_features

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
