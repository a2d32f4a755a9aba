"""The command's frame: help, version, errors in one line."""

from __future__ import annotations

import os
import sys

import typer

import predfeat
from predfeat.cli._compare import compare
from predfeat.cli._reproduce import reproduce

__all__ = ["app", "main"]

app = typer.Typer(
    name="predfeat",
    help="Find the most predictable features of a multivariate time series.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
)
app.command()(compare)
app.command()(reproduce)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"predfeat {predfeat.__version__}")
        raise typer.Exit


@app.callback()
def _frame(
    version: bool = typer.Option(
        False,
        "--version",
        help="Show the version and exit.",
        callback=_print_version,
        is_eager=True,
    ),
) -> None:
    """Find the most predictable features of a multivariate time series."""


def main() -> None:
    """Run the command: the user's mistakes exit with 2, ours with 1, both in one line."""
    try:
        app()
    except KeyboardInterrupt:
        typer.echo("interrupted: nothing was written.", err=True)
        sys.exit(130)
    except ValueError as error:
        typer.echo(f"predfeat: {error}", err=True)
        sys.exit(2)
    except BrokenPipeError:
        # The reader (`| head`) has left; a second complaint at exit would say so again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
