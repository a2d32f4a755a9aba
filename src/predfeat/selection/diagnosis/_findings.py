"""What a diagnosis consists of, and how it reads."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

__all__ = ["Diagnosis", "Finding", "Severity", "by_degree"]

Severity = Literal["problem", "warning", "note"]

_SEVEREST_FIRST: tuple[Severity, ...] = ("problem", "warning", "note")
_WIDTH = 96


@dataclass(frozen=True)
class Finding:
    """One thing that a user should know about a fit.

    Attributes
    ----------
    name : str
        What was found, as a name that is stable across versions.
    severity : {"problem", "warning", "note"}
        A problem makes the result unusable as it is, a warning makes it doubtful, a note is worth
        knowing.
    summary : str
        What was found, with its numbers.
    meaning : str
        What it means for the result.
    advice : str
        Which parameter to change, and how. Code is in backticks: the model's parameters
        as `n_lags` or, with a value to try, `n_lags=3`; other functions as calls.
    values : dict of str to number
        The numbers, for reports.

    Examples
    --------
    >>> from predfeat.selection import Finding
    >>> advice = "Raise `n_neighbors`, or use `init='sfa'`."
    >>> Finding("few-neighbors", "note", "k = 1.", "It is noisy.", advice).parameters
    {'n_neighbors': None, 'init': 'sfa'}
    """

    name: str
    severity: Severity
    summary: str
    meaning: str
    advice: str
    values: Mapping[str, float] = field(default_factory=dict)

    @property
    def parameters(self) -> dict[str, int | float | str | bool | None]:
        """The model's parameters that the advice changes, with the first value it names for each.

        None if it names no value.
        """
        found: dict[str, int | float | str | bool | None] = {}
        for code in self.advice.split("`")[1::2]:
            name, equals, value = code.partition("=")
            if name.isidentifier() and found.get(name) is None:
                found[name] = _literal(value) if equals else None
        return found

    def __str__(self) -> str:
        parts = [f"{self.severity.upper()}: {self.name}"]
        for mark, text in (("", self.summary), ("", self.meaning), ("→ ", self.advice)):
            parts.append(
                textwrap.fill(
                    mark + text,
                    _WIDTH,
                    initial_indent="  ",
                    subsequent_indent="  " + " " * len(mark),
                    break_on_hyphens=False,
                )
            )
        return "\n".join(parts)


def _literal(text: str) -> int | float | str | bool | None:
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return None
    return value if isinstance(value, int | float | str | bool) else None


@dataclass(frozen=True)
class Diagnosis:
    """All findings about a fit, the most severe first.

    Attributes
    ----------
    findings : tuple of Finding
    subject : str
        What was diagnosed, in one line.

    Examples
    --------
    >>> from predfeat.selection import Diagnosis, Finding
    >>> finding = Finding(
    ...     "few-neighbors", "note", "k = 1.", "Estimates are noisy.", "Raise `n_neighbors`."
    ... )
    >>> print(Diagnosis((finding,), "GPFA, 100 rows of 3 columns"))
    GPFA, 100 rows of 3 columns: 1 note
    <BLANKLINE>
    NOTE: few-neighbors
      k = 1.
      Estimates are noisy.
      → Raise `n_neighbors`.
    """

    findings: tuple[Finding, ...]
    subject: str = ""

    @classmethod
    def of(cls, findings: Iterable[Finding], subject: str) -> Diagnosis:
        """Sort findings by severity, keeping their order within each."""
        ordered = sorted(findings, key=lambda finding: _SEVEREST_FIRST.index(finding.severity))
        return cls(tuple(ordered), subject)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the findings."""
        return tuple(finding.name for finding in self.findings)

    def as_dict(self) -> dict[str, Any]:
        """Return plain dicts, lists, strings and numbers, for JSON."""
        return {
            "subject": self.subject,
            "findings": [
                {**asdict(finding), "parameters": finding.parameters} for finding in self.findings
            ],
        }

    def __str__(self) -> str:
        return "\n\n".join([f"{self.subject}: {self._counts()}", *map(str, self.findings)])

    def _counts(self) -> str:
        counts = [
            (sum(finding.severity == severity for finding in self.findings), severity)
            for severity in _SEVEREST_FIRST
        ]
        said = [f"{n} {word}{'s' if n > 1 else ''}" for n, word in counts if n]
        return ", ".join(said) or "no finding"


def by_degree(value: float, warning: float, problem: float) -> Severity | None:
    """Return how severe a value is, None if it is above neither threshold.

    Examples
    --------
    >>> from predfeat.selection.diagnosis._findings import by_degree
    >>> by_degree(0.3, 0.2, 0.5), by_degree(0.7, 0.2, 0.5), by_degree(0.1, 0.2, 0.5)
    ('warning', 'problem', None)
    """
    if value > problem:
        return "problem"
    return "warning" if value > warning else None
