"""Check a built site: `python .ci/check_site.py build/site`.

Every link within it must lead to a page, and to an anchor, that is there; every public name of
predfeat must have its entry; every example of the gallery must show a picture and what one learns;
and no page may need the network.
"""

import importlib
import pkgutil
import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from sphinx.util.inventory import InventoryFile

import predfeat

# What a browser loads by itself, unlike a link that a reader may follow.
LOADED = {("script", "src"), ("img", "src"), ("link", "href"), ("source", "src"), ("iframe", "src")}


class Page(HTMLParser):
    """The anchors, the links and what is loaded, of one page."""

    def __init__(self, path):
        super().__init__()
        self.anchors, self.links, self.loaded = {"", "top"}, [], []
        self.text = path.read_text(encoding="utf-8")
        self.feed(self.text)

    def handle_starttag(self, tag, attributes):
        """Note what a tag refers to, and what it can be referred to by."""
        given = dict(attributes)
        self.anchors |= {given[key] for key in ("id", "name") if given.get(key)}
        for key in ("href", "src"):
            if given.get(key):
                self.links.append(given[key])
                # A page's own address, its search description and the like load nothing.
                is_page = tag == "link" and "stylesheet" not in (given.get("rel") or "")
                if (tag, key) in LOADED and not is_page:
                    self.loaded.append(given[key])


def wrong_links(site, pages):
    """Yield a sentence for every link that leads nowhere."""
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            target = target / "index.html" if target.is_dir() else target
            where = path.relative_to(site)
            if not target.exists():
                yield f"{where}: {link} is not there"
            elif target in pages and unquote(parts.fragment) not in pages[target].anchors:
                yield f"{where}: {link} has no such place"


def foreign_parts(site, pages):
    """Yield a sentence for everything that a page loads from elsewhere."""
    for path, page in pages.items():
        for link in page.loaded:
            if urlsplit(link).netloc:
                yield f"{path.relative_to(site)}: loads {link}"


def public_names():
    """Yield the full name of everything in the `__all__` of predfeat's packages."""
    for entry in pkgutil.walk_packages(predfeat.__path__, "predfeat."):
        if not any(part.startswith("_") for part in entry.name.split(".")):
            module = importlib.import_module(entry.name)
            for name in getattr(module, "__all__", ()):
                yield f"{entry.name}.{name}", getattr(module, name)


def names_without_entry(site):
    """Yield a sentence for every public name that the reference does not describe."""
    inventory = InventoryFile.loads((site / "objects.inv").read_bytes(), uri="").data
    described = {
        name for kind, names in inventory.items() if kind.startswith("py:") for name in names
    }
    names = list(public_names())
    # One object may be exported by a package and by a part of it; one entry is enough.
    known = {id(value) for name, value in names if name in described}
    for name, value in names:
        if name not in described and id(value) not in known:
            yield f"{name} has no entry in the reference"


def poor_examples(site):
    """Yield a sentence for every example without a picture or without a lesson."""
    examples = sorted((site / "gallery").glob("plot_*.html"))
    if len(examples) < 10:
        yield f"the gallery has only {len(examples)} examples"
    for path in examples:
        text = path.read_text(encoding="utf-8")
        if not re.search(r'<img src="\.\./_images/sphx_glr_', text):
            yield f"gallery/{path.name} shows no picture"
        if "What one learns" not in text:
            yield f"gallery/{path.name} does not say what one learns"


def main():
    """Print what is wrong, and fail if anything is."""
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    site = Path(sys.argv[1]).resolve()
    found = sorted(site.rglob("*.html"))
    pages = {path: Page(path) for path in found if "_static" not in path.parts}
    wrong = [
        *wrong_links(site, pages),
        *foreign_parts(site, pages),
        *names_without_entry(site),
        *poor_examples(site),
    ]
    print("\n".join(wrong))
    n_links = sum(len(page.links) for page in pages.values())
    print(f"{len(pages)} pages with {n_links} links: {len(wrong)} things are wrong")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
