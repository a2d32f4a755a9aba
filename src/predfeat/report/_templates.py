"""The pages' templates, and the fingerprints by which a page allows its own style and script."""

from __future__ import annotations

import base64
import hashlib
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

__all__ = ["filled", "fingerprint", "open_templates", "source_of"]


def open_templates() -> Environment:
    """Return the templates; what they show is escaped, and what is missing is an error."""
    return Environment(
        loader=PackageLoader("predfeat.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def filled(pages: Environment, name: str, **content: Any) -> str:
    """Return a template with its content, as a text that UTF-8 can hold.

    What stands for the bytes of a file name that cannot be decoded is shown as an escape.
    """
    page = pages.get_template(name).render(**content)
    return page.encode("utf-8", "backslashreplace").decode("utf-8")


def source_of(pages: Environment, name: str) -> str:
    """Return a style sheet or script as it stands."""
    assert pages.loader is not None
    # Line ends as the browser sees them, or the hash would not be of what it runs.
    return pages.loader.get_source(pages, name)[0].replace("\r\n", "\n")


def fingerprint(text: str) -> str:
    """Return the hash by which the page allows its own style and script, and no other."""
    return base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")
