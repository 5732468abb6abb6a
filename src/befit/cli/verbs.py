"""The verbs of one command line: those it names are made, of the others stands only what help says.

Typer reads the options of a verb from the types of its function, which for all verbs together
takes longer than everything else that `befit --help` does. A verb can only be called by its name,
so one whose name is not among the words is never asked for its options.
"""

from __future__ import annotations

import inspect
from collections.abc import Collection
from copy import copy

import typer
from typer.models import CommandInfo, TyperInfo


def named_in(app: typer.Typer, words: Collection[str]) -> typer.Typer:
    """Return `app` with the verbs that `words` name; the others bear their name and help alone.

    Names are looked for anywhere among the words: an option's value that is called like a verb
    makes one verb too many, and none too few.
    """
    made = copy(app)
    made.registered_commands = [
        info if _name(info) in words else _sign(info) for info in app.registered_commands
    ]
    made.registered_groups = [_group(info, words) for info in app.registered_groups]
    return made


def names(app: typer.Typer) -> set[str]:
    """Return the names of all verbs, and of those below them."""
    found = {_name(info) for info in app.registered_commands}
    for info in app.registered_groups:
        below = info.typer_instance
        if below is not None:
            # Said where it is added, or where it is made.
            name = info.name if isinstance(info.name, str) else below.info.name
            found |= {str(name), *names(below)}
    return found


def _group(info: TyperInfo, words: Collection[str]) -> TyperInfo:
    made = copy(info)
    if info.typer_instance is not None:
        made.typer_instance = named_in(info.typer_instance, words)
    return made


def _name(info: CommandInfo) -> str:
    if info.name:
        return info.name
    assert info.callback is not None  # noqa: S101  # Typer registers nothing without one
    return typer.main.get_command_name(info.callback.__name__)


def _sign(info: CommandInfo) -> CommandInfo:
    """Return a verb that nobody calls: its name and its help."""
    made = copy(info)
    made.name = _name(info)
    made.help = info.help if info.help is not None else inspect.getdoc(info.callback)
    made.callback = _not_called
    return made


def _not_called() -> None:
    raise AssertionError("a verb was called that the command line does not name")
