"""The methods' parameters as options of the command, each described once.

The command builds its options from this table, and reports use it to name parameters as on the
command line.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

__all__ = ["METHOD_OPTIONS", "MethodOption"]

_BOTH, _FIT = ("compare", "fit"), ("fit",)
_ALL = ("all",)
_GPFA = ("GPFA",)


@dataclass(frozen=True)
class MethodOption:
    """A parameter of some methods, and the option that sets it.

    Attributes
    ----------
    parameter : str
        The library's name.
    kind : type
        Type of the value: int, str or bool.
    text : str
        What it is, in a few words.
    default : str
        Its default, or those of the methods; empty if the text says it.
    methods : tuple of str
        The classes that have it, or "all".
    commands : tuple of str
        The commands that have an option of this name and recommend it.
    at_least : int or None
        The smallest number allowed.
    other : tuple of str
        Further spellings of the option.
    """

    parameter: str
    kind: type
    text: str
    default: str
    methods: tuple[str, ...] = _GPFA
    commands: tuple[str, ...] = _FIT
    at_least: int | None = None
    other: tuple[str, ...] = ()

    @property
    def option(self) -> str:
        """The option: --n-lags."""
        return "--" + self.parameter.replace("_", "-")

    @property
    def advised(self) -> str:
        """What to type to change it: the form that switches off what is on by default."""
        return f"--no-{self.option[2:]}" if self.kind is bool else self.option

    @property
    def sentence(self) -> str:
        """What it is, as a sentence."""
        return f"{self.text[0].upper()}{self.text[1:]}."

    @property
    def help(self) -> str:
        """What `predfeat fit --help` says: the methods that have it, what it is, its default."""
        default = f" ({self.default})" if self.default else ""
        if self.methods == _ALL:
            return f"{self.sentence[:-1]}{default}."
        words = {"AutoFeatures": "auto", "DescentFeatures": "descent", "RandomFeatures": "random"}
        return f"{', '.join(words.get(m, m) for m in self.methods)}: {self.text}{default}."


_LAGGED = ("GPFA", "PFA", "DescentFeatures", "AutoFeatures")
_BY_NEIGHBORS = ("GPFA", "DescentFeatures", "AutoFeatures")
_OPTIONS = (
    MethodOption("n_components", int, "features to find, M",
                 "3, or fewer if the data has fewer directions", _ALL, _BOTH, at_least=1),
    MethodOption("n_lags", int, "samples in a state, p", "1", _LAGGED, _BOTH),
    MethodOption("horizon", int, "steps ahead to predict, H", "1", _LAGGED, _BOTH),
    MethodOption("n_neighbors", int, "neighbours of each state, k", "10",
                 (*_BY_NEIGHBORS, "LPP"), _BOTH),
    MethodOption("pca_components", str, "principal components to keep before whitening: a count, "
                 "a share of variance such as 0.99, or none", "", _ALL, _BOTH),
    MethodOption("graph", str, "star (default) or full", ""),
    MethodOption("init", str, "input (default), pca, sfa, slow_fast, pfa, foreca or auto", ""),
    MethodOption("metric", str, "how the first neighbours are compared: euclidean, in white space "
                 "(default), or another metric of scikit-learn's, in the data as given", ""),
    MethodOption("max_iter", int, "iterations at most", "50, 100, 500 and 20",
                 ("GPFA", "ForeCA", "DCA", "DescentFeatures")),
    MethodOption("n_window", int, "rows of the past, and of the future that they tell of, T", "5",
                 ("DCA",), at_least=1),
    MethodOption("theiler", int, "rows around a state to exclude as neighbours", "0",
                 _BY_NEIGHBORS),
    MethodOption("n_centers", int, "states that ask for their neighbours, each among all states",
                 "all, or a sample of more than 50 000", at_least=1),
    MethodOption("n_averaged", int, "last iterations to average over", "1"),
    MethodOption("refine", bool, "descend from the result with the full gradient", "no"),
    MethodOption("n_intermediate", int, "features between the iterations", "M"),
    MethodOption("past", bool, "also compare what came before", "yes"),
    MethodOption("normalized", bool, "normalise with the degrees", "yes"),
    MethodOption("weighting", str, "equal (default) or inverse_spread, which lets loud moments "
                 "count less", ""),
    MethodOption("random_state", int, "seed of the random numbers", "",
                 ("GPFA", "ForeCA", "DCA", "RandomFeatures"), at_least=0, other=("--seed",)),
    MethodOption("power", float, "what to minimise: 2 variance, 1 deviation, 0 missing "
                 "information", "2", ("DescentFeatures",)),
)  # fmt: skip

METHOD_OPTIONS: Mapping[str, MethodOption] = MappingProxyType(
    {option.parameter: option for option in _OPTIONS}
)
