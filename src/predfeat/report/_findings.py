"""The findings of a diagnosis, as text and marks for the page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from markupsafe import Markup, escape

from predfeat._method_options import METHOD_OPTIONS
from predfeat.report._svg import number, tag

__all__ = ["SEVERITIES", "findings_part", "parameters_as_options"]

# The word, the page's colour, the outline of the mark and what is cut out of it.
_SEVERITY_MARKS = {
    "problem": ("Problem", "c2", "M8 2h8l6 6v8l-6 6H8l-6-6V8z", "M8.5 8.5l7 7M15.5 8.5l-7 7"),
    "warning": ("Warning", "c6", "M12 2l11 20H1z", "M12 9v6M12 18.4v.2"),
    "note": ("Note", "c1", "M2 12a10 10 0 1 0 20 0a10 10 0 1 0-20 0z", "M12 11v6M12 7v.2"),
}
SEVERITIES = tuple(_SEVERITY_MARKS)


def findings_part(results: dict[str, Any]) -> dict[str, Any] | None:
    """Return the texts and marks of a diagnosis, if there was one."""
    diagnosis = results.get("diagnosis")
    if diagnosis is None:
        return None
    findings = diagnosis["findings"]
    n_rows = diagnosis["n_rows"]
    return {
        "subject": f"{diagnosis['method']}, fitted to {number(n_rows)} row{'s' * (n_rows != 1)}",
        "alarm": _counted(findings, ("problem", "warning")),
        "options": _marked(parameters_as_options(finding["advice"] for finding in findings)),
        "findings": [
            {
                "summary": finding["summary"],
                "meaning": finding["meaning"],
                "advice": _marked(finding["advice"]),
                "name": finding["name"].replace("-", " "),
                "word": _SEVERITY_MARKS[finding["severity"]][0],
                "colour": _SEVERITY_MARKS[finding["severity"]][1],
                "mark": _mark(finding["severity"]),
            }
            for finding in findings
        ],
    }


def _counted(findings: list[dict[str, Any]], severities: Iterable[str]) -> str:
    counts = [(sum(f["severity"] == word for f in findings), word) for word in severities]
    return " and ".join(f"{n} {word}{'s' * (n > 1)}" for n, word in counts if n)


def _mark(severity: str) -> Markup:
    """Draw a shape that identifies a severity without its colour; the word is beside it."""
    _, _, outline, cut = _SEVERITY_MARKS[severity]
    return tag(
        "svg", tag("path", class_="fill", d=outline), tag("path", class_="cut", d=cut),
        class_="mark", viewBox="0 0 24 24", width="24", height="24", aria_hidden="true",
    )  # fmt: skip


def _marked(text: str) -> Markup:
    """Mark text in backticks as code."""
    return Markup("").join(
        tag("code", part) if i % 2 else escape(part) for i, part in enumerate(_parts(text))
    )


def _parts(text: str) -> list[str]:
    """Return text and code alternately; with an unclosed backtick, all of it is text."""
    parts = text.split("`")
    return parts if len(parts) % 2 else [text]


def parameters_as_options(advice: Iterable[str]) -> str:
    """Return the options of the command line for the parameters named in advice.

    Parameters
    ----------
    advice : iterable of str
        Of findings, with parameters in backticks.

    Returns
    -------
    str
        A sentence or two, with options in backticks; empty if no parameter is named.

    Examples
    --------
    >>> from predfeat.report import parameters_as_options
    >>> print(parameters_as_options(["Use fewer lags (`n_lags`), or `theiler=9`."]))
    On the command line the parameters are options: `--n-lags` of predfeat compare and predfeat fit,
    `--theiler` of predfeat fit.
    """
    named = {name for text in advice for code in _parts(text)[1::2] for name in _names(code)}
    by_commands: dict[tuple[str, ...], list[str]] = {}
    for option in METHOD_OPTIONS.values():
        if option.parameter in named:
            by_commands.setdefault(option.commands, []).append(f"`{option.advised}`")
    said = [
        f"{_listed(options)} of {_listed([f'predfeat {command}' for command in commands])}"
        for commands, options in sorted(by_commands.items())
    ]
    sentences = []
    if said:
        sentences.append(f"On the command line the parameters are options: {', '.join(said)}.")
    if "relative" in named:
        sentences.append("The share left to chance is measured with `relative=True`.")
    return " ".join(sentences)


def _names(code: str) -> list[str]:
    """Return the parameters in `n_lags`, `n_lags=3` or `GPFA(n_lags=3, past=False)`."""
    inside = code[code.find("(") + 1 :].rstrip(")")
    return [part.partition("=")[0].strip() for part in inside.split(",")]


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
