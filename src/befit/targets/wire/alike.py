"""Events of one stream that differ in their text only, read by their common form.

Servers write the envelope of a chunk (id, model, date, choice ...) anew around every few
letters. Where one chunk was read with care, those that repeat it byte for byte around
another text need not be parsed: a run of them becomes one JSON list of strings. That
keeps the client's own time out of the times it measures. `Padded` is the same for
servers that hide the lengths of their texts behind a random string in every chunk. What
differs in anything else is no business of this file and is read whole (`chat`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import orjson

_CONTENT = re.compile(rb'"content":\s*"([^"\\]*(?:\\.[^"\\]*)*)"')
_PADDING = re.compile(rb"[A-Za-z0-9+/=_-]*")
"""What a string of padding may hold: nothing that could end it, or be no JSON."""
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


@dataclass(frozen=True, slots=True)
class Padded:
    """The bytes of an event before its text, between that and its padding, and after it."""

    head: bytes
    middle: bytes
    tail: bytes
    between: bytes
    """The tail of one event and the head of the next."""

    @classmethod
    def of(cls, one: Alike, other: Alike) -> Padded | None:
        """Return the form of two events that differ, beside their texts, in one string behind them.

        None where they differ in anything else: before the text, in a number, in a name.
        """
        end = one.tail[: -len(_END)]
        pairs = zip(end, other.tail, strict=False)
        differs = next((i for i, (a, b) in enumerate(pairs) if a != b), len(end))
        start = one.tail.rfind(b'"', 0, differs) + 1
        padding, quote, rest = end[start:].partition(b'"')
        another, _, others_rest = other.tail[start:].partition(b'"')
        middle, tail = one.tail[:start], quote + rest + _END
        if (
            one.head != other.head
            or not (start and quote)
            or others_rest != rest + _END
            or rest.lstrip().startswith(b":")
            or not _PADDING.fullmatch(padding + another)
        ):
            return None
        return cls(one.head, middle, tail, tail + one.head)

    def filled(self, written: bytes) -> bytes:
        """The data of an event of this form around the text `written`."""
        return self.head[len(_FIELD) :] + written + self.middle + b"0" + self.tail[: -len(_END)]

    def read(self, stream: bytes, at: int) -> tuple[str, int] | None:
        """Return the joined texts of the events of this form from `at` on, and where they end.

        The same contract as that of `Alike.read`.
        """
        last = stream.rfind(self.middle, at)
        end = stream.find(self.tail, last + len(self.middle)) if last >= 0 else -1
        if end < 0 or not stream.startswith(self.head, at):
            return None
        events = stream[at + len(self.head) : end].split(self.between)
        try:
            written, padding = zip(*[one.split(self.middle) for one in events], strict=True)
            texts = orjson.loads(b'["' + _BETWEEN.join(written) + b'"]')
        except ValueError:  # another form among them, or a text that is no string
            return None
        if len(texts) != len(written) or not _PADDING.fullmatch(b"".join(padding)):
            return None
        return "".join(texts), end + len(self.tail)
