"""The methods by name: the single list shared by the command, comparisons and reports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from predfeat._method_names import EXPANSION_NAMES, METHOD_NAMES, understood_word
from predfeat.expansions import check_expansion
from predfeat.features._auto import AutoFeatures
from predfeat.features._base import LinearFeatures
from predfeat.features._dca import DCA
from predfeat.features._descent_features import DescentFeatures
from predfeat.features._expanded import Expanded, linear_method
from predfeat.features._foreca import ForeCA
from predfeat.features._gpfa import GPFA
from predfeat.features._lpp import LPP
from predfeat.features._pfa import PFA
from predfeat.features._random import RandomFeatures
from predfeat.features._sfa import SFA

__all__ = ["METHODS", "Method", "find_method", "name_of"]


@dataclass(frozen=True)
class Method:
    """A named estimator, possibly with some of its parameters fixed.

    Attributes
    ----------
    word : str
        The word users type: "gpfa1".
    name : str
        The name shown in results: "GPFA (1)".
    estimator : type
        The class.
    parameters : dict
        The fixed parameters that define the method: {"graph": "full"}.
    expansion : str, optional
        What it is fitted to instead of the white series, by `Expanded`.
    """

    word: str
    name: str
    estimator: type[LinearFeatures]
    parameters: Mapping[str, Any] = field(default_factory=dict)
    expansion: str | None = None

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """The names of all its parameters, fixed or not."""
        return tuple(self.estimator().get_params(deep=False))

    def build(self, **options: Any) -> Any:
        """Return an unfitted estimator with the options it knows; the others are ignored.

        Examples
        --------
        >>> from predfeat.features import METHODS
        >>> METHODS["gpfa1"].build(n_lags=2), METHODS["sfa"].build(n_lags=2)
        (GPFA(graph='full', n_lags=2), SFA())
        """
        names = self.parameter_names
        known = {name: value for name, value in options.items() if name in names}
        method = self.estimator(**{**known, **self.parameters})
        return method if self.expansion is None else Expanded(method, self.expansion)

    def expanded(self, expansion: str) -> Method:
        """Return the same method on an expanded series.

        Examples
        --------
        >>> from predfeat.features import METHODS
        >>> METHODS["sfa"].expanded("quadratic").build(n_components=1)
        Expanded(estimator=SFA(n_components=1))
        """
        word, name = f"{self.word}+{expansion}", f"{self.name} + {expansion}"
        return replace(self, word=word, name=name, expansion=expansion)

    def is_method_of(self, estimator: Any) -> bool:
        """Return whether an estimator is of this class and has the fixed parameters."""
        return type(estimator) is self.estimator and all(
            getattr(estimator, name) == value for name, value in self.parameters.items()
        )


_FIXED: dict[str, tuple[type[LinearFeatures], dict[str, Any]]] = {
    "random": (RandomFeatures, {}),
    "sfa": (SFA, {}),
    "pfa": (PFA, {}),
    "foreca": (ForeCA, {}),
    "gpfa1": (GPFA, {"graph": "full"}),
    "gpfa2": (GPFA, {"graph": "star"}),
    "dca": (DCA, {}),
    "lpp": (LPP, {}),
    "descent": (DescentFeatures, {}),
    "auto": (AutoFeatures, {}),
}

METHODS: Mapping[str, Method] = MappingProxyType(
    {word: Method(word, name, *_FIXED[word]) for word, name in METHOD_NAMES.items()}
)


def find_method(word: str) -> Method:
    """Return the method with a given word or name.

    Parameters
    ----------
    word : str
        One of `METHODS`, or the name shown in results. Capitals, spaces, brackets and hyphens do
        not matter; "gpfa" is GPFA with its default graph. A plus sign adds an expansion:
        "gpfa2+quadratic".

    Returns
    -------
    Method

    Raises
    ------
    ValueError
        If there is no such method.

    Examples
    --------
    >>> from predfeat.features import find_method
    >>> find_method("GPFA (1)").build(n_components=3)
    GPFA(graph='full', n_components=3)
    """
    found = understood_word(word)
    if found is None:
        raise ValueError(
            f"{word!r} is no method. Use one of {', '.join(METHODS)}. An expansion may follow: "
            f"+{', +'.join(EXPANSION_NAMES)}."
        )
    method, _, expansion = found.partition("+")
    return METHODS[method].expanded(expansion) if expansion else METHODS[method]


def name_of(estimator: Any) -> str:
    """Return an estimator's name in results, or its class name if it is not in `METHODS`.

    Parameters
    ----------
    estimator : estimator

    Returns
    -------
    str

    Examples
    --------
    >>> from predfeat import GPFA, SFA
    >>> from predfeat.features import name_of
    >>> name_of(GPFA(graph="full")), name_of(SFA())
    ('GPFA (1)', 'SFA')
    >>> from predfeat import Expanded
    >>> name_of(Expanded(SFA(), "cubic"))
    'SFA + cubic'
    """
    inner = linear_method(estimator)
    name = next((m.name for m in METHODS.values() if m.is_method_of(inner)), type(inner).__name__)
    if inner is estimator or not isinstance(estimator, Expanded):
        return name
    layers = "" if estimator.n_layers == 1 else f"{estimator.n_layers} × "
    return f"{name} + {layers}{check_expansion(estimator.expansion).name}"
