"""The facts that `predfeat info` shows about a file, in words."""

from __future__ import annotations

from typing import Any

from predfeat.cli._terminal import Cell, short_name
from predfeat.cli._wording import in_options

__all__ = ["data_in_words", "model_in_words"]

_MOST_ITEMS_SHOWN = 12
_SHOWN_APART = ("estimator_", "layers_")


def data_in_words(facts: dict[str, Any]) -> dict[str, Cell]:
    """Return the facts about a data file, by label."""
    words: dict[str, Cell] = {
        "kind": facts["kind"],
        "rows": _rows(facts),
        "sequences": _sequences(facts),
        "columns": _columns(facts),
        "constant": _listed(facts["constant_columns"], facts["n_constant_columns"]),
        "left out": _listed(
            [*facts["left_out"], *facts["skipped_columns"]],
            len(facts["left_out"]) + facts["n_skipped_columns"],
        ),
        "missing cells": _first(
            [f"{entry['count']} of {entry['name']}" for entry in facts["missing_values"]]
        ),
        "row to row": _step(facts),
        "notes": [in_options(note) for note in facts["notes"]],
    }
    return {label: text for label, text in words.items() if text}


def model_in_words(facts: dict[str, Any]) -> dict[str, Cell]:
    """Return the facts about a model file, by label."""
    data = facts["fitted_to"]
    method, parameters, fitted = _method(facts)
    words: dict[str, Cell] = {
        "method": method,
        "parameters": [f"{name}: {_value(value)}" for name, value in parameters.items()],
        "fit": [
            f"{name.rstrip('_').replace('_', ' ')}: {_value(value)}"
            for name, value in fitted.items()
            if value not in ({}, [], None)
        ],
        "layers": [_layer(layer) for layer in facts["fitted"].get("layers_", [])],
        "responds to": data.get("responses", []),
        "fitted to": _fitted_to(data, facts["n_columns"]),
        "annotated by": "\n".join(data.get("effects", [])),
        "read with": ", ".join(
            f"{name} {_value(value)}" for name, value in data.get("reading", {}).items()
        ),
        "notes": "\n".join(f"{name}: {_value(value)}" for name, value in facts["notes"].items()),
        "written by": f"predfeat {facts['predfeat']}",
        "fingerprint": facts["fingerprint"],
    }
    return {label: text for label, text in words.items() if text}


def _method(facts: dict[str, Any]) -> tuple[str, dict[str, Any], dict[str, Any]]:
    """Return the method, its parameters and what its fit counted; of one that holds others, all."""
    if "steps" in facts["fitted"]:
        return _steps(facts)
    if "estimator_" not in facts["fitted"]:
        return facts["estimator"], facts["parameters"], facts["fitted"]
    inner = facts["fitted"]["estimator_"]
    own = {name: value for name, value in facts["parameters"].items() if name != "estimator"}
    counted = {name: n for name, n in facts["fitted"].items() if name not in _SHOWN_APART}
    where = "patches" if facts["estimator"] == "Patches" else "an expanded series"
    name = f"{inner['estimator']} on {where}"
    return name, {**own, **inner["parameters"]}, {**inner["fitted"], **counted}


def _steps(facts: dict[str, Any]) -> tuple[str, dict[str, Any], dict[str, Any]]:
    """Return the same of a pipeline: each parameter and count after the name of its step."""
    names: list[str] = []
    all_parameters: dict[str, Any] = {}
    all_counted: dict[str, Any] = {}
    for given, fact in zip(facts["parameters"]["steps"], facts["fitted"]["steps"], strict=True):
        if fact is None:  # it passes on what it gets
            continue
        name, parameters, counted = _method({**fact, "parameters": given["parameters"]})
        names.append(name)
        all_parameters |= {f"{given['name']}, {key}": value for key, value in parameters.items()}
        all_counted |= {f"{given['name']}, {key}": value for key, value in counted.items()}
    return ", then ".join(names), all_parameters, all_counted


def _layer(layer: dict[str, Any]) -> str:
    return ", ".join(f"{name} {_value(value)}" for name, value in layer.items()).removeprefix(
        "expansion "
    )


def _fitted_to(data: dict[str, Any], n_columns: int) -> str:
    columns = data.get("columns") or []
    named = f": {_first(columns)}" if columns else ""
    rows = f"{_count(data['n_rows'], 'row')} of " if "n_rows" in data else ""
    source = f"{rows}{data['source']}, " if "source" in data else ""
    return f"{source}{_count(n_columns, 'column')}{named}"


def _rows(facts: dict[str, Any]) -> str:
    n_gaps = facts["n_gap_rows"]
    if n_gaps == 0:
        return str(facts["n_rows"])
    stretches = _count(facts["n_stretches"], "stretch", "stretches")
    return f"{facts['n_rows']}, of which {n_gaps} are gaps: {stretches} without one"


def _sequences(facts: dict[str, Any]) -> str:
    if facts["n_sequences"] == 1:
        return ""
    shortest, longest = facts["shortest_sequence"], facts["longest_sequence"]
    lengths = f"{shortest}" if shortest == longest else f"{shortest} to {longest}"
    return f"{facts['n_sequences']}, of {lengths} rows"


def _columns(facts: dict[str, Any]) -> str:
    n_columns, rank = facts["n_columns"], facts["rank"]
    independent = "" if rank == n_columns else f", {rank} of them independent"
    return f"{n_columns}{independent}: {_first(facts['columns'])}"


def _step(facts: dict[str, Any]) -> str:
    if facts["step"] is None:
        return ""
    axis = facts["axis"]
    if axis["unit"] == "rows":  # clocks may start again with each sequence
        return _amount(facts["step"], facts["unit"])
    start = f", from {axis['origin']} on" if axis["origin"] else ""
    # The axis has the unit of the whole recording: a row may be a tiny part of it.
    if facts["unit"] == "s" and axis["per_row"] < 1:
        return _amount(facts["step"], "s") + start
    return _amount(axis["per_row"], axis["unit"]) + start


def _amount(number: float, unit: str) -> str:
    one = unit.removesuffix("s") if number == 1 and unit != "s" else unit
    return f"{number:.4g} {one}"


def _count(n: int, one: str, many: str | None = None) -> str:
    return f"{n} {one if n == 1 else many or one + 's'}"


def _listed(names: list[str], n_all: int) -> str:
    more = f", … ({n_all} in all)" if n_all > len(names) else ""
    return ", ".join(map(short_name, names)) + more


def _value(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        # Names may hold a comma.
        return _first([f"{name} {_value(part)}" for name, part in value.items()], "; ")
    if isinstance(value, list | tuple):
        return _first([_value(part) for part in value])
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _first(parts: list[str], between: str = ", ") -> str:
    more = f"{between}… ({len(parts)} in all)" if len(parts) > _MOST_ITEMS_SHOWN else ""
    return between.join(short_name(str(part)) for part in parts[:_MOST_ITEMS_SHOWN]) + more
