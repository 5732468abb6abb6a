"""What `befit doctor` looks at, each check with a state and what to do."""

from __future__ import annotations

import locale
import os
import platform
import re
import shutil
import sys
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from befit.cli.shell import workspace_of
from befit.core.written import many
from befit.errors import BefitError, ProjectError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from befit.cli.shell import Shell
    from befit.config.project import Project

State = Literal["good", "weak", "bad", "none"]
SIGNS: dict[State, str] = {"good": "✓", "weak": "!", "bad": "✕", "none": "○"}
PACKAGES = ("aiohttp", "pydantic", "numpy", "scipy", "sqlalchemy", "genai-prices")
EXTRAS = {
    "local": "xllamacpp",
    "semantic": "wordllama",
    "tables": "polars",
    "postgres": "psycopg",
    "vision": "PIL",
}
ROOM = 500_000_000
"""Bytes of disk below which a warning is due."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One thing that was looked at."""

    name: str
    state: State
    text: str
    do: str = ""


def examine(project: Path, *, call: bool, offline: bool = False) -> list[Check]:
    """Look at everything; nothing is sent unless `call` is set.

    With `offline` every look at the network made meanwhile is caught and told.
    """
    if not offline:
        return [*_installation(), *_project(project, call=call), *_local_models()]
    from befit.cli.offline import check_offline, watching  # noqa: PLC0415 - only when asked for

    with watching() as tried:
        checks = [*_installation(), *_project(project, call=False), *_local_models()]
        return [*checks, check_offline(project, tried)]


_UNSET = re.compile(
    r"candidates\[(?P<candidate>\d+)\]\.api_key "
    r"the environment variable '(?P<names>[^']+)' is not set"
)
"""What loading a project warns of where a key's variable is not set."""


def _installation() -> Iterator[Check]:
    running = platform.python_version()
    good = (3, 11) <= sys.version_info[:2] < (3, 14)
    yield Check(
        name="python",
        state="good" if good else "weak",
        text=running,
        do="" if good else "use Python 3.11 to 3.13",
    )
    yield Check(
        name="packages", state="good", text=", ".join(f"{p} {version(p)}" for p in PACKAGES)
    )
    for extra, package in EXTRAS.items():
        try:
            yield Check(name=f"extra {extra}", state="good", text=f"{package} {version(package)}")
        except PackageNotFoundError:
            yield Check(
                name=f"extra {extra}",
                state="none",
                text="not installed",
                do=f"pip install 'befit[{extra}]'",
            )
    encoding = locale.getpreferredencoding(do_setlocale=False).lower()
    utf8 = encoding.replace("-", "") == "utf8"
    yield Check(
        name="encoding",
        state="good" if utf8 else "weak",
        text=encoding,
        do="" if utf8 else "set PYTHONUTF8=1",
    )
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    yield Check(name="chromium", state="good" if chromium else "none", text=chromium or "not there")


def _project(path: Path, *, call: bool) -> Iterator[Check]:
    from befit.config.load import load_project  # noqa: PLC0415 - after the installation is known

    try:
        project = load_project(path, keys_needed=False, endpoints_needed=call)
    except ProjectError as error:
        missing = not (path.is_file() or (path / "befit.yaml").is_file())
        for problem in error.problems:
            yield Check(
                name="project",
                state="none" if missing else "bad",
                text=f"{problem.where} {problem.what}".strip(),
                do=problem.do,
            )
        return
    yield Check(
        name="project",
        state="good",
        text=f"{project.name}: {many(len(project.candidates), 'candidate')}, "
        f"{many(len(project.scenarios), 'scenario')}",
    )
    for warning in project.warnings:
        yield Check(name="project", state="weak", text=warning)
    yield from _keys(project)
    yield from _workspace(path)
    if call:
        yield from _calls(project)


