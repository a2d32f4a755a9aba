"""Methods as people type them: gpfa, GPFA2, "GPFA (1)", sfa,gpfa2."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

import typer

__all__ = ["METHODS", "complete_method", "understand_method", "understand_methods"]

# As they are typed, and as results call them.
METHODS = {
    "random": "random",
    "sfa": "SFA",
    "pfa": "PFA",
    "foreca": "ForeCA",
    "gpfa1": "GPFA (1)",
    "gpfa2": "GPFA (2)",
    "auto": "AutoFeatures",
}
# Where no graph is named, GPFA's is that of GPFA (2).
_OTHER_WORDS = {"gpfa": "gpfa2", "autofeatures": "auto", "randomfeatures": "random"}


def understand_methods(
    given: Sequence[str], option: str, known: Sequence[str] = tuple(METHODS)
) -> list[str]:
    """Return the methods meant, each once, by the names in `METHODS`.

    Capitals, spaces, brackets and hyphens do not matter; commas separate.

    Examples
    --------
    >>> from predfeat.cli._methods import understand_methods
    >>> understand_methods(["sfa,GPFA (1)", "gpfa"], "--methods")
    ['sfa', 'gpfa1', 'gpfa2']
    """
    words = [word.strip() for text in given for word in text.split(",")]
    return list(dict.fromkeys(_understand(word, option, known) for word in words))


def understand_method(given: str, option: str, known: Sequence[str]) -> str:
    """Return the one method meant; several are refused."""
    meant = understand_methods([given], option, known)
    if len(meant) > 1:
        raise typer.BadParameter(
            f"{given} are {len(meant)} methods, but one is wanted. predfeat compare takes several.",
            param_hint=option,
        )
    return meant[0]


def _understand(word: str, option: str, known: Sequence[str]) -> str:
    typed = "".join(letter for letter in word.casefold() if letter.isalnum())
    meant = typed if typed in known else _OTHER_WORDS.get(typed, typed)
    if meant in known:
        return meant
    listed = f"Known are {', '.join(known)}."
    if meant in METHODS:
        raise typer.BadParameter(f"{word} is no method for this. {listed}", param_hint=option)
    near = get_close_matches(typed, [*known, *_OTHER_WORDS], n=1)
    question = f"Did you mean {near[0]}? " if near else ""
    raise typer.BadParameter(f"{word!r} is no method. {question}{listed}", param_hint=option)


def complete_method(incomplete: str) -> list[str]:
    """Return what a word, or the last of several after commas, may become."""
    before, comma, last = incomplete.rpartition(",")
    return [before + comma + name for name in METHODS if name.startswith(last.casefold())]
