"""The site's pages are all listed, once, and its examples are what the gallery promises.

Building the site checks more (`.ci/check_site.py`); this is what can be seen without Sphinx.
"""

import re
import sys
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
DOCS, GALLERY = ROOT / "docs", ROOT / "examples" / "gallery"

pytestmark = pytest.mark.skipif(
    not (DOCS / "index.md").exists(), reason="these are not the tests of a clone"
)


def listed():
    """Return how often each page is listed in a table of contents."""
    found = Counter()
    for page in DOCS.glob("*.md"):
        for block in re.findall(r"```\{toctree\}\n(.*?)```", page.read_text("utf-8"), re.DOTALL):
            found.update(line for line in block.splitlines() if line and not line.startswith(":"))
    return found


def test_every_page_is_listed_once():
    pages = {path.stem for path in DOCS.glob("*.md")} - {"index"}
    own = Counter({page: n for page, n in listed().items() if "/" not in page})
    assert own == Counter(pages)


def test_pages_of_the_repository_are_copied_from_where_they_are():
    source = (DOCS / "_extensions" / "repository_pages.py").read_text("utf-8")
    copies = dict(re.findall(r'"([\w/]+\.md)": "(repository/[\w-]+)\.md"', source))
    assert all((ROOT / path).exists() for path in copies)
    assert {page for page in listed() if page.startswith("repository/")} == set(copies.values())


@pytest.mark.parametrize("path", sorted(GALLERY.glob("*.py")), ids=lambda path: path.stem)
def test_an_example_draws_and_teaches(path):
    text = path.read_text("utf-8")
    assert path.name.startswith("plot_")  # others are not run
    assert re.match(r'"""\n(.+)\n=+\n\n', text), "a title"
    assert "plt.subplots(" in text
    assert re.search(r"# %%\n# \*\*What one learns:\*\* [^%]+\.\n$", text), "the last words"
    assert "/" not in "".join(re.findall(r"(?:open|read|imread|loadtxt)\((.*?)\)", text))


@pytest.mark.parametrize("path", sorted(GALLERY.glob("*.py")), ids=lambda path: path.stem)
def test_an_example_needs_what_is_installed_with_predfeat_or_says_what_else(path):
    text = path.read_text("utf-8")
    imported = set(re.findall(r"^(?:import|from) (\w+)", text, re.MULTILINE))
    others = imported - sys.stdlib_module_names - {"predfeat", "numpy", "scipy", "matplotlib"}
    assert not others - {"sklearn"} or 'pip install "predfeat[' in text


def test_home_leads_to_examples_that_exist():
    home = (DOCS / "index.md").read_text("utf-8")
    named = set(re.findall(r"gallery/(plot_\w+)\.rst", home))
    assert named <= {path.stem for path in GALLERY.glob("*.py")}
    assert len(named) >= 10
