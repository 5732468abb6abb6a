"""Lines of a log file of any size, plain, gzip or zstd, with their numbers.

At most one line is held at a time, and a line has a limit, so memory does not
grow with the file. What the bytes are is seen from their beginning, never from
the file's name. A damaged archive ends the file with an error; one bad line is
skipped by whoever asked.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from contextlib import ExitStack
from io import BufferedReader, RawIOBase
from pathlib import Path
from typing import Any

import zstandard

from befit.errors import DataError

MAX_LINE = 16_000_000
"""Bytes of one line; a longer one is skipped and listed."""
_BUFFER = 1 << 20
_PIECE, _WINDOW = 512, 1 << 27
_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_PARQUET, _ZIP, _UTF16 = b"PAR1", b"PK\x03\x04", (b"\xff\xfe", b"\xfe\xff")


class _Zstd(RawIOBase):
    """Unpacked zstd frames; a frame that ends early is an error, as it is for gzip.

    The library's own reader ends in silence there. Packed bytes are taken in small
    pieces, so that whatever they expand to stays small, too.
    """

    def __init__(self, raw: BufferedReader) -> None:
        self._raw = raw
        self._frame = self._new()
        self._inside = False
        self._ready = memoryview(b"")

    @staticmethod
    def _new() -> Any:
        return zstandard.ZstdDecompressor(max_window_size=_WINDOW).decompressobj()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        while not self._ready:
            piece = self._raw.read(_PIECE)
            if not piece:
                if self._inside:
                    raise EOFError("the last frame has no end")
                return 0
            self._ready = memoryview(self._unpack(piece))
        size = min(len(buffer), len(self._ready))
        buffer[:size] = self._ready[:size]
        self._ready = self._ready[size:]
        return size

    def _unpack(self, piece: bytes) -> bytes:
        parts = []
        while piece:
            self._inside = True
            parts.append(self._frame.decompress(piece))
            piece = b""
            if self._frame.eof:
                piece = self._frame.unused_data
                self._frame, self._inside = self._new(), False
        return b"".join(parts)


def open_log(path: Path, *, stack: ExitStack) -> BufferedReader:
    """Return the file's bytes, unpacked; the stack closes it.

    Raises:
        DataError: it is not there, cannot be read, or is of a kind that has no lines.
    """
    try:
        if path.is_dir():
            raise DataError("this is a folder, not a log", where=str(path), do="name the files")
        raw: BufferedReader = stack.enter_context(path.open("rb", buffering=_BUFFER))  # type: ignore[arg-type]  # typed as BinaryIO
        head = raw.read(4)
        raw.seek(0)
    except FileNotFoundError:
        raise DataError("there is no such file", where=str(path)) from None
    except OSError as error:
        raise DataError("cannot be read", where=str(path), why=error.strerror or "") from None
    if not head:
        raise DataError("the file is empty", where=str(path))
    if head == _PARQUET:
        raise DataError("this is a Parquet file", where=str(path), do="export it as JSON lines")
    if head == _ZIP:
        raise DataError("this is a zip archive", where=str(path), do="unpack it first")
    if head[:2] in _UTF16:
        raise DataError("this is UTF-16", where=str(path), do="save it as UTF-8")
    if head[:2] == _GZIP:
        unpacked: Any = stack.enter_context(gzip.GzipFile(fileobj=raw))
    elif head == _ZSTD:
        unpacked = _Zstd(raw)
    else:
        return raw
    return BufferedReader(unpacked, _BUFFER)


def lines(path: Path) -> Iterator[tuple[int, bytes | None]]:
    """Yield each line with its number (1-based), without its break; None for one too long.

    Raises:
        DataError: as `open_log`, and for an archive that is damaged or cut short.
    """
    number = 0
    with ExitStack() as stack:
        handle = open_log(path, stack=stack)
        try:
            while line := handle.readline(MAX_LINE + 1):
                number += 1
                if len(line) > MAX_LINE and not line.endswith(b"\n"):
                    while line and not line.endswith(b"\n"):
                        line = handle.readline(_BUFFER)
                    yield number, None
                    continue
                if number == 1:
                    line = line.removeprefix(b"\xef\xbb\xbf")
                yield number, line.rstrip(b"\r\n")
        except (EOFError, zlib.error, gzip.BadGzipFile, zstandard.ZstdError) as error:
            raise DataError(
                "the archive is damaged or cut short",
                where=f"{path}:{number + 1}",
                why=str(error)[:200],
                do="unpack it by hand and import what is left",
            ) from None
        except OSError as error:
            raise DataError(
                "cannot be read to its end", where=f"{path}:{number + 1}", why=error.strerror or ""
            ) from None
