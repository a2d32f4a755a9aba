"""Pages outside `docs`, such as the changelog, with links that lead to where they are here.

They stay where readers of a clone expect them, and are copied into `docs/repository` for the site.
"""

from __future__ import annotations

import os
import re
from pathlib import Path, PurePosixPath
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
# Where each page lies in the repository, and on the site.
PAGES = {
    "CHANGELOG.md": "repository/changelog.md",
    "CONTRIBUTING.md": "repository/contributing.md",
    "benchmarks/README.md": "repository/benchmarks.md",
    "tests/reference/README.md": "repository/reference-data.md",
    "SECURITY.md": "repository/security.md",
    "CODE_OF_CONDUCT.md": "repository/code-of-conduct.md",
}
LINK = re.compile(r"\[([^]]*)\]\(([^)#\s]+)(#[^)\s]*)?\)")  # its text, target and anchor


def on_the_site(target: str, page: PurePosixPath, shown_at: PurePosixPath) -> str:
    """Return a link of a page of the repository as it must be where the page is shown."""
    if "://" in target or target.startswith("mailto:"):
        return target
    path = PurePosixPath(os.path.normpath(page.parent / target).replace(os.sep, "/")).as_posix()
    shown = PAGES.get(path, path.removeprefix("docs/") if path.startswith("docs/") else None)
    if shown is None:
        shown = f"../{path}"  # a file that is no page: offered to download
    return PurePosixPath(os.path.relpath(shown, shown_at.parent).replace(os.sep, "/")).as_posix()


def rewritten(text: str, page: PurePosixPath, shown_at: PurePosixPath) -> str:
    """Return a page's text with all its links rewritten."""

    def link(found: re.Match[str]) -> str:
        if (ROOT / page.parent / found[2]).is_dir():
            return found[1]  # a folder cannot be downloaded
        target = on_the_site(found[2], page, shown_at)
        return f"[{found[1]}]({target}{found[3] or ''})"

    return LINK.sub(link, text)


def copy_pages(app: Any, config: Any) -> None:
    """Copy all pages, and leave those alone that have not changed."""
    docs = Path(app.srcdir)
    (docs / "repository").mkdir(exist_ok=True)
    for source, target in PAGES.items():
        text = (docs.parent / source).read_text(encoding="utf-8")
        text = rewritten(text, PurePosixPath(source), PurePosixPath(target))
        path = docs / target
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def links_of_pages(app: Any, name: str, source: list[str]) -> None:
    """Let links from `docs` to pages of the repository lead to their copies."""
    if not name.startswith(("api/", "gallery/", "repository/")):
        page = PurePosixPath(f"{name}.md")

        def link(found: re.Match[str]) -> str:
            path = os.path.normpath(PurePosixPath("docs") / page.parent / found[2])
            shown = PAGES.get(path.replace(os.sep, "/"))
            return f"[{found[1]}]({shown or found[2]}{found[3] or ''})"

        # Examples end with an empty line, by which doctest knows where their output ends.
        source[0] = LINK.sub(link, source[0]).replace("\n\n```\n", "\n```\n")


def setup(app: Any) -> dict[str, bool]:
    """Connect to Sphinx."""
    app.connect("config-inited", copy_pages)
    app.connect("source-read", links_of_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
