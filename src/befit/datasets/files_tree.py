"""Values that know where they were written: the tree every YAML file is read into.

A node keeps file, line and key path through merging and including, so that a
mistake found late (a missing scorer, a name that occurs twice) is reported at
the place a person has to mend. Project files and YAML sample files share it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from befit.core.record import Json

MAX_SHOWN = 80
"""Characters of a value that a message repeats."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """One value of a file: a mapping of nodes, a list of nodes, or a scalar.

    `line` is that of the key for a value in a mapping. `raw` is the text as
    written, kept only where `${NAME}` was replaced in it: messages show `raw`,
    never what came from the environment.
    """

    value: Json
    file: str
    line: int
    path: str
    raw: str | None = None

    @property
    def where(self) -> str:
        """The place in the form `file:line key.path`."""
        return f"{self.file}:{self.line} {self.path}".rstrip()

    @property
    def shown(self) -> str:
        """The value as it may stand in a message: in quotes, short, nothing from outside."""
        if isinstance(self.value, dict | list):
            return kind_of(self.value)
        text = self.raw if self.raw is not None else str(self.value)
        return f"'{text if len(text) <= MAX_SHOWN else text[: MAX_SHOWN - 3] + '...'}'"

    def mapping(self) -> dict[str, Node]:
        """The entries of a mapping; empty for anything else."""
        return self.value if isinstance(self.value, dict) else {}

    def items(self) -> list[Node]:
        """The elements of a list; empty for anything else."""
        return self.value if isinstance(self.value, list) else []

    def get(self, key: str) -> Node | None:
        """The entry `key` of a mapping, or None."""
        return self.mapping().get(key)


def step(path: str, key: str | int) -> str:
    """Return the key path one step deeper: `a.b` or `a[3]`."""
    if isinstance(key, int):
        return f"{path}[{key}]"
    return f"{path}.{key}" if path else key


def plain(node: Node) -> Json:
    """Return the value without its places."""
    if isinstance(node.value, dict):
        return {key: plain(child) for key, child in node.value.items()}
    if isinstance(node.value, list):
        return [plain(child) for child in node.value]
    return node.value


def find(node: Node, loc: Sequence[str | int]) -> Node:
    """Return the node at `loc`, or the deepest one on the way to it."""
    for key in loc:
        child = None
        if isinstance(node.value, dict) and isinstance(key, str):
            child = node.value.get(key)
        elif isinstance(node.value, list) and isinstance(key, int) and key < len(node.value):
            child = node.value[key]
        if child is None:
            return node
        node = child
    return node


def merged(base: Node, over: Node) -> Node:
    """Return `over` laid on `base`: mappings merge key by key, anything else is replaced."""
    if not isinstance(base.value, dict) or not isinstance(over.value, dict):
        return over
    entries = dict(base.value)
    for key, child in over.value.items():
        entries[key] = merged(entries[key], child) if key in entries else child
    return replace(over, value=entries)


def kind_of(value: Json) -> str:
    """Return what a value is, in the words of a message."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, int | float):
        return "a number"
    if isinstance(value, str):
        return "text"
    return "a list" if isinstance(value, list) else "a mapping"
