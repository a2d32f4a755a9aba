"""One page for each public name: writes `docs/api/*.rst` before Sphinx looks for pages.

A public name is one in the `__all__` of predfeat or of one of its packages. All packages are asked,
so that a new one, or a new name, is in the reference without an entry here.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import predfeat

# In the order in which `predfeat.__doc__` presents them; others follow in alphabetical order.
FIRST = [line.split()[0] for line in (predfeat.__doc__ or "").splitlines() if "  " in line]

# A name such as `mean_` where it is not marked as code.
FITTED = re.compile(r"(?<![`*\w.])([A-Za-z]\w*)_(?![\w`*])")


@dataclass
class Package:
    """The public names of one package, by kind."""

    name: str
    classes: list[str] = field(default_factory=list)
    functions: list[str] = field(default_factory=list)
    constants: list[str] = field(default_factory=list)
    elsewhere: dict[str, str] = field(default_factory=dict)  # name: where it has its page


def public_modules() -> Iterator[ModuleType]:
    """Yield every module of predfeat that declares public names, packages before their parts."""
    found = []
    for entry in pkgutil.walk_packages(predfeat.__path__, "predfeat."):
        if not any(part.startswith("_") for part in entry.name.split(".")):
            module = importlib.import_module(entry.name)
            if hasattr(module, "__all__"):
                found.append(module)
    place = {name: i for i, name in enumerate(FIRST)}

    def order(module: ModuleType) -> tuple[int, str]:
        return place.get(module.__name__.split(".")[1], len(place)), module.__name__

    yield from sorted(found, key=order)


def public_packages() -> list[Package]:
    """Return every package with its names; what two packages export has its page in the first."""
    homes: dict[int, str] = {}
    found = []
    for module in public_modules():
        package = Package(module.__name__)
        for name in module.__all__:
            value, full = getattr(module, name), f"{module.__name__}.{name}"
            is_defined = inspect.isclass(value) or inspect.isroutine(value)
            if not is_defined:
                package.constants.append(name)
            elif id(value) in homes:
                package.elsewhere[name] = homes[id(value)]
            else:
                homes[id(value)] = full
                (package.classes if inspect.isclass(value) else package.functions).append(name)
        found.append(package)
    return found


def page_names(packages: list[Package]) -> dict[str, str]:
    """Return the file names of pages that would differ by capitals alone (`Choice`, `choice`)."""
    pages: dict[str, list[str]] = {}
    for package in packages:
        for name in (*package.classes, *package.functions):
            full = f"{package.name}.{name}"
            pages.setdefault(full.lower(), []).append(full)
    # A class keeps its name and gets a mark, so that links to functions are as they are called.
    return {
        full: f"{full}-class"
        for same in pages.values()
        if len(same) > 1
        for full in same
        if full.rpartition(".")[2][0].isupper()
    }


def summary(title: str, names: list[str]) -> list[str]:
    """Return a titled table of names that have a page each."""
    if not names:
        return []
    lines = [f".. rubric:: {title}", "", ".. autosummary::", "   :toctree: .", "   :nosignatures:"]
    return [*lines, "", *(f"   {name}" for name in names), "", ""]


def comment_above(full_name: str) -> list[str]:
    """Return the comment above a constant, from the module of the package that assigns it."""
    package, _, name = full_name.rpartition(".")
    for module_name, module in sorted(sys.modules.items()):
        if not (module_name == package or module_name.startswith(f"{package}.")):
            continue
        try:
            source = inspect.getsource(module)
        except (OSError, TypeError):
            continue
        for statement in ast.parse(source).body:
            targets = getattr(statement, "targets", [getattr(statement, "target", None)])
            if any(isinstance(each, ast.Name) and each.id == name for each in targets):
                above = source.splitlines()[: statement.lineno - 1]
                comment: list[str] = []
                while above and above[-1].startswith("#"):
                    comment.insert(0, above.pop().lstrip("#: "))
                return comment
    return []


def described_constant(package: str, name: str) -> list[str]:
    """Return the entry of a constant: its value if that is short, and the comment above it."""
    shown = repr(getattr(sys.modules[package], name))
    value = [f"   :value: {shown}"] if len(shown) <= 70 and " at 0x" not in shown else []
    comment = [f"   {line}" for line in comment_above(f"{package}.{name}")]
    return [f".. py:data:: {name}", *value, "", *comment, ""]


def package_page(package: Package) -> str:
    """Return the page of a package: what it is for, and tables of its names."""
    title = package.name
    lines = [title, "=" * len(title), "", f".. automodule:: {package.name}", "   :no-members:", ""]
    lines += summary("Classes", package.classes)
    lines += summary("Functions", package.functions)
    if package.constants:
        lines += [".. rubric:: Constants and types", ""]
    for name in package.constants:
        lines += described_constant(package.name, name)
    if package.elsewhere:
        lines += [".. rubric:: Also exported here", ""]
        lines += [f"- :py:obj:`{full}`" for full in package.elsewhere.values()]
    return "\n".join(lines) + "\n"


def first_sentence(value: Any) -> str:
    """Return the first line of a docstring."""
    return (inspect.getdoc(value) or "").split("\n", 1)[0]


def index_page(packages: list[Package]) -> str:
    """Return the page above all: what `import predfeat` offers, and the packages."""
    homes = {
        id(getattr(sys.modules[package.name], name)): f"{package.name}.{name}"
        for package in packages
        for name in (*package.classes, *package.functions)
    }
    lines = ["API reference", "=============", ""]
    lines += ["Most work needs only what ``predfeat`` itself offers:", ""]
    lines += [".. list-table::", "   :widths: auto", ""]
    for name in predfeat.__all__:
        if name != "__version__":
            value = getattr(predfeat, name)
            lines.append(f"   * - :py:obj:`predfeat.{name} <{homes[id(value)]}>`")
            lines.append(f"     - {first_sentence(value)}")
    lines += ["", "``predfeat.__version__`` is the release as text.", ""]
    lines += ["All packages, in the order in which data passes through them", "-" * 60, ""]
    lines += [".. list-table::", "   :widths: auto", ""]
    for package in packages:
        lines.append(f"   * - :doc:`{package.name} <{package.name}>`")
        lines.append(f"     - {first_sentence(sys.modules[package.name])}")
    lines += ["", ".. toctree::", "   :hidden:", "", *(f"   {each.name}" for each in packages)]
    return "\n".join(lines) + "\n"


def write_if_changed(path: Path, text: str) -> None:
    """Write a page, but leave an equal one alone, so that Sphinx need not read it again."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def write_pages(app: Any, config: Any) -> None:
    """Write the pages of packages, and tell autosummary which others need another name."""
    folder = Path(app.srcdir) / "api"
    folder.mkdir(exist_ok=True)
    packages = public_packages()
    pages = {f"{package.name}.rst": package_page(package) for package in packages}
    pages["index.rst"] = index_page(packages)
    for name, text in pages.items():
        write_if_changed(folder / name, text)
    config.autosummary_filename_map = renamed = page_names(packages)
    for package in packages:
        for name in (*package.classes, *package.functions):
            full = f"{package.name}.{name}"
            pages[f"{renamed.get(full, full)}.rst"] = ""
    for path in folder.glob("*.rst"):
        if path.name not in pages:
            path.unlink()  # of a name that is gone


