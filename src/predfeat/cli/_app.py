"""The command's frame: help, version, errors in a line or two."""

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
    """The commands; what typer says of the words that were given is made printable, too."""

    def make_context(self, *arguments: Any, **options: Any) -> Any:
        with _printable_complaints():
            return super().make_context(*arguments, **options)

    def invoke(self, *arguments: Any, **options: Any) -> Any:
        with _printable_complaints():
            return super().invoke(*arguments, **options)


@contextmanager
def _printable_complaints() -> Iterator[None]:
    try:
        yield
    except Exception as error:
        # A complaint about a word is of a class of typer's own or of click's, by its version. One
        # of them is no complaint: its message is the help, in many lines.
        complains = hasattr(error, "format_message") and type(error).__name__ != "NoArgsIsHelpError"
        if complains:
            error.message = shortened(printable(str(error.message)))  # type: ignore[attr-defined]
        raise


app = typer.Typer(
    name="predfeat",
    cls=_Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
)
for command in (compare, choose, fit, transform, measure, info, report, reproduce):
    app.command()(command)

_TRACEBACK = 20_000  # characters, for those who look for a mistake: ten times the longest line
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
        False, "--debug", help="Show where an error comes from.", callback=_show_tracebacks
    ),
) -> None:
    """Find the most predictable features of a multivariate time series.

    Start with: predfeat compare FILE
    """
    speak_of(getattr(context.command, "commands", {}).get(context.invoked_subcommand))


def main() -> None:
    """Run the command: the user's mistakes exit with 2, ours with 1, both in a line or two."""
    with lasting_streams(), warnings.catch_warnings():
        # Ours are for the user's eyes; what libraries say to programmers is not.
        warnings.simplefilter("ignore")
        warnings.simplefilter("default", UserWarning)
        warnings.showwarning = _remark
        try:
            app(prog_name="predfeat")
        except (ValueError, OSError, ImportError) as error:
            _end(_in_words(error), 2)
        except MemoryError:
            _end("not enough memory for this. Read fewer rows or columns, or scale it down.", 1)
        except Exception as error:
            _end(
                f"unexpected {type(error).__name__}: {error}",
                1,
                "This is a mistake in predfeat; predfeat --debug … shows where.",
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
        # Indented, as an error's text may hold line breaks: no line of it looks like ours.
        say(*(f"  {line}" for line in shortened(traceback.format_exc(), _TRACEBACK).split("\n")))
    if was_interrupted():  # an import that did not get to its end, for instance
        sys.exit(INTERRUPTED)
    say(f"predfeat: {message}", *more)
    sys.exit(code)
