"""An interaction as a row of the store: what strata are made of is worked out once, at the door."""

from __future__ import annotations

import hashlib

from befit.core.interaction import Interaction
from befit.datasets.language import language_of
from befit.interop.log_item import Half
from befit.storage.interactions import LogRow

INTENT_TAGS = ("intent", "topic", "category", "task", "cluster", "label")
"""Tags that name what an exchange is about, the first that is there."""


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
