"""The result of a test of significance, in numbers and in words."""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from predfeat._typing import BoolArray, FloatArray
from predfeat.exceptions import SignificanceError
from predfeat.selection._surrogates import KINDS

__all__ = ["Significance"]


@dataclass(frozen=True, eq=False)
class Significance:
    """Which features stand out from those that the same method finds in surrogates.

    Attributes
    ----------
    statistics : ndarray of shape (n_features,)
        The statistic of each feature of the data; lower is better.
    surrogate_statistics : ndarray of shape (n_surrogates, n_features)
        The same for every surrogate's features.
    kind : str
        The kind of surrogate, one of `KINDS`.
    alpha : float
        The level: the largest chance of finding a feature where there is none.
    method : str
        The model, with its parameters.
    setting : str
        A fingerprint of the data, the model, the kind, the statistic and the seed. Results with
        the same setting share their surrogates, and can be extended.
    """

    statistics: FloatArray
    surrogate_statistics: FloatArray
    kind: str
    alpha: float
    method: str
    setting: str

    @property
    def n_surrogates(self) -> int:
        """Number of surrogates."""
        return len(self.surrogate_statistics)

    @property
    def question(self) -> str:
        """The question that significant features answer with yes."""
        return KINDS[self.kind].question

    @property
    def p_values(self) -> FloatArray:
        """The adjusted p-value of each feature.

        The share of series (the surrogates and the data) whose *best* feature is at least as good
        as this one. Because best features are compared, the chance that *any* feature of a series
        like the surrogates has a p-value of at most alpha is at most alpha.
        """
        best = self.surrogate_statistics.min(axis=1)
        as_good = np.sum(best[:, None] <= self.statistics, axis=0)
        p_values: FloatArray = (1 + as_good) / (1 + self.n_surrogates)
        return p_values

    @property
    def significant(self) -> BoolArray:
        """Which features have a p-value of at most alpha."""
        # Counts are compared so that the rounding of 0.05 · 20 does not matter.
        counts = np.rint(self.p_values * (1 + self.n_surrogates))
        return np.asarray(counts <= self.alpha * (1 + self.n_surrogates) * (1 + 1e-12))

    @property
    def n_significant(self) -> int:
        """How many features are significant before the first that is not.

        This is the number of features to keep. Significant features after that one are marked in
        `significant`, but do not count here.
        """
        return int(np.logical_and.accumulate(self.significant).sum())

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain numbers, strings and lists, for a JSON file.

        It includes a digest of all the rest, so that `from_dict` can detect changes.
        """
        plain = {
            "kind": self.kind,
            "question": self.question,
            "keeps": KINDS[self.kind].keeps,
            "method": self.method,
            "alpha": self.alpha,
            "n_significant": self.n_significant,
            "p_values": self.p_values.tolist(),
            "statistics": self.statistics.tolist(),
            "surrogate_statistics": self.surrogate_statistics.tolist(),
            "setting": self.setting,
        }
        return {**plain, "digest": _digest(plain)}

    @classmethod
    def from_dict(cls, plain: Any) -> Self:
        """Return the result that `as_dict` turned into a dict.

        Raises
        ------
        SignificanceError
            The dict is something else, or was changed.
        """
        problem = _find_problem(plain)
        if problem is not None:
            raise SignificanceError(
                f"this is no result of a test as `as_dict` returns it: {problem}. Do the test "
                "anew, without it."
            )
        statistics = np.array(plain["statistics"], dtype=np.float64)
        return cls(
            statistics,
            np.array(plain["surrogate_statistics"], dtype=np.float64).reshape(-1, len(statistics)),
            plain["kind"],
            plain["alpha"],
            plain["method"],
            plain["setting"],
        )

    def __str__(self) -> str:
        n, n_features = self.n_significant, len(self.statistics)
        lines = [
            f"{self.question} {_answer(n, n_features)}",
            f"{self.method} was fitted to the data and to {self.n_surrogates} surrogates, which "
            f"keep {KINDS[self.kind].keeps}. A feature counts as real when of all these series, "
            f"the data included, at most {100 * self.alpha:.3g} % have a best feature as good as "
            "it. Lower is better:",
        ]
        best = np.sort(self.surrogate_statistics.min(axis=1))
        if len(best):
            lines.append(f"  surrogates' best  {best[0]:.3f} … {best[-1]:.3f}")
        for j, (value, p) in enumerate(zip(self.statistics, self.p_values, strict=True)):
            mark = "real" if j < n else ("out of order" if self.significant[j] else "")
            lines.append(f"  feature {j + 1:<9} {value:.3f}  p = {p:.3g}  {mark}".rstrip())
        return "\n".join(lines)


def _answer(n_significant: int, n_features: int) -> str:
    if n_features == 1:
        return "Yes: the feature stands out." if n_significant else "No: it does not stand out."
    if n_significant == 0:
        return f"No: none of the {n_features} features stands out."
    if n_significant == n_features:
        return f"Yes: all {n_features} features stand out; with more n_components, more may."
    which = "feature stands" if n_significant == 1 else f"{n_significant} features stand"
    return f"Yes: of {n_features}, the first {which} out."


def _digest(plain: dict[str, Any]) -> str:
    """Return the SHA-256 of all entries except the digest; floats count to the last bit."""
    rest = {name: value for name, value in plain.items() if name != "digest"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True).encode()).hexdigest()


def _find_problem(plain: Any) -> str | None:
    """Return what is wrong with an arbitrary value, or None."""
    if not isinstance(plain, dict):
        return f"it is a {type(plain).__name__}"
    if "digest" not in plain:
        return "it has no digest (predfeat 0.1 wrote none)"
    try:
        changed = plain["digest"] != _digest(plain)
    except (TypeError, ValueError, RecursionError):  # values that JSON cannot hold
        changed = True
    if changed:
        return "it does not match its digest, so it was changed or damaged"
    statistics, rows = plain.get("statistics"), plain.get("surrogate_statistics")
    if not _are_numbers(statistics) or not statistics:
        return "statistics is no list of finite numbers"
    if not isinstance(rows, list) or not all(
        _are_numbers(row) and len(row) == len(statistics) for row in rows
    ):
        return f"surrogate_statistics are not lists of {len(statistics)} finite numbers each"
    if not isinstance(plain.get("kind"), str) or plain["kind"] not in KINDS:
        return f"kind is none of {', '.join(map(repr, KINDS))}"
    if not _are_numbers([plain.get("alpha")]) or not 0 < plain["alpha"] < 1:
        return "alpha is no number between 0 and 1"
    texts = ("method", "setting")
    return next((f"{name} is no text" for name in texts if type(plain.get(name)) is not str), None)


def _are_numbers(values: Any) -> bool:
    return isinstance(values, list) and all(
        isinstance(value, float) and math.isfinite(value) for value in values
    )
