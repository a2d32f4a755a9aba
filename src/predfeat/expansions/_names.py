"""The expansions by name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from predfeat._method_names import EXPANSION_NAMES
from predfeat.exceptions import ExpansionError
from predfeat.expansions._expansion import Expansion, Identity
from predfeat.expansions._fourier import RandomFourier
from predfeat.expansions._kernel import LandmarkKernel
from predfeat.expansions._polynomial import Polynomial
from predfeat.expansions._transformer import Transformer

__all__ = ["EXPANSIONS", "check_expansion"]

_KNOWN: dict[str, Expansion] = {
    "identity": Identity(),
    "quadratic": Polynomial(2),
    "cubic": Polynomial(3),
    "kernel": LandmarkKernel(),
    "fourier": RandomFourier(),
}
EXPANSIONS: Mapping[str, Expansion] = MappingProxyType(
    {name: _KNOWN[name] for name in ("identity", *EXPANSION_NAMES)}
)


def check_expansion(given: Any) -> Expansion:
    """Return the expansion that is meant.

    Parameters
    ----------
    given : str, Expansion or transformer
        A name in `EXPANSIONS`, an expansion, or a transformer of scikit-learn's.

    Returns
    -------
    Expansion

    Raises
    ------
    ExpansionError
        It is none of these.

    Examples
    --------
    >>> from predfeat.expansions import check_expansion
    >>> check_expansion("cubic")
    Polynomial(degree=3)
    """
    if isinstance(given, Expansion):
        return given
    if isinstance(given, str) and given in EXPANSIONS:
        return EXPANSIONS[given]
    is_class = isinstance(given, type)
    if not is_class and hasattr(given, "fit") and hasattr(given, "transform"):
        return Transformer(given)
    raise ExpansionError(
        f"expansion must be one of {', '.join(map(repr, EXPANSIONS))}, an object of "
        "predfeat.expansions such as Polynomial(2), or a transformer of scikit-learn's, but it is "
        f"{given!r}{', a class: give an object of it' if is_class else ''}."
    )
