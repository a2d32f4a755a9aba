"""The lower bounds that are declared are those of the releases that are tested."""

import tomllib
from collections import defaultdict
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parent.parent
PROJECT, MINIMUMS = ROOT / "pyproject.toml", ROOT / ".ci" / "minimums.txt"

pytestmark = pytest.mark.skipif(
    not (PROJECT.exists() and MINIMUMS.exists()), reason="these are not the tests of a clone"
)


def bounds(requirement, operator):
    """Return all versions that a requirement names, which must be with this operator."""
    assert {each.operator for each in requirement.specifier} == {operator}, str(requirement)
    return {Version(each.version) for each in requirement.specifier}


def declared(project, extras):
    """Return the lower bounds of a project and some extras, and of the extras that those name."""
    found = defaultdict(set)
    lines = [*project["dependencies"]]
    for extra in extras:
        lines += project["optional-dependencies"][extra]
    while lines:
        requirement = Requirement(lines.pop())
        if requirement.name == project["name"]:
            for extra in requirement.extras:
                lines += project["optional-dependencies"][extra]
        else:
            found[canonicalize_name(requirement.name)] |= bounds(requirement, ">=")
    return dict(found)


@pytest.fixture
def project():
    return tomllib.loads(PROJECT.read_text())["project"]


def test_every_lower_bound_is_tested_and_nothing_else(project):
    tested = {}
    for line in MINIMUMS.read_text().splitlines():
        if line and not line.startswith("#"):
            requirement = Requirement(line)
            name = canonicalize_name(requirement.name)
            assert name not in tested, line
            tested[name] = bounds(requirement, "==")
    assert tested == declared(project, ["test"])


def test_one_library_has_one_lower_bound(project):
    every = declared(project, project["optional-dependencies"])
    assert {name: versions for name, versions in every.items() if len(versions) != 1} == {}


def test_the_lowest_python_is_told_by_the_classifiers(project):
    named = [
        Version(each.rpartition(" ")[2])
        for each in project["classifiers"]
        if each.startswith("Programming Language :: Python :: 3.")
    ]
    assert bounds(Requirement(f"python{project['requires-python']}"), ">=") == {min(named)}
