"""Is a picture whole and what its name says? Told from its bytes, without decoding it.

A provider refuses a broken picture, or worse, a model answers about nothing; both are
found only after calls were paid for.
"""

from __future__ import annotations

import base64
import binascii

_PNG, _PNG_END = b"\x89PNG\r\n\x1a\n", b"IEND\xaeB`\x82"
_SIGNATURES = {
    "image/png": (_PNG,),
    "image/jpeg": (b"\xff\xd8\xff",),
    "image/gif": (b"GIF87a", b"GIF89a"),
    "image/webp": (b"RIFF",),
}
_LEAST = 24
"""Bytes that hold a PNG's signature and its size."""


def broken(media: str, content: bytes) -> str:
    """Return what is wrong with a file's bytes, in words; "" where nothing is seen to be."""
    if not content:
        return "is empty"
    known = _SIGNATURES.get(media)
    if known is None:
        return ""
    kind = media.partition("/")[2]
    if not content.startswith(known) or (media == "image/webp" and content[8:12] != b"WEBP"):
        found = next((name for name, begin in _SIGNATURES.items() if content.startswith(begin)), "")
        return f"is no {kind} picture{f' but {found}' if found else ''}"
    return _cut_short(media, content)


def _cut_short(media: str, content: bytes) -> str:
    """Tell whether the end is missing, or there is nothing to see."""
    if media == "image/png":
        if len(content) < _LEAST or _PNG_END not in content[-64:]:
            return "is cut short: its end is missing"
        if not (any(content[16:20]) and any(content[20:24])):
            return "is 0 pixels wide or high"
    if media == "image/jpeg" and b"\xff\xd9" not in content[-64:]:
        return "is cut short: its end is missing"
    if media == "image/gif" and b";" not in content[-16:]:
        return "is cut short: its end is missing"
    if media == "image/webp" and int.from_bytes(content[4:8], "little") + 8 > len(content):
        return "is cut short: its end is missing"
    return ""


def broken_url(url: str) -> str:
    """Return what is wrong with a `data:` URL; only pictures in base64 are looked at."""
    head, mark, body = url.partition(",")
    media, *flags = head.removeprefix("data:").split(";")
    if not mark:
        return "has no data"
    if "base64" not in flags:
        return "" if body else "is empty"
    try:
        content = base64.b64decode(body, validate=True)
    except (binascii.Error, ValueError):
        return "is no base64 text"
    return broken(media, content)
