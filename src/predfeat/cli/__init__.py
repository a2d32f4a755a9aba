"""The command `predfeat`: one file per command; parse, call, print."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from predfeat.cli._app import app

__all__ = ["app", "main", "run"]


def main() -> None:
    """Run the command; while it runs, a signal ends the process with exit code 130."""
    _run(is_all=False)


def run() -> None:
    """Run the command as the only task of its process, and handle signals until it exits."""
    _run(is_all=True)


def _run(is_all: bool) -> None:
    from predfeat.cli._interrupts import interruptible
    from predfeat.cli._streams import occupy_standard_files

    occupy_standard_files()
    with interruptible(is_all=is_all):
        from predfeat.cli import _app

        _app.main()


def __getattr__(name: str) -> Any:
    # Loaded on demand: `main` handles signals before anything slow is imported.
    if name == "app":
        from predfeat.cli._app import app

        return app
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
