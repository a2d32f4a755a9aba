"""How the methods were compared and on what data, in sentences."""

from __future__ import annotations

from typing import Any

from predfeat.report._lags import horizon_of
from predfeat.report._svg import number

__all__ = ["also_good", "data_facts", "data_line", "protocol_sentences", "what_was_cut"]

_MOST_NAMES_SHOWN = 8


def _count(n: int, one: str, many: str | None = None) -> str:
    return f"{number(n)} {one if n == 1 else many or one + 's'}"


def _listed(names: list[str], n_all: int) -> str:
    more = n_all - min(len(names), _MOST_NAMES_SHOWN)
    return ", ".join(names[:_MOST_NAMES_SHOWN]) + (f" and {number(more)} more" if more > 0 else "")


def also_good(results: dict[str, Any]) -> str:
    """Return which methods do about as well as the best, if the verdict allows it."""
    names = results["as_good"]
    if not names or results["verdict"] not in ("found", "hardly", "no baseline"):
        return ""
    listed = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    return f"{listed} {'does' if len(names) == 1 else 'do'} about as well on this recording."


def data_line(results: dict[str, Any]) -> str:
    """Return the size of the recording, in one line."""
    data = results["data"]
    parts = [_count(data["n_rows"], "row"), _count(data["n_columns"], "column")]
    if data["axis"]["unit"] != "rows":
        parts.append(f"{number(data['n_rows'] * data['axis']['per_row'])} {data['axis']['unit']}")
    if data["n_sequences"] > 1:
        parts.append(_count(data["n_sequences"], "sequence"))
    return " · ".join(parts)


def protocol_sentences(results: dict[str, Any]) -> list[str]:
    """Return how the methods were compared."""
    protocol, data = results["protocol"], results["data"]
    n_train, n_test = max(protocol["train_rows"]), max(protocol["test_rows"])
    said = [
        f"In each of {_count(protocol['n_repetitions'], 'repetition')} every method learned from "
        f"one part of the recording (up to {_count(n_train, 'row')}) and was judged on another "
        f"part it had not seen (up to {_count(n_test, 'row')})."
    ]
    if protocol["kind"] == "sequences":
        said.append("Each sequence belongs to one of the parts as a whole.")
    else:
        apart = protocol["n_lags"] + horizon_of(results)
        said.append(
            "Both parts are stretches of consecutive rows at random places, at least "
            f"{_count(apart, 'row')} apart."
        )
    if (limits := what_was_cut(results)) != "":
        said.append(limits)
    if results["features"]["repetition"] is not None:
        said.append(
            "The features shown were found in repetition "
            f"{results['features']['repetition'] + 1}: one more fit, on "
            f"{_count(protocol['fitted_rows'], 'row')}, gave a worse result, as iterative "
            "searches sometimes do."
        )
    elif protocol["fitted_rows"] < data["n_rows"]:
        said.append(
            "The features shown come from one more fit, on "
            f"{_count(protocol['fitted_rows'], 'row')} spread over the recording (--max-fit allows "
            "more)."
        )
    else:
        said.append("The features shown come from one more fit, on the whole recording.")
    said.append(
        f"Parameters: {_count(protocol['n_components'], 'feature')} (n_components), "
        f"{_count(protocol['n_lags'], 'row')} in a state (n_lags), "
        f"{_count(horizon_of(results), 'step')} ahead (horizon), "
        f"{_count(protocol['n_neighbors'], 'neighbour')} (n_neighbors), {_pca(protocol)}."
    )
    return said


def what_was_cut(results: dict[str, Any]) -> str:
    """Return which limits left rows out of the repetitions, and the options that lift them."""
    protocol, n_all = results["protocol"], results["data"]["n_sequences"]
    n_train, n_test = max(protocol["train_rows"]), max(protocol["test_rows"])
    by_length = n_train == protocol["max_train"] or n_test == protocol["max_test"]
    if not protocol.get("is_cut", by_length):
        return ""
    said = (
        f"To save time, training parts have at most {number(protocol['max_train'])} rows and test "
        f"parts at most {number(protocol['max_test'])}"
    )
    if protocol["kind"] == "sequences" and "train_sequences" in protocol:
        train, test = max(protocol["train_sequences"]), max(protocol["test_sequences"])
        said += f", from {number(train)} and {number(test)} of the {number(n_all)} sequences"
    return f"{said}; --max-train and --max-test allow more."


def _pca(protocol: dict[str, Any]) -> str:
    kept = protocol["pca_components"]
    if kept is None:
        return "no reduction by PCA beforehand (pca_components)"
    if isinstance(kept, float) and kept < 1:
        return f"the principal components that hold {100 * kept:g} % of the variance"
    return f"at most {number(kept)} principal components"


def data_facts(results: dict[str, Any]) -> list[tuple[str, str]]:
    """Return facts about the recording, as names and values."""
    data = results["data"]
    gaps = data["n_gap_rows"]
    share = 100 * gaps / data["n_rows"] if data["n_rows"] else 0.0
    facts = [
        ("Source", data["source"]),
        ("Size", data_line(results)),
        (
            "Gaps",
            "none"
            if gaps == 0
            else f"{_count(gaps, 'row')} ({number(share)} %), leaving "
            f"{_count(data['n_stretches'], 'unbroken stretch', 'unbroken stretches')}",
        ),
        ("Sequences", _sequences(data)),
        (
            "Independent directions",
            f"{number(data['rank'])} of {_count(data['n_columns'], 'column')}, after "
            "leaving out constant and redundant columns and reducing by PCA",
        ),
        ("Constant columns", _names(data["constant_columns"], data["n_constant_columns"])),
        ("Columns without numbers", _names(data["skipped_columns"], data["n_skipped_columns"])),
    ]
    if data["missing_values"]:
        named = [f"{e['name']} ({number(e['count'])})" for e in data["missing_values"]]
        facts.append(("Missing values", _listed(named, len(named))))
    if data["step"] is not None:
        facts.append(("Step from row to row", f"{number(data['step'])} {data['unit']}"))
    if data["axis"]["origin"]:
        facts.append(("First time stamp", data["axis"]["origin"]))
    return facts


def _sequences(data: dict[str, Any]) -> str:
    if data["n_sequences"] == 1:
        return "one"
    return (
        f"{number(data['n_sequences'])}, of {number(data['shortest_sequence'])} to "
        f"{_count(data['longest_sequence'], 'row')}"
    )


def _names(names: list[str], n_all: int) -> str:
    return "none" if n_all == 0 else f"{number(n_all)}: {_listed(names, n_all)}"
