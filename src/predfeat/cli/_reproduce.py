"""`predfeat reproduce`: the paper's experiments, from the data to the page."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any

import typer

from predfeat.cli._options import MOST_FITS, Processes, Seed
from predfeat.cli._outputs import refuse_unwritable
from predfeat.cli._terminal import is_terminal, progress_bar, say, show

if TYPE_CHECKING:
    from predfeat.experiments.reproduction import Setup

__all__ = ["reproduce"]

_LEDGER = "ledger.sqlite"


class Experiment(StrEnum):
    """What can be reproduced."""

    toy = "toy"
    audio = "audio"
    visual = "visual"
    all = "all"


def reproduce(
    experiment: Annotated[Experiment, typer.Argument(help="The experiment to run.")],
    out: Annotated[
        Path,
        typer.Option("--out", "-o", help="Folder for the results; created if it does not exist."),
    ],
    repetitions: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=MOST_FITS,
            help="Repetitions of each data point (default: 50; 2 with --quick).",
        ),
    ] = None,
    panel_repetitions: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=MOST_FITS,
            help="Repetitions in panels a to e of audio and visual (default: as --repetitions).",
        ),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Run small versions, which take a few minutes.")
    ] = False,
    jobs: Processes = -1,
    random_state: Seed = 0,
    piano: Annotated[Path | None, typer.Option(help="Audio: sound file of a piano.")] = None,
    bar: Annotated[Path | None, typer.Option(help="Audio: sound file of a bar.")] = None,
    forest: Annotated[Path | None, typer.Option(help="Audio: sound file of a forest.")] = None,
    game: Annotated[
        str | None,
        typer.Option(help="Visual: name of a gymnasium environment, or 'sprites' (built in)."),
    ] = None,
    video: Annotated[Path | None, typer.Option(help="Visual: a video file.")] = None,
    window: Annotated[
        tuple[int, int, int, int] | None,
        typer.Option(help="Visual: top, left, height and width of the part of the picture to use."),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")] = False,
) -> None:
    """Run the paper's experiments again, and draw its figures.

    Every finished fit is saved at once in the folder's ledger: stop the command at any time, and
    the same command continues from there. Sounds that are not given are synthesised. Without
    --game and --video the frames are those of River Raid (extra "games"), with --quick those of a
    built-in simulator.

    For example:

        predfeat reproduce toy --out results

        predfeat reproduce audio --out results --repetitions 20 --piano piano.flac
    """
    _refuse_contradictions(game, video, window)
    n_repetitions = repetitions or (2 if quick else 50)
    refuse_unwritable([out / _LEDGER], force=True, read=[piano, bar, forest, video])
    out.mkdir(parents=True, exist_ok=True)
    chosen = [e.value for e in Experiment if experiment in (e, Experiment.all) and e != "all"]
    sounds = {"piano": piano, "bar": bar, "forest": forest}
    with _keeping_what_is_finished():
        for name in chosen:
            setups = _setups(name, sounds, game, video, window, quick, random_state)
            others = None if name == "toy" else panel_repetitions
            written = _run(setups, out, (n_repetitions, others), jobs, quick=quick, quiet=quiet)
            show(f"{name}: {written[0]} and {len(written) - 1} more files")


def _run(
    setups: Iterator[Setup],
    out: Path,
    n_repetitions: tuple[int, int | None],
    jobs: int,
    *,
    quick: bool,
    quiet: bool,
) -> list[Path]:
    """Run an experiment on its data sets, and return the files written, the page first."""
    from predfeat.experiments.reproduction import Ledger, run_setup
    from predfeat.report import write_reproduction

    outcomes: list[Any] = []
    written: list[Path] = []
    with Ledger(out / _LEDGER) as ledger:
        for setup in setups:
            title = f"{setup.experiment}, {setup.source.name}"
            with _progress(title, quiet) as tell:
                outcome = run_setup(
                    setup,
                    ledger,
                    n_repetitions[0],
                    n_repetitions_of_others=n_repetitions[1],
                    n_jobs=jobs,
                    on_progress=tell,
                )
            outcomes.append(_without_numbers(outcome))
            # After each data set, so that its page exists if the run is stopped.
            written = write_reproduction(outcomes, out, command=_command(), quick=quick)
    return written


@contextmanager
def _keeping_what_is_finished() -> Iterator[None]:
    """Say that a run that ends early can be continued."""
    from predfeat.exceptions import WorkerError

    try:
        yield
    except KeyboardInterrupt:
        say("finished results are kept; the same command continues from there.")
        raise typer.Exit(130) from None
    except OSError:
        say("finished results are kept; the same command continues from there.")
        raise
    except WorkerError as error:
        say(f"predfeat: {error} Finished results are kept; the same command continues from there.")
        raise typer.Exit(1) from error


def _refuse_contradictions(game: str | None, video: Path | None, window: Any) -> None:
    if game is not None and video is not None:
        raise typer.BadParameter("give only one of the two.", param_hint="--game/--video")
    if window is not None and game == "sprites":
        raise typer.BadParameter("sprites cannot be cut to a window.", param_hint="--window")


def _setups(
    experiment: str,
    sounds: dict[str, Path | None],
    game: str | None,
    video: Path | None,
    window: tuple[int, int, int, int] | None,
    quick: bool,
    random_state: int,
) -> Iterator[Setup]:
    """Yield the setups one by one, so that only one data set is in memory."""
    from predfeat.experiments import reproduction as r

    if experiment == "toy":
        yield r.toy_setup(quick=quick, random_state=random_state)
    elif experiment == "audio":
        for recording, path in sounds.items():
            source = r.audio_source(recording, path, quick=quick)
            yield r.audio_setup(recording, source, quick=quick, random_state=random_state)
    else:
        if video is not None:
            source = r.video_source(video, window=window)
        elif game == "sprites" or (game is None and quick):
            source = r.sprites_source(quick=quick)
        else:
            source = r.game_source(game or r.GAME, window=window, quick=quick)
        yield r.visual_setup(source, quick=quick, random_state=random_state)


def _without_numbers(outcome: Any) -> Any:
    """Return an outcome without the recording's values: the page needs only its name."""
    from dataclasses import replace

    source = outcome.setup.source
    if not hasattr(source, "values"):
        return outcome
    light = replace(source, values=source.values[:0].copy(), groups=None)
    return replace(outcome, setup=replace(outcome.setup, source=light))


