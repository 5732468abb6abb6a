"""Checks the house's size rules: files, functions, parameters, package initialisers."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

MAX_FILE = 400
MAX_FUNCTION = 60
MAX_PARAMETERS = 7
MAX_INIT = 40
FREE = frozenset({"self", "cls", "ctx", "as_json"})
"""No choice of the caller: the object itself, the command line's context, what every verb has."""


def problems(path: Path) -> list[str]:
    """Return one line for each broken rule in `path`."""
    text = path.read_text(encoding="utf-8")
    count = text.count("\n")
    found: list[str] = []
    limit = MAX_INIT if path.name == "__init__.py" and path.parent.name != "befit" else MAX_FILE
    if count >= limit:
        found.append(f"{path}: {count} lines, the limit is {limit}")
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        length = (node.end_lineno or node.lineno) - node.lineno + 1
        if length >= MAX_FUNCTION:
            found.append(f"{path}:{node.lineno} {node.name}: {length} lines")
        arguments = node.args
        named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        own = [argument for argument in named if argument.arg not in FREE]
        if any(argument.arg == "ctx" for argument in named):  # a verb: its options are counted
            own = [argument for argument in own if "Argument" not in _annotation(argument)]
        if len(own) > MAX_PARAMETERS:
            found.append(f"{path}:{node.lineno} {node.name}: {len(own)} parameters")
    return found


def _annotation(argument: ast.arg) -> str:
    return "" if argument.annotation is None else ast.unparse(argument.annotation)


def main() -> int:
    """Print every broken rule under `src/`; return 1 if there is one."""
    root = Path(__file__).resolve().parents[1] / "src"
    found = [line for path in sorted(root.rglob("*.py")) for line in problems(path)]
    print("\n".join(found) or "budgets: kept")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
