"""What a person sees: progress on standard error, tables on standard output."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["in_words", "progress_bar", "say", "show"]


@contextmanager
def progress_bar(title: str, *, quiet: bool = False) -> Iterator[Callable[[float, float], None]]:
    """Show a bar with the time left, on a terminal only, and only if it takes a while.

    What is yielded is to be called with how much is done and how much there is.
    """
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeRemainingColumn,
    )

    console = Console(stderr=True)
    if quiet or not console.is_terminal:
        # Not `disable`: before rich 14.3, a bar that is disabled still ends with an empty line.
        yield lambda done, total: None
        return
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeRemainingColumn(elapsed_when_finished=True),
        console=console,
        transient=True,
    ) as progress:
        task = progress.add_task(title, total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)


def in_words(seconds: float) -> str:
    """Write a time that is known roughly.

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


def say(text: str, *, quiet: bool = False) -> None:
    """Print a remark on standard error, where it does not get into what is piped on."""
    import typer

    if not quiet:
        typer.echo(text, err=True)


def show(content: Any) -> None:
    """Print a table."""
    from rich.console import Console

    Console().print(content)
