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

_END = b"\n\n"
_FIELD = b"data: "
_BOM = b"\xef\xbb\xbf"


class EventParser:
    """Turns chunks of bytes, cut anywhere, into whole events."""

    __slots__ = ("_clear", "_held", "_pending", "_started")

    def __init__(self) -> None:
        self._pending = b""
        self._held = b""
        self._started = False
        self._clear = False

    def feed(self, chunk: bytes) -> list[Event]:
        """Return the events that `chunk` completes, in order.

        Raises:
            ValueError: an event grew beyond `MAX_EVENT_BYTES`.
        """
        return events_of(self.whole(chunk))

    def whole(self, chunk: bytes) -> bytes:
        """Return the bytes of the events that `chunk` completes, with line feeds for line ends.

        Raises:
            ValueError: as `feed`.
        """
        if self._clear and chunk.endswith(_END) and b"\r" not in chunk:
            return chunk  # nothing to put together or to put right
        self._clear = False
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
                return b""
            self._started = True
            buffer = buffer.removeprefix(_BOM)
        if buffer.endswith(_END):
            self._pending = b""
            self._clear = not self._held
            return buffer
        end = buffer.rfind(_END) + len(_END) if _END in buffer else 0
        self._pending = buffer[end:]
        if len(self._pending) > MAX_EVENT_BYTES:
            raise ValueError("an event of the stream is larger than 32 MiB")
        return buffer[:end]

    def finish(self) -> list[Event]:
        """Return what the end of the stream completes.

        The standard drops an event that no empty line ended. Providers that
        forget the last empty line exist, so a whole last line still counts.
        """
        tail, self._pending, self._held = self._pending, b"", b""
        return _read(tail)


def events_of(whole: bytes) -> list[Event]:
    """Return the events in `whole`, which ends where one ends and has line feeds only."""
    # Nearly every event of every provider is one data line.
    if whole.count(b"\n") == len(_END) and whole.startswith(_FIELD):
        return [("", whole[len(_FIELD) : -len(_END)])]
    # Whether all of many are is seen by putting them together again, cheaper than a look at each.
    data = [line[len(_FIELD) :] for line in whole.split(b"\n")[:-2:2]]
    if b"".join((_FIELD, (_END + _FIELD).join(data), _END)) == whole:
        return [("", one) for one in data]
    return [event for block in whole.split(_END) for event in _read(block)]


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
