"""The `predfeat` command: help, version, and errors in a line or two."""

from __future__ import annotations

import sys
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer
from typer.core import TyperGroup

from predfeat._version import __version__
from predfeat.cli._choose import choose
from predfeat.cli._compare import compare
from predfeat.cli._fit import fit
from predfeat.cli._forecast import forecast
from predfeat.cli._info import info
from predfeat.cli._interrupts import INTERRUPTED, was_interrupted
from predfeat.cli._measure import measure
from predfeat.cli._report import report
from predfeat.cli._reproduce import reproduce
from predfeat.cli._streams import lasting_streams
from predfeat.cli._terminal import printable, say, shortened, show
from predfeat.cli._transform import transform
from predfeat.cli._wording import in_options, speak_of

__all__ = ["app", "main"]


class _Commands(TyperGroup):
    """The commands; typer's own error messages are made printable, too."""

    def make_context(self, *arguments: Any, **options: Any) -> Any:
        with _printable_usage_errors():
            return super().make_context(*arguments, **options)

    def invoke(self, *arguments: Any, **options: Any) -> Any:
        with _printable_usage_errors():
            return super().invoke(*arguments, **options)


@contextmanager
def _printable_usage_errors() -> Iterator[None]:
    try:
        yield
    except Exception as error:
        # Usage errors are of a class of typer or of click, depending on the version. One of them is
        # not an error: its message is the help text.
        is_usage_error = (
            hasattr(error, "format_message") and type(error).__name__ != "NoArgsIsHelpError"
        )
        if is_usage_error:
            error.message = shortened(printable(str(error.message)))  # type: ignore[attr-defined]
        raise


app = typer.Typer(
    name="predfeat",
    cls=_Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
)
for command in (compare, choose, fit, transform, forecast, measure, info, report, reproduce):
    app.command()(command)

_LONGEST_TRACEBACK = 20_000  # characters: ten times the longest line
_debug = False


def _print_version(wanted: bool) -> None:
    if wanted:
        show(f"predfeat {__version__}")
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
        False, "--debug", help="Show the traceback of an error.", callback=_show_tracebacks
    ),
) -> None:
    """Find the most predictable features of a multivariate time series.

    Start with: predfeat compare FILE
    """
    speak_of(getattr(context.command, "commands", {}).get(context.invoked_subcommand))


def main() -> None:
    """Run the command: errors of the user exit with 2, ours with 1, both in a line or two."""
    with lasting_streams(), warnings.catch_warnings():
        # Our warnings are for the user; those of libraries are for programmers.
        warnings.simplefilter("ignore")
        warnings.simplefilter("default", UserWarning)
        warnings.showwarning = _remark
        try:
            app(prog_name="predfeat")
        except (ValueError, OSError, ImportError) as error:
            _end(_in_words(error), 2)
        except MemoryError:
            _end(
                "there is not enough memory. Read fewer rows or columns, or scale the data down.", 1
            )
        except Exception as error:
            _end(
                f"unexpected {type(error).__name__}: {error}",
                1,
                "This is a bug in predfeat; predfeat --debug … shows where.",
            )


def _remark(message: Any, *_: Any, **__: Any) -> None:
    if not was_interrupted():
        say(f"note: {in_options(str(message))}")


def _in_words(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror and error.filename:
        return f"{error.filename}: {error.strerror}"
    return in_options(str(error))


def _end(message: str, code: int, *more: str) -> None:
    if _debug:
        # Indented, as an error's text may contain line breaks: none of its lines looks like ours.
        say(
            *(
                f"  {line}"
                for line in shortened(traceback.format_exc(), _LONGEST_TRACEBACK).split("\n")
            )
        )
    if was_interrupted():  # during an import, for instance
        sys.exit(INTERRUPTED)
    say(f"predfeat: {message}", *more)
    sys.exit(code)
