"""The setting that was chosen, and what to be careful about."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from predfeat.features import GPFA, PFA
from predfeat.selection._surface import Setting, Surface

__all__ = ["Choice"]

# Fewer standard errors above zero than this, and nothing was predicted.
_SURELY = 2.0


@dataclass(frozen=True)
class Choice:
    """The surface over p, k and M, and what follows from it.

    Attributes
    ----------
    method : str
        Name of the method.
    estimator : estimator
        The method, with the parameters that were not varied.
    surface : Surface
        The scores of all settings in all folds.
    best : Setting
        The highest mean.
    chosen : Setting
        The simplest setting that is as good, by one standard error: see `Surface.simplest`.
    confirmed : Setting or None
        The chosen setting, scored by fits of its own.
    kind : {"sequences", "blocks"}
        What was left out in each fold.
    rank : int
        Dimension of the data in the folds' training parts, the smallest: M can be no larger.
    horizon : int
        How many steps ahead was predicted.
    """

    method: str
    estimator: Any
    surface: Surface
    best: Setting
    chosen: Setting
    confirmed: Setting | None
    kind: str
    rank: int
    horizon: int = 1

    @property
    def parameters(self) -> dict[str, int]:
        """The chosen values of the parameters that the method has; SFA and ForeCA have no lags."""
        chosen = {"n_components": self.chosen.n_components}
        if isinstance(self.estimator, GPFA | PFA):
            chosen["n_lags"] = self.chosen.n_lags
        if isinstance(self.estimator, GPFA):
            chosen["n_neighbors"] = self.chosen.n_neighbors
        return chosen

    @property
    def found_nothing(self) -> bool:
        """Whether even the chosen setting does not surely predict anything."""
        return self.chosen.predicted <= _SURELY * self.chosen.error

    @property
    def remarks(self) -> list[str]:
        """What to be careful about, in sentences."""
        if self.found_nothing:
            return [
                "Nothing was predicted in data that was held out: the choice means nothing. Give "
                "more rows, or other columns."
            ]
        undecided = self.surface.undecided()
        return [
            remark
            for name, tried in self.surface.tried().items()
            if name != "n_neighbors" and len(tried) > 1
            for remark in self._remarks_on(name, tried, undecided[name])
        ]

    def _remarks_on(
        self, name: str, tried: tuple[int, ...], good: tuple[int, ...]
    ) -> Iterator[str]:
        chosen = getattr(self.chosen, name)
        if good == tried:
            yield (
                f"The data cannot tell {name}: every value tried is within one standard error of "
                f"the best. {_taken(chosen == tried[0])} was taken."
            )
        elif name == "n_components" and chosen == self.rank:
            yield (
                f"n_components={chosen} is the dimension of the data: every direction adds to what "
                "is predicted, and there is none to leave out."
            )
        elif chosen == tried[-1]:
            yield f"{name}={chosen} is the largest value tried: try larger ones."

    def __str__(self) -> str:
        lines = [f"{self.method}, {self.chosen}"]
        if self.best != self.chosen:
            lines.append(f"Best of all, but not by more than its standard error: {self.best}")
        if self.confirmed is not None:
            lines.append(
                f"Fits with just this setting predict {self.confirmed.predicted:.3g} "
                f"± {self.confirmed.error:.2g}."
            )
        return "\n".join([*lines, *self.remarks])


def _taken(is_smallest: bool) -> str:
    return "The smallest" if is_smallest else "What makes the smallest state (p·M numbers)"
