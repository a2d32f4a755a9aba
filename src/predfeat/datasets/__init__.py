"""Stage 10, data: generators with a known answer, and what readers of files return."""

from predfeat.datasets._hidden_lorenz import hidden_lorenz
from predfeat.datasets._predictable_noise import predictable_noise
from predfeat.datasets._recording import Channels, Image, Layout, Recording, Spectrum

__all__ = [
    "hidden_lorenz",
    "predictable_noise",
    "Recording",
    "Layout",
    "Channels",
    "Spectrum",
    "Image",
]
