"""The tests of a code sample, read before anything is run: can they tell right from wrong?

A test that cannot be compiled, or asks for a package the sandbox has not, would fail
every answer; one that asserts nothing would pass every answer. Both are the author's
mistakes. Which code block of an answer is meant is told by the tests too.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Sequence

from befit.scorers.evidence import Span

_DEFINED = re.compile(
    r"^(?:async[ \t]+)?(?:def|class)[ \t]+(\w+)|^(\w+)[ \t]*(?::[^=\n]+)?=", re.MULTILINE
)
_NAME = re.compile(r"[^\W\d]\w*")


def test_problem(text: str, files: Iterable[str]) -> str | None:
    """Return why a Python test cannot judge any answer, None where it can.

    Args:
        text: the test.
        files: the paths in the sandbox, the answer's among them.
    """
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = getattr(error, "lineno", None)
        return f"a test is no Python{f' (line {line})' if line else ''}: {first_line(text)}"
    for node in tree.body:
        for name in _imported(node):
            if name not in _known(files):
                return f"a test imports '{name}', and the sandbox has the standard library only"
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Compare | ast.BoolOp):
            return f"a test compares and asserts nothing: write assert {first_line(text)}"
    return None


def first_line(text: str) -> str:
    """Return the first line of a test that says something."""
    return next((line.strip()[:80] for line in text.splitlines() if line.strip()), "")


def meant(output: str, places: Sequence[Span], tests: Sequence[str]) -> Span:
    """Return the code block that defines most of what the tests name; of equal ones the longest.

    Answers show how their code is used in a block of its own, which may well be the longer one.
    """
    asked = set(_NAME.findall("\n".join(tests)))

    def rank(span: Span) -> tuple[int, int]:
        found = _DEFINED.findall(output[span[0] : span[1]])
        names = {function or value for function, value in found}
        return len(names & asked), span[1] - span[0]

    return max(places, key=rank)


def _imported(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name.partition(".")[0] for alias in node.names]
    if isinstance(node, ast.ImportFrom) and node.module and not node.level:
        return [node.module.partition(".")[0]]
    return []


def _known(files: Iterable[str]) -> set[str]:
    own = {path.partition("/")[0].removesuffix(".py") for path in files}
    return {"solution", *own, *sys.stdlib_module_names}
