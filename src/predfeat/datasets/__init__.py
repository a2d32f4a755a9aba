"""Data: generators with a known answer, simulators, readers of files, a writer of features."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from predfeat.datasets._continuation import continued_time
from predfeat.datasets._file_column import FileColumn
from predfeat.datasets._games import busiest_window, game_frames
from predfeat.datasets._hidden_lorenz import hidden_lorenz
from predfeat.datasets._hidden_nonlinear import hidden_amplitude, hidden_cascade, hidden_product
from predfeat.datasets._predictable_noise import predictable_noise
from predfeat.datasets._preparation import prepare
from predfeat.datasets._read import SUFFIXES, files_to_read, read, reading_options
from predfeat.datasets._recording import (
    Channels,
    Image,
    Layout,
    Recording,
    Spectrum,
)
from predfeat.datasets._row_preparation import RowPreparation
from predfeat.datasets._row_stream import RowStream, StreamedRow
from predfeat.datasets._sentinels import blank_sentinels
from predfeat.datasets._simulators import Episode, record_episodes
from predfeat.datasets._soundscapes import SOUNDSCAPES, synthetic_soundscape
from predfeat.datasets._spectra import short_time_spectra
from predfeat.datasets._sprites import moving_sprites
from predfeat.datasets._words import holds_words, read_words
from predfeat.datasets._write import WRITABLE_SUFFIXES, text_line, write_features

if TYPE_CHECKING:
    from predfeat.datasets._feature_observation import FeatureObservation

__all__ = [
    "hidden_lorenz",
    "hidden_amplitude",
    "hidden_cascade",
    "hidden_product",
    "predictable_noise",
    "synthetic_soundscape",
    "SOUNDSCAPES",
    "moving_sprites",
    "game_frames",
    "busiest_window",
    "record_episodes",
    "Episode",
    "FeatureObservation",
    "read",
    "files_to_read",
    "reading_options",
    "SUFFIXES",
    "read_words",
    "holds_words",
    "RowStream",
    "StreamedRow",
    "prepare",
    "RowPreparation",
    "blank_sentinels",
    "short_time_spectra",
    "continued_time",
    "write_features",
    "text_line",
    "WRITABLE_SUFFIXES",
    "Recording",
    "Layout",
    "Channels",
    "Spectrum",
    "Image",
    "FileColumn",
]


def __getattr__(name: str) -> Any:
    # Loaded on first access: its module imports gymnasium.
    if name != "FeatureObservation":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = import_module("predfeat.datasets._feature_observation")
    value = globals()[name] = module.FeatureObservation
    return value
