"""Pictures without what they carry besides: PNG and JPEG, rewritten from their parts.

A picture may name its maker in its metadata (EXIF, XMP, text chunks). Only the
parts that make the picture are kept; anything else, and any picture too large
to be drawn safely, is not shown.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

MAX_PIXELS = 40_000_000
_PNG = b"\x89PNG\r\n\x1a\n"
_PNG_KEPT = {b"IHDR", b"PLTE", b"tRNS", b"IDAT", b"IEND"}
_SOI, _SOS, _EOI = 0xD8, 0xDA, 0xD9
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_APP0, _APP14 = 0xE0, 0xEE


def clean_picture(raw: bytes, *, kind: str) -> bytes | None:
    """Return the picture without metadata; None for other kinds, damaged or oversized ones."""
    try:
        if kind == "image/png" and raw.startswith(_PNG):
            return _png(raw)
        if kind in {"image/jpeg", "image/jpg"} and raw[:2] == b"\xff\xd8":
            return _jpeg(raw)
    except (struct.error, IndexError, ValueError):
        return None
    return None


def _chunks(raw: bytes) -> Iterator[tuple[bytes, bytes, bytes]]:
    place = len(_PNG)
    while place < len(raw):
        size, kind = struct.unpack(">I4s", raw[place : place + 8])
        end = place + 12 + size
        if end > len(raw):
            raise ValueError("cut")
        yield kind, raw[place + 8 : place + 8 + size], raw[place:end]
        if kind == b"IEND":
            return
        place = end


def _png(raw: bytes) -> bytes | None:
    kept = [_PNG]
    for kind, body, whole in _chunks(raw):
        if kind == b"IHDR":
            width, height = struct.unpack(">II", body[:8])
            if not 0 < width * height <= MAX_PIXELS:
                return None
        if kind in _PNG_KEPT:
            kept.append(whole)
    return b"".join(kept)


def _jpeg(raw: bytes) -> bytes | None:
    kept, place, sized = [raw[:2]], 2, False
    while place < len(raw):
        if raw[place] != 0xFF:  # noqa: PLR2004 - every marker begins so
            raise ValueError("no marker")
        marker = raw[place + 1]
        if marker == 0xFF:  # noqa: PLR2004 - fill
            place += 1
            continue
        size = struct.unpack(">H", raw[place + 2 : place + 4])[0]
        part = raw[place : place + 2 + size]
        if marker in _FRAMES:
            height, width = struct.unpack(">HH", part[5:9])
            if not 0 < width * height <= MAX_PIXELS:
                return None
            sized = True
        if marker == _SOS:
            end = raw.rfind(b"\xff\xd9")
            if not sized or end < place:
                return None
            # what stands after the end of the picture is dropped as well
            kept.append(raw[place : end + 2])
            return b"".join(kept)
        # APP0 (density) and APP14 (how colours are stored) belong to the picture
        metadata = _APP0 < marker <= 0xEF and marker != _APP14  # noqa: PLR2004 - APPn
        if not metadata and marker != 0xFE:  # noqa: PLR2004 - a comment
            kept.append(part)
        place += 2 + size
    return None
