"""The chosen setting, and remarks on what to be careful about."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from predfeat.features import GPFA, PFA
from predfeat.selection._surface import Setting, Surface

__all__ = ["Choice"]

# A score must be this many standard errors above zero to count as a prediction.
_MIN_STANDARD_ERRORS = 2.0


@dataclass(frozen=True)
class Choice:
    """The surface over p, k and M, and the setting chosen from it.

    Attributes
    ----------
    method : str
        Name of the method.
    estimator : estimator
        The method, with the parameters that were not varied.
    surface : Surface
        The scores of all settings in all folds.
    best : Setting
        The setting with the highest mean score.
    chosen : Setting
        The simplest setting within one standard error of the best: see `Surface.simplest`.
    confirmed : Setting or None
        The chosen setting, scored by separate fits.
    kind : {"sequences", "blocks"}
        What was left out in each fold.
    rank : int
        Smallest dimension of the data in any fold's training part: the upper limit of M.
    horizon : int
        How many steps ahead to predict.
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
        """The chosen values of the method's parameters; SFA and ForeCA have no lags."""
        chosen = {"n_components": self.chosen.n_components}
        if isinstance(self.estimator, GPFA | PFA):
            chosen["n_lags"] = self.chosen.n_lags
        if isinstance(self.estimator, GPFA):
            chosen["n_neighbors"] = self.chosen.n_neighbors
        return chosen

    @property
    def judged(self) -> Setting:
        """The chosen setting with the score that counts: from separate fits if there are any.

        The surface's fits share work, so their scores differ from those of separate fits.
        """
        return self.chosen if self.confirmed is None else self.confirmed

    @property
    def found_nothing(self) -> bool:
        """Whether the chosen setting's score is not clearly above zero."""
        return self.judged.predicted <= _MIN_STANDARD_ERRORS * self.judged.error

    @property
    def remarks(self) -> list[str]:
        """What to be careful about, as sentences."""
        if self.found_nothing:
            return [
                "Nothing was predicted in data that was held out, as far as one can tell: the "
                f"score, {self.judged.predicted:.2g} ± {self.judged.error:.2g} of "
                f"{self.judged.n_components}, is not two standard errors above zero. The choice "
                "means nothing. Give more rows, or other columns."
            ]
        undecided = self.surface.undecided()
        remarks = [
            remark
            for name, tried in self.surface.tried().items()
            if name != "n_neighbors" and len(tried) > 1
            for remark in self._remarks_on(name, tried, undecided[name])
        ]
        if self.chosen.n_components == self.rank:
            remarks.append(self._everything_kept())
        return remarks

    def _remarks_on(
        self, name: str, tried: tuple[int, ...], good: tuple[int, ...]
    ) -> Iterator[str]:
        chosen = getattr(self.chosen, name)
        if good == tried:
            yield (
                f"The data cannot tell {name}: every value tried is within one standard error of "
                f"the best. {_taken(chosen == tried[0])} was taken."
            )
        elif chosen == tried[-1] and not (name == "n_components" and chosen == self.rank):
            yield f"{name}={chosen} is the largest value tried: try larger ones."

    def _everything_kept(self) -> str:
        """Explain what it means to keep every direction of the data."""
        if self.rank == 1:
            return (
                "The data has one direction: there is no feature to choose, nothing to leave out."
            )
        whole = f"n_components={self.rank} is the dimension of the data"
        if len(self.surface.undecided()["n_components"]) > 1:
            return (
                f"{whole}: nothing was left out, but fewer features, with other lags, do about as "
                "well."
            )
        return (
            f"{whole}: every direction adds to what is predicted, none of them is noise, and "
            "nothing is left out. Together the features are the data itself in other coordinates; "
            f"{self._along_the_surface()}."
        )

    def _along_the_surface(self) -> str:
        """Compare the first features with all of them, using the surface's scores."""
        one, chosen = self.surface.n_components[0], self.chosen
        first, every = (
            max(
                setting.predicted
                for setting in self.surface.settings()
                if (setting.n_lags, setting.n_components) == (chosen.n_lags, m)
            )
            for m in (one, chosen.n_components)
        )
        if one == chosen.n_components:
            return "fewer features were not tried"
        which = "the first alone" if one == 1 else f"the first {one}"
        return (
            f"of {which} {100 * max(0.0, first) / one:.0f} % is predicted, of all "
            f"{100 * max(0.0, every) / chosen.n_components:.0f} %"
        )

    def __str__(self) -> str:
        ahead = "" if self.horizon == 1 else f", {self.horizon} steps ahead"
        if self.found_nothing:
            return "\n".join([f"{self.method}, {self.judged.name}{ahead}", *self.remarks])
        lines = [f"{self.method}, {self.judged}{ahead}"]
        if self.best.values != self.chosen.values:
            lead, error = self.surface.lead_over(self.chosen)
            lines.append(
                f"The highest score is that of {self.best.name}, but only by {lead:.2g} ± "
                f"{error:.2g}: the smallest state of those within one standard error was taken."
            )
        return "\n".join([*lines, *self.remarks])


def _taken(is_smallest: bool) -> str:
    return "The smallest" if is_smallest else "What makes the smallest state (p·M numbers)"
