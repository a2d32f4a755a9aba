"""Benchmarks are where the pages say, explain themselves, and import what there is."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "benchmarks"
SHARED = {"speed/timing.py", "draw/style.py"}  # imported by the others

pytestmark = pytest.mark.skipif(not FOLDER.exists(), reason="these are not the tests of a clone")

# All in one process, which imports predfeat once; what the scripts share has a name in each folder.
HELP = """
import contextlib, io, os, runpy, sys
for script in sys.argv[1:]:
    sys.path.insert(0, os.path.dirname(script))
    sys.argv, before, said = [script, "--help"], set(sys.modules), io.StringIO()
    try:
        with contextlib.redirect_stdout(said):
            runpy.run_path(script, run_name="__main__")
    except SystemExit as ended:
        assert not ended.code, f"{script}: {ended.code}"
    assert said.getvalue().startswith("usage:"), f"{script} does not know --help"
    del sys.path[0]
    for name in {"timing", "style", "contest"} & set(sys.modules) - before:
        del sys.modules[name]
"""


def scripts():
    found = {path.relative_to(FOLDER).as_posix() for path in FOLDER.rglob("*.py")}
    return sorted(found - SHARED)


def mentions():
    """Return (page, script) for every path of a benchmark that a page or a module names."""
    pages = [ROOT / "README.md", ROOT / "CHANGELOG.md", *(ROOT / "docs").glob("*.md")]
    pages += [path for part in ("src", "tests", "benchmarks") for path in (ROOT / part).rglob("*")]
    for page in pages:
        if page.suffix in (".md", ".py"):
            for script in re.findall(r"benchmarks/([\w/]+\.py)", page.read_text(encoding="utf-8")):
                yield page, script


def test_every_benchmark_that_is_named_exists():
    named = list(mentions())
    assert len(named) > 20
    wrong = [f"{page}: {script}" for page, script in named if not (FOLDER / script).exists()]
    assert wrong == []


def test_the_table_names_every_benchmark():
    page = (FOLDER / "README.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:speed|quality|draw)/\w+\.py)`", page))
    drawn = {script for script in scripts() if script.startswith("draw/")}
    assert named - SHARED == set(scripts()) - drawn - {"speed/all.py"}


def test_every_benchmark_explains_itself():
    done = subprocess.run(
        [sys.executable, "-c", HELP, *(str(FOLDER / script) for script in scripts())],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
