"""What a case is, and where the targets are."""

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random

MOST_CHARACTERS = 2000  # of a message: about a screen
MARKER = "predfeat-was-here"  # a folder that only executed code would make


class Wrong(Exception):
    """What came back is neither an answer nor a refusal in the house's manner."""


@dataclass(frozen=True)
class Case:
    """One hostile input, already in its folder, and what is done with it."""

    told: str
    run: Callable[[], str | None]  # returns the class of a refusal that is no exception
    named: tuple[type[BaseException], ...] = ()  # the errors that are refusals


Prepare = Callable[[Random, Path], Case]

# Lazily: a worker imports what it needs. The numbers are shares of a run.
TARGETS = {
    "read": ("fuzzing.data_files", "reading", 30),
    "info": ("fuzzing.data_files", "telling", 5),
    "fit": ("fuzzing.data_files", "fitting", 5),
    "load": ("fuzzing.model_files", "loading", 18),
    "transform": ("fuzzing.model_files", "transforming", 4),
    "report": ("fuzzing.result_files", "reporting", 10),
    "surrogates": ("fuzzing.result_files", "going_on", 2),
    "ledger": ("fuzzing.result_files", "looking_up", 6),
    "arrays": ("fuzzing.arrays", "fitting", 10),
    "measures": ("fuzzing.arrays", "measuring", 6),
    "options": ("fuzzing.command_lines", "typing", 4),
}


def prepare(target: str, seed: int, number: int, folder: Path) -> Case:
    """Put the input of a case into its folder."""
    module, name = TARGETS[target][:2] if target in TARGETS else ("fuzzing.planted", target)
    make: Prepare = getattr(importlib.import_module(module), name)
    return make(Random(f"{target}:{seed}:{number}"), folder)


def shared_out(n_cases: int, seed: int, targets: list[str]) -> list[tuple[str, int, int]]:
    """Return the cases of a run, at least one of each target, mixed so that none comes last."""
    total = sum(TARGETS[target][2] for target in targets)
    cases = [
        (target, seed, number)
        for target in targets
        for number in range(max(1, round(n_cases * TARGETS[target][2] / total)))
    ]
    Random(seed).shuffle(cases)
    return cases
