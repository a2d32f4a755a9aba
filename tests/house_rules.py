"""What the house forbids in a module, found in its source: each finding is (line, what to do).

Only syntax is read; nothing is imported. `test_architecture.py` says which rules hold where.
"""

import ast

MOST_LINES = 60
MOST_PARAMETERS = 12

# Private names of others that are used on purpose, as they stand in the source, and why.
FOREIGN = {
    "os._exit": "the only way to end a process without what Python does at its end",
    "atexit._run_exitfuncs": "what Python itself calls, in an order that an interrupt can end",
    "threading._shutdown": "what Python itself calls, in an order that an interrupt can end",
    "getattr(started, '_children', ())": "those that multiprocessing started, lock or no lock",
    "result._cache": "numba has no public way to replace the cache of one function",
    "files._source_stamp": "numba's own stamp of a source file, kept beside our digest",
    "self._cache_file._index_path": "where numba keeps the index that our digest stands beside",
}

# Functions whose signatures may be wide, as (name, first parameter), and why.
WIDE = {
    ("read", "path"): "the public reader of all kinds of files: one keyword for each option",
}


def is_private(name):
    return name.startswith("_") and not (name.startswith("__") and name.endswith("__"))


def imports_of(source, package):
    """Return (line, full name) of all that a module imports, wherever in it the import stands.

    `from a import b` counts as a.b, as b may be a module. `package` resolves leading dots.
    """
    names = []
    for statement in ast.walk(ast.parse(source)):
        if isinstance(statement, ast.Import):
            names += [(statement.lineno, alias.name) for alias in statement.names]
        elif isinstance(statement, ast.ImportFrom):
            base = package[: len(package) - statement.level + 1] if statement.level else []
            base = [*base, *(statement.module.split(".") if statement.module else [])]
            names += [(statement.lineno, ".".join([*base, a.name])) for a in statement.names]
    return names


def private_imports(source, package, own):
    """Find imports from a private module, or of a private name, of another package.

    `own` is the part of predfeat that the module belongs to. Private modules beside the packages,
    such as predfeat._files, are for all of them.
    """
    for line, name in imports_of(source, package):
        parts = name.split(".")
        if parts[0] == "predfeat" and len(parts) > 2 and parts[1] != own:
            private = next((part for part in parts[2:] if is_private(part)), None)
            if private is not None:
                home = f"predfeat.{parts[1]}"
                yield line, f"imports {name}: let {home} offer it, and import it from there"


def private_names(source):
    """Return the private names that a module defines: functions, classes, variables, attributes."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            found |= {node.attr} if _is_own(node.value) else set()
    return {name for name in found if is_private(name)}


def private_attributes(source, defined_here, defined_above):
    """Find private attributes of objects of another package.

    Nobody's type is known from syntax alone. A private attribute of anything but self, cls and
    super() is taken for one's own where the module itself defines that name, or the own package
    does and no package above, whose objects come down here.
    """
    in_module = private_names(source)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Attribute) and not _is_own(node.value):
            name, written = node.attr, ast.unparse(node)
        elif _is_getattr_of_a_constant(node) and not _is_own(node.args[0]):
            name, written = node.args[1].value, ast.unparse(node)
        else:
            continue
        is_ours = name in in_module or (name in defined_here and name not in defined_above)
        if is_private(name) and not is_ours and written not in FOREIGN:
            yield node.lineno, f"uses {written}: give its class a public way to do this"


def _is_own(node):
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id == "super"
    return isinstance(node, ast.Name) and node.id in ("self", "cls")


def _is_getattr_of_a_constant(node):
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ("getattr", "setattr", "hasattr", "delattr")
        and len(node.args) > 1
        and isinstance(node.args[1], ast.Constant)
        and isinstance(node.args[1].value, str)
    )


def long_functions(source, is_of_kernels=False):
    """Find functions of too many lines: docstring, comments and blank lines do not count.

    Nor does a signature that may be long (see `wide_signatures`), for it is a declaration.
    """
    text = source.splitlines()
    for function, owner in _functions(source):
        body = function.body[1:] if ast.get_docstring(function) is not None else function.body
        if not body:
            continue
        lines = set(range(body[0].lineno, body[-1].end_lineno + 1))
        if not (is_of_kernels or _may_be_wide(function, owner)):
            lines |= set(range(function.lineno, function.body[0].lineno))
        written = [text[line - 1].strip() for line in lines]
        count = sum(bool(line) and not line.startswith("#") for line in written)
        if count > MOST_LINES:
            yield (
                function.lineno,
                f"{function.name} has {count} lines, at most {MOST_LINES} are allowed: "
                "give its steps names of their own",
            )


def wide_signatures(source, is_of_kernels=False):
    """Find signatures of too many parameters.

    An estimator's parameters are its settings, a command's its options, and compiled kernels take
    flat arrays: those may be more, and so may those of the functions in `WIDE`.
    """
    for function, owner in _functions(source):
        given = function.args
        count = len(given.posonlyargs + given.args + given.kwonlyargs)
        count -= owner is not None and not _is_static(function)  # self or cls
        if count > MOST_PARAMETERS and not (is_of_kernels or _may_be_wide(function, owner)):
            yield (
                function.lineno,
                f"{function.name} has {count} parameters, at most {MOST_PARAMETERS} are allowed: "
                "put those that belong together into an object",
            )


def _functions(source):
    """Return all functions of a module, each with the class whose method it is, or None."""
    tree = ast.parse(source)
    owners = {
        method: node
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
        for method in node.body
    }
    functions = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
    return [(function, owners.get(function)) for function in functions]


def _is_static(function):
    return any(ast.unparse(decorator) == "staticmethod" for decorator in function.decorator_list)


def _may_be_wide(function, owner):
    is_settings = function.name == "__init__" and owner is not None and _has_constraints(owner)
    decorators = {ast.unparse(each) for each in function.decorator_list}
    is_command = "typer." in ast.unparse(function.args) or "reads_a_file" in decorators
    first = next((a.arg for a in function.args.posonlyargs + function.args.args), None)
    is_named = owner is None and (function.name, first) in WIDE
    return is_settings or is_named or is_command


def _has_constraints(owner):
    """Tell whether a class is an estimator: it declares what its parameters may be."""
    names = [getattr(node, "target", None) for node in owner.body]
    names += [target for node in owner.body for target in getattr(node, "targets", [])]
    return any(getattr(name, "id", None) == "_parameter_constraints" for name in names)
