"""Style: made even where the study wants it, and counted in any case.

Headings, bold print, lists and emoji tell models apart and sway readers, whatever
the content. *plain* takes the marks away from both sides alike and leaves every
word and number; the length is never altered, only counted.
"""

from __future__ import annotations

import re

from befit.review.settings import Style

_FENCE = re.compile(r"^\s*(?:```|~~~)[\w+-]*\s*$")
_HEADER = re.compile(r"^\s{0,3}#{1,6}\s+(.*?)\s*#*\s*$")
_RULE = re.compile(r"^\s{0,3}(?:(?:-\s*){3,}|(?:\*\s*){3,}|(?:_\s*){3,})$")
_BULLET = re.compile(r"^(\s*)[*+\u2022\u25cf\u25aa\u2013-]\s+")
_NUMBER = re.compile(r"^(\s*)(\d{1,3})[.)]\s+")
_BOLD = re.compile(r"(\*\*|__)(?=\S)((?:(?!\1).)+?)(?<=\S)\1")
_ITALIC = re.compile(r"(?<![\w*])([*_])(?=\S)([^*_\n]+?)(?<=\S)\1(?![\w*])")
_CODE = re.compile(r"`([^`\n]+)`")
_LINK = re.compile(
    r"!?\[([^\[\]\n]{0,1000})\]\(((?:[^()\s]|\([^()\s]*\)){0,2000})(?:\s[^()\n]{0,500})?\)"
)
_QUOTE = re.compile(r"^\s{0,3}>\s?")
_EMOJI = re.compile(
    "[\U0001f300-\U0001faff\U00002600-\U000027bf\U0001f1e6-\U0001f1ff\u2b50\u2b55\u200d\ufe0f]+"
)
COUNTS = ("characters", "headers", "bold", "lists")


def counts(text: str) -> dict[str, float]:
    """Return what style control uses: length, headers, bold print, list marks."""
    lines = text.splitlines()
    return {
        "characters": float(len(text)),
        "headers": float(sum(bool(_HEADER.match(line)) for line in lines)),
        "bold": float(len(_BOLD.findall(text))),
        "lists": float(sum(bool(_BULLET.match(line) or _NUMBER.match(line)) for line in lines)),
    }


def even(text: str, *, style: Style) -> str:
    """Return the text in the study's style; code and JSON are left as they are."""
    if style != "plain":
        return text
    kept: list[str] = []
    inside = False
    for line in text.splitlines():
        if _FENCE.match(line):
            inside = not inside
            continue
        kept.append(line if inside else _line(line))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(kept)).strip("\n")


def _line(line: str) -> str:
    if line.lstrip().startswith(("{", "[", "|", '"')) and not line.lstrip().startswith("[^"):
        return line if not _LINK.search(line) else _inline(line)
    if _RULE.match(line):
        return ""
    header = _HEADER.match(line)
    if header:
        line = header.group(1)
    line = _QUOTE.sub("", line)
    line = _BULLET.sub(r"\1- ", line)
    line = _NUMBER.sub(r"\1\2. ", line)
    return _inline(line)


def _inline(line: str) -> str:
    line = _LINK.sub(lambda m: m.group(1) or m.group(2), line)
    line = _CODE.sub(r"\1", line)
    line = _BOLD.sub(r"\2", line)
    line = _ITALIC.sub(r"\2", line)
    return _EMOJI.sub("", line).rstrip()
