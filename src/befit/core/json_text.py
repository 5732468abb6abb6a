"""JSON for a terminal and an editor: what steers or leaves nothing to see is escaped, not lost."""

from __future__ import annotations

import re

_STEERING = re.compile(
    "[\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]"
)
r"""Controls of C1, line separators, bidi and zero-width characters; JSON has those below U+0020 as
\u escapes in any case."""


def harmless(line: bytes) -> bytes:
    r"""Return JSON of the same values, with characters that steer a terminal as \u escapes.

    Args:
        line: JSON in UTF-8; outside of its texts there are only ASCII characters.
    """
    text = line.decode()
    if text.isascii() and "\x7f" not in text:
        return line
    return _STEERING.sub(lambda found: f"\\u{ord(found[0]):04x}", text).encode()
