"""Methods as people type them: gpfa, GPFA2, "GPFA (1)", sfa,gpfa2."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

import typer

from predfeat._method_names import EXPANSION_NAMES, METHOD_NAMES, understood_word

__all__ = ["WORDS", "complete_method", "understand_method", "understand_methods"]

WORDS = tuple(METHOD_NAMES)


def understand_methods(
    given: Sequence[str], option: str, known: Sequence[str] = WORDS, *, expansions: bool = False
) -> list[str]:
    """Return the names of the given methods, without duplicates.

    Capitals, spaces, brackets and hyphens are ignored; commas separate methods. With `expansions`,
    each may be followed by one.

    Examples
    --------
    >>> from predfeat.cli._methods import understand_methods
    >>> understand_methods(["sfa,GPFA (1)", "gpfa"], "--methods")
    ['sfa', 'gpfa1', 'gpfa2']
    """
    typed = [word.strip() for text in given for word in text.split(",")]
    return list(dict.fromkeys(_understand(word, option, known, expansions) for word in typed))


def understand_method(
    given: str, option: str, known: Sequence[str] = WORDS, *, expansions: bool = False
) -> str:
    """Return the name of the given method; several are an error."""
    meant = understand_methods([given], option, known, expansions=expansions)
    if len(meant) > 1:
        raise typer.BadParameter(
            f"{given} names {len(meant)} methods, but only one is allowed. "
            "predfeat compare takes several.",
            param_hint=option,
        )
    return meant[0]


def _understand(typed: str, option: str, known: Sequence[str], expansions: bool) -> str:
    word = understood_word(typed)
    method, plus, _ = (word or "").partition("+")
    if word is not None and method in known and (expansions or not plus):
        return word
    listed = f"Methods: {', '.join(known)}."
    if expansions:
        listed = f"{listed[:-1]}; each alone or with +{', +'.join(EXPANSION_NAMES)}."
    if word is not None:
        raise typer.BadParameter(f"{typed} is not available here. {listed}", param_hint=option)
    near = get_close_matches(typed.casefold(), known, n=1)
    question = f"Did you mean {near[0]}? " if near else ""
    raise typer.BadParameter(f"{typed!r} is not a method. {question}{listed}", param_hint=option)


def complete_method(incomplete: str) -> list[str]:
    """Return the completions of a method, or of the last one in a comma-separated list."""
    before, comma, last = incomplete.rpartition(",")
    return [before + comma + word for word in WORDS if word.startswith(last.casefold())]