def _keys(project: Project) -> Iterator[Check]:
    unset = {
        found["candidate"]: found["names"]
        for warning in project.warnings
        if (found := _UNSET.search(warning))
    }
    standard = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY"}
    for place, candidate in enumerate(project.candidates):
        named = unset.get(str(place))
        if named and candidate.target in standard:
            yield Check(
                name=f"key {candidate.name}",
                state="weak",
                text=f"'{named}', which api_key names, is not set",
                do=f"set {named} in the environment",
            )
            continue
        name = standard.get(candidate.target)
        if name is None:
            continue
        secret = candidate.api_key
        there = bool(secret is not None and secret.get_secret_value()) or bool(os.environ.get(name))
        yield Check(
            name=f"key {candidate.name}",
            state="good" if there else "weak",
            text="there" if there else "no key found",
            do="" if there else f"set {name} in the environment, or api_key: ${{NAME}}",
        )


def _workspace(path: Path) -> Iterator[Check]:
    from befit.storage.workspace import Workspace  # noqa: PLC0415 - only where there is a project

    folder = workspace_of(path)
    beside = folder.parent
    free = shutil.disk_usage(beside).free
    yield Check(
        name="disk",
        state="good" if free > ROOM else "weak",
        text=f"{free / 1e9:.1f} GB free",
        do="" if free > ROOM else "make room",
    )
    if not os.access(beside, os.W_OK):
        yield Check(name="workspace", state="bad", text=f"{beside} cannot be written", do="chmod")
        return
    if not folder.is_dir():
        yield Check(name="workspace", state="none", text="none yet", do="befit run makes it")
        return
    try:
        with Workspace.open(folder) as workspace:
            count = len(workspace.runs())
        yield Check(name="workspace", state="good", text=f"{folder}: {many(count, 'run')}")
    except BefitError as error:
        yield Check(name="workspace", state="bad", text=f"{folder}: {error.what}", do=error.do)


def _calls(project: Project) -> Iterator[Check]:
    import asyncio  # noqa: PLC0415 - only when calls were asked for

    from befit.core.candidate import Sampling  # noqa: PLC0415 - the same
    from befit.core.completion import Request  # noqa: PLC0415 - the same
    from befit.core.message import Message  # noqa: PLC0415 - the same
    from befit.engine.opening import open_targets  # noqa: PLC0415 - the same
    from befit.errors import TargetError  # noqa: PLC0415 - the same

    request = Request(
        messages=(Message(role="user", content="Say yes."),), sampling=Sampling(max_tokens=1)
    )

    async def ask_all() -> list[Check]:
        found: list[Check] = []
        for candidate in project.candidates:
            try:
                async with open_targets([candidate]) as targets:
                    answer = await targets[candidate.name].generate(request)
                text = f"answered in {answer.timing.end:.2f} s as {answer.served_model or '?'}"
                found.append(Check(name=f"call {candidate.name}", state="good", text=text))
            except TargetError as error:
                found.append(
                    Check(name=f"call {candidate.name}", state="bad", text=error.what, do=error.do)
                )
            except BefitError as error:
                found.append(
                    Check(name=f"call {candidate.name}", state="bad", text=error.what, do=error.do)
                )
        return found

    yield from asyncio.run(ask_all())


def _local_models() -> Iterator[Check]:
    from befit.targets.models import available  # noqa: PLC0415 - only here

    for status in available():
        yield Check(
            name=f"model {status.model.name}",
            state="good" if status.fetched else "none",
            text=str(status.path) if status.fetched else "not fetched",
            do="" if status.fetched else f"befit models fetch {status.model.name}",
        )


def show_checks(shell: Shell, checks: list[Check]) -> None:
    """Print the checks as a table."""
    from befit.cli.words import show_table  # noqa: PLC0415 - rich is slow to import

    if shell.as_json:
        return
    rows = [[SIGNS[check.state], check.name, check.text, check.do] for check in checks]
    show_table(shell, ["", "check", "found", "do"], rows)
