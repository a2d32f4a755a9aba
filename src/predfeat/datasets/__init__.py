"""Data: generators with a known answer, readers of files and a writer of features."""

from predfeat.datasets._file_column import FileColumn
from predfeat.datasets._games import busiest_window, game_frames
from predfeat.datasets._hidden_lorenz import hidden_lorenz
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
from predfeat.datasets._sentinels import blank_sentinels
from predfeat.datasets._soundscapes import SOUNDSCAPES, synthetic_soundscape
from predfeat.datasets._spectra import short_time_spectra
from predfeat.datasets._sprites import moving_sprites
from predfeat.datasets._write import WRITABLE_SUFFIXES, write_features

__all__ = [
    "hidden_lorenz",
    "predictable_noise",
    "synthetic_soundscape",
    "SOUNDSCAPES",
    "moving_sprites",
    "game_frames",
    "busiest_window",
    "read",
    "files_to_read",
    "reading_options",
    "SUFFIXES",
    "prepare",
    "blank_sentinels",
    "short_time_spectra",
    "write_features",
    "WRITABLE_SUFFIXES",
    "Recording",
    "Layout",
    "Channels",
    "Spectrum",
    "Image",
    "FileColumn",
]
