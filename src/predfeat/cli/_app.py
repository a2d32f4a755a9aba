"""The command's frame: help, version, errors in a line or two."""

from __future__ import annotations

import sys
import traceback
import warnings
from typing import Any

import typer

from predfeat._version import __version__
from predfeat.cli._choose import choose
from predfeat.cli._compare import compare
from predfeat.cli._fit import fit
from predfeat.cli._info import info
from predfeat.cli._interrupts import INTERRUPTED, was_interrupted
from predfeat.cli._measure import measure
from predfeat.cli._report import report
from predfeat.cli._reproduce import reproduce
from predfeat.cli._transform import transform
from predfeat.cli._wording import in_options, speak_of

__all__ = ["app", "main"]

app = typer.Typer(
    name="predfeat",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
)
for command in (compare, choose, fit, transform, measure, info, report, reproduce):
    app.command()(command)

_debug = False


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"predfeat {__version__}")
        raise typer.Exit


def _show_tracebacks(wanted: bool) -> None:
    global _debug
    _debug = wanted


@app.callback()
def _frame(
    context: typer.Context,
    version: bool = typer.Option(
        False,
        "--version",
        help="Show the version and exit.",
        callback=_print_version,
        is_eager=True,
    ),
    debug: bool = typer.Option(
        False, "--debug", help="Show where an error comes from.", callback=_show_tracebacks
    ),
) -> None:
    """Find the most predictable features of a multivariate time series.

    Start with: predfeat compare FILE
    """
    speak_of(getattr(context.command, "commands", {}).get(context.invoked_subcommand))


def main() -> None:
    """Run the command: the user's mistakes exit with 2, ours with 1, both in a line or two."""
    with warnings.catch_warnings():
        # Ours are for the user's eyes; what libraries say to programmers is not.
        warnings.simplefilter("ignore")
        warnings.simplefilter("default", UserWarning)
        warnings.showwarning = _remark
        try:
            app()
        except (ValueError, OSError, ImportError) as error:
            _end(_in_words(error), 2)
        except MemoryError:
            _end("not enough memory for this. Read fewer rows or columns, or scale it down.", 1)
        except Exception as error:
            _end(
                f"unexpected {type(error).__name__}: {error}\nThis is a mistake in predfeat; "
                "predfeat --debug … shows where.",
                1,
            )


def _remark(message: Any, *_: Any, **__: Any) -> None:
    if was_interrupted():
        return
    typer.echo(f"note: {in_options(str(message))}", err=True)


def _in_words(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror and error.filename:
        return f"{error.filename}: {error.strerror}"
    return in_options(str(error))


def _end(message: str, code: int) -> None:
    if _debug:
        traceback.print_exc()
    if was_interrupted():  # an import that did not get to its end, for instance
        sys.exit(INTERRUPTED)
    typer.echo(f"predfeat: {message}", err=True)
    sys.exit(code)
