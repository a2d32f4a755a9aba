"""`predfeat fit --expansion`: which method, on which functions of the columns."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any

import typer

from predfeat._method_names import EXPANSION_NAMES
from predfeat.cli._terminal import short_name

__all__ = ["chosen_expansion", "expanded_model", "refuse_with_expansion", "responses_in_words"]

# Columns that a sentence names.
_MOST = 4


def chosen_expansion(
    method: str, expansion: str | None, layers: int | None
) -> tuple[str, str | None]:
    """Return the method and the expansion, which may be part of the method: gpfa+quadratic."""
    alone, plus, added = (part.strip() for part in method.partition("+"))
    if plus and expansion is not None and added.casefold() != expansion.casefold():
        raise typer.BadParameter(
            f"--method {method} names another one than --expansion {expansion}. Leave one of them "
            "out.",
            param_hint="--expansion",
        )
    given = added if plus else expansion
    if given is None:
        if layers is not None:
            raise typer.BadParameter("it needs --expansion.", param_hint="--layers")
        return method, None
    known = given.casefold()
    if known not in EXPANSION_NAMES:
        near = get_close_matches(known, EXPANSION_NAMES, n=1)
        question = f"Did you mean {near[0]}? " if near else ""
        raise typer.BadParameter(
            f"{given!r} is not an expansion. {question}Expansions: {', '.join(EXPANSION_NAMES)}.",
            param_hint="--expansion",
        )
    return alone, known


def refuse_with_expansion(others: dict[str, Any]) -> None:
    """Refuse options that only linear features have."""
    for option, value in others.items():
        if value:
            raise typer.BadParameter("it does not go with --expansion.", param_hint=option)


def expanded_model(
    method: Any,
    expansion: str,
    layers: int | None,
    given: dict[str, Any],
    values: Any,
    groups: Any,
) -> Any:
    """Return a method on an expanded series, with fewer principal components if none were given."""
    from predfeat.experiments import with_pca
    from predfeat.features import Expanded
    from predfeat.series import check_sequences
    from predfeat.whitening import fit_whitening

    model = Expanded(method, expansion, n_layers=1 if layers is None else layers)
    if "pca_components" in given:
        return model
    series = check_sequences(values, groups, name="the recording")
    rank = fit_whitening(series, method.pca_components, warn=False).rank
    return with_pca(model, method.pca_components, n_rows=int(series.valid.sum()), rank=rank)


def responses_in_words(model: Any, recording: Any) -> list[str]:
    """Return a sentence for each nonlinear feature: its columns, and its extreme rows."""
    from predfeat.features import Expanded, sensitivity

    if not isinstance(model, Expanded):
        return []
    found, names = sensitivity(model, recording.values), recording.names
    sentences = []
    for number, responses in enumerate(found.responses):
        first = [short_name(str(names[i])) for i in (-responses).argsort(kind="stable")[:_MOST]]
        sentences.append(
            f"feature {number + 1} responds most to {', '.join(first)}; it is highest in row "
            f"{found.highest[number, 0] + 1} and lowest in row {found.lowest[number, 0] + 1}"
        )
    return sentences
