"""Formulas as MathML, which browsers draw by themselves: the site needs no network."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml


def latex(node: nodes.Element) -> str:
    """Return a formula's text, with the dots that LaTeX knows."""
    return node.astext().replace("…", r"\ldots ")


def visit_inline(translator: Any, node: nodes.Element) -> None:
    """Write a formula within a sentence."""
    translator.body.append(tex2mathml(latex(node)))
    raise nodes.SkipNode


def visit_block(translator: Any, node: nodes.Element) -> None:
    """Write a formula that stands by itself."""
    translator.body.append(f'<div class="math">{tex2mathml(latex(node), as_block=True)}</div>')
    raise nodes.SkipNode


def setup(app: Any) -> dict[str, bool]:
    """Connect to Sphinx."""
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
