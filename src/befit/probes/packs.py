"""All packs by name."""

from __future__ import annotations

from befit.errors import UsageError
from befit.plugins import nearest
from befit.probes import (
    chains,
    contamination,
    conversion,
    extraction,
    instructions,
    long_context,
    multilingual,
    reasoning,
    recovery,
    spread,
    tools,
    vision,
)
from befit.probes.pack import Pack

PACKS: tuple[Pack, ...] = (
    long_context.PACK,
    contamination.PACK,
    spread.PACK,
    recovery.PACK,
    chains.PACK,
    tools.PACK,
    reasoning.PACK,
    instructions.PACK,
    extraction.PACK,
    conversion.PACK,
    multilingual.PACK,
    vision.PACK,
)


def pack(name: str) -> Pack:
    """Return the pack of that name.

    Raises:
        UsageError: there is none.
    """
    known = {one.name: one for one in PACKS}
    if name not in known:
        guess = nearest(name, list(known))
        raise UsageError(f"no pack '{name}'", do=f"{guess}known: {', '.join(known)}")
    return known[name]
