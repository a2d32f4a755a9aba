"""What to look out for: the findings of a diagnosis in the page's words and shapes."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from markupsafe import Markup, escape

from predfeat.report._svg import number, tag

__all__ = ["SEVERITIES", "findings_part", "parameters_as_options"]

# The word, the page's colour, the outline of the mark and what is cut out of it.
_SHOWN = {
    "problem": ("Problem", "c2", "M8 2h8l6 6v8l-6 6H8l-6-6V8z", "M8.5 8.5l7 7M15.5 8.5l-7 7"),
    "warning": ("Warning", "c6", "M12 2l11 20H1z", "M12 9v6M12 18.4v.2"),
    "note": ("Note", "c1", "M2 12a10 10 0 1 0 20 0a10 10 0 1 0-20 0z", "M12 11v6M12 7v.2"),
}
SEVERITIES = tuple(_SHOWN)

_BOTH, _FIT = ("compare", "fit"), ("fit",)
# Parameters that findings advise to change: the option, and the commands that have it.
_OPTIONS = {
    "n_components": ("--n-components", _BOTH),
    "n_lags": ("--n-lags", _BOTH),
    "horizon": ("--horizon", _BOTH),
    "n_neighbors": ("--n-neighbors", _BOTH),
    "pca_components": ("--pca-components", _BOTH),
    "init": ("--init", _FIT),
    "max_iter": ("--max-iter", _FIT),
    "n_averaged": ("--n-averaged", _FIT),
    "n_intermediate": ("--n-intermediate", _FIT),
    "past": ("--no-past", _FIT),
    "theiler": ("--theiler", _FIT),
    "weighting": ("--weighting", _FIT),
    "normalized": ("--no-normalized", _FIT),
}
_SHORT = ("horizon", "init", "past", "normalized", "relative")
_LONG = [name for name in _OPTIONS if name not in _SHORT]
# A parameter with its value, if it has one there; short names only with one, as they may be words.
_NAMED = re.compile(
    rf"(\b(?:(?:{'|'.join(_LONG)})\b|(?:{'|'.join(_SHORT)})(?==))"
    r"(?:=(?:'\w+'|\w+(?:\.\w+)?))?|--[a-z-]+)"
)


def findings_part(results: dict[str, Any]) -> dict[str, Any] | None:
    """Return the words and marks of a diagnosis, if there was one."""
    diagnosis = results.get("diagnosis")
    if diagnosis is None:
        return None
    findings = diagnosis["findings"]
    n_rows = diagnosis["n_rows"]
    return {
        "subject": f"{diagnosis['method']}, fitted to {number(n_rows)} row{'s' * (n_rows != 1)}",
        "alarm": _counted(findings, ("problem", "warning")),
        "options": _code(parameters_as_options(finding["advice"] for finding in findings)),
        "findings": [
            {
                # Plain text, as names of columns in it may look like parameters.
                "summary": finding["summary"],
                "meaning": finding["meaning"],
                "advice": _code(finding["advice"]),
                "name": finding["name"].replace("-", " "),
                "word": _SHOWN[finding["severity"]][0],
                "colour": _SHOWN[finding["severity"]][1],
                "mark": _mark(finding["severity"]),
            }
            for finding in findings
        ],
    }


def _counted(findings: list[dict[str, Any]], severities: Iterable[str]) -> str:
    counts = [(sum(f["severity"] == word for f in findings), word) for word in severities]
    return " and ".join(f"{n} {word}{'s' * (n > 1)}" for n, word in counts if n)


def _mark(severity: str) -> Markup:
    """Draw a shape that tells severities apart without their colour; the word stands beside it."""
    _, _, outline, cut = _SHOWN[severity]
    return tag(
        "svg", tag("path", class_="fill", d=outline), tag("path", class_="cut", d=cut),
        class_="mark", viewBox="0 0 24 24", width="24", height="24", aria_hidden="true",
    )  # fmt: skip


def _code(text: str) -> Markup:
    """Set parameters and options apart from the words around them."""
    parts = _NAMED.split(text)  # every second one is a name
    return Markup("").join(
        tag("code", part) if i % 2 else escape(part) for i, part in enumerate(parts)
    )


def parameters_as_options(advice: Iterable[str]) -> str:
    """Say what the parameters that advice speaks of are called on the command line.

    Parameters
    ----------
    advice : iterable of str

    Returns
    -------
    str
        A sentence or two; empty where there is no parameter in it.

    Examples
    --------
    >>> from predfeat.report import parameters_as_options
    >>> print(parameters_as_options(["Use fewer lags (n_lags=5), or theiler=9."]))
    On the command line the parameters are options: --n-lags of predfeat compare and predfeat fit,
    --theiler of predfeat fit.
    """
    named = {name.partition("=")[0] for text in advice for name in _NAMED.findall(text)}
    said = [
        f"{_listed(options)} of {_listed([f'predfeat {command}' for command in commands])}"
        for commands in (_BOTH, _FIT)
        if (options := [o for n, (o, of) in _OPTIONS.items() if of == commands and n in named])
    ]
    sentences = []
    if said:
        sentences.append(f"On the command line the parameters are options: {', '.join(said)}.")
    if "relative" in named:
        sentences.append("What is called left to chance is measured with relative=True.")
    return " ".join(sentences)


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
