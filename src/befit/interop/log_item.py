"""What an importer makes of one line of a log, and what it says of a line it cannot read.

A line may hold a whole exchange, one half of it (batch files, log events that
belong to a span, stored messages), or what happened after it. Halves carry the
key under which the other half arrives.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from befit.core.interaction import Interaction, Outcome

Side: TypeAlias = Literal["asked", "answered", "span"]
"""`asked`: messages; `answered`: the answer, perhaps with facts; `span`: the facts of a call."""


class LogError(ValueError):
    """A line that is not what its format says; the text says why, without the line's content."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Half:
    """One side of an exchange; the other side arrives under the same `join`, in any order."""

    interaction: Interaction
    join: str
    side: Side


@dataclass(frozen=True, slots=True, kw_only=True)
class Unknown:
    """Names of a known family which this version cannot place; they are counted, never lost."""

    names: tuple[str, ...]


Item: TypeAlias = Interaction | Half | Outcome | Unknown


def joined(parts: Sequence[Half]) -> Interaction:
    """Return the whole exchange of its halves: each fact from the half that knows it.

    The halves that answered come first, so the id is the provider's where it is known.
    """
    order = {"span": 0, "answered": 1, "asked": 2}
    ordered = sorted(parts, key=lambda part: order[part.side])
    values = [part.interaction for part in ordered]
    first = values[0]
    found: dict[str, object] = {}
    for name in type(first).model_fields:
        held = [getattr(value, name) for value in values]
        known = [value for value in held if value not in (None, "", (), {})]
        found[name] = known[0] if known else held[0]
        if known and isinstance(known[0], dict):
            found[name] = {key: item for value in reversed(known) for key, item in value.items()}
    asked = [part.interaction.messages for part in parts if part.interaction.messages]
    if len(asked) > 1 and all(part.side == "asked" for part in parts if part.interaction.messages):
        found["messages"] = tuple(message for messages in asked for message in messages)
    return first.model_copy(update=found)
