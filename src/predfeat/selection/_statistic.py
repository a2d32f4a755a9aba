"""The statistic of a feature in a test of significance."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from predfeat._compat import StrOptions, validate_parameter_constraints, whole_number
from predfeat._typing import ArrayLike, FloatArray, IntArray
from predfeat.measures import STEPS, nested_shares

__all__ = ["Statistic", "NestedShares"]

# A function of features and their groups that returns a number for each feature.
Statistic = Callable[[FloatArray, IntArray], ArrayLike]


@dataclass(frozen=True)
class NestedShares:
    """The statistic `nested_shares` with its parameters; those of the model are added.

    Attributes
    ----------
    steps : {"both", "next"}
        Which steps count: both steps next to a state, or the next one only.
    horizon : int or None
        How many steps ahead it looks; None uses the model's `horizon`, or 1 if it has none.
    n_neighbors : int
        Neighbours of each state.
    """

    steps: str = "both"
    horizon: int | None = None
    n_neighbors: int = 10

    def check(self) -> None:
        """Refuse invalid values."""
        validate_parameter_constraints(
            {
                "steps": [StrOptions(set(STEPS))],
                "horizon": [whole_number(1), None],
                "n_neighbors": [whole_number(1)],
            },
            {"steps": self.steps, "horizon": self.horizon, "n_neighbors": self.n_neighbors},
            caller_name="NestedShares",
        )

    def horizon_for(self, model: Any) -> int:
        """Return how many steps ahead it looks with a model."""
        return int(getattr(model, "horizon", 1) if self.horizon is None else self.horizon)

    def measure(self, model: Any, features: FloatArray, groups: IntArray) -> FloatArray:
        """Return the statistic of a model's features."""
        return nested_shares(
            features,
            getattr(model, "n_lags", 1),
            horizon=self.horizon_for(model),
            groups=groups,
            n_neighbors=self.n_neighbors,
            theiler=getattr(model, "theiler", 0),
            steps=self.steps,
        )
