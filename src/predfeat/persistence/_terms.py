"""Edge terms in a model file: their names and parameters."""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import Any

from predfeat.exceptions import GraphError, ModelFileError
from predfeat.graph import (
    Adjacent,
    Different,
    EdgeTerm,
    Future,
    Local,
    Past,
    SameLabel,
    SimilarValue,
)
from predfeat.persistence._plain import find_unplain

__all__ = ["decoded_terms", "encoded_terms", "find_odd_terms"]

_TERMS: dict[str, Any] = {
    term.__name__: term
    for term in (Future, Past, Adjacent, Local, SameLabel, SimilarValue, Different)
}
_MOST_TERMS = 100


def encoded_terms(terms: Any) -> list[dict[str, Any]]:
    """Return terms as they appear in the JSON.

    Examples
    --------
    >>> from predfeat.graph import Future
    >>> from predfeat.persistence._terms import encoded_terms
    >>> encoded_terms([Future("full")])
    [{'term': 'Future', 'graph': 'full', 'weight': 1.0}]
    """
    encoded = []
    for term in terms:
        name = type(term).__name__
        if _TERMS.get(name) is not type(term):  # a subclass may connect something else
            raise ModelFileError(
                f"the parameter terms holds {term!r}, which a model file does not keep: it keeps "
                f"{', '.join(_TERMS)}. Set it to None before saving, model.set_params(terms=None); "
                "what was fitted stays as it is."
            )
        encoded.append({"term": name, **{k: _plain(v) for k, v in asdict(term).items()}})
    unplain = find_unplain(encoded)
    if unplain is not None:
        raise ModelFileError(
            f"the parameter terms holds {unplain}, which a model file does not keep. Use plain "
            "numbers as weights, or set it to None before saving, model.set_params(terms=None); "
            "what was fitted stays as it is."
        )
    if len(encoded) > _MOST_TERMS:
        raise ModelFileError(
            f"the parameter terms holds {len(encoded)} terms, but a model file keeps at most "
            f"{_MOST_TERMS}. Set it to None before saving, model.set_params(terms=None); what was "
            "fitted stays as it is."
        )
    return encoded


def find_odd_terms(value: Any) -> str | None:
    """Describe what is wrong with terms in the JSON, or return None."""
    if not isinstance(value, list) or len(value) > _MOST_TERMS:
        return "the parameter terms is no list of terms"
    for entry in value:
        if not isinstance(entry, dict) or entry.get("term") not in list(_TERMS):
            return f"the parameter terms holds {str(entry)[:60]!r}, which is no known term"
        names = {"term", *(field.name for field in fields(_TERMS[entry["term"]]))}
        if not set(entry) <= names:
            return f"{entry['term']} has no {sorted(set(entry) - names)[0][:40]!r}"
        try:
            _decoded(entry)
        except (GraphError, TypeError) as error:
            return f"the parameter terms is not valid: {str(error).rstrip('.')}"
    return None


def decoded_terms(value: list[dict[str, Any]]) -> list[EdgeTerm]:
    """Return the terms that checked JSON describes."""
    return [_decoded(entry) for entry in value]


def _decoded(entry: dict[str, Any]) -> EdgeTerm:
    parameters = {name: value for name, value in entry.items() if name != "term"}
    term: EdgeTerm = _TERMS[entry["term"]](**parameters)
    return term


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else value
