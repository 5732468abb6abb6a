"""A project file and what it includes, read into one tree.

Three things are resolved here, before anything is understood:

- `${NAME}` and `${NAME:-default}` in any text of a YAML file come from the
  environment (`$${` gives a literal `${`); what came from there is never shown.
  Samples are data: in them `${NAME}` stays as it is written;
- `file:prompts/terse.txt` as a value stands for the text of that file, without
  its last line break, or for the values of a .yaml, .yml or .json file;
- a mapping with `file: part.yaml` stands for that file's values, on which the
  mapping's other keys are laid. An included list inside a list is spliced.

Paths are relative to the file that names them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from befit.config.problems import Problems
from befit.datasets.files_tree import Node, merged, step
from befit.datasets.files_yaml import read_yaml

MAX_BYTES = 5_000_000
"""Bytes of one project file or included file."""

_PREFIX = "file:"
_VALUES = {".yaml", ".yml", ".json"}
VARIABLE = re.compile(
    r"\$\$\{|\$\{(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?::-(?P<default>[^}]*))?\}|(?P<odd>\$\{[^}]*\}?)"
)

_IN_SAMPLES = re.compile(r"(^|\.)samples\[\d+\]")
"""A key path inside a list of samples."""


class Source:
    """Reads one project; `folders` tells where each file that was read lies.

    Args:
        path: the project file.
        environment: where `${NAME}` is looked up.
        problems: takes what is wrong.
        keys_needed: False turns a missing variable in `api_key` into a warning
            (for verbs that make no call).
        endpoints_needed: False does so for one in `base_url`, which then names no host there is.
    """

    def __init__(
        self,
        path: Path,
        *,
        environment: Mapping[str, str],
        problems: Problems,
        keys_needed: bool = True,
        endpoints_needed: bool = True,
    ) -> None:
        self._root = path
        self._environment = environment
        self._problems = problems
        self._keys_needed = keys_needed
        self._endpoints_needed = endpoints_needed
        self.folders: dict[str, Path] = {}

    def read(self) -> Node | None:
        """Return the whole tree, or None where nothing could be read."""
        start = Node(value=None, file=str(self._root), line=1, path="")
        return self._values(self._root, start, ())

    def resolve(self, node: Node, written: str) -> Path:
        """Return the path `written` at `node`, relative to the file it stands in."""
        return self.folders[node.file] / written

    def name(self, path: Path) -> str:
        """What a file is called in messages: as seen from where the project was named."""
        folder = self._root.parent
        return os.path.normpath(folder / os.path.relpath(path, folder))

    def _text(self, path: Path, at: Node) -> str | None:
        """Read a text file; None, with a problem at `at`, where that fails."""
        name = self.name(path)
        try:
            if path.exists() and not (path.is_file() or path.is_dir()):
                # A pipe would wait for a writer for ever.
                self._problems.broken(f"'{name}' is no regular file", at)
                return None
            if path.is_file() and path.stat().st_size > MAX_BYTES:
                self._problems.broken(f"'{name}' is larger than {MAX_BYTES // 1_000_000} MB", at)
                return None
            content = path.read_bytes()
        except FileNotFoundError:
            self._problems.broken(f"the file '{name}' does not exist", at, do="check the path")
            return None
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            self._problems.broken(f"the file '{name}' cannot be read", at, why=reason)
            return None
        if content[:2] in {b"\xff\xfe", b"\xfe\xff"}:
            self._problems.add("the file is UTF-16", f"{name}:1", do="save it as UTF-8")
            return None
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = content.count(b"\n", 0, error.start) + 1
            why = f"byte 0x{content[error.start]:02x}"
            where = f"{name}:{line}"
            self._problems.add("this is no UTF-8", where, why=why, do="save it as UTF-8")
            return None
        if "\0" in text:
            line = text.count("\n", 0, text.index("\0")) + 1
            self._problems.add("the file holds NUL bytes", f"{name}:{line}")
            return None
        return text.replace("\r\n", "\n")

    def _values(self, path: Path, at: Node, chain: tuple[Path, ...]) -> Node | None:
        """Read a file of values, to stand at `at`."""
        real = path.resolve()
        if real in chain:
            loop = " -> ".join(self.name(p) for p in (*chain[chain.index(real) :], real))
            self._problems.broken("files include each other in a circle", at, why=loop)
            return None
        text = self._text(path, at)
        if text is None:
            return None
        name = self.name(path)
        self.folders[name] = path.parent
        root, problems = read_yaml(text, file=name, path=at.path)
        self._problems.extend(problems)
        self._problems.mute(problem.where for problem in problems)
        if root is None:
            if not problems:
                self._problems.add("the file is empty", f"{name}:1")
            return None
        return self._resolved(root, (*chain, real))

    def _resolved(self, node: Node, chain: tuple[Path, ...]) -> Node:
        if isinstance(node.value, str):
            if node.value.startswith(_PREFIX):
                return self._included(node, node.value.removeprefix(_PREFIX).strip(), chain)
            return self._interpolated(node)
        if isinstance(node.value, list):
            items: list[Node] = []
            for child in node.value:
                made = self._resolved(child, chain)
                is_part = isinstance(made.value, list) and made.file != child.file
                items += made.value if is_part else [made]
            return replace(node, value=items)
        if isinstance(node.value, dict):
            return self._mapping(node, chain)
        return node

    def _mapping(self, node: Node, chain: tuple[Path, ...]) -> Node:
        entries = dict(node.value)
        part = entries.get("file")
        if part is not None and not _names_values(part.value):
            part = None
        if part is not None:
            del entries["file"]
        over = replace(node, value={k: self._resolved(v, chain) for k, v in entries.items()})
        if part is None:
            return over
        at = replace(part, path=node.path)
        base = self._values(self.resolve(part, part.value), at, chain)
        if base is None:
            return over
        return merged(base, over) if entries else base

    def _included(self, node: Node, written: str, chain: tuple[Path, ...]) -> Node:
        path = self.resolve(node, written)
        if path.suffix.lower() in _VALUES:
            return self._values(path, node, chain) or replace(node, value=None)
        text = self._text(path, node)
        if text is None:
            return replace(node, value=None)
        return replace(node, value=text.removesuffix("\n"), raw=node.value)

    def _as_written(self, node: Node, text: str) -> Node:
        if "${" in text.replace("$${", ""):
            what = "samples are data: '${' in them stays as it is written"
            self._problems.warn(f"{what}, the environment is not looked up", node)
        return replace(node, value=text.replace("$${", "${"))

    def _interpolated(self, node: Node) -> Node:
        text = str(node.value)
        if "${" not in text:
            return node
        if _IN_SAMPLES.search(node.path):
            return self._as_written(node, text)
        missing: list[str] = []

        def look_up(found: re.Match[str]) -> str:
            if found["name"] is None:
                if found["odd"] is not None:
                    missing.append("")
                return "${"
            value = self._environment.get(found["name"]) or found["default"]
            if value is None:
                missing.append(found["name"])
            return value or ""

        value = VARIABLE.sub(look_up, text)
        if "" in missing:
            self._problems.broken(
                "'${' starts a variable that has no name",
                node,
                do="write ${NAME}, ${NAME:-default}, or $${ for a literal ${",
            )
        names = sorted({name for name in missing if name})
        if not names:
            return replace(node, value=value, raw=text)
        return self._unset(replace(node, raw=text), names)

    def _unset(self, node: Node, names: list[str]) -> Node:
        """Tell of variables that are not set; a warning where no call is made."""
        what = f"the environment variable '{', '.join(names)}' is not set"
        if not self._keys_needed and node.path.endswith(step("", "api_key")):
            self._problems.warn(what, node)
            return replace(node, value=None)
        if not self._endpoints_needed and node.path.endswith(step("", "base_url")):
            self._problems.warn(what, node)
            return replace(node, value=f"http://{names[0].lower()}.invalid")
        self._problems.broken(what, node, do=f"set it, or write ${{{names[0]}:-default}}")
        return replace(node, value=None)


def _names_values(value: object) -> bool:
    return isinstance(value, str) and Path(value).suffix.lower() in _VALUES
