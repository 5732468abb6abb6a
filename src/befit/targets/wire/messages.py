"""Anthropic's Messages dialect, answers: events of a stream, or a whole body, into a draft.

The request side is `messages_body`. Pings and signatures are passed over; a
tool's input arrives as pieces of JSON text and stays text.
"""

from __future__ import annotations

from collections.abc import Iterable

from befit.core.record import Json
from befit.targets.usage import anthropic_usage
from befit.targets.wire.halves import written
from befit.targets.wire.reader import AnswerReader


class MessagesReader(AnswerReader):
    """Reads one answer of a Messages endpoint."""

    def __init__(self, *, secrets: Iterable[str] = ()) -> None:
        super().__init__(secrets=secrets)
        self._usage: dict[str, Json] = {}

    def read_event(self, chunk: dict[str, Json], now: float) -> None:
        """Take one event, told apart by its `type`."""
        draft, kind = self.draft, chunk.get("type")
        if kind == "content_block_delta":
            self._delta(chunk["index"], chunk["delta"], now)
        elif kind == "content_block_start":
            self._block(chunk["index"], chunk["content_block"], now)
        elif kind == "message_start":
            self._envelope(chunk["message"])
        elif kind == "message_delta":
            draft.finish(chunk["delta"].get("stop_reason"))
            self._count(chunk.get("usage"))
        elif kind == "message_stop":
            draft.end(now)
        elif kind == "error" or chunk.get("error"):
            self.in_band(chunk)

    def read_body(self, answer: dict[str, Json], now: float) -> None:
        """Take an unstreamed message."""
        if answer.get("type") == "error" or answer.get("error"):
            self.in_band(answer)
            return
        if not isinstance(answer.get("content"), list):
            return
        self._envelope(answer)
        for index, block in enumerate(answer["content"]):
            self._block(index, block, now)
            if block.get("type") == "tool_use" and block.get("input"):
                whole = written(block["input"]).decode()
                self.draft.add_arguments(self.draft.call(index), whole, now)
        self.draft.finish(answer.get("stop_reason"))

    def _envelope(self, message: dict[str, Json]) -> None:
        draft = self.draft
        draft.answered = True
        draft.body_id = message.get("id")
        draft.served_model = message.get("model")
        self._count(message.get("usage"))

    def _count(self, usage: dict[str, Json] | None) -> None:
        """Counts are cumulative and come twice; the later word on each class holds."""
        if usage:
            self._usage.update({key: value for key, value in usage.items() if value is not None})
            self.draft.usage = anthropic_usage(self._usage)

    def _block(self, index: int, block: dict[str, Json], now: float) -> None:
        draft, kind = self.draft, block.get("type")
        if kind == "text":
            draft.add_text(block.get("text") or "", now)
        elif kind == "thinking":
            draft.add_reasoning(block.get("thinking") or "", now)
        elif kind == "tool_use":
            call = draft.call(index)
            call.id = block.get("id") or ""
            draft.name_call(call, block.get("name") or "", now)

    def _delta(self, index: int, delta: dict[str, Json], now: float) -> None:
        draft, kind = self.draft, delta.get("type")
        if kind == "text_delta":
            draft.add_text(delta["text"], now)
        elif kind == "thinking_delta":
            draft.add_reasoning(delta["thinking"], now)
        elif kind == "input_json_delta" and index in draft.calls:
            draft.add_arguments(draft.calls[index], delta["partial_json"], now)
