"""An answer while it arrives: the pieces, and when each first came.

The dialects (`chat`, `messages`) fill a draft from events or from a whole body;
`exchange` watches its times; `completion()` closes it. Times are absolute
readings of one monotonic clock and become relative at the end, so tests can
feed bytes with any times they like.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from befit.core.completion import Completion, Timing, TokenChance
from befit.core.failure import Failure
from befit.core.message import ToolCall
from befit.core.price import Usage
from befit.targets.usage import believable
from befit.targets.wire.halves import joined, without_halves

FINISH_WORDS = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "eos": "stop",
    "max_tokens": "length",
    "model_length": "length",
    "model_context_window_exceeded": "length",
    "tool_use": "tool_calls",
    "function_call": "tool_calls",
}
"""Finish reasons of other dialects in OpenAI's words; unknown ones stay as they are."""


@dataclass(slots=True)
class CallDraft:
    """A tool call while it arrives."""

    id: str = ""
    name: str = ""
    arguments: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Draft:
    """The mutable state of one answer."""

    text: list[str] = field(default_factory=list)
    refusal: list[str] = field(default_factory=list)
    reasoning: list[str] = field(default_factory=list)
    calls: dict[int, CallDraft] = field(default_factory=dict)
    finish_reason: str | None = None
    usage: Usage | None = None
    served_model: str | None = None
    system_fingerprint: str | None = None
    body_id: str | None = None
    provider: str | None = None
    logprobs: tuple[TokenChance, ...] = ()
    failure: Failure | None = None
    """An error inside the stream, or a stream that cannot be read."""
    answered: bool = False
    """Something that counts as an answer, even an empty one, has begun."""
    halves: bool = False
    """Halves of surrogate pairs came, which may belong together."""
    done: bool = False
    """The provider said that nothing more will come."""
    first_token: float | None = None
    first_output_token: float | None = None
    last_token: float | None = None
    named_at: float | None = None
    """First moment a tool was named: the first token of a call that has no arguments."""
    last_event: float | None = None
    done_at: float | None = None

    @property
    def finished(self) -> bool:
        """Whether the answer is whole: a finish reason or the end mark has come."""
        return self.finish_reason is not None or self.done

    @property
    def chars(self) -> int:
        """How long the answer has become so far, with all that belongs to it."""
        calls = [call.arguments for call in self.calls.values()]
        held = (self.text, self.refusal, self.reasoning, *calls)
        return sum(len(piece) for pieces in held for piece in pieces)

    def add_text(self, piece: str, now: float) -> None:
        """Visible output has come."""
        if piece:
            self.text.append(piece)
            self._output(now)

    def add_refusal(self, piece: str, now: float) -> None:
        """The model declines, in a field of its own."""
        if piece:
            self.refusal.append(piece)
            self._output(now)

    def add_reasoning(self, piece: str, now: float) -> None:
        """Thinking has come: a token, but no output."""
        if piece:
            self.reasoning.append(piece)
            if self.first_token is None:
                self.first_token = now
            self.last_token = now

    def call(self, index: int) -> CallDraft:
        """Return the tool call at `index`, begun if need be."""
        if index not in self.calls:
            self.calls[index] = CallDraft()
        return self.calls[index]

    def name_call(self, call: CallDraft, name: str, now: float) -> None:
        """A tool is named."""
        if name:
            call.name += name
            if self.named_at is None:
                self.named_at = now

    def add_arguments(self, call: CallDraft, piece: str, now: float) -> None:
        """Arguments of a tool call have come."""
        if piece:
            call.arguments.append(piece)
            self._output(now)

    def finish(self, reason: str | None) -> None:
        """The provider says why the answer ended."""
        if reason:
            self.finish_reason = FINISH_WORDS.get(reason, reason)

    def end(self, now: float) -> None:
        """The provider's end mark has come."""
        self.done = True
        self.done_at = now

    def _output(self, now: float) -> None:
        if self.first_token is None:
            self.first_token = now
        if self.first_output_token is None:
            self.first_output_token = now
        self.last_token = now

    def tool_calls(self) -> tuple[ToolCall, ...]:
        """The tool calls in the order of their indices."""
        if not self.calls:
            return ()
        return tuple(
            ToolCall(id=call.id, name=call.name, arguments=self._joined(call.arguments))
            for _, call in sorted(self.calls.items())
        )

    def _clean_names(self) -> None:
        """Put a sign for lone halves in what is no output: it stands in columns and headings."""
        for name in ("finish_reason", "served_model", "system_fingerprint", "body_id", "provider"):
            value = getattr(self, name)
            if isinstance(value, str):
                setattr(self, name, without_halves(value))

    def _joined(self, pieces: list[str]) -> str:
        whole = "".join(pieces)
        return joined(whole) if self.halves else whole

    def timing(self, marks: Marks) -> Timing:
        """All times in seconds since `marks.origin`; token times only where they were seen."""
        origin = marks.origin
        end = marks.end if self.done_at is None else self.done_at
        sent, end = max(0.0, marks.sent - origin), max(0.0, end - origin)
        if not marks.streamed:
            return Timing(sent=sent, first_byte=_since(marks.first_byte, origin), end=end)
        first, output, last = self.first_token, self.first_output_token, self.last_token
        if self.named_at is not None and output is None:
            first = self.named_at if first is None else first
            output = self.named_at
            last = max(self.named_at, -math.inf if last is None else last)
        return Timing(
            sent=sent,
            first_byte=_since(marks.first_byte, origin),
            first_token=_since(first, origin),
            first_output_token=_since(output, origin),
            last_token=_since(last, origin),
            end=end,
        )

    def completion(
        self,
        marks: Marks,
        *,
        headers: dict[str, str] | None = None,
        request_id: str | None = None,
    ) -> Completion:
        """Return the finished answer. A refusal is the text where there is no other."""
        if self.halves:
            self._clean_names()
        text, reason = self._joined(self.text), self.finish_reason
        if self.refusal and not text and (refused := self._joined(self.refusal)):
            text, reason = refused, "refusal"
        kept = headers or {}
        if self.provider:
            kept = {**kept, "provider": self.provider}
        return Completion(
            text=text,
            reasoning=self._joined(self.reasoning) or None if self.reasoning else None,
            tool_calls=self.tool_calls() if self.calls else (),
            finish_reason=reason,
            usage=believable(self.usage, said=bool(text or self.reasoning or self.calls)),
            timing=self.timing(marks),
            served_model=self.served_model,
            system_fingerprint=self.system_fingerprint,
            request_id=request_id or self.body_id,
            headers=kept,
            logprobs=self.logprobs,
        )


def _since(moment: float | None, origin: float) -> float | None:
    return None if moment is None else max(0.0, moment - origin)


@dataclass(slots=True, kw_only=True)
class Marks:
    """Moments the exchange saw, on the same clock as the draft."""

    origin: float
    """When the call was due, or sent."""
    sent: float
    first_byte: float | None = None
    """When the status line and headers were in."""
    end: float = 0.0
    streamed: bool = True
    headers: Mapping[str, str] = field(default_factory=dict)
    """The response headers; look-ups take lower-case names."""
