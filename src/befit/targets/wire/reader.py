"""What the dialects' readers have in common: bytes to events, and what the end of a stream means.

A dialect adds `read_event` (one JSON event of a stream) and `read_body` (an
unstreamed answer). Readers are pure: every time is passed in.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence

import orjson

from befit.core.failure import Failure
from befit.core.record import Json
from befit.targets.sse import Event, EventParser, events_of
from befit.targets.wire.draft import Draft
from befit.targets.wire.faults import inband_failure
from befit.targets.wire.halves import read_halves, read_json
from befit.targets.wire.redact import redact

_SHAPE_ERRORS = (TypeError, AttributeError, KeyError, ValueError)

DONE = b"[DONE]"
_STREAM_STARTS = (b":", b"data", b"event", b"id", b"retry", b"\xef\xbb\xbf")


class AnswerReader(ABC):
    """Reads one answer into `draft`: `feed` and `finish` for a stream, or `whole` for a body.

    Args:
        secrets: values that must not appear in a failure's message.
    """

    def __init__(self, *, secrets: Iterable[str] = ()) -> None:
        self.draft = Draft()
        self._parser: EventParser | None = None
        self._head = b""
        self._secrets = tuple(secrets)

    @abstractmethod
    def read_event(self, chunk: dict[str, Json], now: float) -> None:
        """Take one JSON event of a stream that arrived at `now`."""

    @abstractmethod
    def read_body(self, answer: dict[str, Json], now: float) -> None:
        """Take a whole, unstreamed answer."""

    def feed(self, chunk: bytes, now: float) -> None:
        """Take bytes that arrived at `now` (seconds, monotonic)."""
        if not self._head:
            self._head = chunk[:200]
        if self._parser is None:
            self._parser = EventParser()
        try:
            whole = self._parser.whole(chunk)
        except ValueError as error:
            self._malformed(str(error))
            return
        if whole:
            self.read_stream(whole, now)

    def finish(self, now: float) -> None:
        """The connection has ended; decide what that means."""
        draft = self.draft
        # A last event cut in the middle is part of an interrupted stream, not a malformed one.
        if self._parser is not None:
            self.take([event for event in self._parser.finish() if _whole(event[1])], now)
        if draft.failure is None and not draft.finished:
            head = self._head.lstrip()
            if head and draft.last_event is None and not head.startswith(_STREAM_STARTS):
                self._malformed(f"the answer is no event stream: {_start(head)}")
                return
            draft.failure = Failure(
                kind="stream_interrupted",
                message="the stream ended without a finish reason and without an end mark",
            )
        self._require_answer()

    def whole(self, body: bytes, now: float) -> None:
        """Take the bytes of an unstreamed answer."""
        self.draft.end(now)
        try:
            answer = orjson.loads(body)
        except orjson.JSONDecodeError:
            answer = read_halves(body)
            if answer is None:
                self._malformed(f"the answer is not JSON: {_start(body)}")
                return
            self.draft.halves = True
        try:
            self.read_body(answer, now)
        except _SHAPE_ERRORS as error:
            self._malformed(f"the answer has an unexpected shape: {error}")
        self._require_answer()

    def in_band(self, error: Json) -> None:
        """The answer is an error although the status was 200."""
        self.draft.failure = inband_failure(error, secrets=self._secrets)

    def read_stream(self, whole: bytes, now: float) -> None:
        """Take the bytes of whole events, come at `now`; a dialect may know a shorter way."""
        self.take(events_of(whole), now)

    def take(self, events: list[Event], now: float) -> None:
        """Read events in order; nothing counts after the end mark or a failure."""
        draft, read_event = self.draft, self.read_event
        if events:
            draft.last_event = now
        for name, data in events:
            if draft.done or draft.failure is not None:
                return
            if data == DONE:
                draft.end(now)
                continue
            try:
                read_event(orjson.loads(data), now)
            except orjson.JSONDecodeError:
                self._no_json(name, data, now)
            except _SHAPE_ERRORS as error:
                self._malformed(f"an event of the stream has an unexpected shape: {error}")

    def _no_json(self, name: str, data: bytes, now: float) -> None:
        value = read_halves(data)
        if value is not None:
            self.draft.halves = True
            try:
                self.read_event(value, now)
            except _SHAPE_ERRORS as error:
                self._malformed(f"an event of the stream has an unexpected shape: {error}")
        elif data.startswith(b"[DONE]"):
            self.draft.end(now)
        elif name == "error":
            self.in_band(_start(data))
        elif data.strip():
            self._malformed(f"an event of the stream is not JSON: {_start(data)}")

    def _require_answer(self) -> None:
        if self.draft.failure is None and not self.draft.answered:
            self.draft.failure = Failure(
                kind="empty", message="the response is complete but holds no answer at all"
            )

    def _malformed(self, message: str) -> None:
        self.draft.failure = Failure(
            kind="malformed_response", message=redact(message, self._secrets)
        )


def parsed(events: list[Event]) -> Sequence[Json]:
    """The values of events that came together, by one parse; () where one is no JSON value."""
    last = len(events) - (events[-1][1] == DONE)
    try:
        # A line feed between two: no value of JSON can hold one inside a string.
        values = orjson.loads(b"[" + b",\n".join([data for _, data in events[:last]]) + b"]")
    except orjson.JSONDecodeError:
        return ()
    return values if len(values) == last else ()


def _whole(data: bytes) -> bool:
    if data.startswith(b"[DONE]"):
        return True
    try:
        read_json(data)
    except orjson.JSONDecodeError:
        return False
    return True


def _start(data: bytes) -> str:
    return data[:200].decode("utf-8", "replace")
