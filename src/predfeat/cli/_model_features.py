"""The features of a model file in new data, read as its training data was."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from predfeat.cli._data import recording_like
from predfeat.cli._notes import known_data
from predfeat.cli._symbols import symbols_like

__all__ = ["model_features"]


def model_features(
    model: Path, files: list[Path], reading: dict[str, Any], *, quiet: bool
) -> tuple[Any, Any, list[str]]:
    """Return the recording, its features, and their names."""
    from predfeat.persistence import read_model

    fitted, header = read_model(model)
    data = known_data(header.notes, model)
    if header.estimator == "SymbolFeatures":
        recording, given = symbols_like(data, fitted, files, reading, quiet)
    else:
        recording = recording_like(data, files, reading, quiet)
        given = recording.values
    names = [str(name) for name in fitted.get_feature_names_out()]
    return recording, fitted.transform(given), names
