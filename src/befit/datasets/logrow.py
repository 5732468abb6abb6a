"""An interaction as a row of the store: what strata are made of is worked out once, at the door."""

from __future__ import annotations

import hashlib

from befit.core.interaction import Interaction
from befit.datasets.language import language_of
from befit.interop.log_item import Half
from befit.storage.interactions import LogRow

INTENT_TAGS = ("intent", "topic", "category", "task", "cluster", "label")
"""Tags that name what an exchange is about, the first that is there."""

PLACE_TAGS = ("channel", "route")
"""Tags that say where an exchange came in, where its log has no field of that name."""
_KNOWN_TAGS = {*INTENT_TAGS, *PLACE_TAGS, "conversation_id", "session_id", "config_id", "id", "ts"}


def unplaced_tags(held: Interaction) -> tuple[str, ...]:
    """Return the tags that are kept, but by which no sample can be drawn."""
    return tuple(tag for tag in held.tags if tag not in _KNOWN_TAGS)


def question_of(held: Interaction) -> str:
    """Return the text under test: the last message of the user."""
    for message in reversed(held.messages):
        if message.role == "user":
            return message.text
    return held.messages[-1].text if held.messages else ""


def row_of(held: Interaction, *, ordinal: int, half: Half | None = None) -> LogRow:
    """Return the row of a redacted interaction, or of a half of one."""
    if not held.id:
        body = f"{ordinal}\0{held.model_dump_json()}".encode("utf-8", "surrogatepass")
        held = held.model_copy(
            update={"id": f"l-{hashlib.blake2b(body, digest_size=10).hexdigest()}"}
        )
    # After the id: the same line has to be known again.
    places = {name: held.tags[name] for name in PLACE_TAGS
              if getattr(held, name) is None and name in held.tags}  # fmt: skip
    held = held.model_copy(update=places) if places else held
    text = question_of(held)
    state = "whole" if held.messages else "bare"
    if half is not None and half.side != "span":
        state = "half"
    return LogRow(
        interaction=held,
        ordinal=ordinal,
        state=state,
        join=None if half is None else half.join,
        side=None if half is None else half.side,
        intent=next((held.tags[tag] for tag in INTENT_TAGS if tag in held.tags), None),
        language=language_of(text) if text else None,
        length=len(text),
    )
