"""`befit doctor --offline`: everything befit does by itself, with the network watched.

Python tells its audit hooks of every name that is looked up and every
connection that is opened, whichever library does it. What would leave this
machine is refused on the spot and reported.
"""

from __future__ import annotations

import importlib
import ipaddress
import pkgutil
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from befit.cli.doctor_view import Check
from befit.cli.shell import workspace_of
from befit.errors import BefitError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_LOOKUPS = frozenset({"socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"})
_SENDING = frozenset({"socket.connect", "socket.sendto", "socket.sendmsg"})


@contextmanager
def watching() -> Iterator[list[str]]:
    """Refuse and collect every look at the network outside this machine, inside the block."""
    tried: list[str] = []
    state = {"on": True}

    def hook(event: str, words: tuple[Any, ...]) -> None:
        # A hook stays for the life of the process, so it must cost nothing afterwards.
        if not state["on"] or event not in _LOOKUPS | _SENDING:
            return
        host = words[0] if event in _LOOKUPS else words[1]
        if not _is_here(host):
            tried.append(f"{event} {host}")
            raise OSError(f"doctor --offline: {event} {host} was refused")

    sys.addaudithook(hook)
    try:
        yield tried
    finally:
        state["on"] = False


def _is_here(address: object) -> bool:
    if not isinstance(address, tuple):
        # A Unix socket's path, or the name given to a look-up.
        if not isinstance(address, str) or address.startswith("/"):
            return True
        address = (address,)
    host = str(address[0]).partition("%")[0]
    if host in {"", "localhost", "None"}:
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def check_offline(project: Path, tried: list[str]) -> Check:
    """Load every module, look up a price, compare two texts, make the last report."""
    done = [_modules(), _prices(), _similarities(), _report(project)]
    if tried:
        return Check(
            name="offline",
            state="bad",
            text=f"{len(tried)} looks at the network: {'; '.join(dict.fromkeys(tried))}"[:400],
            do="please report it",
        )
    return Check(
        name="offline",
        state="good",
        text=f"no look at the network: {', '.join(part for part in done if part)}",
    )


def _modules() -> str:
    import befit  # noqa: PLC0415 - only here

    count = 0
    for module in pkgutil.walk_packages(befit.__path__, "befit."):
        if module.name.endswith("__main__"):
            continue
        try:
            importlib.import_module(module.name)
        except ImportError:
            # The module of an extra that is not installed.
            continue
        count += 1
    return f"{count} modules loaded"


def _prices() -> str:
    from befit.core.candidate import Candidate  # noqa: PLC0415 - only here
    from befit.targets.pricing import find_price  # noqa: PLC0415 - only here

    find_price(Candidate(name="price", target="openai", model="gpt-4o-mini"))
    return "a price looked up"


def _similarities() -> str:
    from befit.plugins import available, load  # noqa: PLC0415 - only here

    done: list[str] = []
    for name in available("befit.similarities"):
        try:
            load("befit.similarities", name)().compare("one text", "another text")
        except BefitError:
            # An extra that is not installed.
            continue
        done.append(name)
    return f"texts compared by {', '.join(done)}"


def _report(project: Path) -> str:
    from befit.pipeline.reporting import make_document  # noqa: PLC0415 - only here
    from befit.report.html import render  # noqa: PLC0415 - only here
    from befit.storage.workspace import Workspace  # noqa: PLC0415 - only here

    folder = workspace_of(project)
    if not folder.is_dir():
        return ""
    with Workspace.open(folder, create=False) as workspace:
        runs = workspace.runs()
        if not runs:
            return ""
        render(make_document(workspace, runs[0][0].id), full=False)
    return f"report of {runs[0][0].id} made"