def name_shortly(app: Any, env: Any) -> None:
    """Make the entry of `predfeat.features.GPFA` known as `predfeat.GPFA`, as it is imported."""
    objects = env.get_domain("py").objects
    for package in public_packages():
        for name in {*package.classes, *package.functions}.intersection(predfeat.__all__):
            objects[f"predfeat.{name}"] = objects[f"{package.name}.{name}"]


def escape_fitted(
    app: Any, what: str, name: str, value: Any, options: Any, lines: list[str]
) -> None:
    """Keep reStructuredText from taking `mean_` in a sentence for a link."""
    is_example = False
    for i, line in enumerate(lines):
        is_example = is_example or line.startswith(".. rubric:: Examples")
        if not is_example:
            lines[i] = FITTED.sub(r"\1\\_", line)


def skip_inherited(
    app: Any, what: str, name: str, value: Any, skip: bool, options: Any
) -> bool | None:
    """Leave out members that come from other libraries, such as scikit-learn's `get_params`."""
    function = getattr(value, "fget", None) or getattr(value, "func", None) or value
    if what == "class" and not str(getattr(function, "__module__", "predfeat")).startswith(
        "predfeat"
    ):
        return True
    return None


def setup(app: Any) -> dict[str, bool]:
    """Connect to Sphinx."""
    app.connect("config-inited", write_pages)
    app.connect("env-updated", name_shortly)
    app.connect("autodoc-process-docstring", escape_fitted, priority=901)
    app.connect("autodoc-skip-member", skip_inherited)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
