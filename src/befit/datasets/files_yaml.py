"""YAML read into nodes: plain data only, every key with its line, no surprises.

YAML 1.2 (so `no` is text). Refused with a place: tabs as indentation, keys that
occur twice, custom tags, several documents, NaN and infinities, and aliases
that expand without end. A date stays text.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.nodes import MappingNode, ScalarNode, SequenceNode

from befit.core.record import Json
from befit.datasets.files_tree import Node, step
from befit.errors import BefitError, ConfigError

MAX_NODES = 200_000
"""Values in one file after aliases are expanded."""
MAX_DEPTH = 100

_TAG = "tag:yaml.org,2002:"
_SCALARS = {"bool", "int", "float", "null", "str", "timestamp", "value"}


def read_yaml(
    text: str, *, file: str, path: str = "", error: type[BefitError] = ConfigError
) -> tuple[Node | None, list[BefitError]]:
    """Return the tree of a YAML text (None for an empty one) and all problems found.

    Args:
        text: the file's content.
        file: its name in messages.
        path: key path of the place it is included at.
        error: the class of the problems, `ConfigError` or `DataError`.
    """
    try:
        root = YAML(typ="safe", pure=True).compose(text)
    except MarkedYAMLError as broken:
        return None, [_syntax(broken, text, file, error)]
    except (YAMLError, ValueError) as broken:
        first = (str(broken).strip().splitlines() or ["no reason given"])[0]
        return None, [error("this is no YAML", where=f"{file}:1", why=first[:200])]
    except RecursionError:
        return None, [error("values are nested too deeply", where=f"{file}:1")]
    if root is None:
        return None, []
    reader = _Reader(file, error)
    try:
        node = reader.read(root, path, root.start_mark.line + 1, 0)
    except _EndlessError as endless:
        # What was read so far means nothing: no other problem is told.
        return None, [error("aliases or nesting expand without end", where=str(endless))]
    return node, reader.problems


def _syntax(broken: MarkedYAMLError, text: str, file: str, error: type[BefitError]) -> BefitError:
    mark = broken.problem_mark or broken.context_mark
    line = mark.line + 1 if mark else 1
    lines = text.splitlines()
    source = lines[line - 1] if line <= len(lines) else ""
    where = f"{file}:{line}"
    if "\t" in source and ("\\t" in str(broken.problem) or source.lstrip(" ").startswith("\t")):
        return error("a tab is used as indentation", where=where, do="indent with spaces")
    what = str(broken.problem or broken.context or "syntax error")
    if "single document" in str(broken.context or ""):
        return error(
            "the file holds several documents",
            where=where,
            do="remove the line '---' between them, or split the file",
        )
    if "undefined alias" in what:
        return error(what, where=where, do="define the anchor (&name) before it is used")
    if "{" in source.partition("${")[0] and "${" in source:
        do = 'inside { } and [ ], put "${NAME}" in quotes'
        return error(f"this is no YAML: {what}"[:300], where=where, do=do)
    context = f", {broken.context}" if broken.context and broken.context != what else ""
    do = "line up the keys of one list entry or mapping, and put text with ':' or '#' in quotes"
    return error(f"this is no YAML: {what}{context}"[:300], where=where, do=do)


class _EndlessError(Exception):
    """More values than any file needs; the text is the place."""


class _Reader:
    """One pass over the composed nodes; collects problems instead of raising."""

    def __init__(self, file: str, error: type[BefitError]) -> None:
        self.file = file
        self.error = error
        self.problems: list[BefitError] = []
        self._count = 0
        self._open: set[int] = set()
        self._kinds: tuple[tuple[type, Callable[..., Node]], ...] = (
            (MappingNode, self._mapping),
            (SequenceNode, self._sequence),
        )

    def _problem(self, what: str, line: int, path: str, *, do: str = "") -> None:
        where = f"{self.file}:{line} {path}".rstrip()
        self.problems.append(self.error(what, where=where, do=do))

    def _node(self, value: Json, line: int, path: str) -> Node:
        return Node(value=value, file=self.file, line=line, path=path)

    def read(self, raw: Any, path: str, line: int, depth: int) -> Node:
        """Return one composed node as a tree."""
        self._count += 1
        if self._count > MAX_NODES or depth > MAX_DEPTH or id(raw) in self._open:
            raise _EndlessError(f"{self.file}:{line} {path}"[:200].rstrip())
        self._open.add(id(raw))
        try:
            for kind, reader in self._kinds:
                if isinstance(raw, kind):
                    return reader(raw, path, line, depth)
            return self._scalar(raw, path, line)
        finally:
            self._open.discard(id(raw))

    def _plain_tag(self, raw: Any, allowed: set[str], path: str, line: int) -> str:
        tag = str(raw.tag)
        name = tag.removeprefix(_TAG)
        if name in allowed and tag.startswith(_TAG):
            return name
        self._problem(f"the tag '{tag}' is not allowed", line, path, do="write plain values only")
        return "str"

    def _scalar(self, raw: ScalarNode, path: str, line: int) -> Node:
        tag = self._plain_tag(raw, _SCALARS, path, line)
        text = str(raw.value)
        if not is_sound(text):
            do = "remove it" if "\0" in text else "write the character itself"
            self._problem("the text holds a NUL or half a surrogate pair", line, path, do=do)
            text = ""
        try:
            value = _SCALAR_READERS.get(tag, str)(text)
        except OverflowError:
            do = "write a smaller one, or put it in quotes if it is a text"
            self._problem(f"'{text[:40]}' is too large a number", line, path, do=do)
            value = None
        except ValueError:
            self._problem(f"'{text[:40]}' is no {tag}", line, path, do="put it in quotes")
            value = None
        if isinstance(value, float) and not math.isfinite(value):
            self._problem("NaN and infinity are no values here", line, path, do="use a number")
            value = 1.0  # some number: that one is missing would be no news
        return self._node(value, line, path)

    def _sequence(self, raw: SequenceNode, path: str, line: int, depth: int) -> Node:
        self._plain_tag(raw, {"seq"}, path, line)
        children = [
            self.read(child, step(path, i), child.start_mark.line + 1, depth + 1)
            for i, child in enumerate(raw.value)
        ]
        return self._node(children, line, path)

    def _mapping(self, raw: MappingNode, path: str, line: int, depth: int) -> Node:
        self._plain_tag(raw, {"map"}, path, line)
        own: dict[str, Node] = {}
        inherited: dict[str, Node] = {}
        for key_node, child in raw.value:
            key_line = key_node.start_mark.line + 1
            if str(key_node.tag) == f"{_TAG}merge":
                sources = child.value if isinstance(child, SequenceNode) else [child]
                for source in sources:
                    node = self.read(source, path, key_line, depth + 1)
                    inherited = {**node.mapping(), **inherited}
                continue
            if not isinstance(key_node, ScalarNode):
                self._problem("a key must be text", key_line, path)
                continue
            key = str(key_node.value)
            if key in own:
                self._problem(
                    f"the key '{key}' occurs twice (first in line {own[key].line})",
                    key_line,
                    step(path, key),
                    do="keep one of them",
                )
                continue
            own[key] = self.read(child, step(path, key), key_line, depth + 1)
        return self._node({**inherited, **own}, line, path)


def is_sound(text: str) -> bool:
    """Whether a text can be sent and stored: no NUL, no lone half of a surrogate pair."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return "\0" not in text


def _int(text: str) -> int:
    value = int(text.replace("_", ""), 0) if text[:2].lower() in {"0o", "0x"} else int(text)
    if abs(value) >= 1 << 63:
        raise OverflowError("JSON readers lose digits of such numbers")
    return value


_SCALAR_READERS: dict[str, Callable[[str], Json]] = {
    "bool": lambda text: text.lower() == "true",
    "null": lambda _text: None,
    "int": _int,
    "float": lambda text: float(text.replace(".inf", "inf").replace(".nan", "nan").lower()),
}
