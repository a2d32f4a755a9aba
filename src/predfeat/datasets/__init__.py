"""Stage 10, data: generators with a known answer."""

from predfeat.datasets._hidden_lorenz import hidden_lorenz
from predfeat.datasets._predictable_noise import predictable_noise

__all__ = ["hidden_lorenz", "predictable_noise"]
