"""Everything the command prints: messages on standard error, results on standard output.

Output consists of lines. Each line is made `printable` as a whole, line breaks included, whatever
it contains: file names, notes of a model, words of the command line. So no name can start a new
line, control the terminal or be taken for markup. Callers with several lines pass several. No line
is longer than `LONGEST`; JSON is never cut.
"""

from __future__ import annotations

import json
import sys
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

__all__ = [
    "Cell",
    "LONGEST",
    "Styled",
    "in_words",
    "is_terminal",
    "paragraphs",
    "printable",
    "progress_bar",
    "raw_output",
    "say",
    "short_name",
    "shortened",
    "show",
    "show_json",
    "show_table",
    "write_now",
]

# Characters in a line: a screen of 25 lines of 80.
LONGEST = 2000
# Characters of one name among others.
_LONGEST_NAME = 100


class Styled(NamedTuple):
    """A cell of a table with a style of its own."""

    text: str
    style: str


# A list is a cell of several lines.
Cell = str | list[str] | Styled


def printable(text: str) -> str:
    r"""Return a text with every character that is not visible escaped, as `repr` does.

    These are control characters (also line breaks, tabs and those from 0x80 to 0x9f), marks that
    change the direction of writing, characters of no width, line and paragraph separators, and
    the surrogates for undecodable bytes of a file name. Spaces of all kinds, such as those that
    keep the digits of a number on one line, are shown as plain ones, which every terminal has.

    Examples
    --------
    >>> print(printable("speed [m/s] \x1b[31m\n\u202eü, 10\xa0000 rows"))
    speed [m/s] \x1b[31m\n\u202eü, 10 000 rows
    """
    return text if text.isprintable() else "".join(map(_visible, text))


def _visible(character: str) -> str:
    if unicodedata.category(character) == "Zs":
        return " "
    return character if character.isprintable() else repr(character)[1:-1]


def shortened(text: str, at_most: int = LONGEST) -> str:
    """Cut a long text in the middle: the subject comes first, the advice last.

    Examples
    --------
    >>> shortened("there is no file " + 100 * "x" + ". Check the name.", 40)
    'there is no file xx…xx. Check the name.'
    """
    if len(text) <= at_most:
        return text
    half = (at_most - 1) // 2
    return f"{text[:half]}…{text[-half:]}"


def short_name(name: str) -> str:
    """Cut a long name, to be shown among others."""
    return shortened(name, _LONGEST_NAME)


def say(*lines: str, quiet: bool = False) -> None:
    """Print messages on standard error, so that they stay out of pipes."""
    if not quiet:
        _write(sys.stderr, map(_line, lines))


def show(*lines: str) -> None:
    """Print lines on standard output."""
    _write(sys.stdout, map(_line, lines))


def show_json(content: Any) -> None:
    """Print JSON on standard output, whole and in ASCII: other characters are its own escapes."""
    _write(sys.stdout, [json.dumps(content, indent=2, allow_nan=False)])


def raw_output() -> IO[bytes]:
    """Return standard output for binary data."""
    return sys.stdout.buffer


def write_now(line: bytes) -> bool:
    """Write to standard output without delay; tell whether it can still be written to."""
    sys.stdout.buffer.write(line)
    sys.stdout.flush()
    return getattr(sys.stdout, "failure", None) is None


def paragraphs(*groups: Sequence[str]) -> list[str]:
    """Return the lines of all groups, an empty line before each.

    Examples
    --------
    >>> paragraphs(["one", "two"], ["three"])
    ['', 'one', 'two', '', 'three']
    """
    return [line for group in groups for line in ("", *group)]


def show_table(
    title: str,
    rows: Iterable[Sequence[Cell]],
    *,
    heads: Sequence[str] = (),
    caption: str = "",
) -> None:
    """Print a table on standard output: words to the left, numbers to the right.

    Without heads, the first column holds the labels.
    """
    from rich.table import Table

    table = Table(
        title=_text(title), caption=_text(caption) if caption else None, show_header=bool(heads)
    )
    if not heads:
        table.add_column(style="bold", no_wrap=True)
    for n, head in enumerate(heads):
        table.add_column(_text(head), justify="right" if n else "left")
    for row in rows:
        table.add_row(*map(_text, row))
    _console().print(table)


@contextmanager
def progress_bar(
    title: str, *, quiet: bool = False, time_left: bool = True
) -> Iterator[Callable[..., None]]:
    """Show a progress bar with the time left, on a terminal only.

    Yields a function to call with the amount done, the total and, without `time_left`, words to
    show beside the bar.
    """
    if quiet or not is_terminal():
        # Not `disable`: before rich 14.3, a bar that is disabled still ends with an empty line.
        yield lambda *_: None
        return
    from rich.progress import (
        BarColumn,
        Progress,
        ProgressColumn,
        TaskProgressColumn,
        TextColumn,
        TimeRemainingColumn,
    )

    left: list[ProgressColumn] = [TextColumn("{task.fields[words]}", markup=False)]
    if time_left:
        left = [TaskProgressColumn(), TimeRemainingColumn(elapsed_when_finished=True)]
    with Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        *left,
        console=_console(stderr=True),
        transient=True,
    ) as progress:
        task = progress.add_task(_line(short_name(title)), total=None, words="")

        def update(done: float, total: float, words: str = "") -> None:
            progress.update(task, completed=done, total=total, words=_line(words))

        yield update


def is_terminal() -> bool:
    """Tell whether messages go to a terminal, where a bar can be redrawn."""
    return _console(stderr=True).is_terminal


def in_words(seconds: float) -> str:
    """Write an approximate time.

    Examples
    --------
    >>> in_words(0.4), in_words(34.0), in_words(100.0), in_words(9000.0)
    ('less than a second', 'about 34 seconds', 'about 1.7 minutes', 'about 2.5 hours')
    """
    if seconds < 1:
        return "less than a second"
    for unit, size in (("second", 1), ("minute", 60), ("hour", 3600)):
        if seconds < 90 * size or unit == "hour":
            break
    number = float(f"{seconds / size:.2g}")
    return f"about {number:g} {unit}{'s' * (number != 1)}"


def _line(text: str) -> str:
    return shortened(printable(text))


def _text(cell: Cell) -> Text:
    from rich.text import Text

    if isinstance(cell, Styled):
        return Text(_line(cell.text), style=cell.style)
    return Text("\n".join(map(_line, [cell] if isinstance(cell, str) else cell)))


def _write(stream: Any, lines: Iterable[str]) -> None:
    if stream is not None:  # a program without a console has none
        stream.write("".join(f"{line}\n" for line in lines))
        stream.flush()


def _console(*, stderr: bool = False) -> Console:
    """Return a console that interprets no markup or emoji names, and highlights nothing."""
    from rich.console import Console

    return Console(stderr=stderr, markup=False, emoji=False, highlight=False)
