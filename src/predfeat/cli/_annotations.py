"""Columns of labels, actions and rewards: what they make of a model, and what they did."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer

__all__ = [
    "Action",
    "Label",
    "LabelWeight",
    "Reward",
    "RewardWeight",
    "add_terms",
    "arguments_of_fit",
    "effects_in_words",
    "named_columns",
]

_PANEL = "Labels, actions and rewards (gpfa)"


def _column(text: str) -> Any:
    return typer.Option(help=text, rich_help_panel=_PANEL, show_default=False, metavar="COLUMN")


def _weight(of: str) -> Any:
    return typer.Option(
        min=0.0,
        help=f"Weight of the {of}; 1: as much as what follows similar states.",
        rich_help_panel=_PANEL,
    )


Label = Annotated[
    str | None,
    _column(
        "Pull rows with the same label together, or with similar ones if they are numbers with "
        "decimals. Cells may be empty."
    ),
]
Action = Annotated[
    list[str] | None,
    _column(
        "What was done between a row and the next: only states with the same action are compared. "
        "Numbers with decimals count as part of the state; they may be several columns, a,b."
    ),
]
Reward = Annotated[str | None, _column("Pull rows with similar rewards together. As --label.")]
LabelWeight = Annotated[float, _weight("labels")]
RewardWeight = Annotated[float, _weight("rewards")]

# What the library calls them.
_ARGUMENTS = {"label": "y", "action": "actions", "reward": "rewards"}


def named_columns(
    model: Any, label: str | None, action: list[str] | None, reward: str | None
) -> dict[str, list[str]]:
    """Return the given columns by their option; an error unless the model is one of GPFA."""
    from predfeat.features import GPFA

    given = {"label": label and [label], "action": action, "reward": reward and [reward]}
    columns = {role: columns for role, columns in given.items() if columns}
    if columns and not isinstance(model, GPFA):
        raise typer.BadParameter(
            f"{type(model).__name__} does not use it, only gpfa does.",
            param_hint=f"--{next(iter(columns))}",
        )
    return columns


def add_terms(model: Any, annotations: Mapping[str, Any], weights: Mapping[str, float]) -> None:
    """Add an edge term for the labels and one for the rewards to a model, beside its own."""
    from predfeat.graph import Future, Past, SameLabel, SimilarValue

    added: list[Any] = []
    for role in ("label", "reward"):
        if role in annotations:
            kind = SameLabel if _are_kinds(annotations[role]) else SimilarValue
            added.append(kind(weight=weights[role], of=_ARGUMENTS[role]))
    if added:
        own = [Future(model.graph), *([Past(model.graph)] if model.past else [])]
        # The terms hold the graph now, and whether there are past edges.
        model.set_params(terms=[*own, *added], graph="star", past=True)


def arguments_of_fit(annotations: Mapping[str, Any]) -> dict[str, Any]:
    """Return labels, actions and rewards as the arguments of `fit`."""
    return {_ARGUMENTS[role]: values for role, values in annotations.items()}


def effects_in_words(
    model: Any, values: Any, groups: Any, annotations: Mapping[str, Any], columns: Mapping[str, Any]
) -> list[str]:
    """Return a sentence on what each column was to a fitted model, and how the features follow it.

    Parameters
    ----------
    model : GPFA or Expanded
    values, groups : array-like
        What it was fitted to.
    annotations : mapping of str to ndarray
        By option; for the same rows.
    columns : mapping of str to list of str
        Their names in the file.
    """
    return [
        f"{role} {', '.join(columns[role])}: {_seen(found)}; "
        + (_compared(found) if role == "action" else _told(model, values, groups, role, found))
        for role, found in annotations.items()
    ]


def _seen(found: Any) -> str:
    import numpy as np

    known = np.array([value is not None for value in found]) if found.dtype.kind == "O" else None
    if known is None:
        known = ~np.isnan(found.reshape(len(found), -1)).any(axis=1)
    what = "numbers"
    if _are_kinds(found):
        what = f"{len(set(found[known].tolist()))} kinds"
    return f"{what}, known for {int(known.sum())} of {len(found)} rows"


def _compared(found: Any) -> str:
    if _are_kinds(found):
        return "only states with the same action were compared"
    return "counted as part of the state"


def _told(model: Any, values: Any, groups: Any, role: str, found: Any) -> str:
    from predfeat.features import linear_method
    from predfeat.graph import GraphContext, relative_distances
    from predfeat.neighbors import search
    from predfeat.series import check_annotations, check_sequences, find_states

    features = check_sequences(model.transform(values), groups)
    table = search(find_states(features, 1, n_neighbors=1), 1)
    of = _ARGUMENTS[role]
    known = check_annotations(len(found), **{of: found})
    context = GraphContext(
        white=features, space=features, neighbors=table, n_lags=1, annotations=known
    )
    term = next(term for term in linear_method(model).terms if getattr(term, "of", None) == of)
    shares = ", ".join(f"{share:.2f}" for share in relative_distances(term, context))
    alike = "of one kind" if _are_kinds(found) else "with similar values"
    return (
        f"between rows {alike}, {shares} of each feature's variance is left (1: it does not depend "
        f"on the {role})"
    )


def _are_kinds(found: Any) -> bool:
    """Tell whether values are kinds, text or whole numbers, rather than quantities."""
    import numpy as np

    if found.dtype.kind == "O":
        return True
    if found.ndim > 1:
        return False
    known = found[~np.isnan(found)]
    return bool(np.all(known == np.rint(known)))
