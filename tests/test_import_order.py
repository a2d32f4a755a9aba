"""Packages import only from those above them; private and heavy things stay where they belong."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import predfeat

ROOT = Path(predfeat.__file__).parent
ORDER = [
    "series",
    "whitening",
    "neighbors",
    "graph",
    "solvers",
    "measures",
    "features",
    "selection",
    "persistence",
    "datasets",
    "experiments",
    "report",
    "cli",
]
FOR_ALL = {
    "exceptions",
    "_version",
    "_method_names",
    "_method_options",
    "_progress",
    "_typing",
    "_compat",
    "_jit",
    "_jit_cache",
    "_files",
    "_memory",
    "_threads",
    "_processes",
}
HEAVY = ["matplotlib", "pandas", "numba", "typer"]
DRAWERS = {"core", "utils", "common", "misc", "helpers"}

MODULES = sorted(ROOT.rglob("*.py"))
every_module = pytest.mark.parametrize(
    "path", MODULES, ids=[path.relative_to(ROOT).as_posix() for path in MODULES]
)


def parts_of(path):
    """Return the dotted parts of a module, the package's own name first."""
    parts = ["predfeat", *path.relative_to(ROOT).with_suffix("").parts]
    return parts[:-1] if parts[-1] == "__init__" else parts


def imports_of(source, package):
    """Return the full names a module imports, wherever in it the import stands.

    `from a import b` counts as a.b, as b may be a module. `package` resolves leading dots.
    """
    names = []
    for statement in ast.walk(ast.parse(source)):
        if isinstance(statement, ast.Import):
            names += [alias.name for alias in statement.names]
        elif isinstance(statement, ast.ImportFrom):
            base = package[: len(package) - statement.level + 1] if statement.level else []
            base = [*base, *(statement.module.split(".") if statement.module else [])]
            names += [".".join([*base, alias.name]) for alias in statement.names]
    return names


def imports_of_file(path):
    package = parts_of(path) if path.name == "__init__.py" else parts_of(path)[:-1]
    return imports_of(path.read_text(encoding="utf-8"), package)


def layer(parts):
    """Return the part of predfeat that a dotted name belongs to, None for predfeat itself."""
    return parts[1] if len(parts) > 1 else None


def layers_of_the_face():
    """Return the layers whose names the package itself shows."""
    imported = (name.split(".") for name in imports_of_file(ROOT / "__init__.py"))
    return {layer(parts) for parts in imported if parts[0] == "predfeat"} & set(ORDER)


def breaches(own, imported):
    """Return the imports that a module of layer `own` may not make."""
    wrong = []
    shown = max(ORDER.index(name) for name in layers_of_the_face())
    for name in imported:
        parts = name.split(".")
        if parts[0] != "predfeat":
            continue
        target = layer(parts)
        if own is None or target == own or target in FOR_ALL:
            continue
        # What everyone imports imports nobody. Whoever imports the package itself, or a name it
        # shows, imports all the layers shown, and so must come after them.
        needed = ORDER.index(target) if target in ORDER else shown + 1
        if own in FOR_ALL or needed > ORDER.index(own):
            wrong.append(name)
    return wrong


@every_module
def test_every_module_has_its_place(path):
    own = layer(parts_of(path))
    assert own is None or own in ORDER or own in FOR_ALL or own == "__main__"


@every_module
def test_imports_go_upwards_only(path):
    own = layer(parts_of(path))
    own = "cli" if own == "__main__" else own
    assert breaches(own, imports_of_file(path)) == []


@every_module
def test_private_scikit_learn_is_imported_in_one_place(path):
    private = [
        name
        for name in imports_of_file(path)
        if name.split(".")[0] == "sklearn"
        and any(part.startswith("_") and part != "__version__" for part in name.split("."))
    ]
    assert path.name == "_compat.py" or private == []


@every_module
def test_no_module_is_a_drawer(path):
    assert not DRAWERS & {part.strip("_") for part in path.relative_to(ROOT).with_suffix("").parts}


def test_the_walk_sees_the_package():
    seen = {layer(parts_of(path)) for path in MODULES}
    assert {"series", "whitening", "neighbors", "graph", "solvers"} <= seen
    assert "predfeat.series.check_sequences" in imports_of_file(ROOT / "neighbors" / "_public.py")


def test_the_walk_sees_what_is_forbidden():
    source = (
        "from predfeat.features import GPFA\n"
        "def f():\n    from ..graph import x\n    import predfeat.cli\n"
        "from predfeat import GPFA\n"
        "from predfeat.series import Sequences\n"
    )
    names = imports_of(source, ["predfeat", "neighbors"])
    assert sorted(breaches("neighbors", names)) == [
        "predfeat.GPFA",
        "predfeat.cli",
        "predfeat.features.GPFA",
        "predfeat.graph.x",
    ]
    assert breaches("exceptions", ["predfeat.series"]) == ["predfeat.series"]


def run_python(code):
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_import_is_light():
    # scikit-learn imports pandas by itself where it is installed: that is not ours to count.
    code = (
        "import sys; import sklearn.base; before = set(sys.modules); import predfeat; "
        f"print(sorted(set({HEAVY}) & (set(sys.modules) - before)), predfeat.__file__)"
    )
    assert run_python(code) == f"[] {predfeat.__file__}"


def test_import_needs_nothing_heavy():
    # None in sys.modules makes the import of that name fail, as if it were not installed.
    code = (
        f"import sys; sys.modules.update(dict.fromkeys({HEAVY})); import predfeat; "
        "print(predfeat.GPFA.__name__)"
    )
    assert run_python(code) == "GPFA"


def test_every_part_is_there_after_a_plain_import():
    parts = [*ORDER, "exceptions"]
    code = (
        "import predfeat; print('predfeat.datasets' in __import__('sys').modules, "
        f"set({parts}) <= set(dir(predfeat)), "
        f"all(getattr(predfeat, part).__name__ == 'predfeat.' + part for part in {parts}))"
    )
    assert run_python(code) == "False True True"


def test_importing_changes_no_handler():
    # All of it, the command, too: only who runs the command gives the signals to it.
    code = (
        "import signal; before = [signal.getsignal(n) for n in signal.valid_signals()]; "
        f"import predfeat, {', '.join('predfeat.' + part for part in ORDER)}; predfeat.cli.app; "
        "print(before == [signal.getsignal(n) for n in signal.valid_signals()])"
    )
    assert run_python(code) == "True"
