"""For every test: no socket may leave this machine, and no user configuration leaks in."""

from __future__ import annotations

import gc
import ipaddress
import os
import socket
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator
    from pathlib import Path

WORKER = os.environ.get("PYTEST_XDIST_WORKER", "")

_connect = socket.socket.connect
_connect_ex = socket.socket.connect_ex


def _is_local(address: object) -> bool:
    if not isinstance(address, tuple):
        return True  # a Unix socket
    host = str(address[0])
    if host in {"localhost", ""}:
        return True
    try:
        return ipaddress.ip_address(host.partition("%")[0]).is_loopback
    except ValueError:
        return False


def _guarded_connect(self: socket.socket, address: object) -> object:
    if not _is_local(address):
        raise AssertionError(f"a test tried to leave this machine: {address}")
    return _connect(self, address)


def _guarded_connect_ex(self: socket.socket, address: object) -> object:
    if not _is_local(address):
        raise AssertionError(f"a test tried to leave this machine: {address}")
    return _connect_ex(self, address)


@pytest.fixture(autouse=True, scope="session")
def _no_network() -> Iterator[None]:
    patch = pytest.MonkeyPatch()
    patch.setattr(socket.socket, "connect", _guarded_connect)
    patch.setattr(socket.socket, "connect_ex", _guarded_connect_ex)
    yield
    patch.undo()


class Backwards(pytest.Dir):
    """A folder read from its end."""

    def collect(self) -> Iterable[pytest.Item | pytest.Collector]:
        return reversed(list(super().collect()))


def pytest_collect_directory(path: Path, parent: pytest.Collector) -> pytest.Dir | None:
    """Every second worker reads the tests backwards: what one has compiled, with its asserts
    rewritten, the other finds ready, so that each of two does half of it."""
    if not WORKER or int(WORKER.removeprefix("gw")) % 2 == 0:
        return None
    return Backwards.from_parent(parent, path=path)  # type: ignore[no-any-return]


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Workers leave each other what they compile, even where the environment forbids it."""
    kept = sys.dont_write_bytecode
    sys.dont_write_bytecode = kept and not WORKER
    try:
        return (yield)
    finally:
        sys.dont_write_bytecode = kept


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Browser tests go last: Playwright's driver keeps an event loop running in the main thread
    for the rest of the process, and `asyncio.run` refuses to start beside one."""
    if WORKER:
        items.sort(key=lambda item: item.path)  # the order of all workers has to be one
    items.sort(key=lambda item: item.get_closest_marker("browser") is not None)


def pytest_collection_finish() -> None:
    """All modules and tests stay till the end: the collector need not look at them each time."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def _no_configuration(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(tmp_path_factory.getbasetemp() / "no-configuration")


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch, _no_configuration: str) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "OPENAI_BASE_URL", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", _no_configuration)
