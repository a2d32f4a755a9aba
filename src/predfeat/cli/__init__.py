"""Stage 13, the command `predfeat`: one file per command; parse, call, print."""

from predfeat.cli._app import app, main

__all__ = ["app", "main"]
