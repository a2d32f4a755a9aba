"""Pieces of drawings as markup: tags whose text and attributes are always escaped, and scales.

Positions across are percentages, so that drawings fill a phone and a desktop alike while their
text keeps its size; colours are classes of the page's style sheet, so that they follow light and
dark.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from markupsafe import Markup, escape

__all__ = ["across", "curve", "nice_ticks", "number", "panel_svg", "shorten", "tag"]


def tag(name: str, *children: str, **attributes: object) -> Markup:
    """Return an element; what is not markup already is escaped.

    Underscores stand for hyphens in attribute names, a trailing one is dropped, and attributes
    that are None are left out.

    Examples
    --------
    >>> tag("text", "a < b", class_="label", text_anchor="end")
    Markup('<text class="label" text-anchor="end">a &lt; b</text>')
    """
    parts = [
        Markup(' {}="{}"').format(key.rstrip("_").replace("_", "-"), value)
        for key, value in attributes.items()
        if value is not None
    ]
    inside = Markup("").join(escape(child) for child in children)
    return Markup("<{0}{1}>{2}</{0}>").format(name, Markup("").join(parts), inside)


def across(share: float) -> str:
    """Return a position or length across, as a percentage.

    Examples
    --------
    >>> across(0.25)
    '25%'
    """
    return f"{100 * share:.5g}%"


def number(value: float | None) -> str:
    """Write a number with three digits, as people do.

    Examples
    --------
    >>> number(0.12345), number(12.345), number(2.0), number(1.2e-7), number(None)
    ('0.123', '12.3', '2', '1.2e-07', '–')
    """
    if value is None:
        return "–"
    if value != 0 and not 1e-3 <= abs(value) < 1e7:
        return f"{value:.3g}".replace("-", "−", 1) if value < 0 else f"{value:.3g}"
    digits = max(0, 2 - math.floor(math.log10(abs(value)))) if value else 0
    text = f"{value:,.{digits}f}".replace(",", "\N{NO-BREAK SPACE}")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return text.replace("-", "−")


def shorten(text: str, at_most: int = 32) -> str:
    """Cut a long name, and say so with an ellipsis.

    Examples
    --------
    >>> shorten("temperature", 5)
    'temp…'
    """
    return text if len(text) <= at_most else f"{text[: at_most - 1]}…"


def nice_ticks(low: float, high: float, about: int = 5) -> list[float]:
    """Return round numbers between two bounds.

    Examples
    --------
    >>> nice_ticks(0.0, 0.5)
    [0.0, 0.1, 0.2, 0.3, 0.4, 0.5]
    """
    if not high > low:
        return [low]
    rough = (high - low) / about
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(s * power for s in (1, 2, 5, 10) if s * power >= rough * 0.999)
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [float(f"{i * step:.10g}") for i in range(first, last + 1)]


def curve(points: Iterable[tuple[float, float] | None]) -> str:
    """Return a path in a square of 1000 through points in the unit square; None breaks it.

    Examples
    --------
    >>> curve([(0, 0), (0.5, 1), None, (1, 0)])
    'M0 1000L500 0M1000 1000'
    """
    parts, pen = [], "M"
    for point in points:
        if point is None:
            pen = "M"
            continue
        parts.append(f"{pen}{1000 * point[0]:.5g} {1000 * (1 - point[1]):.5g}")
        pen = "L"
    return "".join(parts)


def panel_svg(
    paths: Sequence[Markup],
    *,
    alt: str,
    height: int,
    x_labels: Sequence[tuple[float, str]] = (),
    y_labels: Sequence[tuple[float, str]] = (),
) -> Markup:
    """Return a drawing: paths stretched to its width, with rules and labels of fixed size.

    Parameters
    ----------
    paths : list of Markup
        In a square of 1000.
    alt : str
        What a screen reader says instead.
    height : int
        Of the plot, in pixels.
    x_labels, y_labels : list of (position between 0 and 1, text)
    """
    top = 14 if y_labels else 2
    rules = [_rule(top + height * (1 - at)) for at, _ in y_labels]
    y_texts = [
        tag("text", text, class_="tick", x="100%", y=f"{top + height * (1 - at) - 3:.5g}",
            text_anchor="end")
        for at, text in y_labels
    ]  # fmt: skip
    x_texts = [
        tag("text", text, class_="tick", x=across(at), y=str(top + height + 15),
            text_anchor="start" if at < 0.06 else "end" if at > 0.94 else "middle")
        for at, text in x_labels
    ]  # fmt: skip
    inner = tag(
        "svg", *paths, y=str(top), width="100%", height=str(height), viewBox="0 0 1000 1000",
        preserveAspectRatio="none", aria_hidden="true",
    )  # fmt: skip
    return tag(
        "svg", *rules, inner, *y_texts, *x_texts, class_="plot", role="img", aria_label=alt,
        width="100%", height=str(top + height + (20 if x_labels else 2)),
    )  # fmt: skip


def _rule(y: float) -> Markup:
    """Return a line across at a height."""
    return tag("line", class_="rule", x1="0", x2="100%", y1=f"{y:.5g}", y2=f"{y:.5g}")
