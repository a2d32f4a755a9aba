"""The page for those who know another library: its blocks run, and both sides agree.

The other libraries are no requirement; a section whose library is missing, or cannot be imported
with the NumPy that is installed, is skipped.
"""

import re
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

PAGE = Path(__file__).parent.parent / "docs" / "coming_from.md"

pytestmark = pytest.mark.skipif(not PAGE.exists(), reason="these are not the tests of a clone")

# The section, what it imports, and the largest angle in degrees between the two feature spaces.
SPACES = [
    ("MDP", "mdp", 0.01),  # the same problem, with other divisors
    ("sklearn-sfa", "sksfa", 0.01),  # the same problem, by two principal component analyses
    ("deeptime", "deeptime.decomposition", 0.5),  # counts the first and the last row half
    ("DynamicalComponentsAnalysis", "dca.dca", 1.0),  # other estimates near the ends
    ("xeofs", "xeofs", 0.01),  # the same problem, by another solver
]


def parts():
    """Return the text of every section by its title; that of the page's top by ""."""
    top, *others = re.split(r"^## ", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {
        "": top,
        **{title: text for title, _, text in (each.partition("\n") for each in others)},
    }


def run(title, module):
    """Run the blocks of the page's top and of a section, and return what both sides found."""
    try:
        import_module(module)
    except Exception as error:  # what does not fit the installed NumPy fails in ways of its own
        pytest.skip(f"{module} cannot be imported: {error}")
    names = {}
    for part in ("", title):
        (block,) = re.findall(r"```python\n(.*?)```", parts()[part], re.DOTALL)
        exec(block, names)
    return names["theirs"], names["ours"]


def largest_angle(A, B):
    """Return the largest angle in degrees between the spaces of two sets of features."""
    bases = [np.linalg.qr(each - each.mean(axis=0))[0] for each in (A, B)]
    cosines = np.linalg.svd(bases[0].T @ bases[1], compute_uv=False)
    return np.rad2deg(np.arccos(np.clip(cosines, -1, 1))).max()


@pytest.mark.parametrize(("title", "module", "most_degrees"), SPACES)
@pytest.mark.filterwarnings("default")  # of the other libraries
def test_both_find_the_same_space(title, module, most_degrees):
    theirs, ours = run(title, module)
    assert theirs.shape == ours.shape
    assert largest_angle(theirs, ours) < most_degrees


@pytest.mark.filterwarnings("default")
def test_neighbours_predict_the_same_share():
    theirs, ours = run("pyEDM", "pyEDM")
    # Neighbours weigh differently; next to nothing is left open by either.
    assert theirs > 0.99
    assert ours == pytest.approx(theirs, abs=0.01)


def test_every_section_is_tested():
    # R is not run; its values are in tests/reference.
    assert set(parts()) == {"", "R's ForeCA", "pyEDM", *(title for title, _, _ in SPACES)}
