"""Server-sent events from bytes: a pure, incremental parser without any I/O.

It follows the event-stream grammar of the HTML standard (section 9.2.6): lines
end in LF, CRLF or CR; `data` lines of one event are joined by LF; lines that
begin with a colon are comments; an event ends at an empty line. Bytes are cut
anywhere, in the middle of a UTF-8 character too, so nothing is decoded before
an event is whole. The dialects (`befit.targets.wire`) read the events.
"""

from __future__ import annotations

from typing import NamedTuple

MAX_EVENT_BYTES = 32 * 1024 * 1024
"""An event longer than this is a broken or hostile stream, not an answer."""

_BOM = b"\xef\xbb\xbf"


class Event(NamedTuple):
    """One event: its name ("" if it has none) and its data, undecoded."""

    name: str
    data: bytes


class EventParser:
    """Turns chunks of bytes, cut anywhere, into whole events."""

    __slots__ = ("_data", "_name", "_pending", "_started")

    def __init__(self) -> None:
        self._pending = b""
        self._data: list[bytes] = []
        self._name = ""
        self._started = False

    def feed(self, chunk: bytes) -> list[Event]:
        """Return the events that `chunk` completes, in order.

        Raises:
            ValueError: an event grew beyond `MAX_EVENT_BYTES`.
        """
        buffer = self._pending + chunk if self._pending else chunk
        if not self._started:
            if len(buffer) < len(_BOM) and _BOM.startswith(buffer):
                self._pending = buffer
                return []
            self._started = True
            buffer = buffer.removeprefix(_BOM)
        if b"\r" in buffer:
            # A CR at the very end may be the first half of a CRLF: wait for the next chunk.
            held = b"\r" if buffer.endswith(b"\r") else b""
            buffer = buffer.removesuffix(held) if held else buffer
            buffer = buffer.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        else:
            held = b""
        lines = buffer.split(b"\n")
        self._pending = lines.pop() + held
        if len(self._pending) > MAX_EVENT_BYTES:
            raise ValueError("an event of the stream is larger than 32 MiB")
        return self._events(lines)

    def finish(self) -> list[Event]:
        """Return what the end of the stream completes.

        The standard drops an event that no empty line ended. Providers that
        forget the last empty line exist, so a whole last line still counts.
        """
        tail, self._pending = self._pending.rstrip(b"\r"), b""
        return self._events([tail, b""])

    def _events(self, lines: list[bytes]) -> list[Event]:
        events: list[Event] = []
        for line in lines:
            if not line:
                if self._data:
                    data = self._data[0] if len(self._data) == 1 else b"\n".join(self._data)
                    events.append(Event(self._name, data))
                    self._data = []
                self._name = ""
            elif line.startswith(b"data:"):
                self._data.append(line[6:] if line[5:6] == b" " else line[5:])
            elif line.startswith(b"event:"):
                self._name = line[6:].strip().decode("utf-8", "replace")
            # Comments (": ping"), `id`, `retry` and unknown fields carry no answer.
        return events
