"""`befit models`: the local models and the list price of a remote one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from befit.cli.price_lists import read_lists
from befit.cli.words import show_table
from befit.core.price import Price, Service
from befit.errors import UsageError
from befit.interop.price_list import compare

if TYPE_CHECKING:
    from befit.cli.shell import Shell


def act(shell: Shell, action: str, name: str, *, lists: Sequence[Path] = ()) -> int:
    """Do what was asked and return the exit code."""
    if action == "list":
        return _list(shell)
    if not name:
        raise UsageError(f"'models {action}' needs a name", do="befit models list")
    if action == "prices":
        return _prices(shell, name, lists)
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


def _prices(shell: Shell, name: str, lists: Sequence[Path]) -> int:
    """Look a model up by `provider/model` or by its id alone, in every list at hand."""
    found = [*_packaged(name), *_listed(name, lists)]
    if not found:
        shell.data(f"{name}: price unknown (so its cost is unknown, never 0)")
        return shell.result(None)
    rows = [
        [
            title,
            price.service,
            f"${price.input}",
            f"${price.output}",
            "—" if price.cache_read is None else f"${price.cache_read}",
            "—" if price.above is None else f"${price.above.input} > {price.above_tokens:,}",
            str(price.as_of or "unknown"),
        ]
        for title, price in found
    ]
    header = ["list", "service", "input", "output", "cache read", "long requests", "as of"]
    show_table(shell, header, rows, numeric=(2, 3, 4))
    different = [
        one
        for service in dict.fromkeys(price.service for _, price in found)
        for one in compare(name, [pair for pair in found if pair[1].service == service])
    ]
    for one in different:
        said = ", ".join(f"{who} ${rate}" for who, rate in one.said)
        shell.warn(f"the lists disagree on {one.kind.replace('_', ' ')}: {said}")
    for title, price in found:
        shell.data(f"source  {title}: {price.source}")
    return shell.result(
        {
            "prices": [{"list": t, **p.model_dump(mode="json")} for t, p in found],
            "disagreements": [
                {"kind": d.kind, "said": [[who, str(rate)] for who, rate in d.said]}
                for d in different
            ],
        }
    )


def _packaged(name: str) -> list[tuple[str, Price]]:
    """The prices of the packaged list, by target (the provider's own address)."""
    from befit.core.candidate import Candidate  # noqa: PLC0415 - only here
    from befit.targets.pricing import find_price  # noqa: PLC0415 - only here

    target, slash, model = name.partition("/")
    targets = (target,) if slash and target in {"openai", "anthropic"} else ("openai", "anthropic")
    found: list[tuple[str, Price]] = []
    for one in targets:
        wanted = model if slash and target == one else name
        candidate = Candidate(name="price", target=one, model=wanted)
        for service in get_args(Service):
            price = find_price(candidate, service=service)
            if price is not None:
                found.append(("genai-prices", price))
        if found:
            break
    return found


def _listed(name: str, lists: Sequence[Path]) -> list[tuple[str, Price]]:
    provider, slash, model = name.partition("/")
    found: list[tuple[str, Price]] = []
    for one in read_lists(list(lists)):
        entries = one.find(model, provider) if slash else ()
        entries = entries or one.find(name)
        for entry in entries if slash else entries[:1]:
            found += [(one.name, price) for price in entry.prices.values()]
    return found
