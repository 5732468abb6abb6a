"""Request and completion: what goes over the wire to a target, and what comes back.

These are made once or more per trial on the hot path, so they are slim
dataclasses; the records in files and in the store are built from them.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from befit.core.candidate import Sampling, Timeouts
from befit.core.failure import Failure
from befit.core.message import Message, Tool, ToolCall
from befit.core.price import Usage
from befit.core.record import Json
from befit.core.slim import slim


@slim(frozen=True, slots=True, kw_only=True)
class Request:
    """One request to a target. `metadata` names the trial (sample id, repeat ...), never sent."""

    messages: tuple[Message, ...]
    sampling: Sampling = Sampling()
    tools: tuple[Tool, ...] = ()
    response_schema: dict[str, Json] | None = None
    seed: int | None = None
    stream: bool = True
    timeouts: Timeouts = Timeouts()
    scheduled: float | None = None
    """`time.monotonic()` at which the call was due; None means when it is sent."""
    metadata: dict[str, str] = field(default_factory=dict)


@slim(frozen=True, slots=True, kw_only=True)
class Timing:
    """Seconds since the scheduled moment. None means "did not happen" or "not visible".

    `first_token` is the first non-empty delta of any kind (content, reasoning,
    refusal, tool-call arguments), `first_output_token` the first that is not
    reasoning, `last_token` the last delta, `end` the end of the response.
    Unstreamed answers have no token times.
    """

    sent: float = 0.0
    first_byte: float | None = None
    first_token: float | None = None
    first_output_token: float | None = None
    last_token: float | None = None
    end: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One failed try before the final one: what failed, when, and how long was waited after it."""

    failure: Failure
    started: float
    """Seconds since the trial was scheduled."""
    waited: float = 0.0
    usage: Usage | None = None
    """What it was billed for, where the provider has said so."""


TokenChance = tuple[str, float, tuple[tuple[str, float], ...]]


@slim(frozen=True, slots=True, kw_only=True)
class Completion:
    """One answer. `text` is the untouched output, before any trimming or parsing."""

    text: str
    reasoning: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    finish_reason: str | None = None
    usage: Usage | None = None
    timing: Timing = Timing()
    served_model: str | None = None
    system_fingerprint: str | None = None
    request_id: str | None = None
    headers: dict[str, str] = field(default_factory=dict)
    """Routing and rate-limit headers only (provider, region, session, x-ratelimit-*)."""
    logprobs: tuple[TokenChance, ...] = ()
    """Of each output token: text, natural log of its probability, and those that stood beside it.
    Only where they were asked for."""
