"""What does not go together in a fit of GPFA: one of two would have no effect, or a wrong one."""

from __future__ import annotations

from typing import Any

from predfeat.graph import EdgeTerm, Future, Past
from predfeat.neighbors import is_neighbors
from predfeat.series import Annotations, Sequences

__all__ = ["refuse_contradictions"]


def refuse_contradictions(
    parameters: dict[str, Any],
    terms: tuple[EdgeTerm, ...],
    annotations: Annotations | None,
    series: Sequences | None,
) -> None:
    """Raise an error if parameters contradict each other or what was given to `fit`.

    Parameters
    ----------
    parameters : dict
        Of GPFA.
    terms : tuple of EdgeTerm
        Those in use, given or not.
    annotations : Annotations or None
    series : Sequences or None
        The data as it was given, if it is known.
    """
    has_actions = annotations is not None and annotations.actions is not None
    _refuse_unused(parameters)
    init, metric = parameters["init"], parameters["metric"]
    if metric != "euclidean":
        if not (isinstance(init, str) and init == "input"):
            raise ValueError(
                f'metric is for the first neighbours with init="input", but init is {init!r}.'
            )
        if series is None:
            raise ValueError(
                "metric compares the rows of X as they are given, which are not known here: use "
                'fit(X), or metric="euclidean".'
            )
        if annotations is not None and has_actions and not annotations.has_discrete_actions:
            raise ValueError(
                "metric compares rows of X, and actions that are quantities stand beside white "
                'ones. Use metric="euclidean", or kinds of actions.'
            )
    if is_neighbors(init) and has_actions:
        raise ValueError(
            "init holds neighbours that were found without actions. Give actions, or neighbours, "
            "but not both."
        )
    _refuse_sample(parameters, has_actions)
    is_plain = all(isinstance(term, Future | Past) for term in terms) and not has_actions
    judges = {
        "refine=True": parameters["refine"],
        'init="auto"': isinstance(init, str) and init == "auto",
    }
    for name, is_set in judges.items():
        if is_set and not is_plain:
            raise ValueError(
                f"{name} judges features by the paper's objective alone, which knows no actions "
                "and no other terms than Future and Past. Leave one of them out."
            )


def _refuse_sample(parameters: dict[str, Any], has_actions: bool) -> None:
    """Only the plain search has queries and a library apart."""
    n_centers, init = parameters["n_centers"], parameters["init"]
    if n_centers is None or isinstance(n_centers, str):
        return
    others = {
        "actions": has_actions,
        f"metric={parameters['metric']!r}": parameters["metric"] != "euclidean",
        "given neighbours": is_neighbors(init),
    }
    for name, is_set in others.items():
        if is_set:
            raise ValueError(
                f"n_centers={n_centers} draws the states that a Euclidean search asks for, which "
                f'does not go together with {name}. Use n_centers="auto", or leave {name} out.'
            )


def _refuse_unused(parameters: dict[str, Any]) -> None:
    for name, default in (("graph", "star"), ("past", True)):
        if parameters["terms"] is not None and parameters[name] != default:
            raise ValueError(
                f"{name}={parameters[name]!r} has no effect beside terms: say it in the terms, as "
                'in terms=[Future("full")].'
            )
