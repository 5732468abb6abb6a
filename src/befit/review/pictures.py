"""Pictures without what they carry besides: PNG and JPEG, rewritten from their parts.

A picture may name its maker in its metadata (EXIF, XMP, text chunks), behind its
end, or by the way it was packed. Only the parts that make the picture are kept,
and a PNG's are unpacked and packed anew, which also shows whether it is as large
as it says; anything else, and any picture too large to be drawn safely, is not shown.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator

MAX_PIXELS = 40_000_000
MAX_BYTES = 100_000_000
"""Of a PNG's pixels, unpacked."""
_PNG = b"\x89PNG\r\n\x1a\n"
_PNG_KEPT = {b"IHDR", b"PLTE", b"tRNS", b"IDAT", b"IEND"}
_SOI, _SOS, _EOI = 0xD8, 0xDA, 0xD9
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_APP0, _APP14, _EXIF = 0xE0, 0xEE, 0xE1
_ORIENTATION, _TURNS = 0x0112, range(2, 9)
"""The one tag of a JPEG's metadata that belongs to the picture: how it is turned."""
_CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
"""Colour type of a PNG -> values of a pixel."""
_PALETTE, _FILTERS = 3, 4
_PASSES = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2),
           (0, 1, 1, 2))  # fmt: skip
"""Of an interlaced PNG: first column and row, steps between columns and rows."""


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


def redrawn(raw: bytes, *, kind: str) -> bytes | None:
    """Return the picture as it may be kept: a PNG packed anew, a JPEG without metadata.

    None for whatever `clean_picture` does not show, and for a PNG whose pixels are more, fewer
    or other than its head says.
    """
    clean = clean_picture(raw, kind=kind)
    if clean is None or kind != "image/png":
        return clean
    try:
        return _repacked(clean)
    except (struct.error, ValueError, KeyError, zlib.error):
        return None


def _repacked(clean: bytes) -> bytes | None:
    parts: dict[bytes, bytes] = {}
    for kind, body, _ in _chunks(clean):
        parts[kind] = parts.get(kind, b"") + body
    head = parts[b"IHDR"]
    width, height, depth, colour, packing, filtering, interlaced = struct.unpack(">IIBBBBB", head)
    if packing or filtering or interlaced > 1 or depth not in {1, 2, 4, 8, 16}:
        return None
    lines = list(_lines(width, height, _CHANNELS[colour] * depth, interlaced=bool(interlaced)))
    size = sum(count * (1 + length) for length, count in lines)
    if size > MAX_BYTES:
        return None
    unpacker = zlib.decompressobj()
    pixels = unpacker.decompress(parts[b"IDAT"], size + 1)
    if len(pixels) != size or not _filters_are_known(pixels, lines):
        return None
    kept = [_PNG, _chunk(b"IHDR", head)]
    if colour == _PALETTE:
        kept.append(_chunk(b"PLTE", parts[b"PLTE"][: 3 * 2**depth]))
    if b"tRNS" in parts:
        kept.append(_chunk(b"tRNS", parts[b"tRNS"][:256]))
    kept += [_chunk(b"IDAT", zlib.compress(pixels)), _chunk(b"IEND", b"")]
    return b"".join(kept)


def _lines(width: int, height: int, bits: int, *, interlaced: bool) -> Iterator[tuple[int, int]]:
    """Yield (bytes of a line without its filter, lines) of each pass."""
    passes = _PASSES if interlaced else ((0, 0, 1, 1),)
    for column, row, across, down in passes:
        columns, rows = -(-(width - column) // across), -(-(height - row) // down)
        if columns > 0 and rows > 0:
            yield -(-columns * bits // 8), rows


def _filters_are_known(pixels: bytes, lines: list[tuple[int, int]]) -> bool:
    place = 0
    for length, count in lines:
        end = place + count * (1 + length)
        if max(pixels[place : end : 1 + length]) > _FILTERS:
            return False
        place = end
    return True


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


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


def _orientation(body: bytes) -> int:
    """Return how a JPEG is turned (2 to 8), 0 where it is not or cannot be read."""
    order = {b"II": "<", b"MM": ">"}.get(body[6:8])
    if not body.startswith(b"Exif\0\0") or order is None:
        return 0
    tags = body[6:]
    try:
        (place,) = struct.unpack_from(f"{order}I", tags, 4)
        (count,) = struct.unpack_from(f"{order}H", tags, place)
        for number in range(min(count, 100)):
            tag, kind, many, value = struct.unpack_from(
                f"{order}HHIH", tags, place + 2 + 12 * number
            )
            if (tag, kind, many) == (_ORIENTATION, 3, 1):
                return value if value in _TURNS else 0
    except struct.error:
        return 0
    return 0


def _turned(value: int) -> bytes:
    """Return metadata that say nothing but how the picture is turned."""
    tag = struct.pack(">HHHIHHI", 1, _ORIENTATION, 3, 1, value, 0, 0)
    body = b"Exif\0\0MM\0*" + struct.pack(">I", 8) + tag
    return bytes([0xFF, _EXIF]) + struct.pack(">H", len(body) + 2) + body


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
        if marker == _EXIF and (turned := _orientation(part[4:])):
            kept.append(_turned(turned))
        # APP0 (density) and APP14 (how colours are stored) belong to the picture
        metadata = _APP0 < marker <= 0xEF and marker != _APP14  # noqa: PLR2004 - APPn
        if not metadata and marker != 0xFE:  # noqa: PLR2004 - a comment
            kept.append(part)
        place += 2 + size
    return None
