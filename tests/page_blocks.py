"""Runs the fenced blocks of a page in one folder, in their order, as a reader would.

A block's info string says what is done with it:

    yaml project         written to befit.yaml and loaded as a project
    LANGUAGE file=PATH   written to PATH
    python test          executed, in one namespace per page
    console test         every `$ ` line is a command; the lines under it must be in its output,
                         in that order (`...` stands for anything); `# exit N` after a command
                         is the exit code due, 0 without it

Blocks without any of these are only looked at by the reader.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from befit.cli.main import run as befit
from befit.config.load import load_project

_FENCE = re.compile(
    r"^(?P<tick>`{3,})(?P<info>[^\n`]*)\n(?P<body>.*?)^(?P=tick)\s*$", re.MULTILINE | re.DOTALL
)
_EXIT = re.compile(r"\s+# exit (\d+)$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One fenced block and the line it starts at."""

    line: int
    info: str
    body: str

    @property
    def words(self) -> list[str]:
        return self.info.split()

    @property
    def is_run(self) -> bool:
        return bool({"test", "project"} & set(self.words[1:])) or any(
            word.startswith("file=") for word in self.words
        )


def blocks(text: str) -> Iterator[Block]:
    """Yield the fenced blocks of a page."""
    for found in _FENCE.finditer(text):
        line = text.count("\n", 0, found.start()) + 1
        yield Block(line=line, info=found["info"].strip(), body=found["body"])


@dataclass(slots=True)
class Page:
    """A page being read: the folder it is tried in, and what its commands may meet.

    `after` is called once after each command (a test may put recorded answers
    in the place of a model that is not to be asked).
    """

    name: str
    folder: Path
    after: Callable[[Path], None] | None = None
    namespace: dict[str, object] = field(default_factory=dict)

    def read(self, text: str) -> int:
        """Do what the blocks of `text` say, and return how many there were."""
        count = 0
        with contextlib.chdir(self.folder):
            for block in blocks(text):
                if block.is_run:
                    self._do(block)
                    count += 1
        return count

    def _do(self, block: Block) -> None:
        where = f"{self.name}:{block.line}"
        named = [word.removeprefix("file=") for word in block.words if word.startswith("file=")]
        if "project" in block.words:
            named.append("befit.yaml")
        for name in named:
            path = Path(name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.body, encoding="utf-8")
        if "project" in block.words:
            load_project(Path("befit.yaml"))
        if block.words[:2] == ["python", "test"]:
            code = compile("\n" * block.line + block.body, where, "exec")
            exec(code, self.namespace)  # noqa: S102 - the page's own example
        if block.words[:2] == ["console", "test"]:
            self._console(block, where)

    def _console(self, block: Block, where: str) -> None:
        steps: list[tuple[str, list[str]]] = []
        for line in block.body.splitlines():
            if line.startswith("$ "):
                steps.append((line.removeprefix("$ "), []))
            elif steps and line.strip():
                steps[-1][1].append(line.strip())
        assert steps, f"{where}: no command"
        for command, shown in steps:
            due = _EXIT.search(command)
            output, code = run(_EXIT.sub("", command))
            assert code == int(due[1] if due else 0), f"{where}: {command}\nexit {code}\n{output}"
            check_shown(shown, output, where=f"{where}: {command}")
            if self.after is not None:
                self.after(self.folder)


def run(command: str) -> tuple[str, int]:
    """Run one command line; return what it says on both streams, and its exit code."""
    words = shlex.split(command, comments=True)
    if words[0] == "export":
        name, _, value = words[1].partition("=")
        os.environ[name] = value
        return "", 0
    if words[0] == "cd":
        os.chdir(words[1])
        return "", 0
    if words[0] == "cat":
        return "".join(Path(name).read_text(encoding="utf-8") for name in words[1:]), 0
    assert words[0] == "befit", f"a page can run befit, export, cd and cat, not {words[0]}"
    said = io.StringIO()
    code = 0
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        try:
            code = befit(words[1:])
        except SystemExit as end:
            code = int(end.code or 0)
    return said.getvalue(), code


def check_shown(shown: list[str], output: str, *, where: str) -> None:
    """Check that every line a page shows was said, in that order; spaces do not count."""
    said = [" ".join(line.split()) for line in output.splitlines()]
    at = 0
    for line in shown:
        if line == "...":
            continue
        parts = [re.escape(part) for part in " ".join(line.split()).split("...")]
        pattern = re.compile(".*".join(parts))
        for number in range(at, len(said)):
            if pattern.fullmatch(said[number]):
                at = number + 1
                break
        else:
            raise AssertionError(f"{where}\nnot said: {line}\nit said:\n{output}")
