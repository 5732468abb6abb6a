"""Server-sent events from bytes: a pure, incremental parser without any I/O.

It follows the event-stream grammar of the HTML standard (section 9.2.6): lines
end in LF, CRLF or CR; `data` lines of one event are joined by LF; lines that
begin with a colon are comments; an event ends at an empty line. Bytes are cut
anywhere, in the middle of a UTF-8 character too, so nothing is decoded before
an event is whole. The dialects (`befit.targets.wire`) read the events.
"""

from __future__ import annotations

from typing import TypeAlias

MAX_EVENT_BYTES = 32 * 1024 * 1024
"""An event longer than this is a broken or hostile stream, not an answer."""

Event: TypeAlias = tuple[str, bytes]
"""The name of an event ("" if it has none) and its data, undecoded."""

FEW = 4
"""From so many events in one read on it pays to look whether they are all plain."""
_BOM = b"\xef\xbb\xbf"


class EventParser:
    """Turns chunks of bytes, cut anywhere, into whole events."""

    __slots__ = ("_held", "_pending", "_started")

    def __init__(self) -> None:
        self._pending = b""
        self._held = b""
        self._started = False

    def feed(self, chunk: bytes) -> list[Event]:
        """Return the events that `chunk` completes, in order.

        Raises:
            ValueError: an event grew beyond `MAX_EVENT_BYTES`.
        """
        if self._held:
            chunk, self._held = self._held + chunk, b""
        if b"\r" in chunk:
            if chunk.endswith(b"\r"):
                # It may be the first half of a CRLF: wait for the next chunk.
                chunk, self._held = chunk[:-1], b"\r"
            chunk = chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        buffer = self._pending + chunk if self._pending else chunk
        if not self._started:
            if len(buffer) < len(_BOM) and _BOM.startswith(buffer):
                self._pending = buffer
                return []
            self._started = True
            buffer = buffer.removeprefix(_BOM)
        blocks = buffer.split(b"\n\n")
        self._pending = blocks.pop()
        if len(self._pending) > MAX_EVENT_BYTES:
            raise ValueError("an event of the stream is larger than 32 MiB")
        if len(blocks) >= FEW and _plain(buffer, len(blocks), len(buffer) - len(self._pending)):
            return [("", block[6:]) for block in blocks]
        events: list[Event] = []
        for block in blocks:
            if block[:6] == b"data: " and b"\n" not in block:
                events.append(("", block[6:]))  # nearly every event of every provider
            else:
                events += _read(block)
        return events

    def finish(self) -> list[Event]:
        """Return what the end of the stream completes.

        The standard drops an event that no empty line ended. Providers that
        forget the last empty line exist, so a whole last line still counts.
        """
        tail, self._pending, self._held = self._pending, b"", b""
        return _read(tail)


def _plain(buffer: bytes, count: int, end: int) -> bool:
    """Whether `count` events are one data line each: told by counting, not by looking at each."""
    return (
        buffer.count(b"\n", 0, end) == 2 * count
        and buffer.count(b"\n\ndata: ", 0, end) == count - 1
        and buffer.startswith(b"data: ")
    )


def _read(block: bytes) -> list[Event]:
    """The event in one block of lines; none if it holds comments only."""
    name, data = "", []
    for line in block.split(b"\n"):
        if line.startswith(b"data:"):
            data.append(line[6:] if line[5:6] == b" " else line[5:])
        elif line.startswith(b"event:"):
            name = line[6:].strip().decode("utf-8", "replace")
        # Comments (": ping"), `id`, `retry` and unknown fields carry no answer.
    return [(name, b"\n".join(data))] if data else []
