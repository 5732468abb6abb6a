"""The tests of a code sample, read before anything is run: can they tell right from wrong?

A test that cannot be compiled, or asks for a package the sandbox has not, would fail
every answer; one that asserts nothing would pass every answer. Both are the author's
mistakes. Which code block of an answer is meant is told by the tests too.
"""

from __future__ import annotations

import ast
import re
import sys
import textwrap
from collections.abc import Iterable, Sequence

from befit.scorers.evidence import Span

_DEFINED = re.compile(
    r"^(?:async[ \t]+)?(?:def|class)[ \t]+(\w+)|^(\w+)[ \t]*(?::[^=\n]+)?=", re.MULTILINE
)
MARK = "{answer}"
_STEP = 4
_OPENS = (":", "(", "[", "{", ",", "\\")
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


def placed(template: str, answer: str) -> str:
    """Return a template with the answer in the place of `{answer}`, at the depth it needs there.

    A body to be completed comes with its indentation, without it, or with that of all lines
    but the first; it is the same body.
    """
    before, _, after = template.partition(MARK)
    margin = before.rpartition("\n")[2]
    if margin.strip() or (after and not after.startswith("\n")) or MARK in after:
        return template.replace(MARK, answer.strip())
    lines = answer.rstrip().splitlines()
    depths = [_depth(line) for line in lines if line.strip()]
    if len(depths) > 1 and not depths[0] and not lines[0].rstrip().endswith(_OPENS):
        # What cut the text has taken the first line's indentation with it.
        lines[0] = " " * min(depths[1:]) + lines[0]
        depths[0] = min(depths[1:])
    own = min(depths, default=0)
    above = next((line for line in reversed(before.splitlines()) if line.strip()), "")
    wanted = len(margin) if margin else own
    if not margin and above.rstrip().endswith(":"):
        wanted = own if own > _depth(above) else _depth(above) + _STEP
    body = "\n".join(lines)
    if wanted != own:
        body = textwrap.indent(textwrap.dedent(body), " " * wanted)
    return before[: len(before) - len(margin)] + body + after


def _depth(line: str) -> int:
    expanded = line.expandtabs(_STEP)
    return len(expanded) - len(expanded.lstrip())


def _imported(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name.partition(".")[0] for alias in node.names]
    if isinstance(node, ast.ImportFrom) and node.module and not node.level:
        return [node.module.partition(".")[0]]
    return []


def _known(files: Iterable[str]) -> set[str]:
    own = {path.partition("/")[0].removesuffix(".py") for path in files}
    return {"solution", *own, *sys.stdlib_module_names}
