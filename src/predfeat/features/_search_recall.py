"""How many of the true neighbours an approximate engine found in the searches of a fit."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from predfeat._warnings import warn
from predfeat.exceptions import LowRecallWarning
from predfeat.features._embedding import GraphSettings, find_neighbors
from predfeat.neighbors import recall
from predfeat.series import Sequences, find_states

__all__ = ["LOW_RECALL", "search_recall"]

# With half of the neighbours, features were hardly worse (docs/scale.md).
LOW_RECALL = 0.5
_N_QUERIES = 200


def search_recall(spaces: Iterable[Sequences], settings: GraphSettings) -> float:
    """Return the recall of the settings' engine in the space where it is lowest, and warn of it.

    In each space a sample of states is searched by the engine and exactly. Actions are not
    considered.

    Parameters
    ----------
    spaces : iterable of Sequences
        Where neighbours were searched, such as the first and the last space of a run.
    settings : GraphSettings

    Returns
    -------
    float
    """
    asking = replace(settings, n_centers=_N_QUERIES)
    found = []
    for space in spaces:
        table = find_neighbors(space, asking)
        states = find_states(space, settings.n_lags, n_neighbors=settings.n_neighbors)
        found.append(
            recall(
                table,
                states,
                theiler=settings.theiler,
                n_queries=_N_QUERIES,
                n_jobs=settings.n_jobs,
            )
        )
    lowest = min(found)
    if lowest < LOW_RECALL:
        warn(
            f'engine="{settings.engine}" found only {lowest:.0%} of the true neighbours of a '
            f"sample of {_N_QUERIES} states (recall_). Below {LOW_RECALL:.0%}, the features may "
            'depend on that: use engine="auto", perhaps with fewer n_centers, or register an '
            "InvertedLists engine with a larger share.",
            LowRecallWarning,
        )
    return lowest
