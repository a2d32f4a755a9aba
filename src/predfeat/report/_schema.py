"""Validation of results read from a file: that keys exist, types are right and lengths agree."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from predfeat.exceptions import ResultsError
from predfeat.report._findings import SEVERITIES

__all__ = ["LOWEST_SKILL", "check_results"]

# A form is a function of a value and its place (such as methods[2].name) that raises ResultsError.
Form = Callable[[Any, str], None]


def _scalar(description: str, is_right: Callable[[Any], bool]) -> Form:
    def check(value: Any, place: str) -> None:
        if not is_right(value):
            raise ResultsError(f"results: {place} must be {description}, but it is {_show(value)}.")

    return check


# The same limit as for data to fit: sums and differences of such numbers are finite, too.
_LARGEST = 1e300
_LARGEST_COUNT = 2**63 - 1
# Below this limit a skill says no more, and JSON has no number for minus infinity.
LOWEST_SKILL = -1000.0


def _is_number(value: Any) -> bool:
    # NaN and infinity fail the comparison; Python compares integers of any length.
    return (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and -_LARGEST <= value <= _LARGEST
    )


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _LARGEST_COUNT


TEXT = _scalar("text", lambda value: isinstance(value, str))
NUMBER = _scalar(f"a finite number up to {_LARGEST:g}", _is_number)
COUNT = _scalar("a whole number, 0 or more, of up to 63 bits", _is_count)
_COUNT_FROM_1 = _scalar("a whole number, 1 or more", lambda value: _is_count(value) and value >= 1)
_DEGREES = _scalar("an angle from 0 to 90", lambda value: _is_number(value) and 0 <= value <= 90)
_SKILL = _scalar(
    f"a skill from {LOWEST_SKILL:g} to 1",
    lambda value: _is_number(value) and LOWEST_SKILL <= value <= 1,
)
_POSITIVE = _scalar(
    f"a number above 0 ({1 / _LARGEST:g} or more)",
    lambda value: _is_number(value) and value >= 1 / _LARGEST,
)
FLAG = _scalar("true or false", lambda value: isinstance(value, bool))
PLAIN = _scalar(
    "text, a finite number, true, false or null",
    lambda value: value is None or isinstance(value, str | bool) or _is_number(value),
)


def _one_of(*words: str) -> Form:
    return _scalar(f"one of {', '.join(map(repr, words))}", lambda value: value in words)


def _maybe(form: Form) -> Form:
    def check(value: Any, place: str) -> None:
        if value is not None:
            form(value, place)

    return check


def _list(form: Form, *, at_least: int = 0) -> Form:
    def check(value: Any, place: str) -> None:
        if not isinstance(value, list):
            raise ResultsError(f"results: {place} must be a list, but it is {_show(value)}.")
        if len(value) < at_least:
            raise ResultsError(
                f"results: {place} must have at least {at_least} entries, but it has {len(value)}."
            )
        for i, entry in enumerate(value):
            form(entry, f"{place}[{i}]")

    return check


def _dict(forms: dict[str, Form], later: dict[str, Form] | None = None) -> Form:
    """Return the form of an object; files of earlier versions lack the `later` keys."""

    def check(value: Any, place: str) -> None:
        if not isinstance(value, dict):
            raise ResultsError(f"results: {place} must be an object, but it is {_show(value)}.")
        for key, form in (later or {}).items():
            if key in value:
                form(value[key], _join(place, key))
        for key, form in forms.items():
            if key not in value:
                raise ResultsError(f"results: {_join(place, key)} is missing.")
            form(value[key], _join(place, key))

    return check


def _mapping(form: Form) -> Form:
    def check(value: Any, place: str) -> None:
        if not isinstance(value, dict):
            raise ResultsError(f"results: {place} must be an object, but it is {_show(value)}.")
        for key, entry in value.items():
            form(entry, _join(place, str(key)))

    return check


def _join(place: str, key: str) -> str:
    return key if place == "the file" else f"{place}.{key}"


def _show(value: Any) -> str:
    try:
        text = repr(value)
    except (ValueError, RecursionError):  # thousands of digits or nested lists
        text = f"a {type(value).__name__}"
    return text if len(text) <= 60 else f"{text[:57]}…"


_NUMBERS = _list(NUMBER)
_GAPPY = _list(_maybe(NUMBER))
_SCORES = _list(NUMBER, at_least=1)
_ANGLES = _list(_DEGREES, at_least=1)
_DATES = _dict({"rows": _SCORES, "seconds": _SCORES})
_AXIS = _dict(
    {"unit": TEXT, "per_row": NUMBER, "origin": _maybe(TEXT)},
    later={"start": NUMBER, "dates": _maybe(_DATES)},
)
_IMAGE = _list(_list(NUMBER, at_least=1), at_least=1)

_DATA = _dict(
    {
        "source": TEXT,
        "kind": _one_of("table", "sound", "video"),
        **dict.fromkeys(
            (
                "n_rows",
                "n_columns",
                "rank",
                "n_gap_rows",
                "n_stretches",
                "n_sequences",
                "shortest_sequence",
                "longest_sequence",
                "n_constant_columns",
                "n_skipped_columns",
            ),
            COUNT,
        ),
        "constant_columns": _list(TEXT),
        "skipped_columns": _list(TEXT),
        "missing_values": _list(_dict({"name": TEXT, "count": COUNT})),
        "coverage": _list(NUMBER, at_least=1),
        "step": _maybe(NUMBER),
        "unit": TEXT,
        "axis": _AXIS,
    }
)
_PROTOCOL = _dict(
    {
        "kind": _one_of("sequences", "windows"),
        "train_rows": _list(COUNT, at_least=1),
        "test_rows": _list(COUNT, at_least=1),
        "pca_components": _maybe(NUMBER),
        **dict.fromkeys(
            (
                "n_repetitions",
                "fitted_rows",
                "max_train",
                "max_test",
                "max_fit",
                "n_components",
                "n_lags",
                "n_neighbors",
            ),
            COUNT,
        ),
    }
)
# Files of earlier versions lack these keys.
_ADDED_TO_PROTOCOL = {
    "horizon": _COUNT_FROM_1,
    "is_cut": FLAG,
    "train_sequences": _list(COUNT, at_least=1),
    "test_sequences": _list(COUNT, at_least=1),
    "predicted_share": _NUMBERS,
    "other_lags": _list(
        _dict(
            {"n_lags": COUNT, "train_share": _SCORES, "test_share": _SCORES},
            later={"predicted_gain": _NUMBERS},
        )
    ),
}
_SKILLS = _list(_SKILL, at_least=1)
_AHEAD = _dict(
    dict.fromkeys(("similar_states", "linear", "persistence"), _list(_SKILLS, at_least=1))
)
_METHOD = _dict(
    {
        "name": TEXT,
        "class": TEXT,
        "parameters": _mapping(PLAIN),
        "best": FLAG,
        "test_share": _SCORES,
        "train_share": _SCORES,
        "test_predictability": _SCORES,
        "train_predictability": _SCORES,
        "paired": _maybe(
            _dict({"n_worse": COUNT, "difference": NUMBER, "p_value": _maybe(NUMBER)})
        ),
        "seconds": _SCORES,
        "fit_seconds": NUMBER,
    }
)
_TRACE = _dict(
    {"name": TEXT, "kind": _one_of("feature", "channel"), "low": _GAPPY, "high": _maybe(_GAPPY)},
    later={"unit": TEXT},
)
_CYCLE = _dict(
    {
        **dict.fromkeys(("period", "resolution", "slower_than"), _maybe(_POSITIVE)),
        **dict.fromkeys(("unit", "of"), TEXT),
    },
    later={"share": _maybe(NUMBER)},
)
_OTHERS = _dict(
    {
        "n_rows": COUNT,
        "methods": _list(
            _dict({"name": TEXT, "traces": _list(_dict({"low": _GAPPY, "high": _maybe(_GAPPY)}))})
        ),
    }
)
_EXTREMES = _list(_list(COUNT, at_least=1))
# Only nonlinear features have them.
_RESPONSES = {"responses": _dict({"lowest": _EXTREMES, "highest": _EXTREMES})}
_LOADINGS = {
    "columns": _dict(
        {"n_columns": COUNT, "features": _list(_list(_dict({"name": TEXT, "loading": NUMBER})))},
        later=_RESPONSES,
    ),
    "frequencies": _dict({"frequencies": _SCORES, "profiles": _list(_SCORES)}, later=_RESPONSES),
    "images": _dict(
        {"filters": _list(_IMAGE), "patterns": _list(_IMAGE)},
        later={"frames": _list(_IMAGE), "low_frames": _list(_IMAGE), **_RESPONSES},
    ),
}
_SIGNIFICANCE = _dict(
    {
        **dict.fromkeys(("kind", "question", "keeps", "method"), TEXT),
        "alpha": NUMBER,
        "n_rows": COUNT,
        "n_significant": COUNT,
        "p_values": _SCORES,
        "statistics": _SCORES,
        "surrogate_best": _SCORES,
    }
)
_DIAGNOSIS = _dict(
    {
        "method": TEXT,
        "n_rows": COUNT,
        "findings": _list(
            _dict(
                {
                    "severity": _one_of(*SEVERITIES),
                    **dict.fromkeys(("name", "summary", "meaning", "advice"), TEXT),
                    "values": _mapping(_maybe(NUMBER)),
                },
                later={"parameters": _mapping(PLAIN)},
            )
        ),
    }
)
_RESULTS = _dict(
    {
        "sentence": TEXT,
        "verdict": TEXT,
        "as_good": _list(TEXT),
        "data": _DATA,
        "protocol": _PROTOCOL,
        "methods": _list(_METHOD, at_least=1),
        "left_out": _list(_dict({"name": TEXT, "reason": TEXT})),
        "features": _dict(
            {
                "method": TEXT,
                "repetition": _maybe(COUNT),
                "shares": _NUMBERS,
                "axis": _AXIS,
                "n_rows": COUNT,
                "n_bins": _COUNT_FROM_1,
                "sequence_starts": _list(COUNT),
                "traces": _list(_TRACE, at_least=1),
            },
            later={
                "test_shares": _GAPPY,
                "cycles": _list(_CYCLE),
                "descriptions": _list(TEXT),
                "all_methods": _OTHERS,
            },
        ),
        "spectra": _maybe(
            _dict(
                {
                    "n_block": COUNT,
                    "unit": TEXT,
                    "per_cycle": TEXT,
                    "frequencies": _SCORES,
                    "features": _list(_SCORES, at_least=1),
                    "channels": _SCORES,
                }
            )
        ),
        "loadings": _dict({"kind": _one_of(*_LOADINGS)}),
        "angles": _dict({"methods": _list(TEXT, at_least=1), "degrees": _list(_list(_ANGLES))}),
        "eigenvalues": _list(_dict({"method": TEXT, "meaning": TEXT, "values": _SCORES})),
        "history": _list(
            _dict({"method": TEXT, "objective": _SCORES, "angle": _GAPPY, "seconds": _NUMBERS})
        ),
        "versions": _mapping(TEXT),
        "seed": COUNT,
        "command": _maybe(TEXT),
    }
)


def check_results(results: Any, schema: int) -> None:
    """Raise an error if anything differs from docs/results-format.md.

    Parameters
    ----------
    results : dict
        As read from JSON.
    schema : int
        The format number that this version reads.

    Raises
    ------
    ResultsError
        The message names the key.
    """
    _dict({"schema": COUNT})(results, "the file")
    if results["schema"] != schema:
        raise ResultsError(
            f"results: schema is {results['schema']}, but this version of predfeat reads {schema}. "
            + ("Update predfeat." if results["schema"] > schema else "Run the comparison again.")
        )
    _RESULTS(results, "the file")
    _LOADINGS[results["loadings"]["kind"]](results["loadings"], "loadings")
    # Files of earlier versions lack these keys.
    later = (("significance", _SIGNIFICANCE), ("diagnosis", _DIAGNOSIS), ("ahead", _AHEAD))
    for key, form in later:
        _maybe(form)(results.get(key), key)
    for i, method in enumerate(results["methods"]):
        _maybe(TEXT)(method.get("kept"), f"methods[{i}].kept")
    for key, form in _ADDED_TO_PROTOCOL.items():
        if key in results["protocol"]:
            form(results["protocol"][key], f"protocol.{key}")
    _check_agreement(results)


def _check_agreement(results: dict[str, Any]) -> None:
    """Raise an error if two lists that belong together have different lengths."""
    n_repetitions = results["protocol"]["n_repetitions"]
    if sum(method["best"] for method in results["methods"]) != 1:
        raise ResultsError("results: methods must have exactly one entry whose best is true.")
    for i, method in enumerate(results["methods"]):
        for key in ("test_share", "train_share", "test_predictability", "train_predictability"):
            _same_length(method[key], n_repetitions, f"methods[{i}].{key}", "repetitions")
    for i, other in enumerate(results["protocol"].get("other_lags", [])):
        for key in ("test_share", "train_share", "predicted_gain"):
            place = f"protocol.other_lags[{i}].{key}"
            _same_length(other.get(key, other["test_share"]), n_repetitions, place, "repetitions")
    ahead = results.get("ahead") or {}
    for key, skills in ahead.items():
        _same_length(skills, n_repetitions, f"ahead.{key}", "repetitions")
        for i, each in enumerate(skills):
            n_steps = len(ahead["similar_states"][0])
            _same_length(each, n_steps, f"ahead.{key}[{i}]", "steps")
    features = results["features"]
    for i, trace in enumerate(features["traces"]):
        for key in ("low", "high"):
            if trace[key] is not None:
                _same_length(trace[key], features["n_bins"], f"features.traces[{i}].{key}", "bins")
    axis = features["axis"].get("dates")
    if axis is not None:
        _same_length(axis["seconds"], len(axis["rows"]), "features.axis.dates.seconds", "rows")
    if results["spectra"] is not None:
        n_frequencies = len(results["spectra"]["frequencies"])
        for i, row in enumerate(results["spectra"]["features"]):
            _same_length(row, n_frequencies, f"spectra.features[{i}]", "frequencies")
        _same_length(
            results["spectra"]["channels"], n_frequencies, "spectra.channels", "frequencies"
        )
    if results["loadings"]["kind"] == "frequencies":
        for i, row in enumerate(results["loadings"]["profiles"]):
            n_frequencies = len(results["loadings"]["frequencies"])
            _same_length(row, n_frequencies, f"loadings.profiles[{i}]", "frequencies")
    if results["loadings"]["kind"] == "images":
        for key in ("filters", "patterns", "frames", "low_frames"):
            for i, image in enumerate(results["loadings"].get(key, [])):
                for row in image:
                    _same_length(row, len(image[0]), f"loadings.{key}[{i}]", "pixels in each row")
    n_methods = len(results["angles"]["methods"])
    _same_length(results["angles"]["degrees"], n_methods, "angles.degrees", "methods")
    for i, row in enumerate(results["angles"]["degrees"]):
        _same_length(row, i, f"angles.degrees[{i}]", "methods before it")
    tested = results.get("significance")
    if tested is not None:
        n_features = len(tested["statistics"])
        _same_length(tested["p_values"], n_features, "significance.p_values", "statistics")
    for i, history in enumerate(results["history"]):
        _same_length(
            history["angle"], len(history["objective"]), f"history[{i}].angle", "iterations"
        )


def _same_length(entries: list[Any], length: int, place: str, what: str) -> None:
    if len(entries) != length:
        raise ResultsError(
            f"results: {place} has {len(entries)} entries, but there are {length} {what}."
        )
