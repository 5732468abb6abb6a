"""`befit models`: the local models and the list price of a remote one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from befit.cli.words import show_table
from befit.errors import UsageError

if TYPE_CHECKING:
    from befit.cli.shell import Shell


def act(shell: Shell, action: str, name: str) -> int:
    """Do what was asked and return the exit code."""
    if action == "list":
        return _list(shell)
    if not name:
        raise UsageError(f"'models {action}' needs a name", do="befit models list")
    if action == "prices":
        return _prices(shell, name)
    from befit.targets.models import check, fetch  # noqa: PLC0415 - only here

    path = fetch(name, progress=shell.say) if action == "fetch" else check(name)
    shell.say(f"{name}: {path}")
    return shell.result({"model": name, "path": str(path)})


def _list(shell: Shell) -> int:
    from befit.targets.models import available  # noqa: PLC0415 - only here

    found = available()
    rows = [
        [
            status.model.name,
            status.model.title,
            f"{status.model.size / 1e6:.0f} MB",
            status.model.licence,
            "there" if status.fetched else "not fetched",
        ]
        for status in found
    ]
    if not shell.as_json:
        show_table(shell, ["model", "what", "size", "licence", "state"], rows, numeric=(2,))
    return shell.result(
        [
            {
                "model": status.model.name,
                "title": status.model.title,
                "bytes": status.model.size,
                "licence": status.model.licence,
                "fetched": status.fetched,
                "path": str(status.path),
            }
            for status in found
        ]
    )


def _prices(shell: Shell, name: str) -> int:
    """Look a model up by `provider-target/model` or by its id alone."""
    from befit.core.candidate import Candidate  # noqa: PLC0415 - only here
    from befit.targets.pricing import find_price  # noqa: PLC0415 - only here

    target, slash, model = name.partition("/")
    targets = (target,) if slash and target in {"openai", "anthropic"} else ("openai", "anthropic")
    for one in targets:
        wanted = model if slash and target == one else name
        price = find_price(Candidate(name="price", target=one, model=wanted))
        if price is None:
            continue
        shell.data(
            f"{one}/{wanted}: input ${price.input}, output ${price.output} per million tokens\n"
            f"source  {price.source}, as of {price.as_of or 'unknown'}"
        )
        return shell.result(price.model_dump(mode="json"))
    shell.data(f"{name}: price unknown (so its cost is unknown, never 0)")
    return shell.result(None)
