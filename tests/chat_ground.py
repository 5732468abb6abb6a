"""Bytes of a streamed chat answer, fed at exact moments."""

from __future__ import annotations

from befit.targets.wire.chat import ChatReader
from befit.targets.wire.draft import Marks
from wire_server import event

ORIGIN = 100.0


def read(*steps, end=None):
    """Feed (moment, bytes) pairs; return reader and completion."""
    reader = ChatReader(secrets=("sk-secret-key",))
    for moment, data in steps:
        reader.feed(data, ORIGIN + moment)
    last = ORIGIN + (steps[-1][0] if end is None else end)
    reader.finish(last)
    marks = Marks(origin=ORIGIN, sent=ORIGIN + 0.5, first_byte=ORIGIN + 0.75, end=last)
    return reader.draft, reader.draft.completion(marks)


def usage_event(**counts):
    return event({"id": "chat-1", "model": "m-2026", "choices": [], "usage": counts})
