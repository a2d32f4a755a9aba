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
    """Run the command as all that its process does, under its eyes to the very end."""
    _run(is_all=True)


def _run(is_all: bool) -> None:
    from predfeat.cli._interrupts import interruptible
    from predfeat.cli._streams import occupy_standard_files

    occupy_standard_files()
    with interruptible(is_all=is_all):
        from predfeat.cli import _app

        _app.main()


def __getattr__(name: str) -> Any:
    # Loaded when asked for: what takes time is loaded under the eyes of `main`.
    if name == "app":
        from predfeat.cli._app import app

        return app
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
