"""A public name in backticks leads to its entry in the reference, in Markdown and in docstrings."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from docutils import nodes
from public_names import public_packages
from sphinx import addnodes

import predfeat

DOTTED = re.compile(r"predfeat(\.\w+)+")


def short_names() -> dict[str, str]:
    """Return the full names of what needs no package to be understood.

    These are classes whose name no other package has, and what `predfeat` itself offers. Others,
    such as `score`, may mean something else in a sentence.
    """
    packages = public_packages()
    homes = [(name, each) for each in packages for name in (*each.classes, *each.functions)]
    count = Counter(name for name, _ in homes)
    return {
        name: f"{package.name}.{name}"
        for name, package in homes
        if name in predfeat.__all__ or (name in package.classes and count[name] == 1)
    }


def link(app: Any, doctree: nodes.document) -> None:
    """Wrap every such name of a Markdown page in a reference."""
    if not str(doctree.get("source", "")).endswith(".md"):
        return
    for literal in list(doctree.findall(nodes.literal)):
        text = literal.astext()
        name = text if DOTTED.fullmatch(text) else app.short_names.get(text)
        if name is None or isinstance(literal.parent, nodes.reference | nodes.title):
            continue
        reference = addnodes.pending_xref(
            "", refdomain="py", reftype="obj", reftarget=name, refexplicit=True, refwarn=False
        )
        reference["refdoc"] = app.env.docname
        literal.replace_self(reference)
        reference += literal


def resolve(
    app: Any, env: Any, node: addnodes.pending_xref, shown: nodes.TextElement
) -> nodes.reference | None:
    """Resolve a name that a docstring uses without the package that offers it."""
    full = app.short_names.get(node.get("reftarget"))
    if full is None or node.get("refdomain") != "py":
        return None
    found: nodes.reference | None = env.get_domain("py").resolve_xref(
        env, node["refdoc"], app.builder, "obj", full, node, shown
    )
    return found


def find_names(app: Any) -> None:
    """Find the names once."""
    app.short_names = short_names()


def setup(app: Any) -> dict[str, bool]:
    """Connect to Sphinx."""
    app.connect("builder-inited", find_names)
    app.connect("doctree-read", link)
    app.connect("missing-reference", resolve)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
