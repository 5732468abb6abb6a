"""`befit plugins`: everything that can be named in a project file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from befit.cli.words import show_table
from befit.errors import PluginError
from befit.plugins import KINDS, available, load, nearest

if TYPE_CHECKING:
    from befit.cli.shell import Shell


def show_plugins(shell: Shell) -> int:
    """List all groups."""
    found = [
        {"kind": kind, "name": name, "from": point.value}
        for group, kind in KINDS.items()
        for name, point in available(group).items()
    ]
    if not shell.as_json:
        rows = [[one["kind"], one["name"], one["from"]] for one in found]
        show_table(shell, ["kind", "name", "from"], rows)
    return shell.result(found)


def show_plugin(shell: Shell, name: str) -> int:
    """Show what a plug-in is and which options it takes.

    Raises:
        PluginError: no plug-in of that name in any group.
    """
    names: list[str] = []
    for group in KINDS:
        known = available(group)
        names += known
        if name not in known:
            continue
        factory = load(group, name)
        options = getattr(factory, "Options", None)
        schema: dict[str, Any] = {} if options is None else options.model_json_schema()
        shell.data(f"{name}: {(factory.__doc__ or '').strip()}\n")
        rows = [
            [key, _type(value), "" if "default" not in value else f"{value['default']}",
             " ".join(str(value.get("description", "")).split())]
            for key, value in schema.get("properties", {}).items()
        ]  # fmt: skip
        if not shell.as_json and rows:
            show_table(shell, ["option", "type", "default", "what"], rows)
        return shell.result({"name": name, "group": group, "options": schema})
    raise PluginError(
        f"unknown plug-in '{name}'",
        why=f"{nearest(name, names)}known: {', '.join(names)}",
        do="befit plugins",
    )


def _type(value: dict[str, Any]) -> str:
    if "enum" in value:
        return " | ".join(str(one) for one in value["enum"])
    if "anyOf" in value:
        return " | ".join(_type(one) for one in value["anyOf"])
    if "$ref" in value:
        return str(value["$ref"]).rpartition("/")[2]
    return str(value.get("type", value.get("const", "any")))
