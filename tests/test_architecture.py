"""The house: packages import only from those above them, private things stay private, heavy ones
are imported late, and functions are short.

The rules are in house_rules.py, with their few named exceptions.
"""

from functools import cache
from pathlib import Path

import pytest

import house_rules
import predfeat
from commands import run_python

ROOT = Path(predfeat.__file__).parent
ORDER = [
    "series",
    "splits",
    "whitening",
    "expansions",
    "neighbors",
    "graph",
    "solvers",
    "measures",
    "features",
    "forecasting",
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
    "_typing",
    "_compat",
    "_jit",
    "_jit_cache",
    "_files",
    "_memory",
    "_logging",
    "_method_names",
    "_method_options",
    "_progress",
    "_threads",
    "_processes",
    "_warnings",
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


def package_of(path):
    """Return the dotted parts of the package that leading dots in a module's imports mean."""
    return parts_of(path) if path.name == "__init__.py" else parts_of(path)[:-1]


def imports_of_file(path):
    found = house_rules.imports_of(path.read_text(encoding="utf-8"), package_of(path))
    return [name for _, name in found]


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
    assert "predfeat.series.States" in imports_of_file(ROOT / "neighbors" / "_search.py")


def test_the_walk_sees_what_is_forbidden():
    source = (
        "from predfeat.features import GPFA\n"
        "def f():\n    from ..graph import x\n    import predfeat.cli\n"
        "from predfeat import GPFA\n"
        "from predfeat.series import Sequences\n"
    )
    found = house_rules.imports_of(source, ["predfeat", "neighbors"])
    names = [name for _, name in found]
    assert sorted(breaches("neighbors", names)) == [
        "predfeat.GPFA",
        "predfeat.cli",
        "predfeat.features.GPFA",
        "predfeat.graph.x",
    ]
    assert breaches("exceptions", ["predfeat.series"]) == ["predfeat.series"]


# --- privacy, and the size of functions ----------------------------------------------------------


@cache
def names_defined():
    """Return the private names that each part of predfeat defines."""
    defined = {}
    for path in MODULES:
        names = house_rules.private_names(path.read_text(encoding="utf-8"))
        defined.setdefault(layer(parts_of(path)), set()).update(names)
    return defined


def private_attributes_of(path, source):
    own, defined = layer(parts_of(path)), names_defined()
    order = [*sorted(FOR_ALL), *ORDER]
    above = order[: order.index(own)] if own in ORDER else []
    names_above = set().union(*(defined.get(part, set()) for part in above))
    return house_rules.private_attributes(source, defined[own], names_above)


RULES = {
    "private import": lambda path, source: house_rules.private_imports(
        source, package_of(path), layer(parts_of(path))
    ),
    "private attribute": private_attributes_of,
    "long function": lambda path, source: house_rules.long_functions(
        source, is_of_kernels=path.name == "_kernels.py"
    ),
    "wide signature": lambda path, source: house_rules.wide_signatures(
        source, is_of_kernels=path.name == "_kernels.py"
    ),
}


@cache
def findings(rule):
    """Return {file: what breaks the rule there, each with its place}."""
    found = {}
    for path in MODULES:
        file = path.relative_to(ROOT).as_posix()
        for line, what in RULES[rule](path, path.read_text(encoding="utf-8")):
            found.setdefault(file, []).append(f"src/predfeat/{file}:{line}: {what}")
    return found


@pytest.mark.parametrize("rule", RULES)
def test_the_rules_are_kept(rule):
    broken = [line for file, lines in findings(rule).items() for line in lines]
    assert not broken, f"{rule}:\n" + "\n".join(broken)


def lines_of(found):
    return [line for line, _ in found]


def test_private_imports_are_seen():
    source = (
        "from predfeat._files import replace_file\n"
        "from predfeat._files import _private\n"
        "from predfeat.graph._sums import total\n"
        "def f():\n    from ..graph import _sums\n    import predfeat.graph._sums\n"
        "from predfeat.measures._angles import angle\n"
        "from ._angles import _angle\n"
        "from predfeat.graph import projected_laplacian\n"
        "from sklearn.base import _fit_context\n"
    )
    found = house_rules.private_imports(source, ["predfeat", "measures"], "measures")
    assert sorted(lines_of(found)) == [2, 3, 5, 6]


def test_private_attributes_are_seen():
    source = (
        "class A(Base):\n"
        "    def f(self, model, other):\n"
        "        self._x = super()._f(self._y)\n"
        "        other._x, A.__name__\n"
        "        other._shared, other._here\n"
        "        model._fit()\n"
        "        self.model._fit\n"
        "        getattr(model, '_keep')\n"
        "        os._exit(1)\n"
    )
    assert house_rules.private_names(source) == {"_x"}
    here = {"_x", "_shared", "_here"}
    found = house_rules.private_attributes(source, here, {"_shared"})
    assert sorted(lines_of(found)) == [5, 6, 7, 8]
    assert "model._fit" in dict(house_rules.private_attributes(source, here, set()))[6]


def test_foreign_names_are_used_and_explained():
    source = "\n".join(path.read_text(encoding="utf-8") for path in MODULES)
    source = source.replace('"', "'")  # as ast writes them
    assert [name for name in house_rules.FOREIGN if name not in source] == []
    assert all(house_rules.FOREIGN.values())


def function_of(n_lines, signature="def f(a):", before=""):
    comments = ["    # why", ""] * 50
    body = ["    a += 1"] * n_lines
    return "\n".join(
        [before + signature, '    """Say', "    what.", '    """', *comments, *body, ""]
    )


def test_long_functions_are_seen():
    assert not list(house_rules.long_functions(function_of(59)))
    ((line, what),) = house_rules.long_functions(function_of(60, before="\n\n"))
    assert line == 3
    assert "f has 61 lines" in what
    # A nested one counts as part of what it stands in, and for itself.
    assert lines_of(house_rules.long_functions("def g():\n  def h():\n" + 61 * "    1\n")) == [1, 2]
    wide = "def f(\n    a: Annotated[int, typer.Option()],\n):"
    assert not list(house_rules.long_functions(function_of(60, wide)))
    assert list(house_rules.long_functions(function_of(61, wide)))
    assert not list(house_rules.long_functions(function_of(60), is_of_kernels=True))


def test_wide_signatures_are_seen():
    many = ", ".join("abcdefghijklm")
    plain = f"def f({many}): pass\n"
    assert lines_of(house_rules.wide_signatures(plain)) == [1]
    assert lines_of(house_rules.wide_signatures(plain.replace("f, ", "*, f, "))) == [1]
    assert not list(house_rules.wide_signatures(plain.replace("a, ", "")))
    assert not list(house_rules.wide_signatures(plain, is_of_kernels=True))
    command = f"def f({many}: Annotated[int, typer.Option()]): pass\n"
    assert not list(house_rules.wide_signatures(command))
    method = f"class A:\n    def __init__(self, {many}): pass\n"
    assert lines_of(house_rules.wide_signatures(method)) == [2]
    assert not list(house_rules.wide_signatures(method.replace("a, ", "")))
    estimator = method.replace("A:\n", "A:\n    _parameter_constraints: dict = {}\n")
    assert not list(house_rules.wide_signatures(estimator))
    reader = f"def read(path, *, {many}): pass\n"
    assert not list(house_rules.wide_signatures(reader))
    assert list(house_rules.wide_signatures(reader.replace("path, ", "file, ")))
    assert list(house_rules.wide_signatures(estimator.replace("__init__", "fit")))


# --- what an import does ---------------------------------------------------------------------


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
