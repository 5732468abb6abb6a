"""Events of one stream that differ in their text only, read by their common form.

Servers write the envelope of a chunk (id, model, date, choice ...) anew around every few
letters. Where one chunk was read with care, those that repeat it byte for byte around
another text need not be parsed: a run of them becomes one JSON list of strings. That
keeps the client's own time out of the times it measures. What differs in anything but
the text is no business of this file and is read whole (`chat`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import orjson

_CONTENT = re.compile(rb'"content":\s*"([^"\\]*(?:\\.[^"\\]*)*)"')
_FIELD = b"data: "
_END = b"\n\n"
_BETWEEN = b'",\n"'
"""Between two texts that become a JSON list. A string cannot hold a raw line feed, so a text that
is no whole string by itself makes the list unreadable instead of another list."""


@dataclass(frozen=True, slots=True)
class Alike:
    """The bytes of an event before and after its text."""

    head: bytes
    tail: bytes
    between: bytes
    """The tail of one event and the head of the next."""

    @classmethod
    def around(cls, data: bytes) -> tuple[Alike, bytes] | None:
        """Return the form of an event's `data`, and its text as written (JSON, without quotes).

        None where it has no text. The first field named `content` is taken for the text:
        whether it is must be seen by reading `filled`.
        """
        found = _CONTENT.search(data)
        if found is None or b"\n" in data:
            return None
        head, tail = _FIELD + data[: found.start(1)], data[found.end(1) :] + _END
        return cls(head, tail, tail + head), found[1]

    def filled(self, written: bytes) -> bytes:
        """The data of an event of this form around the text `written`."""
        return self.head[len(_FIELD) :] + written + self.tail[: -len(_END)]

    def read(self, stream: bytes, at: int) -> tuple[str, int] | None:
        """Return the joined texts of the events of this form from `at` on, and where they end.

        Args:
            stream: whole events, with line feeds for line ends.
            at: where an event begins.

        None where the event at `at` has another form, or one among those up to the last
        of this form.
        """
        head, tail = self.head, self.tail
        if not stream.startswith(head, at):
            return None
        start = at + len(head)
        if len(stream) - start < len(self.between) + len(tail):
            # Too short for two: read without the making of lists.
            if not stream.endswith(tail):
                return None
            try:
                return orjson.loads(b'"' + stream[start : -len(tail)] + b'"'), len(stream)
            except orjson.JSONDecodeError:
                return None
        end = stream.rfind(tail, start)
        if end < 0:
            return None
        # An event is one line and an empty one. Whatever else there is has other lengths or
        # bytes, and does not become the stream again when the texts are put back.
        first, last = len(head), len(_END) - len(tail)
        lines = stream[at : end + len(tail)].split(b"\n")
        written = [line[first:last] for line in lines[:-2:2]]
        if not stream.startswith(self.between.join(written) + tail, start):
            return None
        try:
            texts = orjson.loads(b'["' + _BETWEEN.join(written) + b'"]')
        except orjson.JSONDecodeError:
            return None
        return ("".join(texts), end + len(tail)) if len(texts) == len(written) else None
