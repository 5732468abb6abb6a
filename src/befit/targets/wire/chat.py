"""The chat-completions dialect, answers: events of a stream, or a whole body, into a draft.

Only choice 0 is read (n > 1 is never asked for). Fields that providers add
(obfuscation padding, logprobs, prompt filter results) are passed over. The
request side is `chat_body`; bytes and sockets are the business of `exchange`.
"""

from __future__ import annotations

from collections.abc import Iterable

import orjson

from befit.core.failure import Failure
from befit.core.record import Json
from befit.targets.sse import Event, EventParser
from befit.targets.usage import openai_usage
from befit.targets.wire.draft import Draft
from befit.targets.wire.faults import inband_failure
from befit.targets.wire.redact import redact

_SHAPE_ERRORS = (TypeError, AttributeError, KeyError, ValueError)


class ChatReader:
    """Reads one answer; pure: `feed(bytes, now)`, `finish(now)`, or `whole(body, now)`."""

    __slots__ = ("_parser", "_secrets", "draft")

    def __init__(self, *, secrets: Iterable[str] = ()) -> None:
        self.draft = Draft()
        self._parser = EventParser()
        self._secrets = tuple(secrets)

    def feed(self, chunk: bytes, now: float) -> None:
        """Take bytes that arrived at `now` (seconds, monotonic)."""
        try:
            events = self._parser.feed(chunk)
        except ValueError as error:
            self._malformed(str(error))
            return
        for event in events:
            self._event(event, now)

    def finish(self, now: float) -> None:
        """The connection has ended; decide what that means."""
        draft = self.draft
        for event in self._parser.finish():
            self._event(event, now)
        if draft.failure is not None:
            return
        if not draft.finished:
            draft.failure = Failure(
                kind="stream_interrupted",
                message="the stream ended without a finish reason and without [DONE]",
            )
        elif not draft.answered:
            draft.failure = Failure(kind="empty", message="the answer holds no choice at all")

    def whole(self, body: bytes, now: float) -> None:
        """Take an unstreamed answer."""
        draft = self.draft
        draft.done_at, draft.done = now, True
        try:
            answer = orjson.loads(body)
        except orjson.JSONDecodeError:
            start = body[:200].decode("utf-8", "replace")
            self._malformed(f"the answer is not JSON: {start}")
            return
        self._guarded(answer, now, key="message")
        if draft.failure is None and not draft.answered:
            draft.failure = Failure(kind="empty", message="the answer holds no choice at all")

    def _event(self, event: Event, now: float) -> None:
        draft, data = self.draft, event.data
        if draft.failure is not None or draft.done or not data.strip():
            return
        draft.last_event = now
        if data.strip() == b"[DONE]":
            draft.end(now)
            return
        try:
            chunk = orjson.loads(data)
        except orjson.JSONDecodeError:
            said = data[:200].decode("utf-8", "replace")
            if event.name == "error":
                draft.failure = inband_failure(said, secrets=self._secrets)
            else:
                self._malformed(f"an event of the stream is not JSON: {said}")
            return
        self._guarded(chunk, now, key="delta")

    def _guarded(self, chunk: Json, now: float, *, key: str) -> None:
        try:
            self._chunk(chunk, now, key)
        except _SHAPE_ERRORS as error:
            self._malformed(f"the answer has an unexpected shape: {error}")

    def _malformed(self, message: str) -> None:
        self.draft.failure = Failure(
            kind="malformed_response", message=redact(message, self._secrets)
        )

    def _chunk(self, chunk: dict[str, Json], now: float, key: str) -> None:
        draft = self.draft
        if chunk.get("error") or chunk.get("object") == "error" or chunk.get("type") == "error":
            draft.failure = inband_failure(chunk, secrets=self._secrets)
            return
        if draft.body_id is None:
            draft.body_id = chunk.get("id") or None
        if draft.served_model is None:
            draft.served_model = chunk.get("model") or None
        if draft.system_fingerprint is None:
            draft.system_fingerprint = chunk.get("system_fingerprint")
        if draft.provider is None:
            named = chunk.get("provider")
            draft.provider = named if isinstance(named, str) else None
        usage = chunk.get("usage")
        if usage:
            draft.usage = openai_usage(usage)
        for choice in chunk.get("choices") or ():
            if not choice.get("index"):
                self._choice(choice, choice.get(key) or {}, now)

    def _choice(self, choice: dict[str, Json], delta: dict[str, Json], now: float) -> None:
        draft = self.draft
        draft.answered = True
        if choice.get("error") or choice.get("finish_reason") == "error":
            problem = choice.get("error") or "the provider ended the answer with an error"
            draft.failure = inband_failure(problem, secrets=self._secrets)
            return
        thought = delta.get("reasoning_content") or delta.get("reasoning")
        if thought:
            draft.add_reasoning(thought, now)
        content = delta.get("content")
        if content:
            if isinstance(content, str):
                draft.add_text(content, now)
            else:
                self._parts(content, now)
        declined = delta.get("refusal")
        if declined:
            draft.add_refusal(declined, now)
        for position, piece in enumerate(delta.get("tool_calls") or ()):
            self._call(piece, position, now)
        draft.finish(choice.get("finish_reason"))

    def _parts(self, parts: list[dict[str, Json]], now: float) -> None:
        """Content as a list of parts (some providers put thinking there)."""
        for part in parts:
            if part.get("type") == "thinking":
                inner = part.get("thinking") or ""
                pieces = [inner] if isinstance(inner, str) else [p.get("text", "") for p in inner]
                for piece in pieces:
                    self.draft.add_reasoning(piece, now)
            else:
                self.draft.add_text(part.get("text") or "", now)

    def _call(self, piece: dict[str, Json], position: int, now: float) -> None:
        draft = self.draft
        index = piece.get("index")
        if index is None:
            # Providers that leave the index out send whole calls, each with its own id.
            known = [i for i, call in draft.calls.items() if call.id == piece.get("id")]
            index = known[0] if known else max(len(draft.calls), position)
        call = draft.call(int(index))
        if piece.get("id"):
            call.id = piece["id"]
        function = piece.get("function") or {}
        draft.name_call(call, function.get("name") or "", now)
        arguments = function.get("arguments")
        if arguments and not isinstance(arguments, str):
            arguments = orjson.dumps(arguments).decode()  # some providers send an object
        draft.add_arguments(call, arguments or "", now)
