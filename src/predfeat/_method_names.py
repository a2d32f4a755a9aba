"""The names of methods: the word that is typed, and the name that results show.

They are kept apart from the estimators, so that `predfeat --help` knows them without loading those.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

__all__ = ["EXPANSION_NAMES", "METHOD_NAMES", "ON_REQUEST", "understood_word"]

METHOD_NAMES: Mapping[str, str] = MappingProxyType(
    {
        "random": "random",
        "sfa": "SFA",
        "pfa": "PFA",
        "foreca": "ForeCA",
        "gpfa1": "GPFA (1)",
        "gpfa2": "GPFA (2)",
        "dca": "DCA",
        "lpp": "LPP",
        "descent": "Descent",
        "auto": "AutoFeatures",
    }
)
# Comparisons run them only if they are named: they are not among the paper's methods.
ON_REQUEST = ("dca", "lpp", "descent", "auto")
# What may follow a method after a plus sign, to be fitted to an expanded series.
EXPANSION_NAMES = ("quadratic", "cubic", "kernel", "fourier")
# GPFA's own default graph is that of GPFA (2).
_ALIASES = {
    "gpfa": "gpfa2",
    "randomfeatures": "random",
    "descentfeatures": "descent",
    "autofeatures": "auto",
}


def understood_word(given: str) -> str | None:
    """Return the word of the intended method, or None.

    Capitals, spaces, brackets and hyphens do not matter. A plus sign adds an expansion.

    Examples
    --------
    >>> from predfeat._method_names import understood_word
    >>> understood_word("GPFA (1)"), understood_word("gpfa"), understood_word("umap")
    ('gpfa1', 'gpfa2', None)
    >>> understood_word("SFA + quadratic"), understood_word("sfa+umap")
    ('sfa+quadratic', None)
    """
    method, plus, expansion = given.casefold().partition("+")
    typed = "".join(letter for letter in method if letter.isalnum())
    word = _ALIASES.get(typed, typed)
    if word not in METHOD_NAMES:
        return None
    if not plus:
        return word
    return f"{word}+{expansion.strip()}" if expansion.strip() in EXPANSION_NAMES else None
