"""Every promise names the tests that hold it, and these exist."""

import ast
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "promises.md"

pytestmark = pytest.mark.skipif(not PAGE.exists(), reason="these are not the tests of a clone")


def promises():
    """Return the rows of all tables of promises: (what is promised, what holds it)."""
    rows = []
    is_inside = False
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")] if line[:1] == "|" else []
        if cells[1:] == ["held by"]:
            is_inside = True
        elif not cells:
            is_inside = False
        elif is_inside and not set(line) <= set("|- "):
            rows.append(tuple(cells))
    return rows


def functions_of(path):
    tree = ast.parse((ROOT / "tests" / path).read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def test_every_promise_is_held_by_a_test_that_exists():
    rows = promises()
    assert rows
    for promise, held_by in rows:
        named = re.findall(r"`([\w/]+\.py)::(test_\w+)`", held_by)
        assert named, promise
        for path, name in named:
            assert name in functions_of(path), f"{promise}: there is no {name} in tests/{path}"


def test_nothing_stands_beside_the_tests():
    for promise, held_by in promises():
        rest = re.sub(r"`[\w/]+\.py::test_\w+`", "", held_by)
        assert not rest.strip(" ,"), promise


def test_versions_are_those_declared():
    found = re.findall(r"^\| ([\w-]+) \| ([\d.]+) \| [\d.]+ \|$", PAGE.read_text(), re.MULTILINE)
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = declared["optional-dependencies"]
    kinds = ("audio", "video", "tables", "sheets", "edf", "hdf5")
    lines = [*declared["dependencies"], *(line for kind in kinds for line in extras[kind])]
    assert [f"{name}>={lowest}" for name, lowest in found] == lines