@contextmanager
def _progress(title: str, quiet: bool) -> Iterator[Callable[[int, int], None] | None]:
    """Show the progress of a run: a bar on a terminal, otherwise a line from time to time."""
    if quiet:
        yield None
    elif not is_terminal():
        yield _progress_lines(title)
    else:
        with progress_bar(title, time_left=False) as update:
            clock = _Clock()
            yield lambda done, total: update(done, total, clock.left(done, total))


def _progress_lines(title: str) -> Callable[[int, int], None]:
    """Return a callback that prints a line after every twentieth of the work, for logs."""
    told, clock = [-1], _Clock()

    def tell(done: int, total: int) -> None:
        words = clock.left(done, total)
        part = 20 * done // max(total, 1)
        if part > told[0] or done == 0:
            told[0] = part
            say(f"{title}: {words}")

    return tell


class _Clock:
    """Estimates the time left from the pace since the first call."""

    def __init__(self) -> None:
        self._first: tuple[int, float] | None = None

    def left(self, done: int, total: int) -> str:
        """Return how much is done, and about how much time is left."""
        words = f"{done}/{total} results"
        if self._first is None or done < self._first[0]:
            self._first = (done, monotonic())
        before, started = self._first
        if done == before:
            return words
        left = (monotonic() - started) / (done - before) * (total - done)
        minutes, seconds = divmod(round(left), 60)
        hours, minutes = divmod(minutes, 60)
        return f"{words}, about {hours}:{minutes:02}:{seconds:02} left"


def _command() -> str:
    """Return the command line, without the folders of files on this machine."""
    return shlex.join(["predfeat", *map(_without_place, sys.argv[1:])])


def _without_place(argument: str) -> str:
    option, equals, value = argument.rpartition("=")
    return f"{option}{equals}{Path(value).name}" if Path(value).is_absolute() else argument
