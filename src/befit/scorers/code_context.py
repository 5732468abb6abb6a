"""Does an answer fit the files around it? Read from its syntax, without running it.

Names of the other files that are imported must be there; functions of theirs are
called as they are defined; nothing of theirs that was imported is defined anew.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from befit.scorers.checks import Check

_Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True, kw_only=True)
class _Module:
    names: frozenset[str]
    functions: Mapping[str, _Function]
    open: bool
    """It cannot be read whole (a star import, a syntax error): anything may be in it."""


def context(
    code: str, files: Mapping[str, str], *, uses: Sequence[str], file: str, given: str = ""
) -> Check:
    """Return `context_kept`: 1, or 0 with what does not fit.

    Args:
        code: the whole of the answer's file.
        files: the files around it, by path.
        uses: names of theirs that have to be used.
        file: the path of the answer's file, from which its relative imports go out.
        given: the same file without the answer; what it defines is not the answer's doing.
    """
    modules = {
        _module_name(path): _read(text)
        for path, text in files.items()
        if path.endswith(".py") and path != file
    }
    tree = ast.parse(code)
    _resolve(tree, file)
    problems = [*_imports(tree, modules), *_redefined(tree, modules, given)]
    problems += _calls(tree, modules)
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    used |= {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    problems += [("unused_context", f"'{name}' is not used") for name in uses if name not in used]
    label = problems[0][0] if problems else "right"
    return Check(
        name="context_kept",
        value=float(not problems),
        label=label,
        rule="names, signatures and imports of the files around it",
        explanation="; ".join(dict.fromkeys(why for _, why in problems[:5])) or None,
    )


Problem = tuple[str, str]


def _module_name(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _read(text: str) -> _Module:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return _Module(names=frozenset(), functions={}, open=True)
    names: set[str] = set()
    functions: dict[str, _Function] = {}
    is_open = False
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom | ast.Import):
            names |= {(alias.asname or alias.name).split(".")[0] for alias in node.names}
            is_open |= any(alias.name == "*" for alias in node.names)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
    for top in tree.body:
        if isinstance(top, _Function | ast.ClassDef):
            names.add(top.name)
        if isinstance(top, _Function):
            functions[top.name] = top
    is_open |= "__getattr__" in names
    return _Module(names=frozenset(names), functions=functions, open=is_open)


def _from_imports(
    tree: ast.Module, modules: Mapping[str, _Module]
) -> Iterator[tuple[str, str, str]]:
    """Yield module, name there and name here of everything taken from the other files."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.ImportFrom) or node.level or node.module is None:
            continue
        if node.module in modules:
            for alias in node.names:
                yield node.module, alias.name, alias.asname or alias.name


def _imports(tree: ast.Module, modules: Mapping[str, _Module]) -> Iterator[Problem]:
    packages = {name.partition(".")[0] for name in modules}
    for node in ast.walk(tree):
        asked: list[str] = []
        if isinstance(node, ast.Import):
            asked = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            asked = [node.module]
        for name in asked:
            inside = any(other == name or other.startswith(f"{name}.") for other in modules)
            if name.partition(".")[0] in packages and not inside:
                yield "unknown_import", f"there is no module '{name}'"
    for module, name, _ in _from_imports(tree, modules):
        known = modules[module]
        below = f"{module}.{name}" in modules
        if name != "*" and name not in known.names and not known.open and not below:
            yield "unknown_import", f"'{module}' has no '{name}'"


def _resolve(tree: ast.Module, file: str) -> None:
    """Turn relative imports into absolute ones."""
    package = file.split("/")[:-1]
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level and len(package) >= node.level:
            at = package[: len(package) - node.level + 1]
            node.module = ".".join([*at, *([node.module] if node.module else [])])
            node.level = 0


def _redefined(tree: ast.Module, modules: Mapping[str, _Module], given: str) -> Iterator[Problem]:
    # Each file may have a `main`, and helpers of its own.
    defined = {
        n.name
        for n in tree.body
        if isinstance(n, _Function | ast.ClassDef) and n.name != "main" and n.name[0] != "_"
    } - _read(given).functions.keys()
    taken = {here for _, _, here in _from_imports(tree, modules)}
    every = {name: at for at, module in modules.items() for name in module.functions}
    for name in sorted(defined):
        if name in taken:
            yield "redefined", f"'{name}' is imported and defined anew"
        elif name in every:
            yield "redefined", f"'{name}' is defined in '{every[name]}' already"


def _calls(tree: ast.Module, modules: Mapping[str, _Module]) -> Iterator[Problem]:
    known = {
        here: modules[module].functions[name]
        for module, name, here in _from_imports(tree, modules)
        if name in modules[module].functions
    }
    dotted = {
        f"{module.rpartition('.')[2]}.{name}": function
        for module, one in modules.items()
        for name, function in one.functions.items()
    }
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        function, name = None, ""
        if isinstance(node.func, ast.Name):
            name = node.func.id
            function = known.get(name)
        elif isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name):
            name = f"{node.func.value.id}.{node.func.attr}"
            function = dotted.get(name)
        why = None if function is None or function.decorator_list else _misfit(node, function)
        if why is not None:
            yield "wrong_signature", f"{name}(): {why}"


def _misfit(call: ast.Call, function: _Function) -> str | None:
    """Return why the arguments do not fit the definition; None where they do or may."""
    spread = any(isinstance(arg, ast.Starred) for arg in call.args)
    spread |= any(keyword.arg is None for keyword in call.keywords)
    parameters = function.args
    places = [arg.arg for arg in (*parameters.posonlyargs, *parameters.args)]
    by_name = {arg.arg for arg in (*parameters.args, *parameters.kwonlyargs)}
    given = {keyword.arg for keyword in call.keywords if keyword.arg is not None}
    if parameters.kwarg is None and given - by_name:
        return f"no parameter '{min(given - by_name)}'"
    if spread:
        return None
    if parameters.vararg is None and len(call.args) > len(places):
        return f"{len(call.args)} arguments for {len(places)}"
    due = places[: len(places) - len(parameters.defaults)][len(call.args) :]
    due += [
        arg.arg
        for arg, default in zip(parameters.kwonlyargs, parameters.kw_defaults, strict=True)
        if default is None
    ]
    lost = [name for name in due if name not in given]
    return f"'{lost[0]}' is missing" if lost else None
