"""Why a call failed, and whose fault that is. A failure is data, stored like an answer.

The classes are named by the boundary that failed. Whose fault it is decides
what it means: the candidate's own failures score 0, the infrastructure's are
missing (never 0, never dropped), a configuration fault stops the candidate.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

FailureKind = Literal[
    "connect",
    "timeout_first_token",
    "timeout_idle",
    "timeout_total",
    "rate_limited",
    "server",
    "overloaded",
    "auth",
    "billing",
    "not_found",
    "bad_request",
    "context_length",
    "content_filter",
    "malformed_response",
    "stream_interrupted",
    "empty",
    "target_error",
    "scripted_turn",
    "cap_reached",
]
Blame = Literal["candidate", "infrastructure", "configuration"]

_CANDIDATE: frozenset[FailureKind] = frozenset(
    {"context_length", "content_filter", "empty", "cap_reached"}
)
_CONFIGURATION: frozenset[FailureKind] = frozenset(
    {"auth", "billing", "not_found", "bad_request", "scripted_turn"}
)
_RETRYABLE: frozenset[FailureKind] = frozenset(
    {
        "connect",
        "timeout_first_token",
        "timeout_idle",
        "timeout_total",
        "rate_limited",
        "server",
        "overloaded",
        "malformed_response",
        "stream_interrupted",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """One classified failure; `message` holds no secret and at most 500 characters."""

    kind: FailureKind
    message: str
    status: int | None = None
    retry_after: float | None = None
    """Seconds the provider asked to wait, if it did."""
    request_id: str | None = None
    should_retry: bool | None = None
    """The provider's own word (`x-should-retry`), which goes before the rule of the class."""

    @property
    def blame(self) -> Blame:
        """Whose failure it is; decides between 0, missing, and stopping the candidate."""
        if self.kind in _CANDIDATE:
            return "candidate"
        return "configuration" if self.kind in _CONFIGURATION else "infrastructure"

    @property
    def retryable(self) -> bool:
        """Whether trying the same request again can help."""
        return self.kind in _RETRYABLE if self.should_retry is None else self.should_retry
