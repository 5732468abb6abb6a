"""Production: one exchange, and what happened after it."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from befit.core.message import Message, Tool, ToolCall
from befit.core.record import Json, Record

OutcomeEvent = Literal[
    "thumb", "rating", "edit", "regenerate", "abandon", "takeover", "resolved", "label", "check"
]


class Interaction(Record):
    """One production exchange in befit's own form; importers map every log format to it."""

    id: str
    ts: str
    """ISO 8601, UTC; "" where the log has none."""
    messages: tuple[Message, ...]
    output: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    tools: tuple[Tool, ...] = ()
    finish_reason: str | None = None
    requested_model: str | None = None
    served_model: str | None = None
    provider: str | None = None
    conversation_id: str | None = None
    turn: int | None = None
    route: str | None = None
    config_id: str | None = None
    channel: str | None = None
    usage: dict[str, int] = Field(default_factory=dict)
    timing: dict[str, float] = Field(default_factory=dict)
    cost_usd: str | None = None
    price_snapshot: str | None = None
    error_class: str | None = None
    parameters: dict[str, Json] = Field(default_factory=dict)
    tags: dict[str, str] = Field(default_factory=dict)
    source: str = ""


class Outcome(Record):
    """What happened after an interaction (`ref` is its id)."""

    ref: str
    ts: str
    event: OutcomeEvent
    value: float | None = None
    label: str | None = None
    actor: str | None = None
    comment: str | None = None
