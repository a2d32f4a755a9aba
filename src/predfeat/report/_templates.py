"""The pages' templates, and the fingerprints by which a page allows its own style and script."""

from __future__ import annotations

import base64
import hashlib
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

__all__ = ["filled", "fingerprint", "open_templates", "source_of"]


# Control characters that mean nothing in a page, and marks that turn the direction of all that
# follows: a page shows them as escapes.
_CONTROLS = (*range(9), 0x0B, 0x0C, *range(0x0E, 0x20), *range(0x7F, 0xA0))
_DIRECTIONS = (*range(0x202A, 0x202F), *range(0x2066, 0x206A))
_ESCAPES = {code: repr(chr(code))[1:-1] for code in (*_CONTROLS, *_DIRECTIONS)}


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

    Control characters in names are shown as escapes, and so is what stands for the bytes of a
    file name that cannot be decoded.
    """
    page = pages.get_template(name).render(**content).translate(_ESCAPES)
    return page.encode("utf-8", "backslashreplace").decode("utf-8")


def source_of(pages: Environment, name: str) -> str:
    """Return a style sheet or script as it stands."""
    assert pages.loader is not None
    # Line ends as the browser sees them, or the hash would not be of what it runs.
    return pages.loader.get_source(pages, name)[0].replace("\r\n", "\n")


def fingerprint(text: str) -> str:
    """Return the hash by which the page allows its own style and script, and no other."""
    return base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")
