"""How many features are real: each compared with the best of every surrogate."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup

from predfeat.report._svg import across, nice_ticks, number, tag

__all__ = ["significance_part"]

_ROW_HEIGHT = 46


def significance_part(results: dict[str, Any]) -> dict[str, Any] | None:
    """Return the text, picture and table for the test of the features, if there was one."""
    tested = results.get("significance")
    if tested is None:
        return None
    return {
        "question": tested["question"],
        "answer": _answer(tested),
        "explained": _explained(tested),
        "strip": _strip(tested),
        "rows": [
            {
                "name": f"feature {i + 1}",
                "left": number(value),
                "p": f"{p:.2g}",
                "words": _words(i, tested),
                "real": i < tested["n_significant"],
            }
            for i, (value, p) in enumerate(
                zip(tested["statistics"], tested["p_values"], strict=True)
            )
        ],
    }


def _answer(tested: dict[str, Any]) -> str:
    n, whole = tested["n_significant"], len(tested["statistics"])
    if whole == 1:
        return "Yes: the feature stands out." if n else "No: it does not stand out."
    if n == 0:
        return "No: none of the features stands out."
    which = "the first stands out" if n == 1 else f"the first {n} stand out"
    more = " With more features, more may." if n == whole else ""
    return f"Yes: of {whole} features, {which}.{more}"


def _explained(tested: dict[str, Any]) -> str:
    n = len(tested["surrogate_best"])
    return (
        f"{tested['method']} was fitted again to {n} surrogates of {tested['n_rows']} rows: series "
        f"that keep {tested['keeps']}, and are random otherwise. A feature is real if hardly any "
        f"surrogate (at most {tested['alpha']:.0%} of all these series, the data counted in) has a "
        "feature as good as it."
    )


def _words(number_of: int, tested: dict[str, Any]) -> str:
    if number_of < tested["n_significant"]:
        return "real"
    significant = tested["p_values"][number_of] <= tested["alpha"] * (1 + 1e-12)
    return "stands out, but comes after one that does not" if significant else "may be chance"


def _strip(tested: dict[str, Any]) -> Markup:
    """Draw the best feature of each surrogate as a dot, and below them the data's features."""
    best, own = tested["surrogate_best"], tested["statistics"]
    highest = max(1.0, *best, *own)
    bottom = 2 * _ROW_HEIGHT
    drawn = []
    for tick in nice_ticks(0.0, highest, 6):
        at = tick / highest
        anchor = "start" if at < 0.05 else "end" if at > 0.95 else "middle"
        drawn += [
            tag("line", class_="rule", x1=across(at), x2=across(at), y1="4", y2=str(bottom)),
            tag("text", f"{tick:g}", class_="tick", x=across(at), y=str(bottom + 16),
                text_anchor=anchor),
        ]  # fmt: skip
    for row, (name, values) in enumerate((("best of each surrogate", best), ("features", own))):
        y = _ROW_HEIGHT * row + 36
        drawn.append(tag("text", name, class_="name strip", x="0", y=str(y - 18)))
        for i, value in enumerate(values):
            real = row == 1 and i < tested["n_significant"]
            kind = "strip best" if real else "strip"
            drawn.append(tag("circle", class_=kind, cx=across(value / highest), cy=str(y), r="4"))
    alt = (
        f"Variance left open, lower is better. The best features of {len(best)} surrogates lie "
        f"between {number(min(best))} and {number(max(best))}; the data's features at "
        + ", ".join(map(number, own))
        + "."
    )
    return tag(
        "svg", *drawn, class_="plot", role="img", aria_label=alt, height=str(bottom + 22),
        width="100%",
    )  # fmt: skip
