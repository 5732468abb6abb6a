"""Plug-ins: a name in an entry-point group becomes a factory. The only dynamic import.

The built-ins are entry points of this package like anybody else's (see
`pyproject.toml`), so the way in for others is used on every run. Groups:

    befit.targets       name -> (Candidate) -> Target
    befit.scorers       name -> class with `Options` (pydantic model) and `__init__(options)`
    befit.similarities  name -> () -> Similarity
    befit.notifiers     name -> (options) -> Notifier
"""

from __future__ import annotations

import difflib
import importlib
import sys
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from types import TracebackType
from typing import Any

from befit.errors import PluginError

KINDS = {
    "befit.targets": "target",
    "befit.scorers": "scorer",
    "befit.similarities": "similarity",
    "befit.notifiers": "notifier",
}
"""Every group, with the word for one of its plug-ins."""


def available(group: str) -> dict[str, EntryPoint]:
    """Return the entry points of `group` by name, sorted."""
    return dict(_points(group, tuple(sys.path)))


@lru_cache(maxsize=64)
def _points(group: str, _path: tuple[str, ...]) -> tuple[tuple[str, EntryPoint], ...]:
    """Read the metadata of all that is installed once for each place it may stand in."""
    found = {point.name: point for point in entry_points(group=group)}
    return tuple(sorted(found.items()))


def nearest(name: str, known: list[str]) -> str:
    """Return "did you mean 'x'? " for the closest known name, or ""."""
    close = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    return f"did you mean '{close[0]}'? " if close else ""


def load(group: str, name: str) -> Any:
    """Return the factory that `name` stands for in `group`.

    Raises:
        PluginError: unknown name (naming the known and the nearest), or the
            plug-in's own import failed (for instance a missing extra).
    """
    known = available(group)
    kind = KINDS.get(group, "plug-in")
    if name not in known:
        raise PluginError(
            f"unknown {kind} '{name}'",
            why=f"{nearest(name, list(known))}known: {', '.join(known) or 'none'}",
            do="befit plugins",
        )
    try:
        return known[name].load()
    except (ImportError, AttributeError) as error:
        raise PluginError(
            f"{kind} '{name}' cannot be loaded",
            why=str(error),
            do=f"check the installation of '{known[name].value}'",
        ) from error


class OwnCodeExitError(Exception):
    """Code of the user's own wanted to end the process (`sys.exit`), which is not its to end."""


class OwnCode:
    """A door around calls of the user's own code: whatever leaves through it is an `Exception`.

    `SystemExit` would end the whole run, or only the thread that others wait for. What
    really stops befit (Ctrl-C, a cancelled task) goes through as it is.
    """

    __slots__ = ()

    def __enter__(self) -> None:
        """Nothing is to be prepared."""

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        """Turn what is no `Exception` into one.

        Raises:
            OwnCodeExitError: in its place; its text names what was raised.
        """
        kept = None if error is None else contained(error)
        if kept is not None and kept is not error:
            raise kept from error


def contained(error: BaseException) -> Exception | None:
    """Return what left the user's own code as an `Exception`; None for what really stops befit.

    For places where the door itself, opened for every answer, would cost too much.
    """
    # A StopIteration cannot be handed to one who awaits: it would never wake.
    if isinstance(error, StopIteration | StopAsyncIteration):
        return OwnCodeExitError(repr(error))
    if isinstance(error, Exception):
        return error
    from asyncio import CancelledError  # noqa: PLC0415 - slow to import, and seldom needed

    stops = isinstance(error, KeyboardInterrupt | GeneratorExit | CancelledError)
    return None if stops else OwnCodeExitError(repr(error))


def load_object(path: str, *, where: str = "") -> Any:
    """Return the Python object at `module:attribute` (the user's own code).

    Raises:
        PluginError: the form is wrong, the module or the attribute is missing.
    """
    module_name, _, attribute = path.partition(":")
    if not module_name or not attribute:
        raise PluginError(
            f"'{path}' does not name a Python object", where=where, do="write module:attribute"
        )
    try:
        with OwnCode():
            value: Any = importlib.import_module(module_name)
        for step in attribute.split("."):
            value = getattr(value, step)
    except Exception as error:
        # A user's module may raise anything on import, and it must be one line here too.
        expected = isinstance(error, ImportError | AttributeError)
        raise PluginError(
            f"'{path}' cannot be loaded",
            where=where,
            why=str(error) if expected else f"{type(error).__name__}: {error}",
            do="check the name, and that the module is beside the project file or installed"
            if expected
            else "mend the module: it fails on import",
        ) from error
    return value
